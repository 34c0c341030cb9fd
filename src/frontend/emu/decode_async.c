/*
 * Decoding of mbarriers and of what sm_90 adds: clusters, bulk and tensor copies, tensor maps, warpgroup products.
 */
#include "emu/bulk.h"
#include "emu/decode.h"
#include "emu/op_wgmma.h"

/* ---- mbarrier ---- */

/* mbarrier.op{.shared} {state,} [addr] {, count, bytes, state or parity} {, time limit} */
static int decode_mbarrier(struct emu_decoder *d, struct emu_inst *in)
{
    const struct ptx_inst *p = d->inst;
    enum ptx_space space = p->space == PTX_S_NONE ? PTX_S_GENERIC : p->space;
    uint64_t bytes;
    in->kind = EMU_K_MEM;
    if (ptx_has(p, PTX_M_PENDING_COUNT)) {
        struct emu_opnd *o = emu_operands(d, in, 1, 1);
        in->kind = EMU_K_OP;
        in->fn = emu_mbarrier_pending;
        if (p->n_opnd != 2 || emu_decode_src(d, &p->opnd[1], 'd', PTX_T_B64, &o[1]) < 0)
            return emu_unsupported(d, "pending_count takes a state");
        return emu_decode_dst(d, &p->opnd[0], 'w', &o[0]);
    }
    const bool arrive = ptx_has(p, PTX_M_ARRIVE) || ptx_has(p, PTX_M_ARRIVE_DROP);
    const bool tx = !arrive && (ptx_has(p, PTX_M_EXPECT_TX) || ptx_has(p, PTX_M_COMPLETE_TX));
    if (ptx_has(p, PTX_M_INIT) || ptx_has(p, PTX_M_INVAL) || tx) {
        const unsigned n = ptx_has(p, PTX_M_INVAL) ? 1 : 2;
        struct emu_opnd *o = emu_operands(d, in, 0, n);
        in->fn = tx ? emu_mbarrier_tx : n == 2 ? emu_mbarrier_init : emu_mbarrier_inval;
        in->aux[EMU_AUX_OP] = ptx_has(p, PTX_M_COMPLETE_TX);
        if (p->n_opnd != n || emu_decode_addr(d, in, &p->opnd[0], &o[0], &space, &bytes) < 0)
            return emu_unsupported(d, "this form is not supported");
        in->aux[EMU_AUX_SPACE] = space;
        return n == 2 ? emu_decode_src(d, &p->opnd[1], 'w', PTX_T_U32, &o[1]) : 0;
    }
    const bool test = ptx_has(p, PTX_M_TEST_WAIT) || ptx_has(p, PTX_M_TRY_WAIT);
    if ((!arrive && !test) || p->n_opnd < (arrive ? 1 : 3))
        return emu_unsupported(d, "this form is not supported");
    const bool has_dst = p->opnd[0].kind != PTX_O_ADDR;
    const unsigned at = has_dst ? 1 : 0;
    struct emu_opnd *o = emu_operands(d, in, 1, 2);
    if (has_dst && emu_decode_dst(d, &p->opnd[0], arrive ? 'd' : 'p', &o[0]) < 0)
        return -1;
    if (p->n_opnd <= at || emu_decode_addr(d, in, &p->opnd[at], &o[1], &space, &bytes) < 0)
        return emu_unsupported(d, "the mbarrier's address is missing");
    in->aux[EMU_AUX_SPACE] = space;
    if (arrive) {
        const bool expects = ptx_has(p, PTX_M_EXPECT_TX);
        if (space == PTX_S_SHARED_CLUSTER && o[0].lane)
            return emu_unsupported(d, "an arrival at another CTA's mbarrier returns no state");
        if (expects && p->n_opnd != at + 2)
            return emu_unsupported(d, "arrive.expect_tx needs an address and a number of bytes");
        in->fn = emu_mbarrier_arrive;
        in->aux[EMU_AUX_OP] = expects                         ? EMU_ARRIVE_EXPECT_TX
                              : ptx_has(p, PTX_M_ARRIVE_DROP) ? EMU_ARRIVE_DROP
                                                              : EMU_ARRIVE;
        if (p->n_opnd > at + 1)
            return emu_decode_src(d, &p->opnd[at + 1], 'w', PTX_T_U32, &o[2]);
        return 0;
    }
    if (space == PTX_S_SHARED_CLUSTER)
        return emu_unsupported(d, "there is no waiting at another CTA's mbarrier");
    if (ptx_has(p, PTX_M_TRY_WAIT))
        in->kind = EMU_K_WAIT;
    in->fn = emu_mbarrier_test;
    in->aux[EMU_AUX_OP] = ptx_has(p, PTX_M_PARITY);
    return emu_decode_src(d, &p->opnd[at + 1], in->aux[EMU_AUX_OP] ? 'w' : 'd', PTX_T_B64, &o[2]);
}

