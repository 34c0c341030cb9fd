/*
 * weir compare: two runs side by side, or two sets of results: suites, folders of reports, stores.
 *
 * What an argument is shows in what it names: a folder, a store, a document of a run or of the suite; a name of no file
 * is the key of a stored result.
 */
#include "base/jsonfile.h"
#include "base/outfile.h"
#include "cli/cli.h"
#include "cli/suite_programs.h"
#include "profile/compare.h"
#include "profile/compare_many.h"
#include "profile/profile.h"
#include "study/store.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LEAST_KEY = 6 };

struct args {
    const char *file[2], *html, *program, *results, *source;
    unsigned n;
    struct compare_opts opts;
};

/* One side: a run's document, or a set. */
struct side {
    json_t *doc;
    struct compare_set set;
};

/* ---- stored results ---- */

struct rows {
    struct side *side;
    const char *key; /* NULL: all rows, as a set */
    size_t found;
};

/* A stored result has the totals and the loads; what else a document has is its row's. */
static json_t *document_of(const struct store_row *s)
{
    json_error_t why;
    json_t *kept = json_loads(s->document, 0, &why);
    json_t *doc =
        json_pack("{s:s,s:b,s:o,s:{s:o},s:{s:o,s:o},s:{},s:[]}", "schema", "weir-stats-1", "complete", true, "machine",
                  jsonfile_text(s->machine), "policies", "all", jsonfile_text(s->policies), "provenance", "program",
                  jsonfile_text(s->program), "arguments", jsonfile_text(s->settings), "config", "kernels");
    jsonfile_plain(kept);
    json_object_update_missing(doc, kept);
    json_decref(kept);
    return doc;
}

static int on_row(void *ctx, const char *key, const struct store_row *s, struct err *e)
{
    struct rows *r = ctx;
    (void)e;
    if (r->key && strncmp(key, r->key, strlen(r->key)))
        return 0;
    json_t *doc = document_of(s);
    r->found++;
    if (r->key) {
        json_decref(r->side->doc);
        r->side->doc = doc;
        return 0;
    }
    char name[1024];
    snprintf(name, sizeof name, "%s %s on %s: %s%s%s", s->program, s->size, s->machine, s->policies,
             *s->settings ? "; " : "", s->settings);
    compare_set_add(&r->side->set, name, json_incref(json_object_get(doc, "total")), NAN);
    json_decref(doc);
    return 0;
}

static int read_store(struct side *side, const char *path, const char *key, struct err *e)
{
    struct rows r = {.side = side, .key = key};
    struct store *s = store_open(path, e);
    if (!s)
        return -1;
    const int bad = store_each(s, on_row, &r, e);
    store_close(s);
    if (bad)
        return -1;
    if (!r.found)
        return err_set(e, key ? "%s: no result with the key %s" : "%s: holds no result", path, key);
    if (key && r.found > 1)
        return err_set(e, "%s: %zu results have a key that begins so; give more of it", key, r.found);
    return 0;
}

static bool is_key(const char *word)
{
    return strlen(word) >= LEAST_KEY && strspn(word, "0123456789abcdef") >= LEAST_KEY && !strchr(word, '/') &&
           !strchr(word, '.');
}

static int read_key(struct side *side, const struct args *a, const char *key, struct err *e)
{
    char cache[SUITE_PATH], path[SUITE_PATH + 32];
    if (a->results)
        return read_store(side, a->results, key, e);
    if (suite_cache_folder(cache, e))
        return -1;
    snprintf(path, sizeof path, "%s/results.sqlite", cache);
    if (!access(path, R_OK))
        return read_store(side, path, key, e);
    err_at(e, path, 0, 0, "%s", strerror(errno));
    return err_hint(e, "keys are of stored results ('weir export -c key'); --results names another store");
}

/* ---- documents ---- */

/* A program's part of the suite's document: the whole of its run where that was asked for, else its totals. */
static json_t *program_of(const json_t *doc, const char *name)
{
    size_t i;
    json_t *p;
    json_array_foreach(json_object_get(doc, "programs"), i, p)
    {
        const char *is = json_string_value(json_object_get(p, "name"));
        json_t *run = json_object_get(p, "run"), *total = json_object_get(p, "total");
        if (!is || strcmp(is, name) || !total)
            continue;
        return run ? json_incref(run)
                   : json_pack("{s:s,s:b,s:s,s:{s:s},s:{},s:[],s:O}", "schema", "weir-stats-1", "complete", true,
                               "machine", "the suite's machine", "provenance", "program", name, "config", "kernels",
                               "total", total);
    }
    return NULL;
}

static int read_document(struct side *side, const struct args *a, const char *path, struct err *e)
{
    json_t *doc = jsonfile_read(path, e);
    if (!doc)
        return -1;
    const char *schema = json_string_value(json_object_get(doc, "schema"));
    if (!schema || strcmp(schema, "weir-suite-1")) {
        side->doc = compare_take(doc, path, e);
        return side->doc ? 0 : -1;
    }
    int bad = 0;
    if (!a->program)
        bad = compare_set_of_suite(&side->set, doc, path, e);
    else if (!(side->doc = program_of(doc, a->program)))
        bad = err_at(e, path, 0, 0, "has no statistics of a program '%s'", a->program);
    json_decref(doc);
    return bad;
}

