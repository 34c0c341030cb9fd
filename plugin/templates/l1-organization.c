/*
 * NAME: an organization of the L1s to start from. Every SM keeps its lines in its own L1, but one line in NAME.every is
 * left to the L2. Return L1_ROUTE_REMOTE and set *home where a line shall live in the L1 of another SM (and set
 * .remote: the machine must then have a network between SMs).
 */
#include <weir/plugin.h>

struct NAME_params {
    uint32_t every;
};

/* The state of one L1; begins as zeroes. */
struct NAME {
    uint32_t every;
    uint64_t local, left; /* statistics */
};

static int init(void *st, const void *params, struct l1_host *host, struct err *e)
{
    struct NAME *s = st;
    const struct NAME_params *p = params;
    (void)host, (void)e;
    s->every = p->every;
    return 0;
}

/* Where this SM's request for a line goes. */
static enum l1_route route(void *st, const struct req *r, uint64_t line, uint32_t set, uint32_t *home)
{
    struct NAME *s = st;
    (void)r, (void)set, (void)home;
    if (line % s->every == 0) {
        s->left++;
        return L1_ROUTE_L2;
    }
    s->local++;
    return L1_ROUTE_LOCAL;
}

static const struct cfg_field params[] = {
    CFG_ROW(struct NAME_params, every, CFG_INT, "lines", "8", 1, 1000000, NULL, "one line in so many stays in the L2"),
    CFG_END,
};
static const struct stat_def stats[] = {
    STAT_ROW(struct NAME, local, "requests", "requests for lines that live in the SM's own L1"),
    STAT_ROW(struct NAME, left, "requests", "requests for lines that live in the L2 only"),
    STAT_END,
};

static const struct l1_organization NAME = {
    .info = {.name = "NAME",
             .doc = "Leaves some lines to the L2.",
             .params = params,
             .params_bytes = sizeof(struct NAME_params),
             .stats = stats},
    .state_bytes = sizeof(struct NAME),
    .init = init,
    .route = route,
};

WEIR_PLUGIN(WEIR_L1_ORGANIZATION(NAME))
