/* trace/: what the encoder of a warp's stream wrote, the decoder gives back; and the bytes it costs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "trace_gen.h"

struct bytes {
    uint8_t *p;
    size_t n, cap;
};

static void expect_steps(const struct trace_kernel *k, const struct bytes *b, const gen_steps *steps)
{
    struct stream_dec *dec = xmalloc(stream_dec_bytes());
    struct stream_step step;
    struct stream_mem mem;
    stream_dec_begin(dec, k);
    stream_dec_feed(dec, b->p, b->n);
    for (size_t i = 0; i < steps->n; i++) {
        assert_int_equal(stream_dec_next(dec, &step, &mem), 1);
        const char *differs = gen_compare(&steps->p[i], &step, &mem);
        if (differs)
            fail_msg("step %zu: %s differs", i, differs);
    }
    assert_int_equal(stream_dec_next(dec, &step, &mem), 0);
    free(dec);
}

static void random_walks_come_back(void **state)
{
    (void)state;
    struct gen_rng r = {88172645463325252ull};
    struct stream_enc *enc = stream_enc_new();
    for (unsigned round = 0; round < 300; round++) {
        struct gen_kernel g;
        gen_kernel_make(&g, &r, 1 + gen_below(&r, round % 3 ? 60 : 600), round);
        gen_steps steps = {0};
        gen_warp(&r, &g.k, enc, 1 + gen_below(&r, 3000), &steps);
        struct bytes b = {0};
        size_t announced = stream_enc_bytes(enc);
        stream_enc_take(enc, &b.p, &b.n, &b.cap);
        assert_int_equal(announced, b.n);
        expect_steps(&g.k, &b, &steps);
        VEC_FREE(&steps);
        free(b.p);
        gen_kernel_free(&g);
    }
    stream_enc_free(enc);
}

/* Cutting a stream between runs must not disturb predictions on either side. */
static void pieces_continue_each_other(void **state)
{
    (void)state;
    struct gen_rng r = {7};
    struct gen_kernel g;
    gen_kernel_make(&g, &r, 50, 0);
    struct stream_enc *enc = stream_enc_new();
    stream_enc_begin(enc, &g.k);
    gen_steps steps = {0};
    struct bytes piece[40] = {{0}};
    for (unsigned i = 0; i < 40; i++) {
        for (unsigned j = 0; j < 5; j++) {
            uint32_t pc = gen_below(&r, 50), n = 1 + gen_below(&r, 50 - pc);
            for (uint32_t at = pc; at < pc + n; at++) {
                struct gen_step s = {.pc = at, .mask = UINT32_MAX};
                if (trace_has_addresses(&g.k.inst[at])) {
                    s.space = TRACE_SP_GLOBAL;
                    s.mem_mask = UINT32_MAX;
                    gen_addresses(&r, s.addr, g.k.inst[at].mem_index, i);
                    stream_enc_mem(enc, at, s.space, s.mem_mask, s.addr);
                }
                VEC_PUSH(&steps, s);
            }
            stream_enc_run(enc, pc, n, UINT32_MAX);
        }
        if (i % 7 != 3) /* some pieces are empty, their runs come with the next */
            stream_enc_take(enc, &piece[i].p, &piece[i].n, &piece[i].cap);
    }
    struct stream_dec *dec = xmalloc(stream_dec_bytes());
    struct stream_step step;
    struct stream_mem mem;
    stream_dec_begin(dec, &g.k);
    size_t at = 0;
    for (unsigned i = 0; i < 40; i++) {
        stream_dec_feed(dec, piece[i].p, piece[i].n);
        int rc;
        while ((rc = stream_dec_next(dec, &step, &mem)) == 1) {
            assert_true(at < steps.n);
            assert_null(gen_compare(&steps.p[at++], &step, &mem));
        }
        assert_int_equal(rc, 0);
        free(piece[i].p);
    }
    assert_int_equal(at, steps.n);
    free(dec);
    VEC_FREE(&steps);
    stream_enc_free(enc);
    gen_kernel_free(&g);
}

