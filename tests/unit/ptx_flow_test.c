/* ptx/: basic blocks, dominators, post-dominators, reconvergence points and loops, on graphs small enough to know. */
#include "ptx_util.h"

#include "ptx/flow.h"

static void blocks_start_at_branch_targets_only(void **state)
{
    (void)state;
    struct ptx_module *m = parse_body(
        "mov.u32 %r1, 1; UNUSED: mov.u32 %r2, 2; @%p1 bra THEN; mov.u32 %r3, 3;\n"
        "THEN: mov.u32 %r4, 4; @!%p1 bra THEN; ret;");
    struct ptx_func *f = analyzed(m, "k");
    assert_int_equal(f->n_block, 4);
    assert_int_equal(f->block[0].first, 0);
    assert_int_equal(f->block[0].last, 2);
    assert_int_equal(f->block[0].n_succ, 2);
    assert_int_equal(f->inst_block[4], 2);
    assert_int_equal(f->block[2].n_pred, 3); /* two ways in and its own */
    assert_int_equal(f->block[3].n_succ, 1);
    assert_int_equal(f->block[3].succ[0], f->n_block);
    ptx_module_free(m);
}

static void if_else_reconverges_behind(void **state)
{
    (void)state;
    struct ptx_module *m = parse_body("@%p1 bra ELSE; mov.u32 %r1, 1; bra JOIN; ELSE: mov.u32 %r1, 2; JOIN: ret;");
    struct ptx_func *f = analyzed(m, "k");
    assert_int_equal(f->reconv_pc[0], 4);
    assert_int_equal(f->block[0].ipdom, f->inst_block[4]);
    assert_int_equal(f->block[3].ipdom, f->n_block);
    assert_int_equal(f->reconv_pc[1], f->n_inst); /* not a branch */
    ptx_module_free(m);
}

static void loop_branch_reconverges_at_its_exit(void **state)
{
    (void)state;
    struct ptx_module *m = parse_body(
        "mov.u32 %r1, 0; LOOP: add.u32 %r1, %r1, 1; @%p2 bra SKIP; mov.u32 %r2, %r1; SKIP: @%p1 bra LOOP; ret;");
    struct ptx_func *f = analyzed(m, "k");
    assert_int_equal(f->reconv_pc[2], 4);
    assert_int_equal(f->reconv_pc[4], 5);
    assert_int_equal(f->n_loop, 1);
    assert_int_equal(f->loop[0].header, f->inst_block[1]);
    assert_int_equal(f->loop[0].depth, 1);
    assert_int_equal(f->loop[0].parent, 0);
    static const uint16_t want[] = {0, 1, 1, 1, 1, 0};
    for (uint32_t pc = 0; pc < f->n_inst; pc++)
        assert_int_equal(f->block[f->inst_block[pc]].loop, want[pc]);
    ptx_module_free(m);
}

static void early_return_moves_reconvergence_to_the_end(void **state)
{
    (void)state;
    struct ptx_module *m = parse_body("@%p1 bra B; @%p2 ret; mov.u32 %r1, 1; B: mov.u32 %r2, 2; @!%p3 exit; ret;");
    struct ptx_func *f = analyzed(m, "k");
    assert_int_equal(f->reconv_pc[0], f->n_inst);
    assert_int_equal(f->block[f->inst_block[1]].n_succ, 2); /* a guarded ret is a branch to the exit */
    assert_int_equal(f->block[f->inst_block[4]].n_succ, 2);
    ptx_module_free(m);
}

static void traps_and_calls_without_return_do_not_count(void **state)
{
    (void)state;
    struct ptx_module *m = parse_ok(
        HEAD
        ".func die() .noreturn;\n.func live();\n.entry k() { .reg .pred %p<4>; .reg .b32 %r<4>;\n"
        "@%p1 bra OK; call die; OK: @%p2 bra OK2; trap; OK2: @%p3 bra OK3; call live; OK3: mov.u32 %r1, 1; ret; }");
    struct ptx_func *f = analyzed(m, "k");
    assert_int_equal(f->reconv_pc[0], 2);
    assert_int_equal(f->reconv_pc[2], 4);
    assert_int_equal(f->reconv_pc[4], 6);
    uint32_t die = f->inst_block[1];
    assert_int_equal(f->block[die].n_succ, 1);
    assert_int_equal(f->block[die].succ[0], f->n_block);
    assert_int_equal(f->block[die].ipdom, f->n_block);
    ptx_module_free(m);
}

