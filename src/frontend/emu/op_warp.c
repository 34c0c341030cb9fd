/*
 * Operations across the lanes of a warp: shfl vote match redux activemask elect, with and without .sync; and
 * createpolicy, whose result is a hint without effect. PTX ISA 9.0, "Parallel Synchronization and Communication
 * Instructions" and "Data Movement: shfl.sync".
 *
 * The participants of a .sync operation are the executing lanes that the lane's member mask names. Lanes of one
 * instruction may carry different member masks (tiles of a warp); they are served one mask after the other.
 */
#include "emu/op_lane.h"

/* The next group of lanes that share a member mask. `left` loses them. */
static u32 next_group(const u32 *member, u32 *left, u32 *members)
{
    const u32 m = member[__builtin_ctz(*left)];
    u32 group = 0;
    for (int l = 0; l < EMU_LANES; l++)
        group |= member[l] == m ? emu_bit[l] : 0;
    group &= *left;
    *left &= ~group;
    *members = m;
    return group;
}

/*
 * ---- shfl. The source lane j counts when it is not beyond the limit, else the lane's own value is taken. ----
 *
 * PTX leaves open what is read of a lane that neither executes the instruction nor is named by the reader's member
 * mask. GPUs since Volta were reported to give 0, and reductions over less than a warp rely on it.
 */
static void clear_absent(u32 *t, const s32 *from, const u32 *member, u32 mask)
{
    for (int l = 0; l < EMU_LANES; l++)
        t[l] = (member[l] | mask) & emu_bit[from[l]] ? t[l] : 0;
}
#define SHFL(name, LANE, WITHIN)                                                                                       \
    EMU_HANDLER(name)                                                                                                  \
    {                                                                                                                  \
        const u32 *a = emu_src(w, &i->src[0]), *b = emu_src(w, &i->src[1]), *c = emu_src(w, &i->src[2]);               \
        s32 from[EMU_LANES];                                                                                           \
        u32 t[EMU_LANES], valid = 0;                                                                                   \
        for (s32 l = 0; l < EMU_LANES; l++) {                                                                          \
            const s32 delta = (s32)(b[l] & 31), segment = (s32)(c[l] >> 8 & 31);                                       \
            const s32 limit = (l & segment) | ((s32)(c[l] & 31) & ~segment), j = LANE;                                 \
            const bool ok = j WITHIN limit;                                                                            \
            from[l] = ok ? j : l;                                                                                      \
            valid |= ok ? emu_bit[l] : 0;                                                                              \
        }                                                                                                              \
        for (int l = 0; l < EMU_LANES; l++)                                                                            \
            t[l] = a[from[l]];                                                                                         \
        if (mask != ~0u && i->n_src > 3)                                                                               \
            clear_absent(t, from, emu_src(w, &i->src[3]), mask);                                                       \
        if (i->dst[0].lane != EMU_LANE_NONE)                                                                           \
            emu_store_row(emu_dst(w, &i->dst[0]), t, mask, 4);                                                         \
        if (i->n_dst > 1)                                                                                              \
            emu_dst_pred(w, &i->dst[1], mask, valid);                                                                  \
    }
SHFL(shfl_up, l - delta, >=)
SHFL(shfl_down, l + delta, <=)
SHFL(shfl_bfly, l ^ delta, <=)
SHFL(shfl_idx, (l & segment) | (delta & ~segment), <=)

/* ---- vote. aux[0]: the mode (ptx_mod); aux[1]: has a member mask. ---- */
static u32 vote_of(unsigned mode, u32 participants, u32 yes)
{
    yes &= participants;
    switch (mode) {
    case PTX_M_ALL:
        return yes == participants ? ~0u : 0;
    case PTX_M_ANY:
        return yes ? ~0u : 0;
    case PTX_M_UNI:
        return yes == 0 || yes == participants ? ~0u : 0;
    }
    return yes;
}
EMU_HANDLER(vote_any)
{
    static const u32 everyone[EMU_LANES] = {0};
    const u32 yes = emu_src_pred(w, &i->src[0]);
    const u32 *member = i->aux[1] ? emu_src(w, &i->src[1]) : everyone;
    u32 t[EMU_LANES], pred = 0;
    for (u32 left = mask; left;) {
        u32 members;
        const u32 group = next_group(member, &left, &members);
        const u32 r = vote_of(i->aux[0], i->aux[1] ? mask & members : mask, yes);
        for (int l = 0; l < EMU_LANES; l++)
            t[l] = group & emu_bit[l] ? r : t[l];
        pred |= r & group;
    }
    if (i->aux[0] == PTX_M_BALLOT)
        emu_store_row(emu_dst(w, &i->dst[0]), t, mask, 4);
    else
        emu_dst_pred(w, &i->dst[0], mask, pred);
}

