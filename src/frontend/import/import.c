/* Imports Accel-Sim's traces: reads the list of commands, reads each kernel's trace twice, encodes the streams. */
#include "import/import.h"

#include "base/out_of_memory.h"
#include "base/mem.h"
#include "base/text.h"
#include "import/sass_kernel.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>

/* A warp's stream is cut into pieces of about this size, so that a CTA of 32 warps fills a block of the file. */
enum { PIECE_BYTES = 8 << 10, POLL_INSTS = 1 << 14 };

struct command {
    uint8_t kind; /* enum trace_event_kind */
    char *path;   /* LAUNCH: the kernel's trace; NULL = the bytes of import_mem */
    uint64_t address, bytes;
    uint64_t stored_bytes; /* size of the trace */
    uint32_t kernel;       /* LAUNCH: index in import.kernel, known after the first pass */
};

/* A warp of the CTA that is being encoded. */
struct warp_pieces {
    struct stream_enc *enc;
    uint8_t *bytes;
    size_t n, cap;
    VEC(struct {
        size_t end; /* offset in `bytes` */
        uint64_t insts;
    })
    piece;
    uint64_t insts; /* since the last piece */
    bool seen;
};

struct import {
    char *path;
    VEC(struct command) command;
    VEC(struct sass_kernel *) kernel;
    struct strmap by_name;
    VEC(uint64_t) stream; /* CUDA's stream ids, in the order of their first use */
    const void *mem;      /* import_mem */
    size_t mem_n;
    struct import_counts counts;

    /* state of the current pass */
    struct lines *lines;
    struct stream_sink *sink;
    import_poll *poll;
    void *poll_ctx;
    uint64_t all_bytes, done_bytes;
    uint32_t since_poll;
    struct command *at;
    struct sass_kernel *now;
    const struct trace_kernel *table;
    struct trace_launch launch;
    uint64_t next_cta, cta;
    uint32_t n_warp, warp;
    struct warp_pieces *pieces;
    struct stream_run run; /* of the current warp, not yet encoded; left = its instructions so far */
};

/* ---- the list ---- */

/* A kernel's trace. `list` names it relative to its own folder; NULL = a person named it. */
static int add_trace(struct import *im, const char *list, const char *name, const struct lines *l, struct err *e)
{
    const char *slash = list && *name != '/' ? strrchr(list, '/') : NULL;
    const int folder = slash ? (int)(slash - list) + 1 : 0;
    struct command c = {.kind = TRACE_EV_LAUNCH, .path = xasprintf("%.*s%s", folder, folder ? list : "", name)};
    struct stat st;
    const bool there = !stat(c.path, &st);
    c.stored_bytes = there ? (uint64_t)st.st_size : 0;
    VEC_PUSH(&im->command, c);
    if (there)
        return 0;
    if (l)
        lines_err(l, e, "the trace '%s' cannot be opened: %s", c.path, strerror(errno));
    else
        err_at(e, c.path, 0, 0, "the trace '%s' cannot be opened: %s", c.path, strerror(errno));
    return err_hint(e, "traces must be in the same folder as the list");
}

/* "MemcpyHtoD,0x00007f8c80000000,4096" */
static int add_copy(struct import *im, const struct lines *l, const char *text, struct err *e)
{
    struct command c = {0};
    char address[24], bytes[24], tail;
    if (sscanf(text, "MemcpyHtoD,%23[0-9a-fA-FxX],%23[0-9] %c", address, bytes, &tail) == 2)
        c.kind = TRACE_EV_COPY_H2D;
    else if (sscanf(text, "MemcpyDtoH,%23[0-9a-fA-FxX],%23[0-9] %c", address, bytes, &tail) == 2)
        c.kind = TRACE_EV_COPY_D2H;
    else
        return lines_err(l, e, "'%.80s' is not 'MemcpyHtoD,address,bytes'", text);
    c.address = strtoull(address, NULL, 16); /* what is too large becomes the largest, which is refused */
    c.bytes = strtoull(bytes, NULL, 10);
    if (!trace_event_is_possible(&(struct trace_event){.address = c.address, .bytes = c.bytes}))
        return lines_err(l, e, "'%.80s': no memory has these bytes", text);
    VEC_PUSH(&im->command, c);
    return 0;
}

