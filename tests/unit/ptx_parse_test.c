/* ptx/: every form of text that compilers and inline assembly produce becomes the right data. */
#include "ptx_util.h"

static void module_header_and_files(void **state)
{
    (void)state;
    struct ptx_module *m = parse_ok(
        "// comment\n.version 9.0 /* more\n */ .target sm_90a, debug\n.address_size 64\n"
        ".entry k() {\n.loc 2 17 3\n exit;\n"
        ".loc 1 5 1, function_name $L__info_string0, inlined_at 2 17 3\n trap;\n"
        ".loc 1 9 1, function_name .debug_str+16, inlined_at 2 1 1\n trap;\n"
        ".loc 2 0 3\n ret;\n}\n"
        ".file 2 \"b.cu\"\n.file 1 \"dir/a.h\", 1700000000, 1234\n"
        ".section .debug_str\n{\n$L__info_string0:\n.b8 95,90\n.b32 $L_a-$L_b\n{ }\n}\n");
    assert_int_equal(m->version_major, 9);
    assert_int_equal(m->version_minor, 0);
    assert_int_equal(m->target_sm, 90);
    assert_int_equal(m->n_file, 2);
    assert_string_equal(m->file[0], "b.cu");
    const struct ptx_inst *i = func_named(m, "k")->inst;
    assert_int_equal(i[0].loc_file, 0);
    assert_int_equal(i[0].loc_line, 17);
    assert_int_equal(i[1].loc_file, 1); /* the innermost place of inlined code */
    assert_int_equal(i[1].loc_line, 5);
    assert_int_equal(i[2].loc_line, 9);
    assert_int_equal(i[3].loc_file, 0xffff); /* line 0: no place */
    assert_int_equal(i[3].loc_line, 0);
    assert_int_equal(i[0].line, 7);
    assert_int_equal(i[0].col, 2);
    ptx_module_free(m);
}

static void opcode_suffixes_are_sorted_by_kind(void **state)
{
    (void)state;
    struct ptx_module *m = parse_body(
        "setp.lt.and.f32 %p1|%p2, %f1, 0f3F800000, !%p3;\n"
        "cvt.rn.sat.f32.s64 %f1, %rd1;\n"
        "ld.volatile.shared.v4.u32 {%r1, %r2, _, %r4}, [%rd1+16];\n"
        "ld.global.nc.L1::no_allocate.L2::128B.f32 %f2, [%rd2];\n"
        "cp.async.ca.shared.global [%r1], [%rd1], 16;\n"
        "ld.shared::cluster.b32 %r1, [%r2];\n"
        "add .cc .u32 %r1, %r2, %r3;\n"
        "wmma.mma.sync.aligned.row.col.m16n16k16.s32.u8.u8.s32 "
        "{%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, {%r9,%r10}, {%r11,%r12}, "
        "{%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8};\n");
    const struct ptx_inst *i = func_named(m, "k")->inst;
    assert_int_equal(i[0].op, PTX_SETP);
    assert_int_equal(i[0].n_mod, 2);
    assert_int_equal(i[0].mod[0], PTX_M_LT);
    assert_int_equal(i[0].mod[1], PTX_M_AND);
    assert_int_equal(i[0].n_type, 1);
    assert_int_equal(i[0].type[0], PTX_T_F32);
    assert_int_equal(i[0].opnd[0].kind, PTX_O_PAIR);
    assert_int_equal(i[0].opnd[0].n, 2);
    assert_int_equal(i[0].opnd[3].kind, PTX_O_REG);
    assert_int_equal(i[0].opnd[3].neg, 1);
    assert_true(ptx_has(&i[1], PTX_M_RN) && ptx_has(&i[1], PTX_M_SAT) && !ptx_has(&i[1], PTX_M_RZ));
    assert_int_equal(i[1].type[0], PTX_T_F32);
    assert_int_equal(i[1].type[1], PTX_T_S64);
    assert_int_equal(i[2].vec, 4);
    assert_int_equal(i[2].space, PTX_S_SHARED);
    assert_int_equal(i[2].opnd[0].elem[2].kind, PTX_O_SINK);
    assert_int_equal(i[2].opnd[1].kind, PTX_O_ADDR);
    assert_int_equal(i[2].opnd[1].imm, 16);
    assert_true(ptx_has(&i[3], PTX_M_NO_ALLOCATE) && ptx_has(&i[3], PTX_M_L2_128B));
    assert_int_equal(i[4].space, PTX_S_SHARED);
    assert_int_equal(i[4].space2, PTX_S_GLOBAL);
    assert_int_equal(i[4].n_opnd, 3);
    assert_int_equal(i[5].space, PTX_S_SHARED_CLUSTER);
    assert_string_equal(i[6].text, "add.cc.u32"); /* blanks before a dot are not kept */
    assert_int_equal(i[7].n_type, 4);
    assert_int_equal(i[7].type[3], PTX_T_S32);
    for (unsigned k = 0; k < 8; k++)
        assert_null(i[k].bad);
    ptx_module_free(m);
}

