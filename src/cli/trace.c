/* weir trace: what a recording holds (info), whether all of it can be read (check), and its text (dump); trace_import.c
 * makes one of another tool's traces. */
#include "base/demangle.h"
#include "base/err.h"
#include "base/jsonfile.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "trace/file.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

struct args {
    const char *file;
    bool json, launches;
    int64_t launch, cta, warp; /* -1 = all */
    uint64_t limit;
};

static int64_t parse_number(const char *text, const char *option, struct argp_state *state)
{
    char *end;
    errno = 0;
    long long v = strtoll(text, &end, 10);
    if (errno || *end || end == text || v < 0)
        argp_error(state, "%s: '%s' is not a number", option, text);
    return v;
}

static void take_launch(struct argp_state *state, void *args, char *n)
{
    ((struct args *)args)->launch = parse_number(n, "--launch", state);
}
static void take_cta(struct argp_state *state, void *args, char *n)
{
    ((struct args *)args)->cta = parse_number(n, "--cta", state);
}
static void take_warp(struct argp_state *state, void *args, char *n)
{
    ((struct args *)args)->warp = parse_number(n, "--warp", state);
}
static void take_limit(struct argp_state *state, void *args, char *n)
{
    ((struct args *)args)->limit = (uint64_t)parse_number(n, "--limit", state);
}

static void take_word(struct argp_state *state, void *args, char *word)
{
    struct args *a = args;
    if (a->file)
        argp_error(state, "one recording expected");
    a->file = word;
}

static void check_options(struct argp_state *state, void *args)
{
    if (!((struct args *)args)->file)
        argp_error(state, "name a recording");
}

/* ---- info ---- */

/* What the launches of one kernel (or one launch alone) add up to. */
struct sums {
    uint32_t launches, first;
    uint64_t ctas, insts, bytes;
    bool same_shape; /* all have the first one's grid and block */
};

static void add_launch(struct sums *s, const struct trace_file *f, uint32_t i)
{
    const struct trace_launch *l = trace_get_launch(f, i), *first = trace_get_launch(f, s->first);
    if (!s->launches) {
        s->first = i;
        s->same_shape = true;
        first = l;
    }
    s->launches++;
    s->same_shape = s->same_shape && !memcmp(l->grid, first->grid, sizeof l->grid) &&
                    !memcmp(l->block, first->block, sizeof l->block);
    s->ctas += trace_ctas(l);
    s->insts += trace_launch_insts(f, i);
    s->bytes += trace_launch_bytes(f, i);
}

static double per_inst(uint64_t bytes, uint64_t insts)
{
    return insts ? (double)bytes / (double)insts : 0;
}

static void print_row(const struct trace_file *f, const struct sums *s, bool one)
{
    const struct trace_launch *l = trace_get_launch(f, s->first);
    const struct trace_kernel *k = trace_get_kernel(f, l->kernel);
    char grid[64], block[64], name[64];
    demangle_short(k->name, name, sizeof name);
    snprintf(grid, sizeof grid, "%ux%ux%u%s", l->grid[0], l->grid[1], l->grid[2], s->same_shape ? "" : " ...");
    snprintf(block, sizeof block, "%ux%ux%u%s", l->block[0], l->block[1], l->block[2], s->same_shape ? "" : " ...");
    printf("%8u  %-16s %-12s %14" PRIu64 " %7.2f %7u %4u  %.60s\n", one ? s->first : s->launches, grid, block, s->insts,
           per_inst(s->bytes, s->insts), k->n_mem, k->regs_per_thread, name);
}

static json_t *dims(const uint32_t d[3])
{
    return json_pack("[I,I,I]", (json_int_t)d[0], (json_int_t)d[1], (json_int_t)d[2]);
}

/* Of the file: a recording has no date. Two recordings of one program are equal, byte for byte. */
static bool written(const char *path, const char *format, char out[32])
{
    struct stat st;
    return !stat(path, &st) && strftime(out, 32, format, gmtime(&st.st_mtime));
}

/* A string, or null where the recording does not say. */
static json_t *said(const char *text)
{
    return *text ? jsonfile_text(text) : json_null();
}

