/* See correlate.h. */
#include "profile/correlate.h"

#include "base/jsonfile.h"
#include "gpu/ncu_names.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

/* ---- runs ---- */
static double stat_of(void *ctx, const char *name)
{
    const json_t *v = json_object_get(ctx, name);
    return json_is_number(v) ? json_number_value(v) : NAN;
}

/* "1980MHz" */
static double hertz(const char *text)
{
    char *end;
    double v = strtod(text, &end);
    return v * (*end == 'G' ? 1e9 : *end == 'M' ? 1e6 : *end == 'k' ? 1e3 : 1);
}

static char *stem_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    return xstrndup(name, dot && dot != name ? (size_t)(dot - name) : strlen(name));
}

static int not_a_run(const char *path, struct err *e)
{
    err_at(e, path, 0, 0, "has no kernels; it is not output of 'weir run --json'");
    return err_hint(e, "weir run --gpu h200 --json FILE PROGRAM");
}

int run_read(struct run *r, const char *path, struct err *e)
{
    json_t *doc = jsonfile_read(path, e);
    if (!doc)
        return -1;
    const json_t *kernels = json_object_get(doc, "kernels"), *config = json_object_get(doc, "config");
    const char *clock = json_string_value(json_object_get(config, "clock.core"));
    size_t i;
    json_t *k;
    int status = json_is_array(kernels) && json_array_size(kernels) && clock ? 0 : not_a_run(path, e);
    r->program = stem_of(path);
    if (!status)
        json_array_foreach(kernels, i, k)
        {
            const char *name = json_string_value(json_object_get(k, "kernel"));
            if (!name) {
                status = not_a_run(path, e);
                break;
            }
            struct run_launch l = {.kernel = xstrdup(name)};
            for (int m = 0; m < BOARD_METRICS; m++)
                l.value[m] = NAN;
            for (int m = 0; ncu_metrics[m].name; m++)
                l.value[m] = ncu_value(&ncu_metrics[m], hertz(clock), stat_of, k);
            VEC_PUSH(&r->launch, l);
        }
    json_decref(doc);
    return status;
}

void run_free(struct run *r)
{
    for (size_t i = 0; i < r->launch.n; i++)
        free(r->launch.p[i].kernel);
    VEC_FREE(&r->launch);
    free(r->program);
}

/* ---- names ---- */
/* The last name of a mangled function before its template arguments and parameters. */
static size_t base_of_mangled(const char *s, const char **out)
{
    size_t len = 0;
    s += 2;
    while (*s) {
        if (isdigit((unsigned char)*s)) {
            char *end;
            unsigned long n = strtoul(s, &end, 10);
            if (n > strlen(end))
                break;
            *out = end;
            len = n;
            s = end + n;
        } else if (len == 0 || *s == 'L') { /* N, qualifiers, internal linkage */
            s++;
        } else {
            break;
        }
    }
    return len;
}

/* The part of a kernel's name by which both sides know it. */
static void base_name(const char *name, char out[256])
{
    const char *at = name;
    size_t n = 0;
    if (!strncmp(name, "_Z", 2)) {
        n = base_of_mangled(name, &at);
    } else {
        static const char unnamed[] = "(anonymous namespace)::";
        for (const char *p; (p = strstr(at, unnamed));)
            at = p + sizeof unnamed - 1;
        n = strcspn(at, "<(");
        for (size_t i = n; i-- > 0;)
            if (at[i] == ':' || at[i] == ' ') {
                at += i + 1;
                n -= i + 1;
                break;
            }
    }
    if (n == 0 || n > 255) {
        at = name;
        n = strlen(name) > 255 ? 255 : strlen(name);
    }
    memcpy(out, at, n);
    out[n] = 0;
}

/* ---- matching ---- */
/* A kernel of one side: its launches in order, as indices. */
struct kernel {
    const char *name;
    char base[256];
    VEC(size_t) at;
    unsigned nth; /* of the kernels of that base name */
};
typedef VEC(struct kernel) kernels;

static void add_launch(kernels *all, const char *name, size_t at)
{
    struct kernel *k = NULL;
    for (size_t i = 0; i < all->n && !k; i++)
        if (!strcmp(all->p[i].name, name))
            k = &all->p[i];
    if (!k) {
        struct kernel new = {.name = name};
        base_name(name, new.base);
        for (size_t i = 0; i < all->n; i++)
            new.nth += !strcmp(all->p[i].base, new.base);
        VEC_PUSH(all, new);
        k = &all->p[all->n - 1];
    }
    VEC_PUSH(&k->at, at);
}