static int read_list(struct import *im, const char *path, struct err *e)
{
    struct lines *l = lines_open(path, e);
    char *text;
    int got = 0, rc = l ? 0 : -1;
    while (!rc && (got = lines_next(l, &text, e)) > 0) {
        if (!*text)
            continue;
        if (!strncmp(text, "Memcpy", 6)) {
            rc = add_copy(im, l, text, e);
        } else if (strncmp(text, "kernel", 6)) {
            lines_err(l, e, "'%.80s' is neither a copy nor a kernel's trace", text);
            rc = err_hint(e,
                          "a list of Accel-Sim's (kernelslist.g) has lines such as 'kernel-1.traceg' and "
                          "'MemcpyHtoD,0x7f0000000000,4096'");
        } else if (text_ends_in(text, ".trace") || text_ends_in(text, ".trace.xz")) {
            lines_err(l, e, "'%.80s' is not grouped by thread block", text);
            rc = err_hint(e, "run Accel-Sim's post-traces-processing, and name the list that it writes, kernelslist.g");
        } else {
            rc = add_trace(im, path, text, l, e);
        }
    }
    lines_close(l);
    if (!l)
        err_hint(e, "name kernelslist.g, the folder that holds it, or one kernel's .traceg");
    if (!rc && !got && !im->command.n)
        rc = err_at(e, path, 0, 0, "the list names no kernel");
    return rc || got < 0 ? -1 : 0;
}

struct import *import_open(const char *path, struct err *e)
{
    struct import *im = xcalloc(1, sizeof *im);
    struct stat st;
    int rc;
    im->path = xstrdup(path);
    if (!stat(path, &st) && S_ISDIR(st.st_mode)) {
        char *list = xasprintf("%s/kernelslist.g", path);
        rc = read_list(im, list, e);
        free(list);
    } else if (text_ends_in(path, ".traceg") || text_ends_in(path, ".traceg.xz")) {
        rc = add_trace(im, NULL, path, NULL, e);
    } else {
        rc = read_list(im, path, e);
    }
    if (!rc)
        return im;
    import_close(im);
    return NULL;
}

static void pieces_free(struct import *im)
{
    for (uint32_t w = 0; w < im->n_warp; w++) {
        stream_enc_free(im->pieces[w].enc);
        free(im->pieces[w].bytes);
        VEC_FREE(&im->pieces[w].piece);
    }
    free(im->pieces);
    im->pieces = NULL;
    im->n_warp = 0;
}

void import_close(struct import *im)
{
    if (!im)
        return;
    pieces_free(im);
    for (size_t i = 0; i < im->command.n; i++)
        free(im->command.p[i].path);
    for (size_t i = 0; i < im->kernel.n; i++)
        sass_kernel_free(im->kernel.p[i]);
    VEC_FREE(&im->command);
    VEC_FREE(&im->kernel);
    VEC_FREE(&im->stream);
    strmap_free(&im->by_name);
    free(im->path);
    free(im);
}

/* ---- shared by both passes ---- */

/* Adds the trace's file and line to an error of the static table. */
static int at_line(const struct import *im, struct err *e)
{
    struct err why = *e;
    lines_err(im->lines, e, "%s", why.msg);
    return why.hint[0] ? err_hint(e, "%s", why.hint) : -1;
}

static int poll_now(struct import *im, struct err *e)
{
    if (++im->since_poll < POLL_INSTS || !im->poll)
        return 0;
    im->since_poll = 0;
    return im->poll(im->poll_ctx, im->done_bytes + lines_read_bytes(im->lines), im->all_bytes)
               ? err_set(e, "stopped; nothing was written")
               : 0;
}

/* CTAs must come in the order of the grid, so that none is missing or repeated. */
static int on_cta(void *ctx, uint64_t cta, struct err *e)
{
    struct import *im = ctx;
    if (cta != im->next_cta) {
        lines_err(im->lines, e, "found thread block %" PRIu64 " where %" PRIu64 " was expected", cta, im->next_cta);
        return err_hint(e, "weir needs every thread block, in the order of the grid");
    }
    im->next_cta++;
    im->cta = cta;
    return 0;
}

static int read_trace(struct import *im, struct command *c, const struct accelsim_visitor *v, struct err *e)
{
    im->at = c;
    im->now = NULL;
    im->next_cta = 0;
    im->lines = c->path ? lines_open(c->path, e) : lines_mem(im->mem, im->mem_n, im->path);
    if (!im->lines)
        return -1;
    int rc = accelsim_read(im->lines, v, e);
    if (!rc && im->next_cta != trace_ctas(&im->launch)) {
        lines_err(im->lines, e, "the trace has %" PRIu64 " of %" PRIu64 " thread blocks", im->next_cta,
                  trace_ctas(&im->launch));
        rc = err_hint(e, "trace the kernel again, without a limit");
    }
    lines_close(im->lines);
    im->lines = NULL;
    im->done_bytes += c->stored_bytes;
    return rc;
}

static void set_launch(struct import *im, const struct accelsim_kernel *k)
{
    im->launch = (struct trace_launch){.smem_dynamic_bytes = k->shared_bytes};
    memcpy(im->launch.grid, k->grid, sizeof k->grid);
    memcpy(im->launch.block, k->block, sizeof k->block);
    sass_kernel_launch(im->now, k);
}