static void endless_loops_and_dead_code_are_harmless(void **state)
{
    (void)state;
    struct ptx_module *m = parse_body(
        "@%p1 bra SPIN; bra OUT; SPIN: mov.u32 %r1, 1; @%p2 bra INNER; bra SPIN; INNER: bra "
        "SPIN; OUT: ret; DEAD: mov.u32 %r2, 2; bra DEAD;");
    struct ptx_func *f = analyzed(m, "k");
    assert_int_equal(f->reconv_pc[0], 1); /* lanes that spin never come: the others go straight on */
    uint32_t dead = f->inst_block[pc_of(f, "mov.u32", 5)];
    assert_int_equal(f->block[dead].ipdom, f->n_block);
    assert_int_equal(f->n_loop, 1); /* unreachable code has none */
    ptx_module_free(m);
    m = parse_body("SPIN: bra SPIN;");
    f = analyzed(m, "k");
    assert_int_equal(f->n_block, 1);
    assert_int_equal(f->n_loop, 1);
    ptx_module_free(m);
    m = parse_body("");
    f = analyzed(m, "k");
    assert_int_equal(f->n_block, 0);
    ptx_module_free(m);
}

static void indexed_branch_has_all_targets(void **state)
{
    (void)state;
    struct ptx_module *m = parse_body(
        "ts: .branchtargets A, B, C, B;\nbrx.idx %r1, ts;\nA: mov.u32 %r1, 1; bra D;\n"
        "B: mov.u32 %r1, 2; bra D;\nC: mov.u32 %r1, 3;\nD: ret;");
    struct ptx_func *f = analyzed(m, "k");
    assert_int_equal(f->block[0].n_succ, 3);
    assert_int_equal(f->reconv_pc[0], 6);
    ptx_module_free(m);
}

static void nested_loops_know_their_parents(void **state)
{
    (void)state;
    struct ptx_module *m = parse_body(
        "O: mov.u32 %r1, 1;\nI: mov.u32 %r2, 2; @%p1 bra I;\nJ: mov.u32 %r3, 3;\n"
        "K: mov.u32 %r4, 4; @%p2 bra K; @%p3 bra J; @%p4 bra O;\n"
        "S: mov.u32 %r5, 5; @%p5 bra S; ret;");
    struct ptx_func *f = analyzed(m, "k");
    assert_int_equal(f->n_loop, 5);
    static const uint16_t parent[] = {0, 1, 1, 3, 0}, depth[] = {1, 2, 2, 3, 1};
    static const uint32_t header_pc[] = {0, 1, 3, 4, 8};
    for (unsigned k = 0; k < 5; k++) {
        assert_int_equal(f->loop[k].parent, parent[k]);
        assert_int_equal(f->loop[k].depth, depth[k]);
        assert_int_equal(f->block[f->loop[k].header].first, header_pc[k]);
    }
    static const uint16_t innermost[] = {1, 2, 2, 3, 4, 4, 3, 1, 5, 5, 0};
    for (uint32_t pc = 0; pc < f->n_inst; pc++)
        assert_int_equal(f->block[f->inst_block[pc]].loop, innermost[pc]);
    ptx_module_free(m);
}

static void irreducible_cycles_are_no_loops(void **state)
{
    (void)state;
    struct ptx_module *m = parse_body("@%p1 bra B; A: mov.u32 %r1, 1; B: mov.u32 %r2, 2; @%p2 bra A; ret;");
    struct ptx_func *f = analyzed(m, "k");
    assert_int_equal(f->n_loop, 0);
    ptx_module_free(m);
}

/* ---- dominators against their definition, on random graphs ---- */

enum { MAX_NODES = 24 };

static uint32_t rng = 12345;
static uint32_t below(uint32_t n)
{
    rng = rng * 1664525u + 1013904223u;
    return (rng >> 8) % n;
}

