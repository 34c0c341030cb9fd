/* See point.h. */
#include "study/point.h"

#include "base/text.h"
#include "base/out_of_memory.h"
#include "base/jsonfile.h"
#include "base/outfile.h"
#include "engine/config.h"
#include "engine/policy_registry.h"
#include "gpu/energy.h"
#include "gpu/gpu_config.h"
#include "gpu/plugin.h"
#include "gpu/replay.h"
#include "gpu/result.h"
#include "profile/analyze_summary.h"
#include "profile/profile.h"
#include "study/model.h" /* made by the build: hash of the machine model's source */

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

/* FNV-1a, 64 bits: keys are few, so chance is no concern. */
static uint64_t fnv(uint64_t h, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 0x100000001b3ull;
    return h;
}
#define FNV_START 0xcbf29ce484222325ull

/* ---- programs ---- */

void lab_program_free(struct lab_program *p)
{
    free(p->name);
    free(p->label);
    free(p->group);
    free(p->paper);
    free(p->cflags);
    free(p->under);
    free(p->recording);
    VEC_FREE_ALL(&p->command);
    free(p->machine);
    memset(p, 0, sizeof *p);
}

static void add_part(void *ctx, const void *bytes, size_t n)
{
    uint64_t *h = ctx;
    *h = fnv(*h, bytes, n);
}

int lab_program_measure(struct lab_program *p, struct err *e)
{
    uint64_t h = FNV_START;
    struct trace_file *t = trace_open(p->recording, e);
    if (!t)
        return -1;
    if (trace_each_part(t, add_part, &h, e)) {
        trace_close(t);
        return -1;
    }
    snprintf(p->hash, sizeof p->hash, "%016" PRIx64, h);
    p->insts = 0;
    memset(p->insts_by_ctas, 0, sizeof p->insts_by_ctas);
    for (uint32_t i = 0; i < trace_n_launches(t) && (!p->launches || i < p->launches); i++) {
        uint64_t ctas = trace_ctas(trace_get_launch(t, i)), n = trace_launch_insts(t, i);
        p->insts += n;
        p->insts_by_ctas[ctas < LAB_CTAS ? ctas : LAB_CTAS] += n;
    }
    trace_close(t);
    return 0;
}

/* ---- points ---- */

struct resolved {
    uint64_t hash;
    char *policies;
    uint32_t sms;
};

static const struct policy_info *policy_chosen(const struct cfg_value *v)
{
    const struct cfg_schema *s = gpu_schema();
    for (unsigned i = 0; i < s->n_kind; i++) {
        int at = strcmp(s->kind[i]->key, v->key) ? -1 : policy_find(s->kind[i], v->text);
        if (at >= 0)
            return s->kind[i]->policy[at];
    }
    return NULL;
}

static void on_value(void *ctx, const struct cfg_value *v)
{
    struct resolved *r = ctx;
    if (!strcmp(v->key, "machine.name") || !strcmp(v->key, "machine.energy"))
        return; /* a program's environment, and what is made of its statistics, decide nothing when it is replayed */
    if (!strcmp(v->key, "machine.sms"))
        r->sms = (uint32_t)strtoul(v->text, NULL, 10);
    r->hash = fnv(r->hash, v->key, strlen(v->key) + 1);
    r->hash = fnv(r->hash, v->text, strlen(v->text) + 1);
    if (v->field->type == CFG_POLICY) {
        /* A plugin is no part of the model's source: another build of it is another policy. */
        const char *identity = plugin_identity(policy_chosen(v));
        if (identity)
            r->hash = fnv(r->hash, identity, strlen(identity));
        text_append(&r->policies, ", ", v->text);
    }
}

int point_resolve(struct point_machine *m, const char *machine, const char *with, char *const *set, size_t n_set,
                  struct err *e)
{
    struct cfg *c = cfg_load(gpu_schema(), machine, (const char *const *)set, (unsigned)n_set, with, e);
    if (!c)
        return -1;
    static const uint32_t all_launches = 0;
    struct resolved r = {fnv(FNV_START, &all_launches, sizeof all_launches), NULL, 0};
    cfg_each(c, on_value, &r);
    cfg_free(c);
    *m = (struct point_machine){r.hash, r.policies ? r.policies : xstrdup(""), r.sms};
    return 0;
}

