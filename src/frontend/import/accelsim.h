/*
 * Reads one kernel trace of Accel-Sim ("kernel-1.traceg"), which its NVBit tracer wrote on a real GPU, grouped by
 * thread block. The trace is text with one line per executed warp instruction. Versions 1 to 5 of the tracer are
 * supported, with or without line numbers.
 *
 *     -kernel name = _Z6vecaddPKfS0_Pfi
 *     -grid dim = (2,1,1)
 *     -block dim = (64,1,1)
 *     -shmem = 0
 *     -nregs = 16
 *     -accelsim tracer version = 3
 *     #traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [addrcompress] [mem_addresses]
 *     #BEGIN_TB
 *     thread block = 0,0,0
 *     warp = 0
 *     insts = 2
 *     0070 ffffffff 1 R2 LDG.E.SYS 1 R2 4 1 0x7f8c80000000 4
 *     00b0 ffffffff 0 EXIT 0 0
 *     #END_TB
 *
 * The mask contains the lanes whose guard holds. Addresses are a list (0), a first address and a stride (1), or a first
 * address and differences (2).
 */
#ifndef WEIR_IMPORT_ACCELSIM_H
#define WEIR_IMPORT_ACCELSIM_H

#include "import/lines.h"
#include "trace/kernel.h"

struct accelsim_kernel {
    const char *name; /* mangled */
    uint32_t grid[3], block[3];
    uint32_t shared_bytes, registers, binary_version, tracer_version;
    uint64_t stream;
    uint64_t shared_base, local_base; /* of the windows in generic addresses; 0 = not stated */
    bool line_numbers;
};

enum { ACCELSIM_DSTS = 8, ACCELSIM_SRCS = 16 };

struct accelsim_inst {
    uint32_t line; /* of the CUDA source; 0 = not stated */
    uint32_t pc;   /* byte offset in the kernel */
    uint32_t mask; /* lanes that execute it; may be 0 */
    unsigned n_dst, n_src;
    uint16_t dst[ACCELSIM_DSTS], src[ACCELSIM_SRCS]; /* scoreboard numbers; ACCELSIM_NO_REGISTER for RZ, PT, ... */
    const char *opcode;                              /* with all modifiers: "LDG.E.64" */
    bool addresses;                                  /* addr holds the addresses of the lanes in `mask` */
    uint64_t addr[TRACE_WARP_SIZE];
};

/* General registers come first, then uniform ones and predicates, which only some tracers report. */
enum { ACCELSIM_UNIFORM = 256, ACCELSIM_PREDICATE = 320, ACCELSIM_REGISTERS = 336, ACCELSIM_NO_REGISTER = 0xffff };

/* Callbacks, in the order of the trace. One that returns non-zero has filled *e and ends the reading. */
struct accelsim_visitor {
    void *ctx;
    int (*kernel)(void *ctx, const struct accelsim_kernel *, struct err *e);
    int (*cta)(void *ctx, uint64_t cta, struct err *e); /* linear index in the grid */
    int (*warp)(void *ctx, uint32_t warp, struct err *e);
    int (*inst)(void *ctx, const struct accelsim_inst *, struct err *e);
    int (*cta_end)(void *ctx, struct err *e);
};

/* Reads a whole trace. -1 and *e, with file and line, if the text is malformed or a callback returns non-zero. */
int accelsim_read(struct lines *, const struct accelsim_visitor *, struct err *e);

#endif