static void kernels_free(kernels *all)
{
    for (size_t i = 0; i < all->n; i++)
        VEC_FREE(&all->p[i].at);
    VEC_FREE(all);
}

static unsigned count_base(const kernels *all, const char *base)
{
    unsigned n = 0;
    for (size_t i = 0; i < all->n; i++)
        n += !strcmp(all->p[i].base, base);
    return n;
}

/* weir's kernel for one of the board's: the one of the same base name and number. */
static const struct kernel *find(const kernels *all, const struct kernel *k)
{
    for (size_t i = 0; i < all->n; i++)
        if (!strcmp(all->p[i].base, k->base) && all->p[i].nth == k->nth)
            return &all->p[i];
    return NULL;
}

/* Instances of a template under one name: the launches of all of them, in order. */
static void merge_base(kernels *all, const char *base)
{
    struct kernel *first = NULL;
    size_t kept = 0;
    for (size_t i = 0; i < all->n; i++) {
        struct kernel *k = &all->p[i];
        if (strcmp(k->base, base) || !first) {
            all->p[kept] = *k;
            if (!strcmp(k->base, base))
                first = &all->p[kept];
            kept++;
            continue;
        }
        for (size_t j = 0; j < k->at.n; j++) {
            size_t to = first->at.n;
            VEC_PUSH(&first->at, k->at.p[j]);
            for (; to && first->at.p[to - 1] > k->at.p[j]; to--)
                first->at.p[to] = first->at.p[to - 1];
            first->at.p[to] = k->at.p[j];
        }
        VEC_FREE(&k->at);
    }
    all->n = kept;
}

static void add_values(double *to, const double *from)
{
    for (int m = 0; m < BOARD_METRICS; m++)
        to[m] += from[m];
}

static const struct run_launch *launch_at(const struct run *run, size_t at)
{
    for (;; run++) {
        if (at < run->launch.n)
            return &run->launch.p[at];
        at -= run->launch.n;
    }
}

/* The rows of one program (or of all, where the board knows none) against the runs from `run` on. */
static void match(struct correlation *c, const struct hw_counters *b, const char *program, const struct run *run,
                  size_t n_run)
{
    kernels board = {0}, weir = {0};
    size_t at = 0;
    for (size_t i = 0; i < b->row.n; i++)
        if (!program || !strcmp(b->row.p[i].program, program))
            add_launch(&board, b->row.p[i].kernel, i);
    for (size_t r = 0; r < n_run; r++)
        for (size_t i = 0; i < run[r].launch.n; i++, at++)
            add_launch(&weir, run[r].launch.p[i].kernel, at);
    for (size_t i = 0; i < board.n; i++)
        if (count_base(&board, board.p[i].base) != count_base(&weir, board.p[i].base) && !b->summed) {
            merge_base(&weir, board.p[i].base);
            merge_base(&board, board.p[i].base);
        }
    for (size_t i = 0; i < board.n; i++) {
        const struct kernel *k = &board.p[i], *w = find(&weir, k);
        if (!w) {
            VEC_PUSH(&c->unmatched, k->name);
            continue;
        }
        struct pair p = {.program = program ? program : run->program, .kernel = k->name};
        size_t taken = 0;
        for (size_t j = 0; j < k->at.n && taken < w->at.n; j++) {
            const struct hw_row *row = &b->row.p[k->at.p[j]];
            add_values(p.board, row->value);
            for (unsigned n = 0; n < row->launches && taken < w->at.n; n++, p.launches++)
                add_values(p.weir, launch_at(run, w->at.p[taken++])->value);
        }
        VEC_PUSH(&c->pair, p);
    }
    kernels_free(&board);
    kernels_free(&weir);
}

void correlate(struct correlation *c, const struct hw_counters *b, const struct run *run, size_t n_run)
{
    if (!b->summed) {
        match(c, b, NULL, run, n_run);
        return;
    }
    for (size_t i = 0; i < b->row.n; i++) {
        const char *program = b->row.p[i].program;
        bool seen = false;
        for (size_t j = 0; j < i && !seen; j++)
            seen = !strcmp(b->row.p[j].program, program);
        for (size_t r = 0; r < n_run && !seen; r++)
            if (!strcmp(run[r].program, program)) {
                match(c, b, program, &run[r], 1);
                break;
            }
    }
}

