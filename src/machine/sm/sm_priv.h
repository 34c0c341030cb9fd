/*
 * Inside the SM: its state, shared by sm.c (tick, CTAs), warp.c (what a warp waits for), lsu.c (memory instructions).
 *
 * Every resident warp is in exactly one set in[enum warp_wait]. A warp enters READY when the registers of its next
 * instruction, decoded in advance, are available; until then it is in a timer wheel (ALU, FETCH) or waits for an event
 * (MEM, FENCE, BARRIER, DRAIN). Finding a warp to issue is therefore a mask operation, and waiting warps are never
 * visited.
 */
#ifndef WEIR_SM_SM_PRIV_H
#define WEIR_SM_SM_PRIV_H

#include "sm/inst_classes.h"
#include "sm/coalesce.h"
#include "sm/sched/sched.h"
#include "sm/sm.h"

enum {
    SM_PEER_EVENTS = 1024,
    SM_EVENTS_MOST = 1536,
    SM_MBARRIERS = 64,
    SM_TMA_COPIES = 64,
    SM_WGMMA_GROUPS = 8,
    SM_WGMMA_AHEAD = 16
};
#define SM_TOKEN_TMA 0x80000000u /* req.token of a copy's lines: its place in tma.copy */
enum { SM_WARPS = 64, SM_CTAS = 64, SM_TIMERS = 256, SM_BARRIERS = 16, SM_UNIT_MAX = 16 };

#define SM_BARRIER_ARRIVE_ONLY 1                /* in trace_inst.mem_flags of a BARRIER */
#define REG_PENDING            UINT64_MAX       /* a load will write it */
#define REG_PENDING_NEAR       (UINT64_MAX - 1) /* the same, of near memory: sm.long_loads = memory */

struct loop_lanes {
    uint32_t lanes;
    uint16_t loop; /* trace_inst.loop numbering */
};

/* One execution of a region, or several of an unrolled loop's body, collected from the stream; see region.c. */
struct warp_region {
    const struct sm_region *region;
    uint32_t op, op_end; /* operations still to issue */
    uint32_t from, to;   /* PTX instructions of the region that were executed: all, unless the warp left it early */
    uint32_t mask;       /* of all of them, when `uniform` */
    uint8_t copies;      /* iterations gathered */
    uint8_t copy, group; /* those whose operations are being issued: [copy, copy + group) */
    bool uniform;
    uint32_t *mask_of;   /* by copy and PTX instruction, when not uniform */
    uint32_t *access_at; /* by copy and access: where its record starts in `bytes` */
    uint8_t *bytes;
};

/* A launch that the SM runs CTAs of. */
struct sm_grid {
    const struct sm_kernel *kernel; /* NULL: the place is free */
    const struct sm_streams *streams;
    struct sm_stats *count;                     /* what its warps do: the SM's statistics, or sm->apart */
    uint32_t number, warps_per_cta, last_lanes; /* last_lanes: lanes of a CTA's last warp */
    uint32_t cluster_ctas;                      /* 1 = no clusters */
    bool lets, waits;                           /* sm_grid_depend */
};

