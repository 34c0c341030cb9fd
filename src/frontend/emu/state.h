/*
 * The emulator's own state: device, loaded modules, decoded programs, and a launch while it runs.
 *
 * Who lives where: `struct emu` is the device. An `emu_module` is one linked unit of PTX modules with its variables. An
 * `emu_prog` is one kernel decoded together with all functions it may call. An `emu_grid` is one launch, an `emu_cta`
 * one CTA of it, an `emu_warp_run` one warp. A warp holds one or more fibers: groups of its lanes with a SIMT stack
 * each. Nearly always there is one fiber; lanes part into several only when one path waits for another (see simt.c).
 */
#ifndef WEIR_EMU_STATE_H
#define WEIR_EMU_STATE_H

#include "emu/emu.h"
#include "emu/tex.h"
#include "emu/warp.h"

#include "base/mem.h"

#include <stdarg.h>

/* Yields without a change of the stack before a warp is split into fibers: the first time, and after a first split. */
enum { EMU_SPLIT_FIRST = 1024, EMU_SPLIT_AGAIN = 64, EMU_POLL_WEIGHT = 16 };

#define EMU_NO_PC UINT32_MAX /* reconvergence "at the function's end" */

/* ---- memory (mem.c) ---- */
struct emu_range {
    uint64_t lo, hi; /* [lo, hi) is inside one live allocation; lo == hi: nothing known */
};
struct emu_heap;
struct emu_heap *emu_heap_new(uint64_t bytes, struct err *);
void emu_heap_free(struct emu_heap *);
/* As emu_mem_alloc, with a name (kept, not copied; NULL = none). */
int emu_heap_alloc(struct emu_heap *, uint64_t bytes, enum emu_mem_kind, const char *name, uint64_t *addr);
int emu_heap_release(struct emu_heap *, uint64_t addr, enum emu_mem_kind);
const struct emu_alloc *emu_heap_find(const struct emu_heap *, uint64_t addr, uint64_t bytes);

/* ---- modules (module.c) ---- */
struct emu_var_place {
    uint64_t addr; /* GLOBAL: device address; CONST: offset in the bank */
    uint64_t bytes;
    const struct ptx_var *var; /* the definition; NULL = unresolved */
    uint16_t module;           /* of the definition */
};
struct emu_def { /* a function with a body */
    struct ptx_module *module;
    struct ptx_func *func;
    uint32_t module_index;
};
enum { EMU_FN_UNRESOLVED = -1, EMU_FN_BUILTIN = -2 };
struct emu_fn_ref {
    int32_t def;     /* index into emu_module.def, or one of the above */
    int32_t builtin; /* index of the builtin, see syscall.c */
};
struct emu_module {
    struct emu *emu;
    struct emu_module *next;
    struct ptx_module **ptx;
    unsigned n_ptx;
    struct emu_var_place **var; /* [module][variable] */
    struct emu_fn_ref **fn;     /* [module][function] */
    VEC(struct emu_def) def;
    uint32_t func_base; /* function addresses: EMU_FUNC_WINDOW + 16 * (func_base + def) */
    uint64_t const_addr, const_bytes;
    VEC(uint64_t) allocs; /* addresses to release at unload */
    VEC(struct emu_kernel *) kernel;
};

struct emu_kernel {
    struct emu_module *unit;
    uint32_t def;
    struct emu_prog *prog;      /* NULL until first needed */
    struct trace_kernel *trace; /* NULL until first needed */
    uint32_t trace_index;       /* order of first launch */
    bool traced;
};

static inline struct ptx_func *emu_kernel_func(const struct emu_kernel *k)
{
    return k->unit->def.p[k->def].func;
}

/* ---- decoded programs (program.c places functions and variables, decode.c turns instructions) ---- */
struct emu_func {
    const struct ptx_module *module;
    uint32_t module_index;
    const struct ptx_func *ptx;
    uint32_t def;
    uint32_t base_pc;
    uint32_t reg_bytes, n_pred;
    uint32_t *var_off;       /* per ptx_func.var: LOCAL and PARAM from the frame's base, SHARED from shared byte 0 */
    uint32_t param_off;      /* formal parameters in the frame (functions only) */
    uint32_t variadic_bytes; /* room for arguments beyond the named ones; 0 = it takes none */
    uint32_t ret_off;        /* returned values in the frame */
    uint32_t depot_bytes;    /* .local variables */
    uint32_t frame_bytes;    /* all of the frame's local memory */
    struct emu_frame *spare; /* frames to reuse */
};