void correlation_free(struct correlation *c)
{
    VEC_FREE(&c->pair);
    VEC_FREE(&c->unmatched);
}

/* ---- values ---- */
static double value(const struct pair *p, bool board, const char *metric)
{
    int m = hw_metric(metric);
    return m < 0 ? NAN : (board ? p->board : p->weir)[m];
}

double pair_cycles(const struct pair *p, bool board)
{
    return value(p, board, "sm__cycles_elapsed.max");
}

static double hit_rate(const struct pair *p, bool board, const char *hits, const char *all, const char *percent)
{
    double n = value(p, board, all), hit = value(p, board, hits);
    if (!isnan(n) && !isnan(hit))
        return n > 0 ? hit / n : NAN;
    return value(p, board, percent) / 100 / p->launches; /* the mean over launches, where there are no counts */
}

double pair_l1_hit(const struct pair *p, bool board)
{
    return hit_rate(p, board, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
                    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                    "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct");
}

double pair_l2_hit(const struct pair *p, bool board)
{
    return hit_rate(p, board, "lts__t_sectors_op_read_lookup_hit.sum", "lts__t_sectors_op_read.sum",
                    "lts__t_sector_op_read_hit_rate.pct");
}

double pair_dram_bytes(const struct pair *p, bool board)
{
    double both = value(p, board, "dram__bytes_read.sum") + value(p, board, "dram__bytes_write.sum");
    return isnan(both) ? value(p, board, "dram__bytes.sum") : both;
}

struct pair pair_sum(const struct correlation *c, const char *program)
{
    struct pair p = {.program = program, .kernel = ""};
    for (size_t i = 0; i < c->pair.n; i++)
        if (!strcmp(c->pair.p[i].program, program)) {
            add_values(p.board, c->pair.p[i].board);
            add_values(p.weir, c->pair.p[i].weir);
            p.launches += c->pair.p[i].launches;
        }
    return p;
}

/* ---- summaries ---- */
void summary_add(struct correlation_summary *s, const struct pair *p)
{
    double board = pair_cycles(p, true), weir = pair_cycles(p, false);
    if (board > 0 && weir > 0) {
        double x = log(board), y = log(weir);
        s->n++;
        s->error += fabs(weir / board - 1);
        s->sum_abs_log += fabs(y - x);
        s->x += x;
        s->y += y;
        s->xx += x * x;
        s->yy += y * y;
        s->xy += x * y;
    }
    double l1 = 100 * (pair_l1_hit(p, false) - pair_l1_hit(p, true));
    if (!isnan(l1)) {
        s->n_l1++;
        s->l1_points += fabs(l1);
        s->l1_within_5 += fabs(l1) <= 5;
    }
    double l2 = 100 * (pair_l2_hit(p, false) - pair_l2_hit(p, true));
    if (!isnan(l2)) {
        s->n_l2++;
        s->l2_points += fabs(l2);
    }
    double bytes = pair_dram_bytes(p, true);
    if (bytes > 1e6 && !isnan(pair_dram_bytes(p, false))) {
        s->n_dram++;
        s->dram_within_10 += fabs(pair_dram_bytes(p, false) / bytes - 1) <= 0.1;
    }
}

void summary_finish(struct correlation_summary *s)
{
    double n = s->n, vx = n * s->xx - s->x * s->x, vy = n * s->yy - s->y * s->y;
    s->error = n > 0 ? s->error / n : NAN;
    s->factor = n > 0 ? exp(s->sum_abs_log / n) : NAN;
    s->r = vx > 0 && vy > 0 ? (n * s->xy - s->x * s->y) / sqrt(vx * vy) : NAN;
    s->l1_points = s->n_l1 ? s->l1_points / s->n_l1 : NAN;
    s->l2_points = s->n_l2 ? s->l2_points / s->n_l2 : NAN;
}

bool held_out(const char *program)
{
    uint32_t h = 2166136261u;
    for (; *program; program++)
        h = (h ^ (unsigned char)*program) * 16777619u;
    return h & 1;
}
