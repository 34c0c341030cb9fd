/*
 * Recovers the tables of the special-function unit from sweeps of it (sweep.cu) and prints src/frontend/emu/op_mufu_table.h.
 *
 *   fit DIRECTORY > op_mufu_table.h
 *
 * The unit evaluates c0 + c1 dx + c2 sq(dx) per segment of its input (Oberman and Siu, "A High-Performance
 * Area-Efficient Multifunction Interpolator", ARITH 2005); sq is a squarer without its low columns. A result is the
 * sum, truncated, so each observed value bounds the sum from both sides. A least-squares fit gives c1 and c2, which
 * are integers on a known grid; the bounds then leave one c0. fit fails loudly if any observation contradicts.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DX_BITS = 17, DX_N = 1 << DX_BITS };

static double *lower, *upper; /* [segment * DX_N + dx], in units of the function's sum */
static double square[DX_N];

static uint32_t *sweep(const char *dir, const char *name, size_t *n)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.u32", dir, name);
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        exit(1);
    }
    fseek(f, 0, SEEK_END);
    *n = (size_t)ftell(f) / 4;
    rewind(f);
    uint32_t *p = malloc(*n * 4);
    if (fread(p, 4, *n, f) != *n)
        exit(1);
    fclose(f);
    return p;
}
static float as_float(uint32_t u)
{
    float f;
    memcpy(&f, &u, 4);
    return f;
}

/* The truncated square, in units of its lowest column; the same as mufu_square in src/frontend/emu/op_mufu.h. */
static uint32_t truncated_square(uint32_t dx)
{
    const uint32_t h = dx >> 9;
    uint32_t sq = h * h >> 1;
    for (int p = 2; p <= 8; p++)
        sq += dx >> p & 1 ? dx >> (18 - p) : 0;
    return sq;
}

static void forget(unsigned segments)
{
    for (size_t i = 0; i < (size_t)segments * DX_N; i++) {
        lower[i] = -1e18;
        upper[i] = 1e18;
    }
}
static void observe(size_t at, double low, double width)
{
    if (low > lower[at])
        lower[at] = low;
    if (low + width < upper[at])
        upper[at] = low + width;
}

static void solve3(long double a[3][4], long double x[3])
{
    for (int i = 0; i < 3; i++)
        for (int r = 0; r < 3; r++) {
            const long double f = r == i ? 0 : a[r][i] / a[i][i];
            for (int k = i; r != i && k < 4; k++)
                a[r][k] -= f * a[i][k];
        }
    for (int i = 0; i < 3; i++)
        x[i] = a[i][3] / a[i][i];
}

struct row {
    long long c0, c1, c2;
};
/* c0 counts `quantum` units and is offset by `bias`; c2 counts `scale2` units. */
static struct row solve_segment(const char *name, unsigned s, double quantum, double bias, double scale2)
{
    const double *lo = lower + (size_t)s * DX_N, *hi = upper + (size_t)s * DX_N;
    long double a[3][4] = {{0}}, x[3];
    double origin = 0;
    for (int i = 0; i < DX_N; i++) {
        if (lo[i] < -1e17)
            continue;
        if (origin == 0)
            origin = lo[i];
        const long double f[3] = {1, (long double)i / DX_N, square[i] / DX_N}, y = (lo[i] + hi[i]) / 2 - origin;
        for (int r = 0; r < 3; r++) {
            for (int k = 0; k < 3; k++)
                a[r][k] += f[r] * f[k];
            a[r][3] += f[r] * y;
        }
    }
    solve3(a, x);
    const long long c1 = llroundl(x[1] / DX_N), c2 = llroundl(x[2] / DX_N / scale2);
    for (int d2 = -2; d2 <= 2; d2++)
        for (int d1 = -2; d1 <= 2; d1++) {
            double low = -1e18, high = 1e18;
            for (int i = 0; i < DX_N; i++) {
                const double t = (double)(c1 + d1) * i + (double)(c2 + d2) * scale2 * square[i];
                low = lo[i] - t > low ? lo[i] - t : low;
                high = hi[i] - t < high ? hi[i] - t : high;
            }
            const double c0 = floor((high - bias - 1e-6) / quantum);
            if (c0 * quantum + bias >= low && c0 * quantum + bias < high)
                return (struct row){(long long)c0, c1 + d1, c2 + d2};
        }
    fprintf(stderr, "%s: segment %u has no solution\n", name, s);
    exit(1);
}

static void print_column(const struct row *row, unsigned n, char which, double scale)
{
    printf("    {");
    for (unsigned s = 0; s < n; s++)
        printf("%s%lld%s", s ? ", " : "",
               which == '0'   ? row[s].c0
               : which == '1' ? row[s].c1
                              : (long long)((double)row[s].c2 * scale),
               s + 1 == n ? "},\n" : "");
}
/* Rows of several calls with the same name are put together: `more` follow. */
static void print_table(const char *name, unsigned segments, double quantum, double bias, double scale2, bool more)
{
    static struct row row[128];
    static unsigned n;
    for (unsigned s = 0; s < segments; s++)
        row[n++] = solve_segment(name, s, quantum, bias, scale2);
    if (more)
        return;
    printf("static const struct mufu_table mufu_%s_table = {\n", name);
    print_column(row, n, '0', 1);
    print_column(row, n, '1', 1);
    print_column(row, n, '2', scale2);
    printf("};\n\n");
    n = 0;
}