/* One side of a call's argument or result. */
struct emu_arg {
    uint8_t in_frame; /* 1: bytes at `off` of the caller's frame; 0: operand */
    uint32_t off, bytes;
    struct emu_opnd opnd;
};
struct emu_call {    /* emu_inst.target of a call names one of these */
    int32_t func;    /* index into emu_prog.func; -1 = indirect or builtin */
    int32_t builtin; /* -1 = none */
    uint32_t n_ret, n_arg;
    struct emu_arg *ret, *arg;
};

struct emu_sreg_use {
    uint16_t sreg; /* enum ptx_sreg; PTX_SR_COUNT + n = %envreg n */
    uint32_t off;
};

struct emu_prog {
    struct arena *arena;
    struct emu_kernel *kernel;
    uint32_t n_func, n_inst;
    struct emu_func *func;
    uint32_t *func_of_def; /* per unit def: index into func, or UINT32_MAX */
    bool indirect, recursive;

    uint32_t smem_static; /* bytes; dynamic shared memory starts here */
    uint32_t *shared_off; /* per module-level variable of all modules, flat (see shared_base): offset, or UINT32_MAX */
    uint32_t *shared_base;
    uint32_t depot_bytes; /* .local bytes along the deepest chain of calls */
    uint32_t stack_bytes; /* local memory per thread this kernel needs with no recursion */
    bool needs_stack;     /* recursion or indirect calls: the stack limit counts */
    bool raw_shared;      /* a shared address is used as a plain constant: only right for rank 0 of a cluster */
    bool asks_explicit;   /* reads %is_explicit_cluster, which is decoded as the kernel's own directive says */

    bool decoded;
    struct emu_inst *inst;
    struct emu_call *call;
    uint32_t n_call;
    char *pool;
    uint32_t pool_bytes;
    struct emu_range *cache; /* last allocation of each memory instruction */
    uint32_t n_cache;
    struct emu_sreg_use *sreg;
    uint32_t n_sreg, sreg_bytes;
    uint32_t n_table;
    struct emu_fault *refused;             /* why it cannot run, once known */
    uint32_t **table;                      /* brx.idx targets: table[k][0] = count, then pcs */
    void *watched;                         /* the observer's, see watch.h */
    VEC(const struct emu_inst *) remarked; /* by emu_remark */
};

int emu_link_kernel(struct emu_kernel *, struct err *); /* sets k->prog */
int emu_decode_kernel(struct emu_kernel *, struct emu_fault *);
void emu_prog_free(struct emu_prog *);
/* Allocates from the program's arena. */
void *emu_prog_alloc(struct emu_prog *, size_t bytes);

/* What the fetch loop does with an instruction; the low bits of emu_inst.kind. */
enum emu_kind {
    EMU_K_OP,    /* call fn; cannot stop the warp */
    EMU_K_MEM,   /* call fn; may raise a fault */
    EMU_K_SYNC,  /* fn needs other lanes: wait until they are here (imm of aux: see simt.c) */
    EMU_K_CLOCK, /* reads a clock: set its rows, then call fn */
    EMU_K_BRA,
    EMU_K_BRX,
    EMU_K_CALL,
    EMU_K_RET,
    EMU_K_EXIT,
    EMU_K_BAR,
    EMU_K_TRAP,
    EMU_K_YIELD,   /* nanosleep: let others run */
    EMU_K_WAIT,    /* mbarrier.try_wait: suspends until the phase has completed, then call fn */
    EMU_K_CLUSTER, /* barrier.cluster */
    EMU_K_GROUP,   /* wgmma.wait_group: the warps of a warpgroup meet */
    EMU_K_TICKET,  /* an atomic that may take a piece of work: see grid.c */
    EMU_K_MASK = 0x1f,
    EMU_K_GUARD = 0x20, /* has a guard */
    EMU_K_JOIN = 0x40,  /* lanes may wait for each other here */
    EMU_K_POLL = 0x80,  /* backward branch of a loop that only looks at memory */
};
/* target2 of an EMU_K_SYNC: which lanes it needs. */
enum { EMU_SYNC_ALL, EMU_SYNC_MEMBERS }; /* all live lanes; those of the last source operand */
/* aux[0] and aux[1] of an EMU_K_BAR; src: barrier, thread count (lane NONE = absent), predicate */
enum { EMU_BAR_SYNC, EMU_BAR_ARRIVE, EMU_BAR_RED };
enum { EMU_BAR_AND, EMU_BAR_OR, EMU_BAR_POPC };
/* aux[0] of an EMU_K_CLUSTER */
enum { EMU_CLUSTER_ARRIVE, EMU_CLUSTER_WAIT };
emu_op_fn emu_op_nothing;

