/* ptx/: timing classes and the kernel table that the machine reads. */
#include "ptx_util.h"

#include "ptx/kernel_table.h"

static void classes_follow_operation_and_type(void **state)
{
    (void)state;
    static const struct {
        const char *inst;
        unsigned cls;
    } cases[] = {
        {"add.s32 %r1, %r2, %r3;", TRACE_INT_ADD},
        {"add.f32 %f1, %f2, %f3;", TRACE_FP_ADD},
        {"add.f64 %fd1, %fd2, %fd3;", TRACE_DP_ADD},
        {"add.f16 %h1, %h2, %h3;", TRACE_FP_ADD},
        {"and.b32 %r1, %r2, %r3;", TRACE_INT_ADD},
        {"and.pred %p1, %p2, %p3;", TRACE_MOVE},
        {"shl.b32 %r1, %r2, 3;", TRACE_INT_ADD},
        {"prmt.b32 %r1, %r2, %r3, 5;", TRACE_INT_ADD},
        {"setp.lt.f32 %p1, %f1, %f2;", TRACE_FP_ADD},
        {"set.eq.u32.f64 %r1, %fd1, %fd2;", TRACE_DP_ADD},
        {"mul.lo.s32 %r1, %r2, %r3;", TRACE_INT_MUL},
        {"mul.wide.u32 %rd1, %r2, %r3;", TRACE_INT_MUL},
        {"mul.f32 %f1, %f2, %f3;", TRACE_FP_MUL},
        {"mad.lo.s32 %r1, %r2, %r3, %r4;", TRACE_INT_MAD},
        {"fma.rn.f32 %f1, %f2, %f3, %f4;", TRACE_FP_MAD},
        {"fma.rn.f64 %fd1, %fd2, %fd3, %fd4;", TRACE_DP_MAD},
        {"div.s32 %r1, %r2, %r3;", TRACE_INT_DIV},
        {"rem.u32 %r1, %r2, %r3;", TRACE_INT_DIV},
        {"div.rn.f32 %f1, %f2, %f3;", TRACE_FP_DIV},
        {"sqrt.rn.f64 %fd1, %fd2;", TRACE_DP_DIV},
        {"rcp.approx.ftz.f32 %f1, %f2;", TRACE_SFU},
        {"sin.approx.f32 %f1, %f2;", TRACE_SFU},
        {"min.s32 %r1, %r2, %r3;", TRACE_INT_MINMAX},
        {"abs.f32 %f1, %f2;", TRACE_FP_MINMAX},
        {"cvt.rn.f32.s32 %f1, %r1;", TRACE_CVT},
        {"cvta.to.global.u64 %rd1, %rd2;", TRACE_MOVE},
        {"selp.b32 %r1, %r2, %r3, %p1;", TRACE_MOVE},
        {"shfl.sync.idx.b32 %r1|%p1, %r2, %r3, %r4, %r5;", TRACE_WARP},
        {"bar.warp.sync %r1;", TRACE_WARP},
        {"bar.sync 0;", TRACE_BARRIER},
        {"barrier.sync 1, 64;", TRACE_BARRIER},
        {"membar.gl;", TRACE_FENCE},
        {"ld.global.f32 %f1, [%rd1];", TRACE_LOAD},
        {"ld.param.u64 %rd1, [a];", TRACE_LOAD},
        {"st.shared.f32 [%rd1], %f1;", TRACE_STORE},
        {"atom.global.add.u32 %r1, [%rd1], 1;", TRACE_ATOM},
        {"red.global.add.u32 [%rd1], 1;", TRACE_RED},
        {"cp.async.ca.shared.global [%r1], [%rd1], 16;", TRACE_LOAD},
        {"cp.async.wait_all;", TRACE_FENCE},
        {"nanosleep.u32 100;", TRACE_SLEEP},
        {"exit;", TRACE_EXIT},
        {"trap;", TRACE_EXIT},
        {"ret;", TRACE_RET},
        {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r3}, {%f1,%f2,%f3,%f4};",
         TRACE_TENSOR},
        {"made.up %r1;", TRACE_NOP},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct ptx_module *m = parse_body(cases[k].inst);
        if (ptx_class(&func_named(m, "k")->inst[0]) != cases[k].cls)
            fail_msg("class of %s is %u", cases[k].inst, ptx_class(&func_named(m, "k")->inst[0]));
        ptx_module_free(m);
    }
}