/* ---- match. aux[0]: PTX_M_ANY or PTX_M_ALL; aux[1]: 64-bit values. ---- */
static u32 lanes_equal(const void *row, bool wide, int lane)
{
    const u32 *narrow = row;
    const u64 *full = row;
    u32 same = 0;
    if (wide)
        for (int l = 0; l < EMU_LANES; l++)
            same |= full[l] == full[lane] ? emu_bit[l] : 0;
    else
        for (int l = 0; l < EMU_LANES; l++)
            same |= narrow[l] == narrow[lane] ? emu_bit[l] : 0;
    return same;
}
EMU_HANDLER(match_lanes)
{
    const void *a = emu_src(w, &i->src[0]);
    const u32 *member = emu_src(w, &i->src[1]);
    const bool all = i->aux[0] == PTX_M_ALL, wide = i->aux[1];
    u32 t[EMU_LANES] = {0}, pred = 0;
    for (u32 left = mask; left;) {
        u32 members;
        const u32 group = next_group(member, &left, &members), participants = mask & members;
        /* One value of the group after the other. */
        for (u32 rest = group; rest;) {
            const u32 same = lanes_equal(a, wide, __builtin_ctz(rest)), served = same & rest;
            const u32 matched = same & participants, r = !all || matched == participants ? matched : 0;
            for (int l = 0; l < EMU_LANES; l++)
                t[l] = served & emu_bit[l] ? r : t[l];
            pred |= matched == participants ? served : 0;
            rest &= ~served;
        }
    }
    if (i->dst[0].lane != EMU_LANE_NONE)
        emu_store_row(emu_dst(w, &i->dst[0]), t, mask, 4);
    if (i->n_dst > 1)
        emu_dst_pred(w, &i->dst[1], mask, pred);
}

/* ---- redux. aux[0]: the operator (ptx_mod); aux[1]: signed. ---- */
static u32 reduce(unsigned op, bool is_signed, u32 x, u32 y)
{
    const bool less = is_signed ? (s32)x < (s32)y : x < y;
    switch (op) {
    case PTX_M_ADD:
        return x + y;
    case PTX_M_MIN:
        return less ? x : y;
    case PTX_M_MAX:
        return less ? y : x;
    case PTX_M_AND:
        return x & y;
    case PTX_M_OR:
        return x | y;
    }
    return x ^ y;
}
EMU_HANDLER(redux_32)
{
    const u32 *a = emu_src(w, &i->src[0]), *member = emu_src(w, &i->src[1]);
    u32 t[EMU_LANES] = {0};
    for (u32 left = mask; left;) {
        u32 members;
        const u32 group = next_group(member, &left, &members);
        u32 participants = mask & members ? mask & members : group;
        u32 r = a[__builtin_ctz(participants)];
        for (participants &= participants - 1; participants; participants &= participants - 1)
            r = reduce(i->aux[0], i->aux[1], r, a[__builtin_ctz(participants)]);
        for (int l = 0; l < EMU_LANES; l++)
            t[l] = group & emu_bit[l] ? r : t[l];
    }
    emu_store_row(emu_dst(w, &i->dst[0]), t, mask, 4);
}

EMU_HANDLER(activemask_32)
{
    u32 t[EMU_LANES];
    for (int l = 0; l < EMU_LANES; l++)
        t[l] = mask;
    emu_store_row(emu_dst(w, &i->dst[0]), t, mask, 4);
}

/* The lowest participant is elected. */
EMU_HANDLER(elect_lane)
{
    const u32 *member = emu_src(w, &i->src[0]);
    u32 t[EMU_LANES] = {0}, pred = 0;
    for (u32 left = mask; left;) {
        u32 members;
        const u32 group = next_group(member, &left, &members);
        const u32 leader = (u32)__builtin_ctz(mask & members ? mask & members : group);
        for (int l = 0; l < EMU_LANES; l++)
            t[l] = group & emu_bit[l] ? leader : t[l];
        pred |= 1u << leader;
    }
    if (i->dst[0].lane != EMU_LANE_NONE)
        emu_store_row(emu_dst(w, &i->dst[0]), t, mask, 4);
    if (i->n_dst > 1)
        emu_dst_pred(w, &i->dst[1], mask, pred);
}

