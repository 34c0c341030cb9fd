/* trace/: a recorded program comes back the same; a damaged file gives an error, never a crash or other content. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "trace_gen.h"

#include "trace/frame.h"
#include "trace/table.h"

#include <unistd.h>

/* A program: launches of random kernels, each CTA cut into chunks, the chunks of several CTAs interleaved. */
struct shape {
    uint32_t n_kernels, n_launches, max_ctas, insts_per_warp, warps, chunks;
};

struct cta_record {
    uint32_t launch;
    uint64_t cta;
    gen_steps *warp; /* one list for each warp */
};

struct program {
    struct shape shape;
    struct gen_kernel *kernel;
    struct trace_launch *launch;
    VEC(struct cta_record) cta;
    VEC(struct trace_event) event;
};

static void program_free(struct program *p)
{
    for (size_t i = 0; i < p->cta.n; i++) {
        for (uint32_t w = 0; w < p->shape.warps; w++)
            VEC_FREE(&p->cta.p[i].warp[w]);
        free(p->cta.p[i].warp);
    }
    for (uint32_t i = 0; i < p->shape.n_kernels; i++)
        gen_kernel_free(&p->kernel[i]);
    free(p->kernel);
    free(p->launch);
    VEC_FREE(&p->cta);
    VEC_FREE(&p->event);
}

/* Streams of one CTA, cut after each warp's share of runs. */
struct live_cta {
    struct cta_record record;
    struct stream_enc **enc;
    uint32_t seq;
};

static void live_begin(struct live_cta *c, const struct trace_kernel *k, uint32_t launch, uint64_t cta, uint32_t warps)
{
    *c = (struct live_cta){.record = {launch, cta, xcalloc(warps, sizeof(gen_steps))},
                           .enc = xcalloc(warps, sizeof(struct stream_enc *))};
    for (uint32_t w = 0; w < warps; w++) {
        c->enc[w] = stream_enc_new();
        stream_enc_begin(c->enc[w], k);
    }
}

static int live_chunk(struct live_cta *c, struct gen_rng *r, const struct trace_kernel *k, const struct shape *s,
                      const struct stream_sink *sink)
{
    uint32_t *end = xcalloc(s->warps, sizeof *end);
    uint8_t *bytes = NULL;
    size_t n = 0, cap = 0;
    uint64_t n_inst = 0;
    for (uint32_t w = 0; w < s->warps; w++) {
        gen_steps *steps = &c->record.warp[w];
        for (uint32_t done = 0; done < s->insts_per_warp / s->chunks;) {
            uint32_t pc = gen_below(r, k->n_inst), len = 1 + gen_below(r, k->n_inst - pc);
            uint32_t mask = gen_below(r, 3) ? UINT32_MAX : (uint32_t)gen_u64(r);
            for (uint32_t i = pc; i < pc + len; i++) {
                struct gen_step step = {.pc = i, .mask = mask};
                const struct trace_inst *t = &k->inst[i];
                if (trace_has_addresses(t) && mask) {
                    step.space = t->space == TRACE_SP_GENERIC ? TRACE_SP_SHARED : t->space;
                    step.mem_mask = mask;
                    gen_addresses(r, step.addr, t->mem_index, (uint32_t)c->record.cta + done);
                    stream_enc_mem(c->enc[w], i, step.space, mask, step.addr);
                }
                VEC_PUSH(steps, step);
            }
            stream_enc_run(c->enc[w], pc, len, mask);
            done += len;
            n_inst += len;
        }
        stream_enc_take(c->enc[w], &bytes, &n, &cap);
        end[w] = (uint32_t)n;
    }
    struct stream_chunk chunk = {c->record.cta, c->seq, c->seq + 1 == s->chunks, s->warps, n_inst, end, bytes};
    c->seq++;
    int rc = sink->chunk(sink->ctx, c->record.launch, &chunk);
    free(end);
    free(bytes);
    return rc;
}

