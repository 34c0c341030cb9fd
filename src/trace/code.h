/*
 * A kernel's code as an assembler would order it, for machines that issue it that way (sm.code = scheduled).
 *
 * The stream of a warp always names PTX instructions. A region is a straight piece of PTX that is executed as a whole
 * (a basic block, or a part of one between barriers and calls); its operations are what is issued for one execution of
 * it, in order. An operation takes its active mask from the PTX instruction it comes from, and with ACCESS the
 * addresses of that instruction's access. A PTX instruction may have no operation (it was folded into another), one,
 * or several (a division is a sequence).
 *
 * src/frontend/code/ makes this table from PTX; docs/code.md says how. A kernel without it, such as the import of
 * another tool's trace, is issued in the order of its own table.
 */
#ifndef WEIR_TRACE_CODE_H
#define WEIR_TRACE_CODE_H

#include <stdint.h>

enum {
    TRACE_REGION_PCS = 1024,     /* PTX instructions in a region, at most */
    TRACE_REGION_ACCESSES = 128, /* of them: with address records */
    TRACE_REGION_COPIES = 8,     /* iterations of an unrolled loop that are issued together */
};

enum trace_op_flags {
    TRACE_OP_ACCESS = 1 << 0,   /* makes the memory access of its PTX instruction */
    TRACE_OP_GUARDED = 1 << 1,  /* its last source is the predicate that decides which lanes execute it */
    TRACE_OP_CONVERGE = 1 << 2, /* lanes that have parted meet here (NOP) */
};

struct trace_op {
    uint32_t pc;      /* the PTX instruction it comes from */
    uint32_t regs_at; /* first of n_dst + n_src register numbers in trace_code.reg, destinations first */
    uint8_t cls;      /* enum trace_class */
    uint8_t flags;    /* enum trace_op_flags */
    uint8_t n_dst, n_src;
    uint8_t width; /* ACCESS: bytes of one lane; more than the PTX instruction's where its neighbors were joined */
    uint8_t copy;  /* of the region's iterations, which one: 0 unless the loop was unrolled */
};

struct trace_region {
    uint32_t pc, n_pc; /* PTX instructions [pc, pc + n_pc) */
    uint32_t op, n_op; /* operations of one execution */
    /*
     * The body of a loop that the assembler unrolls: `copies` executions that follow each other under one mask issue
     * the operations of `all` instead, and half of them those of `half`. copies is even; 0 = not unrolled.
     */
    uint32_t copies;
    struct {
        uint32_t op, n_op;
    } all, half;
};

struct trace_code {
    uint32_t n_op, n_reg_entries, n_region;
    uint32_t n_scoreboard; /* register numbers in use */
    const struct trace_op *op;
    const uint16_t *reg;
    const struct trace_region *region; /* in order of pc; together they cover the kernel */
};

#endif
