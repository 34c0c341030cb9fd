/*
 * Whether a file is of Chrome's trace-event format, as ui.perfetto.dev reads it: every event has its phase, process and
 * thread; slices of a thread follow each other without overlap; counters go forward in time and have finite values;
 * every process and thread with events has a name. Prints how many events there are of each process and phase.
 * Usage: timeline_check FILE MOST_BYTES
 */
#include "base/mem.h"

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

struct row {
    json_int_t pid, tid;
    const char *counter; /* NULL: slices */
    double last;         /* end of the last slice, time of the last value */
};

static VEC(struct row) rows;
static size_t at; /* the event that is checked */

static _Noreturn void wrong(const char *what)
{
    fprintf(stderr, "event %zu: %s\n", at, what);
    exit(1);
}

static struct row *row_of(json_int_t pid, json_int_t tid, const char *counter)
{
    for (size_t i = 0; i < rows.n; i++) {
        const struct row *r = &rows.p[i];
        if (r->pid == pid && r->tid == tid && (counter ? r->counter && !strcmp(r->counter, counter) : !r->counter))
            return &rows.p[i];
    }
    VEC_PUSH(&rows, (struct row){pid, tid, counter, 0});
    return &rows.p[rows.n - 1];
}

/* Microseconds with six decimals, as whole picoseconds. */
static double time_of(const json_t *event, const char *key)
{
    const json_t *v = json_object_get(event, key);
    if (!json_is_number(v) || !(json_number_value(v) >= 0))
        wrong("a time is missing or negative");
    return rint(1e6 * json_number_value(v));
}

/* A process (tid -1) or thread that has a name. */
struct named {
    json_int_t pid, tid;
};
static VEC(struct named) names;

static void take_name(const json_t *e, json_int_t pid, json_int_t tid)
{
    const char *what = json_string_value(json_object_get(e, "name"));
    const char *name = json_string_value(json_object_get(json_object_get(e, "args"), "name"));
    const bool process = !strcmp(what, "process_name");
    if (!process && strcmp(what, "thread_name"))
        return;
    if (!name || !*name)
        wrong("an empty name");
    VEC_PUSH(&names, (struct named){pid, process ? -1 : tid});
}

static bool has_name(json_int_t pid, json_int_t tid)
{
    for (size_t i = 0; i < names.n; i++)
        if (names.p[i].pid == pid && names.p[i].tid == tid)
            return true;
    return false;
}

static void check_counter(const json_t *e, struct row *r)
{
    const double ts = time_of(e, "ts");
    const char *key;
    json_t *v;
    if (ts < r->last)
        wrong("a counter goes back in time");
    r->last = ts;
    if (!json_object_size(json_object_get(e, "args")))
        wrong("a counter without a value");
    json_object_foreach(json_object_get(e, "args"), key,
                        v) if (!json_is_number(v) || !isfinite(json_number_value(v)) || json_number_value(v) < 0)
        wrong("a counter's value is no number");
}

static void check_slice(const json_t *e, struct row *r)
{
    const double ts = time_of(e, "ts"), dur = time_of(e, "dur");
    if (ts < r->last)
        wrong("a slice overlaps the one before it");
    r->last = ts + dur;
}

int main(int argc, char **argv)
{
    struct stat st;
    json_error_t why;
    if (argc != 3 || stat(argv[1], &st))
        return 2;
    json_t *doc = json_load_file(argv[1], JSON_REJECT_DUPLICATES, &why), *events = json_object_get(doc, "traceEvents");
    if (!json_is_array(events)) {
        fprintf(stderr, "%s:%d: %s\n", argv[1], why.line, doc ? "no traceEvents" : why.text);
        return 1;
    }
    if (st.st_size > atoll(argv[2]))
        wrong("the file is larger than it may be");
    size_t kernels = 0, ctas = 0, values = 0, other = 0;
    for (at = 0; at < json_array_size(events); at++) {
        const json_t *e = json_array_get(events, at), *pid = json_object_get(e, "pid"),
                     *tid = json_object_get(e, "tid");
        const char *ph = json_string_value(json_object_get(e, "ph")),
                   *name = json_string_value(json_object_get(e, "name"));
        if (!ph || !name || !*name || !json_is_integer(pid) || !json_is_integer(tid))
            wrong("no phase, name, process or thread");
        const json_int_t p = json_integer_value(pid), t = json_integer_value(tid);
        if (!strcmp(ph, "X")) {
            check_slice(e, row_of(p, t, NULL));
            kernels += p == 1;
            ctas += !strncmp(name, "CTA ", 4);
            other += p != 1 && strncmp(name, "CTA ", 4);
        } else if (!strcmp(ph, "C")) {
            check_counter(e, row_of(p, t, name));
            values++;
        } else if (!strcmp(ph, "M"))
            take_name(e, p, t);
        else
            wrong("an unknown phase");
    }
    for (size_t i = 0; i < rows.n; i++)
        if (!has_name(rows.p[i].pid, -1) || (!rows.p[i].counter && !has_name(rows.p[i].pid, rows.p[i].tid)))
            wrong("a process or a thread has no name");
    printf("kernels=%zu ctas=%zu values=%zu other=%zu rows=%zu\n", kernels, ctas, values, other, rows.n);
    json_decref(doc);
    VEC_FREE(&rows);
    VEC_FREE(&names);
    return 0;
}