static int run_launch(struct program *p, struct gen_rng *r, uint32_t index, const struct stream_sink *sink)
{
    enum { RESIDENT = 3 };
    const struct trace_launch *l = &p->launch[index];
    const struct trace_kernel *k = &p->kernel[l->kernel].k;
    struct live_cta live[RESIDENT] = {{{0}}};
    uint64_t next = 0, running = 0;
    int rc = sink->launch_begin(sink->ctx, k, l, index);
    while (!rc && (next < trace_ctas(l) || running)) {
        uint32_t i = gen_below(r, RESIDENT);
        if (!live[i].enc) {
            if (next == trace_ctas(l))
                continue;
            live_begin(&live[i], k, index, next++, p->shape.warps);
            running++;
            rc = live_chunk(&live[i], r, k, &p->shape, sink);
        } else {
            rc = live_chunk(&live[i], r, k, &p->shape, sink);
        }
        if (live[i].seq == p->shape.chunks) {
            VEC_PUSH(&p->cta, live[i].record);
            for (uint32_t w = 0; w < p->shape.warps; w++)
                stream_enc_free(live[i].enc[w]);
            free(live[i].enc);
            live[i].enc = NULL;
            running--;
        }
    }
    for (uint32_t i = 0; i < RESIDENT; i++)
        if (live[i].enc) {
            VEC_PUSH(&p->cta, live[i].record);
            for (uint32_t w = 0; w < p->shape.warps; w++)
                stream_enc_free(live[i].enc[w]);
            free(live[i].enc);
        }
    return rc ? rc : sink->launch_end(sink->ctx, index);
}

static int record(struct program *p, const struct shape *s, uint64_t seed, const struct stream_sink *sink)
{
    struct gen_rng r = {seed};
    *p = (struct program){.shape = *s};
    p->kernel = xcalloc(s->n_kernels + 1, sizeof *p->kernel);
    p->launch = xcalloc(s->n_launches + 1, sizeof *p->launch);
    for (uint32_t i = 0; i < s->n_kernels; i++)
        gen_kernel_make(&p->kernel[i], &r, 3 + gen_below(&r, 60), i);
    int rc = 0;
    for (uint32_t i = 0; !rc && i < s->n_launches; i++) {
        struct trace_launch *l = &p->launch[i];
        l->kernel = i < s->n_kernels ? i : gen_below(&r, s->n_kernels);
        l->grid[0] = 1 + gen_below(&r, s->max_ctas);
        l->grid[1] = l->grid[2] = 1;
        l->block[0] = s->warps * 16;
        l->block[1] = 2;
        l->block[2] = 1;
        l->smem_dynamic_bytes = gen_below(&r, 1000);
        l->stream = gen_below(&r, 3);
        l->cooperative = (uint8_t)gen_below(&r, 2);
        struct trace_event copy = {
            .kind = TRACE_EV_COPY_H2D, .stream = l->stream, .address = 0x200000000000ull + i, .bytes = 4096 + i};
        struct trace_event launch = {.kind = TRACE_EV_LAUNCH, .stream = l->stream, .index = i};
        rc = sink->event(sink->ctx, &copy);
        rc = rc ? rc : sink->event(sink->ctx, &launch);
        VEC_PUSH(&p->event, copy);
        VEC_PUSH(&p->event, launch);
        rc = rc ? rc : run_launch(p, &r, i, sink);
    }
    return rc;
}

