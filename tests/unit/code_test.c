/*
 * The back end for time: exact schedules of small kernels, and an oracle for random ones.
 *
 * The oracle knows nothing of graphs. It runs a random block twice: as PTX, and as the scheduled operations over the
 * scoreboard's register numbers. A register's value is the set of loads that it comes from. Each access
 * must see the same sets both ways, and each load the same last store, whether two pointers point to one place or not.
 */
#include "ptx_util.h"

#include "code/code.h"

#include <stdlib.h>

struct built {
    struct ptx_module *m;
    struct arena *arena;
    struct trace_kernel t;
};

static struct built build(struct ptx_module *m)
{
    struct built b = {.m = m, .arena = arena_new()};
    struct ptx_code code = {.module = m, .func = func_named(m, "k")};
    struct err e;
    if (ptx_build_kernel(&code, 1, b.arena, &b.t, &e) < 0 || code_build(&code, 1, b.arena, &b.t, &e) < 0)
        fail_msg("%s", e.msg);
    assert_non_null(b.t.code);
    return b;
}

static void drop(struct built *b)
{
    arena_free(b->arena);
    ptx_module_free(b->m);
}

/* The operations of all regions as "pc:class", regions separated by "|". */
static void expect(const char *body, const char *schedule)
{
    static const char *const name[] = {
#define X(name, text, doc) text,
        TRACE_CLASSES(X)
#undef X
    };
    struct built b = build(parse_body(body));
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    for (uint32_t r = 0; r < b.t.code->n_region; r++) {
        const struct trace_region *g = &b.t.code->region[r];
        fputs(r ? " |" : "", f);
        for (uint32_t k = 0; k < g->n_op; k++)
            fprintf(f, "%s%u:%s", r || k ? " " : "", b.t.code->op[g->op + k].pc, name[b.t.code->op[g->op + k].cls]);
    }
    fclose(f);
    if (strcmp(text, schedule))
        fail_msg("\n%s\nis scheduled\n  %s\nand not\n  %s", body, text, schedule);
    free(text);
    drop(&b);
}

static void loads_come_first(void **state)
{
    (void)state;
    /* Each load stands before its use; both are issued before the first use. */
    expect(
        "ld.param.u64 %rd1, [a];\nld.global.f32 %f1, [%rd1];\nadd.f32 %f2, %f1, %f1;\n"
        "ld.global.f32 %f3, [%rd1+4];\nadd.f32 %f4, %f3, %f2;\nst.global.f32 [%rd1+8], %f4;\nret;",
        "0:load 1:load 3:load 2:fp_add 4:fp_add 5:store 6:ret");
}

static void loads_stay_behind_stores_they_may_meet(void **state)
{
    (void)state;
    expect(
        "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [a];\nst.global.f32 [%rd1], %f1;\nld.global.f32 %f2, [%rd2];\n"
        "add.f32 %f2, %f2, %f2;\nst.global.f32 [%rd2], %f2;\nret;",
        "0:load 1:load 2:store 3:load 4:fp_add 5:store 6:ret");
    /* The same pointer, another word; read-only data; another space. */
    expect(
        "ld.param.u64 %rd1, [a];\nst.global.f32 [%rd1], %f1;\nld.global.f32 %f2, [%rd1+4];\n"
        "st.global.f32 [%rd1+8], %f2;\nret;",
        "0:load 2:load 1:store 3:store 4:ret");
    expect(
        "ld.param.u64 %rd1, [a];\nst.global.f32 [%rd1], %f1;\nld.global.nc.f32 %f2, [%rd2];\n"
        "st.global.f32 [%rd1+8], %f2;\nret;",
        "2:load 0:load 1:store 3:store 4:ret");
    expect(
        "ld.param.u64 %rd1, [a];\nst.shared.f32 [%rd1], %f1;\nld.global.f32 %f2, [%rd2];\n"
        "st.global.f32 [%rd1+8], %f2;\nret;",
        "2:load 0:load 1:store 3:store 4:ret");
    /* The pointer has moved on in between; half of the addition is done aside. */
    expect(
        "st.global.f32 [%rd1], %f1;\nadd.s64 %rd1, %rd1, -4;\nld.global.f32 %f2, [%rd1+4];\n"
        "st.global.f32 [%rd1+8], %f2;\nret;",
        "1:int_add 0:store 1:int_add 2:load 3:store 4:ret");
}

static void nothing_passes_a_barrier_or_a_fence(void **state)
{
    (void)state;
    expect("st.shared.f32 [%rd1], %f1;\nbar.sync 0;\nld.global.f32 %f2, [%rd2];\nst.global.f32 [%rd2], %f2;\nret;",
           "0:store 1:barrier | 2:load 3:store 4:ret");
    expect("st.global.f32 [%rd1], %f1;\nmembar.gl;\nld.global.f32 %f2, [%rd1+4];\nst.global.f32 [%rd2], %f2;\nret;",
           "0:store 1:fence 2:load 3:store 4:ret");
    expect(
        "ld.volatile.global.f32 %f1, [%rd1];\nld.global.f32 %f2, [%rd1+4];\nadd.f32 %f3, %f1, %f2;\n"
        "st.global.f32 [%rd2], %f3;\nret;",
        "0:load 1:load 2:fp_add 3:store 4:ret");
}

