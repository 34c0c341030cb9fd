/* import/: SASS by name, the text of Accel-Sim's traces, static tables and streams made of it, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/mem.h"
#include "import/import.h"
#include "import/sass.h"
#include "trace/table.h"

#include <inttypes.h>
#include <lzma.h>
#include <unistd.h>

/* ---- a sink that writes what it gets as text ---- */
struct told {
    char text[1 << 16];
    size_t n;
    const struct trace_kernel *k; /* while the import runs */
    unsigned chunks, loops, first_line, first_class;
};

__attribute__((format(printf, 2, 3))) static void tell(struct told *t, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    t->n += (size_t)vsnprintf(t->text + t->n, sizeof t->text - t->n, fmt, args);
    va_end(args);
    assert_true(t->n < sizeof t->text);
}

static int on_event(void *ctx, const struct trace_event *e)
{
    (void)ctx;
    (void)e;
    return 0;
}
static int on_begin(void *ctx, const struct trace_kernel *k, const struct trace_launch *l, uint32_t index)
{
    struct told *t = ctx;
    (void)index;
    (void)l;
    assert_null(table_check(k));
    t->k = k;
    t->loops = k->n_loop;
    t->first_line = k->n_inst ? k->inst[0].src_line : 0;
    t->first_class = k->n_inst ? k->inst[0].cls : 0;
    for (uint32_t i = 0; i < k->n_inst; i++) {
        const struct trace_inst *s = &k->inst[i];
        tell(t, "%u %s loop %u%s:", i, k->str + s->opcode_at, s->loop,
             s->mem_flags & TRACE_MEM_ADDR_FROM_LOAD ? " indirect" : "");
        for (unsigned r = 0; r < (unsigned)s->n_dst + s->n_src; r++)
            tell(t, "%s %u", r == s->n_dst ? " <-" : "", k->reg[s->regs_at + r]);
        tell(t, "\n");
    }
    return 0;
}
static int on_chunk(void *ctx, uint32_t index, const struct stream_chunk *c)
{
    struct told *t = ctx;
    struct stream_dec *d = xcalloc(1, stream_dec_bytes());
    uint64_t insts = 0;
    (void)index;
    t->chunks++;
    for (uint32_t w = 0; w < c->n_warp; w++) {
        uint32_t from = w ? c->end[w - 1] : 0;
        struct stream_step s;
        struct stream_mem m;
        stream_dec_begin(d, t->k);
        stream_dec_feed(d, c->bytes + from, c->end[w] - from);
        while (c->seq == 0 && stream_dec_next(d, &s, &m) == 1) {
            insts++;
            if (!m.mask)
                continue;
            tell(t, "cta %" PRIu64 " warp %u: %u space %u lanes %08x", c->cta, w, s.pc, m.space, m.mask);
            for (uint32_t left = m.mask; left; left &= left - 1)
                tell(t, " %" PRIx64, m.addr[__builtin_ctz(left)]);
            tell(t, "\n");
        }
    }
    if (c->seq == 0)
        assert_int_equal(insts, c->n_inst);
    free(d);
    return 0;
}
static int on_end(void *ctx, uint32_t index)
{
    (void)ctx;
    (void)index;
    return 0;
}

static struct told told;
static int import(const char *text, struct err *e)
{
    struct stream_sink sink = {&told, on_event, on_begin, on_chunk, on_end};
    memset(&told, 0, sizeof told);
    err_clear(e);
    return import_mem(text, strlen(text), "k.traceg", &sink, e);
}

#define HEAD       "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (64,1,1)\n-shmem = 0\n-nregs = 8\n"
#define CTA        "#BEGIN_TB\nthread block = 0,0,0\n"
#define LINE(text) HEAD CTA "warp = 0\ninsts = 1\n" text "\n#END_TB\n"
#define BASES      "-shmem base_addr = 0x7f0000000000\n-local mem base_addr = 0x7f1000000000\n"

