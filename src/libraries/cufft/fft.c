/*
 * cuFFT: plans and their execution. Each axis is one launch over all its lines, or two where a line is longer than a CTA's
 * shared memory: lines of part 0 into the work area, factors, lines of part 1 (Bailey, 1990, "four steps"). Of real data the
 * last axis is first, or last on the way back.
 *
 * A complex-to-real transform leaves its input as it was, which NVIDIA's does not promise.
 *
 * Left out: half and bfloat16, several GPUs, callbacks, plan properties.
 */
#include "weir/cuda/cufftXt.h"

#include "base/out_of_memory.h"
#include "compile/kernels.h"
#include "cufft/length.h"
#include "weir/cuda/cuda_runtime_api.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define API __attribute__((visibility("default")))

enum { DIMENSIONS = 3, IS_DOUBLE = 0x40 };

/* Where the elements of one side are: in units of its type. */
struct layout {
    long long stride[DIMENSIONS], distance;
};
struct plan {
    bool made, basic, caller_has_work;
    cufftType type;
    int rank;
    long long n[DIMENSIONS], batch;
    struct layout in, out; /* of plans that are not basic */
    struct axis axis[DIMENSIONS];
    cudaStream_t stream;
    void *table, *work;
    size_t work_bytes;
};
static VEC(struct plan *) plans;
static pthread_mutex_t plans_lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_double(cufftType type)
{
    return type & IS_DOUBLE;
}
static cufftType kind(cufftType type)
{
    return (cufftType)(type & ~(unsigned)IS_DOUBLE);
}
static size_t number_bytes(cufftType type)
{
    return is_double(type) ? 16 : 8;
}

static cufftResult result_of(cudaError_t e)
{
    return e == cudaSuccess ? CUFFT_SUCCESS : e == cudaErrorMemoryAllocation ? CUFFT_ALLOC_FAILED : CUFFT_EXEC_FAILED;
}

static struct plan *find(cufftHandle handle)
{
    pthread_mutex_lock(&plans_lock);
    struct plan *p = handle > 0 && (size_t)handle <= plans.n ? plans.p[handle - 1] : NULL;
    pthread_mutex_unlock(&plans_lock);
    return p;
}

/* ---- execution ---- */

/* One side of a transform of an axis. */
struct side {
    void *data;
    enum lines_form form;
    struct layout at;
};
struct loop {
    long long count, in, out;
    int part;
};

static int by_stride(const void *a, const void *b)
{
    const struct loop *x = a, *y = b;
    const long long d = x->in + x->out - y->in - y->out;
    return d < 0 ? -1 : d > 0;
}

static cudaError_t launch(const struct plan *p, const struct length *length, struct lines *l, struct loop *loop,
                          int loops)
{
    long long lines = 1;
    qsort(loop, (size_t)loops, sizeof *loop, by_stride);
    l->part_loop = LINES_LOOPS;
    for (int d = 0; d < LINES_LOOPS; d++) {
        l->count[d] = d < loops ? (unsigned)loop[d].count : 1;
        if (d >= loops)
            continue;
        lines *= loop[d].count;
        l->in_stride[d] = loop[d].in;
        l->out_stride[d] = loop[d].out;
        if (loop[d].part)
            l->part_loop = d;
    }
    const size_t bytes = number_bytes(p->type);
    const int fit = LINES_SHARED_BYTES / (2 * (int)bytes * length->padded);
    /* A kilopoint; 8 lines where these are neighbors in memory, so that sectors are used whole. */
    l->load_across = loop[0].in < l->in_step || (loop[0].part && l->from == LINES_HALF);
    l->store_across = loop[0].out < l->out_step;
    int per_cta = 1024 / length->padded;
    if ((l->load_across || l->store_across) && per_cta < 8)
        per_cta = 8;
    per_cta = per_cta > LINES_PER_CTA ? LINES_PER_CTA : per_cta;
    per_cta = per_cta > fit ? fit : per_cta;
    per_cta = per_cta > lines ? (int)lines : per_cta;
    l->per_cta = per_cta > 0 ? per_cta : 1;
    l->n = length->n;
    l->padded = length->padded;
    l->stages = length->stages;
    memcpy(l->radix, length->radix, sizeof l->radix);
    const char *table = p->table;
    l->roots = table + length->roots * bytes;
    l->chirp = length->padded != length->n ? table + length->chirp * bytes : NULL;

    const int eighth = l->per_cta * length->padded / 8;
    const unsigned threads = eighth > 256 ? 256 : eighth < 32 ? 32 : (unsigned)(eighth + 31) / 32 * 32;
    const long long ctas = (lines + l->per_cta - 1) / l->per_cta;
    if (ctas > 0x7fffffff)
        return cudaErrorInvalidValue;
    const char *const type = is_double(p->type) ? "f64" : "f32";
    const char *const defines[] = {is_double(p->type) ? "-DREAL=double" : "-DREAL=float",
                                   is_double(p->type) ? "-DTYPE=f64" : "-DTYPE=f32", NULL};
    char name[48];
    snprintf(name, sizeof name, "weir_cufft_%s_%s",
             l->from == LINES_REAL ? "from_real"
             : l->to == LINES_REAL ? "to_real"
                                   : "complex",
             type);
    cudaKernel_t k;
    const cudaError_t e = kernel_find("cufft/lines.cu", defines, name, &k);
    return e ? e
             : cudaLaunchKernel((const void *)k, (dim3){(unsigned)ctas, 1, 1}, (dim3){threads, 1, 1}, (void *[]){l},
                                2 * bytes * (size_t)(l->per_cta * length->padded), p->stream);
}

