/*
 * Operands of decoded instructions: constants in the kernel's pool, each once; symbols as addresses; registers and
 * special registers, checked against what the operation wants.
 */
#include "base/demangle.h"
#include "emu/decode.h"

#include <stdio.h>

/* ---- constants ---- */

static uint32_t pool_hash(uint8_t lane, uint64_t lo, uint64_t hi)
{
    uint64_t h = (lo ^ (hi * 0x9e3779b97f4a7c15ull) ^ lane) * 0xff51afd7ed558ccdull;
    return (uint32_t)(h >> 32);
}

static void pool_grow(struct emu_decoder *d)
{
    struct emu_pool_slot *old = d->slot;
    uint32_t n = d->cap_slot;
    d->cap_slot = n ? n * 2 : 256;
    d->slot = xcalloc(d->cap_slot, sizeof *d->slot);
    for (uint32_t i = 0; i < n; i++) {
        if (!old[i].off)
            continue;
        uint32_t h = pool_hash(old[i].lane, old[i].lo, old[i].hi);
        while (d->slot[h & (d->cap_slot - 1)].off)
            h++;
        d->slot[h & (d->cap_slot - 1)] = old[i];
    }
    free(old);
}

uint32_t emu_pool(struct emu_decoder *d, uint8_t lane, uint64_t lo, uint64_t hi)
{
    if (lane == EMU_LANE_32)
        lo = (uint32_t)lo;
    if (lane != EMU_LANE_128)
        hi = 0;
    if (d->n_slot * 2 >= d->cap_slot)
        pool_grow(d);
    uint32_t h = pool_hash(lane, lo, hi);
    for (;; h++) {
        struct emu_pool_slot *s = &d->slot[h & (d->cap_slot - 1)];
        if (!s->off)
            break;
        if (s->lane == lane && s->lo == lo && s->hi == hi)
            return s->off - 1;
    }
    uint32_t off = (uint32_t)d->pool.n;
    VEC_RESERVE(&d->pool, d->pool.n + (size_t)EMU_LANES * lane);
    for (int l = 0; l < EMU_LANES; l++) {
        char *at = d->pool.p + off + l * lane;
        memcpy(at, &lo, lane < 8 ? lane : 8);
        if (lane == EMU_LANE_128)
            memcpy(at + 8, &hi, 8);
    }
    d->pool.n += (size_t)EMU_LANES * lane;
    d->slot[h & (d->cap_slot - 1)] = (struct emu_pool_slot){lo, hi, off + 1, lane};
    d->n_slot++;
    return off;
}

void emu_const_bits(const struct ptx_opnd *o, enum ptx_type t, uint64_t *lo, uint64_t *hi)
{
    unsigned bytes = ptx_type_bytes(t);
    *hi = 0;
    if (o->is_float || t == PTX_T_F32 || t == PTX_T_F64) {
        if (bytes == 8 || (o->is_float && o->float_bytes == 8 && bytes > 4)) {
            double f = o->f;
            if (o->is_float && o->float_bytes == 8)
                *lo = (uint64_t)o->imm;
            else
                memcpy(lo, &f, 8);
            return;
        }
        float f = (float)o->f;
        uint32_t bits;
        memcpy(&bits, &f, 4);
        *lo = o->is_float && o->float_bytes == 4 ? (uint32_t)o->imm : bits;
        return;
    }
    *lo = (uint64_t)o->imm;
    if (bytes && bytes < 8)
        *lo &= (1ull << (8 * bytes)) - 1;
    if (bytes == 16)
        *hi = o->imm < 0 ? UINT64_MAX : 0;
}

/* ---- operands ---- */

int emu_refuse_undefined(struct emu_decoder *d, const char *what, const char *name)
{
    char plain[256];
    demangle(name, plain, sizeof plain);
    return emu_unsupported(d, "the %s %s is not defined in any module", what, plain);
}

