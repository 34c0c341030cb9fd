/* See compare_many.h. */
#include "profile/compare_many.h"

#include "base/csv.h"
#include "base/infile.h"
#include "base/text.h"
#include "profile/compare_priv.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <string.h>

enum { SHOWN = 30, FILE_MOST_BYTES = 64 << 20 };

void compare_set_add(struct compare_set *s, const char *name, json_t *total, double value)
{
    VEC_PUSH(&s->item, (struct compare_item){xstrdup(name), total, value});
}

void compare_set_free(struct compare_set *s)
{
    for (size_t i = 0; i < s->item.n; i++) {
        free(s->item.p[i].name);
        json_decref(s->item.p[i].total);
    }
    VEC_FREE(&s->item);
}

/* ---- reading ---- */

int compare_set_of_suite(struct compare_set *s, const json_t *doc, const char *path, struct err *e)
{
    size_t i;
    json_t *p;
    json_array_foreach(json_object_get(doc, "programs"), i, p)
    {
        json_t *total = json_object_get(p, "total");
        const char *name = json_string_value(json_object_get(p, "name"));
        if (name && json_is_number(json_object_get(total, "cycles")))
            compare_set_add(s, name, json_incref(total), NAN);
    }
    if (s->item.n)
        return 0;
    err_at(e, path, 0, 0, "no program of the suite has statistics of a timed run");
    return err_hint(e, "make it without --functional: weir suite run --json FILE");
}

static int column_of(const struct csv_fields *head, const char *name)
{
    for (size_t i = 0; i < head->field.n; i++)
        if (!strcmp(head->field.p[i], name))
            return (int)i;
    return -1;
}

/* The values of one figure. A file without our columns is something else, and is passed over. */
static int add_figure(struct compare_set *s, const char *path, const char *file, struct err *e)
{
    char *text = infile_text(path, FILE_MOST_BYTES, e), why[64];
    if (!text)
        return -1;
    struct csv_fields head = {0}, row = {0};
    int bad = 0, number = 1, row_at = -1, variant_at = -1, value_at = -1;
    for (char *line = text, *next; line && *line && !bad; line = next, number++) {
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        line[strcspn(line, "\r")] = 0;
        if (csv_cut(line, number == 1 ? &head : &row, why)) {
            bad = err_at(e, path, number, 0, "%s", why);
            break;
        }
        if (number == 1) {
            row_at = column_of(&head, "row"), variant_at = column_of(&head, "variant");
            value_at = column_of(&head, "value");
            if (row_at < 0 || variant_at < 0 || value_at < 0)
                break;
            continue;
        }
        if (row.field.n != head.field.n) {
            bad = err_at(e, path, number, 0, "%zu fields, but the header has %zu", row.field.n, head.field.n);
            break;
        }
        char name[512], *end;
        const double v = strtod(row.field.p[value_at], &end);
        snprintf(name, sizeof name, "%.*s: %s, %s", (int)(strlen(file) - 4), file, row.field.p[row_at],
                 row.field.p[variant_at]);
        if (end != row.field.p[value_at])
            compare_set_add(s, name, NULL, v);
    }
    VEC_FREE(&head.field);
    VEC_FREE(&row.field);
    free(text);
    return bad;
}