/* extent: elements along each axis, of which `a` is transformed. */
static cudaError_t transform(const struct plan *p, int a, const struct side *in, const struct side *out,
                             const long long *extent, bool inverse, void *work)
{
    const struct axis *axis = &p->axis[a];
    struct loop others[LINES_LOOPS] = {{p->batch, in->at.distance, out->at.distance, 0}}, loop[LINES_LOOPS];
    int loops = 1;
    for (int d = 0; d < p->rank; d++)
        if (d != a)
            others[loops++] = (struct loop){extent[d], in->at.stride[d], out->at.stride[d], 0};
    const long long in_step = in->at.stride[a], out_step = out->at.stride[a];
    struct lines l = {.in = in->data,
                      .out = out->data,
                      .inverse = inverse,
                      .in_step = in_step,
                      .out_step = out_step,
                      .from = in->form,
                      .to = out->form,
                      .total = axis->n,
                      .in_part_step = 1,
                      .out_part_step = 1};
    if (axis->parts == 1) {
        memcpy(loop, others, sizeof loop);
        return launch(p, &axis->part[0], &l, loop, loops);
    }
    /* Element n1 * second + n2 of a line; of its transform k1 + first * k2. In the work area k1 * second + n2. */
    const int first = axis->part[0].n, second = axis->part[1].n;
    long long dense = axis->n;
    const size_t bytes = number_bytes(p->type);
    memcpy(loop, others, sizeof loop);
    for (int d = 0; d < loops; d++) {
        loop[d].out = dense;
        dense *= loop[d].count;
    }
    loop[loops] = (struct loop){second, in_step, 1, 1};
    struct lines one = l;
    one.out = work;
    one.to = LINES_COMPLEX;
    one.in_step = in->form == LINES_HALF ? in_step : in_step * second;
    one.in_part = 1;
    one.in_part_step = second;
    one.out_step = second;
    one.other = second;
    one.fine = (const char *)p->table + axis->fine * bytes;
    one.coarse = (const char *)p->table + axis->coarse * bytes;
    const cudaError_t e = launch(p, &axis->part[0], &one, loop, loops + 1);
    if (e)
        return e;
    memcpy(loop, others, sizeof loop);
    dense = axis->n;
    for (int d = 0; d < loops; d++) {
        loop[d].in = dense;
        dense *= loop[d].count;
    }
    loop[loops] = (struct loop){first, second, out_step, 1};
    l.in = work;
    l.from = LINES_COMPLEX;
    l.in_step = 1;
    l.out_step = out_step * first;
    l.out_part = 1;
    l.out_part_step = first;
    return launch(p, &axis->part[1], &l, loop, loops + 1);
}

/* Rows of `last` elements, without gaps. */
static struct layout dense_layout(const struct plan *p, long long last)
{
    struct layout l = {.distance = last};
    l.stride[p->rank - 1] = 1;
    for (int d = p->rank - 2; d >= 0; d--) {
        l.stride[d] = l.distance;
        l.distance *= p->n[d];
    }
    return l;
}

