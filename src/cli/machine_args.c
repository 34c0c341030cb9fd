/* Options of the machine and the report at the end of a simulation; see machine_args.h. */
#include "cli/machine_args.h"

#include "base/mem.h"
#include "base/outfile.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "gpu/plugin.h"
#include "gpu/props.h"
#include "gpu/result.h"
#include "gpu/timeline.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

enum {
    OPT_ENERGY = 400,
    OPT_PLUGIN,
    OPT_SET,
    OPT_WITH,
    OPT_ENGINE,
    OPT_JSON,
    OPT_SAMPLE,
    OPT_GPGPUSIM,
    OPT_NCU,
    OPT_NO_SUMMARY,
    OPT_LOADS,
    OPT_PROFILE,
    OPT_TIMELINE,
    OPT_SAMPLED
};

static const struct argp_option untimed_options[] = {
    {"gpu", 'g', "MACHINE", 0, "machine name ('weir list gpus') or machine file (default: gtx480)", 0},
    {"set", OPT_SET, "KEY=VALUE", 0, "change one parameter, e.g. l1.size=32KiB; may be repeated", 0},
    {"plugin", OPT_PLUGIN, "FILE.so", 0, "add the policies of a plugin ('weir plugin --help'); may be repeated", 0},
    {0}};
static const struct argp_option with_option[] = {
    {"with", OPT_WITH, "[KIND=]POLICY,...", 0,
     "choose policies by name: in every kind that has the name, or in one kind ('weir list policies')", 0},
    {0}};
static const struct argp_option profile_option[] = {
    {"profile", OPT_PROFILE, NULL, 0, "also count by instruction (JSON only): 'weir profile FILE.json' shows it", 0},
    {"timeline", OPT_TIMELINE, "FILE.json", 0,
     "also write kernels, CTAs, stalls, traffic and power over time, for ui.perfetto.dev", 0},
    {0}};
static const struct argp_option report_options[] = {
    {"engine", OPT_ENGINE, "skip|tick", 0, "skip idle cycles (default), or tick every cycle: same results, slower", 0},
    {"json", OPT_JSON, "FILE", 0, "write all statistics to FILE ('-': standard output)", 0},
    {"sample", OPT_SAMPLE, "CYCLES", 0, "also sample every counter each CYCLES core cycles (10k, 1M); JSON only", 0},
    {"explain-loads", OPT_LOADS, NULL, 0,
     "print the policies' reports on each load beside its locality in infinite caches; also in the JSON", 0},
    {"energy", OPT_ENERGY, NULL, 0, "report energy by component in the summary and the JSON (docs/energy.md)", 0},
    {"gpgpusim-stats", OPT_GPGPUSIM, NULL, 0, "also print statistics under their GPGPU-Sim names", 0},
    {"ncu-names", OPT_NCU, NULL, 0, "also print each launch under Nsight Compute metric names; also in the JSON", 0},
    {"sampled", OPT_SAMPLED, "ERROR", OPTION_ARG_OPTIONAL,
     "simulate a sample, to this error of the cycles (default: 2%), and extrapolate; every statistic has a 95% "
     "interval "
     "(docs/sampling.md)",
     0},
    {"quiet", 'q', NULL, 0, "print no summary and no progress", 0},
    {"no-summary", OPT_NO_SUMMARY, NULL, OPTION_HIDDEN, "internal: progress only", 0},
    {0}};

void machine_args_init(struct machine_args *m)
{
    memset(m, 0, sizeof *m);
}

void machine_args_free(struct machine_args *m)
{
    free(m->set);
    free(m->with);
}

void machine_args_set(struct machine_args *m, const char *assignment)
{
    if (m->n_set == m->cap_set) {
        m->cap_set = m->cap_set ? 2 * m->cap_set : 8;
        m->set = xrealloc(m->set, m->cap_set * sizeof *m->set);
    }
    m->set[m->n_set++] = assignment;
    m->opts.set = m->set;
    m->opts.n_set = m->n_set;
}

void machine_args_with(struct machine_args *m, const char *policies)
{
    const size_t old = m->with ? strlen(m->with) : 0;
    m->with = xrealloc(m->with, old + strlen(policies) + 2);
    sprintf(m->with + old, "%s%s", old ? "," : "", policies);
    m->opts.with = m->with;
}

const char *machine_args_timing_option(const struct machine_args *m)
{
    return m->opts.with             ? "--with"
           : m->gpgpusim            ? "--gpgpusim-stats"
           : m->opts.ncu_names      ? "--ncu-names"
           : m->opts.sample_cycles  ? "--sample"
           : m->opts.classify_loads ? "--explain-loads"
           : m->opts.profile        ? "--profile"
           : m->timeline            ? "--timeline"
           : m->opts.energy         ? "--energy"
           : m->opts.sampled        ? "--sampled"
           : m->opts.tick_all       ? "--engine tick"
                                    : NULL;
}

