/*
 * Decoding of memory instructions: loads, stores, atomics, address conversions, asynchronous copies, the stack.
 */
#include "emu/decode.h"
#include "emu/exec_mem.h"

struct emu_opnd *emu_operands(struct emu_decoder *d, struct emu_inst *in, unsigned n_dst, unsigned n_src)
{
    struct emu_opnd *o = emu_prog_alloc(d->p, (n_dst + n_src) * sizeof *o);
    in->dst = o;
    in->src = o + n_dst;
    in->n_dst = (uint8_t)n_dst;
    in->n_src = (uint8_t)n_src;
    return o;
}

int emu_decode_addr(struct emu_decoder *d, struct emu_inst *in, const struct ptx_opnd *o, struct emu_opnd *out,
                    enum ptx_space *space, uint64_t *sym_bytes)
{
    *sym_bytes = UINT64_MAX;
    if (o->kind != PTX_O_ADDR)
        return emu_unsupported(d, "the address operand is missing");
    in->imm = (uint64_t)o->imm;
    if (o->reg >= 0) {
        struct ptx_opnd base = {.kind = PTX_O_REG, .reg = o->reg, .sym = -1, .label = -1};
        if (emu_decode_src(d, &base, 'r', PTX_T_U64, out) < 0)
            return -1;
        if (out->lane != EMU_LANE_32 && out->lane != EMU_LANE_64)
            return emu_unsupported(d, "an address must be a 32- or 64-bit register");
        return 0;
    }
    uint64_t addr = 0;
    *out = (struct emu_opnd){.bank = EMU_BANK_POOL, .lane = EMU_LANE_64, .type = PTX_T_U64};
    if (o->sym >= 0) {
        bool frame;
        enum ptx_space s;
        if (emu_decode_sym(d, o->sym, &addr, &frame, &s, sym_bytes) < 0)
            return -1;
        if (*space == PTX_S_NONE || *space == PTX_S_GENERIC)
            *space = s;
        else if (*space != s && !(*space == PTX_S_SHARED_CLUSTER && s == PTX_S_SHARED))
            return emu_unsupported(d, "the symbol is in another state space than the one the instruction names");
        if (frame)
            in->aux[EMU_AUX_FLAGS] |= EMU_AUXF_FRAME;
        if (s == PTX_S_SHARED) { /* addresses of shared variables carry the CTA's rank */
            *out = (struct emu_opnd){.bank = EMU_BANK_SREG, .lane = EMU_LANE_32, .type = PTX_T_U32};
            out->off = emu_sreg_row(d, EMU_SR_SMEM_BASE);
            in->imm += addr;
            return 0;
        }
    }
    if (in->aux[EMU_AUX_FLAGS] & EMU_AUXF_FRAME) {
        in->imm += addr;
        addr = 0;
    }
    out->off = emu_pool(d, EMU_LANE_64, addr, 0);
    return 0;
}

static bool is_signed(enum ptx_type t)
{
    return t == PTX_T_S8 || t == PTX_T_S16 || t == PTX_T_S32 || t == PTX_T_S64;
}

/* Parameter space has its own handlers: launch constants and bytes of the frame. */
static int decode_param(struct emu_decoder *d, struct emu_inst *in, const struct ptx_opnd *addr, bool store,
                        uint64_t sym_bytes)
{
    uint64_t bytes = (uint64_t)in->aux[EMU_AUX_BYTES] * in->aux[EMU_AUX_VEC];
    in->kind = EMU_K_OP;
    if (addr->reg >= 0) {
        if (store)
            return emu_unsupported(d, "a store to parameter space through a register is not supported");
        in->kind = EMU_K_MEM;
        in->fn = emu_ld_param_at;
        return 0;
    }
    if (sym_bytes != UINT64_MAX && (addr->imm < 0 || (uint64_t)addr->imm + bytes > sym_bytes))
        return emu_unsupported(d, "the access is outside the parameter, which has %llu bytes",
                               (unsigned long long)sym_bytes);
    if (in->aux[EMU_AUX_FLAGS] & EMU_AUXF_FRAME) {
        in->fn = store ? emu_st_frame : emu_ld_frame;
        return 0;
    }
    if (store)
        return emu_unsupported(d, "a kernel's parameters cannot be written");
    if (!d->f->ptx->is_entry || sym_bytes == UINT64_MAX)
        return emu_unsupported(d, "a parameter without a name");
    /* The pool row holds the parameter's offset; here it is known. */
    memcpy(&bytes, d->pool.p + in->src[0].off, 8);
    in->imm += bytes;
    in->fn = emu_ld_param;
    return 0;
}