/* ---- the first pass: static tables ---- */

static int gather_kernel(void *ctx, const struct accelsim_kernel *k, struct err *e)
{
    struct import *im = ctx;
    (void)e;
    uint32_t n = strmap_get(&im->by_name, k->name, strlen(k->name));
    if (n == STRMAP_NONE) {
        n = (uint32_t)im->kernel.n;
        VEC_PUSH(&im->kernel, sass_kernel_new(k->name));
        const char *name = sass_kernel_name(im->kernel.p[n]);
        strmap_put(&im->by_name, name, strlen(name), n);
    }
    im->at->kernel = n;
    im->now = im->kernel.p[n];
    im->counts.binary_version = k->binary_version ? k->binary_version : im->counts.binary_version;
    set_launch(im, k);
    return 0;
}

static int gather_warp(void *ctx, uint32_t warp, struct err *e)
{
    struct import *im = ctx;
    (void)warp;
    (void)e;
    sass_kernel_warp(im->now);
    return 0;
}

static int gather_inst(void *ctx, const struct accelsim_inst *i, struct err *e)
{
    struct import *im = ctx;
    if (sass_kernel_add(im->now, i, e))
        return at_line(im, e);
    return poll_now(im, e);
}

static int gather_cta_end(void *ctx, struct err *e)
{
    (void)ctx;
    (void)e;
    return 0;
}

/* ---- the second pass: streams ---- */

/* Leaves *e empty, because the sink keeps its own error. */
static int sink_failed(struct err *e)
{
    err_clear(e);
    return -1;
}

static uint32_t stream_number(struct import *im, uint64_t stream)
{
    uint32_t i = 0;
    if (!stream)
        return 0;
    while (i < im->stream.n && im->stream.p[i] != stream)
        i++;
    if (i == im->stream.n)
        VEC_PUSH(&im->stream, stream);
    return i + 1;
}

static int emit_kernel(void *ctx, const struct accelsim_kernel *k, struct err *e)
{
    struct import *im = ctx;
    im->now = im->kernel.p[im->at->kernel];
    set_launch(im, k);
    im->launch.kernel = im->at->kernel;
    im->launch.stream = stream_number(im, k->stream);
    im->n_warp = trace_warps_per_cta(&im->launch);
    im->pieces = xcalloc(im->n_warp, sizeof *im->pieces);
    for (uint32_t w = 0; w < im->n_warp; w++)
        im->pieces[w].enc = stream_enc_new();
    struct trace_event event = {.kind = TRACE_EV_LAUNCH, .stream = im->launch.stream, .index = im->counts.launches};
    if (im->sink->event(im->sink->ctx, &event) ||
        im->sink->launch_begin(im->sink->ctx, im->table, &im->launch, im->counts.launches))
        return sink_failed(e);
    return 0;
}

static void cut(struct warp_pieces *w)
{
    stream_enc_take(w->enc, &w->bytes, &w->n, &w->cap);
    VEC_RESERVE(&w->piece, w->piece.n + 1);
    w->piece.p[w->piece.n].end = w->n;
    w->piece.p[w->piece.n++].insts = w->insts;
    w->insts = 0;
}

static void run_end(struct import *im)
{
    struct warp_pieces *w = &im->pieces[im->warp];
    if (!im->run.left)
        return;
    stream_enc_run(w->enc, im->run.pc, im->run.left, im->run.mask);
    w->insts += im->run.left;
    im->run.left = 0;
    if (stream_enc_bytes(w->enc) >= PIECE_BYTES)
        cut(w);
}

static int emit_cta(void *ctx, uint64_t cta, struct err *e)
{
    struct import *im = ctx;
    if (on_cta(ctx, cta, e))
        return -1;
    for (uint32_t w = 0; w < im->n_warp; w++) {
        struct warp_pieces *p = &im->pieces[w];
        p->n = p->piece.n = 0;
        p->insts = 0;
        p->seen = false;
    }
    im->run.left = 0;
    return 0;
}

static int emit_warp(void *ctx, uint32_t warp, struct err *e)
{
    struct import *im = ctx;
    run_end(im);
    im->warp = warp;
    if (im->pieces[warp].seen)
        return lines_err(im->lines, e, "warp %u occurs twice in its thread block", warp);
    im->pieces[warp].seen = true;
    stream_enc_begin(im->pieces[warp].enc, im->table);
    return 0;
}

static int emit_inst(void *ctx, const struct accelsim_inst *i, struct err *e)
{
    struct import *im = ctx;
    uint64_t addr[TRACE_WARP_SIZE];
    uint8_t space;
    const uint32_t next = im->run.pc + im->run.left, pc = sass_kernel_index(im->now, i->pc, next);
    if (im->run.left && (pc != next || i->mask != im->run.mask))
        run_end(im);
    if (!im->run.left)
        im->run = (struct stream_run){.pc = pc, .mask = i->mask};
    uint32_t lanes = sass_kernel_access(im->now, &im->table->inst[pc], i, &space, addr);
    if (lanes)
        stream_enc_mem(im->pieces[im->warp].enc, pc, space, lanes, addr);
    im->run.left++;
    return poll_now(im, e);
}