/* ---- a running launch ---- */
struct emu_frame {
    struct emu_frame *caller, *next_spare;
    struct emu_func *func;
    const struct emu_call *site;    /* NULL for the entry */
    uint32_t refs;                  /* fibers whose stack names it */
    uint32_t local_base, local_top; /* the frame in each thread's local memory; alloca raises top */
    char *reg;
    uint32_t *pred;
};

struct emu_path {     /* one entry of a SIMT stack; the last one runs */
    uint32_t pc, rpc; /* where to continue; where to stop and wait (EMU_NO_PC: the function's end) */
    uint32_t mask;
    struct emu_frame *frame;
};

enum emu_fiber_state { EMU_READY, EMU_WAIT_SYNC, EMU_WAIT_BAR, EMU_WAIT_MBARRIER, EMU_WAIT_CLUSTER, EMU_WAIT_GROUP };

/* What a suspended mbarrier.try_wait waits for. */
struct emu_mbarrier_wait {
    const void *object; /* host address */
    uint64_t token;
    uint8_t parity, lane;
};
struct emu_fiber {
    struct emu_fiber *next;
    uint32_t n, cap;
    struct emu_path *path;
    uint8_t state;
    uint8_t bar;
    uint32_t mask;               /* waiting: lanes that wait (the active ones after the guard) */
    uint32_t members;            /* WAIT_SYNC: lanes it needs */
    const struct emu_inst *wait; /* WAIT_BAR, WAIT_MBARRIER, WAIT_CLUSTER: the instruction */
    struct emu_mbarrier_wait mbarrier;
    bool timed_out; /* the suspended try_wait is to give up and answer false */
};

enum emu_stop { EMU_STOP_DONE, EMU_STOP_BLOCKED, EMU_STOP_SLICE, EMU_STOP_POLL, EMU_STOP_FAULT };

struct emu_warp_run {
    struct emu_warp w; /* first: handlers get a pointer to it */
    uint8_t stop;      /* a handler raised a fault */
    uint8_t done;
    const struct emu_inst *code;
    struct emu_range *cache;
    struct stream_enc *enc; /* NULL: not recording */
    struct stream_enc *owned_enc;
    struct emu_frame *frame;
    char *local; /* lane l's local memory: local + l * local_stride */
    uint32_t local_stride;
    uint32_t n_active; /* popcount of w.active */
    uint64_t warp_insts, thread_insts;
    struct emu_fiber *fiber; /* the running one */
    struct emu_fiber *fibers, *spare_fibers;
    uint32_t polls; /* polling branches since the last yield */
    uint32_t spins; /* yields since the stack last changed */
    struct emu_prog *prog;
    struct emu_grid *grid;
    uint32_t bar_partial[16]; /* lanes that arrived at a barrier apart from their warp */
    uint32_t cluster_phase;   /* phase of the cluster's barrier in which the lanes below arrived */
    uint32_t cluster_arrived;
    uint32_t group_waits; /* wgmma.wait_group executed */
    bool wants_ticket;    /* stopped in front of an EMU_K_TICKET */
    bool has_turn;        /* may execute the next one */
};

