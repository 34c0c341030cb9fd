/* See timeline.h. The document is written event by event: no tree of it is kept. */
#include "gpu/timeline.h"

#include "base/demangle.h"
#include "base/outfile.h"
#include "engine/policy_registry.h"
#include "gpu/cta_times.h"
#include "gpu/energy.h"
#include "gpu/gpu_priv.h"
#include "gpu/parts.h"

#include <inttypes.h>

/* Rows of the picture, by process and thread number. Those of SMs follow PID_SM. */
enum { PID_KERNELS = 1, PID_MACHINE = 2, PID_SM = 10, TID_REASON = 1, TID_PHASE = 2, TID_CTA = 10 };
/* More launches and samples (--sample) than this are joined or left out, as the head of the file says. */
enum { MOST_LAUNCHES = 20000, MOST_SAMPLES = 4 * GPU_TIMELINE_SAMPLES };

struct writer {
    FILE *f;
    struct gpu *gpu;
    const struct gpu_results *r;
    bool any; /* an event has been written */
};

/* ---- JSON ---- */

/* What is not printable ASCII becomes '?': names of kernels and programs need not be UTF-8. */
static void put_string(FILE *f, const char *s)
{
    fputc('"', f);
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            fputc('\\', f);
        fputc(*s < ' ' || *s > '~' ? '?' : *s, f);
    }
    fputc('"', f);
}

/* A core cycle as microseconds. Whole picoseconds, so that what touches does not overlap. */
static uint64_t ps_of(const struct writer *w, uint64_t cycle)
{
    return (uint64_t)((unsigned __int128)cycle * 1000000000000u / w->gpu->clock->core);
}

static void put_us(const struct writer *w, const char *key, uint64_t ps)
{
    fprintf(w->f, ",\"%s\":%" PRIu64 ".%06" PRIu64, key, ps / 1000000, ps % 1000000);
}

static void event(struct writer *w, char kind, uint32_t pid, uint32_t tid, const char *name)
{
    fprintf(w->f, "%s\n{\"ph\":\"%c\",\"pid\":%u,\"tid\":%u,\"name\":", w->any ? "," : "", kind, pid, tid);
    put_string(w->f, name);
    w->any = true;
}

/* The beginning of a slice; its arguments follow, then slice_end. */
static void slice(struct writer *w, uint32_t pid, uint32_t tid, const char *name, uint64_t from, uint64_t to)
{
    event(w, 'X', pid, tid, name);
    put_us(w, "ts", ps_of(w, from));
    put_us(w, "dur", ps_of(w, to) - ps_of(w, from));
    fprintf(w->f, ",\"args\":{\"start_cycle\":%" PRIu64 ",\"cycles\":%" PRIu64, from, to - from);
}

static void slice_end(struct writer *w)
{
    fputs("}}", w->f);
}

/* Names and orders a process or one of its threads. */
static void name_row(struct writer *w, uint32_t pid, uint32_t tid, const char *name)
{
    const char *what = tid ? "thread" : "process";
    char event_name[32];
    snprintf(event_name, sizeof event_name, "%s_name", what);
    event(w, 'M', pid, tid, event_name);
    fputs(",\"args\":{\"name\":", w->f);
    put_string(w->f, name);
    slice_end(w);
    snprintf(event_name, sizeof event_name, "%s_sort_index", what);
    event(w, 'M', pid, tid, event_name);
    fprintf(w->f, ",\"args\":{\"sort_index\":%u", tid ? tid : pid);
    slice_end(w);
}

/* ---- kernels ---- */

/* A stream has one, and more where a graph's branches or dependent launches overlap. */
struct kernel_row {
    uint32_t stream, id;
    uint64_t end; /* of the last kernel in it */
};
enum { ROWS_APART = 24 };