/* What every instruction uses is in its first two cache lines. */
struct warp {
    struct sm_inst inst;    /* the next one */
    uint32_t pc, mask;      /* of it */
    uint64_t ready_at;      /* ALU, FETCH: when it can issue */
    uint64_t fetched_at;    /* cycle from which fetching allows the next instruction to issue */
    uint64_t *reg_at;       /* by register: cycle from which it can be read, or REG_PENDING... */
    const uint16_t *regs;   /* its register lists */
    struct sm_stats *count; /* of its grid */
    const struct sm_kernel *kernel;
    struct stream_dec *dec;
    uint64_t hold_until;  /* it waits for products */
    uint64_t poll_at;     /* it looks at its mbarrier, first or again */
    uint32_t at;          /* its place in the code that is fetched: pc, or the number of an operation */
    uint32_t way;         /* lanes of the last operation without a guard */
    uint32_t outstanding; /* outstanding line requests */
    uint32_t call_depth;
    uint8_t scheduler;
    uint8_t cta;                      /* slot */
    uint8_t wait;                     /* enum warp_wait */
    uint8_t buffered;                 /* instructions left in its buffer */
    uint8_t at_barrier;               /* number, when wait == WARP_BARRIER */
    bool ended;                       /* no more instructions */
    bool jumped, jumped_back;         /* the next instruction does not follow the last in the program; it precedes it */
    uint32_t live;                    /* lanes that have not exited */
    uint32_t grid_number;             /* sm_grid.number */
    uint64_t condition_at;            /* when the condition of the last branch was known */
    struct stream_mem mem;            /* addresses of the next instruction, as stream_dec_next_rule gives them */
    uint64_t product_at;              /* when its last product ends */
    uint64_t group_at[8];             /* when its groups of products end, the latest first */
    uint64_t ends_at[SM_WGMMA_AHEAD]; /* of its last products, a ring: when a wait for each would end */
    uint32_t n_product;               /* it has issued */
    uint32_t unsent;                  /* bulk stores that the TMA has not sent */
    uint32_t needs_events;            /* WARP_MBARRIER: events that its barrier must have seen */
    uint32_t arrived[SM_BARRIERS];    /* lanes at each barrier, when a diverged warp arrives in parts */
    uint32_t index;                   /* in its CTA */
    uint32_t seq;                     /* next piece of its stream */
    uint16_t loop, n_in;              /* loops.c: of the last decoded instruction; loops in `in` */
    uint32_t loop_mask, loop_live;    /* its lanes, and those alive */
    struct loop_lanes *in;            /* the loops it is in, each with the lanes that are */
    struct warp_region gathered;
} __attribute__((aligned(64)));

/* What shared memory has to serve: requests of warps and the TMA, and operands of products; see async.c. */
struct smem {
    uint64_t free_at;        /* without products: it has served all requests */
    uint64_t operands_until; /* the end of the last product */
    uint64_t spare;          /* cycles until then that no operand and no request takes */
    uint64_t owed;           /* cycles of requests beyond them */
    uint64_t idle, length;   /* of the last product: cycles without operands, and all */
};

struct mbarrier {
    uint64_t waiting; /* warps */
    uint32_t events;
    uint16_t number;
    bool used;
};

struct tma_copy {
    uint64_t base, start_at, step[STREAM_COPY_DIMS];
    uint32_t n[STREAM_COPY_DIMS], i[STREAM_COPY_DIMS]; /* rows of the box, and the next one */
    uint32_t row_bytes, at;                            /* bytes of it that have been requested */
    uint32_t left;                                     /* requests that have not been answered */
    uint32_t pc, mem_index;
    uint16_t mbarrier, ctas;
    uint8_t kind, cta, warp;
    bool sent; /* all of it has been requested */
};

struct cta {
    uint64_t number;
    const struct sm_grid *grid;
    uint64_t running; /* slots of its warps that have not ended */
    uint64_t waiting[SM_BARRIERS];
    uint8_t came[SM_BARRIERS]; /* warps that arrived at a barrier that counts */
    uint32_t left;             /* warps not done (ended and drained) */
    uint8_t first_warp, place;
    bool busy;
    bool has_let;                           /* reported griddepcontrol.launch_dependents */
    struct mbarrier mbarrier[SM_MBARRIERS]; /* by a hash of the number */
};

/* A load in flight: the warp to wake when its last line has arrived. */
struct pending {
    uint32_t next; /* free list */
    uint32_t left; /* lines */
    uint32_t regs_at;
    uint32_t late; /* cycles from the last line to the registers */
    uint8_t n_dst, warp;
};

/* A memory instruction in front of the load/store unit. */
struct lsu_entry {
    uint8_t warp, cls, where; /* enum lsu_where */
    uint8_t req_kind;
    uint16_t flags, loop;
    uint32_t pc, mem_index;
    const struct sm_kernel *kernel; /* the warp of a fence may have ended */
    uint32_t pending;               /* index, or UINT32_MAX */
    uint32_t passes;                /* cycles of the unit: shared memory, banks of the L1's data */
    uint32_t n_line, next_line;
    uint64_t ready_at; /* its operands have been read */
    uint64_t began_at; /* its first line was sent */
    uint8_t space;
    uint32_t remote_bytes; /* of another CTA of the cluster; 0 = its own shared memory */
    struct line_access line[COALESCE_MAX];
};
enum lsu_where { LSU_SHARED, LSU_PARAM, LSU_DATA, LSU_CONST, LSU_TEX, LSU_FENCE };