void machine_args_each_word(const struct machine_args *m, void (*word)(void *ctx, const char *), void *ctx)
{
    const struct gpu_opts *o = &m->opts;
    char cycles[32], sampled[48];
    snprintf(sampled, sizeof sampled, "--sampled=%.17g", o->sampled);
    snprintf(cycles, sizeof cycles, "%" PRIu64, o->sample_cycles);
    for (unsigned i = 0; i < plugin_count(); i++)
        word(ctx, "--plugin"), word(ctx, plugin_path(i));
    if (o->machine)
        word(ctx, "--gpu"), word(ctx, o->machine);
    for (unsigned i = 0; i < o->n_set; i++)
        word(ctx, "--set"), word(ctx, o->set[i]);
    if (o->with)
        word(ctx, "--with"), word(ctx, o->with);
    if (o->tick_all)
        word(ctx, "--engine"), word(ctx, "tick");
    if (o->sample_cycles)
        word(ctx, "--sample"), word(ctx, cycles);
    if (o->sampled)
        word(ctx, sampled);
    const struct {
        bool given;
        const char *option;
    } flag[] = {{o->classify_loads, "--explain-loads"},
                {o->profile, "--profile"},
                {o->energy, "--energy"},
                {m->gpgpusim, "--gpgpusim-stats"},
                {o->ncu_names, "--ncu-names"}};
    for (size_t i = 0; i < sizeof flag / sizeof *flag; i++)
        if (flag[i].given)
            word(ctx, flag[i].option);
}

int machine_args_check(const struct machine_args *m, bool timing, struct err *e)
{
    const struct gpu_opts *o = &m->opts;
    struct device_props props;
    if ((m->json && outfile_check(m->json, e)) || (m->timeline && outfile_check(m->timeline, e)))
        return -1;
    if (!timing)
        return gpu_props_load(o->machine ? o->machine : "gtx480", o->set, o->n_set, o->with, &props, e);
    struct gpu *g = gpu_new(o, e);
    gpu_free(g);
    return g ? 0 : -1;
}

/* At once: what the plugin brings may be named by any other option. */
static void load_plugin(const char *path)
{
    struct err e;
    if (!plugin_load(path, &e))
        return;
    err_print(&e, stderr);
    exit(CLI_BAD_INPUT);
}

