/*
 * weir analyze --classes: the papers' classes of the suite's programs by the papers' own criteria, beside what the
 * papers say (program.ini). The timing comes from study/pool.h; the replication of Shared L1, which asks what other L1s
 * hold at a miss, from the analysis with that machine's SMs and L1s.
 */
#include "cli/analyze.h"

#include "cli/cli.h"
#include "cli/progress.h"
#include "study/pool.h"

#include <jansson.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

struct row {
    const struct analyze_item *item;
    struct lab_program program;
    struct point *point[CLASS_POINT_COUNT]; /* NULL = not wanted */
    struct class_measures measured;
};

struct classes {
    const struct analyze_args *args;
    struct analyze_items items;
    VEC(struct row) row;
    struct store *store;
    size_t n_failed; /* simulations */
};

/* Whether a paper's class is computed for a program: of all those named, and else of those the paper uses. */
static bool wanted(const struct classes *c, const struct row *r, enum class_paper p)
{
    return c->args->classes >> p & 1 && (c->args->name.n || suite_in_paper(r->item->program, class_paper_key[p]));
}

/* ---- simulations ---- */
static int make_points(struct classes *c, struct row *r, struct err *e)
{
    for (int i = 0; i < CLASS_POINT_COUNT; i++) {
        if (!wanted(c, r, class_point_paper((enum class_point)i)))
            continue;
        const struct class_point_def *d = &class_point_def[i];
        char *words = xstrdup(d->set ? d->set : ""), *set[8];
        size_t n = 0;
        for (char *save, *s = strtok_r(words, " ", &save); s && n < 8; s = strtok_r(NULL, " ", &save))
            set[n++] = s;
        r->point[i] = point_new(&r->program, false, d->machine, NULL, set, n, e);
        free(words);
        if (!r->point[i])
            return -1;
    }
    return 0;
}

static int simulate(struct classes *c, struct err *e)
{
    VEC(struct point *) all = {0};
    for (size_t i = 0; i < c->row.n; i++)
        for (int k = 0; k < CLASS_POINT_COUNT; k++)
            if (c->row.p[i].point[k])
                VEC_PUSH(&all, c->row.p[i].point[k]);
    struct progress line;
    struct pool pool = {.store = c->store,
                        .size = c->args->size,
                        .jobs = c->args->jobs,
                        .show = progress_pool,
                        .stop = progress_stop,
                        .ctx = &line};
    progress_begin(&line, 0);
    const int bad = pool_run(&pool, all.p, all.n, e);
    progress_end(&line);
    for (size_t i = 0; i < all.n; i++)
        if (all.p[i]->failure)
            fprintf(stderr, "weir: %s on %s: %s\n", all.p[i]->program->name, all.p[i]->machine, all.p[i]->failure);
    VEC_FREE(&all);
    c->n_failed = pool.failed;
    return bad;
}

static double value(const struct point *p, const char *metric)
{
    return p ? point_value(p, metric) : NAN;
}

static void measure(const struct classes *c, struct row *r)
{
    struct class_measures *m = &r->measured;
    m->l1_speedup = value(r->point[CLASS_APCM_128], "ipc") / value(r->point[CLASS_APCM_32], "ipc");
    m->insts_per_l2_miss = value(r->point[CLASS_CART], "thread_insts") / value(r->point[CLASS_CART], "l2.misses");
    m->replication = wanted(c, r, CLASS_OF_SHAREDL1) ? r->item->summary.finite_replication : NAN;
    m->miss_rate = value(r->point[CLASS_MESH], "l1.miss_rate");
    m->sixteenfold_speedup = value(r->point[CLASS_MESH_16X], "ipc") / value(r->point[CLASS_MESH], "ipc");
}

/* ---- results ---- */
struct tally {
    unsigned agree, said;
};

/* "CS", "CS = CS", "CM ! CS": ours, and the paper's. */
static void verdict(const struct row *r, enum class_paper p, char *out, size_t bytes, struct tally *t)
{
    char theirs[32];
    const char *ours = class_of(p, &r->measured);
    const enum class_verdict v =
        class_compare(ours, suite_in_paper(r->item->program, class_paper_key[p]), theirs, sizeof theirs);
    t->said += v != CLASS_UNSAID;
    t->agree += v == CLASS_AGREES;
    if (v == CLASS_UNSAID)
        snprintf(out, bytes, "%s", ours ? ours : "");
    else
        snprintf(out, bytes, "%s %s %s", ours, v == CLASS_AGREES ? "=" : "!", theirs);
}

static void print_number(const char *format, double scale, double x, int width, FILE *out)
{
    if (isnan(x))
        fprintf(out, " %*s", width, "");
    else
        fprintf(out, format, scale * x);
}

