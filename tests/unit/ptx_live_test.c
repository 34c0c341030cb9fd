/*
 * ptx/: live ranges, register rows and address dependence. The rows of real compilers' output are checked by a second,
 * independent reading of the code: it follows what each row holds along every path and finds a register that another
 * one has overwritten. It shares nothing with the passes it checks, not even the table of destinations.
 */
#include "ptx_util.h"

static const char *corpus;

/* ---- an independent view of an instruction ---- */

static bool starts(const char *s, const char *prefix)
{
    return !strncmp(s, prefix, strlen(prefix));
}

static bool has_destination(const struct ptx_inst *i)
{
    static const char *const without[] = {
        "st.",       "bra",      "brx",      "ret",      "exit",          "trap",           "red.",     "sust.",
        "membar",    "fence",    "bar.sync", "bar.warp", "bar.arrive",    "barrier.sync",   "cp.",      "wmma.store",
        "nanosleep", "prefetch", "pmevent",  "brkpt",    "mbarrier.init", "mbarrier.inval", "stmatrix", "sured"};
    for (size_t k = 0; k < sizeof without / sizeof without[0]; k++)
        if (starts(i->text, without[k]))
            return false;
    return i->n_opnd > 0;
}

typedef void reg_fn(uint32_t reg, void *ctx);

static void each_reg(const struct ptx_opnd *o, reg_fn *fn, void *ctx)
{
    if (o->reg >= 0)
        fn((uint32_t)o->reg, ctx);
    for (unsigned k = 0; k < o->n; k++)
        each_reg(&o->elem[k], fn, ctx);
}

static void each_def(const struct ptx_inst *i, reg_fn *fn, void *ctx)
{
    if (has_destination(i))
        each_reg(&i->opnd[0], fn, ctx);
}

static void each_use(const struct ptx_inst *i, reg_fn *fn, void *ctx)
{
    for (unsigned k = has_destination(i) ? 1 : 0; k < i->n_opnd; k++)
        each_reg(&i->opnd[k], fn, ctx);
    if (i->guard >= 0)
        fn((uint32_t)i->guard, ctx);
}

/* Successor pcs; n_inst is the exit. Returns how many. */
static unsigned successors(const struct ptx_func *f, uint32_t pc, uint32_t out[64])
{
    const struct ptx_inst *i = &f->inst[pc];
    unsigned n = 0;
    if (i->op == PTX_BRA)
        out[n++] = f->label[i->opnd[0].label].pc;
    if (i->op == PTX_BRX)
        for (uint32_t k = 0; k < f->label[i->opnd[1].label].n_target && n < 60; k++)
            out[n++] = f->label[f->label[i->opnd[1].label].target[k]].pc;
    bool ends = i->op == PTX_BRA || i->op == PTX_BRX || i->op == PTX_RET || i->op == PTX_EXIT || i->op == PTX_TRAP;
    if (!ends || i->guard >= 0)
        out[n++] = pc + 1;
    return n;
}

/* ---- what each row holds, along all paths ---- */

enum { NOTHING = -1, SEVERAL = -2 };

struct rows {
    const struct ptx_func *f;
    uint32_t n;     /* rows, then predicates */
    int32_t *holds; /* while walking one instruction */
    uint32_t pc;
    bool guarded;
};

static unsigned width(const struct ptx_reg *r)
{
    unsigned bytes = ptx_type_bytes((enum ptx_type)r->type);
    return r->type == PTX_T_PRED || bytes <= 4 ? 1 : bytes / 4;
}

static uint32_t first_row(const struct rows *s, uint32_t reg)
{
    const struct ptx_reg *r = &s->f->reg[reg];
    return r->row + (r->type == PTX_T_PRED ? s->f->n_row : 0);
}

static void check_use(uint32_t reg, void *ctx)
{
    struct rows *s = ctx;
    for (unsigned k = 0; k < width(&s->f->reg[reg]); k++) {
        int32_t held = s->holds[first_row(s, reg) + k];
        if (held != NOTHING && held != (int32_t)reg)
            fail_msg("%s line %u: %s reads %s from a row that holds %s", s->f->name, s->f->inst[s->pc].line,
                     s->f->inst[s->pc].text, s->f->reg[reg].name, held == SEVERAL ? "another" : s->f->reg[held].name);
    }
}

