/*
 * weir analyze --all: programs of the suite, several at once. Each thread takes the next program, has it compiled and
 * recorded (in processes of their own) and analyzes the recording; lines are printed in the order of the list.
 * --classes begins the same way.
 */
#include "cli/analyze.h"

#include "cli/cli.h"
#include "cli/progress.h"
#include "profile/analyze_figures.h"

#include <jansson.h>
#include <pthread.h>
#include <string.h>

struct work {
    struct analyze_items *items;
    const struct analyze_args *args;
    struct analyze_opts opts;
    FILE *rows;           /* NULL = none are printed */
    size_t next, printed; /* under the lock */
    size_t ended;
    struct progress line;
    pthread_mutex_t lock;
    pthread_cond_t one_ended;
};

/* Whether one of the papers asked about uses the program; without --classes, yes. */
static bool is_used(const struct analyze_args *a, const struct suite_program *p)
{
    for (int i = 0; i < CLASS_PAPERS; i++)
        if (a->classes >> i & 1 && suite_in_paper(p, class_paper_key[i]))
            return true;
    return !a->classes;
}

/* The programs that were asked for: if none was named, all that can be meant. */
static int choose(const struct analyze_args *a, struct analyze_items *x, struct err *e)
{
    const struct suite *s = &x->suite;
    for (size_t i = 0; !a->name.n && i < s->program.n; i++)
        if (is_used(a, &s->program.p[i]))
            VEC_PUSH(&x->item, (struct analyze_item){.program = &s->program.p[i]});
    for (size_t i = 0; i < a->name.n; i++) {
        const struct suite_program *p = suite_find(s, a->name.p[i]);
        if (!p)
            return suite_unknown(s, a->name.p[i], "", e);
        VEC_PUSH(&x->item, (struct analyze_item){.program = p});
    }
    return 0;
}

static int analyze_item(struct work *w, struct analyze_item *x)
{
    if (suite_record(&w->items->suite, x->program, w->args->size, w->items->cache, x->recording, &x->err))
        return -1;
    x->file = trace_open(x->recording, &x->err);
    if (!x->file || analyze_trace(x->file, &w->opts, &x->found, &x->err))
        return -1;
    analyze_summarize(&x->found, x->file, &x->summary);
    return 0;
}

/* Lines that are ready and whose turn it is. */
static void print_ready(struct work *w)
{
    for (; w->printed < w->items->item.n && w->items->item.p[w->printed].done; w->printed++) {
        const struct analyze_item *x = &w->items->item.p[w->printed];
        if (x->failed)
            err_print(&x->err, stderr);
        else if (w->rows)
            analyze_print_row(&x->found, &x->summary, x->program->name, w->rows);
        w->items->n_failed += x->failed;
    }
    if (w->rows)
        fflush(w->rows);
}

static void *worker(void *ctx)
{
    struct work *w = ctx;
    pthread_mutex_lock(&w->lock);
    while (w->next < w->items->item.n) {
        struct analyze_item *x = &w->items->item.p[w->next++];
        pthread_mutex_unlock(&w->lock);
        const bool failed = analyze_item(w, x) != 0;
        pthread_mutex_lock(&w->lock);
        x->failed = failed;
        x->done = true;
        w->ended++;
        progress_clear(&w->line);
        print_ready(w);
        pthread_cond_signal(&w->one_ended);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* Waits until all have ended, with progress. */
static void wait_for_all(struct work *w)
{
    enum { TICK_NS = 250000000 };
    pthread_mutex_lock(&w->lock);
    while (w->ended < w->items->item.n) {
        char now[256] = "";
        for (size_t i = 0, at = 0; i < w->next && at < sizeof now; i++)
            if (!w->items->item.p[i].done)
                at += (size_t)snprintf(now + at, sizeof now - at, "%s%s", at ? " " : "",
                                       w->items->item.p[i].program->name);
        progress_count(&w->line, "analyzing", w->ended, w->items->item.n, now);
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += TICK_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&w->one_ended, &w->lock, &until);
    }
    pthread_mutex_unlock(&w->lock);
    progress_clear(&w->line);
}

int analyze_items_run(struct analyze_items *x, const struct analyze_args *a, const struct analyze_opts *opts,
                      FILE *rows, struct err *e)
{
    *x = (struct analyze_items){0};
    if (suite_load(&x->suite, e) || suite_cache_folder(x->cache, e) || choose(a, x, e))
        return -1;
    if (rows)
        analyze_print_heading(rows);
    struct work w = {.items = x,
                     .args = a,
                     .opts = *opts,
                     .rows = rows,
                     .lock = PTHREAD_MUTEX_INITIALIZER,
                     .one_ended = PTHREAD_COND_INITIALIZER};
    progress_count_begin(&w.line);
    pthread_t thread[64];
    unsigned n = a->jobs < 64 ? a->jobs : 64, started = 0;
    n = n < x->item.n ? n : (unsigned)x->item.n;
    while (started < n && !pthread_create(&thread[started], NULL, worker, &w))
        started++;
    if (started)
        wait_for_all(&w);
    for (unsigned i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    return started || !x->item.n ? 0 : err_set(e, "cannot start a thread");
}

void analyze_items_free(struct analyze_items *x)
{
    for (size_t i = 0; i < x->item.n; i++) {
        analyze_summary_free(&x->item.p[i].summary);
        analysis_free(&x->item.p[i].found);
        trace_close(x->item.p[i].file);
    }
    VEC_FREE(&x->item);
    suite_free(&x->suite);
}

static json_t *document(const struct analyze_args *a, const struct analyze_items *x)
{
    json_t *doc = json_object(), *programs = json_array();
    json_object_set_new(doc, "schema", json_string(ANALYZE_SCHEMA));
    json_object_set_new(doc, "machine", json_string(analyze_machine(a)));
    json_object_set_new(doc, "size", json_string(a->size));
    for (size_t i = 0; i < x->item.n; i++)
        if (!x->item.p[i].failed)
            json_array_append_new(
                programs, analyze_json_brief(&x->item.p[i].found, &x->item.p[i].summary, x->item.p[i].program->name));
    json_object_set_new(doc, "programs", programs);
    return doc;
}

static int draw_all(const struct analyze_items *x, const char *folder, struct err *e)
{
    VEC(struct analyze_bar) bar = {0};
    for (size_t i = 0; i < x->item.n; i++)
        if (!x->item.p[i].failed)
            VEC_PUSH(&bar, (struct analyze_bar){x->item.p[i].program->name, &x->item.p[i].summary});
    const int drawn = analyze_draw_all(bar.p, bar.n, folder, e);
    VEC_FREE(&bar);
    if (drawn == PLOT_NOTHING)
        err_print(e, stderr);
    return drawn < 0 ? -1 : 0;
}

int analyze_all(const struct analyze_args *a)
{
    struct err e;
    struct analyze_items x;
    const struct analyze_opts opts = analyze_options(a);
    const char *json = a->machine.json;
    int status = CLI_OK;
    if (analyze_items_run(&x, a, &opts, json && !strcmp(json, "-") ? stderr : stdout, &e) ||
        (json && analyze_write_json(document(a, &x), json, &e)) || (a->figures && draw_all(&x, a->figures, &e))) {
        status = cli_fail(&e);
    } else if (x.n_failed) {
        fprintf(stderr, "weir: %zu of %zu programs could not be analyzed\n", x.n_failed, x.item.n);
        status = CLI_PROGRAM_FAILED;
    }
    analyze_items_free(&x);
    return status;
}