struct point *point_on(const struct point_machine *m, const struct lab_program *program, bool analysis,
                       const char *machine, const char *with, char *const *set, size_t n_set)
{
    struct point *p = xcalloc(1, sizeof *p);
    p->program = program;
    p->analysis = analysis;
    p->machine = xstrdup(machine);
    p->with = with ? xstrdup(with) : NULL;
    for (size_t i = 0; i < n_set; i++)
        VEC_PUSH(&p->set, xstrdup(set[i]));
    p->policies = xstrdup(m->policies);
    p->sms = m->sms;
    char kind[32] = "";
    if (analysis)
        snprintf(kind, sizeof kind, "locality-");
    else if (program->sampled > 0)
        snprintf(kind, sizeof kind, "sampled%.6g-", program->sampled);
    snprintf(p->key, sizeof p->key, "%s%016" PRIx64 "-%s-%s-%s", kind,
             program->launches ? fnv(m->hash, &program->launches, sizeof program->launches) : m->hash, program->hash,
             RESULT_SCHEMA, WEIR_MODEL);
    return p;
}

struct point *point_new(const struct lab_program *program, bool analysis, const char *machine, const char *with,
                        char *const *set, size_t n_set, struct err *e)
{
    struct point_machine m;
    if (point_resolve(&m, machine, with, set, n_set, e))
        return NULL;
    struct point *p = point_on(&m, program, analysis, machine, with, set, n_set);
    free(m.policies);
    return p;
}

void point_free(struct point *p)
{
    if (!p)
        return;
    VEC_FREE_ALL(&p->set);
    free(p->machine);
    free(p->with);
    free(p->policies);
    free(p->failure);
    free(p->unevaluated);
    free(p->document);
    free(p->page);
    json_decref(p->result);
    free(p);
}

/* A word of a command line, as a shell reads it. */
static void put_word(FILE *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
    const bool quoted = !*word || word[strspn(word, plain)];
    fputs(quoted ? " '" : " ", out);
    for (; *word; word++)
        fputs(*word == '\'' ? "'\\''" : (char[]){*word, 0}, out);
    fputs(quoted ? "'" : "", out);
}

static void put_option(FILE *out, const char *option, const char *value)
{
    if (!value || !*value)
        return;
    fprintf(out, " %s", option);
    put_word(out, value);
}

char *point_command(const struct point *p, const char *size)
{
    const struct lab_program *program = p->program;
    char *text = NULL;
    size_t n = 0;
    FILE *out = text_stream(&text, &n);
    fputs(p->analysis ? "weir analyze" : "weir profile", out);
    for (unsigned i = 0; i < plugin_count(); i++)
        put_option(out, "--plugin", plugin_path(i));
    put_option(out, "--gpu", p->machine);
    put_option(out, "--with", p->with);
    for (size_t i = 0; i < p->set.n; i++)
        put_option(out, "--set", p->set.p[i]);
    if (!program->command.n) {
        put_option(out, "--size", size);
        put_option(out, "--cflags", program->cflags);
        put_word(out, program->name);
    }
    for (size_t i = 0; i < program->command.n; i++)
        put_word(out, program->command.p[i]);
    if (program->launches)
        fprintf(out, "  # here: its first %u launch%s", program->launches, program->launches == 1 ? "" : "es");
    if (program->sampled > 0 && !p->analysis)
        fprintf(out, "  # here: a sample, --sampled=%g%%", 100 * program->sampled);
    fclose(out);
    return text;
}

void point_settings(const struct point *p, char *out, size_t bytes)
{
    size_t at = 0;
    out[0] = 0;
    for (size_t i = 0; i < p->set.n && at < bytes; i++)
        at += (size_t)snprintf(out + at, bytes - at, "%s%s", i ? " " : "", p->set.p[i]);
}

void point_locality_name(char out[96], const char *what, const char *bin)
{
    snprintf(out, 96, "locality.%s%s%s", what ? what : "", what ? "." : "", bin);
    for (char *c = out; *c; c++)
        if (*c == '+') /* it would be a sum */
            *c = '_';
}

static void put_part(json_t *o, const char *name, const char *bin, uint64_t n, uint64_t of)
{
    char key[96];
    point_locality_name(key, name, bin);
    json_object_set_new(o, key, json_real(of ? (double)n / (double)of : 0));
}

static uint64_t sum(const uint64_t *v, int n)
{
    uint64_t s = 0;
    for (int i = 0; i < n; i++)
        s += v[i];
    return s;
}

static json_t *analyzed_loads(const struct trace_file *f, const struct locality *l)
{
    json_t *all = json_array();
    for (uint32_t k = 0; k < locality_n_kernels(l) && k < trace_n_kernels(f); k++) {
        const struct trace_kernel *kernel = trace_get_kernel(f, k);
        uint32_t n;
        const struct locality_load *load = locality_loads(l, k, &n);
        for (uint32_t pc = 0; pc < kernel->n_inst; pc++) {
            uint32_t i = kernel->inst[pc].mem_index;
            if (i < n && locality_lines(&load[i])) /* other loads may have brought in all it touched: no type then */
                json_array_append_new(all, json_pack("{s:s,s:I,s:I,s:s}", "kernel", kernel->name, "pc", (json_int_t)pc,
                                                     "accesses", (json_int_t)load[i].accesses, "type",
                                                     locality_type_name[locality_dominant(&load[i])]));
        }
    }
    return all;
}