/* A kernel of n instructions whose pcs in `mem_pc` are 4-byte loads of `space`. */
static void small_kernel(struct trace_kernel *k, struct trace_inst *inst, uint32_t n, const uint32_t *mem_pc,
                         uint32_t n_mem, uint8_t space)
{
    memset(inst, 0, n * sizeof *inst);
    for (uint32_t i = 0; i < n; i++) {
        inst[i].cls = TRACE_INT_ADD;
        inst[i].mem_index = UINT32_MAX;
    }
    for (uint32_t i = 0; i < n_mem; i++)
        inst[mem_pc[i]] = (struct trace_inst){.cls = TRACE_LOAD, .space = space, .width = 4, .mem_index = i};
    *k = (struct trace_kernel){.name = "k", .n_inst = n, .n_mem = n_mem, .inst = inst, .str = "", .n_str = 1};
}

typedef uint64_t address_fn(unsigned site, unsigned iteration, unsigned lane);

/* Bytes per iteration, once warmed up, of a loop whose body has two loads. */
static size_t loop_bytes(address_fn *address, uint32_t mask, unsigned iterations)
{
    struct trace_inst inst[8];
    struct trace_kernel k;
    small_kernel(&k, inst, 8, (const uint32_t[]){1, 3}, 2, TRACE_SP_GLOBAL);
    struct stream_enc *enc = stream_enc_new();
    stream_enc_begin(enc, &k);
    gen_steps steps = {0};
    size_t warm = 0;
    for (unsigned it = 0; it < iterations; it++) {
        for (uint32_t pc = 0; pc < 8; pc++) {
            struct gen_step s = {.pc = pc, .mask = mask};
            if (trace_has_addresses(&inst[pc])) {
                s.space = TRACE_SP_GLOBAL;
                s.mem_mask = mask;
                for (unsigned lane = 0; lane < TRACE_WARP_SIZE; lane++)
                    s.addr[lane] = address(inst[pc].mem_index, it, lane);
                stream_enc_mem(enc, pc, s.space, mask, s.addr);
            }
            VEC_PUSH(&steps, s);
        }
        stream_enc_run(enc, 0, 8, mask);
        if (it == iterations / 2)
            warm = stream_enc_bytes(enc);
    }
    struct bytes b = {0};
    stream_enc_take(enc, &b.p, &b.n, &b.cap);
    expect_steps(&k, &b, &steps);
    size_t late = b.n - warm;
    free(b.p);
    VEC_FREE(&steps);
    stream_enc_free(enc);
    return late;
}

static uint64_t coalesced(unsigned site, unsigned it, unsigned lane)
{
    return 0x1000 + site * 0x100000ull + it * 128 + lane * 4;
}
static uint64_t tile(unsigned site, unsigned it, unsigned lane)
{
    return 0x1000 + site * 0x100000ull + it * 64 + (lane & 15) * 4 + (lane >> 4) * 4096;
}
static uint64_t own_rows(unsigned site, unsigned it, unsigned lane) /* each lane walks a list of its own */
{
    return 0x1000 + site * 0x100000ull + it * 4 + (lane * 2654435761u >> 14) * 4;
}
static uint64_t same_index_two_arrays(unsigned site, unsigned it, unsigned lane)
{
    return 0x1000 + site * 0x4000000ull + ((lane + 32 * it) * 2654435761u >> 12) * 4;
}
static uint64_t row_ends(unsigned site, unsigned it, unsigned lane) /* rows of 10 iterations, then a jump */
{
    return 0x1000 + site * 0x100000ull + it / 10 * 8192 + it % 10 * 128 + lane * 4;
}

static void foreseen_loops_cost_three_bytes(void **state)
{
    (void)state;
    /* 49 iterations after the warm-up; run head and two records are one byte each. */
    assert_int_equal(loop_bytes(coalesced, UINT32_MAX, 99), 49 * 3);
    assert_int_equal(loop_bytes(coalesced, 0x00ffff01, 99), 49 * 3);
    assert_int_equal(loop_bytes(coalesced, 1u << 31, 99), 49 * 3);
    assert_int_equal(loop_bytes(tile, UINT32_MAX, 99), 49 * 3);
    assert_int_equal(loop_bytes(tile, 0xfff0fff0, 99), 49 * 3);
    assert_int_equal(loop_bytes(own_rows, UINT32_MAX, 99), 49 * 3);
    assert_int_equal(loop_bytes(row_ends, UINT32_MAX, 99), 49 * 3);
}

