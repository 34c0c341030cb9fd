/*
 * The contract between the two halves of weir: what the machine knows about a kernel.
 *
 * The front end (ptx/, emu/, cudart/) turns a program into these tables and into per-warp streams (stream.h); the
 * machine (sm/ l1/ noc/ l2/ dram/) turns both into time. The machine never sees PTX. A live program, a recording and
 * an imported trace of another tool are the same thing to it.
 *
 * Everything here is plain data, little endian, and is stored in a .wt file as docs/trace-format.md says.
 */
#ifndef WEIR_TRACE_KERNEL_H
#define WEIR_TRACE_KERNEL_H

#include "trace/code.h"

#include <stdbool.h>
#include <stdint.h>

#define TRACE_WARP_SIZE 32

/*
 * What a static instruction asks of the SM. Each class has a latency and an initiation interval in the machine's
 * configuration (key `sm.lat.<name>`), so the list follows what GPUs time differently.
 * X(enumerator, config name, what it is)
 */
#define TRACE_CLASSES(X)                                                                                               \
    X(NOP, "nop", "no operation: labels, pragmas")                                                                     \
    X(MOVE, "move", "register moves, selects, predicate logic, address-space conversions")                             \
    X(INT_ADD, "int_add", "integer add, subtract, logic, shifts, compares, bit field operations")                      \
    X(INT_MINMAX, "int_minmax", "integer minimum, maximum, absolute value")                                            \
    X(INT_MUL, "int_mul", "integer multiply")                                                                          \
    X(INT_MAD, "int_mad", "integer multiply-add, dot products")                                                        \
    X(INT_DIV, "int_div", "integer divide and remainder")                                                              \
    X(FP_ADD, "fp_add", "single and half precision add, subtract, compare")                                            \
    X(FP_MINMAX, "fp_minmax", "single and half precision minimum, maximum, absolute value")                            \
    X(FP_MUL, "fp_mul", "single and half precision multiply")                                                          \
    X(FP_MAD, "fp_mad", "single and half precision fused multiply-add")                                                \
    X(FP_DIV, "fp_div", "single precision divide, IEEE reciprocal and square root")                                    \
    X(DP_ADD, "dp_add", "double precision add, subtract, compare")                                                     \
    X(DP_MINMAX, "dp_minmax", "double precision minimum, maximum, absolute value")                                     \
    X(DP_MUL, "dp_mul", "double precision multiply")                                                                   \
    X(DP_MAD, "dp_mad", "double precision fused multiply-add")                                                         \
    X(DP_DIV, "dp_div", "double precision divide, reciprocal and square root")                                         \
    X(SFU, "sfu", "special functions: approximate sin, cos, ex2, lg2, rcp, rsqrt, sqrt, tanh")                         \
    X(CVT, "cvt", "conversions between types")                                                                         \
    X(TENSOR, "tensor", "matrix multiply-accumulate of a warp (mma, wmma.mma)")                                        \
    X(WARP, "warp", "exchange between lanes: shuffle, vote, match, warp barrier")                                      \
    X(LOAD, "load", "loads from any space")                                                                            \
    X(STORE, "store", "stores to any space")                                                                           \
    X(ATOM, "atom", "atomics that return the old value")                                                               \
    X(RED, "red", "reductions: atomics with no result")                                                                \
    X(TEX, "tex", "texture fetches")                                                                                   \
    X(SURF, "surf", "surface loads and stores")                                                                        \
    X(BARRIER, "barrier", "CTA barriers, with or without reduction")                                                   \
    X(FENCE, "fence", "memory fences")                                                                                 \
    X(BRANCH, "branch", "branches, direct and indexed")                                                                \
    X(CALL, "call", "calls")                                                                                           \
    X(RET, "ret", "returns from functions")                                                                            \
    X(EXIT, "exit", "end of a thread, trap")                                                                           \
    X(SLEEP, "sleep", "nanosleep")                                                                                     \
    X(ASYNC, "async", "bulk and tensor copies, by the tensor memory accelerator")                                      \
    X(MBARRIER, "mbarrier", "mbarriers, and the barrier of a cluster")                                                 \
    X(WGMMA, "wgmma", "products of a warpgroup, and waits for them")

enum trace_class {
#define X(name, cfg, doc) TRACE_##name,
    TRACE_CLASSES(X)
#undef X
        TRACE_CLASS_COUNT
};