static int decode_ldst(struct emu_decoder *d, struct emu_inst *in, bool store)
{
    const struct ptx_inst *p = d->inst;
    if (p->n_opnd < 2 || p->n_type < 1)
        return emu_unsupported(d, "this form is not supported");
    const struct ptx_opnd *data = &p->opnd[store ? 1 : 0], *addr = &p->opnd[store ? 0 : 1];
    enum ptx_type type = p->type[0];
    unsigned bytes = ptx_type_bytes(type), vec = p->vec ? p->vec : 1;
    unsigned n = data->kind == PTX_O_VEC ? data->n : 1;
    if (!bytes || n != vec)
        return emu_unsupported(d, "the vector has %u elements, the instruction says %u", n, vec);
    if (bytes * vec > 32)
        return emu_unsupported(d, "an access of %u bytes per thread is too wide", bytes * vec);
    enum ptx_space space = p->space == PTX_S_NONE ? PTX_S_GENERIC : p->space;
    emu_operands(d, in, store ? 0 : n, store ? 1 + n : 1);
    uint64_t sym_bytes;
    if (emu_decode_addr(d, in, addr, (struct emu_opnd *)&in->src[0], &space, &sym_bytes) < 0)
        return -1;
    bool plain = bytes == 4 || bytes == 8;
    for (unsigned k = 0; k < n; k++) {
        const struct ptx_opnd *o = data->kind == PTX_O_VEC ? &data->elem[k] : data;
        struct emu_opnd *out = (struct emu_opnd *)(store ? &in->src[1 + k] : &in->dst[k]);
        if (store ? emu_decode_src(d, o, 'r', type, out) < 0 : emu_decode_dst(d, o, 'r', out) < 0)
            return -1;
        if (out->lane == EMU_LANE_PRED)
            return emu_unsupported(d, "a predicate cannot be loaded or stored");
        if (out->lane == EMU_LANE_NONE) {
            if (store)
                return emu_unsupported(d, "a store needs a value");
            plain = plain && vec > 1;
            continue;
        }
        unsigned reg_bytes = o->kind == PTX_O_REG ? ptx_type_bytes(out->type) : bytes;
        if (reg_bytes < bytes)
            return emu_unsupported(d, "the register is narrower than the .%s that is accessed", ptx_type_name(type));
        plain = plain && out->lane == bytes;
    }
    in->aux[EMU_AUX_SPACE] = space;
    in->aux[EMU_AUX_BYTES] = (uint8_t)bytes;
    in->aux[EMU_AUX_VEC] = (uint8_t)vec;
    if (is_signed(type))
        in->aux[EMU_AUX_FLAGS] |= EMU_AUXF_SIGNED;
    if (space == PTX_S_PARAM)
        return decode_param(d, in, addr, store, sym_bytes);
    if (store && space == PTX_S_CONST)
        return emu_unsupported(d, "constant memory cannot be written");
    struct emu_mem_form form = {.store = store,
                                .space = space == PTX_S_SHARED_CLUSTER ? PTX_S_SHARED : space,
                                .bytes = (uint8_t)bytes,
                                .vec = (uint8_t)vec,
                                .plain = plain};
    in->fn = emu_ldst_select(&form);
    if (!in->fn)
        return emu_unsupported(d, "this state space cannot be accessed this way");
    in->kind = EMU_K_MEM;
    in->target = d->n_cache++;
    return 0;
}

