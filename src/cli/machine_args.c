/* Options of the machine and the report at the end of a simulation; see machine_args.h. */
#include "cli/machine_args.h"

#include "base/mem.h"
#include "base/outfile.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "gpu/plugin.h"
#include "gpu/props.h"
#include "gpu/result.h"
#include "gpu/timeline.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

void machine_args_free(struct machine_args *m)
{
    VEC_FREE(&m->set);
    free(m->with);
}

void machine_args_set(struct machine_args *m, const char *assignment)
{
    VEC_PUSH(&m->set, assignment);
    m->opts.set = m->set.p;
    m->opts.n_set = (unsigned)m->set.n;
}

void machine_args_with(struct machine_args *m, const char *policies)
{
    text_append(&m->with, ",", policies);
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
           : m->opts.threads        ? "--threads"
           : m->opts.tick_all       ? "--engine tick"
                                    : NULL;
}

void machine_args_each_word(const struct machine_args *m, void (*word)(void *ctx, const char *), void *ctx)
{
    const struct gpu_opts *o = &m->opts;
    char cycles[32], sampled[48], threads[16];
    snprintf(sampled, sizeof sampled, "--sampled=%.17g", o->sampled);
    snprintf(cycles, sizeof cycles, "%" PRIu64, o->sample_cycles);
    snprintf(threads, sizeof threads, "%u", o->threads);
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
    if (o->threads)
        word(ctx, "--threads"), word(ctx, threads);
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
        return gpu_props_load(o->machine ? o->machine : GPU_DEFAULT, o->set, o->n_set, o->with, &props, e);
    struct gpu *g = gpu_new(o, e);
    gpu_free(g);
    return g ? 0 : -1;
}

/* ---- options ---- */

/* At once: what the plugin brings may be named by any other option. */
static void load_plugin(struct argp_state *state, void *args, char *path)
{
    struct err e;
    (void)state, (void)args;
    if (plugin_load(path, &e))
        exit(cli_fail(&e));
}

static void add_set(struct argp_state *state, void *args, char *assignment)
{
    (void)state;
    machine_args_set(args, assignment);
}

static void add_with(struct argp_state *state, void *args, char *policies)
{
    (void)state;
    machine_args_with(args, policies);
}

static void take_engine(struct argp_state *state, void *args, char *engine)
{
    cli_choose(state, "--engine", engine, (const char *const[]){"skip", "tick", NULL});
    ((struct machine_args *)args)->opts.tick_all = !strcmp(engine, "tick");
}

