/*
 * See direct.h. A register is a row of 512 bytes, whatever its width, so that nothing is shared.
 */
#include "direct.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_BYTES = EMU_LANES * 16 };

struct step {
    enum { STEP_OP, STEP_LOAD, STEP_STORE } what;
    struct emu_inst inst;
    struct emu_opnd opnd[48];
    unsigned array; /* LOAD, STORE: which input or result */
};
struct direct {
    const struct ptx_func *func;
    char *regs, *pool, *sregs, *before;
    uint32_t *pred, *pred_before;
    size_t n_pool;
    VEC(struct step) step;
};

/* Special-register row: every one has 8-byte lanes' room, so that 64-bit ones fit. Lanes are 4 or 8 bytes by type. */
static uint32_t sreg_off(enum ptx_sreg r)
{
    return (uint32_t)r * EMU_LANES * 8;
}

static unsigned lane_of(unsigned type)
{
    if (type == PTX_T_PRED)
        return EMU_LANE_PRED;
    const unsigned bytes = ptx_type_bytes(type);
    return bytes <= 4 ? EMU_LANE_32 : bytes == 8 ? EMU_LANE_64 : EMU_LANE_128;
}

static uint64_t constant_bits(const struct ptx_opnd *o, unsigned type)
{
    uint64_t bits = 0;
    if ((type == PTX_T_F32 || type == PTX_T_F64) && o->is_float) {
        if (type == PTX_T_F64) {
            memcpy(&bits, &o->f, 8);
        } else {
            const float f = (float)o->f;
            memcpy(&bits, &f, 4);
        }
        return bits;
    }
    return (uint64_t)o->imm;
}

/* One operand of class c ('w' 'd' 'q' 'p' 'r'); false when it does not fit. */
static bool resolve(struct direct *d, const struct ptx_opnd *o, char c, unsigned type, struct emu_opnd *out)
{
    const unsigned want = c == 'p' ? EMU_LANE_PRED : c == 'w' ? EMU_LANE_32 : c == 'd' ? EMU_LANE_64 : EMU_LANE_128;
    memset(out, 0, sizeof *out);
    switch (o->kind) {
    case PTX_O_SINK:
        return true;
    case PTX_O_REG:
        out->type = d->func->reg[o->reg].type;
        out->lane = (uint8_t)lane_of(out->type);
        out->off = out->lane == EMU_LANE_PRED ? (uint32_t)o->reg : (uint32_t)o->reg * ROW_BYTES;
        out->neg = o->neg;
        return c == 'r' || out->lane == want;
    case PTX_O_IMM: {
        out->bank = EMU_BANK_POOL;
        out->type = (uint8_t)type;
        if (c == 'p') {
            out->lane = EMU_LANE_PRED;
            out->off = o->imm ? ~0u : 0;
            return true;
        }
        out->lane = c == 'd' ? EMU_LANE_64 : EMU_LANE_32;
        out->off = (uint32_t)(d->n_pool++ * ROW_BYTES);
        d->pool = xrealloc(d->pool, d->n_pool * ROW_BYTES);
        const uint64_t bits = constant_bits(o, type);
        for (int l = 0; l < EMU_LANES; l++)
            memcpy(d->pool + out->off + l * out->lane, &bits, out->lane);
        return true;
    }
    case PTX_O_SREG:
        out->bank = EMU_BANK_SREG;
        out->lane = EMU_LANE_32;
        out->type = PTX_T_U32;
        out->off = sreg_off(o->sreg);
        return true;
    }
    return false;
}

static unsigned flatten(const struct ptx_opnd *o, const struct ptx_opnd **out)
{
    if (o->kind != PTX_O_VEC && o->kind != PTX_O_PAIR) {
        *out = o;
        return 1;
    }
    for (unsigned k = 0; k < o->n; k++)
        out[k] = &o->elem[k];
    return o->n;
}

static bool decode_op(struct direct *d, const struct ptx_inst *p, emu_op_select_fn *select, struct step *s,
                      const char **why)
{
    struct emu_op_sel sel;
    memset(&sel, 0, sizeof sel);
    if (p->bad) {
        *why = p->bad;
        return false;
    }
    if (select(p, &sel, why))
        return false;
    const struct ptx_opnd *flat[48];
    unsigned n = 0;
    for (unsigned k = 0; k < p->n_opnd; k++)
        n += flatten(&p->opnd[k], flat + n);
    const char *arrow = strchr(sel.sig, '>');
    const unsigned n_dst = (unsigned)(arrow - sel.sig), n_src = (unsigned)strlen(arrow + 1);
    if (n != n_dst + n_src) {
        *why = "the number of operands differs from the signature";
        return false;
    }
    for (unsigned k = 0; k < n; k++) {
        const char c = k < n_dst ? sel.sig[k] : arrow[1 + k - n_dst];
        if (!resolve(d, flat[k], c, k < n_dst ? 0 : sel.src_type[k - n_dst], &s->opnd[k])) {
            *why = "an operand does not fit the signature";
            return false;
        }
        /* Video selectors travel in the operand; the operations read them from the PTX instruction. */
    }
    s->what = STEP_OP;
    s->inst = (struct emu_inst){.fn = sel.fn,
                                .n_dst = (uint8_t)n_dst,
                                .n_src = (uint8_t)n_src,
                                .guard = (int16_t)p->guard,
                                .guard_neg = p->guard_neg,
                                .imm = sel.imm,
                                .ptx = p};
    memcpy(s->inst.aux, sel.aux, sizeof sel.aux);
    return true;
}

