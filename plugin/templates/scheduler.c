/*
 * NAME: a warp scheduler to start from. The oldest warp that can issue does, but a warp that has issued NAME.turn times
 * in a row makes room for the next.
 */
#include <weir/plugin.h>

struct NAME_params {
    uint32_t turn;
};

/* The state of one scheduler of one SM; begins as zeroes. */
struct NAME {
    uint32_t turn;
    uint32_t in_a_row;
    int last;                  /* the warp that issued last */
    uint64_t picks, rotations; /* statistics */
};

static int init(void *st, const void *params, const struct sched_geom *geom, struct err *e)
{
    struct NAME *s = st;
    const struct NAME_params *p = params;
    (void)geom, (void)e;
    s->turn = p->turn;
    s->last = SCHED_NONE;
    return 0;
}

/* A warp of v->issuable, which is never empty. May only change the state for the warp it returns. */
static int pick(void *st, const struct sched_view *v)
{
    struct NAME *s = st;
    uint64_t can = v->issuable;
    if (s->last >= 0 && s->in_a_row >= s->turn && can & ~(1ull << s->last)) {
        can &= ~(1ull << s->last);
        s->rotations++;
    }
    int best = __builtin_ctzll(can);
    for (; can; can &= can - 1)
        if (v->age[__builtin_ctzll(can)] < v->age[best])
            best = __builtin_ctzll(can);
    s->picks++;
    return best;
}

static void on_issue(void *st, unsigned warp)
{
    struct NAME *s = st;
    s->in_a_row = (int)warp == s->last ? s->in_a_row + 1 : 1;
    s->last = (int)warp;
}

static const struct cfg_field params[] = {
    CFG_ROW(struct NAME_params, turn, CFG_INT, "instructions", "8", 1, 1000000, NULL,
            "instructions a warp issues in a row before another may"),
    CFG_END,
};
static const struct stat_def stats[] = {
    STAT_ROW(struct NAME, picks, "instructions", "times a warp was chosen"),
    STAT_ROW(struct NAME, rotations, "instructions", "times the warp that issued last was passed over"),
    STAT_END,
};

static const struct sm_sched NAME = {
    .info = {.name = "NAME",
             .doc = "The oldest warp issues, for a limited number of instructions in a row.",
             .params = params,
             .params_bytes = sizeof(struct NAME_params),
             .stats = stats},
    .state_bytes = sizeof(struct NAME),
    .init = init,
    .pick = pick,
    .on_issue = on_issue,
};

WEIR_PLUGIN(WEIR_SCHEDULER(NAME))