static int read_side(struct side *side, const struct args *a, const char *what, struct err *e)
{
    struct stat st;
    if (stat(what, &st))
        return errno == ENOENT && is_key(what) ? read_key(side, a, what, e) : read_document(side, a, what, e);
    return S_ISDIR(st.st_mode) ? compare_set_of_folder(&side->set, what, e)
           : store_is(what)    ? read_store(side, what, NULL, e)
                               : read_document(side, a, what, e);
}

/* ---- comparing ---- */

static int write_page(const struct args *a, const struct side *side, struct err *e)
{
    struct profile p[2];
    if (profile_read(&p[0], json_incref(side[0].doc), a->file[0], a->source, e))
        return -1;
    int bad = profile_read(&p[1], json_incref(side[1].doc), a->file[1], a->source, e);
    struct outfile *o = bad ? NULL : outfile_open(a->html, e);
    if (o) {
        compare_page(&p[0], &p[1], a->file[0], a->file[1], &a->opts, outfile_stream(o));
        bad = outfile_commit(o, e);
    } else
        bad = -1;
    profile_free(&p[0]);
    profile_free(&p[1]);
    return bad;
}

static int compare(const struct args *a, const struct side *side, struct err *e)
{
    if (!side[0].doc != !side[1].doc) {
        const unsigned set = side[0].doc ? 1 : 0;
        err_set(e, "%s is a set of results, %s is one", a->file[set], a->file[!set]);
        return err_hint(e, "--program NAME takes one of a suite");
    }
    if (side[0].doc) {
        if (compare_check(side[0].doc, side[1].doc, a->file[0], a->file[1], e))
            return -1;
        compare_print(side[0].doc, side[1].doc, a->file[0], a->file[1], &a->opts, stdout);
        return a->html ? write_page(a, side, e) : 0;
    }
    if (a->html)
        return err_set(e, "--html is of two runs; these are sets of results");
    return compare_many_print(&side[0].set, &side[1].set, a->file[0], a->file[1], &a->opts, stdout, e);
}

/* ---- the command line ---- */

static void take_threshold(struct argp_state *state, void *args, char *percent)
{
    struct args *a = args;
    char *end;
    a->opts.threshold = strtod(percent, &end) / 100;
    if (end == percent || (*end && strcmp(end, "%")) || !(a->opts.threshold >= 0))
        argp_error(state, "--threshold %s: expected a percentage, e.g. 2", percent);
}

static void take_word(struct argp_state *state, void *args, char *word)
{
    struct args *a = args;
    if (a->n == 2)
        argp_error(state, "two results expected");
    a->file[a->n++] = word;
}

static void check_options(struct argp_state *state, void *args)
{
    if (((struct args *)args)->n < 2)
        argp_error(state, "give two results");
}

static const struct cli_option options[] = {
    {"all", NULL, "show everything, not only the largest changes", CLI_FLAG(struct args, opts.all), .letter = 'a'},
    {"threshold", "PERCENT", "hide smaller changes (default: 1)", .call = take_threshold, .letter = 't'},
    {"html", "FILE", "also write a page with the memory chart of both, kernels and source lines",
     CLI_TEXT(struct args, html)},
    {"program", "NAME", "of documents of the suite: compare this program", CLI_TEXT(struct args, program)},
    {"results", "FILE", "store in which keys are looked up (default: that of the cache folder)",
     CLI_TEXT(struct args, results)},
    {"source", "DIR", "folder of the sources, if they have moved since compilation", CLI_TEXT(struct args, source)},
    {0}};

static const struct cli_syntax syntax = {
    .option = options,
    .usage = "A B",
    .doc =
        "Compare two runs: what changed, and the statistics that explain it, by kernel and by load. Or two sets of "
        "results, by what has the same name in both.\vA run is the document that --json wrote, with or without "
        "--profile, "
        "or a stored result, by the beginning of its key ('weir export -c key,program,settings'). Every cycle of every "
        "scheduler is an issue or one stall, so the difference in cycles is a sum over the stall reasons. A set is the "
        "document of 'weir suite run --json', a folder that 'weir sweep' or 'weir reproduce' wrote, or a result "
        "store.\n"
        "\n"
        "Examples:\n"
        "  weir run -q --profile --json base.json ./app\n"
        "  weir run -q --profile --with apcm --json apcm.json ./app\n"
        "  weir compare --html both.html base.json apcm.json\n",
    .word = take_word,
    .end = check_options};

int cli_compare(int argc, char **argv)
{
    struct args a = {.opts = {.threshold = 0.01}};
    struct side side[2] = {0};
    struct err e;
    cli_parse(&syntax, argc, argv, 0, &a);
    err_clear(&e);
    int bad = a.html ? outfile_check(a.html, &e) : 0;
    for (int i = 0; i < 2 && !bad; i++)
        bad = read_side(&side[i], &a, a.file[i], &e);
    bad = bad || compare(&a, side, &e);
    for (int i = 0; i < 2; i++) {
        json_decref(side[i].doc);
        compare_set_free(&side[i].set);
    }
    return bad ? cli_fail(&e) : CLI_OK;
}