static const struct ptx_opnd *imm(const struct ptx_inst *i)
{
    const struct ptx_opnd *o = &i->opnd[i->n_opnd - 1];
    assert_int_equal(o->kind, PTX_O_IMM);
    return o;
}

static void immediates(void **state)
{
    (void)state;
    struct ptx_module *m = parse_body(
        "mov.u32 %r1, 42; mov.u32 %r1, 0x2aU; mov.u32 %r1, 052; mov.u32 %r1, 0b101010U;\n"
        "mov.s32 %r1, -42; mov.u64 %rd1, 0xffffffffffffffff; mov.s64 %rd1, "
        "-9223372036854775808;\n"
        "mov.u32 %r1, (1 << 4) | 3; mov.u32 %r1, ~0; mov.u32 %r1, WARP_SZ - 1;\n"
        "mov.u32 %r1, 7 + 2 * 3 - 10 / 2 % 3; mov.u32 %r1, (.s64)-8 >> 1; mov.u32 %r1, !0;\n"
        "mov.f32 %f1, 0f3F800000; mov.f32 %f1, -0F40000000; mov.f64 %fd1, 0d3FF8000000000000;\n"
        "mov.f64 %fd1, 1.5; mov.f64 %fd1, -2.5e-3; mov.f64 %fd1, 1e3;\n");
    const struct ptx_inst *i = func_named(m, "k")->inst;
    static const int64_t want[] = {42, 42, 42, 42, -42, -1, INT64_MIN, 19, -1, 31, 11, -4, 1};
    for (unsigned k = 0; k < sizeof want / sizeof want[0]; k++) {
        assert_int_equal(imm(&i[k])->is_float, 0);
        assert_int_equal(imm(&i[k])->imm, want[k]);
    }
    i += sizeof want / sizeof want[0];
    assert_int_equal(imm(&i[0])->float_bytes, 4);
    assert_int_equal(imm(&i[0])->imm, 0x3f800000);
    assert_true(imm(&i[0])->f == 1.0);
    assert_int_equal(imm(&i[1])->imm, 0xc0000000);
    assert_true(imm(&i[1])->f == -2.0);
    assert_int_equal(imm(&i[2])->float_bytes, 8);
    assert_true(imm(&i[2])->f == 1.5);
    assert_true(imm(&i[3])->f == 1.5 && imm(&i[3])->is_float);
    assert_true(imm(&i[4])->f == -2.5e-3);
    assert_true(imm(&i[5])->f == 1000.0);
    ptx_module_free(m);
}

