/*
 * The checker's own state.
 *
 * A stamp identifies the last access of a cell of shadow memory: the CTA, its clock, the thread and the instruction (its
 * site). A CTA's clock counts the events that order its threads. A thread that knows another's clock up to c is ordered
 * behind everything that the other did with a stamp of at most c; what threads know is kept as little as possible:
 *   - of its own CTA up to the last full barrier: one number for the CTA;
 *   - of its own warp up to the last __syncwarp: one number for the warp, or a matrix when parts of it synchronize;
 *   - everything else, learned through memory or named barriers: a persistent tree over CTAs (know.c).
 */
#ifndef WEIR_CHECK_STATE_H
#define WEIR_CHECK_STATE_H

#include "base/out_of_memory.h"
#include "base/mem.h"
#include "check/check.h"
#include "emu/exec_mem.h"
#include "emu/state.h"
#include "emu/watch.h"

#include <regex.h>

/* ---- stamps: CTA + 1 : 22 | clock : 19 | flag : 1 | warp : 5 | lane : 5 | site : 12 ---- */
enum {
    STAMP_LANE = 12,
    STAMP_WARP = 17,
    STAMP_FLAG = 22,
    STAMP_CLOCK = 23,
    STAMP_CTA = 42,
    SITE_MAX = 4095,       /* further instructions of a kernel share the last number */
    CLOCK_MAX = 0x7fffe,   /* a CTA's clock stops there */
    CLOCK_NEVER = 0x7ffff, /* of an asynchronous copy that nobody has waited for */
};
#define CTA_MAX   ((1u << 22) - 2)
#define FLAG_BIT  (1ull << STAMP_FLAG) /* of a read: other lanes of the warp read it, too */
#define WARP_BITS (~0ull << STAMP_CTA | 31ull << STAMP_WARP)
#define OWN_BITS  (WARP_BITS | 31ull << STAMP_LANE)
static inline uint32_t stamp_cta(uint64_t s)
{
    return (uint32_t)(s >> STAMP_CTA) - 1;
}
static inline uint32_t stamp_clock(uint64_t s)
{
    return (uint32_t)(s >> STAMP_CLOCK) & 0x7ffff;
}
static inline unsigned stamp_warp(uint64_t s)
{
    return (unsigned)(s >> STAMP_WARP) & 31;
}
static inline unsigned stamp_lane(uint64_t s)
{
    return (unsigned)(s >> STAMP_LANE) & 31;
}
static inline unsigned stamp_site(uint64_t s)
{
    return (unsigned)s & SITE_MAX;
}

/* ---- instructions ---- */
enum site_kind {
    SITE_LOAD,
    SITE_STORE,
    SITE_ATOMIC,
    SITE_ASYNC_COPY,
    SITE_MBARRIER,
    SITE_FENCE,
    SITE_SYNC,
    SITE_WAIT,
    SITE_BULK /* of the asynchronous proxy */
};
enum { WEAK, STRONG_CTA, STRONG_GPU }; /* how far an access is guaranteed to be seen as one */
struct site {
    emu_op_fn *fn; /* what was there */
    uint8_t kind, space, bytes, strong;
    uint8_t scope; /* fences: STRONG_CTA or STRONG_GPU */
    bool acquire, release, is_volatile;
    bool guesses; /* load: a compare-and-swap of the address decides whether the value counts */
    bool passes;  /* load: its results are only stored; store: of such a result */
    uint16_t id;  /* 1 ...; in stamps */
    uint32_t line;
    const char *file;          /* of the source, or of the PTX */
    char text[48];             /* the instruction */
    const struct emu_inst *in; /* while the kernel is loaded */
    /* The allocation that it read last, see roots.c. */
    struct emu_range known;
    uint64_t known_serial, undefinings;
    bool read_only, defined; /* nothing writes it in this launch; each byte was written */
};
struct code { /* a kernel's sites; outlives the kernel */
    char *kernel;
    bool wanted;       /* --kernel */
    bool narrow;       /* some strong access is of the CTA's scope only */
    bool narrow_fence; /* the same of a fence */
    bool mbarriers;    /* it uses mbarriers */
    uint64_t written;  /* what its stores' addresses come from: bits of root[], see roots.c */
    uint32_t root[62]; /* offsets of pointers among the parameters */
    uint32_t n_root;
    bool proxies;      /* wgmma or bulk copies access its shared memory */
    bool talks;        /* there is a strong access, so that threads may tell each other something */
    bool sets, polls;  /* strong stores, loads of global memory: flags */
    struct site *site; /* per pc; fn == NULL: not watched */
    struct site **by_id;
    unsigned n_id;
    VEC(char *) file;
};