static void becomes(const char *text, const char *want)
{
    struct err e;
    if (import(text, &e))
        fail_msg("%d: %s", e.line, e.msg);
    assert_string_equal(told.text, want);
}

static void refused(const char *text, int line, const char *why)
{
    struct err e;
    assert_int_equal(import(text, &e), -1);
    if (e.line != line || !strstr(e.msg, why))
        fail_msg("line %d: '%s', not line %d: '%s'", e.line, e.msg, line, why);
    assert_string_equal(e.file, "k.traceg");
}

/* ---- SASS ---- */
static void opcodes_are_found_by_their_first_part(void **state)
{
    (void)state;
    assert_string_equal(sass_find("LDG.E.128.CONSTANT.SYS")->name, "LDG");
    assert_string_equal(sass_find("LDGSTS.E")->name, "LDGSTS");
    assert_string_equal(sass_find("ATOM")->name, "ATOM");
    assert_string_equal(sass_find("YIELD")->name, "YIELD");
    assert_null(sass_find("LDX.E"));
    assert_null(sass_find("LDGS"));
    assert_null(sass_find(""));
    assert_int_equal(sass_class(sass_find("IMAD.MOV.U32"), "IMAD.MOV.U32"), TRACE_MOVE);
    assert_int_equal(sass_class(sass_find("IMAD.WIDE"), "IMAD.WIDE"), TRACE_INT_MAD);
}

static void names_tell_width_and_flags(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        unsigned width, flags;
    } row[] = {
        {"LDG.E", 4, 0},
        {"LDG.E.U8.SYS", 1, 0},
        {"LDG.E.S16", 2, 0},
        {"LDG.E.64.CONSTANT", 8, TRACE_MEM_NC},
        {"LDG.E.LTC128B.128", 16, 0},
        {"LDG.E.STRONG.GPU", 4, TRACE_MEM_VOLATILE},
        {"LDG.E.STRONG.SM", 4, 0},
        {"STG.E.EF.64", 8, TRACE_MEM_CS},
        {"ATOMG.E.ADD.F64.RN.STRONG.GPU", 8, 0},
        {"LDGSTS.E.BYPASS.LTC128B.128", 16, TRACE_MEM_CG | TRACE_MEM_ASYNC},
        {"LDSM.16.M88.4", 16, 0},
        {"LDS.U.128", 16, 0},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const struct sass_op *o = sass_find(row[i].name);
        assert_non_null(o);
        assert_int_equal(sass_width(o, row[i].name), row[i].width);
        assert_int_equal(sass_mem_flags(o, row[i].name), row[i].flags);
    }
}

static void vectors_have_all_their_registers(void **state)
{
    (void)state;
    becomes(HEAD CTA
            "warp = 0\ninsts = 6\n"
            "0000 ffffffff 1 R4 LDG.E.128 1 R2 16 1 0x1000 16\n"
            "0010 ffffffff 1 R8 DFMA 3 R8 R10 R255 0\n"
            "0020 ffffffff 0 STG.E.64 2 R2 R4 8 1 0x1000 8\n"
            "0030 ffffffff 1 R12 HMMA.16816.F32 3 R20 R24 R12 0\n"
            "0040 ffffffff 1 UR4 ULDC.64 0 0\n"
            "0050 ffffffff 0 EXIT 0 0\n#END_TB\n",
            "0 LDG.E.128 loop 0: 4 5 6 7 <- 2 3\n"
            "1 DFMA loop 0: 8 9 <- 8 9 10 11\n"
            "2 STG.E.64 loop 0: <- 2 3 4 5\n"
            "3 HMMA.16816.F32 loop 0: 12 13 14 15 <- 20 21 22 23 24 25 12 13 14 15\n"
            "4 ULDC.64 loop 0: 260 261\n"
            "5 EXIT loop 0:\n"
            "cta 0 warp 0: 0 space 1 lanes ffffffff 1000 1010 1020 1030 1040 1050 1060 1070 1080 1090 10a0 10b0 10c0 "
            "10d0 10e0 "
            "10f0 1100 1110 1120 1130 1140 1150 1160 1170 1180 1190 11a0 11b0 11c0 11d0 11e0 11f0\n"
            "cta 0 warp 0: 2 space 1 lanes ffffffff 1000 1008 1010 1018 1020 1028 1030 1038 1040 1048 1050 1058 1060 "
            "1068 1070 "
            "1078 1080 1088 1090 1098 10a0 10a8 10b0 10b8 10c0 10c8 10d0 10d8 10e0 10e8 10f0 10f8\n");
}