static void addresses_and_symbols(void **state)
{
    (void)state;
    struct ptx_module *m = parse_ok(
        HEAD
        ".global .u32 g; .func f();\n"
        ".entry k(.param .u64 a)\n{ .reg .b32 %r<4>; .reg .b64 %rd<9>; .local .b8 depot[16]; .shared .f32 s[4];\n"
        "ld.param.u64 %rd1, [a]; ld.global.u32 %r1, [g+4]; ld.u32 %r1, [%rd1+-4]; ld.u32 %r1, [%rd1-8];\n"
        "ld.local.u32 %r1, [depot+8]; ld.global.u32 %r1, [256]; mov.u64 %rd2, later; mov.u64 %rd3, f;\n"
        "mov.u64 %rd4, g+12; st.shared.f32 [s], 0f00000000; }\n.global .u64 later;\n");
    const struct ptx_func *k = func_named(m, "k");
    const struct ptx_inst *i = k->inst;
    assert_int_equal(i[0].opnd[1].sym, PTX_SYM(PTX_SYM_PARAM, 0));
    assert_int_equal(i[0].opnd[1].reg, -1);
    assert_int_equal(i[1].opnd[1].sym, PTX_SYM(PTX_SYM_VAR, ptx_find_var(m, "g")));
    assert_int_equal(i[1].opnd[1].imm, 4);
    assert_true(i[2].opnd[1].reg >= 0 && i[2].opnd[1].imm == -4);
    assert_int_equal(i[3].opnd[1].imm, -8);
    assert_int_equal(i[4].opnd[1].sym, PTX_SYM(PTX_SYM_LOCALVAR, 0));
    assert_true(i[5].opnd[1].reg < 0 && i[5].opnd[1].sym < 0 && i[5].opnd[1].imm == 256);
    assert_int_equal(i[6].opnd[1].kind, PTX_O_SYM); /* declared behind its use */
    assert_int_equal(i[6].opnd[1].sym, PTX_SYM(PTX_SYM_VAR, ptx_find_var(m, "later")));
    assert_int_equal(i[7].opnd[1].sym, PTX_SYM(PTX_SYM_FUNC, ptx_find_func(m, "f")));
    assert_int_equal(i[8].opnd[1].imm, 12);
    assert_int_equal(i[9].opnd[0].sym, PTX_SYM(PTX_SYM_LOCALVAR, 1));
    ptx_module_free(m);
}

static void textures_and_surfaces(void **state)
{
    (void)state;
    struct ptx_module *m = parse_ok(
        HEAD
        ".global .texref t; .global .samplerref smp; .global .surfref su;\n.entry k() { .reg .f32 %f<9>; .reg .b32 "
        "%r<9>; .reg .b64 %rd<4>; .reg .pred %p<3>;\n"
        "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5, %f6}];\n"
        "tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [t, smp, {%r1}];\n"
        "tex.level.a2d.v4.f32.f32 {%f1,%f2,%f3,%f4}|%p1, [%rd1, {%r1, %f5, %f6, %f6}], %f7;\n"
        "sust.b.2d.v2.b32.clamp [su, {%r1, %r2}], {%r3, %r4};\n"
        "suld.b.1d.b32.trap %r1, [%rd1, {%r2}];\n"
        "txq.width.b32 %r1, [%rd1]; tld4.r.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5,%f6}];\n}");
    const struct ptx_inst *i = func_named(m, "k")->inst;
    assert_int_equal(i[0].opnd[1].kind, PTX_O_TEXADDR);
    assert_int_equal(i[0].opnd[1].n, 2);
    assert_int_equal(i[0].opnd[1].elem[1].kind, PTX_O_VEC);
    assert_int_equal(i[1].opnd[1].n, 3);
    assert_int_equal(i[1].opnd[1].elem[0].sym, PTX_SYM(PTX_SYM_VAR, ptx_find_var(m, "t")));
    assert_int_equal(i[2].opnd[0].kind, PTX_O_PAIR);
    assert_int_equal(i[2].opnd[0].elem[0].kind, PTX_O_VEC);
    assert_int_equal(i[2].n_opnd, 3);
    assert_int_equal(i[3].opnd[0].kind, PTX_O_TEXADDR);
    assert_int_equal(i[5].opnd[1].kind, PTX_O_ADDR);
    for (unsigned k = 0; k < 7; k++)
        assert_null(i[k].bad);
    ptx_module_free(m);
}

static void special_registers(void **state)
{
    (void)state;
    struct ptx_module *m = parse_body(
        "mov.u32 %r1, %tid.x; mov.u32 %r2, %nctaid.z; mov.u64 %rd1, %clock64;\n"
        "mov.u32 %r3, %envreg12; mov.u32 %r4, %lanemask_le; mov.pred %p1, "
        "%is_explicit_cluster; mov.u64 %rd2, %pm3_64;");
    const struct ptx_inst *i = func_named(m, "k")->inst;
    static const int want[] = {PTX_SR_TID_X,  PTX_SR_NCTAID_Z,    PTX_SR_CLOCK64,
                               PTX_SR_ENVREG, PTX_SR_LANEMASK_LE, PTX_SR_IS_EXPLICIT_CLUSTER,
                               PTX_SR_PM3_64};
    for (unsigned k = 0; k < 7; k++) {
        assert_int_equal(i[k].opnd[1].kind, PTX_O_SREG);
        assert_int_equal(i[k].opnd[1].sreg, want[k]);
    }
    assert_int_equal(i[3].opnd[1].imm, 12);
    ptx_module_free(m);
}