/* Elements along each axis of the complex side. */
static void complex_extent(const struct plan *p, long long *extent)
{
    memcpy(extent, p->n, sizeof p->n);
    if (kind(p->type) != CUFFT_C2C)
        extent[p->rank - 1] = p->n[p->rank - 1] / 2 + 1;
}

/* Bytes of the work area: complex numbers before the last axis becomes real, then what lies between two launches. */
static size_t half_bytes(const struct plan *p)
{
    long long extent[DIMENSIONS], all = p->batch;
    complex_extent(p, extent);
    for (int d = 0; d < p->rank; d++)
        all *= extent[d];
    return kind(p->type) == CUFFT_C2R && p->rank > 1 ? (size_t)all * number_bytes(p->type) : 0;
}
static size_t whole_bytes(const struct plan *p)
{
    long long all = p->batch;
    bool parts = false;
    for (int d = 0; d < p->rank; d++) {
        all *= p->n[d];
        parts |= p->axis[d].parts > 1;
    }
    return parts ? (size_t)all * number_bytes(p->type) : 0;
}

static cufftResult execute(cufftHandle handle, cufftType type, void *from, void *to, int direction)
{
    const struct plan *p = find(handle);
    if (!p || !p->made)
        return CUFFT_INVALID_PLAN;
    if (p->type != type)
        return CUFFT_INVALID_TYPE;
    if (!from || !to || (direction != CUFFT_FORWARD && direction != CUFFT_INVERSE))
        return CUFFT_INVALID_VALUE;
    if ((uintptr_t)from % (number_bytes(type) / 2) || (uintptr_t)to % (number_bytes(type) / 2))
        return CUFFT_UNALIGNED_DATA;
    if (p->work_bytes && !p->work)
        return CUFFT_NO_WORKSPACE;
    const bool inverse = direction == CUFFT_INVERSE;
    const int last = p->rank - 1;
    const long long n = p->n[last];
    struct side in = {from, LINES_COMPLEX, p->in}, out = {to, LINES_COMPLEX, p->out};
    long long extent[DIMENSIONS];
    complex_extent(p, extent);
    if (p->basic) {
        /* In place, rows of real numbers have room for their transforms. */
        const struct layout numbers = dense_layout(p, extent[last]),
                            reals = dense_layout(p, from == to ? 2 * (n / 2 + 1) : n);
        in.at = kind(type) == CUFFT_R2C ? reals : numbers;
        out.at = kind(type) == CUFFT_C2R ? reals : numbers;
    }
    char *work = (char *)p->work + half_bytes(p);
    cudaError_t e = cudaSuccess;
    if (kind(type) == CUFFT_C2R) {
        struct side half = {p->work, LINES_COMPLEX, dense_layout(p, extent[last])};
        for (int d = 0; d < last && !e; d++) {
            e = transform(p, d, &in, &half, extent, inverse, work);
            in = half;
        }
        in.form = LINES_HALF;
        out.form = LINES_REAL;
        return result_of(e ? e : transform(p, last, &in, &out, extent, inverse, work));
    }
    in.form = kind(type) == CUFFT_R2C ? LINES_REAL : LINES_COMPLEX;
    out.form = kind(type) == CUFFT_R2C ? LINES_HALF : LINES_COMPLEX;
    e = transform(p, last, &in, &out, extent, inverse, work);
    out.form = LINES_COMPLEX;
    for (int d = last - 1; d >= 0 && !e; d--)
        e = transform(p, d, &out, &out, extent, inverse, work);
    return result_of(e);
}

