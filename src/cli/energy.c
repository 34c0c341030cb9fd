/* weir energy: what stored runs consumed, by component, without simulating again; two runs beside each other. */
#include "cli/cli.h"

#include "base/text.h"
#include "base/out_of_memory.h"
#include "base/jsonfile.h"
#include "base/mem.h"
#include "cli/machine_args.h"
#include "gpu/energy.h"
#include "gpu/gpu_config.h"
#include "gpu/result.h"

#include <jansson.h>
#include <string.h>

struct args {
    const char *file[2];
    unsigned n;
    const char *coefficients, *json;
};

static void take_word(struct argp_state *state, void *args, char *word)
{
    struct args *a = args;
    if (a->n == 2)
        argp_error(state, "one run, or two to compare");
    a->file[a->n++] = word;
}

static void check_options(struct argp_state *state, void *args)
{
    if (!((struct args *)args)->n)
        argp_error(state, "which run?");
}

static const struct cli_option options[] = {
    {"coefficients", "FILE", "use these coefficients instead of the machine's: a name in configs/energy or a file",
     CLI_TEXT(struct args, coefficients)},
    {"json", "FILE", "write energy.* of each run to FILE ('-': standard output, without the table)",
     CLI_TEXT(struct args, json)},
    {0}};

static const struct cli_syntax syntax = {
    options,
    {{&plugin_syntax, 0, NULL}},
    "RUN.json [RUN.json]",
    "Report the energy of stored runs by component: event counts times the machine's coefficients, plus static power "
    "times time. With two runs, compare them. Nothing is simulated.\vExamples:\n"
    "  weir replay --gpu gtx480 --json lru.json app.wt\n"
    "  weir replay --gpu gtx480 --with apcm --json apcm.json app.wt\n"
    "  weir energy lru.json apcm.json\n"
    "  weir energy --coefficients mine.ini lru.json\n",
    take_word,
    check_options};

/* ---- one stored run ---- */

struct run {
    const char *path;
    json_t *doc;
    struct cfg *cfg;
    struct energy_model *model;
    struct energy_result result;
};

/* The machine as it was: a document holds every parameter, so it needs neither the machine's file nor --set. */
static struct cfg *configuration(const char *path, json_t *config, const char *coefficients, struct err *e)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = text_stream(&text, &bytes);
    const char *key;
    json_t *value;
    char section[96] = "";
    json_object_foreach(config, key, value)
    {
        const char *dot = strchr(key, '.');
        if (!dot || !json_is_string(value) || !strcmp(key, "machine.energy"))
            continue;
        if (strncmp(section, key, (size_t)(dot - key)) || section[dot - key]) {
            snprintf(section, sizeof section, "%.*s", (int)(dot - key), key);
            fprintf(f, "[%s]\n", section);
        }
        fprintf(f, "%s = %s\n", dot + 1, json_string_value(value));
    }
    fclose(f);
    char *set = xasprintf("machine.energy=%s", coefficients);
    struct cfg *c = cfg_load_text(gpu_schema(), path, text, (const char *const *)&set, 1, NULL, e);
    if (!c)
        err_hint(e, "the run was made by another version of weir, or with a plugin (--plugin)");
    free(set);
    free(text);
    return c;
}

static int load(struct run *r, const char *path, const char *coefficients, struct err *e)
{
    r->path = path;
    r->doc = jsonfile_read(path, e);
    if (!r->doc)
        return -1;
    json_t *config = json_object_get(r->doc, "config"), *total = json_object_get(r->doc, "total");
    const char *schema = json_string_value(json_object_get(r->doc, "schema"));
    if (!schema || strcmp(schema, RESULT_SCHEMA) || !json_is_object(config) || !json_is_object(total)) {
        err_at(e, path, 0, 0, "not a weir statistics document (schema %s)", RESULT_SCHEMA);
        return err_hint(e, "write one with 'weir run --json' or 'weir replay --json'");
    }
    if (!coefficients)
        coefficients = json_string_value(json_object_get(config, "machine.energy"));
    if (!coefficients || !*coefficients) {
        const char *machine = json_string_value(json_object_get(r->doc, "machine"));
        err_at(e, path, 0, 0, "the machine of this run, %s, has no energy coefficients", machine ? machine : "-");
        return err_hint(e, "give --coefficients: a name in configs/energy or a file (docs/energy.md)");
    }
    r->cfg = configuration(path, config, coefficients, e);
    r->model = r->cfg ? gpu_energy_open(r->cfg, NULL, e) : NULL;
    if (!r->model)
        return -1;
    gpu_energy_of_json(r->model, total, &r->result);
    return 0;
}

static void unload(struct run *r)
{
    energy_free(r->model);
    cfg_free(r->cfg);
    json_decref(r->doc);
}

static double total_of(const struct run *r)
{
    return r->result.total.dynamic_j + r->result.total.static_j;
}

static double joules(const struct run *r, const char *component)
{
    for (unsigned i = 0; i < energy_count(r->model); i++)
        if (!strcmp(energy_name(r->model, i), component))
            return r->result.component[i].dynamic_j + r->result.component[i].static_j;
    return 0;
}

