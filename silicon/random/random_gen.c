/*
 * Writes random CUDA kernels whose results CUDA defines exactly, so that every correct compiler and every GPU, real or
 * simulated, computes the same bits. silicon/random compares weir with what an H200 computed; random.sh asks the H200.
 *
 * Usage: random_gen FIRST COUNT > kernels.cu
 *
 * Kernel N depends on N alone. What the kernels avoid is what CUDA leaves open: signed overflow, shifts by the width,
 * division by zero, contraction of a * b + c, the bits of a NaN, floating point too large
 * for an integer, the order of atomics, lanes outside a shuffle's mask.
 * What they contain: integers of all widths, floating point in all roundings, divergent loops, switches, arrays in
 * local memory, padded structures passed and returned by value, calls, shared memory, shuffles, votes, atomics.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Types of values; each has VARS variables in every function. */
enum type { I8, U8, I16, U16, I32, U32, I64, U64, F32, F64, BOOL, TYPES };
enum { VARS = 2, ARRAY = 8 };
static const char *const type_name[] = {"i8",  "u8",  "i16",   "u16",    "i32", "u32",
                                        "i64", "u64", "float", "double", "bool"};
static const int type_bits[] = {8, 8, 16, 16, 32, 32, 64, 64, 32, 64, 1};

/* Structures with holes between or after their fields; random_main.h defines them. */
static const struct {
    const char *name;
    int fields;
    enum type field[3];
} structs[] = {
    {"s_ib", 2, {I32, BOOL}},       {"s_fh", 2, {F32, I16}},      {"s_cd", 2, {I8, F64}}, {"s_hl", 2, {I16, I64}},
    {"s_cfh", 3, {U8, F32, U16}},   {"s_ccc", 3, {I8, U8, BOOL}}, {"s_lc", 2, {U64, U8}}, {"s_hhc", 3, {U16, I16, I8}},
    {"s_bld", 3, {BOOL, I64, F64}}, {"s_fb", 2, {F32, BOOL}},
};
enum { STRUCTS = sizeof structs / sizeof *structs };

/* Who surely executes a statement: it decides what may synchronize there. */
enum reach {
    WHOLE_BLOCK, /* all threads of the block, together */
    WHOLE_WARP,  /* all lanes of a warp */
    MASKED,      /* the lanes in the variable mask<depth> */
    ANY_LANES    /* unknown */
};

static FILE *out; /* the kernel that is being written */
static uint64_t state;
static int indent, functions, temporaries;
static int budget; /* statements that may still be written */
static enum type function_type[4];
static int function_struct[4]; /* -1: returns a function_type */