/* The address space an access goes to. Generic accesses are resolved by the emulator: see stream.h. */
enum trace_space {
    TRACE_SP_NONE,
    TRACE_SP_GLOBAL,
    TRACE_SP_SHARED,
    TRACE_SP_LOCAL,
    TRACE_SP_CONST,   /* .const variables */
    TRACE_SP_PARAM,   /* kernel parameters: a constant bank; the machine charges no memory traffic for it */
    TRACE_SP_TEX,     /* through the texture path; addresses are of global memory */
    TRACE_SP_GENERIC, /* only in the static table: each execution says which space it went to */
    TRACE_SP_ASYNC,   /* no addresses: what an ASYNC, MBARRIER or BARRIER instruction did, see struct stream_mem */
    TRACE_SP_COUNT
};

/* trace_inst.barrier of NOP: griddepcontrol, which lets grids that depend on this one begin, or waits for the one before. */
enum trace_griddep { TRACE_GRIDDEP_NONE, TRACE_GRIDDEP_LAUNCH, TRACE_GRIDDEP_WAIT };
/*
 * trace_inst.barrier of FENCE: 0: it waits for all accesses of the warp; n + 1: for its bulk stores but the last n, until
 * the TMA has sent them.
 */
enum { TRACE_FENCE_STORES_MOST = 8 };
/* trace_inst.barrier of MBARRIER: what it does. */
enum trace_mbarrier { TRACE_MBARRIER_OTHER, TRACE_MBARRIER_ARRIVE, TRACE_MBARRIER_WAIT };
/*
 * A WGMMA: width = columns / 8 of a product, with these flags in mem_flags; 0: barrier says how many groups of products
 * may be pending behind it, or that it closes a group or is a fence.
 */
enum { TRACE_WGMMA_A_SHARED = 1, TRACE_WGMMA_SPARSE = 2 };
enum { TRACE_WGMMA_COMMIT = 0xfe, TRACE_WGMMA_FENCE = 0xff };

/* Cache operator and memory-order facts of an access. */
enum trace_mem_flags {
    TRACE_MEM_ADDR_FROM_LOAD = 1 << 0, /* the address depends on loaded data (CAPS excludes such loads) */
    TRACE_MEM_VOLATILE = 1 << 1,       /* .volatile, .relaxed and stronger: not served by the L1 */
    TRACE_MEM_NC = 1 << 2,             /* ld.global.nc: read-only data path */
    TRACE_MEM_CG = 1 << 3,             /* .cg: cache at the L2 only */
    TRACE_MEM_CS = 1 << 4,             /* .cs: likely streaming */
    TRACE_MEM_WT = 1 << 5,             /* .wt/.cv: write through, do not cache */
    TRACE_MEM_ASYNC = 1 << 6,          /* cp.async: writes shared memory, wakes no register */
    TRACE_MEM_PLANE = 1 << 7, /* a texture of more than one dimension: its lanes go through the sampling units */
};

/* One static instruction. 32 bytes; `pc` everywhere means its index in trace_kernel.inst. */
struct trace_inst {
    uint8_t cls;       /* enum trace_class */
    uint8_t space;     /* enum trace_space; NONE when it accesses no memory */
    uint8_t width;     /* bytes one lane accesses, vector included (1..32); 0 without access */
    uint8_t mem_flags; /* enum trace_mem_flags */
    uint8_t n_dst, n_src;
    uint16_t loop;      /* innermost natural loop: index into trace_kernel.loop + 1; 0 = in none */
    uint32_t regs_at;   /* first of n_dst + n_src register numbers in trace_kernel.reg, destinations first */
    uint32_t mem_index; /* which memory instruction of the kernel this is, counted from 0; UINT32_MAX = none */
    uint32_t ptx_line;  /* line in the PTX text; 0 = unknown */
    uint32_t src_line;  /* CUDA line; 0 = unknown */
    uint16_t src_file;  /* index into trace_kernel.file */
    uint16_t barrier;   /* BARRIER: barrier number, where space is NONE; else a record has it (stream.h: ASYNC);
                           MBARRIER: enum trace_mbarrier; NOP: enum trace_griddep; WGMMA, FENCE: see above */
    uint32_t opcode_at; /* the instruction's text ("ld.global.f32"), an offset into trace_kernel.str; the string behind
                           it is its address where that begins with '[' (trace_inst_address) */
};

