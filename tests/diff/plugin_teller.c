/*
 * A plugin with two policies for the test plugin.sh: a prefetcher and an organization that both tell about loads, with
 * a histogram, faults of their own, and calls of weir's functions.
 */
#include <weir/plugin.h>

enum { LOADS = 256 };
static const uint64_t bounds[] = {100, 1000, 10000};

struct teller_params {
    uint32_t loads, fault;
};

struct teller {
    struct l1_host *host;
    uint64_t begun, accesses;
    uint64_t since[4]; /* histogram: cycles since the kernel began */
    struct {
        uint64_t accesses, hits, last;
    } load[LOADS];
};

static int init(void *st, const void *params, struct l1_host *host, struct err *e)
{
    struct teller *s = st;
    const struct teller_params *p = params;
    s->host = host;
    if (p->fault) {
        err_set(e, "fault %u was asked for on SM %u", p->fault, host->sm);
        return err_hint(e, "teller.fault=0");
    }
    return 0;
}

static void on_access(void *st, const struct l1_access *a)
{
    struct teller *s = st;
    s->accesses++;
    stat_hist_add(s->since, bounds, 3, l1_now(s->host) - s->begun);
    if (a->req->pc >= LOADS)
        return;
    s->load[a->req->pc].accesses++;
    s->load[a->req->pc].hits += a->hit;
    s->load[a->req->pc].last = l1_now(s->host) - s->begun;
}

static void on_kernel(void *st, uint32_t launch_index)
{
    struct teller *s = st;
    (void)launch_index;
    s->begun = l1_now(s->host);
    memset(s->load, 0, sizeof s->load);
}

enum { HABIT, ACCESSES, HITS, LAST, COLUMNS };
static const struct load_column columns[COLUMNS + 1] = {
    [HABIT] = {"habit", "habit", "", LOAD_TEXT, "whether it hits at all"},
    [ACCESSES] = {"accesses", NULL, "requests", LOAD_SUM, "line requests it saw"},
    [HITS] = {"hits", "its hits", "requests", LOAD_SUM, "hits it saw", .share_of = "accesses"},
    [LAST] = {"last", "last at", "cycles", LOAD_MAX, "the last access after the kernel's begin"},
    [COLUMNS] = LOAD_COLUMN_END,
};

static void report_loads(const void *st, load_row *row, void *ctx)
{
    const struct teller *s = st;
    for (uint32_t pc = 0; pc < LOADS; pc++) {
        if (!s->load[pc].accesses)
            continue;
        const struct load_value v[COLUMNS] = {[HABIT] = LOAD_WORD(s->load[pc].hits ? "hits" : "never"),
                                              [ACCESSES] = LOAD_NUMBER(s->load[pc].accesses),
                                              [HITS] = LOAD_NUMBER(s->load[pc].hits),
                                              [LAST] = LOAD_NUMBER(s->load[pc].last)};
        row(ctx, pc, v);
    }
}

static int check(const struct cfg *c, const void *params, struct err *e)
{
    const struct teller_params *p = params;
    const struct l1_cache_config *l1 = cfg_section(c, "l1");
    if (p->loads > l1->mshrs)
        return cfg_fault(c, "teller.loads", e, "%u loads are more than the %u MSHRs of %s", p->loads, l1->mshrs,
                         cfg_machine(c));
    return 0;
}

static const struct cfg_field params[] = {
    CFG_ROW(struct teller_params, loads, CFG_INT, "loads", "1", 0, 1000000, NULL, "refused above the number of MSHRs"),
    CFG_ROW(struct teller_params, fault, CFG_INT, "", "0", 0, 9, NULL, "not 0: it refuses to be built"),
    CFG_END,
};
static const struct stat_def stats[] = {
    STAT_ROW(struct teller, accesses, "requests", "loads it saw"),
    STAT_HISTOGRAM(struct teller, since, "since", "cycles", bounds, "when they came, from the kernel's begin"),
    STAT_END,
};

static const struct l1_prefetcher teller = {
    .info = {.name = "teller",
             .doc = "Prefetches nothing and tells what it sees.",
             .params = params,
             .params_bytes = sizeof(struct teller_params),
             .stats = stats,
             .load_columns = columns,
             .report_loads = report_loads,
             .check = check},
    .state_bytes = sizeof(struct teller),
    .init = init,
    .on_access = on_access,
    .on_kernel = on_kernel,
};

/* ---- the organization: lines stay where they are, and it tells how far the L2 is ---- */
struct far {
    struct l1_host *host;
    uint64_t hops[LOADS], asked[LOADS];
};

static int far_init(void *st, const void *p, struct l1_host *host, struct err *e)
{
    struct far *s = st;
    (void)p, (void)e;
    s->host = host;
    return 0;
}

static enum l1_route route(void *st, const struct req *r, uint64_t line, uint32_t set, uint32_t *home)
{
    struct far *s = st;
    (void)set, (void)home;
    if (r->pc < LOADS) {
        s->asked[r->pc]++;
        s->hops[r->pc] += l1_hops_to_l2(s->host, line * s->host->line_size);
    }
    return L1_ROUTE_LOCAL;
}

static const struct load_column far_columns[] = {
    {"asked", "asked", "requests", LOAD_SUM, "requests it saw"},
    {"hops", "hops", "hops", LOAD_SUM, "sum of their distances to the L2"},
    LOAD_COLUMN_END,
};

static void far_report(const void *st, load_row *row, void *ctx)
{
    const struct far *s = st;
    for (uint32_t pc = 0; pc < LOADS; pc++)
        if (s->asked[pc])
            row(ctx, pc, (const struct load_value[]){LOAD_NUMBER(s->asked[pc]), LOAD_NUMBER(s->hops[pc])});
}

static const struct l1_organization far = {
    .info = {.name = "far",
             .doc = "Leaves lines where they are and tells how far the L2 is.",
             .load_columns = far_columns,
             .report_loads = far_report},
    .state_bytes = sizeof(struct far),
    .init = far_init,
    .route = route,
};

WEIR_PLUGIN(WEIR_PREFETCHER(teller), WEIR_L1_ORGANIZATION(far))