/* ---- knowledge (know.c) ---- */
struct part { /* lanes of a warp, up to a clock */
    uint32_t warp, mask, clock;
};
struct known { /* of one CTA */
    uint32_t all, n;
    struct part *part;
};
struct know;      /* immutable; NULL = nothing */
struct know_set { /* one per lane, most often the same */
    struct know *all, **lane;
};
enum { FANOUT_BITS = 3, FANOUT = 1 << FANOUT_BITS };
struct pool { /* memory of a launch */
    VEC(char *) chunk;
    size_t at, used;
};
void *pool_take(struct pool *, size_t bytes);
void pool_reset(struct pool *);

/* ---- shadow memory (shadow.c) ---- */
enum {
    PAGE_BITS = 10,
    PAGE_BYTES = 1 << PAGE_BITS,
    SHADOW_TOP_BITS = 15,
    SHADOW_TOP_PAGES = 1 << SHADOW_TOP_BITS,
    LAST_PAGES = 64
};
struct page {
    uint64_t *w, *a, *r0, *r1; /* last weak write; last strong one; last reads of two warps. NULL until needed */
    uint64_t owner;            /* launch (or CTA, of shared memory) whose stamps these are; 0 = none */
    struct launch *launch;
    struct page *older;             /* stamps of launches that the owner is not ordered behind */
    uint8_t fine;                   /* a cell covers 4 >> fine bytes */
    uint8_t cell_fine;              /* of the arrays */
    uint64_t init[PAGE_BYTES / 64]; /* a bit per byte that was written */
};

/* ---- a CTA ---- */
struct mark { /* a fence of one lane: what it knew then */
    struct know *know, *made;
    uint32_t clock, base, warp_base;
};
struct pending { /* one cp.async that nobody has waited for */
    uint32_t group, mask, bytes;
    uint32_t to[EMU_LANES];
};
struct copies {
    VEC(struct pending) v;
    uint32_t group; /* that the next one belongs to */
};
struct cwarp {
    uint32_t base, soft;         /* clock of the last __syncwarp of the whole warp; of the last shuffle or vote */
    uint32_t last;               /* clock of its last access */
    uint32_t (*pair)[EMU_LANES]; /* [j][i]: what lane j knows about lane i; NULL = base for all */
    struct know_set know, seen;  /* seen: read from memory, without a fence since */
    struct know_set loose;       /* what flags told that nobody fenced: it orders reads before writes, see sync.c */
    struct mark *mark[2];        /* fences of the CTA's scope and of the GPU's, per lane; NULL = none */
    struct mark *mark_room[2];
    uint32_t (*pair_room)[EMU_LANES];
    struct copies copies;
    uint64_t *local_init;            /* bits: [lane][byte] */
    uint8_t (*undefined)[EMU_LANES]; /* per register row: bytes that a passing load left undefined, see init.c */
    uint32_t n_undefined;            /* rows */
    bool any_undefined;
    uint32_t arrived, arrived_mask; /* barrier.cluster: clock of the last access before; lanes */
};
struct cbar {
    uint32_t mask[32]; /* per warp: lanes that wait */
    const struct emu_inst *at[32];
    struct know *know, *seen, *loose, *fenced[2];
    bool used;
};
struct ccta {
    struct ccta *next;
    struct emu_cta *cta;
    uint64_t index;
    uint32_t stamp_cta; /* index + 1, or 0: too many CTAs for stamps */
    uint32_t base, clock, last;
    struct know *know, *seen, *loose, *fenced[2]; /* of all threads: see cwarp */
    bool synced;
    uint32_t n_page, n_warp;
    struct page *smem;
    uint64_t owner;
    struct cbar bar[16];
    struct cwarp *warp;
    struct proxy *proxy; /* proxy.c; NULL until it is needed */
    size_t proxy_bytes;
    struct async *async; /* async.c; NULL until it is needed */
    uint64_t *object;    /* a bit per 8 bytes of shared memory: an mbarrier */
    size_t object_words;
    char *log; /* of reads, see quiet.c */
    size_t log_used;
    uint64_t loud, stays_loud, logged; /* parts of shared memory, a bit each */
    unsigned part_shift;
    bool no_log;
    uint64_t full, tried;  /* parts of which all bytes were written; that were looked at since the last barrier */
    bool relaxed;          /* barrier.cluster.arrive.relaxed in this phase */
    uint32_t left;         /* threads that have left the cluster's last barrier */
    uint32_t cluster_base; /* clock of which all of them know then; 0 = not so simple */
};
struct ccluster {
    uint64_t index;
    struct know *pending, *done; /* what arrivals tell; of completed phases */
};
struct issuer { /* of a copy that an mbarrier counts: the stamp names the mbarrier */
    uint32_t cta, slot, thread;
    uint64_t by; /* the CTA of the thread */
};
enum { ISSUERS = 1024 };
/* Who a stamp's "CTA" is: number = kind * CTAs of the launch + CTA. See async.c. */
enum engine { ENGINE_NONE, ENGINE_COUNTED, ENGINE_READ, ENGINE_WRITE, ENGINE_PRODUCT, N_ENGINE };