/* Functions whose result is a mantissa: 2^`bits` units of the sum are one unit in the last place above `base`. */
static void mantissa_table(const char *dir, const char *file, const char *name, unsigned segments, uint32_t base,
                           int bits, double quantum, double bias, double scale2, size_t first, int dx_shift,
                           size_t skip, bool more)
{
    size_t n;
    uint32_t *r = sweep(dir, file, &n);
    forget(segments);
    const size_t each = DX_N >> dx_shift;
    for (size_t i = skip; i < segments * each; i++)
        observe(i / each * DX_N + (i % each << dx_shift), ldexp((double)(int32_t)(r[first + i] - base), bits),
                ldexp(1, bits));
    free(r);
    print_table(name, segments, quantum, bias, scale2, more);
}

/* Functions whose result is a fixed-point number of `bits` fraction bits, the last `drop` always 0, truncated to a
 * float. */
static void observe_fixed(size_t at, uint32_t result, int bits, int drop)
{
    const int ulp = (int)(result >> 23 & 255) - 150 + bits;
    observe(at, ldexp(as_float(result), bits), ldexp(1, ulp > drop ? ulp : drop));
}
static void lg2_table(const char *dir)
{
    size_t n;
    uint32_t *r = sweep(dir, "lg2-3f000000-1", &n);
    forget(64);
    for (size_t i = 1; i < 1u << 23; i++) /* lg2(1) is 0 by decree */
        observe_fixed(i, r[(1u << 23) + i], 38, 2);
    free(r);
    print_table("lg2", 64, 4096, 837, 2, false);
}
static float multiply_rz(float a, float b)
{
    const double p = (double)a * b;
    const float f = (float)p;
    return fabs((double)f) > fabs(p) ? nextafterf(f, 0) : f;
}
static void sin_table(const char *dir)
{
    static const struct {
        const char *name;
        uint32_t first, step;
    } file[] = {{"sin-3f000000-1", 0x3f000000, 1}, {"sin-38000000-40", 0x38000000, 64}};
    forget(64);
    for (unsigned k = 0; k < 2; k++) {
        size_t n;
        uint32_t *r = sweep(dir, file[k].name, &n);
        for (size_t i = 0; i < n; i++) {
            const float turns = multiply_rz(as_float(file[k].first + (uint32_t)i * file[k].step), 0.15915493667125702f);
            if (turns < 0.25f)
                observe_fixed((size_t)ldexp(turns, 25), r[i], 37, 0);
        }
        free(r);
    }
    print_table("sin", 64, 1024, 0, 1, false);
}

/* Each binade from 2^-8 to 2^2 has 2^m segments of its own; as in mufu_tanh. */
static void tanh_table(const char *dir)
{
    static const uint8_t segment_bits[11] = {0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 3};
    size_t n, base = 0;
    uint32_t *r = sweep(dir, "tanh-38000000-10", &n);
    forget(51);
    for (unsigned b = 0; b < 11; b++) {
        const unsigned m = segment_bits[b];
        for (uint32_t fraction = 0; fraction < 1u << 23; fraction += 16)
            observe_fixed(base * DX_N + (fraction >> (6 - m)), r[(((b + 7) << 23) + fraction) / 16], 40, 0);
        base += 1u << m;
    }
    free(r);
    print_table("tanh", 51, 65536, 0, 1, false);
}

int main(int argc, char **argv)
{
    const char *dir = argc > 1 ? argv[1] : ".";
    lower = malloc(128 * DX_N * sizeof *lower);
    upper = malloc(128 * DX_N * sizeof *upper);
    for (uint32_t i = 0; i < DX_N; i++)
        square[i] = truncated_square(i);
    printf(
        "/*\n * Coefficients of the special-function unit's interpolations, one row per segment: {c0, c1, c2}. "
        "Recovered from\n"
        " * the H200's results by silicon/exact/fit.c; op_mufu.h says what they mean.\n */\n"
        "#ifndef WEIR_EMU_OP_MUFU_TABLE_H\n#define WEIR_EMU_OP_MUFU_TABLE_H\n\n#include <stdint.h>\n\n"
        "struct mufu_table {\n    int32_t c0[128], c1[128], c2[128];\n};\n\n");
    const size_t binade = 1u << 23; /* roots have a table for [1, 2) and one for [2, 4) */
    mantissa_table(dir, "rcp-3f800000-1", "rcp", 128, 0x3f000000, 16, 0x1p14, 4046, 1, 0, 1, 0, false);
    mantissa_table(dir, "rsqrt-3f800000-1", "rsqrt", 64, 0x3f000000, 16, 0x1p14, 16383, 4, 0, 0, 1,
                   true); /* 1 by decree */
    mantissa_table(dir, "rsqrt-3f800000-1", "rsqrt", 64, 0x3f000000, 16, 0x1p14, 16383, 4, binade, 0, 0, false);
    mantissa_table(dir, "sqrt-3f800000-1", "sqrt", 64, 0x3f800000, 17, 0x1p15, 32767, 2, 0, 0, 0, true);
    mantissa_table(dir, "sqrt-3f800000-1", "sqrt", 64, 0x3f800000, 17, 0x1p15, 32767, 2, binade, 0, 0, false);
    mantissa_table(dir, "ex2-3f000000-1", "ex2", 64, 0x40000000, 15, 0x1p13, 6114, 1, binade, 0, 0, false);
    lg2_table(dir);
    sin_table(dir);
    tanh_table(dir);
    printf("#endif\n");
    return 0;
}