static int info_json(const struct trace_file *f, const char *path, uint64_t total_insts)
{
    const struct trace_origin origin = trace_get_origin(f);
    char when[32];
    json_t *kernels = json_array(), *launches = json_array();
    for (uint32_t i = 0; i < trace_n_kernels(f); i++) {
        const struct trace_kernel *k = trace_get_kernel(f, i);
        json_array_append_new(kernels, json_pack("{s:o, s:I, s:I, s:I, s:I, s:I}", "name", jsonfile_text(k->name),
                                                 "insts", (json_int_t)k->n_inst, "memory_insts", (json_int_t)k->n_mem,
                                                 "registers", (json_int_t)k->regs_per_thread, "shared_bytes",
                                                 (json_int_t)k->smem_static_bytes, "local_bytes",
                                                 (json_int_t)k->local_bytes_per_thread));
    }
    for (uint32_t i = 0; i < trace_n_launches(f); i++) {
        const struct trace_launch *l = trace_get_launch(f, i);
        json_array_append_new(launches, json_pack("{s:I, s:o, s:o, s:I, s:I, s:b, s:I, s:I}", "kernel",
                                                  (json_int_t)l->kernel, "grid", dims(l->grid), "block", dims(l->block),
                                                  "dynamic_shared_bytes", (json_int_t)l->smem_dynamic_bytes, "stream",
                                                  (json_int_t)l->stream, "cooperative", l->cooperative, "warp_insts",
                                                  (json_int_t)trace_launch_insts(f, i), "stream_bytes",
                                                  (json_int_t)trace_launch_bytes(f, i)));
    }
    json_t *doc = json_pack("{s:s, s:i, s:o, s:o, s:o, s:o, s:I, s:I, s:f, s:I, s:o, s:o}", "schema",
                            "weir.trace.info/1", "format", (int)trace_format(f), "program",
                            jsonfile_text(trace_program(f)), "weir", said(origin.weir), "machine", said(origin.machine),
                            "written", said(written(path, "%Y-%m-%dT%H:%M:%SZ", when) ? when : ""), "warp_insts",
                            (json_int_t)total_insts, "stream_bytes", (json_int_t)trace_stream_bytes(f),
                            "bytes_per_warp_inst", per_inst(trace_stream_bytes(f), total_insts), "events",
                            (json_int_t)trace_n_events(f), "kernels", kernels, "launches", launches);
    if (!doc)
        BUG("the information does not fit JSON");
    json_dumpf(doc, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(doc);
    return CLI_OK;
}

static int info(struct trace_file *f, const struct args *a)
{
    struct sums *by_kernel = xcalloc(trace_n_kernels(f) + 1, sizeof *by_kernel);
    uint64_t insts = 0, ctas = 0;
    for (uint32_t i = 0; i < trace_n_launches(f); i++) {
        add_launch(&by_kernel[trace_get_launch(f, i)->kernel], f, i);
        insts += trace_launch_insts(f, i);
        ctas += trace_ctas(trace_get_launch(f, i));
    }
    if (a->json) {
        free(by_kernel);
        return info_json(f, a->file, insts);
    }
    const struct trace_origin origin = trace_get_origin(f);
    char when[32];
    printf("%s: weir recording, format %u\n", a->file, trace_format(f));
    printf("program   %s\n", trace_program(f));
    printf("machine   %s\n", *origin.machine ? origin.machine : "not recorded");
    printf("version   %s%s\n", *origin.weir ? "weir " : "", *origin.weir ? origin.weir : "not recorded");
    if (written(a->file, "%Y-%m-%d %H:%M UTC", when))
        printf("written   %s\n", when);
    printf("contents  %u kernels, %u launches, %" PRIu64 " CTAs, %" PRIu64 " warp instructions of PTX, %" PRIu64
           " events\n",
           trace_n_kernels(f), trace_n_launches(f), ctas, insts, trace_n_events(f));
    printf("streams   %" PRIu64 " bytes, %.3f per warp instruction\n\n", trace_stream_bytes(f),
           per_inst(trace_stream_bytes(f), insts));
    printf("%8s  %-16s %-12s %14s %7s %7s %4s  %s\n", a->launches ? "launch" : "launches", "grid", "block",
           "warp insts", "B/inst", "mem ops", "regs", "kernel");
    if (a->launches) {
        for (uint32_t i = 0; i < trace_n_launches(f); i++) {
            struct sums s = {0};
            add_launch(&s, f, i);
            print_row(f, &s, true);
        }
    } else {
        for (uint32_t i = 0; i < trace_n_kernels(f); i++)
            if (by_kernel[i].launches)
                print_row(f, &by_kernel[i], false);
    }
    free(by_kernel);
    return CLI_OK;
}

/* ---- check ---- */
struct counts {
    uint64_t insts, thread_insts, records;
};

static int count(void *ctx, uint32_t warp, const struct stream_step *step, const struct stream_mem *mem)
{
    struct counts *c = ctx;
    (void)warp;
    c->insts++;
    c->thread_insts += (uint64_t)__builtin_popcount(step->mask);
    c->records += mem->mask != 0;
    return 0;
}

static int check(struct trace_file *f, const struct args *a)
{
    struct counts c = {0};
    struct err e;
    for (uint32_t l = 0; l < trace_n_launches(f); l++)
        for (uint64_t cta = trace_next_cta(f, l, 0); cta != UINT64_MAX; cta = trace_next_cta(f, l, cta + 1))
            if (trace_walk_cta(f, l, cta, count, &c, &e)) {
                if (!e.file[0])
                    snprintf(e.file, sizeof e.file, "%s", a->file);
                return cli_fail(&e);
            }
    printf("%s: valid; %" PRIu64 " warp instructions, %" PRIu64 " thread instructions, %" PRIu64 " memory accesses\n",
           a->file, c.insts, c.thread_insts, c.records);
    return CLI_OK;
}

/* ---- dump ---- */
struct dump {
    const struct trace_kernel *k;
    int64_t warp;
    uint64_t left;
};

static const char *space_name(unsigned space)
{
    static const char *const name[] = {"none", "global", "shared", "local", "const", "param", "tex", "generic"};
    return name[space];
}

/* "r5 <- r1 r2": what it writes, and what it reads; numbers of the scoreboard. */
static void print_registers(const struct trace_kernel *k, const struct trace_inst *t)
{
    char text[256] = "";
    size_t n = 0;
    for (unsigned i = 0; i < (unsigned)t->n_dst + t->n_src && n + 16 < sizeof text; i++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%sr%u", i && i != t->n_dst ? " " : "",
                              i == t->n_dst ? (i ? " <- " : "<- ") : "", k->reg[t->regs_at + i]);
    }
    printf(" %-24s", text);
}