static void do_def(uint32_t reg, void *ctx)
{
    struct rows *s = ctx;
    for (unsigned k = 0; k < width(&s->f->reg[reg]); k++) {
        int32_t *held = &s->holds[first_row(s, reg) + k];
        /* Lanes that a guard switches off must keep an older value of the same register. */
        *held = s->guarded && *held != NOTHING && *held != (int32_t)reg ? SEVERAL : (int32_t)reg;
    }
}

struct overlap {
    const struct ptx_func *f;
    uint32_t reg;
};

static void check_apart(uint32_t other, void *ctx)
{
    const struct overlap *o = ctx;
    const struct ptx_reg *a = &o->f->reg[o->reg], *b = &o->f->reg[other];
    if (other == o->reg || (a->type == PTX_T_PRED) != (b->type == PTX_T_PRED))
        return;
    if (a->row < b->row + width(b) && b->row < a->row + width(a))
        fail_msg("%s: %s and %s of one instruction share a row", o->f->name, a->name, b->name);
}

struct inst_ctx {
    const struct ptx_func *f;
    const struct ptx_inst *i;
};
static void check_def_apart(uint32_t reg, void *ctx)
{
    const struct inst_ctx *c = ctx;
    struct overlap o = {c->f, reg};
    each_use(c->i, check_apart, &o);
    each_def(c->i, check_apart, &o);
}

static void check_rows(struct ptx_func *f)
{
    for (uint32_t r = 0; r < f->n_reg; r++) {
        unsigned w = width(&f->reg[r]);
        assert_int_equal(f->reg[r].row % w, 0);
        if (f->n_inst)
            assert_true(f->reg[r].row + w <= (f->reg[r].type == PTX_T_PRED ? f->n_pred_row : f->n_row) ||
                        f->reg[r].row == 0);
    }
    for (uint32_t pc = 0; pc < f->n_inst; pc++) {
        struct inst_ctx c = {f, &f->inst[pc]};
        each_def(&f->inst[pc], check_def_apart, &c);
    }
    struct rows s = {.f = f, .n = f->n_row + f->n_pred_row + 8};
    size_t bytes = s.n * sizeof(int32_t);
    int32_t *in = xcalloc(f->n_inst + 1, bytes);
    uint8_t *queued = xcalloc(f->n_inst + 1, 1), *seen = xcalloc(f->n_inst + 1, 1);
    uint32_t *queue = xcalloc(f->n_inst + 1, sizeof *queue), head = 0, count = 0;
    s.holds = xmalloc(bytes);
    for (uint32_t k = 0; k < s.n; k++)
        in[k] = NOTHING;
    if (f->n_inst) {
        seen[0] = queued[0] = 1;
        queue[count++] = 0;
    }
    while (count) {
        uint32_t pc = queue[head];
        head = (head + 1) % (f->n_inst + 1);
        count--;
        queued[pc] = 0;
        memcpy(s.holds, in + (size_t)pc * s.n, bytes);
        s.pc = pc;
        s.guarded = f->inst[pc].guard >= 0;
        each_use(&f->inst[pc], check_use, &s);
        each_def(&f->inst[pc], do_def, &s);
        uint32_t next[64];
        unsigned n = successors(f, pc, next);
        for (unsigned k = 0; k < n; k++) {
            if (next[k] >= f->n_inst)
                continue;
            int32_t *at = in + (size_t)next[k] * s.n;
            bool changed = !seen[next[k]];
            if (changed)
                memcpy(at, s.holds, bytes);
            for (uint32_t row = 0; row < s.n && seen[next[k]]; row++) {
                if (at[row] == s.holds[row] || s.holds[row] == NOTHING || at[row] == SEVERAL)
                    continue;
                at[row] = at[row] == NOTHING ? s.holds[row] : SEVERAL;
                changed = true;
            }
            seen[next[k]] = 1;
            if (changed && !queued[next[k]]) {
                queued[next[k]] = 1;
                queue[(head + count++) % (f->n_inst + 1)] = next[k];
            }
        }
    }
    free(in);
    free(queued);
    free(seen);
    free(queue);
    free(s.holds);
}

/* ---- the number of live registers, the slow way ---- */

struct bits {
    const struct ptx_func *f;
    uint8_t *set;
};
static void set_bit(uint32_t reg, void *ctx)
{
    ((struct bits *)ctx)->set[reg] = 1;
}
static void clear_bit(uint32_t reg, void *ctx)
{
    ((struct bits *)ctx)->set[reg] = 0;
}