static void guards_and_scoped_names(void **state)
{
    (void)state;
    struct ptx_module *m = parse_body(
        "{\n.reg .pred p, q; .reg .u32 t1, t2;\nsetp.eq.u32 p, %r1, 0;\n@p add.u32 t1, %r1, 1;\n"
        "@!p mov.u32 t1, 7;\n{ .reg .u64 t1; mov.u64 t1, 5; }\nmov.u32 %r1, t1;\n}\n"
        "{ .reg .u32 t1; mov.u32 t1, %r1; }\n"
        "{ .reg .b32 %r<4>; mov.b32 %r1, 9; }\n");
    const struct ptx_func *k = func_named(m, "k");
    const struct ptx_inst *i = k->inst;
    assert_int_equal(k->reg[i[1].guard].type, PTX_T_PRED);
    assert_false(i[1].guard_neg);
    assert_true(i[2].guard_neg);
    assert_int_equal(i[0].guard, -1);
    int32_t outer = i[1].opnd[0].reg, inner = i[3].opnd[0].reg, second = i[5].opnd[0].reg;
    assert_string_equal(k->reg[outer].name, "t1");
    assert_int_equal(k->reg[outer].type, PTX_T_U32);
    assert_int_equal(k->reg[inner].type, PTX_T_U64);
    assert_int_equal(i[4].opnd[1].reg, outer); /* the inner one is out of scope again */
    assert_true(second != outer && second != inner);
    assert_int_not_equal(i[6].opnd[0].reg, i[4].opnd[0].reg); /* a range in an inner scope hides the outer one */
    /* Registers of a range exist only when mentioned. */
    for (uint32_t r = 0; r < k->n_reg; r++)
        assert_string_not_equal(k->reg[r].name, "%r63");
    ptx_module_free(m);
}

static void labels_in_scopes_resolve_from_inside_out(void **state)
{
    (void)state;
    /* Inline assembly repeats its labels, in a scope each; references may come first. */
    struct ptx_module *m = parse_body(
        "{ bra L; mov.u32 %r1, 1; L: mov.u32 %r1, 2; bra L; }\n"
        "{ bra L; mov.u32 %r1, 3; L: mov.u32 %r1, 4; bra OUT; }\n"
        "bra L; L: OUT: ret;");
    const struct ptx_func *k = func_named(m, "k");
    assert_int_equal(k->label[k->inst[0].opnd[0].label].pc, 2);
    assert_int_equal(k->label[k->inst[3].opnd[0].label].pc, 2);
    assert_int_equal(k->label[k->inst[4].opnd[0].label].pc, 6);
    assert_int_equal(k->label[k->inst[7].opnd[0].label].pc, 9);
    assert_int_equal(k->label[k->inst[8].opnd[0].label].pc, 9);
    ptx_module_free(m);
}

static void vector_registers_and_selectors(void **state)
{
    (void)state;
    struct ptx_module *m = parse_body(
        ".reg .v4 .f32 v;\nld.global.v4.f32 v, [%rd1]; mov.f32 %f1, v.z;\n"
        "vadd.u32.u32.u32 %r1, %r2.b1, %r3.h0;");
    const struct ptx_func *k = func_named(m, "k");
    assert_int_equal(k->inst[0].opnd[0].kind, PTX_O_VEC);
    assert_int_equal(k->inst[0].opnd[0].n, 4);
    assert_int_equal(k->inst[1].opnd[1].reg, k->inst[0].opnd[0].elem[2].reg);
    assert_int_equal(k->inst[2].opnd[1].sel, PTX_M_B1);
    assert_int_equal(k->inst[2].opnd[2].sel, PTX_M_H0);
    ptx_module_free(m);
}