struct icache_line {
    uint64_t tag; /* line number + 1; 0 = empty */
    uint64_t ready_at, used;
};

/* Its ports, as bits of sm.mail: a cycle without messages looks at none of them. */
enum {
    SM_MAIL_HIT = 1,
    SM_MAIL_FILL = 2,
    SM_MAIL_EVENT = 4,
    SM_MAIL_REPLIES = SM_MAIL_HIT | SM_MAIL_FILL | SM_MAIL_EVENT,
    SM_MAIL_CTA = 8,
    SM_MAIL_PEER = 16, /* << enum sm_peer */
    SM_MAIL_CTAS = SM_MAIL_CTA | SM_MAIL_PEER << SM_PEER_EVENT | SM_MAIL_PEER << SM_PEER_BARRIER
};

/* The pipelines of one kind. */
struct unit {
    uint64_t n;
    uint64_t free_at[SM_UNIT_MAX];
};

extern const struct sm_sched sm_sched_gto; /* sched/gto.c */

/* Memory that each warp has so many bytes of; grows with the kernels. */
struct warp_room {
    uint8_t *p;
    size_t each;
};

/*
 * Its members lie by how often they are used. Between two ticks of an SM the host's first-level cache sees those of all
 * the others: what every tick reads lies together at the beginning, where the engine fetches it ahead.
 */
struct sm {
    struct comp comp;
    /* every tick: which warps are where */
    uint64_t in[WARP_WAITS] __attribute__((aligned(64)));
    uint64_t resident, n_resident;
    uint64_t mail;      /* ports that may hold messages: SM_MAIL_... */
    uint64_t throttled; /* bit per scheduler: its policy let no warp issue in the last attempt */
    uint64_t accounted; /* last cycle whose scheduler slots have been charged */
    uint64_t issued;    /* warp instructions */
    uint64_t timer_busy[SM_TIMERS / 64];
    uint32_t lsu_cap, lsu_head, lsu_n;
    int failed;      /* 0, 1 corrupt, -1 the source failed */
    uint64_t lsu_at; /* from when the head of its queue can begin or go on; NEVER: the queue is empty */
    uint64_t wants_load;
    uint64_t want[SM_UNIT_COUNT];       /* by unit of the next instruction */
    uint32_t wanted;                    /* events the L1 wants */
    bool profiles;                      /* counts by instruction */
    uint64_t first_free[SM_UNIT_COUNT]; /* the least free_at of the unit; NEVER when it has no pipeline */
    struct warp *warp;
    uint64_t *timer;       /* SM_TIMERS sets of warps */
    struct lsu_entry *lsu; /* ring of lsu_cap */
    struct pending *pending;
    uint32_t pending_free, pending_used, outstanding;
    uint32_t tma_head, tma_tail; /* free running, of tma.order */
    const struct sm_sched *sched;
    bool gto;                /* it is sm_sched_gto */
    uint64_t owned[8];       /* by scheduler, as the next two */
    void *sched_state[8];    /* of the policy */
    uint64_t lsu_free_at[8]; /* it may issue a memory instruction */
    struct sm_stats stats __attribute__((aligned(64)));
    struct sm_config cfg __attribute__((aligned(64)));
    /* instructions */
    uint64_t fetch_free_at;
    struct icache_line *icache;
    uint32_t icache_sets, icache_shift; /* an instruction's place, shifted, is its line */
    uint64_t lsu_busy_until;            /* passes of the instruction before the head of its queue */
    struct icache_config icfg;
    struct unit unit[SM_UNIT_COUNT];
    uint64_t age[SM_WARPS];
    uint64_t barrier_busy_until; /* arrivals at barriers */
    uint64_t *const_line;        /* constants found at once, the last used first; const_lines of them */
    uint32_t const_lines;
    /* neighbors */
    struct port *to_l1[SM_CACHES], *events, *done_out;
    struct port hit, fill, event, cta_in;
    struct port peer[SM_PEER_PORTS];
    struct sm_env env;
    /* CTAs */
    struct cta cta[SM_CTAS];
    uint64_t cta_busy;
    uint64_t next_age;
    struct sm_grid grid[SM_GRIDS];
    unsigned n_grid;
    bool clusters;          /* some grid has them */
    struct sm_stats *apart; /* by place: counted since engine_sync, and SM_GRIDS behind it until taken */
    /* async.c */
    struct {
        struct tma_copy copy[SM_TMA_COPIES];
        uint64_t free; /* places in copy */
        uint8_t order[SM_TMA_COPIES];
    } tma;
    uint64_t tensor_free_at[8]; /* by scheduler */
    struct smem smem;
    uint64_t network_free_at;      /* the same of the network to the cluster's other SMs */
    uint64_t held;                 /* warps at griddepcontrol.wait: among those in WARP_MBARRIER */
    struct warp_room regs_room;    /* reg_at */
    struct warp_room regions_room; /* region.c: what the warps collect */
    struct warp_room loops_room;
    struct {
        struct warp_room writer;                              /* of each register */
        uint32_t last_access[SM_WARPS], last_issue[SM_WARPS]; /* pc of the warp's last memory access, instruction */
        uint32_t busy_pc; /* the instruction that occupies the load/store unit until lsu_busy_until */
        const struct sm_kernel *busy_in;
    } profiled;
    uint64_t failed_cta;
    uint32_t failed_warp;
};

