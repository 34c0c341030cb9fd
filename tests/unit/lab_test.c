/* Plans, tables, published values, the store and the pool: what sweeps are made of. */
#include "base/out_of_memory.h"
#include "report/published.h"
#include "study/figure.h"
#include "report/interact.h"
#include "study/study.h"
#include "study/metric.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <unistd.h>
/* after what it needs */
#include <cmocka.h>
#include <sqlite3.h>

static const char *recording; /* a small one, from the command line */

/* A file with this text in a folder of its own; removed by drop(). */
struct scratch {
    char folder[64], path[128];
};
static struct scratch put(const char *name, const char *text)
{
    struct scratch s = {.folder = "/tmp/weir-lab-XXXXXX"};
    assert_non_null(mkdtemp(s.folder));
    snprintf(s.path, sizeof s.path, "%s/%s", s.folder, name);
    FILE *f = fopen(s.path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    return s;
}
static void drop(const struct scratch *s)
{
    unlink(s->path);
    rmdir(s->folder);
}

/* ---- plans ---- */

static void test_plan(void **state)
{
    (void)state;
    struct scratch s = put("p.ini",
                           "[figure]\n"
                           "number = 7\n"
                           "title = a title that\n"
                           "  goes on\n"
                           "programs = bfs, spmv\n"
                           "normalize = a\n"
                           "average = geometric\n"
                           "[variant a]\n"
                           "with = lrr\n"
                           "[variant b]\n"
                           "label = second\n"
                           "set = l1.size=32KiB sm.scheduler=gto\n"
                           "  l1.assoc=4\n"
                           "best = x.y: 1 2 4\n"
                           "  8\n"
                           "best = z.w: no yes\n"
                           "over = b\n");
    struct plan p;
    struct err e;
    assert_int_equal(plan_read(&p, s.path, &e), 0);
    assert_string_equal(p.title, "a title that goes on");
    assert_string_equal(p.metric, "ipc");
    assert_true(p.geometric);
    assert_int_equal(p.programs.word.n, 2);
    assert_string_equal(p.programs.word.p[1], "spmv");
    assert_int_equal(p.variants.word.n, 2); /* those of the file, in its order */
    const struct plan_variant *a = plan_find(&p, "a"), *b = plan_find(&p, "b");
    assert_ptr_equal(plan_divisor(&p, a), a);
    assert_ptr_equal(plan_divisor(&p, b), b);
    assert_int_equal(b->set.word.n, 3);
    assert_string_equal(b->set.word.p[2], "l1.assoc=4");
    assert_int_equal(b->best.n, 2);
    assert_string_equal(b->best.p[0].key, "x.y");
    assert_int_equal(b->best.p[0].value.word.n, 4);
    assert_string_equal(b->best.p[0].value.word.p[3], "8");
    assert_string_equal(b->best.p[1].value.word.p[1], "yes");
    plan_free(&p);
    drop(&s);
}

static void test_plan_faults(void **state)
{
    (void)state;
#define HEAD "[figure]\ntitle = t\nprograms = bfs\n"
    static const struct {
        const char *text;
        int line;
        const char *says;
    } bad[] = {
        {"", 0, "title"},
        {"[figure]\ntitle = t\n", 0, "needs a programs key"},
        {HEAD, 0, "no [variant NAME]"},
        {HEAD "titel = x\n", 4, "there is no key 'titel'"},
        {HEAD "title = x\n", 4, "given twice"},
        {HEAD "kind = pie\n", 4, "kind = pie"},
        {HEAD "[variant a]\n[variant b]\nwith = lrr\n", 4, "empty"},
        {HEAD "[variant b]\nwith = lrr\n\n[variant a]\n", 7, "empty"},
        {HEAD "normalize = b\n[variant a]\nwith = lrr\n", 4, "no variant 'b'"},
        {HEAD "variants = a c\n[variant a]\nwith = lrr\n", 4, "no variant 'c'"},
        {HEAD "[variant a]\nover = z\n", 5, "no variant 'z'"},
        {HEAD "[variant a]\nbest = x.y\n", 5, "KEY: VALUE"},
        {HEAD "[variant a]\nbest = x.y:\n", 5, "no values"},
        {HEAD "[variant a]\nbest = x.y: 1 2\nrefine = maybe\n", 6, "yes or no"},
        {HEAD "[variant a]\nrefine = yes\n", 5, "'best' lines"},
        {HEAD "[variant a]\nbest = x.y: 1 4 2\nrefine = yes\n", 5, "2 is not a whole number above"},
        {HEAD "[variant a]\nbest = x.y: 1KiB 2KiB\nrefine = yes\n", 5, "1KiB is not a whole number"},
        {HEAD "[variant a]\nwiht = lrr\n", 5, "no key 'wiht'"},
        {HEAD "[figures]\na = b\n", 5, "no section [figures]"},
        {HEAD "nonsense\n", 4, "expected [section]"},
        {HEAD "base = none.ini\n[variant a]\nwith = lrr\n", 4, "no file"},
        {HEAD "published = none.ini\n[variant a]\nwith = lrr\n", 4, "no file"},
        {HEAD "[paper]\nfirst = KMN\n", 5, "PROGRAM:LAUNCHES"},
        {HEAD "metric =\n", 4, "no value"},
        {HEAD "parts = a\n[variant a]\nwith = lrr\n", 4, "kind = interactions"},
        {HEAD "kind = interactions\nparts = a\n[variant a]\nwith = lrr\n", 0, "2 to 6 parts"},
        {HEAD "kind = interactions\nparts = a b\n[variant a]\nwith = lrr\n", 0, "without any"},
        {HEAD "kind = interactions\nparts = a b\nnormalize = a\n[variant a]\nwith = lrr\n", 5, "no variant 'b'"},
        {HEAD "kind = interactions\nparts = a a\nnormalize = a\n[variant a]\nwith = lrr\n", 5, "listed twice"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct scratch s = put("p.ini", bad[i].text);
        struct plan p;
        struct err e;
        assert_int_equal(plan_read(&p, s.path, &e), -1);
        if (e.line != bad[i].line || !strstr(e.msg, bad[i].says) || strcmp(e.file, s.path))
            fail_msg("case %zu: %s:%d: %s", i, e.file, e.line, e.msg);
        drop(&s);
    }
    struct plan p;
    struct err e;
    assert_int_equal(plan_read(&p, "/nowhere/p.ini", &e), -1);
    /* A line longer than inih takes is refused, not cut in two. */
    char *line = xmalloc(4000);
    memset(line, 'x', 3999);
    line[3999] = 0;
    struct scratch s = put("p.ini", line);
    assert_int_equal(plan_read(&p, s.path, &e), -1);
    assert_int_equal(e.line, 1);
    drop(&s);
    free(line);
}

/* ---- tables ---- */

static void test_means(void **state)
{
    (void)state;
    struct table t = {0};
    table_add_column(&t, "a", "A");
    table_add_column(&t, "b", "B");
    static const struct {
        const char *label, *group;
        double a, b;
    } rows[] = {{"P", "x", 1, 4}, {"Q", "x", 3, 1}, {"R", "y", 8, NAN}};
    for (int i = 0; i < 3; i++) {
        double *cell = table_add_row(&t, rows[i].label, rows[i].group);
        cell[0] = rows[i].a;
        cell[1] = rows[i].b;
    }
    unsigned n, missing;
    assert_true(table_mean(&t, 0, "all", NULL, NULL) == 4);
    assert_true(table_mean(&t, 0, "x", NULL, NULL) == 2);
    assert_true(table_mean(&t, 0, "Q+y", NULL, NULL) == 5.5);
    assert_true(table_mean(&t, 1, "all", &n, &missing) == 2.5);
    assert_int_equal(n, 2);
    assert_int_equal(missing, 1);
    assert_true(isnan(table_mean(&t, 1, "y", NULL, NULL)));
    assert_true(isnan(table_mean(&t, 0, "nobody", NULL, NULL)));
    t.row.p[0].partial = true; /* in no mean of any column */
    assert_true(table_mean(&t, 0, "all", &n, &missing) == 5.5);
    assert_true(table_mean(&t, 1, "all", NULL, NULL) == 1);
    assert_int_equal(n, 2);
    assert_int_equal(missing, 1);
    t.row.p[0].partial = false;
    t.geometric = true;
    assert_true(fabs(table_mean(&t, 1, "all", NULL, NULL) - 2) < 1e-12);
    table_add_mean(&t, "all"); /* and means are not averaged again */
    assert_int_equal(t.row.n, 4);
    assert_true(fabs(table_mean(&t, 1, "all", NULL, NULL) - 2) < 1e-12);
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    table_print(&t, true, f);
    fclose(f);
    assert_non_null(strstr(text, "| R "));
    assert_non_null(strstr(text, "8.000"));
    assert_non_null(strstr(text, "- |"));
    assert_non_null(strstr(text, "mean, n = "));
    free(text);
    table_free(&t);
}

static void test_digits(void **state)
{
    (void)state;
    struct table t = {0};
    table_add_column(&t, "a", "A");
    static const struct {
        double value;
        const char *ratio, *quantity;
    } cases[] = {{1.2344, "1.234", "1.234"},
                 {0.5, "0.500", "0.500"},
                 {0.0021339, "0.002", "0.002134"},
                 {0.05, "0.050", "0.05000"},
                 {-3.4e-7, "-0.000", "-3.400e-07"},
                 {0, "0.000", "0.000"},
                 {123.45, "123.5", "123.5"},
                 {9176, "9176", "9176"},
                 {NAN, "-", "-"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[32];
        t.quantity = false;
        table_cell(&t, 0, cases[i].value, text);
        assert_string_equal(text, cases[i].ratio);
        t.quantity = true;
        table_cell(&t, 0, cases[i].value, text);
        assert_string_equal(text, cases[i].quantity);
    }
    t.percent = true;
    char text[32];
    table_cell(&t, 0, 0.0123, text);
    assert_string_equal(text, "1.2%");
    table_free(&t);
}

static char *printed(const struct table *t, bool markdown)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    table_print(t, markdown, f);
    table_put_marks(t, "  ", f);
    fclose(f);
    return text;
}

/* The script that draws the table. */
static char *script_of(const struct table *t, const struct plot *p)
{
    struct scratch s = put("x", "");
    char stem[160], *script = xcalloc(1, 32768);
    struct err e;
    snprintf(stem, sizeof stem, "%s/plot", s.folder);
    plot_write(t, p, stem, &e);
    static const char *const endings[] = {"gp", "svg"};
    for (int i = 0; i < 2; i++) {
        char path[180];
        snprintf(path, sizeof path, "%s.%s", stem, endings[i]);
        FILE *f = fopen(path, "r");
        if (f && !i)
            script[fread(script, 1, 32767, f)] = 0;
        if (f)
            fclose(f);
        unlink(path);
    }
    drop(&s);
    return script;
}

/* A key of many or long names makes the picture higher, and no two names look the same in it. */
static void test_key(void **state)
{
    (void)state;
    static const struct {
        unsigned columns, width_px, height_px, key_columns;
        const char *name;
    } cases[] = {{2, 560, 380, 4, "short"},
                 {5, 560, 380 + 18, 4, "short"},
                 {8, 560, 380 + 7 * 18, 1, "the name of a variant with all of its policies and sizes"},
                 {40, 780, 380 + 9 * 18, 4, "size=16KiB"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct table t = {0};
        for (unsigned c = 0; c < cases[i].columns; c++)
            table_add_column(&t, "c", cases[i].name);
        double *cell = table_add_row(&t, "row", "");
        for (unsigned c = 0; c < cases[i].columns; c++)
            cell[c] = 1;
        char *script = script_of(&t, &(struct plot){.title = "t", .axis = "a"}), want[64], key[64];
        snprintf(want, sizeof want, "terminal svg size %u,%u ", cases[i].width_px, cases[i].height_px);
        snprintf(key, sizeof key, "set key maxcols %u\n", cases[i].key_columns);
        if (!strstr(script, want) || !strstr(script, key))
            fail_msg("no '%s' or '%s' in: %s", want, key, script);
        /* How the first and the tenth column look. */
        assert_non_null(strstr(script, "'#999999' title columnheader(2)"));
        if (cases[i].columns > 9) {
            assert_non_null(strstr(script, "'#999999' fs pattern 4 border rgb '#444444' title columnheader(11)"));
            assert_non_null(strstr(script, "'#999999' fs pattern 5 border rgb '#444444' title columnheader(20)"));
        }
        free(script);
        table_free(&t);
    }
}

/* A note on a program below the table is marked at its name, however the table and the picture are laid out. */
static void test_marks(void **state)
{
    (void)state;
    struct table t = {0};
    for (int i = 0; i < 12; i++) {
        char name[] = {'n', 'a', 'm', 'e', ' ', 'o', 'f', ' ', (char)('a' + i), 0};
        table_add_column(&t, name, name);
    }
    for (int i = 0; i < 2; i++) {
        double *cell = table_add_row(&t, i ? "busy" : "idle_program", "");
        for (int c = 0; c < 12; c++)
            cell[c] = 1;
    }
    t.row.p[0].idle = true;
    char *across = printed(&t, false);
    assert_non_null(strstr(across, "\n  idle_program*  "));
    assert_non_null(strstr(across, "\n  busy           "));
    free(across);
    table_add_column(&t, "long", "a name so long that the table is turned around on a screen of 150 characters");
    for (int i = 0; i < 2; i++) {
        t.row.p[i].cell = xrealloc(t.row.p[i].cell, 14 * sizeof(double));
        t.row.p[i].cell[12] = 1;
    }
    char *turned = printed(&t, false);
    assert_null(strstr(turned, "\n  busy"));
    assert_non_null(strstr(turned, "  idle_program*       busy\n"));
    assert_non_null(strstr(turned, "          1.000      1.000\n"));
    assert_non_null(strstr(turned, "\n  * most SMs had no CTA"));
    free(turned);
    char *script = script_of(&t, &(struct plot){.title = "t", .axis = "a"});
    assert_non_null(strstr(script, "\"idle_program*\" 1"));
    free(script);
    table_free(&t);
}

/* ---- interactions ---- */

#define PARTS                                                                                                          \
    "[figure]\ntitle = t\nprograms = bfs\nkind = interactions\nnormalize = none\nparts = a b c\n"                      \
    "[variant none]\nlabel = nothing\n[variant a]\nlabel = A\nwith = apcm\nset = l1.size=32KiB\n"                      \
    "[variant b]\nwith = cart\n[variant c]\nwith = dyneb\nset = l1.assoc=8\n"

static void test_combinations(void **state)
{
    (void)state;
    struct scratch s = put("p.ini", PARTS);
    struct plan p;
    struct err e;
    assert_int_equal(plan_read(&p, s.path, &e), 0);
    static const char *const names[] = {"a", "b", "c", "a+b", "a+c", "b+c", "a+b+c"};
    assert_int_equal(p.variants.word.n, 7); /* all but the one without any */
    for (int i = 0; i < 7; i++)
        assert_string_equal(p.variants.word.p[i], names[i]);
    const struct plan_variant *ac = plan_find(&p, "a+c");
    assert_string_equal(ac->with, "apcm,dyneb");
    assert_string_equal(ac->label, "A+c");
    assert_int_equal(ac->mask, 5);
    assert_int_equal(ac->set.word.n, 2);
    assert_string_equal(ac->set.word.p[1], "l1.assoc=8");
    assert_string_equal(plan_divisor(&p, ac)->name, "none");

    /* Two programs, gains by hand; a third, without one of its values, takes no part. */
    struct lab l = {0};
    struct lab_figure f = {.plan = p};
    for (int i = 0; i < 7; i++)
        table_add_column(&f.table, names[i], names[i]);
    static const double gain[3][7] = {{2, 1, 0.5, 2, 4, 0.5, 4}, {2, 1, 2, 2, 1, 2, 1}, {9, 9, 9, NAN, 9, 9, 9}};
    for (int i = 0; i < 3; i++)
        memcpy(table_add_row(&f.table, i ? i > 1 ? "R" : "Q" : "P", ""), gain[i], sizeof gain[i]);
    table_add_mean(&f.table, "all");
    assert_true(fabs(interact_gain(&f, 1) - 2) < 1e-12);
    assert_true(fabs(interact_gain(&f, 4) - 1) < 1e-12);
    assert_true(fabs(interact_gain(&f, 3) - interact_gain(&f, 1) * interact_gain(&f, 2)) < 1e-12);
    /* a and c: sqrt(4 x 1) = 2 together, as the product says; P helps (4 for 1), Q fights (1 for 4). */
    assert_true(fabs(interact_gain(&f, 5) - interact_gain(&f, 1) * interact_gain(&f, 4)) < 1e-12);
    /* b does nothing in any company; the shares multiply to the gain of all. */
    assert_true(fabs(interact_share(&f, 1) - 1) < 1e-12);
    assert_true(fabs(interact_share(&f, 0) * interact_share(&f, 1) * interact_share(&f, 2) - interact_gain(&f, 7)) <
                1e-12);
    struct table means = interact_means(&f);
    assert_int_equal(means.row.n, 7);
    assert_true(fabs(means.row.p[4].cell[0] - 2) < 1e-12 && fabs(means.row.p[4].cell[1] - 2) < 1e-12);
    table_free(&means);
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    interact_print(&l, &f, NULL, false, out);
    fclose(out);
    assert_non_null(strstr(text, "A and c help each other in 1 program: P 4.000, product 1.000."));
    assert_non_null(strstr(text, "A and c fight in 1 program: Q 1.000, product 4.000."));
    assert_null(strstr(text, "A and b"));
    assert_non_null(strstr(text, "The best combination over all 2 programs is a, with a mean gain of 2.000"));
    free(text);
    table_free(&f.table);
    plan_free(&f.plan);
    drop(&s);
}

/* ---- claims ---- */

static struct lab_figure *add_figure(struct lab *l, const double value[][3], unsigned rows)
{
    VEC_PUSH(&l->figure, (struct lab_figure){.plan = {.kind = PLAN_APS}});
    struct lab_figure *f = &l->figure.p[0];
    table_add_column(&f->table, "a", "A");
    table_add_column(&f->table, "b", "B");
    table_add_column(&f->table, "c", "C");
    for (unsigned i = 0; i < rows; i++) {
        char label[2] = {(char)('P' + i), 0};
        memcpy(table_add_row(&f->table, label, "g"), value[i], sizeof value[i]);
    }
    return f;
}

/* Judges one claim: the lines of its section. */
static struct assessment judge(struct lab *l, struct lab_figure *f, const char *claim)
{
    char text[400];
    snprintf(text, sizeof text, "[claim x]\nfigure = 1\nquote = so\n%s\n", claim);
    struct scratch s = put("c.ini", text);
    struct claims c;
    struct err e;
    struct assessment j = {0};
    if (claims_read(&c, s.path, &e) || published_compare(&c, &c.claim.p[0], l, f, &j, &e))
        fail_msg("%s: %s", claim, e.msg);
    claims_free(&c);
    drop(&s);
    return j;
}

static void test_verdicts(void **state)
{
    (void)state;
    struct lab l = {0};
    static const double value[][3] = {{1, 1.2, 0.9}, {1, 1.4, 1.05}}; /* means 1, 1.3, 0.975 */
    struct lab_figure *f = add_figure(&l, value, 2);
    static const struct {
        const char *claim;
        enum verdict verdict;
        double ours;
    } cases[] = {
        {"kind = gain\nof = b\nover = a\npublished = 30%", VERDICT_HOLDS, 0.3},
        {"kind = gain\nof = b\nover = a\npublished = 40%", VERDICT_HOLDS, 0.3}, /* within a third */
        {"kind = gain\nof = b\nover = a\npublished = 50%", VERDICT_DIRECTION, 0.3},
        {"kind = gain\nof = b\nover = a\npublished = 5%", VERDICT_DIRECTION, 0.3},
        {"kind = gain\nof = b\nover = a\npublished = -5%", VERDICT_FAILS, 0.3},
        {"kind = gain\nof = c\nover = a\npublished = -15%", VERDICT_DIRECTION, -0.025},
        {"kind = gain\nof = c\nover = a\npublished = -26%", VERDICT_FAILS, -0.025}, /* less than a tenth of it */
        {"kind = gain\nof = b\nover = a\nprograms = P\npublished = 20%", VERDICT_HOLDS, 0.2},
        {"kind = gain\nof = b\nover = a\nprograms = nobody\npublished = 20%", VERDICT_NOT_JUDGED, NAN},
        {"kind = mean\nof = b\npublished = 1.3", VERDICT_HOLDS, 1.3},
        {"kind = mean\nof = b\npublished = 1.1", VERDICT_DIRECTION, 1.3},
        {"kind = mean\nof = b\npublished = 2", VERDICT_FAILS, 1.3},
        {"kind = at_least\nof = c\nover = a\npublished = -10%", VERDICT_HOLDS, -0.1},
        {"kind = at_least\nof = c\nover = a\npublished = -9%", VERDICT_FAILS, -0.1},
        {"kind = within\nof = b c\nover = a\npublished = 31%", VERDICT_HOLDS, 0.3},
        {"kind = within\nof = b c\nover = a\npublished = 5%", VERDICT_FAILS, 0.3},
        {"kind = above\nof = b\nover = a c", VERDICT_HOLDS, 0.3},
        {"kind = above\nof = a\nover = b c", VERDICT_FAILS, 1 / 1.3 - 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct assessment j = judge(&l, f, cases[i].claim);
        if (j.verdict != cases[i].verdict || (!isnan(cases[i].ours) && fabs(j.ours - cases[i].ours) > 1e-12))
            fail_msg("case %zu: %s, %f", i, j.text_verdict, j.ours);
    }
    /* What is far above the published gain says so; of several subjects, the one that the value is of is named. */
    assert_string_equal(judge(&l, f, cases[3].claim).text_verdict, "direction holds, 6.0 times as much");
    assert_string_equal(judge(&l, f, cases[14].claim).text, "+30.0% (b)");
    assert_string_equal(judge(&l, f, cases[16].claim).text, "+30.0% (a)");
    /* A program that leaves the machine idle, or lacks a value, and nothing is judged. */
    f->table.row.p[1].idle = true;
    struct assessment j = judge(&l, f, cases[0].claim);
    assert_int_equal(j.verdict, VERDICT_NOT_JUDGED);
    assert_string_equal(j.text_verdict, "not judged (1 of 2 programs)");
    f->table.row.p[1].idle = false;
    f->table.row.p[0].partial = true;
    assert_int_equal(judge(&l, f, cases[0].claim).verdict, VERDICT_NOT_JUDGED);
    lab_free(&l);
}

/* Every combination over the one with the baseline's policies and all else the same. */
static void test_within_groups(void **state)
{
    (void)state;
    struct plan p;
    struct err e;
    struct scratch s = put("p.ini",
                           "[figure]\ntitle = t\nprograms = P\nnormalize = with:baseline\n[sweep]\n"
                           "machine = gtx480 gtx780\nwith = baseline\nwith = swl\nset = l1.size: 16KiB 32KiB\n"
                           "set = swl.limit: 2 4\n");
    assert_int_equal(plan_read(&p, s.path, &e), 0);
    assert_int_equal(p.variants.word.n, 12); /* baseline, and swl with two limits */
    assert_null(p.normalize);
    assert_string_equal(p.within, "baseline of the same machine and l1.size");
    for (size_t i = 0; i < p.variant.n; i++) {
        const struct plan_variant *v = &p.variant.p[i], *over = plan_divisor(&p, v);
        assert_non_null(over);
        assert_null(over->with);
        assert_string_equal(over->machine, v->machine);
        assert_string_equal(over->set.word.p[0], v->set.word.p[0]);
        assert_string_equal(over->panel, v->panel);
    }
    assert_string_equal(p.variant.p[2].panel, "gtx480 l1.size=16KiB");
    assert_string_equal(p.variant.p[2].in_panel, "swl swl.limit=2");
    plan_free(&p);
    drop(&s);
    s = put("p.ini", "[figure]\ntitle = t\nprograms = P\nnormalize = with:lrr\n[sweep]\nwith = baseline\nwith = gto\n");
    assert_int_equal(plan_read(&p, s.path, &e), -1);
    assert_string_equal(e.msg, "normalize: the sweep has no with 'lrr'");
    assert_int_equal(e.line, 4);
    drop(&s);
    /* `baseline` means the machine's own policies in a variant, too. */
    s = put("p.ini", "[figure]\ntitle = t\nprograms = P\n[variant a]\nwith = baseline\n");
    assert_int_equal(plan_read(&p, s.path, &e), 0);
    assert_null(p.variant.p[0].with);
    plan_free(&p);
    drop(&s);
}

/* One program carries the mean where without it the gain changes by more than a third. */
static void test_carrier(void **state)
{
    (void)state;
    static const double value[4] = {1.1, 1.0, 5.75, 1.2}, even[4] = {1.1, 1.2, 1.3, 1.2};
    struct table t = {.geometric = true};
    table_add_column(&t, "a", "a");
    table_add_column(&t, "b", "b");
    for (int i = 0; i < 4; i++) {
        double *cell = table_add_row(&t, (const char *[]){"P", "Q", "MM", "R"}[i], i < 2 ? "CS" : "CM");
        cell[0] = even[i];
        cell[1] = value[i];
    }
    assert_int_equal(table_carrier(&t, 0, "all", 1), -1);
    assert_int_equal(table_carrier(&t, 1, "all", 1), 2);
    assert_int_equal(table_carrier(&t, 1, "CS", 1), -1); /* of two, each carries the other's half */
    table_add_mean(&t, "all");
    table_add_mean_without_carrier(&t, "all", 1);
    table_add_mean(&t, "CS");
    assert_int_equal(t.row.n, 7);
    assert_string_equal(t.row.p[4].label, "geometric mean, n = 4");
    assert_string_equal(t.row.p[5].label, "geometric mean without MM, n = 3");
    assert_true(fabs(t.row.p[5].cell[1] - cbrt(1.1 * 1.2)) < 1e-12);
    assert_string_equal(t.row.p[6].label, "geometric mean of CS, n = 2");
    table_free(&t);
}

/* Columns that the plan divides by different variants are compared on one scale. */
static void test_divisors(void **state)
{
    (void)state;
    struct scratch db = put("db", ""), plan_file = put("p.ini",
                                                       "[figure]\ntitle = t\nprograms = P Q\nnormalize = base\n"
                                                       "variants = base big both\nmeans = all\n"
                                                       "[variant base]\nwith = lrr\n"
                                                       "[variant big]\nlabel = Big\nset = l1.size=32KiB\n"
                                                       "[variant both]\nwith = gto\nset = l1.size=32KiB\nover = big\n");
    static const double ipc[2][3] = {{1, 2, 3}, {1, 4, 4}};
    struct lab l = {0};
    struct plan plan;
    struct err e;
    unlink(db.path);
    struct store *store = store_open(db.path, &e);
    for (int i = 0; i < 2; i++) {
        struct lab_program p = {.insts = 1, .insts_by_ctas[LAB_CTAS] = 1, .label = xstrdup(""), .group = xstrdup("")};
        p.name = xstrdup(i ? "Q" : "P");
        snprintf(p.hash, sizeof p.hash, "%d", i);
        VEC_PUSH(&l.program, p);
    }
    if (plan_read(&plan, plan_file.path, &e) || lab_add_figure(&l, &plan, &e))
        fail_msg("%s", e.msg);
    struct pool pool = {.store = store, .no_run = true, .jobs = 1};
    assert_int_equal(lab_run(&l, &pool, &e), 0); /* finds out the keys, in the order of the table */
    assert_int_equal(l.point.n, 6);
    for (int i = 0; i < 6; i++) {
        char document[64];
        snprintf(document, sizeof document, "{\"total\":{\"ipc\":%g},\"loads\":[]}", ipc[i / 3][i % 3]);
        struct store_row row = {l.point.p[i]->program->name, "", "m", "", "", document};
        assert_int_equal(store_put(store, l.point.p[i]->key, &row, &e), 0);
        free(l.point.p[i]->failure);
        l.point.p[i]->failure = NULL;
    }
    assert_int_equal(lab_run(&l, &pool, &e), 0);
    struct lab_figure *f = &l.figure.p[0];
    static const struct {
        const char *claim;
        double ours;
    } cases[] = {
        {"kind = gain\nof = both\nover = base\npublished = 30%", 2.5},
        {"kind = gain\nof = both\nover = big\npublished = 30%", 0.25},         /* as the table has it */
        {"kind = gain\nof = big\nover = both\npublished = 30%", 1 / 1.25 - 1}, /* on the scale of `both` */
        {"kind = gain\nof = big\nover = base\npublished = 30%", 2},
        {"kind = above\nof = both\nover = base big", 0.25},
        {"kind = within\nof = both big\nover = base\npublished = 5%", 2.5},
        {"kind = at_least\nof = both\nover = base\npublished = 100%", 2},
        {"kind = at_least\nof = both\nover = big\npublished = 0%", 0},
        {"kind = mean\nof = both\npublished = 1", 1.25},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct assessment j = judge(&l, f, cases[i].claim);
        if (!(fabs(j.ours - cases[i].ours) < 1e-12))
            fail_msg("case %zu: %f", i, j.ours);
    }
    assert_non_null(strstr(judge(&l, f, cases[0].claim).because, "from P +200.0% to Q +300.0%"));
    char *text = printed(&f->table, false);
    assert_non_null(strstr(text, "\n  both: over Big\n"));
    assert_null(strstr(text, "big: over"));
    free(text);
    const struct plot plot = lab_plot(f);
    text = script_of(&f->table, &plot);
    assert_non_null(strstr(text, "\"Big\" \"both (over Big)\"\n"));
    free(text);
    lab_free(&l);
    store_close(store);
    drop(&plan_file);
    drop(&db);
}

static void test_claim_faults(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int line;
        const char *says;
    } bad[] = {
        {"[claim x]\nfigure = 1\nof = a\n", 2, "quote"},
        {"[claim x]\nfigure = 1\nof = a\nquote = s\nkind = mean\n", 2, "published value"},
        {"[claim x]\nfigure = 1\nof = a\nquote = s\npublished = 3%\n", 2, "'over'"},
        {"[claim x]\npublished = many\n", 2, "write a number"},
        {"[claim x]\nkind = odd\n", 2, "kind = odd"},
        {"[claim x]\nfigur = 1\n", 2, "no key 'figur'"},
        {"[what]\na = b\n", 2, "no section"},
        {"[explain]\nx % = l1.misses / l1.accesses\ny = l1.misses l1.hits\n", 3, "y = l1.misses l1.hits: two names"},
        {"[explain]\nx = l1.misses /\n", 2, "no name at the end"},
        {"[explain]\nx = l1.mises\n", 2, "there is no statistic 'l1.mises'"},
        {"[explain]\nx = energy.total_jj\n", 2, "there is no statistic 'energy.total_jj'"},
        {"[explain]\nx = apcm.psb.duration\n", 2, "is a histogram"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct scratch s = put("c.ini", bad[i].text);
        struct claims c;
        struct err e;
        assert_int_equal(claims_read(&c, s.path, &e), -1);
        if (e.line != bad[i].line || !strstr(e.msg, bad[i].says))
            fail_msg("case %zu: %d: %s", i, e.line, e.msg);
        drop(&s);
    }
    /* Statistics of policies and parts that only some machines have, a bucket and a component of energy. */
    struct scratch known = put("c.ini",
                               "[explain]\na = apcm.protected.hit_share\nb = prefetch.coverage / l2_order.requests\n"
                               "c = apcm.psb.duration.le_1\nd = energy.total_j\n");
    struct claims stands;
    struct err none;
    if (claims_read(&stands, known.path, &none))
        fail_msg("%d: %s", none.line, none.msg);
    claims_free(&stands);
    drop(&known);
    /* A column that the figure does not have. */
    struct lab l = {0};
    static const double value[][3] = {{1, 1, 1}};
    struct lab_figure *f = add_figure(&l, value, 1);
    struct scratch s = put("c.ini", "[claim x]\nfigure = 1\nkind = mean\nof = z\nquote = s\npublished = 1\n");
    struct claims c;
    struct err e;
    struct assessment j;
    assert_int_equal(claims_read(&c, s.path, &e), 0);
    assert_int_equal(published_compare(&c, &c.claim.p[0], &l, f, &j, &e), -1);
    assert_int_equal(e.line, 2);
    claims_free(&c);
    drop(&s);
    lab_free(&l);
}

/* ---- metrics ---- */

static void test_metric_grammar(void **state)
{
    (void)state;
    static const char *const good[] = {"ipc", " ipc ", "a+b", "a + b / c+d", "a/b", "a\t/\tb"};
    static const char *const bad[][2] = {{"", "empty"},
                                         {"  ", "empty"},
                                         {"+", "no name before '+'"},
                                         {"/ a", "no name before '/'"},
                                         {"a / ", "no name at the end"},
                                         {"a+", "no name at the end"},
                                         {"a + / b", "no name before '/'"},
                                         {"a // b", "no name before '/'"},
                                         {"a b", "without an operator"},
                                         {"a / b c", "without an operator"},
                                         {"a / b / c", "more than one '/'"}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_null(metric_fault(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *says = metric_fault(bad[i][0]);
        if (!says || !strstr(says, bad[i][1]))
            fail_msg("'%s': %s", bad[i][0], says ? says : "accepted");
    }
}

/* ---- points, store, pool ---- */

static void test_values(void **state)
{
    (void)state;
    struct point p = {0};
    assert_true(isnan(point_value(&p, "ipc")));
    assert_int_equal(point_take(&p, "{"), -1);
    assert_int_equal(point_take(&p, "{\"total\": 3, \"loads\": []}"), -1);
    assert_int_equal(point_take(&p, "{\"total\": {\"a.b\": 6, \"c\": 2.5, \"d\": 0}, \"loads\": []}"), 0);
    assert_true(point_value(&p, "a.b") == 6);
    assert_true(point_value(&p, "a.b+c") == 8.5);
    assert_true(point_value(&p, "a.b + c / a.b") == 8.5 / 6);
    assert_true(point_value(&p, "a.b / d") == 0);
    assert_true(isnan(point_value(&p, "a.b + none")));
    assert_true(isnan(point_value(&p, "a.b / none")));
    json_decref(p.result);
    free(p.document);
}

/* Loads a and b: a decided by three of four SMs, two of them rightly; b by all, wrongly. b is accessed twice as often.
 */
static void test_decisions(void **state)
{
    (void)state;
    struct scratch s = put("p.ini", "[figure]\ntitle = t\nprograms = m\nkind = decisions\n[variant v]\nwith = apcm\n");
    struct lab l = {0};
    struct plan p;
    struct err e;
    VEC_PUSH(&l.program, (struct lab_program){.name = xstrdup("m"), .label = xstrdup(""), .group = xstrdup("")});
    assert_int_equal(plan_read(&p, s.path, &e), 0);
    assert_int_equal(lab_add_figure(&l, &p, &e), 0);
    struct lab_figure *f = &l.figure.p[0];
    assert_int_equal(f->n_point, 2);
    struct point run = {0}, truth = {0};
    f->point[0] = &run;
    f->point[1] = &truth;
    assert_int_equal(
        point_take(&run,
                   "{\"total\": {}, \"loads\": ["
                   "{\"kernel\": \"k\", \"pc\": 1, \"apcm\": {\"instances\": 4, \"decided\": 3, \"verdicts\": ["
                   "{\"type\": \"streaming\", \"instances\": 2}, {\"type\": \"intra-warp\", \"instances\": 1}]}},"
                   "{\"kernel\": \"k\", \"pc\": 2, \"apcm\": {\"instances\": 4, \"decided\": 4, \"verdicts\": ["
                   "{\"type\": \"streaming\", \"instances\": 4}]}}]}"),
        0);
    assert_int_equal(point_take(&truth,
                                "{\"total\": {}, \"loads\": ["
                                "{\"kernel\": \"k\", \"pc\": 1, \"accesses\": 10, \"type\": \"streaming\"},"
                                "{\"kernel\": \"k\", \"pc\": 2, \"accesses\": 20, \"type\": \"intra-warp\"},"
                                "{\"kernel\": \"other\", \"pc\": 2, \"accesses\": 20, \"type\": \"intra-warp\"}]}"),
                     0);
    figure_tabulate(&l, f);
    assert_true(fabs(f->table.row.p[0].cell[0] - 27.5 / 30) < 1e-12);
    assert_true(fabs(f->table.row.p[0].cell[1] - 5 / 27.5) < 1e-12);
    json_decref(run.result);
    json_decref(truth.result);
    free(run.document);
    free(truth.document);
    lab_free(&l);
    drop(&s);
}

static struct lab_program program_of(const char *path)
{
    struct lab_program p = {
        .name = xstrdup("m"), .label = xstrdup(""), .group = xstrdup(""), .recording = xstrdup(path)};
    struct err e;
    assert_int_equal(lab_program_measure(&p, &e), 0);
    return p;
}

static void test_keys(void **state)
{
    (void)state;
    struct lab_program program = program_of(recording);
    struct err e;
    char *size32[] = {"l1.size=32KiB"}, *size16[] = {"l1.size=16KiB"};
    struct point *plain = point_new(&program, false, "gtx480", NULL, NULL, 0, &e);
    struct point *same = point_new(&program, false, "gtx480", "lrr", size16, 1, &e); /* what it is anyway */
    struct point *gto = point_new(&program, false, "gtx480", "gto", NULL, 0, &e);
    struct point *big = point_new(&program, false, "gtx480", NULL, size32, 1, &e);
    struct point *look = point_new(&program, true, "gtx480", NULL, NULL, 0, &e);
    program.launches = 1;
    struct point *first = point_new(&program, false, "gtx480", NULL, NULL, 0, &e);
    assert_string_equal(plain->key, same->key);
    const struct point *all[] = {plain, gto, big, look, first};
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < i; k++)
            assert_string_not_equal(all[i]->key, all[k]->key);
    assert_true(point_busy(plain) == 1);
    /* A third each in launches of 3 CTAs, of one for each of the 15 SMs, and of more than that. */
    memset(program.insts_by_ctas, 0, sizeof program.insts_by_ctas);
    program.insts = 300;
    program.insts_by_ctas[3] = program.insts_by_ctas[15] = program.insts_by_ctas[LAB_CTAS] = 100;
    assert_true(fabs(point_busy(plain) - (3 / 15.0 + 1 + 1) / 3) < 1e-12);
    assert_null(point_new(&program, false, "gtx481", NULL, NULL, 0, &e));
    assert_null(point_new(&program, false, "gtx480", "nobody", NULL, 0, &e));
    point_free(same);
    for (int i = 0; i < 5; i++)
        point_free((struct point *)all[i]);
    lab_program_free(&program);
}

static void test_store(void **state)
{
    (void)state;
    struct scratch s = put("r.sqlite", "");
    struct err e;
    struct store_row row = {"bfs", "tiny", "gtx480", "lrr", "", "{\"x\": 'quoted'}"};
    struct store *st = store_open(s.path, &e);
    assert_non_null(st);
    assert_null(store_get(st, "k"));
    assert_int_equal(store_put(st, "k", &row, &e), 0);
    store_close(st);
    st = store_open(s.path, &e);
    char *got = store_get(st, "k");
    assert_string_equal(got, row.document);
    free(got);
    store_close(st);
    drop(&s);
    s = put("r.sqlite", "this is no database, it is a text that is long enough to be looked at as one by mistake ....");
    assert_null(store_open(s.path, &e));
    assert_string_equal(e.file, s.path);
    drop(&s);
    assert_null(store_open("/nowhere/r.sqlite", &e));
}

/* The same points with one worker and with three, and from the store: the same results. A recording that is none costs
 * only its own point. */
static void test_pool(void **state)
{
    (void)state;
    struct scratch s = put("r.sqlite", ""), junk = put("junk.wt", "junk");
    struct err e;
    struct store *st = store_open(s.path, &e);
    struct lab_program program = program_of(recording);
    double cycles[3][3];
    for (int round = 0; round < 3; round++) {
        static const char *const with[] = {"lrr", "gto", "two_level"};
        struct point *p[4];
        for (int i = 0; i < 3; i++)
            p[i] = point_new(&program, false, "gtx480", with[i], NULL, 0, &e);
        struct lab_program bad = {.name = "junk", .label = "", .group = "", .recording = junk.path, .insts = 5};
        p[3] = point_new(&bad, false, "gtx480", NULL, NULL, 0, &e);
        struct pool pool = {.store = round ? st : NULL, .jobs = round == 0 ? 3 : 1, .size = "tiny"};
        assert_int_equal(pool_run(&pool, p, 4, &e), 0);
        assert_int_equal(pool.simulated, round == 2 ? 0 : 3);
        assert_int_equal(pool.reused, round == 2 ? 3 : 0);
        assert_int_equal(pool.failed, 1);
        assert_non_null(strstr(p[3]->failure, "junk.wt"));
        for (int i = 0; i < 3; i++)
            cycles[round][i] = point_value(p[i], "cycles");
        for (int i = 0; i < 4; i++)
            point_free(p[i]);
    }
    for (int i = 0; i < 3; i++) {
        assert_true(cycles[0][i] > 0);
        assert_true(cycles[1][i] == cycles[0][i]);
        assert_true(cycles[2][i] == cycles[0][i]);
    }
    assert_true(cycles[0][0] != cycles[0][1]);
    store_close(st);
    lab_program_free(&program);
    drop(&s);
    drop(&junk);
}

static void check_query_plan(sqlite3 *db, const char *query, const char *expected)
{
    sqlite3_stmt *plan;
    char *text = xasprintf("EXPLAIN QUERY PLAN SELECT %s", query);
    assert_int_equal(sqlite3_prepare_v2(db, text, -1, &plan, NULL), SQLITE_OK);
    while (sqlite3_step(plan) == SQLITE_ROW)
        assert_non_null(strstr((const char *)sqlite3_column_text(plan, 3), expected));
    sqlite3_finalize(plan);
    free(text);
}

/*
 * Ten thousand points from a store: SQLite finds each by an index, each machine is put together once, and no document
 * is read whole for one number. These are counts of work: what takes long on a busy computer is not judged.
 */
static void test_large_store(void **state)
{
    (void)state;
    enum { PROGRAMS = 100, VARIANTS = 100 };
    struct scratch s = put("db", "");
    struct err e;
    unlink(s.path);
    struct store *store = store_open(s.path, &e);
    assert_non_null(store);
    sqlite3 *db;
    assert_int_equal(sqlite3_open(s.path, &db), SQLITE_OK);
    check_query_plan(db, "document FROM result WHERE key = 'x'", "SEARCH result USING PRIMARY KEY (key=?)");
    check_query_plan(db, "settings FROM result WHERE program = 'x' AND size = 'x' AND machine = 'x' AND policies = 'x'",
                     "result_what (program=? AND size=? AND machine=? AND policies=?)");

    struct lab l = {0};
    for (int i = 0; i < PROGRAMS; i++) {
        struct lab_program p = {.insts = 1};
        char name[16];
        snprintf(name, sizeof name, "p%d", i);
        p.name = xstrdup(name);
        p.label = xstrdup("");
        p.group = xstrdup("");
        snprintf(p.hash, sizeof p.hash, "%016d", i);
        VEC_PUSH(&l.program, p);
    }
    struct scratch plan_file =
        put("p.ini", "[figure]\ntitle = t\nprograms = all\n[sweep]\nset = dram.latency: 1..100+1\n");
    struct plan plan;
    if (plan_read(&plan, plan_file.path, &e))
        fail_msg("%s", e.msg);
    assert_int_equal(plan.variants.word.n, VARIANTS);
    assert_int_equal(lab_add_figure(&l, &plan, &e), 0);
    assert_int_equal(lab_check(&l, &e), 0);
    assert_int_equal(l.machine.n, VARIANTS);
    struct pool pool = {.store = store, .no_run = true, .jobs = 1};
    assert_int_equal(lab_run(&l, &pool, &e), 0); /* finds out the keys */
    assert_int_equal(l.point.n, PROGRAMS * VARIANTS);
    /* In one transaction, which is a thousand times as fast. */
    sqlite3_stmt *insert;
    assert_int_equal(sqlite3_exec(db, "BEGIN", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(
        sqlite3_prepare_v2(db, "INSERT INTO result VALUES (?, ?, 'tiny', 'gtx480', 'lrr', '', ?)", -1, &insert, NULL),
        SQLITE_OK);
    for (size_t i = 0; i < l.point.n; i++) {
        char document[200];
        snprintf(document, sizeof document, "{\"total\":{\"l1.ipc\":7,\"ipc\":%zu.5},\"loads\":[]}", i);
        const char *const text[] = {l.point.p[i]->key, l.point.p[i]->program->name, document};
        for (int k = 0; k < 3; k++)
            sqlite3_bind_text(insert, k + 1, text[k], -1, SQLITE_STATIC);
        assert_int_equal(sqlite3_step(insert), SQLITE_DONE);
        sqlite3_reset(insert);
        free(l.point.p[i]->failure);
        l.point.p[i]->failure = NULL;
    }
    sqlite3_finalize(insert);
    assert_int_equal(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    assert_int_equal(lab_run(&l, &pool, &e), 0);
    assert_int_equal(pool.reused, PROGRAMS * VARIANTS);
    assert_int_equal(l.point.n, PROGRAMS * VARIANTS);
    assert_int_equal(l.machine.n, VARIANTS); /* resolved once, not for each program */
    const struct table *t = &l.figure.p[0].table;
    for (size_t i = 0; i < l.point.n; i++)
        assert_null(l.point.p[i]->result); /* none was read whole */
    assert_true(t->row.p[0].cell[0] == 0.5);
    assert_true(t->row.p[PROGRAMS - 1].cell[VARIANTS - 1] == PROGRAMS * VARIANTS - 0.5);
    lab_free(&l);
    store_close(store);
    drop(&plan_file);
    drop(&s);
}

/* The coefficients of energy are read when a table is made. A machine whose file has gone by then is an error, not a
 * table without values; the result stays in the store. */
static void test_machine_that_went(void **state)
{
    (void)state;
    struct scratch s = put("db", ""), machine = put("m.ini", "base = gtx480\n");
    struct err e;
    unlink(s.path);
    struct store *store = store_open(s.path, &e);
    assert_non_null(store);
    struct lab l = {0};
    struct lab_program p = {.insts = 1, .name = xstrdup("p"), .label = xstrdup(""), .group = xstrdup(""), .hash = "1"};
    VEC_PUSH(&l.program, p);
    char text[400];
    snprintf(text, sizeof text,
             "[figure]\ntitle = t\nmachine = %s\nmetric = energy.total_j\nprograms = p\n[variant a]\nwith = lrr\n",
             machine.path);
    struct scratch plan_file = put("p.ini", text);
    struct plan plan;
    if (plan_read(&plan, plan_file.path, &e))
        fail_msg("%s", e.msg);
    assert_int_equal(lab_add_figure(&l, &plan, &e), 0);
    assert_int_equal(lab_check(&l, &e), 0);
    struct pool pool = {.store = store, .no_run = true, .jobs = 1};
    assert_int_equal(lab_run(&l, &pool, &e), 0); /* finds out the key */
    struct store_row row = {"p", "tiny", "m", "lrr", "", "{\"total\":{\"cycles\":7},\"loads\":[]}"};
    assert_int_equal(store_put(store, l.point.p[0]->key, &row, &e), 0);
    free(l.point.p[0]->failure);
    l.point.p[0]->failure = NULL;
    unlink(machine.path);
    err_clear(&e);
    assert_int_equal(lab_run(&l, &pool, &e), -1);
    assert_string_equal(e.file, machine.path);
    assert_non_null(strstr(e.msg, "No such file"));
    char *kept = store_get(store, l.point.p[0]->key);
    assert_string_equal(kept, row.document);
    free(kept);
    lab_free(&l);
    store_close(store);
    drop(&plan_file);
    drop(&machine);
    drop(&s);
}

int main(int argc, char **argv)
{
    recording = argc > 1 ? argv[1] : "";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan),
        cmocka_unit_test(test_plan_faults),
        cmocka_unit_test(test_combinations),
        cmocka_unit_test(test_means),
        cmocka_unit_test(test_digits),
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_key),
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_within_groups),
        cmocka_unit_test(test_carrier),
        cmocka_unit_test(test_divisors),
        cmocka_unit_test(test_claim_faults),
        cmocka_unit_test(test_metric_grammar),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_decisions),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_store),
        cmocka_unit_test(test_large_store),
        cmocka_unit_test(test_pool),
        cmocka_unit_test(test_machine_that_went),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
