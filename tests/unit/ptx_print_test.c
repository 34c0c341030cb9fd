/* ptx/: a printed module parses to the same module. */
#include "ptx_util.h"

static const char *corpus;

static char *print(const struct ptx_module *m)
{
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    ptx_print(m, f);
    fclose(f);
    return text;
}

static void same_opnd(const struct ptx_opnd *a, const struct ptx_opnd *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->neg, b->neg);
    assert_int_equal(a->is_float, b->is_float);
    assert_int_equal(a->float_bytes, b->float_bytes);
    assert_int_equal(a->sreg, b->sreg);
    assert_int_equal(a->sel, b->sel);
    assert_int_equal(a->reg, b->reg);
    assert_int_equal(a->sym, b->sym);
    assert_int_equal(a->label, b->label);
    assert_int_equal(a->imm, b->imm);
    assert_int_equal(a->n, b->n);
    for (unsigned k = 0; k < a->n; k++)
        same_opnd(&a->elem[k], &b->elem[k]);
}

static void same_vars(const struct ptx_var *a, const struct ptx_var *b, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        assert_int_equal(a[k].space, b[k].space);
        assert_int_equal(a[k].type, b[k].type);
        assert_int_equal(a[k].vec, b[k].vec);
        assert_int_equal(a[k].linkage, b[k].linkage);
        assert_int_equal(a[k].unsized, b[k].unsized);
        assert_int_equal(a[k].managed, b[k].managed);
        assert_int_equal(a[k].align, b[k].align);
        assert_int_equal(a[k].bytes, b[k].bytes);
        assert_int_equal(a[k].init != NULL, b[k].init != NULL);
        if (a[k].init)
            assert_memory_equal(a[k].init, b[k].init, a[k].bytes);
        assert_int_equal(a[k].n_ref, b[k].n_ref);
        for (uint32_t r = 0; r < a[k].n_ref; r++) {
            assert_int_equal(a[k].ref[r].offset, b[k].ref[r].offset);
            assert_int_equal(a[k].ref[r].sym, b[k].ref[r].sym);
            assert_int_equal(a[k].ref[r].addend, b[k].ref[r].addend);
            assert_int_equal(a[k].ref[r].bytes, b[k].ref[r].bytes);
            assert_int_equal(a[k].ref[r].shift, b[k].ref[r].shift);
            assert_int_equal(a[k].ref[r].generic, b[k].ref[r].generic);
        }
    }
}

static void same_func(const struct ptx_func *a, const struct ptx_func *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->is_entry, b->is_entry);
    assert_int_equal(a->has_body, b->has_body);
    assert_int_equal(a->noreturn, b->noreturn);
    assert_int_equal(a->linkage, b->linkage);
    assert_memory_equal(a->maxntid, b->maxntid, sizeof a->maxntid);
    assert_memory_equal(a->reqntid, b->reqntid, sizeof a->reqntid);
    assert_int_equal(a->minnctapersm, b->minnctapersm);
    assert_int_equal(a->maxnreg, b->maxnreg);
    assert_int_equal(a->n_param, b->n_param);
    assert_int_equal(a->n_ret, b->n_ret);
    for (uint32_t k = 0; k < a->n_param + a->n_ret; k++) {
        assert_int_equal(a->param[k].type, b->param[k].type);
        assert_int_equal(a->param[k].offset, b->param[k].offset);
        assert_int_equal(a->param[k].bytes, b->param[k].bytes);
        assert_int_equal(a->param[k].reg, b->param[k].reg);
    }
    assert_int_equal(a->n_reg, b->n_reg);
    for (uint32_t k = 0; k < a->n_reg; k++)
        assert_int_equal(a->reg[k].type, b->reg[k].type);
    assert_int_equal(a->n_var, b->n_var);
    same_vars(a->var, b->var, a->n_var);
    assert_int_equal(a->n_label, b->n_label);
    for (uint32_t k = 0; k < a->n_label; k++) {
        assert_int_equal(a->label[k].pc, b->label[k].pc);
        assert_int_equal(a->label[k].n_target, b->label[k].n_target);
        for (uint32_t t = 0; t < a->label[k].n_target; t++)
            assert_int_equal(a->label[k].target[t], b->label[k].target[t]);
        assert_int_equal(a->label[k].noreturn, b->label[k].noreturn);
    }
    assert_int_equal(a->n_inst, b->n_inst);
    for (uint32_t pc = 0; pc < a->n_inst; pc++) {
        const struct ptx_inst *x = &a->inst[pc], *y = &b->inst[pc];
        assert_string_equal(x->text, y->text);
        assert_int_equal(x->op, y->op);
        assert_int_equal(x->guard, y->guard);
        assert_int_equal(x->guard_neg, y->guard_neg);
        assert_int_equal(x->loc_line, y->loc_line);
        assert_int_equal(x->loc_file, y->loc_file);
        assert_int_equal(x->bad != NULL, y->bad != NULL);
        assert_memory_equal(x->type, y->type, sizeof x->type);
        assert_memory_equal(x->modset, y->modset, sizeof x->modset);
        assert_int_equal(x->n_opnd, y->n_opnd);
        for (unsigned k = 0; k < x->n_opnd; k++)
            same_opnd(&x->opnd[k], &y->opnd[k]);
    }
}

static void check_round_trip(struct ptx_module *m)
{
    char *once = print(m);
    struct err e;
    struct ptx_module *again = ptx_parse(once, strlen(once), "printed", &e);
    if (!again)
        fail_msg("printed:%d:%d: %s\n%s", e.line, e.col, e.msg, once);
    assert_int_equal(m->version_major, again->version_major);
    assert_int_equal(m->target_sm, again->target_sm);
    assert_int_equal(m->n_file, again->n_file);
    assert_int_equal(m->n_var, again->n_var);
    same_vars(m->var, again->var, m->n_var);
    assert_int_equal(m->n_func, again->n_func);
    for (uint32_t k = 0; k < m->n_func; k++)
        same_func(&m->func[k], &again->func[k]);
    char *twice = print(again);
    assert_string_equal(once, twice);
    free(once);
    free(twice);
    ptx_module_free(again);
}

static void compilers_output_round_trips(void **state)
{
    (void)state;
    assert_true(each_corpus_module(corpus, check_round_trip) >= 3);
}

static void odd_names_round_trip(void **state)
{
    (void)state;
    struct ptx_module *m = parse_body(
        "{ .reg .b32 t, t$1; mov.b32 t, 1; mov.b32 t$1, 2; L: bra L; }\n"
        "{ .reg .b32 t; .reg .b64 a; mov.b32 t, 3; mov.b64 a, -9223372036854775808; L: bra L; }\n"
        ".reg .v2 .f32 v; .param .b32 p0; mov.f32 v.x, 0fBF800000; add.f64 %fd1, %fd2, -1.5;\n"
        "{ .param .b32 p0; st.param.b32 [p0+0], %r1; }\n weird.op ?? ;\n"
        "vadd.u32.u32.u32 %r1, %r2.b1, %r3.h0; mov.u32 %r1, %envreg7; ld.u32 %r1, [-8];");
    check_round_trip(m);
    char *text = print(m);
    assert_non_null(strstr(text, "t$2")); /* the third name of that stem */
    free(text);
    ptx_module_free(m);
}

int main(int argc, char **argv)
{
    corpus = argc > 1 ? argv[1] : ".";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compilers_output_round_trips),
        cmocka_unit_test(odd_names_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