/* ---- addresses ---- */
static void addresses_have_three_forms(void **state)
{
    (void)state;
    becomes(HEAD CTA
            "warp = 1\ninsts = 4\n"
            "0000 0000000e 1 R4 LDG 1 R2 4 1 0x100 -4\n"
            "0010 00000015 1 R4 LDG 1 R2 4 0 0x0000000000000200 0x300 0x400\n"
            "0020 00000015 1 R4 LDG 1 R2 4 2 0x200 -16 64\n"
            "0030 00000000 1 R4 LDG 1 R2 4 1 0x0 0\n#END_TB\n",
            "0 LDG loop 0: 4 <- 2\n1 LDG loop 0: 4 <- 2\n2 LDG loop 0: 4 <- 2\n3 LDG loop 0: 4 <- 2\n"
            "cta 0 warp 1: 0 space 1 lanes 0000000e 100 fc f8\n"
            "cta 0 warp 1: 1 space 1 lanes 00000015 200 300 400\n"
            "cta 0 warp 1: 2 space 1 lanes 00000015 200 1f0 230\n");
}

static void generic_addresses_are_resolved(void **state)
{
    (void)state;
    becomes(HEAD BASES CTA
            "warp = 0\ninsts = 5\n"
            "0000 00000003 1 R4 LD.E 1 R255 4 0 0x7f0000000010 0x7f0000000020\n"
            "0010 00000003 1 R4 LD.E 1 R255 4 0 0x7f1000fffc40 0x7f1000fffc40\n"
            "0020 00000003 1 R4 LD.E 1 R255 4 0 0x5000 0x7f0000000020\n"
            "0030 00000001 1 R4 LDL 1 R255 4 0 0xfffc48\n"
            "0040 00000001 1 R4 LDS 1 R255 4 0 0x24\n#END_TB\n",
            "0 LD.E loop 0: 4\n1 LD.E loop 0: 4\n2 LD.E loop 0: 4\n3 LDL loop 0: 4\n4 LDS loop 0: 4\n"
            "cta 0 warp 0: 0 space 2 lanes 00000003 10 20\n"
            "cta 0 warp 0: 1 space 3 lanes 00000003 0 0\n"
            "cta 0 warp 0: 2 space 1 lanes 00000001 5000\n"
            "cta 0 warp 0: 3 space 3 lanes 00000001 8\n"
            "cta 0 warp 0: 4 space 2 lanes 00000001 24\n");
}

/* ---- what executions tell of the code ---- */
static void loops_follow_from_jumps_of_lanes(void **state)
{
    (void)state;
    /* Lane 0 goes round twice. Lane 1 leaves the loop and jumps forward; that lane 0 goes on behind it is no jump back.
     */
    becomes(HEAD CTA
            "warp = 0\ninsts = 9\n"
            "0000 00000003 0 NOP 0 0\n"
            "0010 00000003 0 IADD3 0 0\n"
            "0020 00000001 0 BRA 0 0\n"
            "0030 00000002 0 FADD 0 0\n"
            "0040 00000002 0 BRA 0 0\n"
            "0010 00000001 0 IADD3 0 0\n"
            "0020 00000000 0 BRA 0 0\n"
            "0030 00000001 0 FADD 0 0\n"
            "0060 00000003 0 EXIT 0 0\n#END_TB\n",
            "0 NOP loop 0:\n1 IADD3 loop 1:\n2 BRA loop 1:\n3 FADD loop 0:\n4 BRA loop 0:\n5 NOP loop 0:\n6 EXIT loop "
            "0:\n");
}