/* ---- comparing ---- */
static bool same_kernel(const struct trace_kernel *a, const struct trace_kernel *b)
{
    bool same = !strcmp(a->name, b->name) && a->n_inst == b->n_inst && a->n_reg_entries == b->n_reg_entries &&
                a->n_loop == b->n_loop && a->n_file == b->n_file && a->n_str == b->n_str && a->n_mem == b->n_mem &&
                a->n_scoreboard == b->n_scoreboard && a->regs_per_thread == b->regs_per_thread &&
                a->smem_static_bytes == b->smem_static_bytes &&
                a->local_bytes_per_thread == b->local_bytes_per_thread &&
                a->max_threads_per_cta == b->max_threads_per_cta;
    same = same && !memcmp(a->inst, b->inst, a->n_inst * sizeof *a->inst) &&
           !memcmp(a->reg, b->reg, a->n_reg_entries * sizeof *a->reg) &&
           !memcmp(a->loop, b->loop, a->n_loop * sizeof *a->loop) && !memcmp(a->str, b->str, a->n_str);
    for (uint32_t i = 0; same && i < a->n_file; i++)
        same = !strcmp(a->file[i], b->file[i]);
    const struct trace_code *x = a->code, *y = b->code;
    if (!same || !x != !y || !x)
        return same && !x == !y;
    return x->n_op == y->n_op && x->n_reg_entries == y->n_reg_entries && x->n_region == y->n_region &&
           x->n_scoreboard == y->n_scoreboard && !memcmp(x->op, y->op, x->n_op * sizeof *x->op) &&
           !memcmp(x->reg, y->reg, x->n_reg_entries * sizeof *x->reg) &&
           !memcmp(x->region, y->region, x->n_region * sizeof *x->region);
}

/* Reads everything. Returns 1 when it equals the program, 0 when reading fails, -1 when it silently differs. */
static int compare(struct trace_file *f, const struct program *p, const char *name, struct err *e)
{
    if (strcmp(trace_program(f), name) || trace_n_kernels(f) != p->shape.n_kernels ||
        trace_n_launches(f) != p->shape.n_launches || trace_n_events(f) != p->event.n)
        return -1;
    for (uint32_t i = 0; i < p->shape.n_kernels; i++)
        if (!same_kernel(trace_get_kernel(f, i), &p->kernel[i].k))
            return -1;
    for (uint32_t i = 0; i < p->shape.n_launches; i++)
        if (memcmp(trace_get_launch(f, i), &p->launch[i], sizeof(struct trace_launch)))
            return -1;
    for (size_t i = 0; i < p->event.n; i++) {
        const struct trace_event *a = trace_get_event(f, i), *b = &p->event.p[i];
        if (a->kind != b->kind || a->stream != b->stream || a->index != b->index || a->address != b->address ||
            a->address2 != b->address2 || a->bytes != b->bytes)
            return -1;
    }
    struct stream_buf buf = {0};
    struct stream_dec *dec = xmalloc(stream_dec_bytes());
    int verdict = 1;
    uint64_t insts = 0, want_insts = 0;
    for (uint32_t i = 0; i < p->shape.n_launches; i++)
        want_insts += trace_launch_insts(f, i);
    for (size_t c = 0; verdict == 1 && c < p->cta.n; c++) {
        const struct cta_record *rec = &p->cta.p[c];
        const struct trace_kernel *k = trace_get_kernel(f, p->launch[rec->launch].kernel);
        if (trace_cta_chunks(f, rec->launch, rec->cta) != p->shape.chunks)
            verdict = -1;
        for (uint32_t w = 0; verdict == 1 && w < p->shape.warps; w++) {
            size_t at = 0;
            stream_dec_begin(dec, k);
            for (uint32_t seq = 0; verdict == 1 && seq < p->shape.chunks; seq++) {
                struct stream_chunk chunk;
                struct stream_step step;
                struct stream_mem mem;
                if (trace_read_chunk(f, rec->launch, rec->cta, seq, &buf, &chunk, e)) {
                    verdict = 0;
                    break;
                }
                if (chunk.last != (seq + 1 == p->shape.chunks) || chunk.n_warp != p->shape.warps)
                    verdict = -1;
                uint32_t from = w ? chunk.end[w - 1] : 0;
                stream_dec_feed(dec, chunk.bytes + from, chunk.end[w] - from);
                int rc;
                while ((rc = stream_dec_next(dec, &step, &mem)) == 1)
                    if (at == rec->warp[w].n || gen_compare(&rec->warp[w].p[at++], &step, &mem)) {
                        verdict = -1;
                        break;
                    }
                if (rc < 0)
                    verdict = -1;
                insts += w == 0 ? chunk.n_inst : 0;
            }
            if (verdict == 1 && at != rec->warp[w].n)
                verdict = -1;
        }
    }
    if (verdict == 1 && insts != want_insts)
        verdict = -1;
    free(dec);
    stream_buf_free(&buf);
    return verdict;
}