int emu_decode_sym(struct emu_decoder *d, int32_t sym, uint64_t *addr, bool *frame, enum ptx_space *space,
                   uint64_t *bytes)
{
    uint32_t i = (uint32_t)PTX_SYM_INDEX(sym);
    const struct emu_func *f = d->f;
    *frame = false;
    switch (PTX_SYM_KIND(sym)) {
    case PTX_SYM_VAR: {
        const struct ptx_var *v = &f->module->var[i];
        *space = v->space;
        *bytes = v->bytes;
        if (v->space == PTX_S_SHARED) {
            *addr = d->p->shared_off[d->p->shared_base[f->module_index] + i];
            return 0;
        }
        const struct emu_var_place *p = &d->unit->var[f->module_index][i];
        if (!p->var)
            return emu_refuse_undefined(d, "variable", v->name);
        /* A compiler may put a const array into the constant bank and have other modules call it global. */
        if (p->var->space == PTX_S_CONST && v->space != PTX_S_CONST)
            *addr = d->unit->const_addr + p->addr;
        else if (p->var->space != PTX_S_CONST && v->space == PTX_S_CONST)
            return emu_unsupported(d, "the variable %s is defined outside constant memory by another module", v->name);
        else
            *addr = p->addr;
        *bytes = p->bytes;
        return 0;
    }
    case PTX_SYM_FUNC: {
        const struct emu_fn_ref *r = &d->unit->fn[f->module_index][i];
        if (r->def < 0)
            return emu_refuse_undefined(d, "function", f->module->func[i].name);
        *addr = EMU_FUNC_WINDOW + 16 * (uint64_t)(d->unit->func_base + (uint32_t)r->def);
        *space = PTX_S_GENERIC;
        *bytes = 0;
        return 0;
    }
    case PTX_SYM_LOCALVAR: {
        const struct ptx_var *v = &f->ptx->var[i];
        *space = v->space;
        *bytes = v->bytes;
        *addr = f->var_off[i];
        *frame = v->space == PTX_S_LOCAL || v->space == PTX_S_PARAM;
        if (v->space != PTX_S_LOCAL && v->space != PTX_S_PARAM && v->space != PTX_S_SHARED)
            return emu_unsupported(d, "the variable %s in a function's body is in a space that has no memory there",
                                   v->name);
        return 0;
    }
    case PTX_SYM_PARAM: {
        const struct ptx_param *p = &f->ptx->param[i];
        *space = PTX_S_PARAM;
        *bytes = p->bytes;
        if (f->ptx->is_entry) {
            *addr = p->offset;
        } else {
            *addr = (i < f->ptx->n_param ? f->param_off : f->ret_off) + p->offset;
            *frame = true;
        }
        return 0;
    }
    }
    return emu_unsupported(d, "a symbol of unknown kind");
}

uint32_t emu_sreg_row(struct emu_decoder *d, uint16_t sreg)
{
    for (size_t i = 0; i < d->sreg.n; i++)
        if (d->sreg.p[i].sreg == sreg)
            return d->sreg.p[i].off;
    uint32_t off = (uint32_t)d->sreg.n * EMU_LANES * 8;
    VEC_PUSH(&d->sreg, (struct emu_sreg_use){sreg, off});
    return off;
}

static const uint8_t sreg_type[] = {
#define X(e, t, ty) PTX_T_##ty,
#include "ptx/sregs.def"
#undef X
};

bool emu_is_clock(uint8_t sreg)
{
    return sreg >= PTX_SR_CLOCK && sreg <= PTX_SR_GLOBALTIMER_HI;
}

static uint8_t sig_lane(char sig)
{
    switch (sig) {
    case 'w':
        return EMU_LANE_32;
    case 'd':
        return EMU_LANE_64;
    case 'q':
        return EMU_LANE_128;
    case 'p':
        return EMU_LANE_PRED;
    }
    return EMU_LANE_NONE; /* as it is declared */
}

static int width_error(struct emu_decoder *d, const struct ptx_reg *r, char sig)
{
    return emu_unsupported(d, "%s is a .%s register, which is not of the width this operand needs (%s)", r->name,
                           ptx_type_name(r->type),
                           sig == 'w'   ? "32 bits or less"
                           : sig == 'd' ? "64 bits"
                           : sig == 'q' ? "128 bits"
                                        : "a predicate");
}