static void nested_loops_are_a_tree(void **state)
{
    (void)state;
    becomes(HEAD CTA
            "warp = 0\ninsts = 10\n"
            "0000 00000001 0 NOP 0 0\n"
            "0010 00000001 0 IADD3 0 0\n"
            "0020 00000001 0 BRA 0 0\n"
            "0010 00000001 0 IADD3 0 0\n"
            "0020 00000000 0 BRA 0 0\n"
            "0030 00000001 0 BRA 0 0\n"
            "0000 00000001 0 NOP 0 0\n"
            "0010 00000001 0 IADD3 0 0\n"
            "0020 00000000 0 BRA 0 0\n"
            "0030 00000000 0 BRA 0 0\n#END_TB\n",
            "0 NOP loop 1:\n1 IADD3 loop 2:\n2 BRA loop 2:\n3 BRA loop 1:\n");
    assert_int_equal(told.loops, 2);
}

static void depbar_waits_for_copies_alone(void **state)
{
    (void)state;
    becomes(LINE("0000 ffffffff 0 DEPBAR.LE 0 0"), "0 DEPBAR.LE loop 0:\n");
    assert_int_equal(told.first_class, TRACE_NOP);
    becomes(
        HEAD CTA
        "warp = 0\ninsts = 3\n0000 ffffffff 0 DEPBAR.LE 0 0\n0010 00000001 0 LDGSTS.E.BYPASS.128 2 R4 R2 16 0 0x100\n"
        "0020 ffffffff 0 LDGDEPBAR 0 0\n#END_TB\n",
        "0 DEPBAR.LE loop 0:\n1 LDGSTS.E.BYPASS.128 loop 0: <- 4 2 3\n2 LDGDEPBAR loop 0:\n"
        "cta 0 warp 0: 1 space 1 lanes 00000001 100\n");
    assert_int_equal(told.first_class, TRACE_FENCE);
}

static void addresses_from_loads_are_marked(void **state)
{
    (void)state;
    becomes(HEAD CTA
            "warp = 0\ninsts = 6\n"
            "0000 00000001 1 R4 LDG 1 R2 4 0 0x100\n"
            "0010 00000001 1 R6 IMAD 2 R4 R7 0\n"
            "0020 00000001 1 R5 LDG 1 R6 4 0 0x200\n"
            "0030 00000001 0 STG 2 R2 R5 4 0 0x300\n" /* data, not an address */
            "0040 00000001 1 R6 MOV 0 0\n"
            "0050 00000001 1 R5 LDG 1 R6 4 0 0x200\n#END_TB\n",
            "0 LDG loop 0: 4 <- 2\n1 IMAD loop 0: 6 <- 4 7\n2 LDG loop 0 indirect: 5 <- 6\n3 STG loop 0: <- 2 5\n"
            "4 MOV loop 0: 6\n5 LDG loop 0: 5 <- 6\n"
            "cta 0 warp 0: 0 space 1 lanes 00000001 100\n"
            "cta 0 warp 0: 2 space 1 lanes 00000001 200\n"
            "cta 0 warp 0: 3 space 1 lanes 00000001 300\n"
            "cta 0 warp 0: 5 space 1 lanes 00000001 200\n");
}

static void earlier_and_later_tracers_are_read(void **state)
{
    (void)state;
    becomes(HEAD "-accelsim tracer version = 2\n" CTA
                 "warp = 0\ninsts = 1\n0 0 0 0 0000 00000001 1 R4 LDG 1 R2 4 0 0x100\n#END_TB\n",
            "0 LDG loop 0: 4 <- 2\ncta 0 warp 0: 0 space 1 lanes 00000001 100\n");
    becomes(
        HEAD
        "-accelsim tracer version = 5\n-enable lineinfo = 1\n-later = 3\n#traces format = x\n" CTA
        "warp = 0\ninsts = 2\n17 0000 00000001 1 R4 LDG 1 R2 4 0 0x100 0\n18 0010 00000001 0 BAR.SYNC 0 0 1\n#END_TB\n",
        "0 LDG loop 0: 4 <- 2\n1 BAR.SYNC loop 0:\ncta 0 warp 0: 0 space 1 lanes 00000001 100\n");
    assert_int_equal(told.first_line, 17);
}