static char *temp_path(void)
{
    const char *dir = getenv("TMPDIR");
    char *path = NULL;
    assert_true(asprintf(&path, "%s/weir-trace-test-%ld.wt", dir ? dir : "/tmp", (long)getpid()) > 0);
    return path;
}

static void record_to(const char *path, struct program *p, const struct shape *s, uint64_t seed, const char *name)
{
    struct err e;
    struct trace_writer *w = trace_writer_open(path, name, NULL, &e);
    assert_non_null(w);
    assert_int_equal(record(p, s, seed, trace_writer_sink(w)), 0);
    assert_int_equal(trace_writer_close(w, &e), 0);
}

static uint8_t *slurp(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *n = (size_t)ftell(f);
    rewind(f);
    uint8_t *p = xmalloc(*n);
    assert_int_equal(fread(p, 1, *n, f), *n);
    fclose(f);
    return p;
}

/* ---- the tests ---- */
static void programs_of_many_shapes_come_back(void **state)
{
    (void)state;
    static const struct shape shapes[] = {
        {1, 1, 1, 10, 1, 1},   {2, 3, 7, 40, 2, 3},  {3, 5, 4, 400, 4, 4},    {1, 2, 300, 30, 1, 1},
        {4, 4, 2, 3000, 8, 7}, {1, 200, 1, 5, 1, 1}, {1, 1, 40, 2000, 16, 2}, {2, 6, 20, 100, 32, 1},
    };
    char *path = temp_path();
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct program p;
        struct err e;
        record_to(path, &p, &shapes[i], 1000 + i, "./app --size 3");
        struct trace_file *f = trace_open(path, &e);
        if (!f)
            fail_msg("shape %zu: %s", i, e.msg);
        assert_int_equal(compare(f, &p, "./app --size 3", &e), 1);
        uint64_t bytes = 0;
        for (uint32_t l = 0; l < shapes[i].n_launches; l++)
            bytes += trace_launch_bytes(f, l);
        assert_in_range(bytes, trace_stream_bytes(f) - shapes[i].n_launches,
                        trace_stream_bytes(f) + shapes[i].n_launches);
        assert_int_equal(trace_cta_chunks(f, 0, 1u << 30), 0);
        trace_close(f);
        program_free(&p);
    }
    unlink(path);
    free(path);
}

static void program_without_launches(void **state)
{
    (void)state;
    char *path = temp_path();
    struct program p;
    struct err e;
    record_to(path, &p, &(struct shape){0}, 1, "");
    struct trace_file *f = trace_open(path, &e);
    assert_non_null(f);
    assert_int_equal(compare(f, &p, "", &e), 1);
    struct stream_buf buf = {0};
    struct stream_chunk chunk;
    assert_int_equal(trace_read_chunk(f, 0, 0, 0, &buf, &chunk, &e), -1);
    trace_close(f);
    program_free(&p);
    unlink(path);
    free(path);
}

/* A program that fails in the middle of a kernel leaves no recording: not when it ends, nor when it goes on. */
static void launch_that_does_not_end_is_refused(void **state)
{
    (void)state;
    struct gen_rng r = {3};
    struct gen_kernel g;
    struct err e;
    gen_kernel_make(&g, &r, 8, 0);
    const struct trace_launch l = {.grid = {4, 1, 1}, .block = {32, 1, 1}};
    const struct trace_event ev = {.kind = TRACE_EV_LAUNCH};
    for (int way = 0; way < 3; way++) {
        char *path = temp_path();
        unlink(path);
        struct trace_writer *w = trace_writer_open(path, "x", NULL, &e);
        struct stream_sink *s = trace_writer_sink(w);
        assert_int_equal(s->event(s->ctx, &ev), 0);
        assert_int_equal(s->launch_begin(s->ctx, &g.k, &l, 0), 0);
        if (way == 1)
            assert_int_equal(s->launch_end(s->ctx, 0), -1); /* without its CTAs */
        if (way == 2)
            assert_int_equal(s->launch_begin(s->ctx, &g.k, &l, 1), -1);
        assert_int_equal(trace_writer_close(w, &e), -1);
        assert_non_null(strstr(e.msg, "cannot be recorded"));
        assert_int_equal(access(path, F_OK), -1);
        free(path);
    }
    gen_kernel_free(&g);
}