/* ---- clusters ---- */

/* mapa d, a, rank; getctarank d, a. `a` may be a variable. */
static int decode_map(struct emu_decoder *d, struct emu_inst *in)
{
    const struct ptx_inst *p = d->inst;
    const bool map = p->op == PTX_MAPA;
    const unsigned n_src = map ? 2 : 1;
    if (p->n_opnd != 1 + n_src)
        return emu_unsupported(d, "this form is not supported");
    struct emu_opnd *o = emu_operands(d, in, 1, n_src);
    in->kind = EMU_K_MEM;
    in->fn = map ? emu_mapa : emu_getctarank;
    in->aux[EMU_AUX_OP] = p->space != PTX_S_SHARED_CLUSTER;
    if (p->opnd[1].kind == PTX_O_SYM) {
        struct ptx_opnd at = p->opnd[1];
        at.kind = PTX_O_ADDR;
        enum ptx_space space = PTX_S_SHARED;
        uint64_t bytes;
        if (emu_decode_addr(d, in, &at, &o[1], &space, &bytes) < 0)
            return -1;
    } else if (emu_decode_src(d, &p->opnd[1], 'r', PTX_T_U64, &o[1]) < 0) {
        return -1;
    }
    if (map && emu_decode_src(d, &p->opnd[2], 'w', PTX_T_U32, &o[2]) < 0)
        return -1;
    return emu_decode_dst(d, &p->opnd[0], 'r', &o[0]);
}

/* ---- bulk copies ---- */

static struct emu_bulk *bulk_new(struct emu_decoder *d, struct emu_inst *in)
{
    struct emu_bulk *b = emu_prog_alloc(d->p, sizeof *b);
    memset(b, 0, sizeof *b);
    in->kind = EMU_K_MEM;
    in->imm = (uint64_t)(uintptr_t)b;
    return b;
}

static int bulk_addr(struct emu_decoder *d, struct emu_inst *in, const struct ptx_opnd *o, enum ptx_space space,
                     struct emu_bulk_addr *out)
{
    const uint64_t keep = in->imm;
    uint64_t bytes;
    if (emu_decode_addr(d, in, o, &out->row, &space, &bytes) < 0)
        return -1;
    out->offset = in->imm;
    in->imm = keep;
    return 0;
}

/* [map, {c0, c1, ..}] */
static int tensor_addr(struct emu_decoder *d, struct emu_inst *in, const struct ptx_opnd *o, struct emu_bulk *b,
                       struct emu_bulk_addr *out)
{
    if (o->kind != PTX_O_TEXADDR || o->n != 2 || o->elem[1].kind != PTX_O_VEC || o->elem[1].n != b->rank)
        return emu_unsupported(d, "the tensor map with %u coordinates is missing", b->rank);
    struct ptx_opnd map = o->elem[0];
    map.kind = PTX_O_ADDR;
    if (bulk_addr(d, in, &map, PTX_S_GENERIC, out) < 0)
        return -1;
    for (unsigned k = 0; k < b->rank; k++)
        if (emu_decode_src(d, &o->elem[1].elem[k], 'w', PTX_T_S32, &b->coord[k]) < 0)
            return -1;
    return 0;
}

static unsigned tensor_rank(const struct ptx_inst *p)
{
    static const uint8_t ranks[] = {PTX_M_1D, PTX_M_2D, PTX_M_3D, PTX_M_4D, PTX_M_5D};
    for (unsigned k = 0; k < TMAP_RANK; k++)
        if (ptx_has(p, ranks[k]))
            return k + 1;
    return 0;
}

