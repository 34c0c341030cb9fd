/*
 * The operations' edges that no comparison with silicon covers: instructions that do not exist are refused with a
 * reason, and whatever emu_op_select accepts runs on any register contents without touching inactive lanes, in every
 * compiled variant with the same result. (What the operations compute is tested in silicon/exact/.)
 */
#include "emu/op_table.h"

#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

static uint64_t next_random(uint64_t *s)
{
    uint64_t x = *s += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

/* Parses `text` as the only instruction of a kernel with registers of all kinds. */
static const char *why_refused(const char *text)
{
    static const char head[] =
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n"
        ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .b64 %d<4>;\n";
    char ptx[1024];
    struct err e;
    snprintf(ptx, sizeof ptx, "%s%s\nret;\n}\n", head, text);
    struct ptx_module *m = ptx_parse(ptx, strlen(ptx), "test", &e);
    if (!m)
        return "syntax";
    const char *why = NULL;
    static char kept[128];
    struct emu_op_sel sel;
    const struct ptx_inst *p = &m->func[0].inst[0];
    if (p->bad)
        snprintf(kept, sizeof kept, "%s", p->bad);
    else if (emu_op_select(p, &sel, &why) == 0)
        kept[0] = 0;
    else
        snprintf(kept, sizeof kept, "%s", why ? why : "");
    const bool accepted = !p->bad && kept[0] == 0;
    ptx_module_free(m);
    return accepted ? NULL : kept;
}

static void test_refuses(void **state)
{
    static const char *const bad[] = {
        "add.u8 %h0, %h1, %h2;",
        "mul.hi.f32 %r0, %r1, %r2;",
        "mul.wide.u64 %d0, %d1, %d2;",
        "min.f32 %r0, %r1, %r2, %r3;",
        "cvt.rs.f16x2.f32 %r0, %r1, %r2, %r3;",
        "setp.lo.s128 %p0, %r1, %r2;",
        "popc.b16 %r0, %h1;",
        "sin.approx.f64 %d0, %d1;",
        "rem.f32 %r0, %r1, %r2;",
        "lop3.b32 %r0, %r1, %r2, %r3, %r4;",
        "shfl.sync.idx.b64 %d0, %d1, %r1, %r2, -1;",
        "mov.b64 %d0, {%r0, %r1, %r2};",
        "redux.sync.add.f32 %r0, %r1, -1;",
        "bfe.u16 %h0, %h1, %r0, %r1;",
    };
    for (unsigned k = 0; k < sizeof bad / sizeof *bad; k++) {
        const char *why = why_refused(bad[k]);
        if (!why)
            printf("accepted: %s\n", bad[k]);
        assert_non_null(why);
        assert_true(why[0] != 0);
    }
    assert_null(why_refused("add.s32 %r0, %r1, %r2;"));
    assert_null(why_refused("fma.rn.f16x2 %r0, %r1, %r2, %r3;"));
}

/* ---- any instruction that is accepted, on any contents ---- */
enum { ROW = EMU_LANES * 16, MAX_OPND = 48 };

struct bench {
    char regs[MAX_OPND * ROW];
    uint32_t pred[MAX_OPND];
    struct emu_opnd opnd[MAX_OPND];
    struct emu_inst inst;
};

static void random_inst(struct ptx_inst *p, struct ptx_opnd opnd[6], uint64_t *s)
{
    memset(p, 0, sizeof *p);
    memset(opnd, 0, 6 * sizeof *opnd);
    do
        p->op = (uint16_t)(next_random(s) % PTX_OP_COUNT);
    while (p->op == PTX_MMA || p->op == PTX_WMMA);
    p->n_type = (uint8_t)(1 + next_random(s) % 3);
    for (unsigned k = 0; k < p->n_type; k++)
        p->type[k] = (uint8_t)(next_random(s) % PTX_T_COUNT);
    p->n_mod = (uint8_t)(next_random(s) % 4);
    for (unsigned k = 0; k < p->n_mod; k++) {
        p->mod[k] = (uint8_t)(1 + next_random(s) % (PTX_M_COUNT - 1));
        if (next_random(s) % 4) /* mostly the arithmetic ones, which come first */
            p->mod[k] = (uint8_t)(1 + p->mod[k] % 72);
        p->modset[p->mod[k] >> 6] |= 1ull << (p->mod[k] & 63);
    }
    p->n_opnd = (uint16_t)(1 + next_random(s) % 5);
    p->opnd = opnd;
    for (unsigned k = 0; k < 6; k++) {
        opnd[k].kind = next_random(s) % 8 ? PTX_O_REG : PTX_O_IMM;
        opnd[k].imm = (int64_t)next_random(s);
        opnd[k].neg = next_random(s) % 8 == 0;
        opnd[k].sel = next_random(s) % 4 ? 0 : (uint8_t)(PTX_M_B0 + next_random(s) % 6);
    }
    p->text = "test";
    p->guard = -1;
}

/* Operands as the signature says; returns false when it is malformed. */
static bool lay_out(struct bench *b, const struct emu_op_sel *sel, uint64_t *s)
{
    const char *arrow = strchr(sel->sig, '>');
    if (!arrow || !sel->fn)
        return false;
    unsigned n = 0;
    for (const char *c = sel->sig; *c; c++) {
        struct emu_opnd *o = &b->opnd[n];
        if (c == arrow)
            continue;
        memset(o, 0, sizeof *o);
        const unsigned wide = next_random(s) % 2;
        switch (*c) {
        case 'w':
            o->lane = EMU_LANE_32, o->type = PTX_T_B32;
            break;
        case 'd':
            o->lane = EMU_LANE_64, o->type = PTX_T_B64;
            break;
        case 'q':
            o->lane = EMU_LANE_128, o->type = PTX_T_B128;
            break;
        case 'a':
            o->lane = wide ? EMU_LANE_64 : EMU_LANE_32;
            o->type = (uint8_t)(wide ? PTX_T_B64 : PTX_T_B32);
            break;
        case 'p':
            o->lane = EMU_LANE_PRED, o->type = PTX_T_PRED;
            break;
        case 'r':
            o->lane = wide ? EMU_LANE_64 : EMU_LANE_32;
            o->type = (uint8_t)(wide ? PTX_T_B64 : next_random(s) % 2 ? PTX_T_B32 : PTX_T_B16);
            break;
        default:
            return false;
        }
        o->off = *c == 'p' ? n : n * ROW;
        n++;
    }
    b->inst = (struct emu_inst){.fn = sel->fn,
                                .dst = b->opnd,
                                .src = b->opnd + (arrow - sel->sig),
                                .n_dst = (uint8_t)(arrow - sel->sig),
                                .n_src = (uint8_t)strlen(arrow + 1),
                                .imm = sel->imm};
    memcpy(b->inst.aux, sel->aux, sizeof sel->aux);
    return true;
}

static void run_bench(struct bench *b, uint32_t mask)
{
    struct emu_warp w = {
        .bank = {b->regs, b->regs, b->regs}, .pred = b->pred, .cc = 0x12345678, .live = ~0u, .active = mask};
    b->inst.fn(&w, &b->inst, mask);
}

static void test_random_instructions(void **state)
{
    struct emu_op_variant variant[3];
    const unsigned n_variants = emu_op_variants(variant);
    struct bench *b = xcalloc(3, sizeof *b);
    char *before = xmalloc(sizeof b->regs);
    uint64_t s = 2026;
    unsigned accepted = 0;
    for (unsigned round = 0; round < 400000; round++) {
        struct ptx_inst p;
        struct ptx_opnd opnd[6];
        random_inst(&p, opnd, &s);
        const uint64_t here = s;
        const uint32_t mask = (uint32_t)(next_random(&s) | 1u << next_random(&s) % 32);
        int answer = 0;
        for (unsigned v = 0; v < n_variants; v++) {
            struct emu_op_sel sel;
            const char *why = NULL;
            memset(&sel, 0, sizeof sel);
            const int r = variant[v].select(&p, &sel, &why);
            if (v)
                assert_int_equal(r, answer);
            answer = r;
            if (r) {
                assert_non_null(why);
                continue;
            }
            uint64_t t = here;
            assert_true(lay_out(&b[v], &sel, &t));
            for (size_t k = 0; k < sizeof b->regs; k += 8) {
                const uint64_t x = next_random(&t);
                memcpy(b[v].regs + k, &x, 8);
            }
            for (unsigned k = 0; k < MAX_OPND; k++)
                b[v].pred[k] = (uint32_t)next_random(&t);
            memcpy(before, b[v].regs, sizeof b->regs);
            run_bench(&b[v], mask);
            for (unsigned k = 0; k < b[v].inst.n_dst; k++) {
                const struct emu_opnd *o = &b[v].inst.dst[k];
                for (uint32_t l = 0; o->lane != EMU_LANE_PRED && l < EMU_LANES; l++)
                    if (!(mask >> l & 1))
                        assert_memory_equal(b[v].regs + o->off + l * o->lane, before + o->off + l * o->lane, o->lane);
            }
            if (v) {
                assert_memory_equal(b[v].regs, b[0].regs, sizeof b->regs);
                assert_memory_equal(b[v].pred, b[0].pred, sizeof b->pred);
            }
        }
        accepted += answer == 0;
    }
    printf("%u random instructions were accepted\n", accepted);
    assert_true(accepted > 10000);
    free(before);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_refuses), cmocka_unit_test(test_random_instructions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
