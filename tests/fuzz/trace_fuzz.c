/*
 * Fuzzes the reader of recordings. The first byte chooses how the rest is used:
 *   0  as a whole file
 *   1  as the contents of a kernel frame, a journal frame and a block (each with a 2-byte length before it), which are
 *      put into a file with right checksums: what the checksums would otherwise keep the fuzzer from reaching
 *   2  as one warp's stream of a fixed kernel
 */
#include "base/mem.h"
#include "trace/file.h"
#include "trace/frame.h"

#include <zstd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

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
    trace_close(f);
}

static void build_and_read(const uint8_t *p, size_t n)
{
    static const enum frame_kind kind[] = {FRAME_KERNEL, FRAME_BLOCK, FRAME_JOURNAL};
    struct byte_reader r = {p, p + n, false};
    byte_vec file = {0}, index = {0};
    ZSTD_CCtx *z = ZSTD_createCCtx();
    put_bytes(&file, file_magic, sizeof file_magic);
    put_le(&file, TRACE_VERSION, 4);
    put_le(&file, 0, 4);
    put_var(&index, 3);
    for (int i = 0; i < 3; i++) {
        size_t len = i < 2 ? (size_t)get_le(&r, 2) : reader_left(&r), at = file.n;
        len = len > reader_left(&r) ? reader_left(&r) : len;
        const uint8_t *raw = get_bytes(&r, len);
        frame_pack(z, &file, kind[i], raw ? raw : p, raw ? len : 0, NULL);
        put_le(&index, kind[i], 1);
        put_var(&index, file.n - at);
        put_var(&index, raw ? len : 0);
    }
    /* The totals are as the corpus has them; a mutation elsewhere then meets the comparison with them last. */
    put_var(&index, 1);
    put_var(&index, 1);
    put_var(&index, 1);
    put_var(&index, 2);
    put_var(&index, 64);
    uint64_t at = file.n;
    uint32_t raw = (uint32_t)index.n;
    frame_pack(z, &file, FRAME_INDEX, index.p, index.n, NULL);
    size_t footer = file.n;
    put_le(&file, at, 8);
    put_le(&file, footer + FOOTER_BYTES, 8);
    put_le(&file, raw, 4);
    put_le(&file, crc32_of(0, file.p + footer, 20), 4);
    put_bytes(&file, footer_magic, sizeof footer_magic);
    read_everything(file.p, file.n);
    ZSTD_freeCCtx(z);
    VEC_FREE(&file);
    VEC_FREE(&index);
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