static int print_step(void *ctx, uint32_t warp, const struct stream_step *step, const struct stream_mem *mem)
{
    struct dump *d = ctx;
    if (d->warp >= 0 && d->warp != warp)
        return 0;
    if (!d->left--)
        return 1;
    const struct trace_inst *t = &d->k->inst[step->pc];
    printf("  w%-3u %5u  %08x  %-28s", warp, step->pc, step->mask, d->k->str + t->opcode_at);
    print_registers(d->k, t);
    if (mem->mask) {
        printf(" %s:%u", space_name(mem->space), t->width);
        if (mem->mask != step->mask)
            printf(" lanes %08x", mem->mask);
        if (mem->affine) {
            printf(" 0x%" PRIx64 " + %" PRId64 " * lane", mem->base, mem->stride);
        } else {
            for (uint32_t left = mem->mask; left; left &= left - 1)
                printf(" 0x%" PRIx64, mem->addr[__builtin_ctz(left)]);
        }
    }
    if (t->src_line && t->src_file < d->k->n_file) {
        const char *file = d->k->file[t->src_file], *slash = strrchr(file, '/');
        printf("  %s:%u", slash ? slash + 1 : file, t->src_line);
    }
    putchar('\n');
    return 0;
}

/* A CTA and a warp that none of the launches [first, end) has would be answered by nothing. */
static int check_places(const struct trace_file *f, const struct args *a, uint32_t first, uint32_t end, struct err *e)
{
    uint64_t ctas = 0, warps = 0;
    for (uint32_t l = first; l < end; l++) {
        const struct trace_launch *launch = trace_get_launch(f, l);
        ctas = trace_ctas(launch) > ctas ? trace_ctas(launch) : ctas;
        warps = trace_warps_per_cta(launch) > warps ? trace_warps_per_cta(launch) : warps;
    }
    if (a->cta >= 0 && (uint64_t)a->cta >= ctas)
        return err_at(e, a->file, 0, 0, "CTA %" PRId64 " does not exist: there are %" PRIu64, a->cta, ctas);
    if (a->warp >= 0 && (uint64_t)a->warp >= warps)
        return err_at(e, a->file, 0, 0, "warp %" PRId64 " does not exist: there are %" PRIu64, a->warp, warps);
    return 0;
}