struct emu_barrier {
    uint32_t arrived;                   /* threads */
    uint32_t expected;                  /* 0 = all threads of the CTA that have not exited */
    uint32_t waiting;                   /* threads that wait for it */
    uint32_t red_and, red_or, red_popc; /* bar.red so far */
};

/* CTAs that run together and reach each other's shared memory; a CTA of an ordinary launch is a cluster of one. */
enum { EMU_CLUSTER_MAX = 16, EMU_RANK_AT = 24 }; /* a shared address: rank << 24 | offset */
struct emu_cluster {
    struct emu_cluster *next; /* in a queue */
    uint64_t index;
    uint64_t work; /* done by its warps: see grid.c */
    uint32_t n, n_done;
    struct emu_cta *cta[EMU_CLUSTER_MAX]; /* by rank */
    uint32_t phase;                       /* completed phases of barrier.cluster */
    uint32_t arrived, live;               /* threads that have arrived in this phase; that have not exited */
    uint32_t events, needed;              /* as in emu_mbarrier_count: arrivals of warps */
    uint32_t timeouts;                    /* suspended waits that gave up since anything changed */
    uint64_t changed;                     /* emu_grid.changed then */
};

/* How often an mbarrier was arrived at, for the stream: see struct stream_mem. */
struct emu_mbarrier_count {
    uint32_t number; /* in the stream: its offset in shared memory / 8 */
    uint32_t events; /* arrivals and completed copies so far */
    uint32_t needed; /* of them, when the last phase completed */
};

struct emu_cta {
    struct emu_cta *next; /* in a list of spare ones */
    struct emu_cluster *cluster;
    uint32_t rank;                           /* in it */
    uint32_t smem_base;                      /* rank << EMU_RANK_AT: what its own shared addresses start with */
    bool ended;                              /* all its warps are done and its stream is sent */
    VEC(struct emu_mbarrier_count) mbarrier; /* filled when a stream is recorded */
    struct emu_grid *grid;
    uint64_t index;
    uint32_t ctaid[3];
    char *smem;
    uint32_t smem_bytes;
    uint32_t n_warp, n_done;
    uint32_t live; /* threads that have not exited */
    struct emu_warp_run *warp;
    struct emu_barrier bar[16];
    uint32_t bars_busy;   /* bit per barrier at which a thread has arrived */
    uint32_t seq;         /* chunks sent */
    uint64_t sent_insts;  /* in them */
    uint64_t insts;       /* executed */
    bool wants_ticket;    /* one of its warps has stopped in front of an EMU_K_TICKET */
    uint32_t local_bytes; /* per thread */
    void *watched;        /* the observer's, see watch.h */
};

struct emu_child {             /* a launch made by device code */
    struct emu_kernel *kernel; /* NULL: a copy or fill of memory, in its place among the launches */
    struct emu_launch launch;
    void *params;
    uint64_t buffer; /* device address where the parameters are written */
    uint64_t dst, src, bytes;
    int fill; /* -1 = copy */
};

struct emu_grid {
    struct emu *emu;
    struct emu_kernel *kernel;
    struct emu_prog *prog;
    struct emu_launch launch;
    char *params;
    uint32_t param_bytes;
    const struct stream_sink *sink;
    uint32_t launch_index;
    uint32_t n_thread, n_warp;
    uint64_t n_cta;
    uint32_t smem_bytes, local_bytes;
    uint32_t resident_max;
    uint32_t cluster[3], n_in_cluster; /* CTAs of a cluster; 1, 1, 1 and 1 without clusters */
    uint64_t workspace;                /* cooperative launches: address of the grid barrier */
    bool in_turn;                      /* tickets are taken in the order of work: see grid.c */
    uint64_t changed;                  /* atomics that changed memory: polling alone does not */
    uint32_t split_after;              /* see EMU_SPLIT_FIRST */
    uint64_t insts;                    /* executed */
    uint64_t idle_insts;               /* executed since anything but polling happened */
    uint64_t idle_check, idle_hash;    /* see grid.c */
    const struct trace_kernel *trace;
    struct emu_fault *fault;
    VEC(struct emu_child) child, pending; /* launched; parameter buffers handed out */
    struct {
        uint8_t *bytes;
        size_t len, cap;
        uint32_t *end;
    } chunk;
};

