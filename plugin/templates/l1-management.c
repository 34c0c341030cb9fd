/*
 * NAME: an L1 replacement policy to start from. It replaces the line that was brought in first (FIFO), where the
 * baseline replaces the least recently used; with NAME.spare = yes, lines that were used again go last.
 *
 * Not modeled: the bits of storage and the comparators it would take.
 */
#include <weir/plugin.h>

struct NAME_params {
    bool spare;
};

/* What is kept of a line, in the policy's side array. */
struct NAME_line {
    uint64_t filled; /* order of arrival */
    bool reused;
};

/* The state of one L1; begins as zeroes. */
struct NAME {
    const struct tags *tags;
    struct NAME_line *line; /* by entry of the tags */
    uint64_t fills;
    bool spare;
    uint64_t evicted, dead; /* statistics */
};

static int init(void *st, const void *params, struct l1_host *host, struct err *e)
{
    struct NAME *s = st;
    const struct NAME_params *p = params;
    (void)e;
    s->tags = host->tags;
    s->line = host->line_state;
    s->spare = p->spare;
    return 0;
}

/* A line has arrived. */
static void on_fill(void *st, const struct req *r, uint32_t entry)
{
    struct NAME *s = st;
    (void)r;
    s->line[entry] = (struct NAME_line){.filled = ++s->fills};
}

static void on_hit(void *st, const struct l1_access *a)
{
    struct NAME *s = st;
    if (a->entry >= 0)
        s->line[a->entry].reused = true;
}

/*
 * One way of `candidates` (a bit each, never 0) must go. Changes nothing: the same access may be asked about again,
 * when something else that it needs was not free.
 */
static uint32_t victim(void *st, const struct l1_access *a, uint64_t candidates)
{
    const struct NAME *s = st;
    uint32_t best = L1_NO_VICTIM;
    uint64_t first = UINT64_MAX;
    for (; candidates; candidates &= candidates - 1) {
        uint32_t way = (uint32_t)__builtin_ctzll(candidates);
        const struct NAME_line *l = &s->line[a->set * s->tags->n_way + way];
        uint64_t rank = l->filled + (s->spare && l->reused ? UINT64_MAX / 2 : 0);
        if (rank < first) {
            first = rank;
            best = way;
        }
    }
    return best;
}

static void on_evict(void *st, uint32_t entry, uint64_t line, bool reused)
{
    struct NAME *s = st;
    (void)entry, (void)line;
    s->evicted++;
    s->dead += !reused;
}

static const struct cfg_field params[] = {
    CFG_ROW(struct NAME_params, spare, CFG_BOOL, "", "no", 0, 1, NULL, "whether lines that were used again go last"),
    CFG_END,
};
static const struct stat_def stats[] = {
    STAT_ROW(struct NAME, evicted, "lines", "lines that were replaced"),
    STAT_ROW(struct NAME, dead, "lines", "of these, never used after they had come"),
    STAT_END,
};

static const struct l1_management NAME = {
    .info = {.name = "NAME",
             .doc = "Replaces the line that was brought in first.",
             .params = params,
             .params_bytes = sizeof(struct NAME_params),
             .stats = stats},
    .state_bytes = sizeof(struct NAME),
    .line_state_bytes = sizeof(struct NAME_line),
    .init = init,
    .on_fill = on_fill,
    .on_hit = on_hit,
    .victim = victim,
    .on_evict = on_evict,
};

WEIR_PLUGIN(WEIR_L1_MANAGEMENT(NAME))