static void second_array_of_a_gather_is_nearly_free(void **state)
{
    (void)state;
    /* Per iteration: the first gather (20-bit offsets from the lowest: 80 bytes and a few), then 1 byte, run head 1. */
    size_t n = loop_bytes(same_index_two_arrays, UINT32_MAX, 99);
    assert_in_range(n, 49 * 80, 49 * 88);
}

static void mask_zero_needs_no_record(void **state)
{
    (void)state;
    struct trace_inst inst[4];
    struct trace_kernel k;
    small_kernel(&k, inst, 4, (const uint32_t[]){0, 1, 2}, 3, TRACE_SP_SHARED);
    struct stream_enc *enc = stream_enc_new();
    stream_enc_begin(enc, &k);
    stream_enc_run(enc, 0, 4, 0);
    struct bytes b = {0};
    stream_enc_take(enc, &b.p, &b.n, &b.cap);
    gen_steps steps = {0};
    for (uint32_t pc = 0; pc < 4; pc++)
        VEC_PUSH(&steps, (struct gen_step){.pc = pc});
    expect_steps(&k, &b, &steps);
    VEC_FREE(&steps);
    free(b.p);
    stream_enc_free(enc);
}

/* Addresses and strides at the edges of 64 bits survive. */
static void extreme_addresses(void **state)
{
    (void)state;
    static const uint64_t edge[] = {0, 1, UINT64_MAX, 1ull << 63, (1ull << 63) - 1, 0x200000000000ull, 1ull << 32};
    enum { N = sizeof edge / sizeof *edge };
    struct trace_inst inst[1];
    struct trace_kernel k;
    small_kernel(&k, inst, 1, (const uint32_t[]){0}, 1, TRACE_SP_GLOBAL);
    struct stream_enc *enc = stream_enc_new();
    stream_enc_begin(enc, &k);
    gen_steps steps = {0};
    for (unsigned a = 0; a < N; a++)
        for (unsigned b = 0; b < N; b++)
            for (unsigned c = 0; c < N; c++) {
                struct gen_step s = {.mask = 0x80010009, .mem_mask = 0x80010009, .space = TRACE_SP_GLOBAL};
                s.addr[0] = edge[a];
                s.addr[3] = edge[b];
                s.addr[16] = edge[c];
                s.addr[31] = edge[(a + c) % N] + 5;
                stream_enc_mem(enc, 0, s.space, s.mem_mask, s.addr);
                stream_enc_run(enc, 0, 1, s.mask);
                VEC_PUSH(&steps, s);
            }
    struct bytes b = {0};
    stream_enc_take(enc, &b.p, &b.n, &b.cap);
    expect_steps(&k, &b, &steps);
    VEC_FREE(&steps);
    free(b.p);
    stream_enc_free(enc);
}

/* Any bytes: the decoder ends, and every step it gives lies inside the kernel. */
static void damaged_bytes_never_leave_the_kernel(void **state)
{
    (void)state;
    struct gen_rng r = {99};
    struct stream_enc *enc = stream_enc_new();
    struct stream_dec *dec = xmalloc(stream_dec_bytes());
    unsigned rejected = 0;
    for (unsigned round = 0; round < 1500; round++) {
        struct gen_kernel g;
        gen_kernel_make(&g, &r, 1 + gen_below(&r, 40), round);
        gen_steps steps = {0};
        gen_warp(&r, &g.k, enc, 200, &steps);
        struct bytes b = {0};
        stream_enc_take(enc, &b.p, &b.n, &b.cap);
        for (unsigned i = 0; i < 1 + round % 5; i++)
            b.p[gen_below(&r, (uint32_t)b.n)] = (uint8_t)gen_u64(&r);
        size_t n = round % 4 ? b.n : gen_below(&r, (uint32_t)b.n);
        uint8_t *exact = xmalloc(n ? n : 1); /* so that a sanitizer sees a read past the end */
        memcpy(exact, b.p, n);
        struct stream_step step;
        struct stream_mem mem;
        stream_dec_begin(dec, &g.k);
        stream_dec_feed(dec, exact, n);
        int rc;
        while ((rc = stream_dec_next(dec, &step, &mem)) == 1) {
            assert_true(step.pc < g.k.n_inst);
            assert_int_equal(mem.mask & ~step.mask, 0);
            assert_true(!mem.mask || (mem.space != TRACE_SP_NONE && mem.space < TRACE_SP_GENERIC));
        }
        if (rc < 0) {
            rejected++;
            assert_int_equal(stream_dec_next(dec, &step, &mem), -1);
        }
        free(exact);
        free(b.p);
        VEC_FREE(&steps);
        gen_kernel_free(&g);
    }
    assert_true(rejected > 500);
    free(dec);
    stream_enc_free(enc);
}