struct emu {
    struct emu_opts opts;
    struct emu_heap *heap;
    struct emu_module *modules;
    struct emu_stats stats;
    uint32_t n_func; /* function addresses handed out */
    uint32_t n_launch, n_traced;
    struct emu_tex_table *tex;
    struct emu_grid *running;
    uint64_t workspace;   /* of cooperative launches */
    uint64_t malloc_used; /* device malloc */
    uint32_t n_handle;    /* streams and events made by device code */
    uint64_t err_string;
    struct emu_cta *spare_cta; /* a list, kept from the last launch, see grid.c */
    struct emu_prog *spare_prog;
};

void emu_tex_table_free(struct emu_tex_table *);

/* ---- simt.c: paths, fibers, calls, barriers ---- */
void emu_warp_start(struct emu_warp_run *, uint32_t live);
/* Releases the frames and fibers of a warp in any state. */
void emu_warp_drop(struct emu_warp_run *);
void emu_frame_enter(struct emu_warp_run *, struct emu_frame *);
/* Loads w.active, the frame and the pc from the top of the running fiber's stack. */
void emu_path_load(struct emu_warp_run *);
void emu_diverge(struct emu_warp_run *, const struct emu_inst *, uint32_t taken);
void emu_diverge_table(struct emu_warp_run *, const struct emu_inst *, uint32_t mask);
/* Pops the top path (its lanes wait below) and empty ones under it. False: the fiber has no lanes left. */
bool emu_path_pop(struct emu_warp_run *);
/* Lanes end. False: the fiber has no lanes left. */
bool emu_lanes_exit(struct emu_warp_run *, const struct emu_inst *, uint32_t mask);
bool emu_lanes_return(struct emu_warp_run *, const struct emu_inst *, uint32_t mask);
/* Executes a call for `mask`; may raise. Sets the new path. */
void emu_do_call(struct emu_warp_run *, const struct emu_inst *, uint32_t mask);
/* The current fiber ends: removes it. */
void emu_fiber_end(struct emu_warp_run *);
/* Splits the top path from the lanes that wait below it: those become a fiber of their own. */
void emu_fiber_split(struct emu_warp_run *);
/* Makes the next ready fiber current; false when all wait. Executes warp synchronizations that are complete. */
bool emu_fiber_next(struct emu_warp_run *);
/* Continues the current fiber, or the next ready one; false when all wait. */
bool emu_fiber_resume(struct emu_warp_run *);
/* Is a synchronizing instruction short of lanes? Then the fiber waits and true is returned. */
bool emu_sync_wait(struct emu_warp_run *, const struct emu_inst *, uint32_t mask);
/* The last resort when nothing in the CTA can run: completes a warp synchronization with the lanes that have arrived.
 */
bool emu_sync_force(struct emu_warp_run *);
/* Suspends the running fiber at an mbarrier.try_wait. */
void emu_mbarrier_suspend(struct emu_warp_run *, const struct emu_inst *, uint32_t mask,
                          const struct emu_mbarrier_wait *);
/* Records the number and the count of a barrier where the instruction has them in registers. */
void emu_barrier_record(struct emu_warp_run *, const struct emu_inst *, uint32_t mask);
/* Barrier instruction: true when the fiber must wait. */
bool emu_barrier_arrive(struct emu_warp_run *, const struct emu_inst *, uint32_t mask);
/* Threads have exited: barriers may now be complete. */
void emu_barrier_recheck(struct emu_cta *);

/* ---- exec_mbarrier.c ---- */
/* Does try_wait have to wait for one of these lanes? Fills *wait for the first. False also after raising a fault. */
bool emu_mbarrier_must_wait(struct emu_warp *, const struct emu_inst *, uint32_t mask, struct emu_mbarrier_wait *wait);
bool emu_mbarrier_ready(const struct emu_mbarrier_wait *);
/* The number that the stream gives the barrier at this host address. */
uint32_t emu_mbarrier_number(struct emu_warp *, const void *object);
/* The barrier's state in words, for a deadlock's report. */
void emu_mbarrier_describe(const struct emu_mbarrier_wait *, char *out, size_t cap);