struct built {
    struct ptx_module *m;
    struct arena *arena;
    struct ptx_code code[16];
    unsigned n_code;
    struct trace_kernel t;
};

static struct built build(struct ptx_module *m, const char *entry)
{
    struct built b = {.m = m, .arena = arena_new()};
    uint32_t list[16];
    assert_true(m->n_func <= 16);
    uint32_t n = ptx_reachable(m, (uint32_t)ptx_find_func(m, entry), list);
    for (uint32_t k = 0; k < n; k++)
        if (m->func[list[k]].has_body)
            b.code[b.n_code++] = (struct ptx_code){.module = m, .func = &m->func[list[k]]};
    struct err e;
    if (ptx_build_kernel(b.code, b.n_code, b.arena, &b.t, &e) < 0)
        fail_msg("%s", e.msg);
    return b;
}

static void drop(struct built *b)
{
    arena_free(b->arena);
    ptx_module_free(b->m);
}

static const struct trace_inst *at(const struct built *b, const char *text)
{
    for (uint32_t pc = 0; pc < b->t.n_inst; pc++)
        if (!strcmp(b->t.str + b->t.inst[pc].opcode_at, text))
            return &b->t.inst[pc];
    fail_msg("no instruction '%s'", text);
    return NULL;
}

static void memory_facts(void **state)
{
    (void)state;
    struct built b = build(
        parse_body(
            ".shared .align 4 .b8 sh[100]; .local .align 8 .b8 lo[24]; .shared .align 16 .b8 sh2[16];\n"
            "ld.param.u64 %rd1, [a];\nld.global.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1];\nld.volatile.shared.u16 %h1, [sh];\n"
            "ld.global.nc.u32 %r1, [%rd1];\nld.u8 %r2, [%rd1];\nst.cg.u64 [%rd1], %rd2;\nst.local.u32 [lo], %r1;\n"
            "ld.const.f64 %fd1, [%rd1];\nst.wt.global.u32 [%rd1], %r1;\nld.global.cs.u32 %r1, [%rd1];\n"
            "ld.acquire.gpu.u32 %r1, [%rd1];\natom.add.release.gpu.u32 %r1, [%rd1], 1;\n"
            "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5, %f6}];\nsust.b.1d.b32.trap [%rd1, {%r1}], %r2;\n"
            "cp.async.cg.shared.global [%r1], [%rd1], 16;\ncvt.u64.u32 %rd3, %r1;\nst.global.u32 [%rd3], 1;\n"
            "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%rd1], %r9;\n"
            "bar.sync 2, 64;\nbar.arrive 3, %r1;\nbar.sync %r1;\nbarrier.sync 4;\nret;"),
        "k");
    static const struct {
        const char *text;
        unsigned cls, space, width, flags;
    } want[] = {
        {"ld.global.v4.f32", TRACE_LOAD, TRACE_SP_GLOBAL, 16, 0},
        {"ld.volatile.shared.u16", TRACE_LOAD, TRACE_SP_SHARED, 2, TRACE_MEM_VOLATILE},
        {"ld.global.nc.u32", TRACE_LOAD, TRACE_SP_GLOBAL, 4, TRACE_MEM_NC},
        {"ld.u8", TRACE_LOAD, TRACE_SP_GENERIC, 1, 0},
        {"st.cg.u64", TRACE_STORE, TRACE_SP_GENERIC, 8, TRACE_MEM_CG},
        {"st.local.u32", TRACE_STORE, TRACE_SP_LOCAL, 4, 0},
        {"ld.const.f64", TRACE_LOAD, TRACE_SP_CONST, 8, 0},
        {"st.wt.global.u32", TRACE_STORE, TRACE_SP_GLOBAL, 4, TRACE_MEM_WT},
        {"ld.global.cs.u32", TRACE_LOAD, TRACE_SP_GLOBAL, 4, TRACE_MEM_CS},
        {"ld.acquire.gpu.u32", TRACE_LOAD, TRACE_SP_GENERIC, 4, TRACE_MEM_VOLATILE},
        {"atom.add.release.gpu.u32", TRACE_ATOM, TRACE_SP_GENERIC, 4, 0},
        {"tex.2d.v4.f32.f32", TRACE_TEX, TRACE_SP_TEX, 16, TRACE_MEM_PLANE},
        {"sust.b.1d.b32.trap", TRACE_SURF, TRACE_SP_GLOBAL, 4, TRACE_MEM_ADDR_FROM_LOAD},
        {"cp.async.cg.shared.global", TRACE_LOAD, TRACE_SP_GLOBAL, 16,
         TRACE_MEM_CG | TRACE_MEM_ASYNC | TRACE_MEM_ADDR_FROM_LOAD},
        {"st.global.u32", TRACE_STORE, TRACE_SP_GLOBAL, 4, TRACE_MEM_ADDR_FROM_LOAD},
        {"wmma.load.a.sync.aligned.row.m16n16k16.global.f16", TRACE_LOAD, TRACE_SP_GLOBAL, 16, 0},
    };
    uint32_t n_mem = sizeof want / sizeof want[0];
    for (uint32_t k = 0; k < n_mem; k++) {
        const struct trace_inst *i = at(&b, want[k].text);
        assert_int_equal(i->cls, want[k].cls);
        assert_int_equal(i->space, want[k].space);
        assert_int_equal(i->width, want[k].width);
        assert_int_equal(i->mem_flags, want[k].flags);
        assert_int_equal(i->mem_index, k);
    }
    assert_int_equal(b.t.n_mem, n_mem + 2); /* and two barriers whose operands a register has */
    const struct trace_inst *param = at(&b, "ld.param.u64");
    assert_int_equal(param->space, TRACE_SP_PARAM);
    assert_int_equal(param->mem_index, UINT32_MAX);
    assert_int_equal(b.t.smem_static_bytes, 128);
    assert_int_equal(b.t.local_bytes_per_thread, 24);
    const struct trace_inst *bar = at(&b, "bar.sync");
    assert_int_equal(bar->barrier, 2);
    assert_int_equal(bar->width, 2);
    assert_int_equal(at(&b, "bar.arrive")->mem_flags, 1);
    assert_int_equal(at(&b, "bar.arrive")->barrier, 3);
    assert_int_equal(at(&b, "bar.arrive")->width, 0); /* a register tells */
    assert_int_equal((bar + 2)->barrier, 0xffff);
    assert_int_equal(bar->space, TRACE_SP_NONE);
    assert_int_equal(at(&b, "bar.arrive")->space, TRACE_SP_ASYNC);
    assert_int_equal(at(&b, "bar.arrive")->mem_index, n_mem);
    assert_int_equal((bar + 2)->mem_index, n_mem + 1);
    assert_int_equal(at(&b, "barrier.sync")->barrier, 4);
    drop(&b);
}