int emu_atom_op_of(const struct ptx_inst *p)
{
    static const struct {
        uint8_t mod, op;
    } ops[] = {{PTX_M_ADD, EMU_ATOM_ADD}, {PTX_M_MIN, EMU_ATOM_MIN}, {PTX_M_MAX, EMU_ATOM_MAX},
               {PTX_M_INC, EMU_ATOM_INC}, {PTX_M_DEC, EMU_ATOM_DEC}, {PTX_M_EXCH, EMU_ATOM_EXCH},
               {PTX_M_CAS, EMU_ATOM_CAS}, {PTX_M_AND, EMU_ATOM_AND}, {PTX_M_OR, EMU_ATOM_OR},
               {PTX_M_XOR, EMU_ATOM_XOR}};
    for (unsigned i = 0; i < sizeof ops / sizeof *ops; i++)
        if (ptx_has(p, ops[i].mod))
            return ops[i].op;
    return -1;
}

/* atom.global.add.v4.f32 {d..}, [a], {b..} */
static int decode_atom_vector(struct emu_decoder *d, struct emu_inst *in, enum emu_atom_op op, bool returns)
{
    const struct ptx_inst *p = d->inst;
    const unsigned n = p->vec, n_dst = returns ? n : 0, bytes = ptx_type_bytes(p->type[0]);
    const struct ptx_opnd *value = &p->opnd[returns ? 2 : 1], *old = &p->opnd[0];
    enum ptx_space space = p->space == PTX_S_NONE ? PTX_S_GENERIC : p->space;
    uint64_t sym_bytes;
    if (op > EMU_ATOM_MAX || bytes > 4 || bytes * n > 16 || !emu_atom_apply(op, p->type[0]) ||
        (space != PTX_S_GLOBAL && space != PTX_S_GENERIC))
        return emu_unsupported(d, "vectors of this operation, type or state space do not exist");
    if (value->kind != PTX_O_VEC || value->n != n || (returns && old->kind != PTX_O_SINK && old->n != n))
        return emu_unsupported(d, "the vectors do not have %u elements", n);
    struct emu_opnd *o = emu_operands(d, in, n_dst, 1 + n);
    if (emu_decode_addr(d, in, &p->opnd[returns ? 1 : 0], &o[n_dst], &space, &sym_bytes) < 0)
        return -1;
    for (unsigned k = 0; k < n; k++) {
        if (returns && old->kind == PTX_O_VEC && emu_decode_dst(d, &old->elem[k], 'w', &o[k]) < 0)
            return -1;
        if (emu_decode_src(d, &value->elem[k], 'w', p->type[0], &o[n_dst + 1 + k]) < 0)
            return -1;
    }
    in->aux[EMU_AUX_SPACE] = space;
    in->aux[EMU_AUX_BYTES] = (uint8_t)bytes;
    in->aux[EMU_AUX_VEC] = (uint8_t)n;
    in->aux[EMU_AUX_OP] = (uint8_t)op;
    in->aux[EMU_AUX_TYPE] = p->type[0];
    in->fn = emu_atom_vector;
    in->kind = EMU_K_MEM;
    return 0;
}