static int by_file(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_csv(const struct dirent *d)
{
    return d->d_name[0] != '.' && text_ends_in(d->d_name, ".csv");
}

int compare_set_of_folder(struct compare_set *s, const char *folder, struct err *e)
{
    struct dirent **file = NULL;
    const int n = scandir(folder, &file, is_csv, by_file);
    int bad = n < 0 ? err_at(e, folder, 0, 0, "%s", strerror(errno)) : 0;
    for (int i = 0; i < n; i++) {
        char *path = xmalloc(strlen(folder) + strlen(file[i]->d_name) + 2);
        sprintf(path, "%s/%s", folder, file[i]->d_name);
        bad = bad ? bad : add_figure(s, path, file[i]->d_name, e);
        free(path);
        free(file[i]);
    }
    free(file);
    if (bad || s->item.n)
        return bad;
    err_at(e, folder, 0, 0, "holds no figure's values (CSV)");
    return err_hint(e, "make one: weir sweep PLAN -o FOLDER, weir reproduce NAME -o FOLDER");
}

/* ---- side by side ---- */

struct pair {
    const struct compare_item *a, *b;
    double a_value, b_value; /* of runs: cycles */
};
struct pairs {
    VEC(struct pair) p;
    size_t only_a, only_b;
};

/* By name; of equal names the first of the set comes first. */
static int by_name(const void *x, const void *y)
{
    const struct compare_item *const *a = x, *const *b = y;
    const int order = strcmp((*a)->name, (*b)->name);
    return order ? order : *a < *b ? -1 : *a > *b;
}

/* The items of a set by name. */
static const struct compare_item **index_of(const struct compare_set *s)
{
    const struct compare_item **index = xcalloc(s->item.n + 1, sizeof *index);
    for (size_t i = 0; i < s->item.n; i++)
        index[i] = &s->item.p[i];
    qsort(index, s->item.n, sizeof *index, by_name);
    return index;
}

static const struct compare_item *named(const struct compare_item **index, size_t n, const char *name)
{
    size_t low = 0, high = n;
    while (low < high) {
        const size_t mid = (low + high) / 2;
        if (strcmp(index[mid]->name, name) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low < n && !strcmp(index[low]->name, name) ? index[low] : NULL;
}

static double value_of(const struct compare_item *i)
{
    return i->total ? compare_number(i->total, "cycles") : i->value;
}

static double difference(const struct pair *p)
{
    return p->a_value != 0 ? fabs(p->b_value / p->a_value - 1) : fabs(p->b_value) > 0 ? INFINITY : 0;
}

static int by_difference(const void *x, const void *y)
{
    const struct pair *p = x, *q = y;
    const double a = difference(p), b = difference(q);
    return a < b ? 1 : a > b ? -1 : strcmp(p->a->name, q->a->name);
}

static void find_pairs(const struct compare_set *a, const struct compare_set *b, struct pairs *out)
{
    const struct compare_item **in_a = index_of(a), **in_b = index_of(b);
    for (size_t i = 0; i < a->item.n; i++) {
        const struct compare_item *x = &a->item.p[i], *y = named(in_b, b->item.n, x->name);
        if (y)
            VEC_PUSH(&out->p, (struct pair){x, y, value_of(x), value_of(y)});
        out->only_a += !y;
    }
    for (size_t i = 0; i < b->item.n; i++)
        out->only_b += !named(in_a, a->item.n, b->item.p[i].name);
    free(in_a);
    free(in_b);
    if (out->p.n)
        qsort(out->p.p, out->p.n, sizeof *out->p.p, by_difference);
}

/* "  bfs   12.3 k   10.1 k   -17.9%  memory   -15.2%   41.0% -> 20.1%" */
static void put_run(const struct pair *p, FILE *out)
{
    char ta[24], tb[24], tc[24];
    struct compare_reasons r = {0};
    const json_t *a = p->a->total, *b = p->b->total;
    const double accesses_a = compare_number(a, "l1.accesses"), accesses_b = compare_number(b, "l1.accesses");
    fprintf(out, "  %-44.44s %10s %10s %8s", p->a->name, compare_count(ta, p->a_value), compare_count(tb, p->b_value),
            compare_change(tc, p->a_value, p->b_value));
    compare_read_reasons(a, b, &r);
    if (p->a_value > 0 && p->a_value != p->b_value)
        fprintf(out, "  %-9s %+7.1f%%", r.r.p[0].name, 100 * (r.r.p[0].b - r.r.p[0].a) / p->a_value);
    else
        fprintf(out, "  %-18s", "");
    fprintf(out, "  %5.1f%% -> %.1f%%\n", accesses_a > 0 ? 100 * compare_number(a, "l1.misses") / accesses_a : 0,
            accesses_b > 0 ? 100 * compare_number(b, "l1.misses") / accesses_b : 0);
    VEC_FREE(&r.r);
}

int compare_many_print(const struct compare_set *a, const struct compare_set *b, const char *name_a, const char *name_b,
                       const struct compare_opts *o, FILE *out, struct err *e)
{
    struct pairs all = {0};
    find_pairs(a, b, &all);
    if (!all.p.n) {
        err_set(e, "%s and %s have no result of the same name", name_a, name_b);
        return err_hint(e, "%s has '%s', %s has '%s'", name_a, a->item.p[0].name, name_b, b->item.p[0].name);
    }
    const bool runs = all.p.p[0].a->total && all.p.p[0].b->total;
    size_t more = 0, less = 0, shown = 0, n = 0;
    double logs = 0;
    fprintf(out, "a  %s: %zu results\nb  %s: %zu results\n", name_a, a->item.n, name_b, b->item.n);
    for (size_t i = 0; i < all.p.n; i++) {
        const struct pair *p = &all.p.p[i];
        const bool changed = difference(p) > o->threshold;
        more += changed && p->b_value > p->a_value;
        less += changed && p->b_value < p->a_value;
        if (p->a_value > 0 && p->b_value > 0) {
            logs += log(p->a_value / p->b_value);
            n++;
        }
    }
    fprintf(out, "   %zu in both; %zu only in a, %zu only in b\n\n", all.p.n, all.only_a, all.only_b);
    if (runs)
        fprintf(
            out,
            "b is faster %zu times, slower %zu times, within %.3g%% %zu times; speed-up of b (geometric mean): %.3f\n",
            less, more, 100 * o->threshold, all.p.n - more - less, n ? exp(logs / (double)n) : NAN);
    else
        fprintf(out, "%zu values rose, %zu fell, %zu changed by no more than %.3g%%\n", more, less,
                all.p.n - more - less, 100 * o->threshold);
    fputs(runs ? "\nThe largest change first                      cycles a   cycles b   change  largest part        L1 "
                 "misses\n"
               : "\nThe largest change first                                                   a          b   change\n",
          out);
    for (size_t i = 0; i < all.p.n && (o->all || shown < SHOWN); i++) {
        const struct pair *p = &all.p.p[i];
        char change[24];
        if (difference(p) <= o->threshold && !o->all)
            break;
        shown++;
        if (runs)
            put_run(p, out);
        else
            fprintf(out, "  %-62.62s %10.4g %10.4g %8s\n", p->a->name, p->a_value, p->b_value,
                    compare_change(change, p->a_value, p->b_value));
    }
    if (!shown)
        fputs("  none beyond the threshold\n", out);
    if (more + less > shown)
        fprintf(out, "  and %zu more; --all shows them\n", more + less - shown);
    VEC_FREE(&all.p);
    return 0;
}