/* %at1..4 hold the addresses of inputs, %at5..6 those of results. */
static int array_of(const struct direct *d, const struct ptx_opnd *address)
{
    const char *name = address->reg >= 0 ? d->func->reg[address->reg].name : "";
    return strncmp(name, "%at", 3) ? -1 : atoi(name + 3);
}

struct direct *direct_new(const struct ptx_module *m, const char *kernel, emu_op_select_fn *select, const char **why)
{
    const int32_t index = ptx_find_func(m, kernel);
    if (index < 0) {
        *why = "no such kernel";
        return NULL;
    }
    struct direct *d = xcalloc(1, sizeof *d);
    d->func = &m->func[index];
    const size_t bytes = (d->func->n_reg + 1) * ROW_BYTES;
    d->regs = xaligned(bytes);
    d->before = xaligned(bytes);
    d->pred = xcalloc(d->func->n_reg + 1, 4);
    d->pred_before = xcalloc(d->func->n_reg + 1, 4);
    d->sregs = xcalloc(PTX_SR_COUNT, EMU_LANES * 8);
    for (uint32_t l = 0; l < EMU_LANES; l++)
        memcpy(d->sregs + sreg_off(PTX_SR_LANEID) + 4 * l, &l, 4);
    for (uint32_t pc = 0; pc < d->func->n_inst; pc++) {
        const struct ptx_inst *p = &d->func->inst[pc];
        struct step s = {0};
        if (p->op == PTX_RET || (p->op == PTX_LD && p->space == PTX_S_PARAM))
            continue;
        if (p->op == PTX_LD || p->op == PTX_ST) {
            s.what = p->op == PTX_LD ? STEP_LOAD : STEP_STORE;
            const int at = array_of(d, &p->opnd[s.what == STEP_LOAD]);
            if (at < 1 || !resolve(d, &p->opnd[s.what == STEP_STORE], 'r', 0, &s.opnd[0])) {
                *why = "unexpected memory access";
                direct_free(d);
                return NULL;
            }
            s.array = (unsigned)(s.what == STEP_LOAD ? at - 1 : at - 5);
        } else if (!decode_op(d, p, select, &s, why)) {
            direct_free(d);
            return NULL;
        }
        VEC_PUSH(&d->step, s);
    }
    for (size_t k = 0; k < d->step.n; k++) {
        d->step.p[k].inst.dst = d->step.p[k].opnd;
        d->step.p[k].inst.src = d->step.p[k].opnd + d->step.p[k].inst.n_dst;
    }
    return d;
}

void direct_free(struct direct *d)
{
    free(d->regs);
    free(d->before);
    free(d->pred);
    free(d->pred_before);
    free(d->sregs);
    free(d->pool);
    VEC_FREE(&d->step);
    free(d);
}

/* Did a lane outside `mask` change? */
static bool others_kept(const struct direct *d, uint32_t mask)
{
    for (uint32_t r = 0; r < d->func->n_reg; r++) {
        if ((d->pred[r] ^ d->pred_before[r]) & ~mask)
            return false;
        const unsigned lane = lane_of(d->func->reg[r].type);
        for (uint32_t l = 0; lane != EMU_LANE_PRED && l < EMU_LANES; l++) {
            const size_t at = r * ROW_BYTES + l * lane;
            if (!(mask >> l & 1) && memcmp(d->regs + at, d->before + at, lane))
                return false;
        }
    }
    return true;
}

bool direct_run(struct direct *d, const uint64_t in[4][EMU_LANES], uint64_t out[2][EMU_LANES], uint32_t mask)
{
    const size_t bytes = (d->func->n_reg + 1) * ROW_BYTES;
    for (size_t k = 0; k < bytes; k++)
        d->regs[k] = d->before[k] = (char)(k * 37);
    for (uint32_t r = 0; r < d->func->n_reg; r++)
        d->pred[r] = d->pred_before[r] = 0x5a5aa5a5;
    struct emu_warp w = {.bank = {d->regs, d->pool, d->sregs}, .pred = d->pred, .live = mask, .active = mask};
    for (size_t k = 0; k < d->step.n; k++) {
        const struct step *s = &d->step.p[k];
        char *row = d->regs + s->opnd[0].off;
        uint32_t m = mask;
        switch (s->what) {
        case STEP_OP:
            if (s->inst.guard >= 0)
                m &= s->inst.guard_neg ? ~d->pred[s->inst.guard] : d->pred[s->inst.guard];
            if (m)
                s->inst.fn(&w, &s->inst, m);
            break;
        case STEP_LOAD:
            for (int l = 0; l < EMU_LANES; l++) {
                uint64_t x = in[s->array][l];
                if (ptx_type_bytes(s->opnd[0].type) == 2)
                    x &= 0xffff;
                if (mask >> l & 1)
                    memcpy(row + l * s->opnd[0].lane, &x, s->opnd[0].lane);
            }
            break;
        case STEP_STORE:
            for (int l = 0; l < EMU_LANES; l++) {
                out[s->array][l] = 0;
                memcpy(&out[s->array][l], row + l * s->opnd[0].lane, s->opnd[0].lane);
            }
            break;
        }
    }
    return others_kept(d, mask);
}