struct launch {
    uint64_t serial;
    struct code *code;
    uint32_t stream, seq; /* of the operation */
    uint32_t block[3], grid[3];
    const char *call; /* a copy: its name; then code is NULL */
};

/* ---- findings ---- */
enum severity { NOTE, WARNING, ERROR };
enum class {
    RACE,
    RACE_SAME_INST,
    RACE_SCOPE,
    RACE_ACQUIRE,
    RACE_WARP,
    RACE_EQUAL,
    RACE_GUESS,
    RACE_ASYNC,
    RACE_LAUNCH,
    UNINIT,
    UNINIT_HOST,
    SYNC_DIVERGED,
    SYNC_MASK,

    MEMORY,
    UNDEFINED,
    PROXY,
    BARRIER,
    MBARRIER,
    UNWAITED,
    LEAK,
    N_CLASS
};
struct end {          /* one side of a finding */
    const char *what; /* "write", "read", "atomic" */
    const char *kernel;
    const char *file;
    uint32_t line;
    char inst[48];
    bool has_thread;
    uint32_t cta[3], thread[3];
};
struct finding {
    enum class class;
    enum severity severity;
    uint8_t space; /* enum ptx_space; NONE = none */
    uint64_t key[4], count;
    struct end a, b; /* a: the access that noticed; b: the earlier one */
    uint64_t addr;
    char *where, *text, *advice;
    uint8_t reach; /* races: within a warp, a CTA, beyond; the farthest one is shown */
    bool suppressed;
};

struct place { /* an allocation and its origin */
    uint64_t addr, bytes;
    uint32_t serial;
    bool live;
    uint8_t kind;
    void *frame[6];
    int n_frame;
    uint64_t defined_at,
        looked_at; /* all bytes were written, as of check.undefinings; a launch asked and it was not so */
};

struct var { /* a place in memory through which threads synchronize */
    uint64_t key, cta;
    struct know *gpu, *own;           /* what a reader learns: of any CTA; only of the CTA that wrote it */
    struct know *gpu_done, *own_done; /* of an mbarrier: by the phases that are complete */
    struct know *loose;               /* of a flag, without a fence */
    uint8_t phase;
    uint64_t own_cta;
};