/* Nodes reached from 0 without passing `avoid`. */
static uint32_t reach(const struct ptx_lists *succ, uint32_t avoid)
{
    uint32_t seen = 0, stack[MAX_NODES], n = 0;
    if (avoid == 0)
        return 0;
    seen = 1;
    stack[n++] = 0;
    while (n) {
        uint32_t v = stack[--n];
        for (uint32_t k = succ->at[v]; k < succ->at[v + 1]; k++) {
            uint32_t w = succ->item[k];
            if (w != avoid && !(seen >> w & 1)) {
                seen |= 1u << w;
                stack[n++] = w;
            }
        }
    }
    return seen;
}

static void dominators_fit_their_definition(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 3000; round++) {
        struct arena *a = arena_new();
        uint32_t n = 2 + below(MAX_NODES - 1), n_edge = below(3 * n);
        struct ptx_pair pair[3 * MAX_NODES], back[3 * MAX_NODES];
        for (uint32_t k = 0; k < n_edge; k++) {
            pair[k] = (struct ptx_pair){below(n), below(n)};
            back[k] = (struct ptx_pair){pair[k].item, pair[k].key};
        }
        struct ptx_lists succ = ptx_lists_build(a, n, pair, n_edge), pred = ptx_lists_build(a, n, back, n_edge);
        uint32_t idom[MAX_NODES], order[MAX_NODES];
        uint32_t reached = ptx_dominators(a, &succ, &pred, 0, idom, order);
        uint32_t all = reach(&succ, n);
        assert_int_equal(reached, __builtin_popcount(all));
        uint32_t avoiding[MAX_NODES];
        for (uint32_t d = 0; d < n; d++)
            avoiding[d] = reach(&succ, d);
        for (uint32_t v = 0; v < n; v++) {
            if (!(all >> v & 1)) {
                assert_int_equal(idom[v], PTX_NOWHERE);
                continue;
            }
            if (v == 0)
                continue;
            /* d dominates v when v is out of reach without d; the immediate one is dominated by all others. */
            uint32_t dominators = 0;
            for (uint32_t d = 0; d < n; d++)
                if (d != v && (all >> d & 1) && !(avoiding[d] >> v & 1))
                    dominators |= 1u << d;
            assert_true(dominators >> idom[v] & 1);
            for (uint32_t d = 0; d < n; d++)
                if ((dominators >> d & 1) && d != idom[v])
                    assert_false(avoiding[d] >> idom[v] & 1);
        }
        arena_free(a);
    }
}

/* A thousand nested loops and a ladder of ten thousand branches: size must not turn into time. */
static void large_functions_are_quick(void **state)
{
    (void)state;
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    for (int k = 0; k < 1000; k++)
        fprintf(f, "N%d: add.u32 %%r1, %%r1, 1;\n", k);
    for (int k = 1000; k-- > 0;)
        fprintf(f, "@%%p1 bra N%d;\n", k);
    for (int k = 0; k < 10000; k++)
        fprintf(f, "@%%p2 bra E%d; add.u32 %%r%d, %%r%d, 1; E%d:\n", 9999 - k, k % 60, (k + 1) % 60, k);
    fprintf(f, "ret;\n");
    fclose(f);
    struct ptx_module *m = parse_body(text);
    struct ptx_func *k = analyzed(m, "k");
    assert_int_equal(k->n_loop >= 1000, 1);
    assert_int_equal(k->loop[999].depth, 1000);
    ptx_module_free(m);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_start_at_branch_targets_only),
        cmocka_unit_test(if_else_reconverges_behind),
        cmocka_unit_test(loop_branch_reconverges_at_its_exit),
        cmocka_unit_test(early_return_moves_reconvergence_to_the_end),
        cmocka_unit_test(traps_and_calls_without_return_do_not_count),
        cmocka_unit_test(endless_loops_and_dead_code_are_harmless),
        cmocka_unit_test(indexed_branch_has_all_targets),
        cmocka_unit_test(nested_loops_know_their_parents),
        cmocka_unit_test(irreducible_cycles_are_no_loops),
        cmocka_unit_test(dominators_fit_their_definition),
        cmocka_unit_test(large_functions_are_quick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
