/*
 * One streaming multiprocessor, as the machine's builder and its neighbors see it.
 *
 *   dispatcher --cta_in--> SM --line requests--> L1 unit
 *       ^------done_out----'  <--hit, fill, event--'
 *
 * CTA in:   one message per CTA: req = low 32 bits of its number in the grid, info = SM_CTA_INFO. The dispatcher never
 *           sends more than the SM has room for. CTA out: the same message when the CTA has ended: all warps have exited
 *           and all their memory accesses are complete. The SM reads its instructions through struct sm_streams, which
 *           hides whether they come from a file or from a running emulator. Requests and replies: see l1/l1.h.
 *
 * An SM holds CTAs of several grids (launches) at once. A grid has a place, which is the same on all SMs.
 */
#ifndef WEIR_SM_SM_H
#define WEIR_SM_SM_H

#include "engine/engine.h"
#include "engine/port.h"
#include "engine/policy_registry.h"
#include "engine/stats.h"
#include "sm/sm_config.h"
#include "trace/stream.h"

struct sm;

/* The source of a warp's instructions. Called from the machine's threads, for several warps at the same time. */
struct sm_streams {
    void *ctx;
    /*
     * The next piece of a warp's stream (pieces of one warp are requested in order). 1: *bytes, *n, valid until the
     * warp's next call or cta_done; 0: the stream has ended; -1: the source has failed and keeps the error.
     */
    int (*piece)(void *ctx, uint64_t cta, uint32_t warp, uint32_t seq, const uint8_t **bytes, size_t *n);
    void (*cta_done)(void *ctx, uint64_t cta);
};

/* A static instruction as the SM uses it. 24 bytes. */
struct sm_inst {
    uint8_t unit;         /* enum sm_unit */
    uint8_t cls;          /* enum trace_class */
    uint8_t n_dst, n_reg; /* destinations, and all registers, at reg */
    uint16_t latency;     /* from issue to result, for instructions of the execution units */
    uint16_t interval;    /* cycles its unit is busy */
    uint32_t regs_at;
    uint32_t mem_index;
    uint16_t loop;
    uint8_t width, mem_flags;
    uint8_t barrier_warps; /* BARRIER: how many warps it waits for; 0 = all */
    uint8_t barrier;       /* BARRIER: its number */
    uint8_t space;         /* enum trace_space; GENERIC is resolved by each execution */
    bool guarded : 1;      /* its last register is the predicate that guards it (scheduled code) */
    bool converges : 1;    /* lanes that have parted meet here (scheduled code) */
    uint8_t beside : 6;    /* how much longer its unit is busy beside products of warpgroups, cycles */
};

/* An operation of scheduled code (trace/code.h). */
struct sm_op {
    struct sm_inst inst;
    uint32_t pc;    /* the PTX instruction it comes from */
    uint8_t copy;   /* the iteration, where a loop is unrolled */
    uint8_t access; /* its access among those of the region; meaningless without one */
};

/* A region of scheduled code: see struct trace_region. */
struct sm_region {
    uint32_t pc, n_pc;
    struct sm_ops {
        uint32_t first, end;
    } one, half, all;          /* operations of one execution, of copies / 2, of copies */
    uint32_t copies;           /* 1: not unrolled */
    uint32_t access, n_access; /* its memory instructions: offsets from pc in sm_kernel.access */
};

/* The counters of each static memory instruction. */
struct sm_load_stats {
    uint64_t executions, lanes; /* warp instructions with at least one lane; lanes in them */
    uint64_t lines;             /* line requests, or shared-memory passes */
    uint64_t sectors;           /* 32-byte sectors that its lanes touch; counted only in a profile */
    /* Lines by the level that served them, and the cycles from sending to the reply. */
    uint64_t served[REQ_AT_COUNT], latency_sum[REQ_AT_COUNT];
};