struct vclock {
    VEC(uint32_t) v; /* per stream: operations that are over */
};
struct range_op { /* a copy or memset */
    struct launch *launch;
    uint64_t lo, hi;
    bool write;
};

struct event {
    const void *event;
    struct vclock clock;
};
struct rule { /* a line of the suppressions */
    char *class, *rest;
};

struct check {
    struct check_opts opts;
    struct emu_watch watch;
    struct emu *emu;
    regex_t kernel;
    bool has_kernel;
    VEC(struct rule) suppress;

    /* the running launch */
    struct emu_grid *grid;
    struct launch *launch;
    struct code *code;
    bool on, racing, initing, syncing; /* for this launch */
    bool published;                    /* a fence or a release has happened */
    unsigned levels;                   /* of knowledge */
    struct pool pool;
    VEC(struct var) var; /* open addressing */
    size_t n_var;
    struct ccta *spare;
    struct ccta *home; /* whose shared memory an access is to */
    VEC(struct ccluster) cluster;
    struct issuer issuer[ISSUERS];
    VEC(struct emu_range) writable; /* allocations that the launch may write */
    bool all_writable, variables_writable, unexpected;
    uint64_t known_serial; /* what sites know is of this launch */
    uint64_t undefinings;  /* how often bytes have become undefined */
    uint64_t next_owner;
    VEC(struct code *) codes;
    VEC(struct launch *) launches;

    /* shadow memory */
    struct top {
        uint64_t key;
        struct page **page;
    } * top;
    size_t n_top, cap_top;
    uint64_t last_key[LAST_PAGES]; /* pages used last, by the low bits of their number */
    struct page *last_page[LAST_PAGES];
    VEC(uint64_t *) cells[3]; /* free arrays, by fineness */
    uint64_t shadow_bytes, shadow_limit;
    bool full, clock_stopped, many_ctas, know_full;

    /* host */
    VEC(struct vclock) stream;
    VEC(uint8_t) stream_apart;
    struct vclock host;
    VEC(struct event) event;
    VEC(struct range_op) range, overlap; /* overlap: what the running launch is not ordered behind */
    uint32_t op_stream, op_seq;
    bool several_streams;
    VEC(struct place) place;

    VEC(struct finding) finding;
    VEC(char *) kept; /* texts owned by the list of findings */
};

/* know.c */
struct know *know_join(struct check *, struct know *, struct know *);
struct know *know_put(struct check *, struct know *, uint64_t cta, const struct known *);
const struct known *know_get(const struct check *, const struct know *, uint64_t cta);
bool known_covers(const struct known *, unsigned warp, unsigned lane, uint32_t clock);
struct know *know_of(const struct know_set *, unsigned lane);
void know_learn(struct check *, struct know_set *, uint32_t mask, uint32_t live, struct know *);

/* shadow.c */
struct page *shadow_page(struct check *, uint64_t addr);       /* makes it */
struct page *shadow_find(const struct check *, uint64_t addr); /* NULL: never touched */
void page_own(struct check *, struct page *, uint64_t owner, struct launch *);
bool page_cells(struct check *, struct page *, uint64_t **which);
void page_refine(struct check *, struct page *, unsigned fine);
void page_drop(struct check *, struct page *);
void init_set(struct check *, uint64_t addr, uint64_t bytes, bool on);
void shadow_forget(struct check *, uint64_t addr, uint64_t bytes); /* stamps of memory that is given to somebody else */

/* The places of an access's lanes: the same, side by side (all 32 of them), otherwise. */
enum shape { SHAPE_SAME, SHAPE_NEIGHBORS, SHAPE_OTHER };

/* race.c */
void race_choose(void); /* what this machine runs fastest */
enum access { ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC };
void race_access(struct check *, struct emu_warp_run *, const struct site *, enum access, uint32_t mask, enum ptx_space,
                 const uint64_t *addr, uint32_t bytes, enum shape);
/* The same without the log of reads. */
void race_stamp(struct check *, struct emu_warp_run *, const struct site *, enum access, uint32_t mask, enum ptx_space,
                const uint64_t *addr, uint32_t bytes, enum shape);
