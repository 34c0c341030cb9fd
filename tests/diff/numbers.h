/* Every counter of a finished run, to be compared with another run's. Included once per test. */
#ifndef WEIR_TESTS_NUMBERS_H
#define WEIR_TESTS_NUMBERS_H

#include "base/mem.h"
#include "engine/stats.h"
#include "gpu/gpu.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

struct numbers {
    unsigned n;
    uint64_t *v;
    char (*name)[96];
};

/* Ends the run; fails the test when an invariant does not hold. */
static inline struct numbers numbers_of(struct gpu *g)
{
    struct err e;
    if (gpu_finish(g, true, &e))
        fail_msg("%s", e.msg);
    const struct gpu_results *r = gpu_get_results(g);
    struct numbers out = {.n = stats_count(r->stats)};
    out.v = xcalloc(out.n, sizeof *out.v);
    out.name = xcalloc(out.n, sizeof *out.name);
    for (unsigned i = 0; i < out.n; i++) {
        out.v[i] = r->total[i];
        snprintf(out.name[i], sizeof out.name[i], "%s", stats_name(r->stats, i)->name);
    }
    return out;
}

static inline void numbers_free(struct numbers *n)
{
    free(n->v);
    free(n->name);
}

static inline void must_equal(const struct numbers *a, const struct numbers *b, const char *what)
{
    assert_int_equal(a->n, b->n);
    for (unsigned i = 0; i < a->n; i++)
        if (a->v[i] != b->v[i])
            fail_msg("%s: %s is %" PRIu64 " and %" PRIu64, what, a->name[i], a->v[i], b->v[i]);
}

/* Fails the test when there is none of that name. */
static inline uint64_t number(const struct numbers *n, const char *name)
{
    for (unsigned i = 0; i < n->n; i++)
        if (!strcmp(n->name[i], name))
            return n->v[i];
    fail_msg("no statistic %s", name);
    return 0;
}

#endif
