/*
 * Between the files that execute memory instructions.
 *
 * A memory instruction is decoded as: src[0] the address row (4- or 8-byte lanes) and imm the offset to add; a load's
 * results in dst[], a store's or atomic's data in src[1..]; target the index of its range cache; aux as below.
 */
#ifndef WEIR_EMU_EXEC_MEM_H
#define WEIR_EMU_EXEC_MEM_H

#include "emu/access.h"
#include "emu/state.h"

enum {                /* emu_inst.aux of loads, stores and atomics */
       EMU_AUX_SPACE, /* enum ptx_space, GENERIC when the instruction names none */
       EMU_AUX_BYTES, /* of one element */
       EMU_AUX_VEC,   /* elements */
       EMU_AUX_FLAGS,
       EMU_AUX_OP,   /* atomics: enum emu_atom_op */
       EMU_AUX_TYPE, /* atomics: enum ptx_type */
};
enum {
    EMU_AUXF_SIGNED = 1, /* sign-extend what is loaded */
    EMU_AUXF_FRAME = 2,  /* the address is relative to the running frame */
};

/* What a load or store handler is chosen by. */
struct emu_mem_form {
    bool store;
    uint8_t space, bytes, vec;
    bool plain; /* every register's lane is exactly as wide as the element: no extension */
};
emu_op_fn *emu_ldst_select(const struct emu_mem_form *); /* the widest variant this machine runs */
emu_op_fn *emu_ldst_select_base(const struct emu_mem_form *);
emu_op_fn *emu_ldst_select_v3(const struct emu_mem_form *);
emu_op_fn *emu_ldst_select_v4(const struct emu_mem_form *);

/*
 * The careful way, for what the fast paths do not recognize: checks each lane, records the access, and replaces addr[]
 * by host addresses (inactive lanes: the first active one's). Returns false after raising a fault.
 */
bool emu_resolve_lanes(struct emu_warp_run *, const struct emu_inst *, uint32_t mask, enum ptx_space,
                       uint64_t addr[EMU_LANES], uint32_t bytes, uint32_t align, bool record);

/* Refills the instruction's range cache from the allocation that holds addr. False when there is none. */
bool emu_range_refill(struct emu_warp_run *, const struct emu_inst *, uint64_t addr);

/* Host address of one lane's `bytes` at a generic address, or NULL (nothing raised). For builtins. */
void *emu_generic_ptr(struct emu_warp_run *, unsigned lane, uint64_t addr, uint64_t bytes);
/* How many bytes are accessible from a generic address on, at most `max`; *at = host address. For strings. */
uint64_t emu_generic_extent(struct emu_warp_run *, unsigned lane, uint64_t addr, uint64_t max, void **at);

/* exec_atom.c */
enum emu_atom_op {
    EMU_ATOM_ADD,
    EMU_ATOM_MIN,
    EMU_ATOM_MAX,
    EMU_ATOM_INC,
    EMU_ATOM_DEC,
    EMU_ATOM_EXCH,
    EMU_ATOM_CAS,
    EMU_ATOM_AND,
    EMU_ATOM_OR,
    EMU_ATOM_XOR,
};
emu_op_fn *emu_atom_select(enum emu_atom_op, enum ptx_type, const char **why);
/* The operation on one element in memory, without a result; NULL: it does not exist. */
typedef void emu_apply_fn(void *at, const void *value);
emu_op_fn emu_atom_vector;
emu_apply_fn *emu_atom_apply(enum emu_atom_op, enum ptx_type);

/* exec_mem.c: the rest */
emu_op_fn emu_ld_param, emu_ld_param_at, emu_ld_frame, emu_st_frame, emu_mov_frame, emu_cvta, emu_isspacep,
    emu_cp_async, emu_alloca, emu_stacksave, emu_stackrestore;

/* exec_mbarrier.c */
emu_op_fn emu_mbarrier_init, emu_mbarrier_inval, emu_mbarrier_arrive, emu_mbarrier_tx, emu_mbarrier_test,
    emu_mbarrier_pending;
enum { /* aux OP of an arrival; COUNTED: cp.async.mbarrier.arrive, which raised the count itself */
       EMU_ARRIVE,
       EMU_ARRIVE_COUNTED,
       EMU_ARRIVE_DROP,
       EMU_ARRIVE_EXPECT_TX,
};
/* Adds bytes to the transaction count of the object at this host address; a copy's own bytes are negative. `events`: for
 * the stream. False: a fault was raised. */
bool emu_mbarrier_add_tx(struct emu_warp *, const struct emu_inst *, int lane, void *object, int64_t bytes,
                         uint32_t events);

/* Completed phases of the object at this host address, modulo 8. */
uint32_t emu_mbarrier_phase(const void *object);

/* cluster.c */
emu_op_fn emu_mapa, emu_getctarank;
/* exec_bulk.c: copies of the asynchronous proxy */
emu_op_fn emu_bulk_copy, emu_tensor_copy, emu_st_async, emu_tensormap_replace, emu_tensormap_copy;

/* One lane of an integer operand, zero-extended. */
static inline uint64_t emu_lane_value(const struct emu_warp *w, const struct emu_opnd *o, int lane)
{
    uint64_t v = 0;
    memcpy(&v, (const char *)emu_src(w, o) + lane * o->lane, o->lane < 8 ? o->lane : 8);
    return v;
}
static inline void emu_set_lane(struct emu_warp *w, const struct emu_opnd *o, int lane, uint64_t v)
{
    if (o->lane)
        memcpy((char *)emu_dst(w, o) + lane * o->lane, &v, o->lane < 8 ? o->lane : 8);
}
/* The address a memory instruction uses in this lane. */
static inline uint64_t emu_lane_address(const struct emu_warp *w, const struct emu_inst *in, int lane)
{
    return emu_lane_value(w, &in->src[0], lane) + in->imm;
}

#endif