void race_narrow(const uint64_t *addr, uint32_t mask, uint32_t *out, uint32_t *lo, uint32_t *hi);
void race_wait_copies(struct check *, struct emu_warp_run *, uint32_t newest_kept, bool all);
void race_range(struct check *, struct launch *, uint64_t lo, uint64_t hi, bool write);

/* sync.c */
void sync_fence(struct check *, struct emu_warp_run *, uint32_t mask, unsigned scope);
void sync_publish(struct check *, struct emu_warp_run *, const struct site *, unsigned lane, enum ptx_space,
                  uint64_t addr, bool replaces);
void sync_observe(struct check *, struct emu_warp_run *, const struct site *, unsigned lane, enum ptx_space,
                  uint64_t addr);
void sync_warp(struct check *, struct emu_warp_run *, const struct emu_inst *, uint32_t mask);
void sync_arrive(void *, struct emu_warp_run *, const struct emu_inst *, unsigned id, uint32_t mask);
void sync_release(void *, struct emu_cta *, unsigned id);
/* What a lane knew at its last fence. */
struct know *sync_fenced(struct check *, struct ccta *, unsigned warp, unsigned lane);
void sync_tick(struct check *, struct ccta *, uint32_t last);
/* A copy tells the observers of an mbarrier's present phase. */
void sync_counted(struct check *, struct ccta *counter, uint32_t mbarrier, struct know *);
/* The instruction may have completed the phase of the mbarrier at c->home's offset; `starts`: init or inval. */
void sync_phase(struct check *, uint32_t mbarrier, bool starts);
/* Is what the stamp says ordered before what this lane does now? */
bool sync_ordered(struct check *, const struct ccta *, unsigned warp, unsigned lane, uint64_t stamp);
/* Is a read that the stamp says over before what this lane writes now, by flags alone? */
bool sync_ordered_loose(struct check *, const struct ccta *, unsigned warp, unsigned lane, uint64_t stamp);
/* The same if every strong read had a fence behind it. */
bool sync_ordered_seen(struct check *, const struct ccta *, unsigned warp, unsigned lane, uint64_t stamp);

/* An access of the asynchronous proxy, made for a lane, by an engine with this stamp. */
void race_async(struct check *, struct emu_warp_run *, const struct site *, unsigned lane, const struct emu_async *,
                struct ccta *home, uint64_t stamp);

/* async.c */
struct async;
void async_clear(struct ccta *);
bool async_issuer(struct check *, uint64_t stamp, struct end *, const struct launch *);
bool async_access(struct check *, struct emu_warp_run *, const struct site *, unsigned lane, const struct emu_async *);
void async_counted(struct check *, struct ccta *counter, uint32_t mbarrier);
void async_phase(struct check *, struct ccta *counter, uint32_t mbarrier);
/* A thread stores where an mbarrier lives, or begins or ends its life. */
void async_object(struct check *, struct emu_warp_run *, const struct site *, unsigned lane, uint32_t mbarrier,
                  bool starts);
void async_store(struct check *, struct emu_warp_run *, const struct site *, uint32_t mask, const uint64_t *addr,
                 uint32_t bytes);
/* commit_group and wait_group of bulk copies and products. */
void async_group(struct check *, struct emu_warp_run *, const struct ptx_inst *, uint32_t mask);
void async_cluster(void *, struct emu_warp_run *, const struct emu_inst *, uint32_t mask);
void async_cluster_complete(void *, struct emu_cluster *);
/* The CTA ends: which copies has nobody waited for? */
void async_end(struct check *, struct ccta *);

/* init.c */
void init_read(struct check *, struct emu_warp_run *, const struct site *, uint32_t mask, enum ptx_space,
               const uint64_t *addr, uint32_t bytes, enum shape);