static void registers_are_numbered_once(void **state)
{
    (void)state;
    struct built b =
        build(parse_body("@%p1 mad.lo.s32 %r1, %r1, %r2, %r2;\nadd.cc.u32 %r3, %r1, 1;\naddc.u32 %r4, %r2, 0;\n"
                         "setp.eq.s32 %p2|%p3, %r3, %r4;\n@%p2 bra L;\nst.global.u32 [%rd1], %r4;\nL: ret;"),
              "k");
    const struct trace_inst *mad = at(&b, "mad.lo.s32"), *cc = at(&b, "add.cc.u32"), *addc = at(&b, "addc.u32");
    assert_int_equal(mad->n_dst, 1);
    assert_int_equal(mad->n_src, 3); /* %r1, %r2 and the guard */
    assert_int_equal(cc->n_dst, 2);
    assert_int_equal(addc->n_src, 2);
    const uint16_t *reg = b.t.reg;
    assert_int_equal(reg[cc->regs_at + 1], reg[addc->regs_at + addc->n_dst + 1]); /* the carry flag */
    assert_int_equal(at(&b, "setp.eq.s32")->n_dst, 2);
    for (uint32_t k = 0; k < b.t.n_reg_entries; k++)
        assert_true(reg[k] < b.t.n_scoreboard);
    drop(&b);
}