static uint32_t set_rows(const struct ptx_func *f, const uint8_t *set)
{
    uint32_t n = 0;
    for (uint32_t r = 0; r < f->n_reg; r++)
        n += set[r] && f->reg[r].type != PTX_T_PRED ? width(&f->reg[r]) : 0;
    return n;
}

static uint32_t slow_max_live(const struct ptx_func *f)
{
    uint8_t *in = xcalloc((size_t)f->n_inst + 1, f->n_reg), *out = xmalloc(f->n_reg + 1);
    uint32_t most = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t pc = f->n_inst; pc-- > 0;) {
            uint32_t next[64];
            unsigned n = successors(f, pc, next);
            memset(out, 0, f->n_reg);
            for (unsigned k = 0; k < n; k++)
                for (uint32_t r = 0; r < f->n_reg; r++)
                    out[r] |= in[(size_t)next[k] * f->n_reg + r];
            struct bits b = {f, out};
            uint8_t *mine = in + (size_t)pc * f->n_reg;
            /* Behind the instruction its results exist, whether anybody reads them or not. */
            uint8_t *behind = xmalloc(f->n_reg + 1);
            memcpy(behind, out, f->n_reg);
            struct bits c = {f, behind};
            each_def(&f->inst[pc], set_bit, &c);
            uint32_t rows = set_rows(f, behind);
            free(behind);
            most = rows > most ? rows : most;
            if (f->inst[pc].guard < 0)
                each_def(&f->inst[pc], clear_bit, &b);
            each_use(&f->inst[pc], set_bit, &b);
            rows = set_rows(f, out);
            most = rows > most ? rows : most;
            if (memcmp(mine, out, f->n_reg) != 0) {
                memcpy(mine, out, f->n_reg);
                changed = true;
            }
        }
    }
    free(in);
    free(out);
    return most;
}

static unsigned n_checked;

static void check_module(struct ptx_module *m)
{
    struct err e;
    for (uint32_t k = 0; k < m->n_func; k++) {
        struct ptx_func *f = &m->func[k];
        if (!f->has_body)
            continue;
        if (ptx_analyze(m, f, &e) < 0)
            fail_msg("%s", e.msg);
        check_rows(f);
        if (f->n_inst < 400)
            assert_int_equal(f->max_live, slow_max_live(f));
        assert_true(f->n_row >= f->max_live || f->n_inst == 0);
        n_checked++;
    }
}

static void rows_of_real_code_are_sound(void **state)
{
    (void)state;
    assert_true(each_corpus_module(corpus, check_module) >= 3);
    assert_true(n_checked > 20);
}

static uint32_t rng = 99;
static uint32_t below(uint32_t n)
{
    rng = rng * 1664525u + 1013904223u;
    return (rng >> 8) % n;
}

static void rows_of_random_code_are_sound(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 300; round++) {
        char *text = NULL;
        size_t bytes;
        FILE *f = open_memstream(&text, &bytes);
        unsigned n = 5 + below(60);
        for (unsigned k = 0; k < n; k++) {
            fprintf(f, "L%u: ", k);
            if (below(4) == 0)
                fprintf(f, "@%s%%p%u ", below(2) ? "!" : "", below(4));
            switch (below(6)) {
            case 0:
                fprintf(f, "bra L%u;\n", below(n));
                break;
            case 1:
                fprintf(f, "setp.eq.u32 %%p%u|%%p%u, %%r%u, %%r%u;\n", below(2), 2 + below(2), below(8), below(8));
                break;
            case 2:
                fprintf(f, "mul.wide.u32 %%rd%u, %%r%u, %%r%u;\n", below(6), below(8), below(8));
                break;
            case 3:
                fprintf(f, "ld.global.v2.u32 {%%r%u, %%r%u}, [%%rd%u];\n", below(4), 4 + below(4), below(6));
                break;
            case 4:
                fprintf(f, "st.global.u64 [%%rd%u], %%rd%u;\n", below(6), below(6));
                break;
            default:
                fprintf(f, "add.u32 %%r%u, %%r%u, %%r%u;\n", below(8), below(8), below(8));
            }
        }
        fprintf(f, "ret;");
        fclose(f);
        struct ptx_module *m = parse_body(text);
        check_module(m);
        ptx_module_free(m);
        free(text);
    }
}

/* ---- known cases ---- */