/* Bytes of a CTA's shared memory or (NULL) of global memory: are some undefined? `set`: they are defined from now on. */
/* Were all bytes of the CTA's shared memory from `lo` to `hi` written? */
bool init_whole(const struct ccta *, uint32_t lo, uint32_t hi);
bool init_async(struct check *, struct ccta *, uint64_t at, uint32_t bytes, bool set);
void init_async_found(struct check *, struct emu_warp_run *, const struct site *, unsigned lane, struct ccta *,
                      uint64_t at, uint32_t bytes);
void init_define(struct check *, struct ccta *to_cta, uint64_t to, struct ccta *from_cta, uint64_t from,
                 uint32_t bytes);
void init_write(struct check *, struct emu_warp_run *, const struct site *, uint32_t mask, enum ptx_space,
                const uint64_t *addr, uint32_t bytes, enum shape);

/* quiet.c: reads of shared memory between two barriers */
unsigned quiet_shift(uint32_t smem_bytes);
/* A read of the CTA's own memory. True: no race has to be looked for; *defined: nor bytes that nobody has written. */
bool quiet_read(struct emu_warp_run *, struct check *, const struct site *, uint32_t mask, const uint64_t *addr,
                uint32_t bytes, enum shape, bool *defined);
/* c->home's memory is written; `stays`: a barrier of the CTA does not order this. */
void quiet_write(struct check *, const struct ccta *by, uint32_t mask, const uint64_t *addr, uint32_t bytes, enum shape,
                 bool stays);
void quiet_range(struct check *, struct ccta *, uint64_t at, uint32_t bytes);
void quiet_barrier(struct ccta *);

/* roots.c */
void roots_find(struct code *, const struct emu_prog *);
void roots_launch(struct check *, const struct emu_grid *);
void roots_store(struct check *, uint64_t addr);
void roots_know(struct check *, struct site *, uint64_t addr);

/* host.c */
bool host_ordered(const struct check *, const struct launch *);
struct launch *host_launch(struct check *);
/* The destination is as defined as the source; 0 = it is filled. */
void host_define(struct check *, uint64_t to, uint64_t from, uint64_t bytes);
const struct place *host_place(const struct check *, uint64_t addr);

void host_free(struct check *);

/* site.c */
void site_decoded(void *, struct emu_prog *);
void site_free(struct code *);
const struct site *site_at(const struct emu_warp_run *, const struct emu_inst *);
void site_access(struct check *, struct emu_warp_run *, const struct emu_inst *, uint32_t mask, enum ptx_space,
                 const uint64_t *addr, uint32_t bytes);
void site_move(struct check *, struct emu_warp_run *, const struct emu_inst *, unsigned lane, uint64_t to,
               uint64_t from, uint64_t bytes);

/* finding.c */
struct end end_of(const struct launch *, const struct site *, const char *what, uint64_t cta, unsigned thread);
/* Counts a finding: *out; NULL when there are too many. True: it is new and to be filled. */
bool finding_new(struct check *, enum class, uint64_t k0, uint64_t k1, uint64_t k2, struct finding **out);
void finding_done(struct check *, struct finding *);
char *finding_where(struct check *, uint8_t space, uint64_t addr);
void *place_frame(const struct place *);
void place_text(const struct place *, char *out, size_t cap); /* its origin; "" = not known */
/* The same for all instructions of one source line of a kernel; a finding is about lines. */
uint64_t site_line(const struct site *);
extern const char *const class_word[N_CLASS];
extern const char *const class_tool[N_CLASS];
extern const char *const class_text[N_CLASS]; /* what the class is, in one line */

static inline struct ccta *ccta_of(const struct emu_warp_run *r)
{
    return r->w.cta->watched;
}

/* ---- proxy.c: shared memory between the generic and the asynchronous proxy ---- */
void proxy_clear(struct ccta *);
void proxy_store(struct emu_warp_run *, const struct site *, uint32_t mask, const uint64_t *addr, uint32_t bytes);
void proxy_fence(struct emu_warp_run *, uint32_t mask);
void proxy_async(struct check *, struct emu_warp_run *, const struct site *, unsigned lane, struct ccta *,
                 uint32_t offset, uint32_t bytes, bool writes);

#endif