/* What follows the operands that every form has: offsets of im2col, a mask of CTAs, a cache policy. */
static int bulk_rest(struct emu_decoder *d, struct emu_bulk *b, unsigned at)
{
    const struct ptx_inst *p = d->inst;
    if (b->im2col && (b->to_shared || b->prefetch)) {
        const struct ptx_opnd *o = at < p->n_opnd ? &p->opnd[at++] : NULL;
        if (!o || o->kind != PTX_O_VEC || o->n + 2u != b->rank)
            return emu_unsupported(d, "im2col needs an offset for each dimension of a pixel");
        for (unsigned k = 0; k < o->n; k++)
            if (emu_decode_src(d, &o->elem[k], 'w', PTX_T_U16, &b->filter[k]) < 0)
                return -1;
    }
    if (ptx_has(p, PTX_M_MULTICAST) &&
        (at >= p->n_opnd || emu_decode_src(d, &p->opnd[at++], 'w', PTX_T_U16, &b->ctas) < 0))
        return emu_unsupported(d, "a multicast needs a mask of blocks");
    if (ptx_has(p, PTX_M_L2_CACHE_HINT)) /* a hint without effect */
        at++;
    return at == p->n_opnd ? 0 : emu_unsupported(d, "it has %u operands where %u are expected", p->n_opnd, at);
}

/* cp.async.bulk, cp.reduce.async.bulk, with and without tensor maps. */
static int decode_bulk(struct emu_decoder *d, struct emu_inst *in)
{
    const struct ptx_inst *p = d->inst;
    struct emu_bulk *b = bulk_new(d, in);
    const bool shared_first = p->space == PTX_S_SHARED || p->space == PTX_S_SHARED_CLUSTER;
    unsigned at = 0;
    b->prefetch = ptx_has(p, PTX_M_FETCH);
    b->to_shared = !b->prefetch && shared_first;
    b->from_shared = b->to_shared && p->space2 == PTX_S_SHARED;
    b->to_space = p->space;
    b->im2col = ptx_has(p, PTX_M_IM2COL) || ptx_has(p, PTX_M_IM2COL_NO_OFFS);
    if (ptx_has(p, PTX_M_REDUCE)) {
        const int op = emu_atom_op_of(p);
        b->op = (uint8_t)op;
        b->type = p->n_type ? p->type[0] : PTX_T_B8; /* a tensor's type is the map's */
        if (op < 0 || op == EMU_ATOM_EXCH || op == EMU_ATOM_CAS || (p->n_type && !emu_atom_apply(op, b->type)))
            return emu_unsupported(d, "this reduction does not exist");
    }
    if (ptx_has(p, PTX_M_TENSOR)) {
        in->fn = emu_tensor_copy;
        b->rank = (uint8_t)tensor_rank(p);
        if (!b->rank || (b->im2col && b->rank < 3))
            return emu_unsupported(d, "tensors have 1 to 5 dimensions, 3 to 5 with im2col");
        if (p->n_opnd < (b->prefetch ? 1 : b->to_shared ? 3 : 2))
            return emu_unsupported(d, "this form is not supported");
        if (b->to_shared && bulk_addr(d, in, &p->opnd[at++], b->to_space, &b->to) < 0)
            return -1;
        if (tensor_addr(d, in, &p->opnd[at++], b, b->to_shared || b->prefetch ? &b->from : &b->to) < 0)
            return -1;
        if (!b->to_shared && !b->prefetch && bulk_addr(d, in, &p->opnd[at++], PTX_S_SHARED, &b->from) < 0)
            return -1;
    } else {
        in->fn = emu_bulk_copy;
        if (p->n_opnd < (b->prefetch ? 2 : b->to_shared ? 4 : 3))
            return emu_unsupported(d, "this form is not supported");
        if (!b->prefetch && bulk_addr(d, in, &p->opnd[at++], shared_first ? b->to_space : PTX_S_GLOBAL, &b->to) < 0)
            return -1;
        const bool global = b->prefetch || (b->to_shared && !b->from_shared);
        if (bulk_addr(d, in, &p->opnd[at++], global ? PTX_S_GLOBAL : PTX_S_SHARED, &b->from) < 0 ||
            emu_decode_src(d, &p->opnd[at++], 'w', PTX_T_U32, &b->size) < 0)
            return -1;
    }
    if (b->to_shared &&
        (!ptx_has(p, PTX_M_COMPLETE_TX_BYTES) || bulk_addr(d, in, &p->opnd[at++], b->to_space, &b->mbarrier) < 0))
        return emu_unsupported(d, "a copy to shared memory needs an mbarrier");
    return bulk_rest(d, b, at);
}