static void long_warps_come_in_pieces(void **state)
{
    (void)state;
    enum { N = 9000 };
    char *text = xmalloc(N * 64 + 1024);
    size_t n = (size_t)sprintf(text, HEAD CTA "warp = 0\ninsts = %d\n", N);
    for (unsigned i = 0; i < N; i++) /* no stride, no step twice: bytes for each */
        n += (size_t)sprintf(text + n, "0000 00000005 1 R4 LDG 1 R2 4 0 0x%x 0x%x\n", i * i * 4, i * i * i % 65536 * 4);
    sprintf(text + n, "warp = 1\ninsts = 1\n0010 ffffffff 0 EXIT 0 0\n#END_TB\n");
    struct err e;
    assert_int_equal(import(text, &e), 0);
    assert_true(told.chunks > 1);
    free(text);
}

/* ---- what is refused ---- */
static void what_is_wrong_is_told_with_its_line(void **state)
{
    (void)state;
    refused("", 0, "no thread block");
    refused("-kernel name = k\n#x\n", 2, "no '-grid dim'");
    refused("-grid dim = (1,1,1)\n-block dim = (32,1,1)\n#x\n", 3, "no '-kernel name'");
    refused("-kernel name = k\n-grid dim = (1,1)\n", 2, "is not (x,y,z)");
    refused("-kernel name\n", 1, "where '-key = value' must be");
    refused("-nregs = many\n", 1, "'many' is not a number");
    refused("-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (2048,1,1)\n" CTA, 4, "more than 1024 threads");
    refused("-kernel name = k\n-grid dim = (4294967295,4294967295,1)\n-block dim = (1,1,1)\n" CTA, 4,
            "too many thread blocks");
    refused(HEAD "0000 ffffffff 0 EXIT 0 0\n", 6, "outside any thread block");
    refused(HEAD CTA, 7, "truncated");
    refused(HEAD CTA "#BEGIN_TB\n", 8, "begins before the previous one ended");
    refused(HEAD "#BEGIN_TB\nwarp = 0\n", 7, "must follow #BEGIN_TB");
    refused(HEAD CTA "thread block = 0,0,0\n", 8, "a second 'thread block ='");
    refused(HEAD "#BEGIN_TB\nthread block = 1,0,0\n", 7, "outside the grid");
    refused(HEAD CTA "warp = 2\n", 8, "outside the thread block");
    refused(HEAD CTA "warp = 0\ninsts = 2\n0000 0 0 NOP 0 0\n#END_TB\n", 11, "1 of its declared 2 instructions");
    refused(HEAD CTA "warp = 0\ninsts = 0\n0000 0 0 NOP 0 0\n", 10, "more than its declared 0 instructions");
    refused(HEAD CTA "0000 0 0 NOP 0 0\n", 8, "outside any warp");
    refused(HEAD CTA "warp = 0\ninsts = 0\nwarp = 0\ninsts = 0\n#END_TB\n", 10, "occurs twice");
    refused(LINE("zz ffffffff 0 NOP 0 0"), 10, "'zz' is not a pc");
    refused(LINE("0000 1ffffffff 0 NOP 0 0"), 10, "is not a mask");
    refused(LINE("0000 ffffffff 1"), 10, "names 0 of 1 registers");
    refused(LINE("0000 ffffffff 1 X5 NOP 0 0"), 10, "'X5' is not a register");
    refused(LINE("0000 ffffffff 1 R256 NOP 0 0"), 10, "'R256' is not a register");
    refused(LINE("0000 ffffffff 0"), 10, "no opcode");
    refused(LINE("0000 ffffffff 0 NOP 0"), 10, "ends before the width");
    refused(LINE("0000 00000001 1 R4 LDG 1 R2 4 3 0x100"), 10, "form of addresses");
    refused(LINE("0000 00000003 1 R4 LDG 1 R2 4 0 0x100"), 10, "ends before the address");
    refused(LINE("0000 00000001 1 R4 LDG 1 R2 4 0 0x100 0x200"), 10, "more addresses than lanes");
    refused(LINE("0000 00000005 1 R4 LDG 1 R2 4 1 0x100 4"), 10, "contiguous lanes");
    refused(LINE("0000 00000001 1 R4 LDG 1 R2 0"), 10, "'LDG' has no addresses");
    refused(LINE("0000 00000001 1 R4 FADD 1 R2 4 0 0x100"), 10, "is no memory instruction");
    refused(LINE("0000 00000001 1 R4 LDX 1 R2 4 0 0x100"), 10, "'LDX' is not known");
    refused(LINE("0000 ffffffff 0 BAR.ARV 0 0"), 10, "arrives at a barrier");
    refused(HEAD CTA "warp = 0\ninsts = 2\n0000 0 0 NOP 0 0\n0000 0 0 MOV 0 0\n#END_TB\n", 11, "was 'NOP' before");
    refused("-kernel name = k\n-grid dim = (2,1,1)\n-block dim = (32,1,1)\n" CTA "#END_TB\n", 6,
            "1 of 2 thread blocks");
    refused("-kernel name = k\n-grid dim = (2,1,1)\n-block dim = (32,1,1)\n#BEGIN_TB\nthread block = 1,0,0\n", 5,
            "where 0 was expected");
}

