/*
 * emu_op_select: the entry to the operations, and the choice of their variant.
 */
#include "emu/op_frag.h"
#include "emu/op_table.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#else
#include <fenv.h>
#endif

unsigned emu_op_variants(struct emu_op_variant out[3])
{
    unsigned n = 0;
    out[n++] = (struct emu_op_variant){"base", emu_op_select_base};
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
        __builtin_cpu_supports("bmi2")) {
        out[n++] = (struct emu_op_variant){"v3", emu_op_select_v3};
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
            out[n++] = (struct emu_op_variant){"v4", emu_op_select_v4};
    }
#endif
    return n;
}

int emu_op_select(const struct ptx_inst *p, struct emu_op_sel *sel, const char **why)
{
    struct emu_op_variant variant[3];
    const unsigned n = emu_op_variants(variant);
    memset(sel, 0, sizeof *sel);
    switch (p->op) {
    case PTX_WMMA:
        if (ptx_has(p, PTX_M_MMA))
            break;
        return emu_sel_matrix(p, sel, why);
    case PTX_LDMATRIX:
    case PTX_STMATRIX:
    case PTX_MOVMATRIX:
        return emu_sel_matrix(p, sel, why);
    case PTX_TEX:
    case PTX_TLD4:
    case PTX_TXQ:
    case PTX_SULD:
    case PTX_SUST:
    case PTX_SURED:
    case PTX_SUQ:
        return emu_sel_tex(p, sel, why);
    }
    return variant[n - 1].select(p, sel, why);
}

#if defined(__x86_64__)
unsigned emu_fp_enter(void)
{
    const unsigned saved = _mm_getcsr();
    _mm_setcsr(0x1f80);
    return saved;
}
void emu_fp_leave(unsigned saved)
{
    _mm_setcsr(saved);
}
#else
unsigned emu_fp_enter(void)
{
    const unsigned saved = (unsigned)fegetround();
    fesetround(FE_TONEAREST);
    return saved;
}
void emu_fp_leave(unsigned saved)
{
    fesetround((int)saved);
}
#endif