/* Decodes one bulk copy of these numbers: 1, or -1 when it is refused. */
static int copy_of(const uint64_t *number, unsigned n)
{
    static const struct trace_inst inst[] = {{.cls = TRACE_ASYNC, .space = TRACE_SP_ASYNC, .mem_index = 0}};
    static const struct trace_kernel k = {.name = "k", .n_inst = 1, .n_mem = 1, .inst = inst, .str = "", .n_str = 1};
    struct stream_enc *enc = stream_enc_new();
    struct stream_dec *dec = xmalloc(stream_dec_bytes());
    struct stream_step step;
    struct stream_mem mem;
    struct bytes b = {0};
    uint64_t addr[TRACE_WARP_SIZE] = {0};
    memcpy(addr, number, n * sizeof *addr);
    stream_enc_begin(enc, &k);
    stream_enc_mem(enc, 0, TRACE_SP_ASYNC, (1u << n) - 1, addr);
    stream_enc_run(enc, 0, 1, 1);
    stream_enc_take(enc, &b.p, &b.n, &b.cap);
    stream_dec_begin(dec, &k);
    stream_dec_feed(dec, b.p, b.n);
    const int rc = stream_dec_next(dec, &step, &mem);
    stream_enc_free(enc);
    free(dec);
    free(b.p);
    return rc;
}

/* A record of a few bytes must not be a copy of 2^128 rows. */
static void copies_have_the_size_of_copies(void **state)
{
    (void)state;
    uint64_t n[STREAM_COPY_WORDS] = {STREAM_COPY_LOAD, 0, 1, 4096, 16, 256, 128, 256, 65536, 8, 1 << 20};
    const unsigned words = STREAM_COPY_BOX + 6;
    assert_int_equal(copy_of(n, words), 1); /* 2^19 rows */
    n[STREAM_COPY_BOX + 4]++;
    assert_int_equal(copy_of(n, words), -1);
    for (unsigned d = 0; d < STREAM_COPY_DIMS; d++) {
        uint64_t large[STREAM_COPY_WORDS] = {STREAM_COPY_STORE, 0, 0, 4096, 1};
        for (unsigned k = d; k < STREAM_COPY_DIMS; k++) {
            large[STREAM_COPY_BOX + 2 * k] = 1ull << 32;
            assert_int_equal(copy_of(large, STREAM_COPY_WORDS), -1);
            large[STREAM_COPY_BOX + 2 * k] = UINT64_MAX;
            assert_int_equal(copy_of(large, STREAM_COPY_WORDS), -1);
        }
    }
    const uint64_t row[] = {STREAM_COPY_PREFETCH, 0, 0, 4096, STREAM_COPY_BYTES_MOST};
    assert_int_equal(copy_of(row, STREAM_COPY_BOX), 1);
    for (unsigned shift = 27; shift < 64; shift++) {
        const uint64_t longer[] = {STREAM_COPY_PREFETCH, 0, 0, 4096, 1ull << shift};
        assert_int_equal(copy_of(longer, STREAM_COPY_BOX), -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_walks_come_back),
        cmocka_unit_test(pieces_continue_each_other),
        cmocka_unit_test(foreseen_loops_cost_three_bytes),
        cmocka_unit_test(second_array_of_a_gather_is_nearly_free),
        cmocka_unit_test(mask_zero_needs_no_record),
        cmocka_unit_test(extreme_addresses),
        cmocka_unit_test(damaged_bytes_never_leave_the_kernel),
        cmocka_unit_test(copies_have_the_size_of_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