static int decode_atom(struct emu_decoder *d, struct emu_inst *in, bool returns)
{
    const struct ptx_inst *p = d->inst;
    int op = emu_atom_op_of(p);
    unsigned n_dst = returns ? 1 : 0, n_data = op == EMU_ATOM_CAS ? 2 : 1;
    if (op < 0 || p->n_type < 1 || p->n_opnd < n_dst + 1 + n_data)
        return emu_unsupported(d, "this form is not supported");
    if (p->vec > 1)
        return decode_atom_vector(d, in, (enum emu_atom_op)op, returns);
    enum ptx_type type = p->type[0];
    unsigned bytes = ptx_type_bytes(type);
    char sig = bytes == 16 ? 'q' : bytes == 8 ? 'd' : 'w';
    enum ptx_space space = p->space == PTX_S_NONE ? PTX_S_GENERIC : p->space;
    struct emu_opnd *o = emu_operands(d, in, n_dst, 1 + n_data);
    uint64_t sym_bytes;
    if (returns && emu_decode_dst(d, &p->opnd[0], sig, &o[0]) < 0)
        return -1;
    if (emu_decode_addr(d, in, &p->opnd[n_dst], &o[n_dst], &space, &sym_bytes) < 0)
        return -1;
    for (unsigned k = 0; k < n_data; k++)
        if (emu_decode_src(d, &p->opnd[n_dst + 1 + k], sig, type, &o[n_dst + 1 + k]) < 0)
            return -1;
    if (space != PTX_S_GLOBAL && space != PTX_S_SHARED && space != PTX_S_SHARED_CLUSTER && space != PTX_S_GENERIC)
        return emu_unsupported(d, "atomics exist in global and shared memory only");
    in->aux[EMU_AUX_SPACE] = space;
    in->aux[EMU_AUX_BYTES] = (uint8_t)bytes;
    in->aux[EMU_AUX_VEC] = 1;
    const bool ticket = returns && p->opnd[0].kind != PTX_O_SINK && (op == EMU_ATOM_ADD || op == EMU_ATOM_INC) &&
                        (space == PTX_S_GLOBAL || space == PTX_S_GENERIC);
    const char *why = NULL;
    in->fn = emu_atom_select((enum emu_atom_op)op, type, &why);
    if (!in->fn)
        return emu_unsupported(d, "%s", why);
    in->kind = ticket ? EMU_K_TICKET : EMU_K_MEM;
    in->target = d->n_cache++;
    return 0;
}

/* What an address of this space starts with: nothing, or the CTA's place in the shared memory of its cluster. */
static struct emu_opnd base_row(struct emu_decoder *d, enum ptx_space space)
{
    struct emu_opnd o = {.bank = EMU_BANK_POOL, .lane = EMU_LANE_64, .type = PTX_T_U64};
    if (space == PTX_S_SHARED)
        o = (struct emu_opnd){
            .bank = EMU_BANK_SREG, .lane = EMU_LANE_32, .type = PTX_T_U32, .off = emu_sreg_row(d, EMU_SR_SMEM_BASE)};
    else
        o.off = emu_pool(d, EMU_LANE_64, 0, 0);
    return o;
}

static int decode_cvta(struct emu_decoder *d, struct emu_inst *in)
{
    const struct ptx_inst *p = d->inst;
    static const struct {
        uint8_t space;
        uint64_t window;
    } windows[] = {{PTX_S_GLOBAL, 0},
                   {PTX_S_SHARED, EMU_SHARED_WINDOW},
                   {PTX_S_SHARED_CLUSTER, EMU_SHARED_WINDOW},
                   {PTX_S_LOCAL, EMU_LOCAL_WINDOW},
                   {PTX_S_CONST, EMU_CONST_WINDOW},
                   {PTX_S_PARAM, EMU_PARAM_WINDOW}};
    uint64_t window = UINT64_MAX;
    for (unsigned i = 0; i < sizeof windows / sizeof *windows; i++)
        if (windows[i].space == p->space)
            window = windows[i].window;
    if (window == UINT64_MAX || p->n_opnd < 2)
        return emu_unsupported(d, "cvta needs a state space and two operands");
    /* In a function, parameters are stored in the frame, that is in local memory. */
    if (p->space == PTX_S_PARAM && !d->f->ptx->is_entry)
        window = EMU_LOCAL_WINDOW;
    in->imm = ptx_has(p, PTX_M_TO) ? -window : window;
    struct emu_opnd *o = emu_operands(d, in, 1, 1);
    const struct ptx_opnd *src = &p->opnd[1];
    in->fn = emu_cvta;
    if (src->kind == PTX_O_SYM) { /* cvta.space of a variable's address */
        uint64_t addr, bytes;
        bool frame;
        enum ptx_space space;
        if (emu_decode_sym(d, src->sym, &addr, &frame, &space, &bytes) < 0)
            return -1;
        in->imm += addr + (uint64_t)src->imm;
        if (frame)
            in->fn = emu_mov_frame;
        o[1] = base_row(d, space);
    } else if (emu_decode_src(d, src, 'r', PTX_T_U64, &o[1]) < 0) {
        return -1;
    }
    if (o[1].lane != EMU_LANE_32 && o[1].lane != EMU_LANE_64)
        return emu_unsupported(d, "an address must be a 32- or 64-bit register");
    return emu_decode_dst(d, &p->opnd[0], 'r', &o[0]);
}