static void calls_have_one_shape(void **state)
{
    (void)state;
    struct ptx_module *m = parse_ok(
        HEAD
        ".func (.param .b32 r) f(.param .b32 a, .param .align 8 .b8 b[16]);\n.func g() .noreturn;\n"
        ".func (.reg .u32 o) h(.reg .u32 i) { add.u32 o, i, 1; ret; }\n"
        ".entry k() { .reg .b32 %r<4>; .reg .b64 %rd<3>; .param .b32 p0; .param .align 8 .b8 p1[16]; .param .b32 q;\n"
        "call.uni (q), f, (p0, p1);\n call g;\n call (%r1), h, (%r2);\n"
        "proto: .callprototype (.param .b32 _) _ (.param .b32 _, .param .align 8 .b8 _[16]) .noreturn;\n"
        "call (q), %rd1, (p0, p1), proto;\n list: .calltargets f, g;\n call %rd1, (p0), list;\n call %rd1, proto;\n"
        "call (_), h, (5);\n}");
    const struct ptx_func *k = func_named(m, "k");
    const struct ptx_inst *i = k->inst;
    assert_int_equal(i[0].n_opnd, 3);
    assert_int_equal(i[0].opnd[0].kind, PTX_O_LIST);
    assert_int_equal(i[0].opnd[0].n, 1);
    assert_int_equal(i[0].opnd[0].elem[0].sym, PTX_SYM(PTX_SYM_LOCALVAR, 2));
    assert_int_equal(i[0].opnd[1].sym, PTX_SYM(PTX_SYM_FUNC, 0));
    assert_int_equal(i[0].opnd[2].n, 2);
    assert_int_equal(i[1].n_opnd, 3);
    assert_int_equal(i[1].opnd[0].n, 0);
    assert_int_equal(i[1].opnd[2].n, 0);
    assert_int_equal(i[2].opnd[0].elem[0].kind, PTX_O_REG);
    assert_int_equal(i[3].n_opnd, 4);
    assert_int_equal(i[3].opnd[1].kind, PTX_O_REG);
    assert_true(k->label[i[3].opnd[3].label].noreturn);
    assert_non_null(k->label[i[3].opnd[3].label].proto);
    const struct ptx_label *list = &k->label[i[4].opnd[3].label];
    assert_true(list->is_calltargets);
    assert_int_equal(list->n_target, 2);
    assert_int_equal(list->target[1], PTX_SYM(PTX_SYM_FUNC, 1));
    assert_int_equal(i[5].n_opnd, 4);
    assert_int_equal(i[5].opnd[2].n, 0);
    assert_int_equal(i[6].opnd[0].elem[0].kind, PTX_O_SINK);
    assert_int_equal(i[6].opnd[2].elem[0].imm, 5);
    assert_true(func_named(m, "g")->noreturn);
    const struct ptx_func *h = func_named(m, "h");
    assert_int_equal(h->param[0].in_reg, 1);
    assert_string_equal(h->reg[h->param[0].reg].name, "i");
    assert_string_equal(h->reg[h->param[1].reg].name, "o");
    ptx_module_free(m);
}

static void indexed_branches(void **state)
{
    (void)state;
    struct ptx_module *m =
        parse_body("ts: .branchtargets A, B, A;\n@%p1 brx.idx %r1, ts;\nA: mov.u32 %r1, 1;\nB: ret;");
    const struct ptx_func *k = func_named(m, "k");
    const struct ptx_label *l = &k->label[k->inst[0].opnd[1].label];
    assert_int_equal(l->n_target, 3);
    assert_int_equal(k->label[l->target[0]].pc, 1);
    assert_int_equal(k->label[l->target[1]].pc, 2);
    assert_false(l->is_calltargets);
    ptx_module_free(m);
}

static void parameters_are_laid_out(void **state)
{
    (void)state;
    struct ptx_module *m =
        parse_ok(HEAD
                 ".visible .entry k(.param .u8 a, .param .u64 .ptr .global .align 4 b, .param .align 4 .b8 c[12],\n"
                 ".param .u64 .ptr d, .param .f32 e[3])\n.maxntid 256, 2\n.reqntid 32\n.minnctapersm 2 .maxnreg 64\n"
                 ".explicitcluster .reqnctapercluster 2, 1, 1 .maxclusterrank 4 .pragma \"nounroll\";\n{ ret; }\n"
                 ".weak .func (.param .b64 r0) f(.param .b32 x, .param .b8 va[]);");
    const struct ptx_func *k = func_named(m, "k");
    assert_true(k->is_entry && k->has_body && k->linkage == PTX_L_VISIBLE);
    static const uint32_t offset[] = {0, 8, 16, 32, 40}, bytes[] = {1, 8, 12, 8, 12};
    assert_int_equal(k->n_param, 5);
    for (unsigned p = 0; p < 5; p++) {
        assert_int_equal(k->param[p].offset, offset[p]);
        assert_int_equal(k->param[p].bytes, bytes[p]);
    }
    assert_int_equal(k->param_bytes, 52);
    assert_int_equal(k->maxntid[0] * 1000 + k->maxntid[1] * 10 + k->maxntid[2], 256021);
    assert_int_equal(k->reqntid[0], 32);
    assert_int_equal(k->reqntid[2], 1);
    assert_int_equal(k->minnctapersm, 2);
    assert_int_equal(k->maxnreg, 64);
    const struct ptx_func *f = func_named(m, "f");
    assert_true(!f->has_body && !f->is_entry && f->linkage == PTX_L_WEAK);
    assert_int_equal(f->n_ret, 1);
    assert_string_equal(f->param[f->n_param].name, "r0");
    assert_int_equal(f->ret_bytes, 8);
    ptx_module_free(m);
}