/* Opens bytes, reads all. 1 the same program, 0 an error, -1 something else in silence. */
static int verdict_of(const uint8_t *bytes, size_t n, const struct program *p, struct err *e)
{
    uint8_t *exact = xmalloc(n ? n : 1);
    memcpy(exact, bytes, n);
    struct trace_file *f = trace_open_mem(exact, n, "x.wt", e);
    int v = f ? compare(f, p, "tiny", e) : 0;
    trace_close(f);
    free(exact);
    return v;
}

static void every_truncation_is_reported(void **state)
{
    (void)state;
    char *path = temp_path();
    struct program p;
    struct err e;
    record_to(path, &p, &(struct shape){1, 2, 2, 16, 1, 2}, 11, "tiny");
    size_t n;
    uint8_t *bytes = slurp(path, &n);
    assert_int_equal(verdict_of(bytes, n, &p, &e), 1);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(verdict_of(bytes, i, &p, &e), 0);
        assert_true(e.offset != UINT64_MAX && e.offset <= n);
        if (i >= 16)
            assert_non_null(strstr(e.msg, "truncated"));
    }
    free(bytes);
    program_free(&p);
    unlink(path);
    free(path);
}

static void add_crc(void *ctx, const void *bytes, size_t n)
{
    uint32_t *crc = ctx;
    *crc = crc32_of(*crc, bytes, n);
}

/* The file of an open recording is cut: an error of whoever reads a part that is gone. */
static void a_file_that_becomes_shorter_is_reported(void **state)
{
    (void)state;
    char *path = temp_path();
    struct program p;
    struct err e;
    struct stream_buf buf = {0};
    struct stream_chunk chunk;
    record_to(path, &p, &(struct shape){1, 2, 2, 16, 1, 2}, 11, "cut");
    struct trace_file *f = trace_open(path, &e);
    assert_non_null(f);
    assert_int_equal(truncate(path, 32), 0);
    assert_int_equal(trace_read_chunk(f, 0, 0, 0, &buf, &chunk, &e), -1);
    assert_non_null(strstr(e.msg, "became shorter"));
    assert_int_equal(trace_each_part(f, add_crc, &(uint32_t){0}, &e), -1);
    assert_non_null(strstr(e.msg, "became shorter"));
    trace_close(f);
    stream_buf_free(&buf);
    program_free(&p);
    unlink(path);
    free(path);
}

static void every_flipped_byte_is_reported(void **state)
{
    (void)state;
    char *path = temp_path();
    struct program p;
    struct err e;
    record_to(path, &p, &(struct shape){1, 2, 2, 16, 1, 2}, 11, "tiny");
    size_t n;
    uint8_t *bytes = slurp(path, &n);
    for (size_t i = 0; i < n; i++)
        for (int bit = 0; bit < 9; bit++) {
            uint8_t was = bytes[i];
            bytes[i] ^= bit < 8 ? (uint8_t)(1 << bit) : 0xff;
            int v = verdict_of(bytes, n, &p, &e);
            if (v != 0)
                fail_msg("byte %zu, bit %d: %s", i, bit, v > 0 ? "not noticed" : "other content");
            assert_true(e.offset <= n);
            bytes[i] = was;
        }
    free(bytes);
    program_free(&p);
    unlink(path);
    free(path);
}