static void print_table(const struct classes *c, FILE *out)
{
    static const char *const title[CLASS_PAPERS] = {"APCM", "CART", "Shared L1"};
    static const char *const heading[CLASS_PAPERS] = {" 128/32K APCM    ", " insts/L2m CART             ",
                                                      "  repl.   miss 16x L1 Shared L1"};
    static const int width[CLASS_PAPERS] = {8, 17, 0};
    struct tally tally[CLASS_PAPERS] = {{0}};
    fprintf(out, "%-15s", "program");
    for (int p = 0; p < CLASS_PAPERS; p++)
        if (c->args->classes >> p & 1)
            fputs(heading[p], out);
    fputc('\n', out);
    for (size_t i = 0; i < c->row.n; i++) {
        const struct row *r = &c->row.p[i];
        const struct class_measures *m = &r->measured;
        fprintf(out, "%-15s", r->item->program->name);
        for (int p = 0; p < CLASS_PAPERS; p++) {
            char text[64];
            if (!(c->args->classes >> p & 1))
                continue;
            if (p == CLASS_OF_APCM) {
                print_number(" %7.3f", 1, m->l1_speedup, 7, out);
            } else if (p == CLASS_OF_CART) {
                print_number(" %9.0f", 1, m->insts_per_l2_miss, 9, out);
            } else {
                print_number(" %5.1f%%", 100, m->replication, 6, out);
                print_number(" %5.1f%%", 100, m->miss_rate, 6, out);
                print_number(" %6.3f", 1, m->sixteenfold_speedup, 6, out);
            }
            verdict(r, (enum class_paper)p, text, sizeof text, &tally[p]);
            fprintf(out, " %-*s", width[p], text);
        }
        fputc('\n', out);
    }
    for (int p = 0; p < CLASS_PAPERS; p++)
        if (c->args->classes >> p & 1)
            fprintf(out, "%s: %u of %u classes agree with the paper's\n", title[p], tally[p].agree, tally[p].said);
}

static void put_number(json_t *o, const char *name, double x)
{
    json_object_set_new(o, name, isfinite(x) ? json_real(x) : json_null());
}

static json_t *document(const struct classes *c)
{
    json_t *doc = json_object(), *programs = json_array();
    json_object_set_new(doc, "schema", json_string("weir-classes-1"));
    json_object_set_new(doc, "size", json_string(c->args->size));
    for (size_t i = 0; i < c->row.n; i++) {
        const struct row *r = &c->row.p[i];
        json_t *o = json_object(), *classes = json_object();
        json_object_set_new(o, "program", json_string(r->item->program->name));
        put_number(o, "l1_speedup", r->measured.l1_speedup);
        put_number(o, "insts_per_l2_miss", r->measured.insts_per_l2_miss);
        put_number(o, "replication", r->measured.replication);
        put_number(o, "l1_miss_rate", r->measured.miss_rate);
        put_number(o, "sixteenfold_speedup", r->measured.sixteenfold_speedup);
        for (int p = 0; p < CLASS_PAPERS; p++) {
            const char *ours = class_of((enum class_paper)p, &r->measured);
            const char *said = suite_in_paper(r->item->program, class_paper_key[p]);
            char theirs[32];
            const enum class_verdict v = class_compare(ours, said, theirs, sizeof theirs);
            if (!ours)
                continue;
            json_t *x = json_object();
            json_object_set_new(x, "computed", json_string(ours));
            json_object_set_new(x, "paper_name", said ? json_string(said) : json_null());
            json_object_set_new(x, "paper", *theirs ? json_string(theirs) : json_null());
            json_object_set_new(x, "agrees", v == CLASS_UNSAID ? json_null() : json_boolean(v == CLASS_AGREES));
            json_object_set_new(classes, class_paper_key[p], x);
        }
        json_object_set_new(o, "classes", classes);
        json_array_append_new(programs, o);
    }
    json_object_set_new(doc, "programs", programs);
    return doc;
}

/* ---- all of it ---- */
static int prepare(struct classes *c, struct err *e)
{
    const struct analyze_opts mesh = {.machine = class_point_def[CLASS_MESH].machine};
    if (analyze_items_run(&c->items, c->args, &mesh, NULL, e))
        return -1;
    VEC_RESERVE(&c->row, c->items.item.n + 1); /* points keep the addresses of programs */
    for (size_t i = 0; i < c->items.item.n; i++) {
        struct analyze_item *x = &c->items.item.p[i];
        if (x->failed)
            continue;
        VEC_PUSH(&c->row, (struct row){.item = x});
        struct row *r = &c->row.p[c->row.n - 1];
        r->program.name = xstrdup(x->program->name);
        r->program.recording = xstrdup(x->recording);
        if (lab_program_measure(&r->program, e) || make_points(c, r, e))
            return -1;
    }
    c->store = c->args->results ? store_open(c->args->results, e) : NULL;
    return c->args->results && !c->store ? -1 : 0;
}

static void classes_free(struct classes *c)
{
    for (size_t i = 0; i < c->row.n; i++) {
        for (int k = 0; k < CLASS_POINT_COUNT; k++)
            point_free(c->row.p[i].point[k]);
        lab_program_free(&c->row.p[i].program);
    }
    VEC_FREE(&c->row);
    store_close(c->store);
    analyze_items_free(&c->items);
}

int analyze_classes(const struct analyze_args *a)
{
    struct err e;
    struct classes c = {.args = a};
    const char *json = a->machine.json;
    int status = CLI_OK;
    int simulated = -1;
    if (prepare(&c, &e) || (simulated = simulate(&c, &e)) < 0) {
        status = cli_fail(&e);
    } else if (simulated) {
        fprintf(stderr, "weir: stopped%s\n",
                c.store ? "; finished simulations are stored in the file given by --results" : "");
        status = CLI_PROGRAM_FAILED;
    } else {
        for (size_t i = 0; i < c.row.n; i++)
            measure(&c, &c.row.p[i]);
        print_table(&c, json && !strcmp(json, "-") ? stderr : stdout);
        if (json && analyze_write_json(document(&c), json, &e)) {
            status = cli_fail(&e);
        } else if (c.items.n_failed || c.n_failed) {
            status = CLI_PROGRAM_FAILED;
        }
    }
    classes_free(&c);
    return status;
}