/* Sends a chunk: piece number `seq` of every warp. */
static int emit_chunk(struct import *im, uint32_t seq, bool last)
{
    uint32_t end[TRACE_WARP_SIZE];
    VEC(uint8_t) bytes = {0};
    struct stream_chunk c = {.cta = im->cta, .seq = seq, .last = last, .n_warp = im->n_warp, .end = end};
    for (uint32_t w = 0; w < im->n_warp; w++) {
        const struct warp_pieces *p = &im->pieces[w];
        if (seq < p->piece.n) {
            size_t from = seq ? p->piece.p[seq - 1].end : 0, n = p->piece.p[seq].end - from;
            VEC_RESERVE(&bytes, bytes.n + n);
            if (n)
                memcpy(bytes.p + bytes.n, p->bytes + from, n);
            bytes.n += n;
            c.n_inst += p->piece.p[seq].insts;
        }
        end[w] = (uint32_t)bytes.n;
    }
    c.bytes = bytes.p;
    im->counts.insts += c.n_inst;
    int rc = im->sink->chunk(im->sink->ctx, im->counts.launches, &c);
    VEC_FREE(&bytes);
    return rc;
}

static int emit_cta_end(void *ctx, struct err *e)
{
    struct import *im = ctx;
    size_t most = 1;
    run_end(im);
    for (uint32_t w = 0; w < im->n_warp; w++) {
        if (im->pieces[w].insts)
            cut(&im->pieces[w]);
        most = im->pieces[w].piece.n > most ? im->pieces[w].piece.n : most;
    }
    for (size_t seq = 0; seq < most; seq++)
        if (emit_chunk(im, (uint32_t)seq, seq + 1 == most))
            return sink_failed(e);
    im->counts.ctas++;
    return 0;
}

/* ---- both passes ---- */

static int emit_command(struct import *im, struct command *c, struct err *e)
{
    const struct accelsim_visitor emit = {im, emit_kernel, emit_cta, emit_warp, emit_inst, emit_cta_end};
    if (c->kind != TRACE_EV_LAUNCH) {
        struct trace_event event = {.kind = c->kind, .address = c->address, .bytes = c->bytes};
        im->counts.copies++;
        return im->sink->event(im->sink->ctx, &event) ? sink_failed(e) : 0;
    }
    im->table = sass_kernel_table(im->kernel.p[c->kernel]);
    int rc = read_trace(im, c, &emit, e);
    pieces_free(im);
    if (!rc && im->sink->launch_end(im->sink->ctx, im->counts.launches))
        rc = sink_failed(e);
    im->counts.launches++;
    return rc;
}

int import_run(struct import *im, struct stream_sink *sink, import_poll *poll, void *ctx, struct err *e)
{
    const struct accelsim_visitor gather = {im, gather_kernel, on_cta, gather_warp, gather_inst, gather_cta_end};
    im->sink = sink;
    im->poll = poll;
    im->poll_ctx = ctx;
    for (size_t i = 0; i < im->command.n; i++)
        im->all_bytes += 2 * im->command.p[i].stored_bytes;
    for (size_t i = 0; i < im->command.n; i++)
        if (im->command.p[i].kind == TRACE_EV_LAUNCH && read_trace(im, &im->command.p[i], &gather, e))
            return -1;
    for (size_t i = 0; i < im->kernel.n; i++)
        sass_kernel_finish(im->kernel.p[i]);
    im->counts.kernels = (uint32_t)im->kernel.n;
    for (size_t i = 0; i < im->command.n; i++)
        if (emit_command(im, &im->command.p[i], e))
            return -1;
    return 0;
}

int import_mem(const void *bytes, size_t n, const char *name, struct stream_sink *sink, struct err *e)
{
    struct import *im = xcalloc(1, sizeof *im);
    struct command c = {.kind = TRACE_EV_LAUNCH};
    im->path = xstrdup(name);
    im->mem = bytes;
    im->mem_n = n;
    VEC_PUSH(&im->command, c);
    int rc = import_run(im, sink, NULL, NULL, e);
    import_close(im);
    return rc;
}

struct import_counts import_counts(const struct import *im)
{
    return im->counts;
}

void import_each_remark(const struct import *im, void (*fn)(void *ctx, const char *opcode, bool known), void *ctx)
{
    for (size_t i = 0; i < im->kernel.n; i++)
        sass_kernel_each_remark(im->kernel.p[i], fn, ctx);
}