static void put_kernels(struct writer *w)
{
    const struct gpu_results *r = w->r;
    const unsigned n = r->n_kernel < MOST_LAUNCHES ? r->n_kernel : MOST_LAUNCHES;
    const int cycles = stats_find(r->stats, "cycles"), ipc = stats_find(r->stats, "ipc");
    VEC(struct kernel_row) row = {0};
    name_row(w, PID_KERNELS, 0, "Kernels");
    for (unsigned i = 0; i < n; i++) {
        const struct gpu_kernel_result *k = &r->kernel[i];
        const uint32_t *grid = k->shape.grid, *block = k->shape.block, stream = k->shape.stream;
        char name[200];
        size_t at = 0, before = 0; /* rows of the stream that are taken */
        for (; at < row.n && (row.p[at].stream != stream || row.p[at].end > k->start_cycle); at++)
            before += row.p[at].stream == stream;
        if (at == row.n) {
            VEC_PUSH(&row, (struct kernel_row){.stream = stream, .id = stream + 1 + ((uint32_t)before << ROWS_APART)});
            int len = snprintf(name, sizeof name, stream ? "stream %u" : "default stream", stream);
            if (before)
                snprintf(name + len, sizeof name - (size_t)len, " (%zu)", before + 1);
            name_row(w, PID_KERNELS, row.p[at].id, name);
        }
        row.p[at].end = k->start_cycle + k->value[cycles];
        demangle_short(k->kernel->name, name, sizeof name);
        slice(w, PID_KERNELS, row.p[at].id, name, k->start_cycle, row.p[at].end);
        fprintf(w->f, ",\"launch\":%u,\"grid\":\"%u x %u x %u\",\"block\":\"%u x %u x %u\",\"ipc\":%.2f", k->launch,
                grid[0], grid[1], grid[2], block[0], block[1], block[2],
                stats_value(r->stats, k->value, (unsigned)ipc));
        slice_end(w);
    }
    VEC_FREE(&row);
}

/* ---- samples ---- */

/* Some neighboring samples as one; after the last its value is NULL. */
struct interval {
    uint64_t begin, end;
    const uint64_t *value, *part;
};

/* The samples that are written, MOST_SAMPLES at most: `size` neighbors of one launch are one interval. */
struct intervals {
    unsigned size, next;
    struct interval now;
    uint64_t *value, *part; /* room for a sum */
};

static struct intervals intervals_of(const struct writer *w)
{
    return (struct intervals){.size = (w->r->n_sample + MOST_SAMPLES - 1) / MOST_SAMPLES,
                              .value = xcalloc(w->gpu->n_value, sizeof(uint64_t)),
                              .part = xcalloc(parts_values(w->gpu->parts), sizeof(uint64_t))};
}

static bool next_interval(const struct writer *w, struct intervals *x)
{
    const unsigned n_part = parts_values(w->gpu->parts);
    if (x->next == w->r->n_sample) {
        free(x->value);
        free(x->part);
        return false;
    }
    memset(x->value, 0, w->gpu->n_value * sizeof *x->value);
    memset(x->part, 0, n_part * sizeof *x->part);
    x->now = (struct interval){x->now.end, x->now.end, x->value, x->part};
    for (unsigned i = 0; i < x->size && x->next < w->r->n_sample; i++, x->next++) {
        const struct gpu_sample *s = &w->r->sample[x->next];
        for (unsigned k = 0; k < w->gpu->n_value; k++)
            x->value[k] += s->value[k];
        for (unsigned k = 0; k < n_part; k++)
            x->part[k] += s->part[k];
        x->now.end = s->cycle;
    }
    return true;
}

/* ---- counters of the machine ---- */