static error_t parse_machine(int key, char *arg, struct argp_state *state)
{
    struct machine_args *m = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        if (state->child_inputs) /* the others' options, which are read here, too */
            state->child_inputs[0] = m;
        return 0;
    case 'g':
        m->opts.machine = arg;
        return 0;
    case OPT_PLUGIN:
        load_plugin(arg);
        return 0;
    case OPT_SET:
        machine_args_set(m, arg);
        return 0;
    case OPT_WITH:
        machine_args_with(m, arg);
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

/* "10k", "2M", "5000" */
static bool parse_count(const char *s, uint64_t *out)
{
    char *end;
    if (!isdigit((unsigned char)*s))
        return false;
    unsigned long long v = strtoull(s, &end, 10);
    uint64_t unit = !*end ? 1 : (*end == 'k' || *end == 'K') ? 1000 : *end == 'M' ? 1000000 : 0;
    if (!unit || (*end && end[1]) || !v || v > 1000000000000ull)
        return false;
    *out = v * unit;
    return true;
}

int sampled_error_parse(const char *s, double *out, struct err *e)
{
    char *end = NULL;
    *out = SAMPLED_DEFAULT;
    if (!s)
        return 0;
    double x = isdigit((unsigned char)*s) || *s == '.' ? strtod(s, &end) : 0;
    if (end && !strcmp(end, "%"))
        x /= 100;
    else if (!end || *end)
        x = 0;
    *out = x;
    if (x >= SAMPLED_MIN && x <= SAMPLED_MAX)
        return 0;
    err_set(e, "--sampled=%s: not an error between 0.1%% and 50%%", s);
    return err_hint(e, "for example --sampled=2%% or --sampled=0.02");
}

static error_t parse_report(int key, char *arg, struct argp_state *state)
{
    struct machine_args *m = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        if (state->child_inputs)
            state->child_inputs[0] = m;
        return 0;
    case OPT_ENGINE:
        cli_choose(state, "--engine", arg, (const char *const[]){"skip", "tick", NULL});
        m->opts.tick_all = !strcmp(arg, "tick");
        return 0;
    case OPT_JSON:
        m->json = arg;
        return 0;
    case OPT_SAMPLE:
        if (!parse_count(arg, &m->opts.sample_cycles))
            argp_error(state, "--sample=%s: not a number of cycles; example: 10k", arg);
        return 0;
    case OPT_LOADS:
        m->opts.classify_loads = true;
        return 0;
    case OPT_PROFILE:
        m->opts.profile = true;
        return 0;
    case OPT_TIMELINE:
        m->timeline = arg;
        m->opts.timeline = true;
        return 0;
    case OPT_ENERGY:
        m->opts.energy = true;
        return 0;
    case OPT_GPGPUSIM:
        m->gpgpusim = true;
        return 0;
    case OPT_NCU:
        m->opts.ncu_names = true;
        return 0;
    case OPT_SAMPLED: {
        struct err e;
        if (sampled_error_parse(arg, &m->opts.sampled, &e))
            argp_error(state, "%s; %s", e.msg, e.hint);
        return 0;
    }
    case ARGP_KEY_SUCCESS: {
        const char *other = m->opts.sample_cycles    ? "--sample"
                            : m->opts.profile        ? "--profile"
                            : m->opts.classify_loads ? "--explain-loads"
                            : m->timeline            ? "--timeline"
                                                     : NULL;
        if (m->opts.sampled > 0 && other)
            argp_error(state, "--sampled and %s exclude each other: a sample has no such counts of the whole run",
                       other);
        return 0;
    }
    case OPT_NO_SUMMARY:
        m->no_summary = true;
        return 0;
    case 'q':
        m->quiet = true;
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

static const struct argp_option plugin_options[] = {
    {"plugin", OPT_PLUGIN, "FILE.so", 0, "add the policies of a plugin ('weir plugin --help'); may be repeated", 0},
    {0}};

static error_t parse_plugin(int key, char *arg, struct argp_state *state)
{
    (void)state;
    if (key != OPT_PLUGIN)
        return ARGP_ERR_UNKNOWN;
    load_plugin(arg);
    return 0;
}

const struct argp plugin_argp = {plugin_options, parse_plugin, NULL, NULL, NULL, NULL, NULL};
const struct argp untimed_argp = {untimed_options, parse_machine, NULL, NULL, NULL, NULL, NULL};
static const struct argp_child machine_children[] = {{&untimed_argp, 0, NULL, 0}, {0}};
const struct argp machine_argp = {with_option, parse_machine, NULL, NULL, machine_children, NULL, NULL};
static const struct argp_child reports_children[] = {{&progress_argp, 0, NULL, 0}, {0}};
const struct argp reports_argp = {report_options, parse_report, NULL, NULL, reports_children, NULL, NULL};
static const struct argp_child report_children[] = {{&reports_argp, 0, NULL, 0}, {0}};
const struct argp report_argp = {profile_option, parse_report, NULL, NULL, report_children, NULL, NULL};

int machine_report(struct gpu *g, enum gpu_end end, const struct machine_args *m, double host_s, const char *command,
                   const struct err *failure, FILE *out)
{
    if (m->json && !strcmp(m->json, "-"))
        out = stderr;
    bool complete = end == GPU_DONE;
    int status = CLI_OK;
    struct err e;
    if (end == GPU_FAILED) {
        err_print(failure, stderr);
        status = CLI_BAD_INPUT;
    } else if (end == GPU_DEADLOCKED) {
        fputs("weir: deadlock: requests or warps wait and nothing makes progress. Wait chain:\n", stderr);
        gpu_report_deadlock(g, stderr);
        status = CLI_DEADLOCK;
    }
    if (gpu_finish(g, complete, &e)) {
        fputs("weir: an invariant is violated; the statistics cannot be trusted:\n", stderr);
        err_print(&e, stderr);
        status = status ? status : CLI_PROGRAM_FAILED;
    }
    if (!m->quiet && !m->no_summary)
        result_print_summary(g, complete, host_s, out);
    if (m->opts.classify_loads)
        result_print_loads(g, out);
    if (m->gpgpusim)
        result_print_gpgpusim(g, out);
    if (m->opts.ncu_names)
        result_print_ncu(g, out);
    if (m->json && result_write_json(g, complete, command, m->json, &e)) {
        err_print(&e, stderr);
        status = status ? status : CLI_BAD_INPUT;
    }
    char shown[TIMELINE_NOTE];
    if (m->timeline && timeline_write(g, command, m->timeline, &e)) {
        err_print(&e, stderr);
        status = status ? status : CLI_BAD_INPUT;
    } else if (m->timeline && timeline_thinned(g, shown))
        fprintf(stderr, "weir: %s shows %s\n", m->timeline, shown);
    return status;
}