static void newer_and_foreign_files_are_told_apart(void **state)
{
    (void)state;
    char *path = temp_path();
    struct program p;
    struct err e;
    record_to(path, &p, &(struct shape){1, 1, 1, 10, 1, 1}, 5, "tiny");
    size_t n;
    uint8_t *bytes = slurp(path, &n);
    bytes[8] = TRACE_VERSION + 1;
    assert_null(trace_open_mem(bytes, n, "x.wt", &e));
    assert_non_null(strstr(e.msg, "reads up to"));
    assert_int_equal(e.offset, 8);
    bytes[8] = TRACE_VERSION;
    bytes[12] = 1;
    assert_null(trace_open_mem(bytes, n, "x.wt", &e));
    assert_int_equal(e.offset, 12);
    assert_null(trace_open_mem("#!/bin/sh\n", 10, "x.sh", &e));
    assert_non_null(strstr(e.msg, "not a weir recording"));
    assert_null(trace_open("/nonexistent/x.wt", &e));
    assert_null(trace_open("/", &e));
    free(bytes);
    program_free(&p);
    unlink(path);
    free(path);
}

static void full_disk_is_reported_and_devices_are_left_alone(void **state)
{
    (void)state;
    struct err e;
    assert_null(trace_writer_open("/dev/full", "x", NULL, &e));
    assert_non_null(strstr(e.msg, "No space left"));
    assert_int_equal(access("/dev/full", F_OK), 0);
    assert_null(trace_writer_open("/nonexistent/x.wt", "x", NULL, &e));
}

/* Code that a machine could not issue is refused when it is written and when it is read. */
static void impossible_code_is_refused(void **state)
{
    (void)state;
    struct gen_rng r = {1};
    struct gen_kernel g;
    gen_kernel_make(&g, &r, 12, 1);
    assert_null(table_check(&g.k));
#define LIE(member, value)                                                                                             \
    do {                                                                                                               \
        __typeof__(member) truth = member;                                                                             \
        member = (value);                                                                                              \
        assert_non_null(table_check(&g.k));                                                                            \
        member = truth;                                                                                                \
    } while (0)
    uint32_t plain = 0;
    while (g.inst[plain].mem_index != UINT32_MAX)
        plain++;
    LIE(g.op[0].pc, 1);                          /* of another region */
    LIE(g.op[0].cls, TRACE_CLASS_COUNT);         /* no class */
    LIE(g.op[0].regs_at, 3 * 12);                /* outside the list */
    LIE(g.op[0].copy, 1);                        /* of an iteration that is not there */
    LIE(g.op[4 * plain].flags, TRACE_OP_ACCESS); /* of an instruction that accesses nothing */
    LIE(g.op[0].flags, 0x80);                    /* no flag */
    g.op[4 * plain].flags = TRACE_OP_GUARDED;
    LIE(g.op[4 * plain].n_src, 0); /* by nothing */
    g.op[4 * plain].flags = 0;
    LIE(g.region[1].pc, 2);            /* a gap */
    LIE(g.region[11].n_pc, 2);         /* beyond the kernel */
    LIE(g.region[0].n_op, 4 * 12 + 1); /* beyond the operations */
    LIE(g.region[0].copies, 3);        /* not by halves */
    LIE(g.region[0].copies, TRACE_REGION_COPIES + 2);
    LIE(g.code.n_region, 11); /* one is missing */
    LIE(g.code.n_scoreboard, 1);
#undef LIE
    gen_kernel_free(&g);
}

/* What breaks the sink's contract is refused, and the partial file goes away. */
static void refused_recordings_leave_no_file(void **state)
{
    (void)state;
    char *path = temp_path();
    struct gen_rng r = {3};
    struct gen_kernel g;
    gen_kernel_make(&g, &r, 8, 0);
    const struct trace_launch good = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    struct trace_launch bad[3] = {good, good, good};
    bad[0].kernel = 1;
    bad[1].block[1] = 64;
    bad[2].grid[2] = 0;
    for (int i = 0; i < 3; i++) {
        struct err e;
        struct trace_writer *w = trace_writer_open(path, "x", NULL, &e);
        struct stream_sink *s = trace_writer_sink(w);
        assert_int_not_equal(s->launch_begin(s->ctx, &g.k, &bad[i], 0), 0);
        assert_int_not_equal(s->launch_end(s->ctx, 0), 0);
        assert_int_equal(trace_writer_close(w, &e), -1);
        assert_non_null(strstr(e.msg, "cannot be recorded"));
        assert_int_not_equal(access(path, F_OK), 0);
    }
    struct err e;
    struct trace_writer *w = trace_writer_open(path, "x", NULL, &e);
    trace_writer_abandon(w);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(trace_writer_close(NULL, &e), 0);
    gen_kernel_free(&g);
    free(path);
}