/* A counter's value: top / bottom * factor. */
struct counter {
    const char *track, *name, *top, *bottom;
    double factor; /* 0: bytes of `top` per second of the interval, in GB/s */
};
static const struct counter counters[] = {
#define X(name, text, doc) {"issue slots (%)", text, "sm.stall." text, "sm.scheduler_cycles", 100},
    {"issue slots (%)", "issue", "sm.issue_cycles", "sm.scheduler_cycles", 100},
    SM_STALLS(X)
#undef X
        {"IPC", "thread instructions per cycle", "thread_insts", "cycles", 1},
    {"warps resident per SM", "warps", "sm.warp_cycles", "sm.active_cycles", 1},
    {"L1 hits (%)", "of accesses", "l1.hits", "l1.accesses", 100},
    {"L2 hits (%)", "of accesses", "l2.hits", "l2.accesses", 100},
    {"DRAM (GB/s)", "read", "dram.read_bytes", NULL, 0},
    {"DRAM (GB/s)", "write", "dram.write_bytes", NULL, 0},
    {"DRAM bus in use (%)", "data", "dram.data_cycles", "dram.cycles", 100},
    {"network (flits per core cycle)", "requests", "noc.request.flits_in", "cycles", 1},
    {"network (flits per core cycle)", "replies", "noc.reply.flits_in", "cycles", 1},
};
enum { COUNTERS = sizeof counters / sizeof *counters };

static double value_named(const struct writer *w, const uint64_t *value, const char *name)
{
    const int i = stats_find(w->r->stats, name);
    return i < 0 ? 0 : stats_value(w->r->stats, value, (unsigned)i);
}

static double counter_value(const struct writer *w, const struct counter *c, const struct interval *x)
{
    const double top = value_named(w, x->value, c->top);
    if (!c->bottom)
        return x->end > x->begin ? top * 1e-9 * (double)w->gpu->clock->core / (double)(x->end - x->begin) : 0;
    const double bottom = value_named(w, x->value, c->bottom);
    return bottom > 0 ? c->factor * top / bottom : 0;
}

struct member {
    FILE *f;
    double seconds;
    bool any;
};

static void put_member(struct member *m, const char *name, double value)
{
    fputs(m->any ? "," : "", m->f);
    put_string(m->f, name);
    fprintf(m->f, ":%.6g", value);
    m->any = true;
}

/* energy.l1_data_j -> "l1 data", in watts. */
static void put_component(void *ctx, const char *name, double joules)
{
    struct member *m = ctx;
    static const char *const sums[] = {"energy.total_j", "energy.dynamic_j", "energy.static_j", "energy.power_w"};
    for (unsigned i = 0; i < sizeof sums / sizeof *sums; i++)
        if (!strcmp(name, sums[i]))
            return;
    char text[96];
    snprintf(text, sizeof text, "%.*s", (int)(strlen(name) - strlen("energy._j")), name + strlen("energy."));
    for (char *c = text; *c; c++)
        *c = *c == '_' ? ' ' : *c;
    put_member(m, text, m->seconds > 0 ? joules / m->seconds : 0);
}

static void begin_counter(struct writer *w, const char *track, uint64_t cycle)
{
    event(w, 'C', PID_MACHINE, 0, track);
    put_us(w, "ts", ps_of(w, cycle));
    fputs(",\"args\":{", w->f);
}

/* Every track at the beginning of an interval; a track whose counters are 0 in the whole run is left out. */
static void put_interval(struct writer *w, const struct interval *x, const bool *used)
{
    for (unsigned i = 0; i < COUNTERS;) {
        const char *track = counters[i].track;
        struct member m = {.f = w->f};
        for (; i < COUNTERS && !strcmp(counters[i].track, track); i++) {
            if (!used[i])
                continue;
            if (!m.any)
                begin_counter(w, track, x->begin);
            put_member(&m, counters[i].name, counter_value(w, &counters[i], x));
        }
        if (m.any)
            slice_end(w);
    }
    if (!w->r->energy)
        return;
    struct energy_result e;
    gpu_energy_of_stats(w->r->energy, w->r->stats, x->value, &e);
    struct member m = {.f = w->f, .seconds = e.seconds};
    begin_counter(w, "power (W)", x->begin);
    put_member(&m, "whole GPU", e.seconds > 0 ? (e.total.dynamic_j + e.total.static_j) / e.seconds : 0);
    energy_each(w->r->energy, &e, put_component, &m);
    slice_end(w);
}