struct sm_profile;
/* A kernel prepared for the SMs of one machine. */
struct sm_kernel {
    const struct trace_kernel *trace;
    struct sm_inst *inst;
    /* All SMs add to these; each worker of the engine has its own, the first one's is the sum after sm_kernel_sum. */
    struct sm_load_stats *load; /* [worker * n_load + mem_index] */
    struct sm_profile *profile; /* [worker * n_profile + pc]; NULL = not requested */
    uint32_t n_load, n_profile, n_worker;
    const uint16_t *reg; /* the register lists of inst, or of op when there is scheduled code */
    uint32_t n_scoreboard;
    /* Scheduled code; op is NULL when the kernel is issued in PTX order. */
    struct sm_op *op;
    struct sm_region *region;
    uint32_t *region_of;    /* by pc */
    uint16_t *access;       /* offsets in a region of its memory instructions */
    uint32_t most_pcs;      /* the most PTX instructions that a warp collects at once */
    uint32_t most_accesses; /* accesses among them */
};
struct sm_kernel *sm_kernel_new(const struct trace_kernel *, const struct sm_config *, uint32_t workers);
void sm_kernel_profile(struct sm_kernel *); /* from now on, count by static instruction */
void sm_kernel_sum(struct sm_kernel *);     /* between two instants: counts of all workers go to the first one's */
void sm_kernel_free(struct sm_kernel *);

/* Why a scheduler does not issue in a cycle, in order of precedence: the first reason that applies is charged. */
#define SM_STALLS(X)                                                                                                   \
    X(NO_WARP, "no_warp", "no warp is resident")                                                                       \
    X(THROTTLE, "throttle", "the policy lets no ready warp issue")                                                     \
    X(LSU, "lsu_full", "a ready warp's memory instruction finds the load/store unit's queue full")                     \
    X(UNIT, "unit_busy", "a ready warp finds its execution unit busy")                                                 \
    X(ALU, "alu", "a warp waits for a register that an execution unit will write")                                     \
    X(FETCH, "fetch", "a warp waits for its next instruction")                                                         \
    X(MEM, "memory", "a warp waits for a register that a load will write")                                             \
    X(FENCE, "fence", "a warp waits at a fence for its memory accesses")                                               \
    X(BARRIER, "barrier", "all warps wait at barriers")                                                                \
    X(MBARRIER, "mbarrier",                                                                                            \
      "a warp waits at an mbarrier, at the barrier of its cluster, or for the grid before its own")                    \
    X(TENSOR, "tensor", "a warp waits for products of its warpgroup")                                                  \
    X(DRAIN, "drain", "all warps have exited; stores are in flight")

enum sm_stall {
#define X(name, text, doc) SM_STALL_##name,
    SM_STALLS(X)
#undef X
        SM_STALL_COUNT
};

/* A profile's counters of each static instruction (profile.c). */
struct sm_profile {
    uint64_t issues, lanes;
    uint64_t waited[SM_STALL_COUNT]; /* scheduler cycles in which a warp waited to issue it */
    uint64_t caused[SM_STALL_COUNT]; /* scheduler cycles that were lost because of it */
};

enum { SM_CACHES = 3 }; /* of the L1 unit: data, constant, texture */

struct sm_stats {
    uint64_t warp_insts, thread_insts;
    uint64_t scheduler_cycles; /* cycles x schedulers */
    uint64_t issue_cycles;     /* of them: at least one instruction was issued */
    uint64_t active_cycles;    /* SM cycles with a resident warp */
    uint64_t warp_cycles;      /* sum over cycles of resident warps */
    uint64_t register_reads, register_writes;
    uint64_t stall[SM_STALL_COUNT];
    uint64_t insts[TRACE_CLASS_COUNT];
    uint64_t mem_insts, shared_insts, shared_passes;
    uint64_t lines[SM_CACHES]; /* line requests: to the data, the constant, the texture cache */
    uint64_t fetches, icache_misses, fetch_redirects;
    uint64_t replies;
    uint64_t latency_sum[REQ_AT_COUNT], served[REQ_AT_COUNT];
    uint64_t ctas, barriers;
    uint64_t tma_copies, tma_lines, cluster_bytes, wgmma_cycles, wgmma_operand_cycles;
};
/* Shown as sm.*, and the first few without a prefix. */
extern const struct stat_def sm_stat_defs[], sm_top_stat_defs[];

/* A warp's load of global memory through the L1, as an observer sees it at issue. */
struct line_access; /* sm/coalesce.h */
struct sm_load_seen {
    uint32_t sm;
    uint64_t warp; /* in the launch: CTA number * warps per CTA + warp */
    uint32_t mem_index, lanes;
    const struct line_access *line;
    unsigned n_line;
};