static void users_take_in_what_they_can(void **state)
{
    (void)state;
    /* base + index * size: one operation; constants go into the access; address-space conversions cost nothing. */
    expect(
        "ld.param.u64 %rd1, [a];\ncvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r1, %tid.x;\n"
        "mul.wide.s32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd2, %rd3;\nadd.s64 %rd5, %rd4, 16;\n"
        "ld.global.f32 %f1, [%rd5+4];\nst.global.f32 [%rd4], %f1;\nret;",
        "0:load 2:move 4:int_mad 6:load 7:store 8:ret");
    /* A product that is only added; three sums in two operations; constants are operands. */
    expect("mul.lo.s32 %r1, %r2, %r3;\nadd.s32 %r4, %r1, %r5;\nst.global.u32 [%rd1], %r4;\nret;",
           "1:int_mad 2:store 3:ret");
    expect("add.s32 %r1, %r2, %r3;\nadd.s32 %r4, %r1, %r5;\nadd.s32 %r6, %r4, %r7;\nst.global.u32 [%rd1], %r6;\nret;",
           "0:int_add 2:int_add 3:store 4:ret");
    expect("mov.f32 %f1, 0f3F800000;\nadd.f32 %f2, %f3, %f1;\nst.global.f32 [%rd1], %f2;\nret;",
           "1:fp_add 2:store 3:ret");
    /* Addresses in shared memory have 32 bits. */
    expect("add.s64 %rd1, %rd2, %rd3;\nld.shared.f32 %f1, [%rd1+4];\nst.global.f32 [%rd4], %f1;\nret;",
           "0:int_add 1:load 2:store 3:ret");
    expect("add.s64 %rd1, %rd2, %rd3;\nld.global.f32 %f1, [%rd1+4];\nst.global.f32 [%rd4], %f1;\nret;",
           "0:int_add 0:int_add 1:load 2:store 3:ret");
    /* A conversion between integers that stays is a shift. */
    expect("cvt.s64.s32 %rd1, %r1;\nst.global.u64 [%rd2], %rd1;\nret;", "0:int_add 1:store 2:ret");
    /* Only conversions between integers and floating-point numbers, or of doubles, take the slow unit. */
    expect("cvt.rn.f16x2.f32 %r1, %f1, %f2;\nst.global.u32 [%rd2], %r1;\nret;", "0:int_add 1:store 2:ret");
    expect("cvt.rn.bf16.f32 %h1, %f1;\nst.global.b16 [%rd2], %h1;\nret;", "0:int_add 1:store 2:ret");
    expect("ld.global.b16 %h1, [%rd2];\ncvt.f32.f16 %f1, %h1;\nst.global.f32 [%rd2+4], %f1;\nret;",
           "0:load 1:fp_add 2:store 3:ret");
    expect("cvt.rzi.s32.f32 %r1, %f1;\nst.global.u32 [%rd2], %r1;\nret;", "0:cvt 1:store 2:ret");
    /* Combined comparisons. */
    expect(
        "setp.lt.s32 %p1, %r1, 4;\nsetp.gt.s32 %p2, %r2, 4;\nand.pred %p3, %p1, %p2;\n@%p3 bra L;\n"
        "st.global.u32 [%rd1], %r1;\nL: ret;",
        "0:int_add 2:int_add 4:store 5:ret");
    /* Not where the result is used twice, or its source changes before the use. */
    expect("add.s32 %r1, %r2, %r3;\nadd.s32 %r4, %r1, %r5;\nst.global.v2.u32 [%rd1], {%r1, %r4};\nret;",
           "0:int_add 1:int_add 2:store 3:ret");
    expect("mov.u32 %r1, %r2;\nadd.s32 %r2, %r2, 1;\nst.global.v2.u32 [%rd1], {%r1, %r2};\nret;",
           "0:move 1:int_add 2:store 3:ret");
    /* A copy for the next iteration is computed in place. */
    expect(
        "L: ld.global.f32 %f2, [%rd1];\nadd.f32 %f3, %f1, %f2;\nsetp.lt.f32 %p1, %f3, 0f00000000;\nmov.f32 %f1, %f3;\n"
        "@%p1 bra L;\nst.global.f32 [%rd1], %f1;\nret;",
        "0:load 1:fp_add 2:int_minmax 4:branch | 5:store 6:ret");
}

/* What a branch goes around is predicated up to eight operations, and is scheduled with what is before and behind it.
 */
static void short_branches_are_predicated(void **state)
{
    (void)state;
    expect(
        "@%p1 bra L;\nld.global.f32 %f1, [%rd1];\nadd.f32 %f2, %f2, %f1;\nL: ld.global.f32 %f3, [%rd2];\n"
        "add.f32 %f2, %f2, %f3;\nst.global.f32 [%rd1], %f2;\nret;",
        "1:load 3:load 2:fp_add 4:fp_add 5:store 6:ret");
    for (unsigned n = 8; n < 10; n++) {
        char body[1024] = "@%p1 bra L;\n";
        for (unsigned k = 0; k < n; k++)
            strcat(body, "fma.rn.f32 %f2, %f2, %f2, %f2;\n");
        strcat(body, "L: st.global.f32 [%rd1], %f2;\nret;");
        struct built b = build(parse_body(body));
        assert_int_equal(b.t.code->n_region, n == 8 ? 1 : 3);
        assert_int_equal(b.t.code->n_op, n == 8 ? n + 2 : n + 3);
        drop(&b);
    }
    /* Not what has a branch of its own, nor what a loop begins with. */
    expect("@%p1 bra L;\nrcp.rn.f32 %f2, %f2;\nL: st.global.f32 [%rd1], %f2;\nret;",
           "0:branch | 1:int_add 1:nop 1:int_add 1:int_add 1:branch 1:sfu 1:fp_mad 1:fp_add 1:fp_mad 1:nop | 2:store "
           "3:ret");
    expect(
        "@%p1 bra L;\nadd.f32 %f2, %f2, %f2;\nL: add.f32 %f2, %f2, %f3;\n@%p2 bra L;\nst.global.f32 [%rd1], %f2;\nret;",
        "0:branch | 1:fp_add | 2:fp_add 3:branch | 4:store 5:ret");
}

