/*
 * A stride prefetcher: a direct-mapped table by load and warp, as in processors (Chen and Baer, 1995).
 *
 * Only the first line of an execution is followed. Not modeled: the table's ports.
 */
#include <weir/plugin.h>

enum { ENTRIES = 256, LOADS = 256 };

struct stride_params {
    uint32_t distance;
};

struct stride {
    struct l1_host *host;
    uint32_t distance;
    struct {
        uint32_t pc, warp;
        uint64_t line;
        int64_t step;
        bool sure; /* the last two steps were equal */
    } entry[ENTRIES];
    uint64_t asked;
    uint64_t by_load[LOADS];
};

static int init(void *st, const void *params, struct l1_host *host, struct err *e)
{
    struct stride *s = st;
    (void)e;
    s->host = host;
    s->distance = ((const struct stride_params *)params)->distance;
    return 0;
}

static void on_access(void *st, const struct l1_access *a)
{
    struct stride *s = st;
    const struct req *r = a->req;
    if (r->nth)
        return;
    __typeof__(&s->entry[0]) x = &s->entry[(r->pc * 31 + r->warp) % ENTRIES];
    if (x->pc != r->pc || x->warp != r->warp) {
        *x = (__typeof__(*x)){.pc = r->pc, .warp = r->warp, .line = a->line};
        return;
    }
    int64_t step = (int64_t)(a->line - x->line);
    x->sure = step && step == x->step;
    x->step = step;
    x->line = a->line;
    if (!x->sure)
        return;
    uint64_t ahead = a->line + (uint64_t)(step * s->distance);
    if (l1_prefetch(s->host, ahead * s->host->line_size, r->pc, r->warp, r->cta)) {
        s->asked++;
        s->by_load[r->pc % LOADS]++;
    }
}

static void on_kernel(void *st, uint32_t launch_index)
{
    struct stride *s = st;
    (void)launch_index;
    memset(s->entry, 0, sizeof s->entry); /* another kernel: other loads */
    memset(s->by_load, 0, sizeof s->by_load);
}

static const struct load_column columns[] = {
    {"asked", "asked", "lines", LOAD_SUM, "lines asked for ahead of this load"},
    LOAD_COLUMN_END,
};

static void report_loads(const void *st, load_row *row, void *ctx)
{
    const struct stride *s = st;
    for (uint32_t pc = 0; pc < LOADS; pc++)
        if (s->by_load[pc])
            row(ctx, pc, &LOAD_NUMBER(s->by_load[pc]));
}

static const struct cfg_field params[] = {
    CFG_ROW(struct stride_params, distance, CFG_INT, "steps", "1", 1, 64, NULL, "how many steps ahead"),
    CFG_END,
};
static const struct stat_def stats[] = {
    STAT_ROW(struct stride, asked, "lines", "prefetches that found room in the queue"),
    STAT_END,
};

static const struct l1_prefetcher stride = {
    .info = {.name = "stride",
             .doc = "Prefetches along the strides of each load and warp.",
             .params = params,
             .params_bytes = sizeof(struct stride_params),
             .stats = stats,
             .load_columns = columns,
             .report_loads = report_loads},
    .state_bytes = sizeof(struct stride),
    .init = init,
    .on_access = on_access,
    .on_kernel = on_kernel,
};

WEIR_PLUGIN(WEIR_PREFETCHER(stride))