EMU_HANDLER(policy_64)
{
    const u64 t[EMU_LANES] = {0};
    emu_store_row(emu_dst(w, &i->dst[0]), t, mask, 8);
}

/* ---- selection ---- */
static unsigned mode_among(const struct ptx_inst *p, const u8 *mods, unsigned n)
{
    for (unsigned k = 0; k < n; k++)
        if (ptx_has(p, mods[k]))
            return mods[k];
    return 0;
}

int emu_sel_warp(const struct ptx_inst *p, struct emu_op_sel *sel, const char **why)
{
    static const u8 vote_modes[] = {PTX_M_ALL, PTX_M_ANY, PTX_M_UNI, PTX_M_BALLOT};
    static const u8 redux_ops[] = {PTX_M_ADD, PTX_M_MIN, PTX_M_MAX, PTX_M_AND, PTX_M_OR, PTX_M_XOR};
    static const u8 mods[] = {PTX_M_SYNC, PTX_M_UP,  PTX_M_DOWN,   PTX_M_BFLY, PTX_M_IDX, PTX_M_ALL,
                              PTX_M_ANY,  PTX_M_UNI, PTX_M_BALLOT, PTX_M_ADD,  PTX_M_MIN, PTX_M_MAX,
                              PTX_M_AND,  PTX_M_OR,  PTX_M_XOR,    0};
    if (p->op != PTX_CREATEPOLICY && !emu_knows_mods(p, mods))
        return emu_no(why, "this warp-wide instruction has no such suffix");
    const bool sync = ptx_has(p, PTX_M_SYNC), pair = p->n_opnd && p->opnd[0].kind == PTX_O_PAIR;
    const enum ptx_type t = p->n_type ? p->type[0] : PTX_T_NONE;
    switch (p->op) {
    case PTX_SHFL: {
        emu_op_fn *fn = ptx_has(p, PTX_M_UP)     ? shfl_up
                        : ptx_has(p, PTX_M_DOWN) ? shfl_down
                        : ptx_has(p, PTX_M_BFLY) ? shfl_bfly
                                                 : shfl_idx;
        if (ptx_type_bytes(t) != 4)
            break;
        emu_sig(sel, fn, pair ? (sync ? "wp>wwww" : "wp>www") : sync ? "w>wwww" : "w>www", PTX_T_B32);
        return 0;
    }
    case PTX_VOTE:
        sel->aux[0] = (u8)mode_among(p, vote_modes, 4);
        sel->aux[1] = sync;
        if (!sel->aux[0])
            break;
        if (sel->aux[0] == PTX_M_BALLOT)
            emu_sig(sel, vote_any, sync ? "w>pw" : "w>p", PTX_T_B32);
        else
            emu_sig(sel, vote_any, sync ? "p>pw" : "p>p", PTX_T_B32);
        return 0;
    case PTX_MATCH:
        sel->aux[0] = ptx_has(p, PTX_M_ALL) ? PTX_M_ALL : PTX_M_ANY;
        sel->aux[1] = ptx_type_bytes(t) == 8;
        emu_sig_x(sel, match_lanes, pair ? "wp>xw" : "w>xw", t);
        sel->src_type[1] = PTX_T_B32;
        return 0;
    case PTX_REDUX:
        sel->aux[0] = (u8)mode_among(p, redux_ops, 6);
        sel->aux[1] = t == PTX_T_S32;
        if (!sel->aux[0] || (t != PTX_T_S32 && t != PTX_T_U32 && t != PTX_T_B32))
            break;
        emu_sig(sel, redux_32, "w>ww", PTX_T_B32);
        return 0;
    case PTX_ACTIVEMASK:
        emu_sig(sel, activemask_32, "w>", PTX_T_B32);
        return 0;
    case PTX_ELECT:
        emu_sig(sel, elect_lane, pair ? "wp>w" : "w>w", PTX_T_B32);
        return 0;
    case PTX_CREATEPOLICY:
        if (ptx_has(p, PTX_M_RANGE))
            emu_sig(sel, policy_64, "d>aww", PTX_T_B32);
        else
            emu_sig(sel, policy_64, !ptx_has(p, PTX_M_FRACTIONAL) ? "d>d" : p->n_opnd == 2 ? "d>w" : "d>", PTX_T_F32);
        return 0;
    }
    return emu_no(why, "there is no such warp-wide instruction");
}