static void callees_follow_the_entry(void **state)
{
    (void)state;
    struct built b = build(
        parse_ok(
            HEAD
            ".func (.param .b32 r) leaf(.param .b32 x) { .reg .b32 %r<3>; .reg .pred %p<2>; ld.param.b32 %r1, [x];\n"
            "L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra L; st.param.b32 [r], %r1; ret; }\n"
            ".func unused() { ret; }\n"
            ".func mid() { .param .b32 a; .param .b32 o; call (o), leaf, (a); ret; }\n"
            ".entry k(.param .u32 n) .maxntid 128, 2, 1 { .reg .b32 %r<3>; .reg .pred %p<3>; ld.param.u32 %r1, [n];\n"
            "O: mov.u32 %r2, 1; call mid; @%p2 bra O; ret; }"),
        "k");
    assert_int_equal(b.n_code, 3);
    assert_string_equal(b.code[1].func->name, "mid");
    assert_string_equal(b.code[2].func->name, "leaf");
    assert_int_equal(b.code[0].base_pc, 0);
    assert_int_equal(b.code[1].base_pc, 5);
    assert_int_equal(b.code[2].base_pc, 7);
    assert_int_equal(b.t.n_inst, 13);
    assert_int_equal(b.t.max_threads_per_cta, 256);
    assert_string_equal(b.t.name, "k");
    /* A function's own parameters, and a call's, are moves; a kernel's are loads from the constant bank. */
    assert_int_equal(b.t.inst[0].space, TRACE_SP_PARAM);
    assert_int_equal(b.t.inst[7].cls, TRACE_MOVE);
    assert_int_equal(b.t.inst[7].space, TRACE_SP_NONE);
    assert_int_equal(b.t.inst[11].cls, TRACE_MOVE);
    assert_int_equal(b.t.n_mem, 0);
    /* Each function's loops and registers are apart. */
    assert_int_equal(b.t.n_loop, 2);
    assert_int_equal(b.t.inst[1].loop, 1);
    assert_int_equal(b.t.inst[8].loop, 2);
    assert_int_equal(b.t.loop[1].header_pc, 8);
    uint16_t in_entry = b.t.reg[b.t.inst[0].regs_at], in_leaf = b.t.reg[b.t.inst[7].regs_at];
    assert_int_not_equal(in_entry, in_leaf);
    assert_true(b.code[2].base_reg >= b.code[0].func->n_row + b.code[0].func->n_pred_row);
    drop(&b);
}

static void indirect_calls_reach_what_has_an_address(void **state)
{
    (void)state;
    struct ptx_module *m = parse_ok(
        HEAD
        ".func a() { ret; }\n.func b() { ret; }\n.func c() { ret; }\n.func d() { call c; ret; }\n.func e() { ret; }\n"
        ".global .u64 table[1] = {a};\n"
        ".entry k() { .reg .b64 %rd<3>; mov.u64 %rd1, d; p: .callprototype _ (); call %rd1, p; ret; }\n"
        ".entry exact() { .reg .b64 %rd<3>; t: .calltargets e; call %rd1, t; ret; }\n");
    uint32_t list[8];
    uint32_t n = ptx_reachable(m, (uint32_t)ptx_find_func(m, "k"), list);
    assert_int_equal(n, 4); /* k, a from the table, d, and c through d */
    assert_string_equal(m->func[list[0]].name, "k");
    for (uint32_t k = 0; k < n; k++)
        assert_true(!strchr("be", m->func[list[k]].name[0]));
    n = ptx_reachable(m, (uint32_t)ptx_find_func(m, "exact"), list);
    assert_int_equal(n, 2);
    assert_string_equal(m->func[list[1]].name, "e");
    ptx_module_free(m);
}