/* ---- warpgroup.c ---- */
emu_op_fn emu_wgmma_wait; /* handler of wgmma.wait_group */
/* Have the other warps of its warpgroup executed as many wgmma.wait_group, or ended? */
bool emu_wgmma_met(const struct emu_warp_run *);

/* ---- unwaited.c ---- */
/* Tells emu_opts.remark of registers that are used while a product works on them. */
void emu_tell_unwaited(struct emu *, const struct emu_prog *);

/* ---- cluster.c ---- */
/* barrier.cluster: true when the fiber must wait. */
bool emu_cluster_barrier(struct emu_warp_run *, const struct emu_inst *, uint32_t mask);
/* Threads have exited: the cluster's barrier may now be complete. */
void emu_cluster_exit(struct emu_cta *, uint32_t threads);
/* The CTA that a shared::cluster address names; NULL = none. */
struct emu_cta *emu_cluster_cta(const struct emu_cta *, uint64_t address);

/* ---- cta.c: a CTA's context ---- */
enum { EMU_SR_SMEM_BASE = PTX_SR_COUNT + 32 }; /* emu_sreg_use.sreg of emu_cta.smem_base */
/* Shared memory that the system keeps in each CTA of this kernel. */
uint32_t emu_cta_reserved(const struct emu_prog *);
struct emu_cta *emu_cta_new(struct emu_grid *);
void emu_cta_free(struct emu_cta *);
/* Ties a context to the launch. */
void emu_cta_adopt(struct emu_cta *, struct emu_grid *);
void emu_cta_start(struct emu_cta *, struct emu_cluster *, uint32_t rank);
/* Sends what its warps have recorded, if there is a sink; -1 when that fails. */
int emu_cta_send(struct emu_cta *, bool last);
int emu_cta_send_if_large(struct emu_cta *);
/* Adds what it executed to the device's statistics. */
void emu_cta_count(struct emu_cta *);

/* ---- grid.c ---- */
int emu_grid_run(struct emu_grid *);
/* A program is about to be freed: drop what was cached of it. */
void emu_launch_forget(struct emu *, struct emu_prog *);

/* ---- run.c ---- */
enum emu_stop emu_warp_run(struct emu_warp_run *, int64_t budget);

/* ---- fault.c ---- */
/* Says where in the program: kernel `entry`, instruction `in` of function `f`. */
void emu_fault_place(struct emu *, struct emu_fault *, const struct ptx_module *, const struct emu_func *entry,
                     const struct ptx_func *f, const struct ptx_inst *in);

/* ---- syscall.c ---- */
int32_t emu_builtin_find(const char *name); /* -1 = none */
void emu_builtin_call(struct emu_warp_run *, const struct emu_inst *, const struct emu_call *, uint32_t mask);
/* Arguments and result of a builtin, for one lane. False: there is no such argument. */
bool emu_arg_get(struct emu_warp_run *, const struct emu_call *, uint32_t i, unsigned lane, void *out, uint32_t bytes);
void emu_ret_set(struct emu_warp_run *, const struct emu_call *, unsigned lane, uint64_t value);
void emu_child_copy(struct emu *, const struct emu_child *);

/* ---- printf.c ---- */
/* Device printf of one thread: format and packed arguments at generic addresses. Returns how many were converted. */
int emu_printf(struct emu_warp_run *, unsigned lane, uint64_t format, uint64_t args);
/* A NUL-terminated string of device memory into out (cut to cap); false when the address is bad. */
bool emu_read_string(struct emu_warp_run *, unsigned lane, uint64_t addr, char *out, size_t cap);

static inline struct emu_warp_run *emu_run_of(struct emu_warp *w)
{
    return (struct emu_warp_run *)w;
}
static inline uint32_t emu_pc_of(const struct emu_warp_run *r, const struct emu_inst *in)
{
    return (uint32_t)(in - r->code);
}

#endif