static char *analyze(const struct point *p, struct trace_file *f, const struct gpu_opts *shared, struct err *e)
{
    struct analyze_opts o = {.machine = shared->machine,
                             .set = shared->set,
                             .n_set = shared->n_set,
                             .with = shared->with,
                             .poll = shared->poll,
                             .poll_ctx = shared->poll_ctx};
    struct analysis a;
    if (analyze_trace(f, &o, &a, e))
        return NULL;
    struct locality_load all = locality_sum(a.locality, UINT32_MAX);
    json_t *total = json_object();
    struct analyze_summary summary;
    analyze_summarize(&a, f, &summary);
    json_object_set_new(total, "locality.aps", json_real(summary.aps));
    json_object_set_new(total, "locality.iterations", json_real(summary.iterations));
    json_object_set_new(total, "locality.repeated_loads", json_integer(summary.n_repeated));
    json_object_set_new(total, "locality.loads", json_integer((json_int_t)summary.load.n));
    analyze_summary_free(&summary);
    for (int t = 0; t < LOCALITY_TYPE_COUNT; t++) {
        put_part(total, "line", locality_type_name[t], all.line[t], sum(all.line, LOCALITY_TYPE_COUNT));
        for (int b = 0; b < LOCALITY_DISTANCE_BINS; b++) {
            char key[96], bin[64];
            snprintf(bin, sizeof bin, "%s.%d", locality_type_name[t], b);
            point_locality_name(key, "distance", bin);
            json_object_set_new(total, key, json_integer((json_int_t)all.distance[t][b]));
        }
    }
    for (int b = 0; b < LOCALITY_COUNT_BINS; b++) {
        put_part(total, "count", locality_count_name[b], all.count[b], sum(all.count, LOCALITY_COUNT_BINS));
        put_part(total, "finite_count", locality_count_name[b], all.finite_count[b],
                 sum(all.finite_count, LOCALITY_COUNT_BINS));
    }
    json_t *doc = json_pack("{s:o,s:o}", "total", total, "loads", analyzed_loads(f, a.locality));
    char *text = json_dumps(doc, JSON_COMPACT | JSON_REAL_PRECISION(12));
    json_decref(doc);
    analysis_free(&a);
    return text;
}

char *point_page_name(const struct point *p)
{
    char *name = xasprintf("%s-%s.html", p->program->name, p->key);
    for (char *c = name; *c; c++)
        if (*c == '/')
            *c = '_';
    return name;
}

