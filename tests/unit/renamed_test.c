/* The old names that weir answers: each new name exists, no old one does, and the look-ups consult the table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/renamed.h"
#include "engine/policy_registry.h"
#include "gpu/gpu_config.h"
#include "gpu/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    VEC(char *) statistic;
    unsigned checked[7]; /* entries, by the bit of their kind */
} all;

static void keep(void *ctx, const struct stat_doc *d)
{
    (void)ctx;
    VEC_PUSH(&all.statistic, xstrdup(d->name));
}

static bool is_statistic(const char *name)
{
    for (size_t i = 0; i < all.statistic.n; i++)
        if (!strcmp(all.statistic.p[i], name))
            return true;
    return false;
}

static const struct cfg_field *in_section(const char *section, size_t n, const char *name, const struct cfg_field *f,
                                          const char *key)
{
    if (strlen(name) != n || strncmp(name, section, n))
        return NULL;
    for (; f && f->key; f++)
        if (!strcmp(f->key, key))
            return f;
    return NULL;
}

static const struct cfg_field *parameter(const char *name)
{
    const struct cfg_schema *s = gpu_schema();
    const char *dot = strchr(name, '.');
    const struct cfg_field *f = NULL;
    size_t n = (size_t)(dot - name);
    for (unsigned i = 0; i < s->n_section && !f; i++)
        f = in_section(name, n, s->section[i]->name, s->section[i]->field, dot + 1);
    for (unsigned i = 0; i < s->n_kind; i++)
        for (unsigned j = 0; j < s->kind[i]->n && !f; j++)
            f = in_section(name, n, s->kind[i]->policy[j]->name, s->kind[i]->policy[j]->params, dot + 1);
    return f;
}

static bool has_choice(const char *assignment)
{
    const char *eq = strchr(assignment, '=');
    char *key = xstrndup(assignment, (size_t)(eq - assignment)), choices[256], want[64];
    const struct cfg_field *f = parameter(key);
    free(key);
    if (!f || !f->choices)
        return false;
    snprintf(choices, sizeof choices, " %s ", f->choices);
    snprintf(want, sizeof want, " %s ", eq + 1);
    return strstr(choices, want);
}

/* An assignment of the name is refused with the new one as the hint. */
static void assignment_is_answered(const char *assignment, const char *hint)
{
    struct err e;
    char section[64], with[80];
    snprintf(section, sizeof section, "%.*s", (int)strcspn(assignment, "."), assignment);
    snprintf(with, sizeof with, "%s", section);
    const struct cfg_schema *s = gpu_schema();
    for (unsigned i = 0; i < s->n_section; i++)
        if (!strcmp(s->section[i]->name, section))
            *with = 0;
    struct cfg *c = cfg_load_text(s, "test.ini", "", &assignment, 1, *with ? with : NULL, &e);
    if (c)
        fail_msg("%s is accepted", assignment);
    if (strcmp(e.hint, hint))
        fail_msg("%s: the hint is '%s', not '%s'", assignment, e.hint, hint);
}

static void check(void *ctx, enum renamed_kind kind, const char *old, const char *now)
{
    (void)ctx;
    char expected[256], hint[256], assignment[128];
    snprintf(expected, sizeof expected, "renamed: %s is now %s", old, now);
    assert_true(renamed_hint(kind, old, hint, sizeof hint));
    assert_string_equal(hint, expected);
    all.checked[__builtin_ctz(kind)]++;
    switch (kind) {
    case RENAMED_STATISTIC:
        if (is_statistic(old) || !is_statistic(now))
            fail_msg("%s is %sa statistic, %s is %sone", old, is_statistic(old) ? "" : "not ", now,
                     is_statistic(now) ? "" : "not ");
        break;
    case RENAMED_PARAMETER:
        if (parameter(old) || !parameter(now))
            fail_msg("%s or %s: the old parameter exists, or the new one does not", old, now);
        snprintf(assignment, sizeof assignment, "%s=1", old);
        assignment_is_answered(assignment, expected);
        break;
    case RENAMED_VALUE:
        assert_false(has_choice(old));
        if (!has_choice(now))
            fail_msg("%s is not possible", now);
        assignment_is_answered(old, expected);
        break;
    case RENAMED_KIND: {
        struct err e;
        bool found = false;
        for (unsigned i = 0; i < gpu_schema()->n_kind; i++)
            found |= !strcmp(gpu_schema()->kind[i]->name, now);
        assert_true(found);
        snprintf(assignment, sizeof assignment, "%s=private", old);
        assert_null(cfg_load_text(gpu_schema(), "test.ini", "", NULL, 0, assignment, &e));
        assert_string_equal(e.hint, expected);
        break;
    }
    case RENAMED_COLUMN:
    case RENAMED_OPTION:
    case RENAMED_PLAN:
        break; /* tests/diff/renamed_cli.sh */
    }
}

static void every_entry(void **state)
{
    (void)state;
    struct err e;
    assert_int_equal(result_each_stat(keep, NULL, &e), 0);
    renamed_each(check, NULL);
    for (unsigned i = 0; i < 7; i++)
        assert_true(all.checked[i] > 0);
    for (size_t i = 0; i < all.statistic.n; i++)
        free(all.statistic.p[i]);
    VEC_FREE(&all.statistic);
}

static void buckets_and_others(void **state)
{
    (void)state;
    char hint[256];
    assert_true(renamed_hint(RENAMED_STATISTIC, "apcm.psb.held.le_100", hint, sizeof hint));
    assert_string_equal(hint, "renamed: apcm.psb.held.le_100 is now apcm.psb.duration.le_100");
    assert_false(renamed_hint(RENAMED_STATISTIC, "apcm.psb.heldx", hint, sizeof hint));
    assert_false(renamed_hint(RENAMED_STATISTIC, "l1.hits", hint, sizeof hint));
    assert_false(renamed_hint(RENAMED_STATISTIC, "icache.ways", hint, sizeof hint)); /* that was a parameter */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_entry), cmocka_unit_test(buckets_and_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
