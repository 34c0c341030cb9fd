/* weir export: statistics as CSV. */
#include "base/outfile.h"
#include "cli/cli.h"
#include "cli/suite_programs.h"
#include "profile/compare.h"
#include "report/export.h"
#include "study/store.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct args {
    const char *file, *table, *out;
    VEC(const char *) column;
};

static void add_columns(struct argp_state *state, void *args, char *list)
{
    struct args *a = args;
    (void)state;
    for (char *save, *w = strtok_r(list, ",", &save); w; w = strtok_r(NULL, ",", &save))
        VEC_PUSH(&a->column, w);
}

static void take_word(struct argp_state *state, void *args, char *word)
{
    struct args *a = args;
    if (a->file)
        argp_error(state, "one file expected");
    a->file = word;
}

static const struct cli_option options[] = {
    {"table", "NAME", "of a run's document: total (default), kernels, loads, samples or phases",
     CLI_TEXT(struct args, table), .letter = 't'},
    {"column", "NAME", "only this column; may be repeated, or a list: ipc,l1.miss_rate", .call = add_columns,
     .letter = 'c'},
    {"output", "FILE", "write to FILE instead of standard output", CLI_TEXT(struct args, out), .letter = 'o'},
    {"csv", NULL, "comma-separated values (the only format)"},
    {0}};

static const struct cli_syntax syntax = {.option = options,
                                         .usage = "[FILE]",
                                         .doc =
                                             "Statistics as CSV: from a run's document, or from a store of "
                                             "results.\vWithout FILE, exports the result store in "
                                             "the cache folder, which weir sweep and weir reproduce fill.\n"
                                             "\n"
                                             "Examples:\n"
                                             "  weir run -q --json run.json ./app\n"
                                             "  weir export --table loads run.json -o loads.csv\n"
                                             "  weir export --table kernels -c kernel,cycles,ipc run.json\n"
                                             "  weir export -c program,machine,policies,settings,ipc\n"
                                             "  weir export results.sqlite -o all.csv\n",
                                         .word = take_word};

static int read_rows(const struct args *a, struct export_rows *rows, struct err *e)
{
    char cache[SUITE_PATH], store[SUITE_PATH + 32];
    const char *file = a->file;
    if (!file) {
        if (suite_cache_folder(cache, e))
            return -1;
        snprintf(store, sizeof store, "%s/results.sqlite", cache);
        file = store;
        if (access(file, R_OK)) {
            err_at(e, file, 0, 0, "%s", strerror(errno));
            return err_hint(e, "weir sweep and weir reproduce store their results there");
        }
    }
    if (store_is(file)) {
        if (a->table)
            return err_set(e, "--table %s: a result store has only one table", a->table);
        return export_store(rows, file, e);
    }
    json_t *doc = compare_read(file, e);
    const int status = doc ? export_document(rows, doc, a->table ? a->table : "total", e) : -1;
    json_decref(doc);
    return status;
}

int cli_export(int argc, char **argv)
{
    struct args a = {0};
    struct export_rows rows = {0};
    struct err e;
    err_clear(&e);
    cli_parse(&syntax, argc, argv, 0, &a);
    struct outfile *out = NULL;
    int status = read_rows(&a, &rows, &e);
    if (!status && !(out = outfile_open(a.out ? a.out : "-", &e)))
        status = -1;
    if (!status)
        status = export_write(&rows, a.column.p, a.column.n, outfile_stream(out), &e);
    if (out && status)
        outfile_abandon(out);
    else if (out)
        status = outfile_commit(out, &e);
    export_free(&rows);
    VEC_FREE(&a.column);
    return status ? cli_fail(&e) : CLI_OK;
}