static void variables_and_initializers(void **state)
{
    (void)state;
    struct ptx_module *m = parse_ok(
        HEAD
        ".extern .shared .align 16 .b8 dyn[];\n.global .align 4 .b8 bytes[8] = {1, 2, 255};\n"
        ".const .f32 fs[2] = {0f3F800000, 2.5};\n.global .u64 p = bytes;\n.global .u64 q[3] = {0, generic(bytes)+8, "
        "bytes-4};\n"
        ".global .b8 parts[4] = {0xff(bytes), 0xff00(bytes), 0xff0000(generic(bytes)), 7};\n"
        ".visible .global .attribute(.managed) .align 4 .u32 managed = 7;\n"
        ".global .s16 grid[2][3] = {{1, 2}, {-4, 5, 6}};\n.global .v2 .f32 v[2] = {{1.0, 2.0}, {3.0}};\n"
        ".global .b8 str[] = \"hi\\n\";\n.global .u32 a = 3, b, c[2];\n.common .global .f64 cm;\n"
        ".extern .global .u32 twice; .visible .global .u32 twice = 9;\n.global .u8 flat[2][2] = {1, 2, 3, 4};\n"
        ".global .f64 d = 1;\n.global .u64 fn[1] = {f}; .func f() { ret; }\n.global .texref tx;\n"
        ".shared .align 8 .b64 bars[4];\n.global .b8 none[4] = {};");
    assert_true(var_named(m, "dyn")->unsized && var_named(m, "dyn")->linkage == PTX_L_EXTERN);
    assert_int_equal(var_named(m, "dyn")->align, 16);
    const struct ptx_var *v = var_named(m, "bytes");
    static const uint8_t bytes[8] = {1, 2, 255};
    assert_int_equal(v->bytes, 8);
    assert_int_equal(v->align, 4);
    assert_memory_equal(v->init, bytes, 8);
    float f[2];
    memcpy(f, var_named(m, "fs")->init, 8);
    assert_true(f[0] == 1.0f && f[1] == 2.5f);
    assert_int_equal(var_named(m, "fs")->space, PTX_S_CONST);
    v = var_named(m, "q");
    assert_int_equal(v->n_ref, 2);
    assert_int_equal(v->ref[0].offset, 8);
    assert_int_equal(v->ref[0].generic, 1);
    assert_int_equal(v->ref[0].addend, 8);
    assert_int_equal(v->ref[1].addend, -4);
    assert_int_equal(v->ref[1].sym, PTX_SYM(PTX_SYM_VAR, ptx_find_var(m, "bytes")));
    v = var_named(m, "parts");
    assert_int_equal(v->n_ref, 3);
    assert_int_equal(v->ref[1].shift, 8);
    assert_int_equal(v->ref[1].bytes, 1);
    assert_int_equal(v->ref[2].generic, 1);
    assert_int_equal(v->init[3], 7);
    assert_true(var_named(m, "managed")->managed);
    int16_t grid[6];
    memcpy(grid, var_named(m, "grid")->init, 12);
    static const int16_t want_grid[6] = {1, 2, 0, -4, 5, 6};
    assert_memory_equal(grid, want_grid, 12);
    float vec[4];
    v = var_named(m, "v");
    assert_int_equal(v->vec, 2);
    assert_int_equal(v->align, 8);
    memcpy(vec, v->init, 16);
    assert_true(vec[0] == 1 && vec[1] == 2 && vec[2] == 3 && vec[3] == 0);
    v = var_named(m, "str");
    assert_false(v->unsized);
    assert_int_equal(v->bytes, 4);
    assert_memory_equal(v->init, "hi\n", 4);
    assert_int_equal(var_named(m, "a")->init[0], 3);
    assert_null(var_named(m, "b")->init);
    assert_int_equal(var_named(m, "c")->bytes, 8);
    assert_int_equal(var_named(m, "cm")->linkage, PTX_L_COMMON);
    assert_int_equal(var_named(m, "twice")->linkage, PTX_L_VISIBLE);
    assert_int_equal(var_named(m, "twice")->init[0], 9);
    assert_int_equal(var_named(m, "flat")->init[3], 4);
    double d;
    memcpy(&d, var_named(m, "d")->init, 8);
    assert_true(d == 1.0);
    assert_int_equal(var_named(m, "fn")->ref[0].sym, PTX_SYM(PTX_SYM_FUNC, ptx_find_func(m, "f")));
    assert_int_equal(var_named(m, "bars")->bytes, 32);
    assert_memory_equal(var_named(m, "none")->init, "\0\0\0\0", 4);
    ptx_module_free(m);
}

