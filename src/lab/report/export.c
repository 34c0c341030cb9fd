/* See export.h. */
#include "report/export.h"

#include "base/jsonfile.h"
#include "base/nearest.h"
#include "base/renamed.h"
#include "study/store.h"

#include <string.h>

const char *const export_tables[] = {"total", "kernels", "loads", "samples", "phases", NULL};

void export_free(struct export_rows *r)
{
    for (size_t i = 0; i < r->row.n; i++)
        json_decref(r->row.p[i]);
    VEC_FREE(&r->row);
}

/* ---- rows ---- */

/* Members of members become columns: "apcm.decided", "grid.0". */
static void flatten(json_t *row, const char *prefix, const json_t *v)
{
    char name[256];
    const char *key;
    json_t *x;
    size_t i;
    if (json_is_object(v)) {
        json_object_foreach((json_t *)v, key, x)
        {
            snprintf(name, sizeof name, "%s%s%s", prefix, *prefix ? "." : "", key);
            flatten(row, name, x);
        }
    } else if (json_is_array(v)) {
        json_array_foreach(v, i, x)
        {
            snprintf(name, sizeof name, "%s.%zu", prefix, i);
            flatten(row, name, x);
        }
    } else {
        json_object_set(row, prefix, (json_t *)v);
    }
}

static void add_row(struct export_rows *r, const json_t *o)
{
    json_t *row = json_object();
    flatten(row, "", o);
    VEC_PUSH(&r->row, row);
}

int export_document(struct export_rows *r, const json_t *doc, const char *table, struct err *e)
{
    const json_t *t = json_object_get(doc, table);
    size_t i, n = 0;
    json_t *x;
    while (export_tables[n] && strcmp(export_tables[n], table))
        n++;
    if (!export_tables[n]) {
        err_set(e, "--table %s: there is no such table", table);
        return err_hint_nearest(e, table, export_tables, (unsigned)n,
                                "choose total, kernels, loads, samples or phases");
    }
    if (json_is_object(t)) {
        add_row(r, t);
        return 0;
    }
    if (!json_is_array(t)) {
        err_set(e, "--table %s: the document has none", table);
        return !strcmp(table, "samples") ? err_hint(e, "--sample CYCLES makes them") : -1;
    }
    json_array_foreach(t, i, x) add_row(r, x);
    return 0;
}

static int on_result(void *ctx, const char *key, const struct store_row *s, struct err *e)
{
    (void)e;
    json_error_t why;
    json_t *doc = json_loads(s->document, 0, &why), *row = json_object();
    json_object_set_new(row, "program", jsonfile_text(s->program));
    json_object_set_new(row, "size", jsonfile_text(s->size));
    json_object_set_new(row, "machine", jsonfile_text(s->machine));
    json_object_set_new(row, "policies", jsonfile_text(s->policies));
    json_object_set_new(row, "settings", jsonfile_text(s->settings));
    json_object_set_new(row, "key", jsonfile_text(key));
    jsonfile_plain(doc);
    flatten(row, "", json_object_get(doc, "total")); /* a damaged row has its names only */
    json_decref(doc);
    VEC_PUSH(&((struct export_rows *)ctx)->row, row);
    return 0;
}

int export_store(struct export_rows *r, const char *path, struct err *e)
{
    struct store *s = store_open(path, e);
    if (!s)
        return -1;
    const int status = store_each(s, on_result, r, e);
    store_close(s);
    return status;
}

/* ---- CSV (RFC 4180) ---- */

static void put_text(FILE *out, const char *s)
{
    if (!strpbrk(s, ",\"\n\r")) {
        fputs(s, out);
        return;
    }
    fputc('"', out);
    for (; *s; s++) {
        if (*s == '"')
            fputc('"', out);
        fputc(*s, out);
    }
    fputc('"', out);
}

static void put_value(FILE *out, const json_t *v)
{
    if (json_is_integer(v))
        fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
    else if (json_is_real(v))
        fprintf(out, "%.12g", json_real_value(v));
    else if (json_is_boolean(v))
        fputs(json_is_true(v) ? "true" : "false", out);
    else if (json_is_string(v))
        put_text(out, json_string_value(v));
}

struct columns {
    VEC(const char *) name;
    struct strmap seen;
};

static void find_columns(const struct export_rows *r, struct columns *c)
{
    for (size_t i = 0; i < r->row.n; i++) {
        const char *key;
        json_t *v;
        json_object_foreach(r->row.p[i], key, v)
        {
            if (strmap_get(&c->seen, key, strlen(key)) != STRMAP_NONE)
                continue;
            strmap_put(&c->seen, key, strlen(key), (uint32_t)c->name.n);
            VEC_PUSH(&c->name, key);
        }
    }
}

int export_write(const struct export_rows *r, const char *const *column, size_t n_column, FILE *out, struct err *e)
{
    struct columns all = {0};
    int status = 0;
    find_columns(r, &all);
    for (size_t i = 0; i < n_column && !status; i++)
        if (strmap_get(&all.seen, column[i], strlen(column[i])) == STRMAP_NONE) {
            err_set(e, "there is no column '%s'", column[i]);
            status = err_hint_nearest(e, column[i], all.name.p, (unsigned)all.name.n, NULL);
            const char *dot = strrchr(column[i], '.');
            if (!err_hint_renamed(e, RENAMED_STATISTIC, column[i]) && dot)
                err_hint_renamed(e, RENAMED_COLUMN, dot + 1);
        }
    const char *const *name = n_column ? column : all.name.p;
    const size_t n = n_column ? n_column : all.name.n;
    for (size_t c = 0; c < n && !status; c++) {
        fputs(c ? "," : "", out);
        put_text(out, name[c]);
    }
    for (size_t i = 0; i < r->row.n && !status; i++) {
        fputc('\n', out);
        for (size_t c = 0; c < n; c++) {
            fputs(c ? "," : "", out);
            put_value(out, json_object_get(r->row.p[i], name[c]));
        }
    }
    if (!status)
        fputc('\n', out);
    VEC_FREE(&all.name);
    strmap_free(&all.seen);
    return status;
}