/* st.async [a], b, [mbar]; red.async [a], b, [mbar] */
static int decode_remote(struct emu_decoder *d, struct emu_inst *in)
{
    const struct ptx_inst *p = d->inst;
    struct emu_bulk *b = bulk_new(d, in);
    const unsigned bytes = p->n_type ? ptx_type_bytes(p->type[0]) : 0;
    if (p->n_opnd != 3 || !ptx_has(p, PTX_M_COMPLETE_TX_BYTES) || (bytes != 4 && bytes != 8))
        return emu_unsupported(d, "this form is not supported");
    in->fn = emu_st_async;
    b->to_shared = b->from_shared = true;
    b->to_space = PTX_S_SHARED_CLUSTER;
    b->n_value = p->vec;
    b->value_bytes = (uint8_t)bytes;
    if (p->op == PTX_RED) {
        const int op = emu_atom_op_of(p);
        b->op = (uint8_t)op;
        b->type = p->type[0];
        if (op < 0 || p->vec > 1 || !emu_atom_apply(op, b->type))
            return emu_unsupported(d, "this reduction does not exist");
    }
    if (bulk_addr(d, in, &p->opnd[0], b->to_space, &b->to) < 0 ||
        bulk_addr(d, in, &p->opnd[2], b->to_space, &b->mbarrier) < 0)
        return -1;
    const struct ptx_opnd *v = &p->opnd[1];
    if ((v->kind == PTX_O_VEC ? v->n : 1) != p->vec || p->vec > 4)
        return emu_unsupported(d, "the vector does not have %u elements", p->vec);
    for (unsigned k = 0; k < p->vec; k++)
        if (emu_decode_src(d, v->kind == PTX_O_VEC ? &v->elem[k] : v, bytes == 8 ? 'd' : 'w', p->type[0],
                           &b->value[k]) < 0)
            return -1;
    return 0;
}

/* ---- tensor maps ---- */

static int decode_tensormap(struct emu_decoder *d, struct emu_inst *in)
{
    static const struct {
        uint8_t mod, field, has_dimension;
    } fields[] = {{PTX_M_GLOBAL_ADDRESS, TMAP_F_ADDRESS, 0},
                  {PTX_M_RANK, TMAP_F_RANK, 0},
                  {PTX_M_BOX_DIM, TMAP_F_BOX, 1},
                  {PTX_M_GLOBAL_DIM, TMAP_F_DIM, 1},
                  {PTX_M_GLOBAL_STRIDE, TMAP_F_STRIDE, 1},
                  {PTX_M_ELEMENT_STRIDE, TMAP_F_STEP, 1},
                  {PTX_M_ELEMTYPE, TMAP_F_TYPE, 0},
                  {PTX_M_INTERLEAVE_LAYOUT, TMAP_F_INTERLEAVE, 0},
                  {PTX_M_SWIZZLE_MODE, TMAP_F_SWIZZLE, 0},
                  {PTX_M_FILL_MODE, TMAP_F_FILL, 0}};
    const struct ptx_inst *p = d->inst;
    struct emu_bulk *b = bulk_new(d, in);
    if (ptx_has(p, PTX_M_CP_FENCEPROXY)) {
        in->fn = emu_tensormap_copy;
        in->kind = EMU_K_SYNC;
        in->target2 = EMU_SYNC_ALL;
        if (p->n_opnd != 3 || p->opnd[2].kind != PTX_O_IMM || p->opnd[2].imm != 128 ||
            bulk_addr(d, in, &p->opnd[0], PTX_S_GLOBAL, &b->to) < 0 ||
            bulk_addr(d, in, &p->opnd[1], PTX_S_SHARED, &b->from) < 0)
            return emu_unsupported(d, "tensormap.cp_fenceproxy copies 128 bytes from shared to global memory");
        return 0;
    }
    in->fn = emu_tensormap_replace;
    b->to_space = p->space == PTX_S_NONE ? PTX_S_GENERIC : p->space;
    unsigned k = 0;
    while (k < sizeof fields / sizeof *fields && !ptx_has(p, fields[k].mod))
        k++;
    if (!ptx_has(p, PTX_M_REPLACE) || k == sizeof fields / sizeof *fields ||
        p->n_opnd != (fields[k].has_dimension ? 3 : 2) || bulk_addr(d, in, &p->opnd[0], b->to_space, &b->to) < 0)
        return emu_unsupported(d, "this form is not supported");
    b->field = fields[k].field;
    if (fields[k].has_dimension && emu_decode_src(d, &p->opnd[1], 'w', PTX_T_U32, &b->size) < 0)
        return -1;
    const char width = ptx_type_bytes(p->n_type ? p->type[0] : PTX_T_B32) == 8 ? 'd' : 'w';
    return emu_decode_src(d, &p->opnd[p->n_opnd - 1], width, width == 'd' ? PTX_T_B64 : PTX_T_B32, &b->value[0]);
}