/* A branch around a rare case keeps what is before it in the program before it, and the rest behind it, and behind where
 * lanes meet again. */
static void nothing_passes_the_branch_of_a_sequence(void **state)
{
    (void)state;
    expect(
        "rcp.rn.f32 %f1, %f2;\nld.global.f32 %f3, [%rd1];\nadd.f32 %f3, %f3, %f1;\nst.global.f32 [%rd1], %f3;\nret;",
        "0:int_add 0:nop 0:int_add 0:int_add 0:branch 0:sfu 0:fp_mad 0:fp_add 0:fp_mad 0:nop 1:load 2:fp_add 3:store "
        "4:ret");
}

/* The guarded operations of the first region; each names what defines its guard. */
static void expect_guards(const char *body, const char *guards)
{
    struct built b = build(parse_body(body));
    const struct trace_code *c = b.t.code;
    char text[256] = "";
    for (uint32_t k = 0; k < c->region[0].n_op; k++) {
        const struct trace_op *o = &c->op[k], *from = NULL;
        if (!(o->flags & TRACE_OP_GUARDED))
            continue;
        for (const struct trace_op *d = c->op; d < o; d++)
            for (unsigned r = 0; r < d->n_dst; r++)
                from = c->reg[d->regs_at + r] == c->reg[o->regs_at + o->n_dst + o->n_src - 1u] ? d : from;
        assert_non_null(from);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u by %u", *text ? ", " : "", o->pc, from->pc);
    }
    assert_string_equal(text, guards);
    drop(&b);
}