static double count_of(const struct run *r, const char *name)
{
    return json_number_value(json_object_get(json_object_get(r->doc, "total"), name));
}

/* ---- tables ---- */

static void print_one(const struct run *r)
{
    const struct energy_result *e = &r->result;
    double total = total_of(r);
    printf("%s: %s\n", r->path, json_string_value(json_object_get(r->doc, "machine")));
    printf("  %-18s %12s %12s %12s %7s   %s\n", "component", "dynamic mJ", "static mJ", "mJ", "part", "of what");
    for (unsigned i = 0; i < energy_count(r->model); i++) {
        const struct energy_part *p = &e->component[i];
        double j = p->dynamic_j + p->static_j;
        printf("  %-18s %12.5g %12.5g %12.5g %6.1f%%   %s\n", energy_name(r->model, i), p->dynamic_j * 1e3,
               p->static_j * 1e3, j * 1e3, total > 0 ? 100 * j / total : 0, energy_doc(r->model, i));
    }
    printf("  %-18s %12.5g %12.5g %12.5g\n", "total", e->total.dynamic_j * 1e3, e->total.static_j * 1e3, total * 1e3);
    printf("  %.5g ms, %.1f W; %.4g million thread instructions per joule\n", e->seconds * 1e3,
           e->seconds > 0 ? total / e->seconds : 0, total > 0 ? count_of(r, "thread_insts") / total * 1e-6 : 0);
    printf("  coefficients: %s\n", energy_file(r->model));
}

static void print_row(const char *name, double a, double b, const char *unit)
{
    char change[32] = "";
    if (a > 0)
        snprintf(change, sizeof change, "%+.1f%%", 100 * (b / a - 1));
    printf("  %-18s %12.5g %12.5g %10s %s\n", name, a, b, change, unit);
}

static void print_two(const struct run *a, const struct run *b)
{
    double ja = total_of(a), jb = total_of(b), sa = a->result.seconds, sb = b->result.seconds;
    printf("1: %s\n2: %s\n", a->path, b->path);
    printf("  %-18s %12s %12s %10s\n", "component", "1", "2", "change");
    for (unsigned i = 0; i < energy_count(a->model); i++)
        print_row(energy_name(a->model, i), 1e3 * joules(a, energy_name(a->model, i)),
                  1e3 * joules(b, energy_name(a->model, i)), "mJ");
    for (unsigned i = 0; i < energy_count(b->model); i++) {
        const char *name = energy_name(b->model, i);
        bool shown = false;
        for (unsigned k = 0; k < energy_count(a->model); k++)
            shown |= !strcmp(energy_name(a->model, k), name);
        if (!shown)
            print_row(name, 0, 1e3 * joules(b, name), "mJ");
    }
    print_row("total", ja * 1e3, jb * 1e3, "mJ");
    print_row("time", sa * 1e3, sb * 1e3, "ms");
    print_row("power", sa > 0 ? ja / sa : 0, sb > 0 ? jb / sb : 0, "W");
    double ia = count_of(a, "thread_insts"), ib = count_of(b, "thread_insts");
    if (ia != ib)
        printf("  (the runs executed different numbers of instructions, so they are not directly comparable)\n");
    else if (ja > 0 && jb > 0 && sa > 0 && sb > 0) {
        print_row("per watt", ia / ja * 1e-6, ib / jb * 1e-6, "million thread instructions/s per W");
        print_row("per joule", ia / sa / ja * 1e-9, ib / sb / jb * 1e-9, "billion thread instructions/s per J");
    }
}

static int write_json(const struct run *r, unsigned n, const char *path, struct err *e)
{
    json_t *all = json_array();
    for (unsigned i = 0; i < n; i++) {
        json_t *o = json_object(), *total = json_deep_copy(json_object_get(r[i].doc, "total")), *value;
        const char *key;
        gpu_energy_put_json(r[i].model, total);
        json_object_set_new(o, "run", json_string(r[i].path));
        json_object_foreach(total, key, value) if (!strncmp(key, "energy.", 7)) json_object_set(o, key, value);
        json_decref(total);
        json_array_append_new(all, o);
    }
    return jsonfile_write(json_pack("{s:s,s:o}", "schema", "weir-energy-1", "runs", all), path,
                          JSON_INDENT(1) | JSON_REAL_PRECISION(12), e);
}

int cli_energy(int argc, char **argv)
{
    struct args a = {0};
    struct run r[2] = {{0}};
    struct err e;
    cli_parse(&syntax, argc, argv, 0, &a);
    int bad = 0;
    for (unsigned i = 0; i < a.n && !bad; i++)
        bad = load(&r[i], a.file[i], a.coefficients, &e);
    if (!bad && (!a.json || strcmp(a.json, "-"))) {
        if (a.n == 1)
            print_one(&r[0]);
        else
            print_two(&r[0], &r[1]);
    }
    if (!bad && a.json)
        bad = write_json(r, a.n, a.json, &e);
    for (unsigned i = 0; i < 2; i++)
        unload(&r[i]);
    return bad ? cli_fail(&e) : CLI_OK;
}
