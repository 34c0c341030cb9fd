/* weir export: statistics as CSV. */
#include "base/outfile.h"
#include "cli/cli.h"
#include "cli/suite_programs.h"
#include "profile/compare.h"
#include "report/export.h"
#include "study/store.h"

#include <argp.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

struct args {
    const char *file, *table, *out;
    VEC(const char *) column;
};

enum { KEY_CSV = 600 };

static const struct argp_option options[] = {
    {"table", 't', "NAME", 0, "of a run's document: total (default), kernels, loads, samples or phases", 0},
    {"column", 'c', "NAME", 0, "only this column; may be repeated, or a list: ipc,l1.miss_rate", 0},
    {"output", 'o', "FILE", 0, "write to FILE instead of standard output", 0},
    {"csv", KEY_CSV, NULL, 0, "comma-separated values (the only format)", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    switch (key) {
    case 't':
        a->table = arg;
        return 0;
    case 'c':
        for (char *save, *w = strtok_r(arg, ",", &save); w; w = strtok_r(NULL, ",", &save))
            VEC_PUSH(&a->column, w);
        return 0;
    case 'o':
        a->out = arg;
        return 0;
    case KEY_CSV:
        return 0;
    case ARGP_KEY_ARG:
        if (a->file)
            argp_error(state, "one file expected");
        a->file = arg;
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

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

static const char doc[] =
    "Statistics as CSV: from a run's document, or from a store of results.\vWithout FILE, exports the result store in "
    "the cache folder, which weir sweep and weir reproduce fill.\n"
    "\n"
    "Examples:\n"
    "  weir run -q --json run.json ./app\n"
    "  weir export --table loads run.json -o loads.csv\n"
    "  weir export --table kernels -c kernel,cycles,ipc run.json\n"
    "  weir export -c program,machine,policies,settings,ipc\n"
    "  weir export results.sqlite -o all.csv\n";

int cli_export(int argc, char **argv)
{
    static const struct argp argp = {options, parse, "[FILE]", doc, NULL, NULL, NULL};
    struct args a = {0};
    struct export_rows rows = {0};
    struct err e;
    err_clear(&e);
    if (cli_parse(&argp, argc, argv, 0, &a))
        return CLI_BAD_INPUT;
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
    if (status)
        err_print(&e, stderr);
    export_free(&rows);
    VEC_FREE(&a.column);
    return status ? CLI_BAD_INPUT : CLI_OK;
}