static void take_threads(struct argp_state *state, void *args, char *text)
{
    struct err e;
    if (threads_parse(text, &((struct machine_args *)args)->opts.threads, &e))
        argp_error(state, "%s; %s", e.msg, e.hint);
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

int threads_parse(const char *s, unsigned *out, struct err *e)
{
    char *end;
    const unsigned long n = isdigit((unsigned char)*s) ? strtoul(s, &end, 10) : 0;
    *out = (unsigned)n;
    if (n >= 1 && n <= GPU_MAX_THREADS && !*end)
        return 0;
    err_set(e, "--threads=%s: not a number of host threads between 1 and %d", s, GPU_MAX_THREADS);
    return err_hint(e, "this computer has %ld processors", sysconf(_SC_NPROCESSORS_ONLN));
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

static void take_sample(struct argp_state *state, void *args, char *cycles)
{
    if (!parse_count(cycles, &((struct machine_args *)args)->opts.sample_cycles))
        argp_error(state, "--sample=%s: not a number of cycles; example: 10k", cycles);
}

static void take_sampled(struct argp_state *state, void *args, char *error)
{
    struct err e;
    if (sampled_error_parse(error, &((struct machine_args *)args)->opts.sampled, &e))
        argp_error(state, "%s; %s", e.msg, e.hint);
}

static void check_sampled(struct argp_state *state, void *args)
{
    struct machine_args *m = args;
    const char *other = m->opts.sample_cycles    ? "--sample"
                        : m->opts.profile        ? "--profile"
                        : m->opts.classify_loads ? "--explain-loads"
                        : m->timeline            ? "--timeline"
                                                 : NULL;
    if (m->opts.sampled > 0 && other)
        argp_error(state, "--sampled and %s exclude each other: a sample has no such counts of the whole run", other);
    m->opts.timeline = m->timeline != NULL;
}

#define PLUGIN_OPTION                                                                                                  \
    {                                                                                                                  \
        "plugin", "FILE.so", "add the policies of a plugin ('weir plugin --help'); may be repeated",                   \
            .call = load_plugin                                                                                        \
    }
static const struct cli_option plugin_options[] = {PLUGIN_OPTION, {0}};
static const struct cli_option untimed_options[] = {
    {"gpu", "MACHINE", "machine name ('weir list gpus') or machine file (default: gtx480)",
     CLI_TEXT(struct machine_args, opts.machine), .letter = 'g'},
    {"set", "KEY=VALUE", "change one parameter, e.g. l1.size=32KiB; may be repeated", .call = add_set},
    PLUGIN_OPTION,
    {0}};
static const struct cli_option with_option[] = {
    {"with", "[KIND=]POLICY,...",
     "choose policies by name: in every kind that has the name, or in one kind ('weir list policies')",
     .call = add_with},
    {0}};
static const struct cli_option profile_option[] = {
    {"profile", NULL, "also count by instruction (JSON only): 'weir profile FILE.json' shows it",
     CLI_FLAG(struct machine_args, opts.profile)},
    {"timeline", "FILE.json", "also write kernels, CTAs, stalls, traffic and power over time, for ui.perfetto.dev",
     CLI_TEXT(struct machine_args, timeline)},
    {0}};
static const struct cli_option report_options[] = {
    {"engine", "skip|tick", "skip idle cycles (default), or tick every cycle: same results, slower",
     .call = take_engine},
    {"threads", "N", "host threads that simulate the machine (default: 1): same results, sooner on large machines",
     .call = take_threads},
    {"json", "FILE", "write all statistics to FILE ('-': standard output)", CLI_TEXT(struct machine_args, json)},
    {"sample", "CYCLES", "also sample every counter each CYCLES core cycles (10k, 1M); JSON only", .call = take_sample},
    {"explain-loads", NULL,
     "print the policies' reports on each load beside its locality in infinite caches; also in the JSON",
     CLI_FLAG(struct machine_args, opts.classify_loads)},
    {"energy", NULL, "report energy by component in the summary and the JSON (docs/energy.md)",
     CLI_FLAG(struct machine_args, opts.energy)},
    {"gpgpusim-stats", NULL, "also print statistics under their GPGPU-Sim names",
     CLI_FLAG(struct machine_args, gpgpusim)},
    {"ncu-names", NULL, "also print each launch under Nsight Compute metric names; also in the JSON",
     CLI_FLAG(struct machine_args, opts.ncu_names)},
    {"sampled", "ERROR",
     "simulate a sample, to this error of the cycles (default: 2%), and extrapolate; every statistic has a 95% "
     "interval (docs/sampling.md)",
     .call = take_sampled, .flags = OPTION_ARG_OPTIONAL},
    {"quiet", NULL, "print no summary and no progress", CLI_FLAG(struct machine_args, quiet), .letter = 'q'},
    {"no-summary", NULL, "internal: progress only", CLI_FLAG(struct machine_args, no_summary), .flags = OPTION_HIDDEN},
    {0}};

const struct cli_syntax plugin_syntax = {plugin_options};
const struct cli_syntax untimed_syntax = {untimed_options};
const struct cli_syntax machine_syntax = {with_option, {{&untimed_syntax, 0, NULL}}};
const struct cli_syntax reports_syntax = {report_options, {{&progress_syntax, 0, NULL}}, .end = check_sampled};
const struct cli_syntax report_syntax = {profile_option, {{&reports_syntax, 0, NULL}}};

/* ---- the end of a simulation ---- */

int machine_report(struct gpu *g, enum gpu_end end, const struct machine_args *m, double host_s, const char *command,
                   const struct err *failure, FILE *out)
{
    if (m->json && !strcmp(m->json, "-"))
        out = stderr;
    bool complete = end == GPU_DONE;
    int status = CLI_OK;
    struct err e;
    if (end == GPU_FAILED) {
        status = cli_fail(failure);
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
