/*
 * Arithmetic with directed rounding: add sub mul fma mad div rcp sqrt with .rz .rm .rp, in f32 and f64.
 *
 * The host's FPU does the work in the same rounding mode. Compilers know little of rounding modes, so each loop is a
 * function of its own that is never inlined, between two compiler barriers: operands are loaded after the mode is set
 * and results stored before it is restored. The file is compiled with -frounding-math where the compiler has it.
 */
#include "emu/op_float.h"

#include <fenv.h>
#include <math.h>

typedef void round_loop(void *t, const void *a, const void *b, const void *c);
#define LOOP(name, T, EXPR)                                                                                            \
    static __attribute__((noinline)) void name(void *pt, const void *pa, const void *pb, const void *pc)               \
    {                                                                                                                  \
        T *t = pt;                                                                                                     \
        const T *ra = pa, *rb = pb, *rc = pc;                                                                          \
        for (int l = 0; l < EMU_LANES; l++) {                                                                          \
            const T a = ra[l], b = rb[l], c = rc[l];                                                                   \
            (void)b, (void)c;                                                                                          \
            t[l] = EXPR;                                                                                               \
        }                                                                                                              \
    }
#define LOOPS(t, T, SQRT, FMA)                                                                                         \
    LOOP(loop_add_##t, T, a + b)                                                                                       \
    LOOP(loop_sub_##t, T, a - b)                                                                                       \
    LOOP(loop_mul_##t, T, a *b)                                                                                        \
    LOOP(loop_div_##t, T, a / b)                                                                                       \
    LOOP(loop_fma_##t, T, FMA(a, b, c))                                                                                \
    LOOP(loop_rcp_##t, T, 1 / a)                                                                                       \
    LOOP(loop_sqrt_##t, T, SQRT(a))
LOOPS(f32, f32, sqrtf, __builtin_fmaf)
LOOPS(f64, f64, sqrt, __builtin_fma)

enum { K_ADD, K_SUB, K_MUL, K_DIV, K_FMA, K_RCP, K_SQRT, K_COUNT };
#define LOOP_ROW(t)                                                                                                    \
    {                                                                                                                  \
        loop_add_##t, loop_sub_##t, loop_mul_##t, loop_div_##t, loop_fma_##t, loop_rcp_##t, loop_sqrt_##t              \
    }
static round_loop *const loop[2][K_COUNT] = {LOOP_ROW(f32), LOOP_ROW(f64)};

static void run_rounded(round_loop *fn, int mode, void *t, const void *a, const void *b, const void *c)
{
    fesetround(mode);
    __asm__ volatile("" ::: "memory");
    fn(t, a, b, c);
    __asm__ volatile("" ::: "memory");
    fesetround(FE_TONEAREST);
}

enum { FLAG_FTZ = 1, FLAG_SAT = 2 };
static const int host_mode[] = {FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

/* aux: 0 operation, 1 rounding (index of host_mode), 2 flags */
EMU_HANDLER(round_f32)
{
    f32 in[3][EMU_LANES], t[EMU_LANES];
    const void *src[3];
    for (unsigned k = 0; k < 3; k++) {
        src[k] = emu_src(w, &i->src[k < i->n_src ? k : 0]);
        if (i->aux[2] & FLAG_FTZ) {
            const f32 *a = src[k];
            for (int l = 0; l < EMU_LANES; l++)
                in[k][l] = f32_flush(a[l]);
            src[k] = in[k];
        }
    }
    run_rounded(loop[0][i->aux[0]], host_mode[i->aux[1]], t, src[0], src[1], src[2]);
    /* The same scaled by 2^24 shows what rounds to less than the smallest normal number: see f32_flush_small. Sums need
     * it not, they are exact down there. */
    static const f32 up[K_COUNT][3] = {[K_MUL] = {0x1p12f, 0x1p12f, 1},
                                       [K_FMA] = {0x1p12f, 0x1p12f, 0x1p24f},
                                       [K_DIV] = {0x1p24f, 1, 1},
                                       [K_RCP] = {0x1p-24f, 1, 1}};
    const f32 *const scale = up[i->aux[0]];
    if (i->aux[2] & FLAG_FTZ && scale[0] != 0) {
        f32 scaled[EMU_LANES];
        for (int l = 0; l < EMU_LANES; l++)
            in[0][l] *= scale[0], in[1][l] *= scale[1], in[2][l] *= scale[2];
        run_rounded(loop[0][i->aux[0]], host_mode[i->aux[1]], scaled, in[0], in[1], in[2]);
        for (int l = 0; l < EMU_LANES; l++)
            t[l] = f32_flush_small(t[l], scaled[l]);
    } else if (i->aux[2] & FLAG_FTZ) {
        for (int l = 0; l < EMU_LANES; l++)
            t[l] = f32_flush(t[l]);
    }
    for (int l = 0; l < EMU_LANES; l++)
        t[l] = f32_canon(t[l]);
    if (i->aux[2] & FLAG_SAT)
        for (int l = 0; l < EMU_LANES; l++)
            t[l] = f32_saturate(t[l]);
    emu_store_row(emu_dst(w, &i->dst[0]), t, mask, 4);
}
EMU_HANDLER(round_f64)
{
    f64 t[EMU_LANES];
    const void *src[3];
    for (unsigned k = 0; k < 3; k++)
        src[k] = emu_src(w, &i->src[k < i->n_src ? k : 0]);
    run_rounded(loop[1][i->aux[0]], host_mode[i->aux[1]], t, src[0], src[1], src[2]);
    const f64 *a = src[0], *b = src[i->n_src > 1], *c = src[i->n_src > 2 ? 2 : 0];
    if (i->aux[0] == K_DIV) /* its first NaN is passed on */
        b = src[0], a = src[1];
    for (int l = 0; l < EMU_LANES; l++)
        t[l] = f64_nan3(t[l], a[l], b[l], c[l]);
    emu_store_row(emu_dst(w, &i->dst[0]), t, mask, 8);
}

int emu_sel_round(const struct ptx_inst *p, struct emu_op_sel *sel, const char **why)
{
    static const struct {
        u16 op;
        u8 kind;
        char sig[6];
    } table[] = {{PTX_ADD, K_ADD, "x>xx"}, {PTX_SUB, K_SUB, "x>xx"},  {PTX_MUL, K_MUL, "x>xx"},
                 {PTX_DIV, K_DIV, "x>xx"}, {PTX_FMA, K_FMA, "x>xxx"}, {PTX_MAD, K_FMA, "x>xxx"},
                 {PTX_RCP, K_RCP, "x>x"},  {PTX_SQRT, K_SQRT, "x>x"}};
    static const u8 narrow_mods[] = {PTX_M_RZ, PTX_M_RM, PTX_M_RP, PTX_M_FTZ, PTX_M_SAT, 0};
    static const u8 wide_mods[] = {PTX_M_RZ, PTX_M_RM, PTX_M_RP, 0};
    const bool wide = p->type[0] == PTX_T_F64;
    for (unsigned k = 0; k < sizeof table / sizeof *table; k++) {
        if (table[k].op != p->op || !emu_knows_mods(p, wide ? wide_mods : narrow_mods))
            continue;
        emu_sig_x(sel, wide ? round_f64 : round_f32, table[k].sig, p->type[0]);
        sel->aux[0] = table[k].kind;
        sel->aux[1] = ptx_has(p, PTX_M_RZ) ? 0 : ptx_has(p, PTX_M_RM) ? 1 : 2;
        sel->aux[2] = (u8)((ptx_has(p, PTX_M_FTZ) ? FLAG_FTZ : 0) | (ptx_has(p, PTX_M_SAT) ? FLAG_SAT : 0));
        return 0;
    }
    return emu_no(why, "this instruction has no directed rounding");
}