/* ---- wgmma ---- */

/* K of the types, or 0 when they do not go together. */
static unsigned depth_of(enum ptx_type td, enum ptx_type ta, enum ptx_type tb)
{
    const bool to_float = td == PTX_T_F16 || td == PTX_T_F32;
    switch (ta) {
    case PTX_T_F16:
        return tb == ta && to_float ? 16 : 0;
    case PTX_T_BF16:
        return tb == ta && td == PTX_T_F32 ? 16 : 0;
    case PTX_T_TF32:
        return tb == ta && td == PTX_T_F32 ? 8 : 0;
    case PTX_T_E4M3:
    case PTX_T_E5M2:
        return (tb == PTX_T_E4M3 || tb == PTX_T_E5M2) && to_float ? 32 : 0;
    case PTX_T_S8:
    case PTX_T_U8:
        return (tb == PTX_T_S8 || tb == PTX_T_U8) && td == PTX_T_S32 ? 32 : 0;
    case PTX_T_B1:
        return tb == ta && td == PTX_T_S32 ? 256 : 0;
    default:
        return 0;
    }
}

/* An immediate that must be one of two values; *set tells whether it is the second. */
static int choice(struct emu_decoder *d, unsigned at, int64_t first, int64_t second, bool *set)
{
    const struct ptx_opnd *o = &d->inst->opnd[at];
    if (o->kind != PTX_O_IMM || (o->imm != first && o->imm != second))
        return emu_unsupported(d, "operand %u must be %lld or %lld", at + 1, (long long)first, (long long)second);
    *set = o->imm == second;
    return 0;
}

/*
 * wgmma.mma_async{.sp} {d..}, a, b {, meta, selector}, scale-d {, imm-scale-a, imm-scale-b {, imm-trans-a}
 * {, imm-trans-b}}: scales for floating types, transposes for 16-bit types, that of A only from shared memory.
 */