struct sm_env {
    uint32_t index, n_sm;
    void (*on_load)(void *ctx, const struct sm_load_seen *); /* NULL = no observer */
    void *on_load_ctx;
    uint32_t line_data, line_const, line_tex; /* bytes */
    const void *sched_params;
    uint32_t wanted_events; /* of the L1: bit per enum event */
};

struct sm *sm_new(struct engine *, const struct sm_config *, const struct icache_config *, const struct sm_env *,
                  const char *name, struct err *);
void sm_free(struct sm *); /* what is not in the arena */
/* The SM's own ports, for l1_connect_sm and the dispatcher. */
struct port *sm_hit_in(struct sm *), *sm_fill_in(struct sm *), *sm_event_in(struct sm *), *sm_cta_in(struct sm *);
/*
 * Events at mbarriers of other CTAs of a cluster leave by done_out, and come in here: req = low 32 bits of the CTA's
 * number, info = SM_CTA_EVENT, the grid's place, the number of the barrier.
 */
enum sm_peer { SM_PEER_EVENT, SM_PEER_BARRIER, SM_PEER_PORTS }; /* by way: mbarriers, the cluster's barrier */
struct port *sm_peer_in(struct sm *, enum sm_peer);
/* `constant`, `texture` NULL: no such cache; the data cache is used instead. */
void sm_connect(struct sm *, struct port *data, struct port *constant, struct port *texture, struct port *events,
                struct port *done_out);
void sm_register_stats(struct sm *, struct stats *);

/* What a message of a CTA tells beside the low 32 bits of its number. */
enum { SM_GRIDS = 32, SM_GRID_AT = 24 };
#define SM_CTA_INFO(number, place) ((uint32_t)((number) >> 32) | (uint32_t)(place) << SM_GRID_AT)
#define SM_CTA_NUMBER(req, info)   ((uint64_t)((info) & ((1u << SM_GRID_AT) - 1)) << 32 | (req))
#define SM_CTA_PLACE(info)         ((info) >> SM_GRID_AT & (SM_GRIDS - 1))
#define SM_CTA_EVENT               (1u << 31)
#define SM_CTA_LETS_BEGIN          (1u << 30) /* the CTA has executed griddepcontrol.launch_dependents, and runs on */
#define SM_CTA_HAS_LET             (1u << 29) /* of a CTA that has ended: it had */
#define SM_EVENT_INFO(place, n)    (SM_CTA_EVENT | (uint32_t)(place) << SM_GRID_AT | (n))

/* While the engine stands still: the SM may get CTAs of this launch, `number` of the program, in the free place. */
void sm_grid_begin(struct sm *, unsigned place, const struct sm_kernel *, const struct trace_launch *, uint32_t number,
                   const struct sm_streams *);
void sm_grid_end(struct sm *, unsigned place); /* all its CTAs have ended */
/* griddepcontrol in the grid: `lets`, CTAs report launch_dependents; `waits`, warps wait for a grid that runs ... */
void sm_grid_depend(struct sm *, unsigned place, bool lets, bool waits);
void sm_grid_release(struct sm *, unsigned place); /* ... and has ended now. After engine_sync. */
/*
 * From now on what the grid's warps do is counted apart from the SM's statistics, and added to them by engine_sync; or no
 * longer.
 */
void sm_grid_apart(struct sm *, unsigned place, bool apart);
/* Adds what has been counted apart since the last call. After engine_sync. */
void sm_grid_take(struct sm *, unsigned place, struct sm_stats *sum);
/* The statistics that are counted by grid are the rows of these two tables that this one approves of. */
bool sm_stat_of_grid(const struct stat_def *);
bool sm_drained(const struct sm *);
/* Its scheduling policy with the state of each scheduler, for reports. */
void sm_each_policy(const struct sm *, policy_visit *, void *ctx);
uint64_t sm_issued(const struct sm *); /* warp instructions so far */
/* 1 when a stream ended in an error: corrupt bytes (0) or the source's own (-1); the engine was stopped. */
int sm_failed(const struct sm *, uint64_t *cta, uint32_t *warp, bool *corrupt);

#endif