/* The origin comes back, is no part of what was executed, and may be missing. */
static void recordings_tell_where_they_come_from(void **state)
{
    (void)state;
    static const struct trace_origin origins[] = {{"0.1.0", "gtx480 machine.sms=4"}, {"0.2.0", "h200"}, {"", ""}};
    char *path = temp_path();
    uint32_t crc[3] = {0};
    size_t bytes[3];
    for (int i = 0; i < 3; i++) {
        struct program p;
        struct err e;
        struct trace_writer *w = trace_writer_open(path, "x", *origins[i].weir ? &origins[i] : NULL, &e);
        assert_non_null(w);
        assert_int_equal(record(&p, &(struct shape){1, 1, 2, 10, 1, 1}, 5, trace_writer_sink(w)), 0);
        assert_int_equal(trace_writer_close(w, &e), 0);
        struct trace_file *f = trace_open(path, &e);
        assert_non_null(f);
        assert_int_equal(trace_format(f), TRACE_VERSION);
        assert_string_equal(trace_get_origin(f).weir, origins[i].weir);
        assert_string_equal(trace_get_origin(f).machine, origins[i].machine);
        assert_int_equal(trace_each_part(f, add_crc, &crc[i], &e), 0);
        trace_close(f);
        free(slurp(path, &bytes[i]));
        program_free(&p);
    }
    assert_int_equal(crc[0], crc[1]);
    assert_int_equal(crc[0], crc[2]);
    assert_true(bytes[0] > bytes[2]);

    unlink(path);
    free(path);
}

/* Nor is the command line, even where its length decides how the journal is cut into frames. */
static void copies_of_a_program_are_equal(void **state)
{
    (void)state;
    static const char *const programs[] = {"/a/x", "/another/folder/of/a/longer/name/x", "/a/x"};
    char *path = temp_path();
    uint32_t crc[3] = {0};
    for (int i = 0; i < 3; i++) {
        struct program p;
        struct err e;
        struct trace_writer *w = trace_writer_open(path, programs[i], NULL, &e);
        assert_non_null(w);
        struct stream_sink *sink = trace_writer_sink(w);
        for (uint32_t k = 0; k < 100000; k++) /* of the third, the last is another */
            assert_int_equal(
                sink->event(sink->ctx, &(struct trace_event){.kind = TRACE_EV_MEMSET, .bytes = i == 2 && k == 99999}),
                0);
        assert_int_equal(record(&p, &(struct shape){1, 1, 2, 10, 1, 1}, 5, sink), 0);
        assert_int_equal(trace_writer_close(w, &e), 0);
        struct trace_file *f = trace_open(path, &e);
        assert_non_null(f);
        assert_string_equal(trace_program(f), programs[i]);
        assert_int_equal(trace_each_part(f, add_crc, &crc[i], &e), 0);
        trace_close(f);
        program_free(&p);
    }
    assert_int_equal(crc[0], crc[1]);
    assert_int_not_equal(crc[0], crc[2]);
    unlink(path);
    free(path);
}