static void live_ranges_end_at_the_last_read(void **state)
{
    (void)state;
    struct ptx_module *m = parse_body(
        "mov.u32 %r1, 1; mov.u32 %r2, 2; add.u32 %r3, %r1, %r2; add.u32 %r4, %r3, 1; "
        "st.global.u32 [%rd1], %r4; ret;");
    struct ptx_func *f = analyzed(m, "k");
    assert_int_equal(f->max_live, 4); /* %rd1 from the start, %r1 and %r2 */
    int32_t r1 = reg_named(f, "%r1"), r3 = reg_named(f, "%r3"), r4 = reg_named(f, "%r4");
    assert_int_not_equal(f->reg[r1].row, f->reg[r3].row); /* a source lives through its instruction */
    assert_int_equal(f->reg[r1].row, f->reg[r4].row);
    ptx_module_free(m);
}

static void guarded_write_keeps_the_old_value_alive(void **state)
{
    (void)state;
    struct ptx_module *m = parse_body(
        "mov.u32 %r1, 1; mov.u32 %r2, 2; st.global.u32 [%rd1], %r2; @%p1 mov.u32 %r1, 3; "
        "st.global.u32 [%rd1], %r1; ret;");
    struct ptx_func *f = analyzed(m, "k");
    assert_int_not_equal(f->reg[reg_named(f, "%r1")].row, f->reg[reg_named(f, "%r2")].row);
    ptx_module_free(m);
    m = parse_body(
        "mov.u32 %r1, 1; st.global.u32 [%rd1], %r1; mov.u32 %r2, 2; st.global.u32 [%rd1], %r2; mov.u32 %r1, 3; "
        "st.global.u32 [%rd1], %r1; ret;");
    f = analyzed(m, "k");
    assert_int_equal(f->reg[reg_named(f, "%r1")].row, f->reg[reg_named(f, "%r2")].row); /* it lives in two pieces */
    ptx_module_free(m);
}

static void widths_do_not_share_rows(void **state)
{
    (void)state;
    struct ptx_module *m = parse_body(
        "mov.u64 %rd1, 1; st.global.u64 [8], %rd1; mov.u32 %r1, 1; st.global.u32 [8], %r1; "
        "mov.u64 %rd2, 1; st.global.u64 [8], %rd2; mov.f32 %f1, 0f00000000; st.global.f32 "
        "[8], %f1; ret;");
    struct ptx_func *f = analyzed(m, "k");
    assert_int_equal(f->n_row, 3);
    assert_int_equal(f->reg[reg_named(f, "%rd1")].row, 0);
    assert_int_equal(f->reg[reg_named(f, "%rd2")].row, 0);
    assert_int_equal(f->reg[reg_named(f, "%r1")].row, 2);
    assert_int_equal(f->reg[reg_named(f, "%f1")].row, 2);
    ptx_module_free(m);
}

static void values_live_around_loops(void **state)
{
    (void)state;
    struct ptx_module *m = parse_body(
        "mov.u32 %r1, 1; L: mov.u32 %r2, 2; add.u32 %r3, %r2, %r1; st.global.u32 [8], %r3; "
        "@%p1 bra L; ret;");
    struct ptx_func *f = analyzed(m, "k");
    uint16_t r1 = f->reg[reg_named(f, "%r1")].row;
    assert_int_not_equal(r1, f->reg[reg_named(f, "%r2")].row);
    assert_int_not_equal(r1, f->reg[reg_named(f, "%r3")].row);
    ptx_module_free(m);
}

static void register_parameters_hold_their_place(void **state)
{
    (void)state;
    struct ptx_module *m = parse_ok(HEAD
                                    ".func (.reg .u32 o) f(.reg .u32 a, .reg .u32 unused) { .reg .u32 t; add.u32 t, a, "
                                    "1; mov.u32 o, t; add.u32 t, t, 2; st.global.u32 [8], t; ret; }");
    struct ptx_func *f = analyzed(m, "f");
    assert_int_not_equal(f->reg[f->param[0].reg].row, f->reg[f->param[1].reg].row);
    assert_int_not_equal(f->reg[f->param[2].reg].row, f->reg[reg_named(f, "t")].row); /* alive until the return */
    ptx_module_free(m);
}