/* The counters of a kernel's memory instruction, and of any instruction in a profile, for the SM's tick. */
static inline struct sm_load_stats *sm_load_of(const struct sm *sm, const struct sm_kernel *k, uint32_t mem_index)
{
    return &k->load[(size_t)sm->comp.worker->index * k->n_load + mem_index];
}
static inline struct sm_profile *sm_profile_of(const struct sm *sm, const struct sm_kernel *k, uint32_t pc)
{
    return &k->profile[(size_t)sm->comp.worker->index * k->n_profile + pc];
}

/* Not every processor has a popcount instruction, and most masks are full. */
static inline unsigned count_lanes(uint32_t mask)
{
    return mask == ~0u ? 32 : (unsigned)__builtin_popcount(mask);
}

static inline uint64_t warp_bit(unsigned slot)
{
    return 1ull << slot;
}

/* Makes room for `each` bytes of every warp, keeping what is in it. True: it moved. */
bool sm_room_grow(const struct sm *, struct warp_room *, size_t each);
static inline void *sm_room_of(const struct warp_room *r, unsigned slot)
{
    return r->p + r->each * slot;
}

/* sm.c: how the SM executes an instruction */
void sm_inst_of(const struct sm_config *, const struct trace_inst *, struct sm_inst *out);

/* warp.c */
static inline void sm_move_warp(struct sm *sm, unsigned slot, enum warp_wait to)
{
    struct warp *w = &sm->warp[slot];
    uint64_t bit = warp_bit(slot);
    if (w->wait == to)
        return;
    sm->in[w->wait] &= ~bit;
    sm->in[to] |= bit;
    if (sm->sched->on_wait)
        sm->sched->on_wait(sm->sched_state[w->scheduler], slot, to);
    w->wait = (uint8_t)to;
}
/* Determines what the warp waits for; it can issue in cycle `earliest` at the earliest. */
void sm_settle(struct sm *, unsigned slot, uint64_t earliest);
/* Decodes the warp's next instruction after it issued the one at place `from` in cycle now; ends the warp when there is
 * none. */
