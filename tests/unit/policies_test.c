/*
 * Every policy there is, as its table says: names, texts, parameters and statistics that `weir explain`, --with, --set
 * and the JSON document rely on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* POLICY_PURE checks here, whatever the build does. */
#undef WEIR_CHECK_HOOKS
#define WEIR_CHECK_HOOKS 1
#include "engine/policy_registry.h"
#include "gpu/gpu_config.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_word(const char *s)
{
    return *s && strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_.-") == strlen(s);
}

/* A plus is a sum in a metric, so a name with one ("shared++") must not begin that of a parameter or statistic. */
static bool is_name(const struct policy_info *p)
{
    size_t n = strcspn(p->name, "+");
    if (p->name[n] && (p->params || p->stats))
        return false;
    return n && strspn(p->name, "abcdefghijklmnopqrstuvwxyz0123456789_-+") == strlen(p->name);
}

static void check_texts(const struct policy_info *p)
{
    if (!is_name(p))
        fail_msg("'%s' is no name for a policy", p->name);
    size_t n = strlen(p->doc);
    if (n < 10 || p->doc[n - 1] != '.')
        fail_msg("%s: its text is not a sentence: %s", p->name, p->doc);
    for (const struct cfg_field *f = p->params; f && f->key; f++)
        if (!is_word(f->key) || !f->doc || strlen(f->doc) < 5)
            fail_msg("%s.%s is not explained", p->name, f->key);
    for (const struct stat_def *d = p->stats; d && d->name; d++)
        if (!is_word(d->name) || !d->doc || strlen(d->doc) < 5)
            fail_msg("%s.%s is not explained", p->name, d->name);
    unsigned columns = 0, texts = 0;
    for (const struct load_column *c = p->load_columns; c && c->name; c++, columns++) {
        texts += c->combine == LOAD_TEXT;
        if (!is_word(c->name) || !c->unit || !c->doc || strlen(c->doc) < 5)
            fail_msg("the column %s of %s is not explained", c->name, p->name);
    }
    if (columns > LOAD_COLUMNS || texts > LOAD_TEXTS || !p->load_columns != !p->report_loads)
        fail_msg("%s: too many columns, or columns without report_loads", p->name);
}

/* Policies of one name share their section and the prefix of their statistics: no key may be in two of them. */
static void check_apart(const struct policy_info *a, const struct policy_info *b)
{
    for (const struct cfg_field *f = a->params; f && f->key; f++)
        for (const struct cfg_field *g = b->params; g && g->key; g++)
            if (!strcmp(f->key, g->key))
                fail_msg("two policies have the parameter %s.%s", a->name, f->key);
    for (const struct stat_def *f = a->stats; f && f->name; f++)
        for (const struct stat_def *g = b->stats; g && g->name; g++)
            if (!strcmp(f->name, g->name))
                fail_msg("two policies have the statistic %s.%s", a->name, f->name);
    for (const struct load_column *f = a->load_columns; f && f->name; f++)
        for (const struct load_column *g = b->load_columns; g && g->name; g++)
            if (!strcmp(f->name, g->name))
                fail_msg("two policies have the column %s.%s", a->name, f->name);
}

static void every_policy_is_in_order(void **state)
{
    (void)state;
    const struct cfg_schema *s = gpu_schema();
    for (unsigned i = 0; i < s->n_kind; i++)
        for (unsigned j = 0; j < s->kind[i]->n; j++) {
            const struct policy_info *p = s->kind[i]->policy[j];
            check_texts(p);
            assert_int_equal(policy_find(s->kind[i], p->name), j); /* no other of this name in its kind */
            for (unsigned k = 0; k < s->n_section; k++)
                if (!strcmp(p->name, s->section[k]->name))
                    fail_msg("the policy %s is called like a section", p->name);
            for (unsigned k = i + 1; k < s->n_kind; k++) {
                int other = policy_find(s->kind[k], p->name);
                if (other >= 0)
                    check_apart(p, s->kind[k]->policy[other]);
            }
        }
}

/* Each can be chosen alone by its name, on a machine that has what it needs. */
static void every_policy_can_be_chosen(void **state)
{
    (void)state;
    const struct cfg_schema *s = gpu_schema();
    for (unsigned i = 0; i < s->n_kind; i++)
        for (unsigned j = 0; j < s->kind[i]->n; j++) {
            struct err e;
            const char *name = s->kind[i]->policy[j]->name;
            struct cfg *c = cfg_load(s, "mesh28", NULL, 0, name, &e);
            if (!c)
                fail_msg("--with %s: %s", name, e.msg);
            assert_string_equal(cfg_chosen(c, s->kind[i]->name), name);
            cfg_free(c);
        }
}

/* Half of a mechanism that needs the second half of the policy is refused, with the way out. */
static void halves_are_refused(void **state)
{
    (void)state;
    static const char *const with[] = {"scheduler=ccws", "scheduler=pcal", "scheduler=ccws,apcm"};
    for (unsigned i = 0; i < sizeof with / sizeof *with; i++) {
        struct err e;
        assert_null(cfg_load(gpu_schema(), "gtx480", NULL, 0, with[i], &e));
        assert_non_null(strstr(e.msg, "the second half of the policy"));
        assert_non_null(strstr(e.hint, "--with"));
    }
}

struct pure_state {
    uint64_t calls, line[3];
    enum { PURE, COUNTS_IN_STATE, WRITES_LINE, COUNTS_ELSEWHERE } how;
};

static unsigned elsewhere;

static unsigned pure_hook(struct pure_state *s)
{
    s->calls += s->how == COUNTS_IN_STATE;
    s->line[2] += s->how == WRITES_LINE;
    return s->how == COUNTS_ELSEWHERE ? elsewhere++ : 7;
}

static void hooks_that_change_state_end_the_run(void **state)
{
    (void)state;
    static const struct policy_info info = {.name = "probe"};
    for (int how = PURE; how <= COUNTS_ELSEWHERE; how++) {
        int say[2], status;
        assert_int_equal(pipe(say), 0);
        const pid_t pid = fork();
        if (!pid) {
            struct pure_state s = {.how = how};
            dup2(say[1], STDERR_FILENO);
            unsigned answer = POLICY_PURE(
                &info, ((struct policy_memory){&s, s.line, offsetof(struct pure_state, line), sizeof s.line}), "hook",
                pure_hook(&s));
            _exit(answer == 7 ? 0 : 1);
        }
        close(say[1]);
        char text[200] = {0};
        size_t length = 0;
        for (ssize_t n; (n = read(say[0], text + length, sizeof text - 1 - length)) > 0;)
            length += (size_t)n;
        close(say[0]);
        waitpid(pid, &status, 0);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), how == PURE ? 0 : 2);
        assert_true((length > 0) == (how != PURE));
        assert_true(how == PURE || strstr(text, "error in policy 'probe': hook must neither change state"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_policy_is_in_order),
        cmocka_unit_test(every_policy_can_be_chosen),
        cmocka_unit_test(halves_are_refused),
        cmocka_unit_test(hooks_that_change_state_end_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