static void declarations_meet_their_definitions(void **state)
{
    (void)state;
    struct ptx_module *m = parse_ok(HEAD
                                    ".func (.param .b32 r) f(.param .b32 x);\n"
                                    ".entry k() { .param .b32 a; .param .b32 b; call (b), f, (a); ret; }\n"
                                    ".func (.param .b32 r) f(.param .b32 y) { ret; }\n"
                                    ".func (.param .b32 r) f(.param .b32 x);\n.func g(); .alias g, f;\n");
    assert_int_equal(m->n_func, 3);
    const struct ptx_func *f = func_named(m, "f");
    assert_true(f->has_body);
    assert_string_equal(f->param[0].name, "y");
    const struct ptx_func *g = func_named(m, "g");
    assert_true(g->has_body);
    assert_string_equal(g->name, "g");
    assert_ptr_equal(g->inst, f->inst);
    ptx_module_free(m);
}

static void what_is_unknown_is_kept_as_bad(void **state)
{
    (void)state;
    struct ptx_module *m = parse_body(
        "frobnicate.b32 %r1, %r2;\nadd.sideways.s32 %r1, %r2, 3;\n"
        "tcgen05.weird [%r1 <odd> ?? \"syntax\"], what+;\nmov.u32 %r1, 1;");
    const struct ptx_func *k = func_named(m, "k");
    assert_int_equal(k->n_inst, 4);
    assert_string_equal(k->inst[0].bad, "unknown instruction 'frobnicate.b32'");
    assert_int_equal(k->inst[0].n_opnd, 2);
    assert_string_equal(k->inst[1].bad, "unknown suffix '.sideways'");
    assert_int_equal(k->inst[1].op, PTX_ADD);
    assert_non_null(k->inst[2].bad);
    assert_int_equal(k->inst[2].n_opnd, 0);
    assert_null(k->inst[3].bad);
    ptx_module_free(m);
}

static void trailing_nuls_and_missing_terminator(void **state)
{
    (void)state;
    static const char text[] = HEAD ".entry k() { ret; }\0\0\0";
    struct err e;
    struct ptx_module *m = ptx_parse(text, sizeof text, "x", &e);
    assert_non_null(m);
    ptx_module_free(m);
    m = ptx_parse(text, strlen(text), "x", NULL); /* no err wanted */
    assert_non_null(m);
    ptx_module_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(module_header_and_files),
        cmocka_unit_test(opcode_suffixes_are_sorted_by_kind),
        cmocka_unit_test(immediates),
        cmocka_unit_test(addresses_and_symbols),
        cmocka_unit_test(textures_and_surfaces),
        cmocka_unit_test(special_registers),
        cmocka_unit_test(guards_and_scoped_names),
        cmocka_unit_test(labels_in_scopes_resolve_from_inside_out),
        cmocka_unit_test(vector_registers_and_selectors),
        cmocka_unit_test(calls_have_one_shape),
        cmocka_unit_test(indexed_branches),
        cmocka_unit_test(parameters_are_laid_out),
        cmocka_unit_test(variables_and_initializers),
        cmocka_unit_test(declarations_meet_their_definitions),
        cmocka_unit_test(what_is_unknown_is_kept_as_bad),
        cmocka_unit_test(trailing_nuls_and_missing_terminator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