/* The profile of a finished run as a page at p->page. */
static int write_page(const struct point *p, struct gpu *g, struct err *e)
{
    struct profile profile;
    struct err undrawn; /* the page itself says so */
    char path[32], *command = point_command(p, NULL);
    int status = -1;
    const int fd = memfd_create("run.json", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    json_t *doc = result_write_json(g, true, p->program->name, path, e) ? NULL : jsonfile_read(path, e);
    if (doc && !profile_read(&profile, doc, p->program->name, NULL, e)) {
        struct outfile *out = outfile_open(p->page, e);
        if (out) {
            profile_page(&profile, command, outfile_stream(out), &undrawn);
            status = outfile_commit(out, e);
        }
        profile_free(&profile);
    }
    free(command);
    close(fd);
    return status;
}

char *point_simulate(const struct point *p, unsigned threads, int (*poll)(void *, uint64_t, uint64_t), void *ctx,
                     struct err *e)
{
    struct gpu_opts o = {.machine = p->machine,
                         .with = p->with,
                         .set = (const char *const *)p->set.p,
                         .n_set = (unsigned)p->set.n,
                         .threads = threads,
                         .sampled = p->program->sampled,
                         .profile = p->page != NULL,
                         .poll = poll,
                         .poll_ctx = ctx};
    struct trace_file *f = trace_open(p->program->recording, e);
    char *document = f && p->analysis ? analyze(p, f, &o, e) : NULL;
    struct gpu *g = f && !p->analysis ? gpu_new(&o, e) : NULL;
    if (g) {
        err_clear(e);
        enum gpu_end end = gpu_replay_first(g, f, p->program->launches ? p->program->launches : UINT32_MAX, e);
        if (end == GPU_DEADLOCKED)
            err_set(e, "deadlock after %" PRIu64 " cycles; 'weir replay' prints the wait chain", gpu_cycles(g));
        else if (end == GPU_INTERRUPTED)
            err_set(e, "interrupted");
        else if (end == GPU_DONE && gpu_finish(g, true, e) == 0 && (!p->page || !write_page(p, g, e)))
            document = result_brief_json(g);
    }
    gpu_free(g);
    trace_close(f);
    return document;
}

/* Whether it is written as result_brief_json and analyze write it, so that numbers can be found without reading all. */
static bool is_plain(const char *document, const char **total, size_t *bytes)
{
    static const char head[] = "{\"total\":{";
    const size_t n = strlen(document);
    const char *start = document + sizeof head - 1, *end;
    if (strncmp(document, head, sizeof head - 1) || n < 2 || strcmp(document + n - 2, "]}") ||
        !(end = strchr(start, '}')) || strncmp(end, "},\"loads\":[", 11) || memchr(start, '{', (size_t)(end - start)))
        return false;
    *total = start;
    *bytes = (size_t)(end - start);
    return true;
}

static json_t *parse(const char *document)
{
    json_error_t why;
    json_t *doc = json_loads(document, 0, &why);
    if (json_is_object(json_object_get(doc, "total")) && json_is_array(json_object_get(doc, "loads")))
        return doc;
    json_decref(doc);
    return NULL;
}

int point_take(struct point *p, const char *document)
{
    const char *total = NULL;
    size_t bytes = 0;
    json_t *doc = NULL;
    if (!is_plain(document, &total, &bytes) && !(doc = parse(document)))
        return -1;
    free(p->document);
    json_decref(p->result);
    p->document = xstrdup(document);
    p->total = total ? p->document + (total - document) : NULL;
    p->total_bytes = bytes;
    p->result = doc;
    return 0;
}

const json_t *point_result(const struct point *p)
{
    if (p && p->document && !p->result)
        ((struct point *)p)->result = parse(p->document); /* read when it is first asked for */
    return p ? p->result : NULL;
}

/* ---- values ---- */

/* Adds energy.* to the result's total, once. */
static void add_energy(struct point *p)
{
    json_t *total = json_object_get(point_result(p), "total");
    if (!total || json_object_get(total, "energy.total_j") || p->unevaluated)
        return;
    struct err e;
    err_clear(&e);
    struct cfg *c = cfg_load(gpu_schema(), p->machine, (const char *const *)p->set.p, (unsigned)p->set.n, p->with, &e);
    struct energy_model *m = c ? gpu_energy_open(c, NULL, &e) : NULL;
    if (m) {
        gpu_energy_put_json(m, total);
    } else {
        p->unevaluated = xmalloc(sizeof e);
        *p->unevaluated = e;
    }
    energy_free(m);
    cfg_free(c);
}

/* A statistic of the result; NAN where there is none of that name. */
static double number(const struct point *p, const char *name)
{
    const bool energy = !strncmp(name, "energy.", 7);
    if (energy)
        add_energy((struct point *)p); /* read when it is first asked for */
    if (!p->total || energy) {
        const json_t *v = json_object_get(json_object_get(point_result(p), "total"), name);
        return json_is_number(v) ? json_number_value(v) : NAN;
    }
    char quoted[140];
    const int n = snprintf(quoted, sizeof quoted, "\"%s\":", name);
    const char *at = memmem(p->total, p->total_bytes, quoted, (size_t)n);
    return at ? strtod(at + n, NULL) : NAN;
}

/* A sum of names such as "l1.misses+l1.merges", n characters. */
static double sum_of(const struct point *p, const char *text, size_t n)
{
    double all = 0;
    for (const char *at = text, *end = text + n; at < end;) {
        while (at < end && (*at == ' ' || *at == '+'))
            at++;
        size_t len = 0;
        while (at + len < end && at[len] != '+' && at[len] != ' ')
            len++;
        if (!len)
            break;
        char name[128];
        snprintf(name, sizeof name, "%.*s", (int)len, at);
        all += strspn(name, "0123456789") == len ? strtod(name, NULL) : number(p, name); /* NAN stays NAN */
        at += len;
    }
    return all;
}

const char *lab_model(void)
{
    return WEIR_MODEL;
}

double point_value(const struct point *p, const char *metric)
{
    if (!p || !p->document)
        return NAN;
    const char *slash = strchr(metric, '/');
    if (!slash)
        return sum_of(p, metric, strlen(metric));
    double over = sum_of(p, slash + 1, strlen(slash + 1));
    double of = sum_of(p, metric, (size_t)(slash - metric));
    return over == 0 ? 0 : of / over;
}

double point_busy(const struct point *p)
{
    double sum = 0;
    for (uint32_t ctas = 0; ctas <= LAB_CTAS; ctas++)
        sum += (double)p->program->insts_by_ctas[ctas] * (ctas < p->sms ? (double)ctas / p->sms : 1);
    return p->program->insts ? sum / (double)p->program->insts : 1;
}

bool point_is_empty(const struct point *p, const char *metric)
{
    const char *slash = strchr(metric, '/');
    if (!p || !p->document || !slash)
        return false;
    return sum_of(p, slash + 1, strlen(slash + 1)) == 0;
}