static uint32_t rnd(uint32_t n)
{
    uint64_t z = (state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (uint32_t)((z ^ (z >> 31)) >> 32) % n;
}

static bool chance(uint32_t percent)
{
    return rnd(100) < percent;
}

static const char *pick(int n, const char *const *from)
{
    return from[rnd((uint32_t)n)];
}
#define PICK(...) pick(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), (const char *const[]){__VA_ARGS__})

static void margin(void)
{
    fprintf(out, "%*s", indent * 4, "");
}

static void line(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void line(const char *format, ...)
{
    va_list ap;
    margin();
    va_start(ap, format);
    vfprintf(out, format, ap);
    va_end(ap);
}

/*
 * Expressions are printed by templates: %x stands for an expression of the type that the letter names (lower case of
 * the letters below), %% for a percent sign. b bool; c i8, C u8; h i16, H u16; i i32, I u32; l i64, L u64; f float;
 * d double; r the name of a rounding mode (one for the whole template).
 */
static const char type_letter[] = "cChHiIlLfdb";

static void expr(enum type t, int depth);

static void fill(const char *template, int depth)
{
    const char *round = PICK("rn", "rz", "ru", "rd");
    for (const char *p = template; *p; p++) {
        if (*p != '%') {
            putc(*p, out);
            continue;
        }
        p++;
        const char *at = strchr(type_letter, *p);
        if (*p == 'r')
            fputs(round, out);
        else if (*p == '%')
            putc('%', out);
        else
            expr((enum type)(at - type_letter), depth);
    }
}

static void constant(enum type t)
{
    static const char *const odd[] = {"0", "1", "2", "3", "7", "31", "100", "127", "128", "255"};
    static const char *const f32[] = {"0.0f",  "1.0f",   "-1.0f", "0.5f",   "1.5f",        "3.0f",
                                      "-0.1f", "1e-38f", "1e38f", "1e-44f", "16777215.0f", "-2147483648.0f"};
    static const char *const f64[] = {"0.0",
                                      "1.0",
                                      "-1.0",
                                      "0.5",
                                      "1.5",
                                      "3.0",
                                      "-0.1",
                                      "1e-308",
                                      "1e308",
                                      "5e-324",
                                      "9007199254740991.0",
                                      "-9223372036854775808.0"};
    if (t == BOOL)
        fputs(PICK("true", "false"), out);
    else if (t == F32)
        fputs(pick(12, f32), out);
    else if (t == F64)
        fputs(pick(12, f64), out);
    else if (chance(50))
        fprintf(out, "(%s)%s", type_name[t], pick(10, odd));
    else
        fprintf(out, "(%s)0x%" PRIx32 "%08" PRIx32 "ull", type_name[t], rnd(UINT32_MAX), rnd(UINT32_MAX));
}

static void condition(int depth)
{
    static const char *const templates[] = {
        "(%i < %i)",       "(%I <= %I)",      "(%l > %l)",
        "(%L >= %L)",      "(%c < %c)",       "(%H > %H)",
        "(%h != %h)",      "(%C == %C)",      "(%f < %f)",
        "(%f >= %f)",      "(%d > %d)",       "(%d <= %d)",
        "(%f != %f)",      "(%d == %d)",      "(!%b)",
        "(%b && %b)",      "(%b || %b)",      "(%b != %b)",
        "((%I & 1) != 0)", "((%i ^ %i) < 0)", "((%L >> 40) > 0x7fffff)",
    };
    fill(pick(sizeof templates / sizeof *templates, templates), depth - 1);
}

/* Templates of narrow and wide integers; T stands for the type itself, U for the unsigned type it is computed in. */
static void integer(enum type t, int depth)
{
    static const char *const any[] = {
        "(T)((U)(%t) + (U)(%t))",
        "(T)((U)(%t) - (U)(%t))",
        "(T)((U)(%t) * (U)(%t))",
        "(T)(%t & %t)",
        "(T)(%t | %t)",
        "(T)(%t ^ %t)",
        "(T)(~%t)",
        "(T)(0 - (U)(%t))",
        "(T)((U)(%t) << (%I & M))",
        "(T)(%t >> (%I & M))",
        "(%b ? %t : %t)",
        "quotient<T>(%t, %t)",
        "rest<T>(%t, %t)",
        "smaller<T>(%t, %t)",
        "larger<T>(%t, %t)",
        "(T)(%i)",
        "(T)(%I)",
        "(T)(%l)",
        "(T)(%L)",
        "(T)(%h)",
        "(T)(%C)",
        "(T)%b",
    };
    static const char *const narrow[] = {
        "(T)__popc(%I)",
        "(T)__clz(%i)",
        "(T)__ffs(%i)",
        "(T)__brev(%I)",
        "(T)__byte_perm(%I, %I, %I & 0x7777)",
        "(T)__umulhi(%I, %I)",
        "(T)__mulhi(%i, %i)",
        "(T)__funnelshift_l(%I, %I, %I)",
        "(T)__funnelshift_rc(%I, %I, %I)",
        "(T)__usad(%I, %I, %I)",
        "(T)__sad(%i, %i, %I)",
        "(T)__rhadd(%i, %i)",
        "(T)__uhadd(%I, %I)",
        "(T)__mul24(%i, %i)",
        "(T)__dp4a(%i, %i, %i)",
        "(T)__dp4a(%I, %I, %I)",
        "(T)__float2int_%r(within_int(%f))",
        "(T)__float2uint_%r(within_uint(%f))",
        "(T)__double2int_%r(within_int(%d))",
        "(T)__double2uint_%r(within_uint(%d))",
        "(T)bits(%f)",
        "(T)(bits(%d) >> 32)",
        "(T)half_bits_%r(%f)",
        "(T)((U)(i32)(%c) * (U)(i32)(%c))",
        "(T)((i32)(%h) * (i32)(%c))",
        "(T)(((u32)(%C) << 8) | (u32)(%C))",
    };
    static const char *const wide[] = {
        "(T)__popcll(%L)",
        "(T)__clzll(%l)",
        "(T)__ffsll(%l)",
        "(T)__brevll(%L)",
        "(T)__umul64hi(%L, %L)",
        "(T)__mul64hi(%l, %l)",
        "(T)((i64)(%i) * (i64)(%i))",
        "(T)((u64)(%I) * (u64)(%I))",
        "(T)((u64)(%I) << 32 | (u64)(%I))",
        "(T)__float2ll_%r(within_ll(%f))",
        "(T)__float2ull_%r(within_ull(%f))",
        "(T)__double2ll_%r(within_ll(%d))",
        "(T)__double2ull_%r(within_ull(%d))",
        "(T)bits(%d)",
    };
    const char *template;
    if (chance(55))
        template = pick(sizeof any / sizeof *any, any);
    else if (type_bits[t] == 64)
        template = pick(sizeof wide / sizeof *wide, wide);
    else
        template = pick(sizeof narrow / sizeof *narrow, narrow);
    char text[512];
    size_t n = 0;
    for (const char *p = template; *p; p++) {
        if (*p == 'T' || *p == 'U')
            n += (size_t)sprintf(text + n, "%s", *p == 'T' ? type_name[t] : type_bits[t] == 64 ? "u64" : "u32");
        else if (*p == 'M')
            n += (size_t)sprintf(text + n, "%d", type_bits[t] - 1);
        else if (*p == '%' && p[1] == 't')
            n += (size_t)sprintf(text + n, "%%%c", type_letter[t]), p++;
        else
            text[n++] = *p;
    }
    text[n] = 0;
    fill(text, depth - 1);
}

static void real(enum type t, int depth)
{
    static const char *const f32[] = {
        "__fadd_%r(%f, %f)",
        "__fsub_%r(%f, %f)",
        "__fmul_%r(%f, %f)",
        "__fmaf_%r(%f, %f, %f)",
        "__fdiv_%r(%f, %f)",
        "__fsqrt_%r(%f)",
        "__frcp_%r(%f)",
        "fabsf(%f)",
        "(- %f)",
        "(%b ? %f : %f)",
        "__int2float_%r(%i)",
        "__uint2float_%r(%I)",
        "__ll2float_%r(%l)",
        "__ull2float_%r(%L)",
        "__double2float_%r(%d)",
        "small_f32(%I)",
        "half_value(%H)",
        "floorf(%f)",
        "truncf(%f)",
        "ceilf(%f)",
        "rintf(%f)",
    };
    static const char *const f64[] = {
        "__dadd_%r(%d, %d)",
        "__dsub_%r(%d, %d)",
        "__dmul_%r(%d, %d)",
        "__fma_%r(%d, %d, %d)",
        "__ddiv_%r(%d, %d)",
        "__dsqrt_%r(%d)",
        "__drcp_%r(%d)",
        "fabs(%d)",
        "(- %d)",
        "(%b ? %d : %d)",
        "(double)(%i)",
        "(double)(%I)",
        "__ll2double_%r(%l)",
        "__ull2double_%r(%L)",
        "(double)(%f)",
        "small_f64(%L)",
        "floor(%d)",
        "trunc(%d)",
        "rint(%d)",
    };
    if (t == F32)
        fill(pick(sizeof f32 / sizeof *f32, f32), depth - 1);
    else
        fill(pick(sizeof f64 / sizeof *f64, f64), depth - 1);
}

static void variable(enum type t)
{
    fprintf(out, "%s%u", (const char *[]){"c", "C", "h", "H", "i", "I", "l", "L", "f", "d", "b"}[t], rnd(VARS));
}

static void call(int f, int depth)
{
    fprintf(out, "fn%d(", f);
    fill("%i, %L, %f, %h", depth > 1 ? 1 : 0);
    putc(')', out);
}

static void expr(enum type t, int depth)
{
    if (depth <= 0) {
        if (chance(80))
            variable(t);
        else
            constant(t);
    } else if (t <= U64 && chance(10)) {
        fprintf(out, "(%s)array[", type_name[t]);
        expr(U32, depth - 1);
        fprintf(out, " & %d]", ARRAY - 1);
    } else if (functions > 0 && chance(6)) {
        int f = (int)rnd((uint32_t)functions);
        if (function_struct[f] < 0 && function_type[f] == t) {
            call(f, depth);
        } else if (function_struct[f] >= 0 && structs[function_struct[f]].field[0] == t) {
            call(f, depth);
            fprintf(out, ".a");
        } else {
            variable(t);
        }
    } else if (t == BOOL)
        condition(depth);
    else if (t <= U64)
        integer(t, depth);
    else
        real(t, depth);
}

static void assign(enum type t, int depth)
{
    margin();
    variable(t);
    fprintf(out, " = ");
    expr(t, depth);
    fprintf(out, ";\n");
}

static void statements(int n, int nesting, enum reach reach, int mask);

static void braced(int n, int nesting, enum reach reach, int mask)
{
    fprintf(out, "{\n");
    indent++;
    statements(n, nesting, reach, mask);
    indent--;
    line("}");
}

/* Lanes part, and may speak to each other under a mask that names them. */
static void if_statement(int nesting, enum reach reach, int mask)
{
    int m = temporaries++;
    bool with_mask = reach != ANY_LANES && chance(60);
    line("bool t%d = ", m);
    expr(BOOL, 2);
    fprintf(out, ";\n");
    if (with_mask) {
        if (reach == MASKED)
            line("u32 mask%d = __ballot_sync(mask%d, t%d), rest%d = mask%d & ~mask%d;\n", m, mask, m, m, mask, m);
        else
            line("u32 mask%d = __ballot_sync(~0u, t%d), rest%d = ~mask%d;\n", m, m, m, m);
    }
    line("if (t%d) ", m);
    braced(1 + (int)rnd(4), nesting + 1, with_mask ? MASKED : ANY_LANES, m);
    if (chance(60)) {
        fprintf(out, " else {\n");
        indent++;
        int other = temporaries++;
        if (with_mask)
            line("u32 mask%d = rest%d;\n", other, m);
        statements(1 + (int)rnd(3), nesting + 1, with_mask ? MASKED : ANY_LANES, other);
        indent--;
        line("}");
    }
    fprintf(out, "\n");
}

static void loop(int nesting, enum reach reach, int mask)
{
    int k = temporaries++;
    int form = (int)rnd(5);
    if (form == 0) { /* a constant number of turns: everyone stays together */
        if (chance(40))
            line("#pragma unroll\n");
        line("for (u32 k%d = 0; k%d < %u; k%d++) ", k, k, 1 + rnd(6), k);
        braced(1 + (int)rnd(3), nesting + 1, reach, mask);
        fprintf(out, "\n");
        return;
    }
    if (form == 1 && reach != ANY_LANES && reach != MASKED) { /* as many turns as lane 0 wants */
        line("for (u32 k%d = 0, n%d = __shfl_sync(~0u, ", k, k);
        expr(U32, 1);
        fprintf(out, ", 0) & 7; k%d < n%d; k%d++) ", k, k, k);
        braced(1 + (int)rnd(3), nesting + 1, WHOLE_WARP, mask);
        fprintf(out, "\n");
        return;
    }
    if (form == 2) {
        line("u32 k%d = 0;\n", k);
        line("do {\n");
        indent++;
        statements(1 + (int)rnd(2), nesting + 1, ANY_LANES, 0);
        line("if (");
        expr(BOOL, 1);
        fprintf(out, ")\n");
        line("    continue;\n");
        statements(1 + (int)rnd(2), nesting + 1, ANY_LANES, 0);
        indent--;
        line("} while (++k%d < (", k);
        expr(U32, 1);
        fprintf(out, " & 15));\n");
        return;
    }
    line("for (u32 k%d = 0, n%d = ", k, k);
    expr(U32, 1);
    fprintf(out, " & 15; k%d < n%d; k%d++) {\n", k, k, k);
    indent++;
    statements(1 + (int)rnd(3), nesting + 1, ANY_LANES, 0);
    if (form == 3) {
        line("if (");
        expr(BOOL, 1);
        fprintf(out, ")\n");
        line("    break;\n");
        assign((enum type)rnd(TYPES), 2);
    }
    line("I%u += k%d;\n", rnd(VARS), k);
    indent--;
    line("}\n");
}

static void switch_statement(int nesting)
{
    int cases = 3 + (int)rnd(6);
    bool dense = chance(60);
    line("switch (");
    expr(chance(70) ? U32 : U64, 1);
    fprintf(out, dense ? " & 7) {\n" : " %% 97) {\n");
    for (int i = 0; i < cases; i++) {
        line("case %d: ", dense ? i : i * 11 + (int)rnd(10));
        braced(1 + (int)rnd(2), nesting + 1, ANY_LANES, 0);
        putc('\n', out);
        if (chance(75))
            line("    break;\n");
    }
    if (chance(70)) {
        line("default: ");
        braced(1, nesting + 1, ANY_LANES, 0);
        putc('\n', out);
    }
    line("}\n");
}

static void array_store(void)
{
    line("array[");
    expr(U32, 1);
    fprintf(out, " & %d] = ", ARRAY - 1);
    expr(I64, 2);
    fprintf(out, ";\n");
}

static void warp_statement(enum reach reach, int mask)
{
    char m[32] = "~0u";
    if (reach == MASKED)
        snprintf(m, sizeof m, "mask%d", mask);
    enum type t = (const enum type[]){I32, U32, I64, U64, F32, F64}[rnd(6)];
    switch (rnd(reach == MASKED ? 5 : 9)) {
    case 0: /* from a lane that is there */
        margin();
        variable(t);
        fprintf(out, " = __shfl_sync(%s, ", m);
        expr(t, 1);
        fprintf(out, ", member(%s, ", m);
        expr(U32, 1);
        fprintf(out, "));\n");
        break;
    case 1:
        line("b%u = __%s_sync(%s, ", rnd(VARS), PICK("any", "all"), m);
        expr(BOOL, 2);
        fprintf(out, ");\n");
        break;
    case 2:
        line("I%u = __ballot_sync(%s, ", rnd(VARS), m);
        expr(BOOL, 2);
        fprintf(out, ");\n");
        break;
    case 3:
        line("I%u = __match_any_sync(%s, ", rnd(VARS), m);
        expr(chance(50) ? U32 : U64, 1);
        fprintf(out, " & 7);\n");
        break;
    case 4:
        line("I%u ^= __reduce_%s_sync(%s, ", rnd(VARS), PICK("add", "min", "max", "and", "or", "xor"), m);
        expr(U32, 1);
        fprintf(out, ");\n");
        break;
    case 5: {
        int width = 2 << rnd(5);
        margin();
        variable(t);
        fprintf(out, " = __shfl_xor_sync(~0u, ");
        expr(t, 1);
        fprintf(out, ", %u, %d);\n", rnd((uint32_t)width), width);
        break;
    }
    case 6:
        margin();
        variable(t);
        fprintf(out, " = __shfl_%s_sync(~0u, ", PICK("up", "down"));
        expr(t, 1);
        fprintf(out, ", ");
        expr(U32, 0);
        fprintf(out, " & 31, %d);\n", 2 << rnd(5));
        break;
    case 7: { /* a prefix sum, as every program has one */
        int k = temporaries++;
        line("for (int k%d = 1; k%d < 32; k%d <<= 1) {\n", k, k, k);
        line("    u32 v%d = __shfl_up_sync(~0u, I0, k%d);\n", k, k);
        line("    if (lane >= k%d)\n", k);
        line("        I0 += v%d;\n", k);
        line("}\n");
        break;
    }
    default: { /* a sort's exchange of a key and a flag */
        int k = temporaries++;
        line("s_ib p%d = {__shfl_xor_sync(~0u, i0, %u), (bool)__shfl_xor_sync(~0u, (int)b0, %u)};\n", k, 1u << (k & 3),
             1u << (k & 3));
        line("s_ib q%d = lesser(s_ib{i0, b0}, p%d);\n", k, k);
        line("i0 = q%d.a, b0 = q%d.b;\n", k, k);
    }
    }
}

/* Through shared memory, between barriers. */
static void block_statement(void)
{
    int k = temporaries++;
    if (chance(20)) {
        line("%s = __syncthreads_%s(", PICK("i0", "i1"), PICK("count", "and", "or"));
        expr(BOOL, 1);
        fprintf(out, ");\n");
        if (chance(50))
            return;
    }
    line("__syncthreads();\n");
    line("shared[threadIdx.x] = ");
    expr(U64, 2);
    fprintf(out, ";\n");
    line("__syncthreads();\n");
    line("u64 v%d = shared[", k);
    expr(U32, 1);
    fprintf(out, " %% THREADS];\n");
    line("L%u ^= v%d;\n", rnd(VARS), k);
    line("__syncthreads();\n");
}

/* Atomics whose final value does not depend on their order; a returned value is used where the address is one's own. */
static void atomic_statement(void)
{
    const char *where = PICK("cells32", "global32"), *wide = PICK("cells64", "global64");
    switch (rnd(6)) {
    case 0:
    case 1: /* each address has one kind of operation, because kinds do not commute */
    {
        static const char *const op[] = {"Add", "Min", "Max", "And", "Or", "Xor", "Sub", "Inc"};
        unsigned o = rnd(8);
        line("atomic%s(&%s[%u + (", op[o], where, o * 4);
        expr(U32, 0);
        fprintf(out, " & 3)], ");
        if (o == 7)
            fprintf(out, "1000u");
        else
            expr(U32, 1);
        fprintf(out, ");\n");
        break;
    }
    case 2: {
        static const char *const op[] = {"Add", "Min", "Max", "And", "Or", "Xor"};
        unsigned o = rnd(6);
        line("atomic%s((unsigned long long *)&%s[%u + (", op[o], wide, o * 4);
        expr(U32, 0);
        fprintf(out, " & 3)], (unsigned long long)");
        expr(U64, 1);
        fprintf(out, ");\n");
        break;
    }
    case 3: /* small whole numbers: the sum is exact in any order */
        line("atomicAdd(&%s[", PICK("cellsf", "globalf"));
        expr(U32, 0);
        fprintf(out, " & 3], (float)(int)(");
        expr(U32, 1);
        fprintf(out, " & 15));\n");
        break;
    case 4:
        line("%s = atomic%s(&own32[thread], ", PICK("I0", "I1"), PICK("Add", "Exch", "Max", "Xor"));
        expr(U32, 1);
        fprintf(out, ");\n");
        break;
    default:
        line("%s = atomicCAS(&own32[thread], ", PICK("I0", "I1"));
        fill("%I & 3, %I", 0);
        fprintf(out, ");\n");
    }
}

static void struct_statement(void)
{
    int k = temporaries++, s = (int)rnd(STRUCTS);
    int f = functions > 0 ? (int)rnd((uint32_t)functions) : -1;
    if (f >= 0 && function_struct[f] >= 0) {
        s = function_struct[f];
        line("%s p%d = ", structs[s].name, k);
        call(f, 2);
        fprintf(out, ";\n");
    } else {
        line("%s p%d = {", structs[s].name, k);
        for (int i = 0; i < structs[s].fields; i++) {
            fprintf(out, i ? ", " : "");
            expr(structs[s].field[i], 1);
        }
        fprintf(out, "};\n");
    }
    line("p%d = choose_%s(p%d, ", k, structs[s].name, k);
    expr(BOOL, 1);
    fprintf(out, ");\n");
    for (int i = 0; i < structs[s].fields; i++) {
        margin();
        variable(structs[s].field[i]);
        fprintf(out, " = p%d.%c;\n", k, 'a' + i);
    }
}

static void statements(int n, int nesting, enum reach reach, int mask)
{
    bool in_kernel = functions >= 0;
    for (int i = 0; i < n && budget > 0; i++) {
        budget--;
        uint32_t kind = rnd(100);
        if (kind < 12 && nesting < 3)
            if_statement(nesting, reach, mask);
        else if (kind < 20 && nesting < 2)
            loop(nesting, reach, mask);
        else if (kind < 26 && nesting < 3)
            switch_statement(nesting);
        else if (kind < 34)
            array_store();
        else if (kind < 44 && reach != ANY_LANES)
            warp_statement(reach, mask);
        else if (kind < 52 && reach == WHOLE_BLOCK)
            block_statement();
        else if (kind < 58 && in_kernel)
            atomic_statement();
        else if (kind < 66)
            struct_statement();
        else
            assign((enum type)rnd(TYPES), 2 + (int)rnd(2));
    }
}

/* Variables from 64-bit values that `source` names, given their number. */
static void declare(const char *source)
{
    for (int t = 0; t < TYPES; t++)
        for (int v = 0; v < VARS; v++)
            line("%s %c%d = from_bits<%s>(%s(%d));\n", type_name[t], type_letter[t], v, type_name[t], source,
                 t * VARS + v);
    line("i64 array[%d];\n", ARRAY);
    line("for (int i = 0; i < %d; i++)\n", ARRAY);
    line("    array[i] = (i64)(L0 >> i) ^ i;\n");
}

static void device_function(int f)
{
    function_struct[f] = chance(60) ? (int)rnd(STRUCTS) : -1;
    function_type[f] = (enum type)rnd(TYPES);
    int s = function_struct[f], before = functions;
    fprintf(out, "static __device__ %s %s fn%d(i32 x, u64 y, float z, i16 w)\n{\n",
            PICK("__noinline__", "__forceinline__", ""), s >= 0 ? structs[s].name : type_name[function_type[f]], f);
    indent = 1;
    line(
        "auto mix = [=](int n) { return scramble(y + n * 0x9e3779b97f4a7c15ull) ^ (u32)x ^ ((u64)(u16)w << 40) ^ "
        "bits(z); };\n");
    declare("mix");
    budget = 10;
    functions = -1; /* functions call no functions and touch no memory */
    statements(3 + (int)rnd(4), 1, ANY_LANES, 0);
    functions = before;
    line("return %s", s >= 0 ? structs[s].name : "");
    if (s >= 0) {
        fprintf(out, "{");
        for (int i = 0; i < structs[s].fields; i++) {
            fprintf(out, i ? ", " : "");
            expr(structs[s].field[i], 1);
        }
        fprintf(out, "}");
    } else {
        expr(function_type[f], 1);
    }
    fprintf(out, ";\n}\n\n");
}

static void kernel(int number)
{
    state = (uint64_t)number * 0x2545f4914f6cdd1d + 12345;
    temporaries = 0;
    functions = 0;
    fprintf(out, "namespace r%d {\n", number);
    int wanted = (int)rnd(4);
    for (int f = 0; f < wanted; f++) {
        device_function(f);
        functions = f + 1;
    }
    fprintf(out,
            "__global__ void kernel(const u64 *in, u64 *out, u32 *global32, u64 *global64, float *globalf, u32 "
            "*own32)\n{\n");
    indent = 1;
    line("KERNEL_BEGIN;\n");
    declare("input");
    budget = 45;
    statements(45, 0, WHOLE_BLOCK, 0);
    for (int t = 0; t < TYPES; t++)
        line("result(%d, observe(%c0) ^ observe(%c1) * 3);\n", t, type_letter[t], type_letter[t]);
    line("u64 sum = 0;\n");
    line("for (int i = 0; i < %d; i++)\n", ARRAY);
    line("    sum = sum * 31 + (u64)array[i];\n");
    line("result(%d, sum);\n", TYPES);
    line("KERNEL_END;\n");
    fprintf(out, "}\n} // namespace r%d\n\n", number);
}

/* FNV-1a: tells a kernel whose text has changed since its answers were recorded. */
static uint32_t text_hash(const char *text)
{
    uint32_t h = 0x811c9dc5;
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 0x01000193;
    return h;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fputs("usage: random_gen FIRST COUNT\n", stderr);
        return 2;
    }
    int first = atoi(argv[1]), count = atoi(argv[2]);
    uint32_t *hash = malloc(sizeof *hash * (size_t)(count > 0 ? count : 1));
    printf("#include \"random_kernels.h\"\n\n");
    for (int i = 0; hash && i < count; i++) {
        char *text = NULL;
        size_t bytes;
        out = open_memstream(&text, &bytes);
        if (!out)
            return 2;
        kernel(first + i);
        fclose(out);
        hash[i] = text_hash(text);
        fputs(text, stdout);
        free(text);
    }
    printf("static const random_kernel table[] = {\n");
    for (int i = 0; hash && i < count; i++)
        printf("    {%d, 0x%08" PRIx32 ", r%d::kernel},\n", first + i, hash[i], first + i);
    printf("};\nstatic const bool known = register_kernels(table, %d);\n", count);
    free(hash);
    return fflush(stdout) ? 2 : 0;
}
