/*
 * Selective allocation: loads whose lines die unused bypass the L1.
 *
 * Per load (a small direct-mapped table by pc): how many of the lines it fetched were evicted before a second use.
 * Once `samples` of its lines have been evicted and at least `percent` of them were never used again, its misses no
 * longer allocate. Loads marked as streaming never do. Not modeled: the table's ports and its aliasing.
 */
#include "l1/policy.h"

enum { LOADS = 64 };

struct selective_params {
    uint32_t samples, percent;
};

struct selective {
    uint32_t samples, percent;
    struct {
        uint32_t evicted, dead;
    } load[LOADS];
    uint16_t *owner; /* side array: which load fetched a line */
    uint64_t streaming, learned;
};

static int init(void *st, const void *params, struct l1_host *host, struct err *e)
{
    struct selective *s = st;
    const struct selective_params *p = params;
    (void)e;
    s->samples = p->samples;
    s->percent = p->percent;
    s->owner = host->line_state;
    return 0;
}

static enum l1_decision decide(void *st, struct l1_access *a)
{
    struct selective *s = st;
    unsigned i = a->req->pc % LOADS;
    if (a->req->flags & REQ_F_STREAM) {
        s->streaming++;
        return L1_BYPASS_MISS;
    }
    if (s->load[i].evicted >= s->samples && s->load[i].dead * 100 >= s->load[i].evicted * s->percent) {
        s->learned++;
        return L1_BYPASS_MISS;
    }
    return L1_NORMAL;
}

static void on_fill(void *st, const struct req *r, uint32_t entry)
{
    struct selective *s = st;
    s->owner[entry] = (uint16_t)(r->pc % LOADS);
}

static void on_evict(void *st, uint32_t entry, uint64_t line, bool reused)
{
    struct selective *s = st;
    (void)line;
    s->load[s->owner[entry]].evicted++;
    s->load[s->owner[entry]].dead += !reused;
}

static void on_kernel(void *st, uint32_t launch_index)
{
    struct selective *s = st;
    (void)launch_index;
    memset(s->load, 0, sizeof s->load); /* another kernel: other loads */
}

#define T struct selective_params
static const struct cfg_field params[] = {
    CFG_ROW(T, samples, CFG_INT, "lines", "64", 1, 1000000, NULL, "evicted lines of a load before it is judged"),
    CFG_ROW(T, percent, CFG_INT, "%", "90", 1, 100, NULL, "share of them that died unused, to be kept out"),
    CFG_END,
};
static const struct stat_def stats[] = {
    STAT_ROW(struct selective, streaming, "requests", "loads kept out because they are marked as streaming"),
    STAT_ROW(struct selective, learned, "requests", "loads kept out because their lines died unused"),
    STAT_END,
};

const struct l1_management l1_management_selective = {
    .info = {.name = "selective",
             .doc = "Keeps loads out of the L1 whose lines die unused. An example of a policy (docs/add-a-policy.md).",
             .params = params,
             .params_bytes = sizeof(struct selective_params),
             .stats = stats},
    .state_bytes = sizeof(struct selective),
    .line_state_bytes = sizeof(uint16_t),
    .init = init,
    .decide = decide,
    .on_fill = on_fill,
    .on_evict = on_evict,
    .on_kernel = on_kernel,
};