void sm_advance(struct sm *, unsigned slot, uint64_t now);
void sm_start_warp(struct sm *, unsigned slot, uint64_t now);
/* A barrier, before and after sm_advance has decoded the next instruction. */
void sm_barrier_arrive(struct sm *, unsigned slot, const struct sm_inst *, uint32_t mask, uint64_t now);
void sm_barrier_open(struct sm *, unsigned slot, const struct sm_inst *, uint64_t now);
void sm_exit_lanes(struct sm *, unsigned slot, uint32_t mask);
void sm_warp_gone(struct sm *, unsigned slot, uint64_t now); /* ended and nothing outstanding: CTA bookkeeping */
static inline bool sm_timer_is_due(const struct sm *sm, uint64_t now)
{
    const uint64_t i = now & (SM_TIMERS - 1);
    return sm->timer_busy[i >> 6] >> (i & 63) & 1;
}
void sm_expire_timers(struct sm *, uint64_t now);
uint64_t sm_next_timer(const struct sm *, uint64_t now);

/* loops.c: called only when the L1 requests EVENT_LOOP_EXIT */
void sm_loops_set_kernel(struct sm *, const struct sm_kernel *);
void sm_loops_begin(struct sm *, unsigned slot);
void sm_loops_step(struct sm *, unsigned slot);

/* profile.c: called only when sm->profiles is set */
void sm_profile_set_kernel(struct sm *, const struct sm_kernel *);
void sm_profile_issue(struct sm *, unsigned slot, const struct sm_inst *, uint32_t pc, uint32_t mask);
void sm_profile_lines(struct sm *, const struct lsu_entry *);
void sm_profile_stall(struct sm *, unsigned scheduler, enum sm_stall, uint64_t cycles);

/* region.c: scheduled code */
void sm_regions_build(struct sm_kernel *, const struct sm_config *);
void sm_regions_free(struct sm_kernel *);
void sm_regions_set_kernel(struct sm *, const struct sm_kernel *);
void sm_regions_begin(struct sm *, unsigned slot); /* a warp of a kernel that has scheduled code */
/* The run that the warp is in, fetching pieces of its stream; returns 1, 0 at the end, -1 after a failure (recorded).
 */
int sm_warp_run(struct sm *, unsigned slot, struct stream_run *);
/* The warp's next operation into inst, at, pc, mask and mem. Returns as sm_warp_run. */
int sm_region_next(struct sm *, unsigned slot);

/* async.c: TMA, mbarriers, products of warpgroups */
bool sm_async_room(const struct sm *);
/* Shared memory works so many cycles more; when they have passed. */
void sm_smem_take(struct sm *, uint64_t cycles, uint64_t now);
/* So many bytes go to or from another SM of the cluster; when the last has left. */
uint64_t sm_network_take(struct sm *, struct sm_stats *, uint64_t bytes, uint64_t now);
void sm_griddepcontrol(struct sm *, unsigned slot, unsigned what); /* enum trace_griddep */
void sm_async_issue(struct sm *, unsigned slot, const struct sm_inst *, uint32_t pc, uint64_t now);
void sm_tma_step(struct sm *, uint64_t now); /* works for one cycle */
uint64_t sm_tma_next(const struct sm *, uint64_t now);
void sm_tma_reply(struct sm *, uint32_t token, uint64_t now);
void sm_peer_event(struct sm *, uint32_t cta, uint32_t info, uint64_t now);

/* lsu.c */
/* An access of the warp has completed; after the last, a fence releases the warp, or its exit is complete. */
void sm_settle_account(struct sm *, unsigned slot, uint64_t now);
static inline bool sm_lsu_room(const struct sm *sm)
{
    return sm->lsu_n < sm->lsu_cap && sm->pending_free != UINT32_MAX;
}
void sm_lsu_push(struct sm *, unsigned slot, const struct sm_inst *, uint32_t pc, uint64_t now);
void sm_lsu_step(struct sm *, uint64_t now);           /* works for one cycle: lsu_at has come */
uint64_t sm_lsu_next(const struct sm *, uint64_t now); /* when it next can; NEVER: a port wakes it, or it is empty */
void sm_take_replies(struct sm *, uint64_t now);

static inline void sm_notify_l1(struct sm *sm, enum event kind, uint32_t slot, uint32_t argument)
{
    if (sm->wanted >> kind & 1)
        port_send(sm->events, argument, event_info(kind, slot));
}

#endif