/* Copies of sizes and at addresses that no memory has would keep a machine busy for ever. */
static void impossible_copies_are_refused(void **state)
{
    (void)state;
    const struct {
        uint64_t address, address2, bytes;
        bool possible;
    } c[] = {{0, 0, 1ull << 40, true},  {(1ull << 57) - 16, 0, 16, true},  {0, 0, (1ull << 40) + 1, false},
             {0, 0, UINT64_MAX, false}, {(1ull << 57) - 16, 0, 17, false}, {UINT64_MAX, 0, 1, false},
             {0, UINT64_MAX, 1, false}};
    char *path = temp_path();
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct program p;
        struct err e;
        struct trace_writer *w = trace_writer_open(path, "x", NULL, &e);
        struct stream_sink *sink = trace_writer_sink(w);
        const struct trace_event ev = {
            .kind = TRACE_EV_COPY_D2D, .address = c[i].address, .address2 = c[i].address2, .bytes = c[i].bytes};
        assert_int_equal(sink->event(sink->ctx, &ev), 0);
        assert_int_equal(record(&p, &(struct shape){1, 1, 2, 10, 1, 1}, 5, sink), 0);
        assert_int_equal(trace_writer_close(w, &e), 0);
        struct trace_file *f = trace_open(path, &e);
        assert_int_equal(f != NULL, c[i].possible);
        if (!f)
            assert_non_null(strstr(e.msg, "than any memory has"));
        trace_close(f);
        program_free(&p);
    }
    unlink(path);
    free(path);
}

/* A launch may overlap an earlier one that it waits for, and nothing else. */
static void only_launches_are_overlapped(void **state)
{
    (void)state;
    static const uint64_t both[] = {0, 1}, copy[] = {0};
    const struct {
        struct trace_event ev; /* after a copy and a launch */
        bool possible;
    } c[] = {{{.early = true, .primary = 1}, true},
             {{.early = true, .primary = 0}, false},
             {{.early = true, .primary = 1, .ordered = true, .n_after = 2, .after = both}, true},
             {{.early = true, .primary = 0, .ordered = true, .n_after = 2, .after = both}, false},
             {{.early = true, .primary = 1, .ordered = true, .n_after = 1, .after = copy}, false},
             {{.early = true, .primary = 1, .kind = TRACE_EV_MEMSET}, false}};
    char *path = temp_path();
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct program p;
        struct err e;
        struct trace_writer *w = trace_writer_open(path, "x", NULL, &e);
        struct stream_sink *sink = trace_writer_sink(w);
        assert_int_equal(record(&p, &(struct shape){1, 1, 2, 10, 1, 1}, 5, sink), 0);
        struct trace_event ev = c[i].ev;
        ev.index = ev.kind == TRACE_EV_LAUNCH;
        assert_int_equal(sink->event(sink->ctx, &ev), 0);
        if (ev.kind == TRACE_EV_LAUNCH) {
            struct gen_rng r = {i};
            p.launch[1] = p.launch[0];
            assert_int_equal(run_launch(&p, &r, 1, sink), 0);
        }
        assert_int_equal(trace_writer_close(w, &e), 0);
        struct trace_file *f = trace_open(path, &e);
        assert_int_equal(f != NULL, c[i].possible);
        if (!f)
            assert_non_null(strstr(e.msg, "a launch overlaps what it does not depend on"));
        else
            assert_true(trace_get_event(f, 2)->early && trace_get_event(f, 2)->primary == 1);
        trace_close(f);
        program_free(&p);
    }
    unlink(path);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_of_many_shapes_come_back),
        cmocka_unit_test(program_without_launches),
        cmocka_unit_test(launch_that_does_not_end_is_refused),
        cmocka_unit_test(every_truncation_is_reported),
        cmocka_unit_test(a_file_that_becomes_shorter_is_reported),
        cmocka_unit_test(every_flipped_byte_is_reported),
        cmocka_unit_test(newer_and_foreign_files_are_told_apart),
        cmocka_unit_test(full_disk_is_reported_and_devices_are_left_alone),
        cmocka_unit_test(refused_recordings_leave_no_file),
        cmocka_unit_test(impossible_code_is_refused),
        cmocka_unit_test(recordings_tell_where_they_come_from),
        cmocka_unit_test(copies_of_a_program_are_equal),
        cmocka_unit_test(impossible_copies_are_refused),
        cmocka_unit_test(only_launches_are_overlapped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