static void put_counters(struct writer *w)
{
    bool used[COUNTERS];
    struct intervals x = intervals_of(w);
    name_row(w, PID_MACHINE, 0, "Machine");
    for (unsigned i = 0; i < COUNTERS; i++)
        used[i] = value_named(w, w->r->total, counters[i].top) > 0;
    while (next_interval(w, &x))
        put_interval(w, &x.now, used);
    /* What follows the last interval is nothing. */
    uint64_t *none = xcalloc(w->gpu->n_value, sizeof *none);
    put_interval(w, &(struct interval){.begin = x.now.end, .end = x.now.end, .value = none}, used);
    free(none);
}

/* ---- SMs ---- */

/* What most of an SM's issue slots went to in an interval: SM_STALL_COUNT = issue. */
static unsigned main_use(const struct writer *w, const struct interval *x, unsigned sm)
{
    unsigned n, most = SM_STALL_COUNT;
    uint64_t best = x->part[parts_of(w->gpu->parts, PART_SM_ISSUE, &n) + sm];
    for (unsigned i = 0; i < SM_STALL_COUNT; i++) {
        const uint64_t v = x->part[parts_of(w->gpu->parts, PART_SM_STALL + i, &n) + sm];
        most = v > best ? i : most;
        best = v > best ? v : best;
    }
    return most;
}

/* Neighboring intervals of the same reason are one slice; an SM without a warp has none. */
struct use {
    unsigned why;
    uint64_t begin, end;
};

static void put_use(struct writer *w, unsigned sm, const struct use *u)
{
    static const char *const name[SM_STALL_COUNT + 1] = {
#define X(name, text, doc) [SM_STALL_##name] = text,
        SM_STALLS(X)
#undef X
            [SM_STALL_COUNT] = "issue"
    };
    if (u->end == u->begin || u->why == SM_STALL_NO_WARP)
        return;
    slice(w, PID_SM + sm, TID_REASON, name[u->why], u->begin, u->end);
    slice_end(w);
}

static void put_reasons(struct writer *w)
{
    struct intervals x = intervals_of(w);
    struct use *use = xcalloc(w->gpu->n_sm, sizeof *use);
    while (next_interval(w, &x))
        for (unsigned i = 0; i < w->gpu->n_sm; i++) {
            const unsigned why = main_use(w, &x.now, i);
            if (why != use[i].why || !use[i].end) {
                put_use(w, i, &use[i]);
                use[i] = (struct use){why, x.now.begin, x.now.end};
            }
            use[i].end = x.now.end;
        }
    for (unsigned i = 0; i < w->gpu->n_sm; i++)
        put_use(w, i, &use[i]);
    free(use);
}

static void put_phases(struct writer *w)
{
    for (unsigned i = 0; i < w->r->n_phase; i++) {
        const struct gpu_phase *p = &w->r->phase[i], *next = i + 1 < w->r->n_phase ? p + 1 : NULL;
        const bool follows = next && next->sm == p->sm && !strcmp(next->policy, p->policy);
        const uint64_t end = follows ? next->cycle : gpu_cycles(w->gpu);
        char name[128];
        snprintf(name, sizeof name, "%s: %s", p->policy, p->phase);
        if (end <= p->cycle)
            continue;
        slice(w, PID_SM + p->sm, TID_PHASE, name, p->cycle, end);
        slice_end(w);
    }
}

static void put_ctas(struct writer *w)
{
    size_t n;
    const struct cta_time *c = cta_times_all(w->gpu->ctas, &n);
    for (size_t i = 0; i < n; i++) {
        char name[64];
        const uint64_t end = c[i].end == NEVER ? gpu_cycles(w->gpu) : c[i].end;
        snprintf(name, sizeof name, "CTA %" PRIu64, c[i].cta);
        slice(w, PID_SM + c[i].sm, TID_CTA + c[i].lane, name, c[i].begin, end > c[i].begin ? end : c[i].begin);
        fprintf(w->f, ",\"launch\":%u", c[i].launch);
        slice_end(w);
    }
}

