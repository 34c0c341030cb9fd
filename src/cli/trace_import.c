/* weir trace import: makes a recording of another tool's traces. */
#include "base/err.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/trace.h"
#include "import/import.h"
#include "trace/file.h"

#include <inttypes.h>
#include <unistd.h>

struct args {
    const char *from, *output;
};

static void take_word(struct argp_state *state, void *args, char *word)
{
    struct args *a = args;
    if (a->from)
        argp_error(state, "one trace list expected");
    a->from = word;
}

static void check_options(struct argp_state *state, void *args)
{
    const struct args *a = args;
    if (!a->from)
        argp_error(state, "name the traces: kernelslist.g, the folder that holds it, or one .traceg");
    if (!a->output)
        argp_error(state, "give the output recording with -o");
}

static const struct cli_option options[] = {
    {"output", "FILE", "the recording", CLI_TEXT(struct args, output), .letter = 'o'}, {0}};

static const struct cli_syntax syntax = {
    options,
    {{&progress_syntax, 0, NULL}},
    "TRACES",
    "Converts Accel-Sim traces (from its NVBit tracer) to a recording.\vTRACES is kernelslist.g, the folder that "
    "holds it, or one kernel's trace; traces may be compressed by xz.\n"
    "\n"
    "Examples:\n"
    "  weir trace import traces/kernelslist.g -o traced.wt\n"
    "  weir replay --gpu h200 --with apcm traced.wt\n",
    take_word,
    check_options};

static int show(void *progress, uint64_t done, uint64_t all)
{
    progress_count(progress, "importing, MiB", (size_t)(done >> 20), (size_t)(all >> 20), "");
    return progress_interrupted();
}

/* Opcodes that the user has been warned about; each is named once. */
struct remarks {
    struct strmap said;
};

static void remark(void *ctx, const char *opcode, bool known)
{
    struct remarks *r = ctx;
    size_t n = strcspn(opcode, ".");
    if (strmap_get(&r->said, opcode, n) != STRMAP_NONE)
        return;
    strmap_put(&r->said, opcode, n, 1);
    if (known)
        fprintf(stderr, "weir: warning: the traces have no addresses for %.*s, so its accesses are not simulated\n",
                (int)n, opcode);
    else
        fprintf(stderr, "weir: warning: the opcode %.*s is not known; it is timed as a move\n", (int)n, opcode);
}

static int write_recording(struct import *im, const struct args *a, struct err *e)
{
    struct progress p;
    /* The machine is empty: the origin is written first, and the traced GPU is known only after the first pass. */
    const struct trace_origin origin = {.weir = WEIR_VERSION, .machine = ""};
    struct trace_writer *w = trace_writer_open(a->output, a->from, &origin, e);
    if (!w)
        return -1;
    progress_begin(&p, 0);
    int rc = import_run(im, trace_writer_sink(w), show, &p, e);
    progress_end(&p);
    if (!rc || !e->msg[0])
        return trace_writer_close(w, e);
    trace_writer_abandon(w);
    return rc;
}

int cli_trace_import(int argc, char **argv)
{
    struct args a = {0};
    struct err e;
    cli_parse(&syntax, argc, argv, 0, &a);
    err_clear(&e);
    struct import *im = import_open(a.from, &e);
    if (!im || write_recording(im, &a, &e)) {
        err_print(&e, stderr);
        import_close(im);
        return CLI_BAD_INPUT;
    }
    const struct import_counts n = import_counts(im);
    struct remarks r = {0};
    import_each_remark(im, remark, &r);
    strmap_free(&r.said);
    printf("%s: %u kernels, %u launches, %" PRIu64 " CTAs, %" PRIu64 " warp instructions", a.output, n.kernels,
           n.launches, n.ctas, n.insts);
    if (n.binary_version)
        printf(", traced on sm_%u", n.binary_version);
    putchar('\n');
    import_close(im);
    return CLI_OK;
}