/* mov of the address of something in the frame or in shared memory; every other mov is an ordinary operation. */
static int decode_mov(struct emu_decoder *d, struct emu_inst *in)
{
    const struct ptx_inst *p = d->inst;
    if (p->n_opnd != 2 || p->opnd[1].kind != PTX_O_SYM)
        return 1;
    uint64_t addr, bytes;
    bool frame;
    enum ptx_space space;
    if (emu_decode_sym(d, p->opnd[1].sym, &addr, &frame, &space, &bytes) < 0)
        return -1;
    if (!frame && space != PTX_S_SHARED)
        return 1;
    struct emu_opnd *o = emu_operands(d, in, 1, 1);
    in->imm = addr + (uint64_t)p->opnd[1].imm;
    in->fn = frame ? emu_mov_frame : emu_cvta;
    o[1] = base_row(d, space);
    return emu_decode_dst(d, &p->opnd[0], 'r', &o[0]);
}

static int decode_isspacep(struct emu_decoder *d, struct emu_inst *in)
{
    const struct ptx_inst *p = d->inst;
    if (p->n_opnd != 2)
        return emu_unsupported(d, "isspacep takes a predicate and an address");
    struct emu_opnd *o = emu_operands(d, in, 1, 1);
    in->aux[EMU_AUX_SPACE] = p->space == PTX_S_SHARED_CLUSTER ? PTX_S_SHARED : p->space;
    in->aux[EMU_AUX_OP] = p->space == PTX_S_SHARED; /* its own CTA's only */
    in->fn = emu_isspacep;
    if (emu_decode_src(d, &p->opnd[1], 'r', PTX_T_U64, &o[1]) < 0)
        return -1;
    return emu_decode_dst(d, &p->opnd[0], 'p', &o[0]);
}