static void put_sm_names(struct writer *w)
{
    size_t n;
    const struct cta_time *c = cta_times_all(w->gpu->ctas, &n);
    uint8_t *lanes = xcalloc(w->gpu->n_sm, sizeof *lanes);
    for (size_t i = 0; i < n; i++)
        lanes[c[i].sm] = c[i].lane + 1 > lanes[c[i].sm] ? (uint8_t)(c[i].lane + 1) : lanes[c[i].sm];
    for (unsigned i = 0; i < w->gpu->n_sm; i++) {
        char name[64];
        snprintf(name, sizeof name, "SM %u", i);
        name_row(w, PID_SM + i, 0, name);
        name_row(w, PID_SM + i, TID_REASON, "most issue slots");
        if (w->r->n_phase)
            name_row(w, PID_SM + i, TID_PHASE, "policy phase");
        for (unsigned k = 0; k < lanes[i]; k++) {
            snprintf(name, sizeof name, "CTA place %u", k);
            name_row(w, PID_SM + i, TID_CTA + k, name);
        }
    }
    free(lanes);
}

/* ---- the file ---- */

bool timeline_thinned(struct gpu *g, char out[TIMELINE_NOTE])
{
    size_t kept, n = 0;
    const unsigned launches = gpu_get_results(g)->n_kernel, samples = gpu_get_results(g)->n_sample;
    cta_times_all(g->ctas, &kept);
    *out = 0;
    if (kept < cta_times_seen(g->ctas))
        n = (size_t)snprintf(out, TIMELINE_NOTE,
                             "%zu of %" PRIu64 " CTAs, those of every SM whose number is a multiple of %u", kept,
                             cta_times_seen(g->ctas), cta_times_every(g->ctas));
    if (launches > MOST_LAUNCHES)
        n += (size_t)snprintf(out + n, TIMELINE_NOTE - n, "%s%u of %u launches, the first", n ? "; " : "",
                              MOST_LAUNCHES, launches);
    if (samples > MOST_SAMPLES)
        n += (size_t)snprintf(out + n, TIMELINE_NOTE - n, "%ssamples joined by %u", n ? "; " : "",
                              (samples + MOST_SAMPLES - 1) / MOST_SAMPLES);
    return n > 0;
}

/* What the run was, and what of it is not in the file. */
static void put_head(struct writer *w, const char *command)
{
    const struct gpu *g = w->gpu;
    char thinned[TIMELINE_NOTE];
    fputs("{\"displayTimeUnit\":\"ns\",\n\"otherData\":{\"program\":", w->f);
    put_string(w->f, command);
    fputs(",\"machine\":", w->f);
    put_string(w->f, cfg_machine(g->cfg));
    fprintf(w->f, ",\"weir\":\"%s\",\"core_clock_hz\":%" PRIu64 ",\"cycles\":%" PRIu64 ",\"sample_cycles\":%" PRIu64,
            WEIR_VERSION, g->clock->core, gpu_cycles(g), g->sample_cycles);
    if (timeline_thinned(w->gpu, thinned)) {
        fputs(",\"shows\":", w->f);
        put_string(w->f, thinned);
    }
    fputs("},\n\"traceEvents\":[", w->f);
}

int timeline_write(struct gpu *g, const char *command, const char *path, struct err *e)
{
    struct outfile *o = outfile_open(path, e);
    if (!o)
        return -1;
    struct writer w = {.f = outfile_stream(o), .gpu = g, .r = gpu_get_results(g)};
    put_head(&w, command);
    put_kernels(&w);
    put_counters(&w);
    put_sm_names(&w);
    put_reasons(&w);
    put_phases(&w);
    put_ctas(&w);
    fputs("\n]}\n", w.f);
    return outfile_commit(o, e);
}