static void register_counts_obey_bounds(void **state)
{
    (void)state;
    struct ptx_module *m =
        parse_ok(HEAD
                 ".entry a() { ret; } .entry b() .maxnreg 16 { .reg .b64 %rd<40>;\n"
                 "mov.u64 %rd1, 1; mov.u64 %rd2, 1; mov.u64 %rd3, 1; mov.u64 %rd4, 1; mov.u64 %rd5, 1; "
                 "mov.u64 %rd6, 1; mov.u64 %rd7, 1; mov.u64 %rd8, 1; mov.u64 %rd9, 1; mov.u64 %rd10, "
                 "1; st.u64 [%rd1], %rd2; st.u64 [%rd3], %rd4; st.u64 [%rd5], %rd6; st.u64 [%rd7], "
                 "%rd8; st.u64 [%rd9], %rd10; ret; }");
    struct ptx_func *b = analyzed(m, "b");
    assert_int_equal(b->max_live, 20);
    assert_int_equal(ptx_regs_per_thread(m, b), 16);
    b->maxnreg = 0;
    assert_true(ptx_regs_per_thread(m, b) >= 20);
    m->maxrregcount = 18;
    assert_int_equal(ptx_regs_per_thread(m, b), 18);
    assert_int_equal(ptx_regs_per_thread(m, analyzed(m, "a")), 8);
    ptx_module_free(m);
}

static void addresses_from_memory_are_marked(void **state)
{
    (void)state;
    struct ptx_module *m = parse_body(
        "ld.param.u64 %rd1, [a];\nld.global.u32 %r1, [%rd1];\n" /* parameters are no loads */
        "mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\nld.global.u32 %r2, [%rd3];\n"
        "setp.eq.u32 %p1, %r2, 0;\n@%p1 mov.u64 %rd4, %rd1;\nst.global.u32 [%rd4], %r2;\n"
        "selp.b64 %rd5, %rd1, %rd4, %p1;\nst.global.u32 [%rd5], %r2;\n"
        "atom.global.add.u32 %r3, [%rd1], 1;\ncvt.u64.u32 %rd6, %r3;\nst.global.u32 [%rd6], 1;\n"
        "mov.u32 %r4, %tid.x;\nmul.wide.u32 %rd7, %r4, 4;\nst.global.u32 [%rd7], %r1;\nret;");
    struct ptx_func *f = analyzed(m, "k");
    static const uint8_t want[] = {0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0};
    assert_int_equal(f->n_inst, sizeof want);
    assert_memory_equal(f->addr_from_load, want, sizeof want);
    ptx_module_free(m);
}

static void addresses_through_calls_and_textures_are_marked(void **state)
{
    (void)state;
    struct ptx_module *m = parse_ok(
        HEAD
        ".func (.param .b64 r) f(.param .b64 x) { .reg .b64 %rd<3>; ld.param.u64 %rd1, [x]; ld.u64 %rd2, [%rd1]; "
        "st.param.b64 [r], %rd2; ret; }\n"
        ".entry k(.param .u64 t) { .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; .param .b64 in; .param .b64 "
        "out;\n"
        "ld.param.u64 %rd1, [t];\nst.param.b64 [in], %rd1;\ncall (out), f, (in);\nld.param.b64 %rd2, [out];\n"
        "st.global.u32 [%rd2], 1;\ntex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%rd1, {%r1}];\ncvt.rzi.s32.f32 %r2, %f1;\n"
        "tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%rd1, {%r2}];\nret; }");
    struct ptx_func *k = analyzed(m, "k");
    static const uint8_t want[] = {0, 0, 0, 0, 1, 0, 0, 1, 0};
    assert_memory_equal(k->addr_from_load, want, sizeof want);
    struct ptx_func *f = analyzed(m, "f");
    assert_int_equal(f->addr_from_load[1], 0); /* a function's own parameters */
    ptx_module_free(m);
}

int main(int argc, char **argv)
{
    corpus = argc > 1 ? argv[1] : ".";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_real_code_are_sound),
        cmocka_unit_test(rows_of_random_code_are_sound),
        cmocka_unit_test(live_ranges_end_at_the_last_read),
        cmocka_unit_test(guarded_write_keeps_the_old_value_alive),
        cmocka_unit_test(widths_do_not_share_rows),
        cmocka_unit_test(values_live_around_loops),
        cmocka_unit_test(register_parameters_hold_their_place),
        cmocka_unit_test(register_counts_obey_bounds),
        cmocka_unit_test(addresses_from_memory_are_marked),
        cmocka_unit_test(addresses_through_calls_and_textures_are_marked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