static int decode_wgmma(struct emu_decoder *d, struct emu_inst *in)
{
    const struct ptx_inst *p = d->inst;
    if (!ptx_has(p, PTX_M_MMA_ASYNC)) { /* fence, commit_group: products are done when they are issued */
        const bool wait = ptx_has(p, PTX_M_WAIT_GROUP);
        in->kind = wait ? EMU_K_GROUP : EMU_K_OP;
        in->target2 = EMU_SYNC_ALL;
        in->fn = wait ? emu_wgmma_wait : emu_op_nothing;
        return 0;
    }
    const bool sparse = ptx_has(p, PTX_M_SP);
    if (p->n_type != 3 || p->n_opnd < (sparse ? 6 : 4))
        return emu_unsupported(d, "this form is not supported");
    const enum ptx_type td = p->type[0], ta = p->type[1], tb = p->type[2];
    const unsigned depth = depth_of(td, ta, tb), n = p->wg_n, n_d = td == PTX_T_F16 ? n / 4 : n / 2;
    const bool is_int = td == PTX_T_S32, wide = ta == PTX_T_F16 || ta == PTX_T_BF16;
    if (!depth || p->wg_k != (sparse ? 2 * depth : depth) || (sparse && ta == PTX_T_B1))
        return emu_unsupported(d, "these types do not go with this shape");
    if (n < 8 || n > 256 || n % 8 || (is_int && n > 32 && n % 16))
        return emu_unsupported(d, "N must be 8 to 256 in steps of 8 (integers: above 32 in steps of 16)");
    const bool a_regs = p->opnd[1].kind == PTX_O_VEC;
    const unsigned n_a = a_regs ? 4 : 1;
    if (p->opnd[0].kind != PTX_O_VEC || p->opnd[0].n != n_d || (a_regs && p->opnd[1].n != 4))
        return emu_unsupported(d, "D has %u registers, and A in registers 4", n_d);
    struct emu_opnd *o = emu_operands(d, in, n_d, n_a + 2 + sparse), *src = o + n_d;
    for (unsigned k = 0; k < n_d; k++)
        if (emu_decode_dst(d, &p->opnd[0].elem[k], 'w', &o[k]) < 0)
            return -1;
    for (unsigned k = 0; a_regs && k < 4; k++)
        if (emu_decode_src(d, &p->opnd[1].elem[k], 'w', PTX_T_B32, &src[k]) < 0)
            return -1;
    if (!a_regs && emu_decode_src(d, &p->opnd[1], 'd', PTX_T_B64, &src[0]) < 0)
        return -1;
    if (emu_decode_src(d, &p->opnd[2], 'd', PTX_T_B64, &src[n_a]) < 0)
        return -1;
    unsigned at = 3, flags = (a_regs ? WGMMA_A_REGS : 0u) | (sparse ? WGMMA_SPARSE : 0u) |
                             (td == PTX_T_F16 ? WGMMA_D16 : 0u) | (ptx_has(p, PTX_M_SATFINITE) ? WGMMA_SAT : 0u);
    if (sparse) {
        if (emu_decode_src(d, &p->opnd[at++], 'w', PTX_T_B32, &src[n_a + 2]) < 0)
            return -1;
        const struct ptx_opnd *selector = &p->opnd[at++];
        const int64_t most = ptx_type_bytes(ta) == 1 ? 0 : 1;
        if (selector->kind != PTX_O_IMM || selector->imm < 0 || selector->imm > most)
            return emu_unsupported(d, "the sparsity selector must be 0 to %d for this type", (int)most);
        in->imm = (uint64_t)selector->imm;
    }
    if (emu_decode_src(d, &p->opnd[at++], 'p', PTX_T_PRED, &src[n_a + 1]) < 0)
        return -1;
    bool set;
    const unsigned want = at + (is_int ? 0 : 2) + (wide ? (a_regs ? 1 : 2) : 0);
    if (p->n_opnd != want)
        return emu_unsupported(d, "it has %u operands where %u are expected", p->n_opnd, want);
    if (!is_int) {
        if (choice(d, at++, 1, -1, &set) < 0)
            return -1;
        flags |= set ? WGMMA_NEG_A : 0;
        if (choice(d, at++, 1, -1, &set) < 0)
            return -1;
        flags |= set ? WGMMA_NEG_B : 0;
    }
    if (wide && !a_regs) {
        if (choice(d, at++, 0, 1, &set) < 0)
            return -1;
        flags |= set ? WGMMA_TRANS_A : 0;
    }
    if (wide) {
        if (choice(d, at++, 0, 1, &set) < 0)
            return -1;
        flags |= set ? WGMMA_TRANS_B : 0;
    }
    in->kind = EMU_K_SYNC;
    in->target2 = EMU_SYNC_ALL;
    in->fn = emu_wgmma_select();
    in->aux[WGMMA_AUX_N8] = (uint8_t)(n / 8);
    in->aux[WGMMA_AUX_K8] = (uint8_t)(p->wg_k / 8);
    in->aux[WGMMA_AUX_A] = ta;
    in->aux[WGMMA_AUX_B] = tb;
    in->aux[WGMMA_AUX_FLAGS] = (uint8_t)flags;
    return 0;
}

int emu_decode_async(struct emu_decoder *d, struct emu_inst *in)
{
    const struct ptx_inst *p = d->inst;
    switch (p->op) {
    case PTX_MBARRIER:
        return decode_mbarrier(d, in);
    case PTX_MAPA:
    case PTX_GETCTARANK:
        return decode_map(d, in);
    case PTX_CP:
        if (!ptx_has(p, PTX_M_BULK) || ptx_has(p, PTX_M_COMMIT_GROUP) || ptx_has(p, PTX_M_WAIT_GROUP))
            return 1;
        return decode_bulk(d, in);
    case PTX_ST:
    case PTX_RED:
        return ptx_has(p, PTX_M_ASYNC) ? decode_remote(d, in) : 1;
    case PTX_TENSORMAP:
        return decode_tensormap(d, in);
    case PTX_WGMMA:
        return decode_wgmma(d, in);
    }
    return 1;
}