static int dump(struct trace_file *f, const struct args *a)
{
    struct err e;
    struct dump d = {.warp = a->warp, .left = a->limit};
    if (a->launch >= 0 && a->launch >= trace_n_launches(f)) {
        err_at(&e, a->file, 0, 0, "launch %" PRId64 " does not exist: there are %u", a->launch, trace_n_launches(f));
        return cli_fail(&e);
    }
    uint32_t first = a->launch >= 0 ? (uint32_t)a->launch : 0;
    uint32_t end = a->launch >= 0 ? first + 1 : trace_n_launches(f);
    if (check_places(f, a, first, end, &e))
        return cli_fail(&e);
    int rc = 0;
    for (uint32_t l = first; !rc && l < end; l++) {
        const struct trace_launch *launch = trace_get_launch(f, l);
        d.k = trace_get_kernel(f, launch->kernel);
        char name[200];
        demangle(d.k->name, name, sizeof name);
        printf("launch %u: %s\n", l, name);
        uint64_t from = a->cta >= 0 ? (uint64_t)a->cta : 0;
        for (uint64_t cta = trace_next_cta(f, l, from); !rc && cta != UINT64_MAX; cta = trace_next_cta(f, l, cta + 1)) {
            if (a->cta >= 0 && cta != (uint64_t)a->cta)
                break;
            printf(" cta %" PRIu64 "\n", cta);
            rc = trace_walk_cta(f, l, cta, print_step, &d, &e);
        }
    }
    if (rc < 0)
        return cli_fail(&e);
    return CLI_OK;
}

/* ---- the command ---- */
static const struct cli_option info_options[] = {
    {"json", NULL, "print one JSON document", CLI_FLAG(struct args, json)},
    {"launches", NULL, "one line for each launch instead of each kernel", CLI_FLAG(struct args, launches)},
    {0}};
static const struct cli_option dump_options[] = {
    {"launch", "N", "only this launch, counted from 0", .call = take_launch},
    {"cta", "N", "only this CTA of each launch", .call = take_cta},
    {"warp", "N", "only this warp of each CTA", .call = take_warp},
    {"limit", "N", "stop after N instructions", .call = take_limit},
    {0}};

static const struct action {
    const char *name;
    int (*run)(struct trace_file *, const struct args *);
    const struct cli_option *option;
    const char *doc;
} actions[] = {
    {"info", info, info_options, "Shows the contents of a recording.\vExample: weir trace info vecadd.wt"},
    {"check", check, NULL, "Decodes every instruction of a recording.\vExample: weir trace check vecadd.wt"},
    {"dump", dump, dump_options,
     "Prints executed instructions: warp, pc, active mask, instruction, addresses.\v"
     "Example: weir trace dump --launch 0 --cta 3 --warp 1 vecadd.wt"},
};

static void usage(FILE *out)
{
    fputs(
        "Usage: weir trace info|check|dump|import [OPTIONS] FILE\n\n"
        "  info    what a recording holds: kernels, launches, sizes (--json, --launches)\n"
        "  check   decode every instruction and verify every checksum\n"
        "  dump    print executed instructions: warp, number, lanes, registers written <- read, addresses, source "
        "line\n"
        "          (--launch N, --cta N, --warp N, --limit N)\n"
        "  import  make a recording of Accel-Sim's traces: kernelslist.g, the folder that holds it, or one .traceg (-o "
        "FILE.wt)\n\n"
        "Example:\n"
        "  weir record -o vecadd.wt ./vecadd\n"
        "  weir trace info vecadd.wt\n"
        "  weir trace import traces/kernelslist.g -o traced.wt\n",
        out);
}

int cli_trace(int argc, char **argv)
{
    if (argc >= 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "-?"))) {
        usage(stdout);
        return CLI_OK;
    }
    if (argc >= 2 && !strcmp(argv[1], "import")) {
        argv[1] = "weir trace import";
        return cli_trace_import(argc - 1, argv + 1);
    }
    const struct action *act = NULL;
    for (size_t i = 0; argc >= 2 && i < sizeof actions / sizeof *actions; i++)
        if (!strcmp(argv[1], actions[i].name))
            act = &actions[i];
    if (!act) {
        static const char *const names[] = {"info", "check", "dump", "import", NULL};
        char *wrong = cli_not_among(NULL, argc >= 2 ? argv[1] : NULL, names);
        fprintf(stderr, "weir trace: %s\nTry 'weir trace --help' for more information.\n", wrong);
        free(wrong);
        return CLI_BAD_INPUT;
    }
    struct args a = {.launch = -1, .cta = -1, .warp = -1, .limit = UINT64_MAX};
    char name[32];
    snprintf(name, sizeof name, "weir trace %s", act->name);
    argv[1] = name;
    const struct cli_syntax syntax = {
        .option = act->option, .usage = "FILE", .doc = act->doc, .word = take_word, .end = check_options};
    cli_parse(&syntax, argc - 1, argv + 1, 0, &a);
    struct err e;
    struct trace_file *f = trace_open(a.file, &e);
    if (!f)
        return cli_fail(&e);
    int rc = act->run(f, &a);
    trace_close(f);
    return rc;
}