static void guards_are_known(void **state)
{
    (void)state;
    const char *compare = "setp.lt.s32 %p1, %r1, %r2;\nsetp.lt.s32 %p2, %r3, %r2;\n";
    static const char *const cases[][2] = {
        {"@%p1 st.global.u32 [%rd1], %r3;\nret;", "2 by 0"},
        {"selp.b32 %r4, %r1, %r2, %p1;\nst.global.u32 [%rd1], %r4;\nret;", ""},
        {"@%p2 add.s32 %r1, %r1, %r3;\n@%p1 st.global.u32 [%rd1], %r1;\nret;", "2 by 1, 3 by 0"},
        {"@%p1 bra L;\nadd.s32 %r1, %r1, %r3;\nL: st.global.u32 [%rd1], %r1;\nret;", "3 by 0"},
        {"rcp.rn.f32 %f1, %f2;\nst.global.f32 [%rd1], %f1;\nret;", "2 by 2"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char body[512];
        snprintf(body, sizeof body, "%s%s", compare, cases[k][0]);
        expect_guards(body, cases[k][1]);
    }
}

static void sequences_have_the_assemblers_length(void **state)
{
    static const struct {
        const char *inst;
        unsigned n;
    } cases[] = {{"div.rn.f32 %f1, %f2, %f3;", 10},     {"sqrt.rn.f32 %f1, %f2;", 10},
                 {"rcp.rn.f32 %f1, %f2;", 10},          {"div.approx.f32 %f1, %f2, %f3;", 5},
                 {"div.full.f32 %f1, %f2, %f3;", 8},    {"ex2.approx.f32 %f1, %f2;", 4},
                 {"ex2.approx.ftz.f32 %f1, %f2;", 1},   {"sin.approx.f32 %f1, %f2;", 2},
                 {"div.s32 %r1, %r2, %r3;", 24},        {"div.u32 %r1, %r2, %r3;", 18},
                 {"rem.s32 %r1, %r2, %r3;", 22},        {"rem.u32 %r1, %r2, %r3;", 17},
                 {"add.s64 %rd1, %rd2, %rd3;", 2},      {"mul.lo.s64 %rd1, %rd2, %rd3;", 4},
                 {"fma.rn.f32 %f1, %f2, %f3, %f4;", 1}, {"mul.wide.s32 %rd1, %r1, %r2;", 1},
                 {"cvt.rn.f32.s32 %f1, %r1;", 1},       {"shl.b64 %rd1, %rd2, %r1;", 2}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char body[256];
        bool wide = strstr(cases[k].inst, "%rd1") != NULL, single = strstr(cases[k].inst, "%f1") != NULL;
        snprintf(body, sizeof body, "%s\nst.global.%s [%%rd9], %s;\nret;", cases[k].inst,
                 wide     ? "u64"
                 : single ? "f32"
                          : "u32",
                 wide     ? "%rd1"
                 : single ? "%f1"
                          : "%r1");
        struct built b = build(parse_body(body));
        if (b.t.code->n_op != cases[k].n + 2)
            fail_msg("%s is %u operations and not %u", cases[k].inst, b.t.code->n_op - 2, cases[k].n);
        drop(&b);
    }
}

static void neighbors_of_a_shared_variable_are_one_load(void **state)
{
    (void)state;
    struct built b =
        build(parse_body(".shared .align 16 .b8 s[64];\nld.shared.f32 %f1, [s];\nld.shared.f32 %f2, [s+4];\n"
                         "ld.shared.f32 %f3, [s+8];\nld.shared.f32 %f4, [s+12];\nld.shared.f32 %f5, [s+16];\n"
                         "add.f32 %f1, %f1, %f2;\nadd.f32 %f3, %f3, %f4;\nadd.f32 %f1, %f1, %f3;\n"
                         "add.f32 %f1, %f1, %f5;\nst.global.f32 [%rd1], %f1;\nret;"));
    const struct trace_op *o = b.t.code->op;
    assert_int_equal(b.t.code->n_op, 2 + 4 + 2);
    assert_int_equal(o[0].pc, 0);
    assert_int_equal(o[0].width, 16);
    assert_int_equal(o[0].n_dst, 4);
    assert_int_equal(o[1].pc, 4);
    assert_int_equal(o[1].width, 4);
    drop(&b);
}

/* Behind an index, too, when it is a multiple of 16 bytes; not when it may be anything, nor across a new index. */
static void neighbors_behind_an_index_are_one_load(void **state)
{
    static const struct {
        const char *index;
        unsigned loads;
    } cases[] = {{"shl.b32 %r1, %r2, 4;\nmov.u32 %r3, s;\nadd.s32 %r4, %r3, %r1;\n", 1},
                 {"mov.u32 %r3, s;\nmad.lo.s32 %r4, %r2, 48, %r3;\n", 1},
                 {"shl.b32 %r1, %r2, 3;\nmov.u32 %r3, s;\nadd.s32 %r4, %r3, %r1;\n", 4},
                 {"shl.b32 %r1, %r2, 4;\nadd.s32 %r4, %r5, %r1;\n", 4}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char body[1024];
        snprintf(body, sizeof body,
                 ".shared .align 16 .b8 s[4096];\nmov.u32 %%r2, %%tid.x;\nmov.u32 %%r5, %%tid.y;\n%s"
                 "ld.shared.f32 %%f1, [%%r4];\nld.shared.f32 %%f2, [%%r4+4];\nld.shared.f32 %%f3, [%%r4+8];\n"
                 "ld.shared.f32 %%f4, [%%r4+12];\nadd.f32 %%f1, %%f1, %%f2;\nadd.f32 %%f3, %%f3, %%f4;\n"
                 "add.f32 %%f1, %%f1, %%f3;\nst.global.f32 [%%rd1], %%f1;\nret;",
                 cases[k].index);
        struct built b = build(parse_body(body));
        unsigned loads = 0;
        for (uint32_t i = 0; i < b.t.code->n_op; i++)
            loads += b.t.code->op[i].cls == TRACE_LOAD;
        if (loads != cases[k].loads)
            fail_msg("%s: %u loads, not %u", cases[k].index, loads, cases[k].loads);
        drop(&b);
    }
    struct built b =
        build(parse_body(".shared .align 16 .b8 s[4096];\nmov.u32 %r2, %tid.x;\nshl.b32 %r1, %r2, 4;\n"
                         "ld.shared.f32 %f1, [%r1];\nadd.s32 %r1, %r1, 64;\n"
                         "ld.shared.f32 %f2, [%r1+4];\nadd.f32 %f1, %f1, %f2;\n"
                         "st.global.f32 [%rd1], %f1;\nret;"));
    unsigned loads = 0;
    for (uint32_t i = 0; i < b.t.code->n_op; i++)
        loads += b.t.code->op[i].cls == TRACE_LOAD;
    assert_int_equal(loads, 2);
    drop(&b);
}

/*
 * A sum of 32 loaded values: the loads before the first use fill the 32 registers with which all warps fit an SM; ptxas 13
 * issues 23.
 */
static void loads_ahead_are_limited(void **state)
{
    (void)state;
    char body[4096] = "";
    for (unsigned k = 0; k < 32; k++)
        snprintf(body + strlen(body), sizeof body - strlen(body),
                 "ld.global.f32 %%f%u, [%%rd1+%u];\nadd.f32 %%f0, %%f0, %%f%u;\n", k + 1, 4 * k, k + 1);
    strcat(body, "st.global.f32 [%rd1], %f0;\nret;");
    struct built b = build(parse_body(body));
    unsigned n = 0;
    while (b.t.code->op[n].cls == TRACE_LOAD)
        n++;
    assert_in_range(n, 23, 30);
    drop(&b);
}

/*
 * Products whose first operands are there at once and whose second ones have an address to wait for: registers are kept for
 * these. All first operands at once would leave none.
 */
static void operands_find_registers(void **state)
{
    (void)state;
    char body[8192] =
        "mov.u32 %r1, %tid.x;\nmul.lo.s32 %r2, %r1, %r1;\nmul.lo.s32 %r2, %r2, %r2;\n"
        "mul.lo.s32 %r2, %r2, %r2;\nmul.wide.s32 %rd3, %r2, 4;\nadd.s64 %rd4, %rd2, %rd3;\n";
    for (unsigned k = 0; k < 24; k++)
        snprintf(body + strlen(body), sizeof body - strlen(body),
                 "ld.global.f32 %%f%u, [%%rd1+%u];\nld.global.f32 %%f%u, [%%rd4+%u];\n"
                 "fma.rn.f32 %%f0, %%f%u, %%f%u, %%f0;\n",
                 2 * k + 1, 4 * k, 2 * k + 2, 4 * k, 2 * k + 1, 2 * k + 2);
    strcat(body, "st.global.f32 [%rd1], %f0;\nret;");
    struct built b = build(parse_body(body));
    unsigned first_ones = 0;
    const struct trace_op *op = b.t.code->op;
    for (uint32_t i = 0; op[i].cls != TRACE_FP_MAD && (op[i].cls != TRACE_LOAD || op[i].pc % 3 == 0); i++)
        first_ones += op[i].cls == TRACE_LOAD; /* behind six instructions, three for each product */
    assert_in_range(first_ones, 8, 15);
    drop(&b);
}

/* A register that another region loads from the parameters is loaded again, once, where something needs a register. */
static void parameters_are_loaded_where_they_are_needed(void **state)
{
    (void)state;
    /* The pointer starts an address: in a register. The count is an operand of a comparison: uniform. */
    expect(
        "ld.param.u64 %rd1, [a];\nld.param.u32 %r1, [n];\nmov.u32 %r2, %ctaid.x;\nbar.sync 0;\n"
        "setp.gt.s32 %p1, %r2, %r1;\nselp.b32 %r3, %r2, %r2, %p1;\nst.global.u32 [%rd1], %r3;\n"
        "st.global.u32 [%rd1+4], %r2;\nret;",
        "2:move 3:barrier | 6:load 4:int_add 5:int_minmax 6:store 7:store 8:ret");
    /* With an immediate value beside it, the count is in a register, too; the second region that needs it has it. */
    expect(
        "ld.param.u32 %r1, [n];\nmov.u32 %r2, %ctaid.x;\nbar.sync 0;\nmad.lo.s32 %r2, %r2, 3, %r1;\nbar.sync 0;\n"
        "mad.lo.s32 %r2, %r2, 3, %r1;\nst.global.u32 [%rd9], %r2;\nret;",
        "1:move 2:barrier | 3:load 3:int_mad 4:barrier | 5:int_mad 6:store 7:ret");
    /* What the first region reads stays; what a loop reads is loaded before it. */
    expect(
        "ld.param.u32 %r1, [n];\nadd.s32 %r2, %r1, 1;\nbar.sync 0;\nmad.lo.s32 %r2, %r2, 3, %r1;\n"
        "st.global.u32 [%rd9], %r2;\nret;",
        "0:load 1:int_add 2:barrier | 3:int_mad 4:store 5:ret");
    expect(
        "ld.param.u32 %r1, [n];\nmov.u32 %r2, %ctaid.x;\n.pragma \"nounroll\";\nL: mad.lo.s32 %r2, %r2, 3, %r1;\n"
        "setp.lt.s32 %p1, %r2, 99;\n@%p1 bra L;\nst.global.u32 [%rd9], %r2;\nret;",
        "0:load 1:move | 2:int_mad 3:int_add 4:branch | 5:store 6:ret");
}

/* How many operations announce a meeting point, and which pcs they meet at. */
static void expect_meetings(const char *body, const char *text)
{
    struct built b = build(parse_body(body));
    char got[256] = "";
    for (uint32_t k = 0; k < b.t.code->n_op; k++) {
        const struct trace_op *o = &b.t.code->op[k];
        if (o->cls == TRACE_NOP)
            snprintf(got + strlen(got), sizeof got - strlen(got), "%s%u%s", *got ? " " : "", o->pc,
                     o->flags & TRACE_OP_CONVERGE ? " meet" : "");
    }
    assert_string_equal(got, text);
    drop(&b);
}

/* Nine additions: too many to be predicated. */
#define LONG                                                                                                           \
    "add.s32 %r9, %r9, 1;\nadd.s32 %r9, %r9, %r8;\nadd.s32 %r9, %r9, 1;\nadd.s32 %r9, %r9, %r8;\n"                     \
    "xor.b32 %r9, %r9, 1;\nmul.lo.s32 %r9, %r9, %r8;\nxor.b32 %r9, %r9, 7;\nmul.lo.s32 %r9, %r9, %r8;\n"               \
    "xor.b32 %r9, %r9, 1;\nmul.lo.s32 %r9, %r9, %r8;\nxor.b32 %r9, %r9, 7;\nmul.lo.s32 %r9, %r9, %r8;\n"

static void lanes_that_part_meet_again(void **state)
{
    (void)state;
    /* 0: index, 1: comparison, 2: branch, 3..14: block, 15: where they meet. */
    expect_meetings("mov.u32 %r1, %tid.x;\nsetp.lt.s32 %p1, %r1, 7;\n@%p1 bra L;\n" LONG
                    "L: st.global.u32 [%rd9], %r9;\nret;",
                    "2 15 meet");
    /* Not where all lanes agree, where the block is predicated, nor where lanes exit. */
    expect_meetings("mov.u32 %r1, %ctaid.x;\nsetp.lt.s32 %p1, %r1, 7;\n@%p1 bra L;\n" LONG
                    "L: st.global.u32 [%rd9], %r9;\nret;",
                    "");
    expect_meetings(
        "mov.u32 %r1, %tid.x;\nsetp.lt.s32 %p1, %r1, 7;\n@%p1 bra L;\nadd.s32 %r9, %r9, 1;\n"
        "L: st.global.u32 [%rd9], %r9;\nret;",
        "");
    expect_meetings("mov.u32 %r1, %tid.x;\nsetp.lt.s32 %p1, %r1, 7;\n@%p1 bra L;\n" LONG
                    "st.global.u32 [%rd9], %r9;\nL: ret;",
                    "2 16 meet");
    expect_meetings("mov.u32 %r1, %tid.x;\nsetp.lt.s32 %p1, %r1, 7;\n@%p1 bra L;\n" LONG
                    "st.global.u32 [%rd9], %r9;\nret;\nL: exit;",
                    "");
    /* Two branches to one point share the mark. 5 is the second one. */
    expect_meetings(
        "mov.u32 %r1, %tid.x;\nsetp.lt.s32 %p1, %r1, 7;\nsetp.gt.s32 %p2, %r1, 17;\n@%p1 bra L;\nadd.s32 %r9, %r9, "
        "2;\n@%p2 bra L;\n" LONG "L: st.global.u32 [%rd9], %r9;\nret;",
        "3 18 meet");
    /* A loop that lanes leave one by one: before it, and behind it. */
    expect_meetings(
        "mov.u32 %r1, %tid.x;\nL: add.s32 %r1, %r1, %r2;\nst.global.u32 [%rd9], %r1;\nsetp.lt.s32 %p1, %r1, 99;\n@%p1 "
        "bra L;\n"
        "st.global.u32 [%rd9], %r9;\nret;",
        "0 5 meet");
    /* A counter that lanes stop at different times differs behind the loop, one that they stop together does not. */
    for (unsigned lane = 0; lane < 2; lane++) {
        char body[2048];
        snprintf(body, sizeof body,
                 "mov.u32 %%r1, %s;\nmov.u32 %%r3, 0;\nL: add.s32 %%r3, %%r3, 1;\nst.global.u32 [%%rd9], %%r3;\n"
                 "add.s32 %%r1, %%r1, 1;\nsetp.lt.s32 %%p1, %%r1, 99;\n@%%p1 bra L;\nsetp.lt.s32 %%p2, %%r3, 7;\n@%%p2 "
                 "bra M;\n%s"
                 "M: st.global.u32 [%%rd9], %%r9;\nret;",
                 lane ? "%tid.x" : "%ctaid.x", LONG);
        expect_meetings(body, lane ? "1 7 meet 8 21 meet" : "");
    }
}

/* ---- the oracle ---- */

enum { N_INT = 4, N_FLOAT = 4, N_PTR = 6, REGS = 40, STEPS = 40, PCS = 3 * STEPS + 64, COPIES = 4, MEMORY = 1 << 14 };

struct value {
    uint64_t from; /* the loads it comes from, hashed to bits; parameters may be loaded anywhere */
    int64_t number;
};
struct model { /* PTX, while it is written */
    struct value r[REGS], f[REGS], p[REGS];
    unsigned n_r, n_f, n_p; /* registers that have a value */
    uint32_t pc;
    unsigned iteration;         /* of the loop that is being executed; only the first one is written */
    uint64_t saw[COPIES][PCS];  /* by iteration and pc of an access: where address and data come from */
    int64_t where[COPIES][PCS]; /* its address */
    uint32_t random_state;
    char *text;
};

static uint32_t rnd(struct model *m, uint32_t n)
{
    m->random_state = m->random_state * 1664525u + 1013904223u;
    return (m->random_state >> 8) % n;
}

/* Half of the results go to new registers, as a compiler writes them, half to old ones. */
static unsigned result(struct model *m, unsigned *n)
{
    return *n < REGS && rnd(m, 2) ? (*n)++ : rnd(m, *n);
}

static uint64_t bit_of(uint32_t pc, unsigned iteration)
{
    return 1ull << (pc * 11 + iteration * 17 + 5) % 61;
}

static void emit(struct model *m, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    size_t n = strlen(m->text);
    if (!m->iteration)
        vsnprintf(m->text + n, 16384 - n, fmt, args);
    va_end(args);
    m->pc++;
}

static void random_access(struct model *m, bool store)
{
    unsigned p = rnd(m, m->n_p), f = store ? rnd(m, m->n_f) : result(m, &m->n_f), offset = 4 * rnd(m, 4);
    m->where[m->iteration][m->pc] = m->p[p].number + offset;
    if (store) {
        m->saw[m->iteration][m->pc] = m->p[p].from | m->f[f].from;
        emit(m, "st.global.f32 [%%rd%u+%u], %%f%u;\n", p, offset, f);
    } else {
        m->saw[m->iteration][m->pc] = m->p[p].from;
        m->f[f] = (struct value){.from = bit_of(m->pc, m->iteration)};
        emit(m, "ld.global.f32 %%f%u, [%%rd%u+%u];\n", f, p, offset);
    }
}

static void random_step(struct model *m)
{
    unsigned a = rnd(m, m->n_r), b = rnd(m, m->n_r), f, g = rnd(m, m->n_f), h = rnd(m, m->n_f), p, q = rnd(m, m->n_p),
             r;
    switch (rnd(m, 9)) {
    case 0:
        r = result(m, &m->n_r);
        m->r[r] = (struct value){m->r[a].from | m->r[b].from, (m->r[a].number + m->r[b].number) & 7};
        emit(m, "add.s32 %%r%u, %%r%u, %%r%u;\n", 40 + m->pc % 20, a,
             b); /* small numbers stay in the pointers' bounds */
        emit(m, "and.b32 %%r%u, %%r%u, 7;\n", r, 40 + (m->pc - 1) % 20);
        break;
    case 1:
        r = result(m, &m->n_r);
        m->r[r] = m->r[b];
        emit(m, "mov.u32 %%r%u, %%r%u;\n", r, b);
        break;
    case 2:
        p = result(m, &m->n_p);
        m->p[p] = (struct value){m->p[q].from, m->p[q].number + 8};
        emit(m, "add.s64 %%rd%u, %%rd%u, 8;\n", p, q);
        break;
    case 3: /* the index goes through a register of its own, which may be folded */
        emit(m, "mul.wide.s32 %%rd%u, %%r%u, 4;\n", 40 + m->pc % 20, a);
        p = result(m, &m->n_p);
        m->p[p] = (struct value){m->p[q].from | m->r[a].from, m->p[q].number + 4 * m->r[a].number};
        emit(m, "add.s64 %%rd%u, %%rd%u, %%rd%u;\n", p, q, 40 + (m->pc - 1) % 20);
        break;
    case 4:
        f = result(m, &m->n_f);
        m->f[f].from = m->f[h].from | m->f[g].from;
        emit(m, "add.f32 %%f%u, %%f%u, %%f%u;\n", f, h, g);
        break;
    case 5:
        f = h;
        m->f[f].from |= m->f[g].from | m->r[a].from;
        emit(m, "setp.gt.s32 %%p1, %%r%u, 3;\n", a);
        emit(m, "@%%p1 mul.f32 %%f%u, %%f%u, %%f%u;\n", f, g, g);
        break;
    case 6:
        f = result(m, &m->n_f);
        m->f[f].from = m->f[g].from;
        emit(m, "sqrt.rn.f32 %%f%u, %%f%u;\n", f, g);
        break;
    default:
        random_access(m, rnd(m, 3) == 0);
    }
}

/* What is executed: PTX instructions of an iteration, or operations. */
struct trail {
    uint32_t last[MEMORY]; /* by place: the last store, as step_of() numbers it */
    uint32_t read[COPIES][PCS];
    unsigned accesses;
};

static void trail_access(struct trail *t, const struct model *m, uint32_t pc, unsigned iteration, bool store)
{
    int64_t at = m->where[iteration][pc];
    t->accesses++;
    if (store)
        t->last[at] = iteration * PCS + pc + 1;
    else
        t->read[iteration][pc] = t->last[at];
}

static void trail_ptx(struct trail *t, const struct built *b, const struct model *m, uint32_t from, uint32_t to,
                      unsigned iteration)
{
    for (uint32_t pc = from; pc < to; pc++)
        if (b->t.inst[pc].mem_index != UINT32_MAX)
            trail_access(t, m, pc, iteration, b->t.inst[pc].cls == TRACE_STORE);
}

/* Executes operations over the scoreboard's numbers in `reg`, and checks what each access sees. */
static void trail_ops(struct trail *t, const struct built *b, const struct model *m, uint64_t *reg, uint32_t at,
                      uint32_t n)
{
    const struct trace_code *c = b->t.code;
    for (const struct trace_op *o = c->op + at; o < c->op + at + n; o++) {
        const uint16_t *list = c->reg + o->regs_at;
        uint64_t from = 0;
        for (unsigned k = 0; k < o->n_src; k++)
            from |= reg[list[o->n_dst + k]];
        bool access = o->flags & TRACE_OP_ACCESS, load = o->cls == TRACE_LOAD;
        if (access && from != m->saw[o->copy][o->pc])
            fail_msg("%s\nthe access at pc %u, iteration %u, sees other values", m->text, o->pc, o->copy);
        if (access)
            trail_access(t, m, o->pc, o->copy, !load);
        bool keeps = strstr(b->t.str + b->t.inst[o->pc].opcode_at, "mul.f32") != NULL; /* the guarded one */
        for (unsigned k = 0; k < o->n_dst; k++)
            reg[list[k]] = access ? bit_of(o->pc, o->copy) : from | (keeps ? reg[list[k]] : 0);
    }
}

static void compare(const struct trail *ptx, const struct trail *code, const struct model *m)
{
    for (unsigned k = 0; k < COPIES; k++)
        for (uint32_t pc = 0; pc < PCS; pc++)
            if (ptx->read[k][pc] != code->read[k][pc])
                fail_msg("%s\nthe load at pc %u, iteration %u, reads another store", m->text, pc, k);
    assert_memory_equal(ptx->last, code->last, sizeof ptx->last);
    assert_int_equal(ptx->accesses, code->accesses);
}

static void begin_model(struct model *m, unsigned round)
{
    *m =
        (struct model){.n_r = N_INT, .n_f = N_FLOAT, .n_p = N_PTR, .random_state = round + 1, .text = calloc(1, 16384)};
    bool same_place = round & 1; /* two pointers to one place, or all apart */
    for (unsigned p = 0; p < N_PTR; p++) {
        m->p[p] = (struct value){0, 512 * (same_place && p ? p - p % 2 : p)};
        emit(m, "ld.param.u64 %%rd%u, [a];\n", p);
    }
    for (unsigned r = 0; r < N_INT; r++) {
        m->r[r] = (struct value){0, r & 7};
        emit(m, "ld.param.u32 %%r%u, [n];\n", r);
    }
    for (unsigned f = 0; f < N_FLOAT; f++) {
        emit(m, "ld.param.f32 %%f%u, [n];\n", f);
    }
}

/* What is left becomes visible. */
static void end_model(struct model *m, unsigned n_f)
{
    for (unsigned f = 0; f < n_f; f++) {
        m->where[0][m->pc] = m->p[0].number + 4 * f;
        m->saw[0][m->pc] = m->p[0].from | m->f[f].from;
        emit(m, "st.global.f32 [%%rd0+%u], %%f%u;\n", 4 * f, f);
    }
    emit(m, "ret;\n");
}

static void schedules_are_legal(void **state)
{
    (void)state;
    static struct trail ptx, code;
    static struct model m;
    for (unsigned round = 0; round < 400; round++) {
        begin_model(&m, round);
        while (m.pc < STEPS + 20)
            random_step(&m);
        end_model(&m, m.n_f);
        struct built b = build(parse_body(m.text));
        uint64_t *reg = calloc(b.t.code->n_scoreboard + 1, sizeof *reg);
        memset(&ptx, 0, sizeof ptx);
        memset(&code, 0, sizeof code);
        trail_ptx(&ptx, &b, &m, 0, b.t.n_inst, 0);
        trail_ops(&code, &b, &m, reg, 0, b.t.code->n_op);
        compare(&ptx, &code, &m);
        free(reg);
        drop(&b);
        free(m.text);
    }
}

/* A random loop of four iterations, unrolled, between what sets its registers and what shows them. */
static void unrolled_loops_are_legal(void **state)
{
    (void)state;
    static struct trail ptx, code;
    static struct model m;
    for (unsigned round = 0; round < 400; round++) {
        begin_model(&m, round);
        emit(&m, "mov.u32 %%r60, 0;\nbra L;\nL: ");
        uint32_t first = ++m.pc, seed = m.random_state;
        unsigned n_r = m.n_r, n_f = m.n_f, n_p = m.n_p;
        for (m.iteration = 0; m.iteration < COPIES; m.iteration++) {
            m.pc = first;
            m.random_state = seed;
            m.n_r = n_r, m.n_f = n_f, m.n_p = n_p;
            while (m.pc < first + 20)
                random_step(&m);
        }
        m.iteration = 0;
        emit(&m, "add.s32 %%r60, %%r60, 1;\n");
        emit(&m, "setp.lt.s32 %%p2, %%r60, 100;\n");
        emit(&m, "@%%p2 bra L;\n");
        uint32_t behind = m.pc;
        end_model(&m, n_f); /* registers that only the body knows are not read behind it */
        struct built b = build(parse_body(m.text));
        const struct trace_region *r = b.t.code->region;
        uint64_t *reg = calloc(b.t.code->n_scoreboard + 1, sizeof *reg);
        memset(&ptx, 0, sizeof ptx);
        memset(&code, 0, sizeof code);
        assert_int_equal(r[1].pc, first);
        assert_int_equal(r[1].copies, COPIES);
        trail_ops(&code, &b, &m, reg, r[0].op, r[0].n_op);
        trail_ops(&code, &b, &m, reg, r[1].all.op, r[1].all.n_op);
        trail_ops(&code, &b, &m, reg, r[2].op, r[2].n_op);
        for (unsigned k = 0; k < COPIES; k++)
            trail_ptx(&ptx, &b, &m, first, behind, k);
        trail_ptx(&ptx, &b, &m, behind, b.t.n_inst, 0);
        compare(&ptx, &code, &m);
        free(reg);
        drop(&b);
        free(m.text);
    }
}

static void counted_loops_are_unrolled(void **state)
{
    /* A dot product: addresses advance in the accesses, additions, comparison and branch are done once. */
    static const char body[] =
        "mov.u32 %%r1, 0;\nbra L;\nL: %s\nld.global.f32 %%f1, [%%rd1];\nld.global.f32 %%f2, [%%rd2];\n"
        "fma.rn.f32 %%f3, %%f1, %%f2, %%f3;\nadd.s64 %%rd1, %%rd1, 4;\nadd.s64 %%rd2, %%rd2, 4;\n"
        "add.s32 %%r1, %%r1, %s;\nsetp.lt.s32 %%p1, %%r1, %s;\n%s\n"
        "M: st.global.f32 [%%rd3], %%f3;\nret;";
    /* The branch back, or one that leaves before a jump back: the same to an assembler. */
    static const char back[] = "@%p1 bra L;", leaves[] = "@%p1 bra M;\nbra.uni L;";
    static const struct {
        const char *pragma, *step, *limit, *branch;
        bool unrolled;
    } cases[] = {{"", "1", "%r2", back, true},
                 {"", "32", "1000", back, true},
                 {"", "1", "%r2", leaves, true},
                 {".pragma \"nounroll\";", "1", "%r2", back, false},
                 {".pragma \"nounroll\";", "1", "%r2", leaves, false},
                 {"", "%r3", "%r2", back, false}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[1024];
        snprintf(text, sizeof text, body, cases[k].pragma, cases[k].step, cases[k].limit, cases[k].branch);
        struct built b = build(parse_body(text));
        const struct trace_region *r = &b.t.code->region[1];
        assert_int_equal(r->copies, cases[k].unrolled ? 4 : 0);
        if (cases[k].unrolled) {
            assert_int_equal(r->all.n_op, 8 + 4 + 5 + 2);
            assert_int_equal(r->half.n_op, 4 + 2 + 5 + 2);
            for (uint32_t n = 0; n < 8; n++)
                assert_int_equal(b.t.code->op[r->all.op + n].cls, TRACE_LOAD);
        }
        drop(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_come_first),
        cmocka_unit_test(loads_stay_behind_stores_they_may_meet),
        cmocka_unit_test(nothing_passes_a_barrier_or_a_fence),
        cmocka_unit_test(users_take_in_what_they_can),
        cmocka_unit_test(short_branches_are_predicated),
        cmocka_unit_test(nothing_passes_the_branch_of_a_sequence),
        cmocka_unit_test(guards_are_known),
        cmocka_unit_test(sequences_have_the_assemblers_length),
        cmocka_unit_test(neighbors_of_a_shared_variable_are_one_load),
        cmocka_unit_test(neighbors_behind_an_index_are_one_load),
        cmocka_unit_test(loads_ahead_are_limited),
        cmocka_unit_test(operands_find_registers),
        cmocka_unit_test(parameters_are_loaded_where_they_are_needed),
        cmocka_unit_test(lanes_that_part_meet_again),
        cmocka_unit_test(schedules_are_legal),
        cmocka_unit_test(counted_loops_are_unrolled),
        cmocka_unit_test(unrolled_loops_are_legal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