struct trace_loop {
    uint16_t parent; /* index + 1; 0 = outermost */
    uint16_t depth;  /* 1 = outermost */
    uint32_t header_pc;
};

struct trace_kernel {
    const char *name; /* mangled */
    uint32_t n_inst, n_reg_entries, n_loop, n_file, n_str, n_mem;
    const struct trace_inst *inst;
    const uint16_t *reg; /* pooled register numbers; each < n_scoreboard */
    const struct trace_loop *loop;
    const char *const *file;  /* CUDA source names */
    const char *str;          /* n_str bytes of NUL-terminated strings */
    uint32_t n_scoreboard;    /* register numbers in use: general registers, then predicates */
    uint32_t regs_per_thread; /* 32-bit registers a thread occupies, as for CUDA's occupancy calculator */
    uint32_t smem_static_bytes;
    uint32_t local_bytes_per_thread;
    uint32_t max_threads_per_cta;  /* .maxntid product; 0 = no bound */
    bool lets_begin;               /* it has a TRACE_GRIDDEP_LAUNCH; only while the program runs, not in a recording */
    const struct trace_code *code; /* as an assembler would order it; NULL = unknown */
};

/*
 * What an access' address is computed from: "#2+64" is 64 bytes behind what parameter 2 of the kernel points to and the
 * index, "name+0" a variable. NULL where it is not known.
 */
const char *trace_inst_address(const struct trace_kernel *, const struct trace_inst *);

enum { TRACE_CLUSTER_MAX = 16 };
/* One launch of a kernel. */
struct trace_launch {
    uint32_t kernel; /* index among the kernels of the program, in order of first launch */
    uint32_t grid[3], block[3];
    uint32_t smem_dynamic_bytes;
    uint32_t stream; /* 0 = default stream */
    uint8_t cooperative;
    uint8_t cluster_ctas; /* CTAs of a cluster, which are numbered one after the other; 0 and 1: no clusters */
};

static inline uint32_t trace_threads_per_cta(const struct trace_launch *l)
{
    return l->block[0] * l->block[1] * l->block[2];
}
static inline uint32_t trace_warps_per_cta(const struct trace_launch *l)
{
    return (trace_threads_per_cta(l) + TRACE_WARP_SIZE - 1) / TRACE_WARP_SIZE;
}
static inline uint64_t trace_ctas(const struct trace_launch *l)
{
    return (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
}

/* What a program does besides launching: what the machine may want to know of the host's copies. */
enum trace_event_kind {
    TRACE_EV_LAUNCH,   /* index = launch number */
    TRACE_EV_COPY_H2D, /* address, bytes: of the device side */
    TRACE_EV_COPY_D2H,
    TRACE_EV_COPY_D2D, /* address = destination, address2 = source */
    TRACE_EV_MEMSET,
    TRACE_EV_WAIT, /* the host waits for what it depends on */
    TRACE_EV_COUNT
};
/*
 * Events are numbered from 0. An event begins when those that it depends on are done. A launch that is `early` depends
 * on the launch `primary`, too, but may begin once all CTAs of that one have executed griddepcontrol.launch_dependents
 * or have ended; it is not done before its primary is.
 */
struct trace_event {
    uint8_t kind;
    bool ordered;     /* it depends on the events `after`; else on all before it */
    bool floor;       /* all later events depend on it; only while the program runs, not in a recording */
    int8_t priority;  /* of a launch, as CUDA counts: the lowest number goes first */
    bool early;       /* `primary` is valid; it is among `after`, or the event before where there is no such list */
    bool lets_begin;  /* an early launch may follow; only while the program runs */
    uint32_t n_after; /* at most TRACE_AFTER_MAX */
    uint32_t stream;
    uint32_t index;
    uint64_t address, address2, bytes;
    uint64_t primary;
    const uint64_t *after;
};
enum { TRACE_AFTER_MAX = 65536 };

/* Whether a GPU could hold what is copied: virtual addresses have at most 57 bits, and no memory has a terabyte. */
static inline bool trace_event_is_possible(const struct trace_event *ev)
{
    const uint64_t end = 1ull << 57, most = 1ull << 40;
    return ev->bytes <= most && ev->address <= end - ev->bytes && ev->address2 <= end - ev->bytes;
}

#endif