static int reg_opnd(struct emu_decoder *d, const struct ptx_opnd *o, char sig, struct emu_opnd *out)
{
    const struct ptx_reg *r = &d->f->ptx->reg[o->reg];
    out->bank = EMU_BANK_REG;
    out->lane = emu_lane_of(r->type);
    out->type = r->type;
    out->neg = o->neg;
    out->off = r->type == PTX_T_PRED ? r->row : (uint32_t)r->row * EMU_ROW_BYTES;
    uint8_t want = sig_lane(sig);
    if (want && want != out->lane)
        return width_error(d, r, sig);
    return 0;
}

int emu_decode_src(struct emu_decoder *d, const struct ptx_opnd *o, char sig, enum ptx_type type, struct emu_opnd *out)
{
    *out = (struct emu_opnd){.type = (uint8_t)type};
    switch (o->kind) {
    case PTX_O_REG:
        return reg_opnd(d, o, sig, out);
    case PTX_O_SINK:
        return 0;
    case PTX_O_SREG: {
        out->bank = EMU_BANK_SREG;
        uint8_t lane = emu_lane_of(sreg_type[o->sreg]);
        uint8_t want = sig_lane(sig);
        uint8_t sreg = o->sreg;
        if (sreg == PTX_SR_CLOCK64 && want == EMU_LANE_32) {
            sreg = PTX_SR_CLOCK;
            lane = EMU_LANE_32;
        }
        if (want && want != lane)
            return emu_unsupported(d, "the special register is not of this operand's width");
        if (lane == EMU_LANE_PRED) { /* %is_explicit_cluster */
            d->p->asks_explicit = true;
            *out = (struct emu_opnd){.bank = EMU_BANK_POOL,
                                     .lane = EMU_LANE_PRED,
                                     .type = PTX_T_PRED,
                                     .off = d->p->func[0].ptx->reqcluster[0] ? ~0u : 0};
            return 0;
        }
        if (emu_is_clock(sreg))
            d->clock = true;
        if (sreg == PTX_SR_ENVREG && o->imm > 3) {
            out->bank = EMU_BANK_POOL;
            out->off = emu_pool(d, EMU_LANE_32, 0, 0);
        } else {
            out->off = emu_sreg_row(d, sreg == PTX_SR_ENVREG ? (uint16_t)(PTX_SR_COUNT + o->imm) : sreg);
        }
        out->lane = lane;
        out->type = sreg_type[o->sreg];
        return 0;
    }
    case PTX_O_IMM:
    case PTX_O_SYM: {
        out->bank = EMU_BANK_POOL;
        uint64_t lo = 0, hi = 0;
        if (o->kind == PTX_O_IMM) {
            emu_const_bits(o, type, &lo, &hi);
        } else {
            bool frame;
            enum ptx_space space;
            uint64_t bytes;
            if (emu_decode_sym(d, o->sym, &lo, &frame, &space, &bytes) < 0)
                return -1;
            if (frame && d->f != &d->p->func[0])
                return emu_unsupported(d, "the address of a local variable cannot be used here");
            d->p->raw_shared |= space == PTX_S_SHARED;
            lo += (uint64_t)o->imm;
        }
        out->lane = sig == 'r' ? emu_lane_of(type) : sig_lane(sig);
        if (out->lane == EMU_LANE_PRED)
            out->off = lo ? ~0u : 0;
        else
            out->off = emu_pool(d, out->lane, lo, hi);
        return 0;
    }
    }
    return emu_unsupported(d, "operand kind not allowed here");
}

int emu_decode_dst(struct emu_decoder *d, const struct ptx_opnd *o, char sig, struct emu_opnd *out)
{
    *out = (struct emu_opnd){0};
    if (o->kind == PTX_O_SINK)
        return 0;
    if (o->kind != PTX_O_REG)
        return emu_unsupported(d, "a destination must be a register");
    if (o->neg)
        return emu_unsupported(d, "a destination cannot be complemented");
    return reg_opnd(d, o, sig, out);
}