/* cp.async.ca.shared.global [dst], [src], bytes {, bytes to read | predicate} */
static int decode_cp(struct emu_decoder *d, struct emu_inst *in)
{
    const struct ptx_inst *p = d->inst;
    if (!ptx_has(p, PTX_M_ASYNC))
        return emu_unsupported(d, "this form is not supported");
    if (ptx_has(p, PTX_M_COMMIT_GROUP) || ptx_has(p, PTX_M_WAIT_GROUP) || ptx_has(p, PTX_M_WAIT_ALL)) {
        in->fn = emu_op_nothing;
        return 0;
    }
    if (ptx_has(p,
                PTX_M_MBARRIER)) { /* the copies are done: a plain arrival, or none when its count is pending anyway */
        if (p->n_opnd < 1)
            return emu_unsupported(d, "the mbarrier's address is missing");
        enum ptx_space space = p->space == PTX_S_NONE ? PTX_S_GENERIC : p->space;
        uint64_t bytes;
        struct emu_opnd *o = emu_operands(d, in, 0, 1);
        in->kind = EMU_K_MEM;
        in->fn = emu_mbarrier_arrive;
        in->aux[EMU_AUX_OP] = ptx_has(p, PTX_M_NOINC) ? 0 : 1;
        if (emu_decode_addr(d, in, &p->opnd[0], &o[0], &space, &bytes) < 0)
            return -1;
        in->aux[EMU_AUX_SPACE] = space;
        return 0;
    }
    if (p->n_opnd < 3 || p->opnd[2].kind != PTX_O_IMM)
        return emu_unsupported(d, "this form is not supported");
    int64_t bytes = p->opnd[2].imm;
    if (bytes != 4 && bytes != 8 && bytes != 16)
        return emu_unsupported(d, "cp.async copies 4, 8 or 16 bytes");
    struct emu_opnd *o = emu_operands(d, in, 0, 4);
    enum ptx_space space = PTX_S_SHARED;
    uint64_t unused;
    int32_t to_off, from_off;
    if (emu_decode_addr(d, in, &p->opnd[0], &o[0], &space, &unused) < 0)
        return -1;
    to_off = (int32_t)in->imm;
    space = PTX_S_GLOBAL;
    if (emu_decode_addr(d, in, &p->opnd[1], &o[1], &space, &unused) < 0)
        return -1;
    from_off = (int32_t)in->imm;
    in->imm = (uint64_t)(uint32_t)to_off | (uint64_t)(uint32_t)from_off << 32;
    if (p->n_opnd > 3 && !(p->n_opnd == 4 && ptx_has(p, PTX_M_L2_CACHE_HINT))) {
        if (emu_decode_src(d, &p->opnd[3], 'r', PTX_T_U32, &o[2]) < 0)
            return -1;
        if (o[2].lane == EMU_LANE_PRED) {
            o[3] = o[2];
            o[2] = (struct emu_opnd){0};
        }
    }
    in->aux[EMU_AUX_BYTES] = (uint8_t)bytes;
    in->kind = EMU_K_MEM;
    in->fn = emu_cp_async;
    return 0;
}

static int decode_stack(struct emu_decoder *d, struct emu_inst *in)
{
    const struct ptx_inst *p = d->inst;
    bool restore = p->op == PTX_STACKRESTORE;
    unsigned n_src = p->op == PTX_ALLOCA || restore ? 1 : 0;
    struct emu_opnd *o = emu_operands(d, in, restore ? 0 : 1, n_src);
    if (p->n_opnd < 1 + (p->op == PTX_ALLOCA ? 1u : 0u))
        return emu_unsupported(d, "this form is not supported");
    in->kind = EMU_K_MEM;
    in->fn = p->op == PTX_ALLOCA ? emu_alloca : restore ? emu_stackrestore : emu_stacksave;
    if (!restore && emu_decode_dst(d, &p->opnd[0], 'r', &o[0]) < 0)
        return -1;
    if (n_src && emu_decode_src(d, &p->opnd[restore ? 0 : 1], 'r', PTX_T_U64, &o[restore ? 0 : 1]) < 0)
        return -1;
    if (p->op == PTX_ALLOCA && p->n_opnd > 2 && p->opnd[2].kind == PTX_O_IMM)
        in->imm = (uint64_t)p->opnd[2].imm;
    if (p->op == PTX_ALLOCA)
        d->p->needs_stack = true;
    return 0;
}

int emu_decode_mem(struct emu_decoder *d, struct emu_inst *in)
{
    switch (d->inst->op) {
    case PTX_LD:
    case PTX_LDU:
        return decode_ldst(d, in, false);
    case PTX_ST:
        return decode_ldst(d, in, true);
    case PTX_ATOM:
        return decode_atom(d, in, true);
    case PTX_RED:
        return decode_atom(d, in, false);
    case PTX_CVTA:
        return decode_cvta(d, in);
    case PTX_MOV:
        return decode_mov(d, in);
    case PTX_ISSPACEP:
        return decode_isspacep(d, in);
    case PTX_CP:
        return decode_cp(d, in);
    case PTX_ALLOCA:
    case PTX_STACKSAVE:
    case PTX_STACKRESTORE:
        return decode_stack(d, in);
    case PTX_PREFETCH:
    case PTX_PREFETCHU:
    case PTX_DISCARD:
    case PTX_APPLYPRIORITY:
        in->fn = emu_op_nothing;
        return 0;
    }
    return 1;
}
