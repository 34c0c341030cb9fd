/* Between decode_async.c and exec_bulk.c: a decoded instruction of the asynchronous proxy. */
#ifndef WEIR_EMU_BULK_H
#define WEIR_EMU_BULK_H

#include "emu/exec_mem.h"
#include "emu/tensormap.h"

struct emu_bulk_addr {
    struct emu_opnd row; /* lane NONE: the instruction has no such address */
    uint64_t offset;
};

/* emu_inst.imm of such an instruction is the address of one of these. */
struct emu_bulk {
    bool to_shared;   /* else from shared memory to global */
    bool from_shared; /* to another CTA's */
    bool prefetch;    /* only to the L2 */
    uint8_t op, type; /* reductions: enum emu_atom_op, enum ptx_type (of the map for tensors); type NONE = a copy */
    uint8_t to_space; /* enum ptx_space of a destination in shared memory */
    uint8_t rank;     /* tensors: how many coordinates; 0 = no tensor */
    bool im2col;
    uint8_t n_value, value_bytes;                            /* st.async, red.async: elements of the value */
    uint8_t field;                                           /* tensormap.replace: enum tmap_field */
    struct emu_bulk_addr to, from, mbarrier;                 /* of a tensor's global side: the map */
    struct emu_opnd size, coord[TMAP_RANK], filter[3], ctas; /* ctas: mask of a multicast */
    struct emu_opnd value[4];
};

#endif