#define EXECUTE(letters, FROM, TO)                                                                                     \
    API cufftResult cufftExec##letters(cufftHandle plan, FROM *from, TO *to, int direction)                            \
    {                                                                                                                  \
        return execute(plan, CUFFT_##letters, from, to, direction);                                                    \
    }
EXECUTE(C2C, cufftComplex, cufftComplex)
EXECUTE(Z2Z, cufftDoubleComplex, cufftDoubleComplex)
#define EXECUTE_REAL(letters, FROM, TO, direction)                                                                     \
    API cufftResult cufftExec##letters(cufftHandle plan, FROM *from, TO *to)                                           \
    {                                                                                                                  \
        return execute(plan, CUFFT_##letters, from, to, direction);                                                    \
    }
EXECUTE_REAL(R2C, cufftReal, cufftComplex, CUFFT_FORWARD)
EXECUTE_REAL(C2R, cufftComplex, cufftReal, CUFFT_INVERSE)
EXECUTE_REAL(D2Z, cufftDoubleReal, cufftDoubleComplex, CUFFT_FORWARD)
EXECUTE_REAL(Z2D, cufftDoubleComplex, cufftDoubleReal, CUFFT_INVERSE)

API cufftResult cufftXtExec(cufftHandle handle, void *from, void *to, int direction)
{
    const struct plan *p = find(handle);
    return p ? execute(handle, p->type, from, to, direction) : CUFFT_INVALID_PLAN;
}

/* ---- plans ---- */
API cufftResult cufftCreate(cufftHandle *out)
{
    if (!out)
        return CUFFT_INVALID_VALUE;
    if (cudaFree(NULL))
        return CUFFT_SETUP_FAILED;
    pthread_mutex_lock(&plans_lock);
    size_t at = 0;
    while (at < plans.n && plans.p[at])
        at++;
    if (at == plans.n)
        VEC_PUSH(&plans, NULL);
    plans.p[at] = xcalloc(1, sizeof **plans.p);
    *out = (cufftHandle)at + 1;
    pthread_mutex_unlock(&plans_lock);
    return CUFFT_SUCCESS;
}

API cufftResult cufftDestroy(cufftHandle handle)
{
    struct plan *p = find(handle);
    if (!p)
        return CUFFT_INVALID_PLAN;
    pthread_mutex_lock(&plans_lock);
    plans.p[handle - 1] = NULL;
    pthread_mutex_unlock(&plans_lock);
    cudaFree(p->table);
    if (!p->caller_has_work)
        cudaFree(p->work);
    free(p);
    return CUFFT_SUCCESS;
}

/* What a plan is asked for. */
struct wish {
    int rank;
    long long n[DIMENSIONS], batch;
    bool embedded; /* the rest counts */
    long long in_embed[DIMENSIONS], in_stride, in_distance, out_embed[DIMENSIONS], out_stride, out_distance;
    cufftType type;
};

static struct layout layout_of(const struct wish *w, const long long *embed, long long stride, long long distance)
{
    struct layout l = {.distance = distance};
    for (int d = w->rank - 1; d >= 0; d--) {
        l.stride[d] = stride;
        stride *= embed[d];
    }
    return l;
}

static cufftResult shape(struct plan *p, const struct wish *w, table_t *table)
{
    long long all = w->batch;
    if (kind(w->type) != CUFFT_C2C && kind(w->type) != CUFFT_R2C && kind(w->type) != CUFFT_C2R)
        return CUFFT_INVALID_TYPE;
    if (w->rank < 1 || w->rank > DIMENSIONS)
        return CUFFT_INVALID_VALUE;
    if (w->batch < 1 || w->batch > 0x7fffffff)
        return CUFFT_INVALID_SIZE;
    p->type = w->type;
    p->rank = w->rank;
    p->batch = w->batch;
    p->basic = !w->embedded;
    const int most = LINES_SHARED_BYTES / (2 * (int)number_bytes(w->type));
    for (int d = 0; d < w->rank; d++) {
        const long long n = p->n[d] = w->n[d];
        if (n < 1 || n > 0x7fffffff || __builtin_mul_overflow(all, n, &all) || all > 1LL << 40)
            return CUFFT_INVALID_SIZE;
        if (!axis_make(&p->axis[d], n, most, table)) {
            fflush(stdout);
            fprintf(stderr,
                    "weir: cuFFT: no transform of %lld points: its factors are not small enough; lengths are products "
                    "of two "
                    "numbers up to %d with prime factors 2, 3, 5 and 7, or up to %d with any\n",
                    n, most, most / 2);
            return CUFFT_NOT_SUPPORTED;
        }
    }
    if (!p->basic) {
        p->in = layout_of(w, w->in_embed, w->in_stride, w->in_distance);
        p->out = layout_of(w, w->out_embed, w->out_stride, w->out_distance);
        if (w->in_stride < 1 || w->out_stride < 1 || (w->batch > 1 && (w->in_distance < 1 || w->out_distance < 1)))
            return CUFFT_INVALID_VALUE;
    }
    p->work_bytes = half_bytes(p) + whole_bytes(p);
    return CUFFT_SUCCESS;
}

static cudaError_t upload(struct plan *p, const table_t *table)
{
    const size_t bytes = table->n * number_bytes(p->type) / 2;
    cudaError_t e = cudaMalloc(&p->table, bytes);
    if (!e && is_double(p->type))
        return cudaMemcpy(p->table, table->p, bytes, cudaMemcpyHostToDevice);
    float *narrow = xcalloc(table->n, sizeof *narrow);
    for (size_t i = 0; i < table->n; i++)
        narrow[i] = (float)table->p[i];
    if (!e)
        e = cudaMemcpy(p->table, narrow, bytes, cudaMemcpyHostToDevice);
    free(narrow);
    return e;
}

static cufftResult make(cufftHandle handle, const struct wish *w, size_t *work_bytes)
{
    struct plan *p = find(handle);
    if (!p || p->made)
        return CUFFT_INVALID_PLAN;
    table_t table = {0};
    cufftResult r = shape(p, w, &table);
    if (!r)
        r = result_of(upload(p, &table));
    VEC_FREE(&table);
    if (!r && p->work_bytes && !p->caller_has_work)
        r = result_of(cudaMalloc(&p->work, p->work_bytes));
    p->made = !r;
    if (!r && work_bytes)
        *work_bytes = p->work_bytes;
    return r;
}

static cufftResult create(cufftHandle *out, const struct wish *w)
{
    cufftResult r = cufftCreate(out);
    if (r)
        return r;
    r = make(*out, w, NULL);
    if (r)
        cufftDestroy(*out);
    return r;
}

static cufftResult size_of(const struct wish *w, size_t *bytes)
{
    struct plan p = {0};
    table_t table = {0};
    const cufftResult r = bytes ? shape(&p, w, &table) : CUFFT_INVALID_VALUE;
    VEC_FREE(&table);
    if (!r)
        *bytes = p.work_bytes;
    return r;
}

/* The functions of one set of arguments: to make a handle and its plan, a handle's plan, and to tell what it needs. */
#define PLANS(name, WISH, ...)                                                                                         \
    API cufftResult cufftPlan##name(cufftHandle *plan, __VA_ARGS__)                                                    \
    {                                                                                                                  \
        const struct wish w = WISH;                                                                                    \
        return create(plan, &w);                                                                                       \
    }                                                                                                                  \
    API cufftResult cufftMakePlan##name(cufftHandle plan, __VA_ARGS__, size_t *bytes)                                  \
    {                                                                                                                  \
        const struct wish w = WISH;                                                                                    \
        return make(plan, &w, bytes);                                                                                  \
    }                                                                                                                  \
    API cufftResult cufftEstimate##name(__VA_ARGS__, size_t *bytes)                                                    \
    {                                                                                                                  \
        const struct wish w = WISH;                                                                                    \
        return size_of(&w, bytes);                                                                                     \
    }                                                                                                                  \
    API cufftResult cufftGetSize##name(cufftHandle plan, __VA_ARGS__, size_t *bytes)                                   \
    {                                                                                                                  \
        const struct wish w = WISH;                                                                                    \
        return find(plan) ? size_of(&w, bytes) : CUFFT_INVALID_PLAN;                                                   \
    }
#define WISH(...) ((struct wish){.type = type, __VA_ARGS__})
PLANS(1d, WISH(.rank = 1, .n = {nx}, .batch = batch), int nx, cufftType type, int batch)
PLANS(2d, WISH(.rank = 2, .n = {nx, ny}, .batch = 1), int nx, int ny, cufftType type)
PLANS(3d, WISH(.rank = 3, .n = {nx, ny, nz}, .batch = 1), int nx, int ny, int nz, cufftType type)

/* `wide`: of long long; of int otherwise. */
static void copy_sizes(long long *to, const void *from, bool wide, int rank)
{
    for (int d = 0; d < rank && d < DIMENSIONS; d++)
        to[d] = wide ? ((const long long *)from)[d] : ((const int *)from)[d];
}

static struct wish wish_many(bool wide, int rank, const void *n, const void *in_embed, long long in_stride,
                             long long in_distance, const void *out_embed, long long out_stride, long long out_distance,
                             cufftType type, long long batch)
{
    struct wish w = {.rank = n ? rank : 0, /* which is refused */
                     .batch = batch,
                     .embedded = in_embed && out_embed,
                     .in_stride = in_stride,
                     .in_distance = in_distance,
                     .out_stride = out_stride,
                     .out_distance = out_distance,
                     .type = type};
    copy_sizes(w.n, n, wide, w.rank);
    if (w.embedded) {
        copy_sizes(w.in_embed, in_embed, wide, w.rank);
        copy_sizes(w.out_embed, out_embed, wide, w.rank);
    }
    return w;
}
#define MANY(wide)                                                                                                     \
    wish_many(wide, rank, n, in_embed, in_stride, in_distance, out_embed, out_stride, out_distance, type, batch)
#define MANY_OF(T)                                                                                                     \
    T *n, T *in_embed, T in_stride, T in_distance, T *out_embed, T out_stride, T out_distance, cufftType type, T batch
PLANS(Many, MANY(false), int rank, MANY_OF(int))

API cufftResult cufftMakePlanMany64(cufftHandle plan, int rank, MANY_OF(long long), size_t *bytes)
{
    const struct wish w = MANY(true);
    return make(plan, &w, bytes);
}

API cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long *n, long long *in_embed, long long in_stride,
                                    long long in_distance, cudaDataType in_type, long long *out_embed,
                                    long long out_stride, long long out_distance, cudaDataType out_type,
                                    long long batch, size_t *bytes, cudaDataType inner_type)
{
    static const struct {
        cudaDataType in, out;
        cufftType type;
    } known[] = {{CUDA_C_32F, CUDA_C_32F, CUFFT_C2C}, {CUDA_R_32F, CUDA_C_32F, CUFFT_R2C},
                 {CUDA_C_32F, CUDA_R_32F, CUFFT_C2R}, {CUDA_C_64F, CUDA_C_64F, CUFFT_Z2Z},
                 {CUDA_R_64F, CUDA_C_64F, CUFFT_D2Z}, {CUDA_C_64F, CUDA_R_64F, CUFFT_Z2D}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (in_type == known[i].in && out_type == known[i].out &&
            (inner_type == CUDA_C_64F) == is_double(known[i].type))
            return cufftMakePlanMany64(plan, rank, n, in_embed, in_stride, in_distance, out_embed, out_stride,
                                       out_distance, known[i].type, batch, bytes);
    fflush(stdout);
    fprintf(stderr, "weir: cuFFT: types %d to %d, computed as %d, are not supported; use single or double precision\n",
            (int)in_type, (int)out_type, (int)inner_type);
    return CUFFT_NOT_SUPPORTED;
}

/* ---- what a plan has ---- */
API cufftResult cufftGetSize(cufftHandle handle, size_t *bytes)
{
    const struct plan *p = find(handle);
    if (!p)
        return CUFFT_INVALID_PLAN;
    if (!bytes)
        return CUFFT_INVALID_VALUE;
    *bytes = p->work_bytes;
    return CUFFT_SUCCESS;
}

API cufftResult cufftSetWorkArea(cufftHandle handle, void *work)
{
    struct plan *p = find(handle);
    if (!p)
        return CUFFT_INVALID_PLAN;
    if (!p->caller_has_work)
        cudaFree(p->work);
    p->caller_has_work = true;
    p->work = work;
    return CUFFT_SUCCESS;
}

API cufftResult cufftSetAutoAllocation(cufftHandle handle, int automatic)
{
    struct plan *p = find(handle);
    if (!p || p->made) /* it is for before the plan is made */
        return CUFFT_INVALID_PLAN;
    p->caller_has_work = !automatic;
    return CUFFT_SUCCESS;
}

API cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream)
{
    struct plan *p = find(handle);
    if (!p)
        return CUFFT_INVALID_PLAN;
    p->stream = stream;
    return CUFFT_SUCCESS;
}

API cufftResult cufftGetVersion(int *version)
{
    if (!version)
        return CUFFT_INVALID_VALUE;
    *version = CUFFT_VERSION;
    return CUFFT_SUCCESS;
}

API cufftResult cufftGetProperty(libraryPropertyType type, int *value)
{
    if (!value || type > PATCH_LEVEL)
        return CUFFT_INVALID_VALUE;
    *value = type == MAJOR_VERSION ? CUFFT_VER_MAJOR : type == MINOR_VERSION ? CUFFT_VER_MINOR : CUFFT_VER_PATCH;
    return CUFFT_SUCCESS;
}
