/*
 * NAME: an L1 prefetcher to start from. When a load misses, it asks for the NAME.degree lines that follow.
 *
 * Lines are dropped by the L1 when they are there already, or when what they need is not free (l1.prefetch_*
 * statistics).
 */
#include <weir/plugin.h>

struct NAME_params {
    uint32_t degree;
};

/* The state of one L1; begins as zeroes. */
struct NAME {
    struct l1_host *host;
    uint32_t degree;
    uint64_t misses, asked; /* statistics */
};

static int init(void *st, const void *params, struct l1_host *host, struct err *e)
{
    struct NAME *s = st;
    const struct NAME_params *p = params;
    (void)e;
    s->host = host;
    s->degree = p->degree;
    return 0;
}

/* Each load once, as it reaches the tags. */
static void on_access(void *st, const struct l1_access *a)
{
    struct NAME *s = st;
    if (a->hit || a->pending)
        return;
    s->misses++;
    for (uint32_t i = 1; i <= s->degree; i++) {
        uint64_t addr = (a->line + i) * s->host->line_size;
        s->asked += l1_prefetch(s->host, addr, a->req->pc, a->req->warp, a->req->cta);
    }
}

static const struct cfg_field params[] = {
    CFG_ROW(struct NAME_params, degree, CFG_INT, "lines", "1", 1, 64, NULL, "lines asked for after a miss"),
    CFG_END,
};
static const struct stat_def stats[] = {
    STAT_ROW(struct NAME, misses, "requests", "misses it saw"),
    STAT_ROW(struct NAME, asked, "lines", "prefetches that found room in the queue"),
    STAT_END,
};

static const struct l1_prefetcher NAME = {
    .info = {.name = "NAME",
             .doc = "Fetches the lines after one that missed.",
             .params = params,
             .params_bytes = sizeof(struct NAME_params),
             .stats = stats},
    .state_bytes = sizeof(struct NAME),
    .init = init,
    .on_access = on_access,
};

WEIR_PLUGIN(WEIR_PREFETCHER(NAME))
