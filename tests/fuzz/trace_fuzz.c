/*
 * Fuzzes the reader of recordings, and the machine and the analysis with what it accepts. The first byte chooses how
 * the rest is used:
 *   0  as a whole file
 *   1  as the contents of frames, each with its kind and a 4-byte length before it, which are put into a file with
 *      right checksums: what the checksums would otherwise keep the fuzzer from reaching
 *   2  as one warp's stream of a fixed kernel
 */
#include "trace_forge.h"

#include "gpu/replay.h"
#include "gpu/result.h"
#include "profile/analyze.h"
#include "trace/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* After so many cycles the replay stops; an analysis has no end but the recording's. */
enum { CYCLES_MAX = 20000, ANALYZED_MAX = 20000 };

static int stop_after(void *ctx, uint64_t cycle, uint64_t warp_insts)
{
    (void)ctx, (void)warp_insts;
    return cycle > CYCLES_MAX;
}

/* On a small machine, with a management that follows loops and loads. */
static void replay(struct trace_file *f)
{
    static const char *const set[] = {"machine.sms=2", "memory.channels=2", "machine.deadlock_cycles=5000",
                                      "sm.max_warps=32"};
    const struct gpu_opts o = {.machine = "gtx480",
                               .set = set,
                               .n_set = sizeof set / sizeof *set,
                               .with = "apcm",
                               .classify_loads = true,
                               .poll = stop_after};
    struct err e;
    err_clear(&e);
    struct gpu *g = gpu_new(&o, &e);
    if (!g) {
        err_print(&e, stderr);
        abort();
    }
    const enum gpu_end end = gpu_replay(g, f, &e);
    if (gpu_finish(g, end == GPU_DONE, &e)) { /* a conservation invariant: a recording cannot break the machine */
        err_print(&e, stderr);
        abort();
    }
    free(result_brief_json(g));
    gpu_free(g);
}

static void analyze(struct trace_file *f)
{
    struct analysis a;
    struct err e;
    uint64_t insts = 0;
    for (uint32_t l = 0; l < trace_n_launches(f); l++)
        insts += trace_launch_insts(f, l);
    const struct analyze_opts o = {.machine = "gtx480"};
    if (insts <= ANALYZED_MAX && !analyze_trace(f, &o, &a, &e))
        analysis_free(&a);
}

static void read_everything(const uint8_t *p, size_t n)
{
    struct err e;
    struct trace_file *f = trace_open_mem(p, n, "fuzz.wt", &e);
    if (!f)
        return;
    for (uint32_t l = 0; l < trace_n_launches(f); l++) {
        trace_launch_bytes(f, l);
        for (uint64_t cta = trace_next_cta(f, l, 0); cta != UINT64_MAX; cta = trace_next_cta(f, l, cta + 1))
            trace_walk_cta(f, l, cta, NULL, NULL, &e);
    }
    replay(f);
    analyze(f);
    trace_close(f);
}

static void build_and_read(const uint8_t *p, size_t n)
{
    struct byte_reader r = {p, p + n, false};
    struct forge f = {0};
    byte_vec file = {0};
    while (reader_left(&r) && f.frame.n < 1000) {
        const enum frame_kind kind = (enum frame_kind)(get_le(&r, 1) % FRAME_INDEX);
        size_t len = (size_t)get_le(&r, 4);
        len = len > reader_left(&r) ? reader_left(&r) : len;
        forge_add(&f, kind, r.p, len);
        get_bytes(&r, len);
    }
    forge_write(&f, &file);
    read_everything(file.p, file.n);
    forge_free(&f);
    VEC_FREE(&file);
}

static void decode(const uint8_t *p, size_t n)
{
    static const struct trace_inst inst[] = {
        {.cls = TRACE_LOAD, .space = TRACE_SP_GLOBAL, .width = 4, .mem_index = 0},
        {.cls = TRACE_INT_ADD, .mem_index = UINT32_MAX},
        {.cls = TRACE_LOAD, .space = TRACE_SP_GENERIC, .width = 8, .mem_index = 1},
        {.cls = TRACE_STORE, .space = TRACE_SP_SHARED, .width = 16, .mem_index = 9},
        {.cls = TRACE_TEX, .space = TRACE_SP_TEX, .width = 16, .mem_index = 64},
        {.cls = TRACE_EXIT, .mem_index = UINT32_MAX},
    };
    static const struct trace_kernel k = {.name = "k", .n_inst = 6, .n_mem = 65, .inst = inst, .str = "", .n_str = 1};
    struct stream_dec *dec = xmalloc(stream_dec_bytes());
    struct stream_step step;
    struct stream_mem mem;
    uint64_t sum = 0;
    stream_dec_begin(dec, &k);
    stream_dec_feed(dec, p, n);
    while (stream_dec_next(dec, &step, &mem) == 1) {
        if (step.pc >= k.n_inst || (mem.mask & ~step.mask))
            abort();
        for (uint32_t left = mem.mask; left; left &= left - 1)
            sum += mem.addr[__builtin_ctz(left)];
    }
    volatile uint64_t keep = sum;
    (void)keep;
    free(dec);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (!n)
        return 0;
    switch (data[0] % 3) {
    case 0:
        read_everything(data + 1, n - 1);
        break;
    case 1:
        build_and_read(data + 1, n - 1);
        break;
    default:
        decode(data + 1, n - 1);
    }
    return 0;
}