/* ---- compressed by xz ---- */
static void xz_is_read_and_damage_is_told(void **state)
{
    (void)state;
    static const char text[] = LINE("0000 00000001 1 R4 LDG 1 R2 4 0 0x100");
    uint8_t packed[4096];
    size_t n = 0;
    struct err e;
    struct stream_sink sink = {&told, on_event, on_begin, on_chunk, on_end};
    assert_int_equal(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, NULL, (const uint8_t *)text, sizeof text - 1, packed,
                                             &n, sizeof packed),
                     LZMA_OK);
    memset(&told, 0, sizeof told);
    assert_int_equal(import_mem(packed, n, "k.traceg", &sink, &e), 0);
    assert_string_equal(told.text, "0 LDG loop 0: 4 <- 2\ncta 0 warp 0: 0 space 1 lanes 00000001 100\n");
    assert_int_equal(import_mem(packed, n - 20, "k.traceg", &sink, &e), -1);
    assert_string_equal(e.msg, "the xz file is truncated");
    packed[n / 2] ^= 0x55;
    assert_int_equal(import_mem(packed, n, "k.traceg", &sink, &e), -1);
    assert_string_equal(e.msg, "the xz file is damaged");
}

static void a_binary_file_is_told(void **state)
{
    (void)state;
    struct err e;
    struct stream_sink sink = {&told, on_event, on_begin, on_chunk, on_end};
    assert_int_equal(import_mem("-kernel\0name\n", 13, "k.traceg", &sink, &e), -1);
    assert_non_null(strstr(e.msg, "not a text file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opcodes_are_found_by_their_first_part),
        cmocka_unit_test(names_tell_width_and_flags),
        cmocka_unit_test(vectors_have_all_their_registers),
        cmocka_unit_test(addresses_have_three_forms),
        cmocka_unit_test(generic_addresses_are_resolved),
        cmocka_unit_test(loops_follow_from_jumps_of_lanes),
        cmocka_unit_test(nested_loops_are_a_tree),
        cmocka_unit_test(depbar_waits_for_copies_alone),
        cmocka_unit_test(addresses_from_loads_are_marked),
        cmocka_unit_test(earlier_and_later_tracers_are_read),
        cmocka_unit_test(long_warps_come_in_pieces),
        cmocka_unit_test(what_is_wrong_is_told_with_its_line),
        cmocka_unit_test(xz_is_read_and_damage_is_told),
        cmocka_unit_test(a_binary_file_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