static void lines_and_files(void **state)
{
    (void)state;
    struct built b =
        build(parse_ok(HEAD ".entry k() {\n.loc 7 30 1\nbar.sync 0;\n.loc 9 40 1\nret;\n}\n.file 9 \"y.h\"\n"
                            ".file 7 \"x.cu\"\n"),
              "k");
    assert_int_equal(b.t.inst[0].ptx_line, 6);
    assert_int_equal(b.t.inst[0].src_line, 30);
    assert_string_equal(b.t.file[b.t.inst[0].src_file], "x.cu");
    assert_string_equal(b.t.file[b.t.inst[1].src_file], "y.h");
    drop(&b);
}

/* What addresses begin from: parameters through moves, sums and loops, variables; nothing where two meet. */
static void addresses_name_their_base(void **state)
{
    (void)state;
    struct built b = build(parse_ok(HEAD ".global .align 4 .b8 table[64];\n"
                                         ".entry k(.param .u64 a, .param .u64 b, .param .u64 n)\n{\n"
                                         ".reg .b64 %rd<20>; .reg .b32 %r<4>; .reg .pred %p<2>;\n"
                                         ".shared .align 4 .b8 tile[64];\n"
                                         "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\nld.param.u64 %rd3, [n];\n"
                                         "cvta.to.global.u64 %rd4, %rd1;\nmul.wide.s32 %rd5, %r1, 4;\n"
                                         "add.s64 %rd6, %rd4, %rd5;\n"
                                         "ld.global.u32 %r1, [%rd6+64];\n"
                                         "add.s64 %rd7, %rd2, %rd3;\nst.global.u32 [%rd7], %r1;\n"
                                         "L: add.s64 %rd2, %rd2, 4;\nld.global.u32 %r1, [%rd2+-8];\n"
                                         "ld.shared.u32 %r2, [tile+12];\n"
                                         "mov.u64 %rd8, table;\nst.global.u32 [%rd8+4], %r1;\n"
                                         "ld.global.u64 %rd9, [%rd6];\nld.global.u32 %r2, [%rd9];\nret;\n}\n"),
                           "k");
    static const char *const expected[] = {"#0+64", NULL, "#1-8", "tile+12", "table+4", "#0+0", NULL};
    unsigned n = 0;
    for (uint32_t pc = 0; pc < b.t.n_inst; pc++) {
        const char *address = trace_inst_address(&b.t, &b.t.inst[pc]);
        if (b.t.inst[pc].mem_index == UINT32_MAX) {
            assert_null(address);
            continue;
        }
        assert_true(n < sizeof expected / sizeof *expected);
        if (expected[n] ? !address || strcmp(address, expected[n]) : address != NULL)
            fail_msg("access %u: %s instead of %s", n, address ? address : "nothing",
                     expected[n] ? expected[n] : "nothing");
        n++;
    }
    assert_int_equal(n, sizeof expected / sizeof *expected);
    drop(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_follow_operation_and_type),
        cmocka_unit_test(memory_facts),
        cmocka_unit_test(registers_are_numbered_once),
        cmocka_unit_test(callees_follow_the_entry),
        cmocka_unit_test(indirect_calls_reach_what_has_an_address),
        cmocka_unit_test(lines_and_files),
        cmocka_unit_test(addresses_name_their_base),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
