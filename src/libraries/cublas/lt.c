/*
 * cuBLASLt: the same products, described by records of the library's own, with an epilogue. A light handle is a handle.
 */
#include "cublas/blas.h"
#include "weir/cuda/cublasLt.h"

#include "base/out_of_memory.h"
#include "base/mem.h"

#include <stdio.h>
#include <string.h>

struct layout {
    cudaDataType type;
    cublasLtOrder_t order;
    uint64_t rows, columns;
    int64_t ld, stride;
    int batch;
};
struct desc {
    cublasComputeType_t compute;
    cudaDataType scale, bias_type, aux_type;
    cublasLtPointerMode_t pointer_mode;
    cublasOperation_t ta, tb;
    cublasLtEpilogue_t epilogue;
    const void *bias;
    void *aux;
    int64_t ld_aux, stride_aux;
    const float *scale_a, *scale_b, *scale_c, *scale_d;
    float *amax;
    bool has_bias_type, has_aux_type;
};
_Static_assert(sizeof(struct layout) <= sizeof(cublasLtMatrixLayoutOpaque_t), "the caller may keep the record");
_Static_assert(sizeof(struct desc) <= sizeof(cublasLtMatmulDescOpaque_t), "the caller may keep the record");

static cublasStatus_t refuse(const char *what)
{
    fflush(stdout);
    fprintf(stderr, "weir: cublasLtMatmul: %s is not supported\n", what);
    return CUBLAS_STATUS_NOT_SUPPORTED;
}

API cublasStatus_t cublasLtCreate(cublasLtHandle_t *out)
{
    return cublasCreate((cublasHandle_t *)out);
}

API cublasStatus_t cublasLtDestroy(cublasLtHandle_t h)
{
    return cublasDestroy((cublasHandle_t)h);
}

API size_t cublasLtGetVersion(void)
{
    return CUBLAS_VERSION;
}

/* ---- records ---- */
API cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *out, cudaDataType type, uint64_t rows,
                                              uint64_t columns, int64_t ld)
{
    if (!out)
        return CUBLAS_STATUS_INVALID_VALUE;
    *out = xcalloc(1, sizeof **out);
    *(struct layout *)(void *)*out =
        (struct layout){.type = type, .rows = rows, .columns = columns, .ld = ld, .batch = 1};
    return CUBLAS_STATUS_SUCCESS;
}

API cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout)
{
    free(layout);
    return CUBLAS_STATUS_SUCCESS;
}

API cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *out, cublasComputeType_t compute, cudaDataType scale)
{
    if (!out)
        return CUBLAS_STATUS_INVALID_VALUE;
    *out = xcalloc(1, sizeof **out);
    *(struct desc *)(void *)*out =
        (struct desc){.compute = compute, .scale = scale, .epilogue = CUBLASLT_EPILOGUE_DEFAULT};
    return CUBLAS_STATUS_SUCCESS;
}

API cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc)
{
    free(desc);
    return CUBLAS_STATUS_SUCCESS;
}

/* Sets a field from the caller's bytes, which must be as many as it has. */
#define FIELD(field)                                                                                                   \
    (bytes == sizeof(field) ? (memcpy(&(field), from, bytes), CUBLAS_STATUS_SUCCESS) : CUBLAS_STATUS_INVALID_VALUE)

API cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attr,
                                                    const void *from, size_t bytes)
{
    struct layout *l = (void *)layout;
    if (!l || !from)
        return CUBLAS_STATUS_INVALID_VALUE;
    switch (attr) {
    case CUBLASLT_MATRIX_LAYOUT_TYPE:
        return FIELD(l->type);
    case CUBLASLT_MATRIX_LAYOUT_ORDER:
        return FIELD(l->order);
    case CUBLASLT_MATRIX_LAYOUT_ROWS:
        return FIELD(l->rows);
    case CUBLASLT_MATRIX_LAYOUT_COLS:
        return FIELD(l->columns);
    case CUBLASLT_MATRIX_LAYOUT_LD:
        return FIELD(l->ld);
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
        return FIELD(l->batch);
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
        return FIELD(l->stride);
    default:
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
}

API cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attr,
                                                  const void *from, size_t bytes)
{
    struct desc *d = (void *)desc;
    if (!d || !from)
        return CUBLAS_STATUS_INVALID_VALUE;
    switch (attr) {
    case CUBLASLT_MATMUL_DESC_COMPUTE_TYPE:
        return FIELD(d->compute);
    case CUBLASLT_MATMUL_DESC_SCALE_TYPE:
        return FIELD(d->scale);
    case CUBLASLT_MATMUL_DESC_POINTER_MODE:
        return FIELD(d->pointer_mode);
    case CUBLASLT_MATMUL_DESC_TRANSA:
        return FIELD(d->ta);
    case CUBLASLT_MATMUL_DESC_TRANSB:
        return FIELD(d->tb);
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
        return FIELD(d->epilogue);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
        return FIELD(d->bias);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER:
        return FIELD(d->aux);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD:
        return FIELD(d->ld_aux);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE:
        return FIELD(d->stride_aux);
    case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE:
        d->has_bias_type = true;
        return FIELD(d->bias_type);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE:
        d->has_aux_type = true;
        return FIELD(d->aux_type);
    case CUBLASLT_MATMUL_DESC_A_SCALE_POINTER:
        return FIELD(d->scale_a);
    case CUBLASLT_MATMUL_DESC_B_SCALE_POINTER:
        return FIELD(d->scale_b);
    case CUBLASLT_MATMUL_DESC_C_SCALE_POINTER:
        return FIELD(d->scale_c);
    case CUBLASLT_MATMUL_DESC_D_SCALE_POINTER:
        return FIELD(d->scale_d);
    case CUBLASLT_MATMUL_DESC_AMAX_D_POINTER:
        return FIELD(d->amax);
    case CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET:
    case CUBLASLT_MATMUL_DESC_FAST_ACCUM:
        return CUBLAS_STATUS_SUCCESS;
    default:
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
}

/* There is one algorithm, whatever is preferred. */
API cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *out)
{
    if (!out)
        return CUBLAS_STATUS_INVALID_VALUE;
    *out = xcalloc(1, sizeof **out);
    return CUBLAS_STATUS_SUCCESS;
}

API cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference)
{
    free(preference);
    return CUBLAS_STATUS_SUCCESS;
}

API cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                        cublasLtMatmulPreferenceAttributes_t attr, const void *from,
                                                        size_t bytes)
{
    (void)attr, (void)bytes;
    return preference && from ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

/* ---- the product ---- */

/* Whether a leading dimension holds a column and fits the kernels' type. */
static bool is_leading(const struct layout *l)
{
    return l->ld >= (l->rows > 1 ? (int64_t)l->rows : 1) && l->ld <= INT32_MAX;
}

/* What the records say, brought into the kernels' form; the pointers are the caller's to fill. */
static cublasStatus_t describe(const struct desc *d, const struct layout *a, const struct layout *b,
                               const struct layout *c, const struct layout *e, struct gemm_params *p,
                               struct gemm_types *types)
{
    const unsigned done = EPILOGUE_RELU | EPILOGUE_BIAS | EPILOGUE_GELU | EPILOGUE_DGELU | EPILOGUE_AUX;
    const unsigned epilogue = d->epilogue == CUBLASLT_EPILOGUE_DEFAULT ? 0 : (unsigned)d->epilogue;
    *types = gemm_types_of_8bit(a->type, b->type, c->type, e->type);
    const bool small = types->in != 0;
    if (!small)
        *types = gemm_types_of(a->type, b->type, e->type);
    if (!types->in || (c->type != e->type && !small))
        return refuse("this combination of types");
    if (small && (!d->ta || d->tb))
        return refuse("a product of 8-bit types other than of a transposed A and a B as it is");
    if (!small && (d->scale_a || d->scale_b || d->scale_c || d->scale_d || d->amax))
        return refuse("a scale of types of more than 8 bits");
    if (a->order || b->order || c->order || e->order)
        return refuse("a layout that is not column-major");
    if (epilogue & ~done || ((epilogue & EPILOGUE_RELU) && (epilogue & EPILOGUE_AUX)))
        return refuse("an epilogue with gradients of the bias, or of ReLU");
    if (epilogue && (types->in == 'c' || types->in == 'z'))
        return refuse("an epilogue with complex numbers");
    if ((d->has_bias_type && d->bias_type != c->type) || (d->has_aux_type && d->aux_type != c->type))
        return refuse("a bias, or what is kept for the gradient, of another type than C");
    if (d->pointer_mode > CUBLASLT_POINTER_MODE_DEVICE)
        return refuse("a vector of alphas");
    const uint64_t m = d->ta ? a->columns : a->rows, k = d->ta ? a->rows : a->columns, n = d->tb ? b->rows : b->columns;
    if ((d->tb ? b->columns : b->rows) != k || c->rows != m || c->columns != n || e->rows != m || e->columns != n ||
        m > INT32_MAX || n > INT32_MAX || k > INT32_MAX || d->ta > CUBLAS_OP_C || d->tb > CUBLAS_OP_C ||
        !is_leading(a) || !is_leading(b) || !is_leading(c) || !is_leading(e) || e->batch < 0 || a->batch != e->batch ||
        b->batch != e->batch || c->batch != e->batch || d->ld_aux < 0 || d->ld_aux > INT32_MAX)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (((epilogue & EPILOGUE_BIAS) && !d->bias) || ((epilogue & (EPILOGUE_AUX | EPILOGUE_DGELU)) && !d->aux))
        return CUBLAS_STATUS_INVALID_VALUE;
    *p = (struct gemm_params){
        .m = (int)m,
        .n = (int)n,
        .k = (int)k,
        .batch = e->batch,
        .lda = (int)a->ld,
        .ldb = (int)b->ld,
        .ldc = (int)c->ld,
        .ldd = (int)e->ld,
        .stride_a = a->stride,
        .stride_b = b->stride,
        .stride_c = c->stride,
        .stride_d = e->stride,
        .scalar = d->scale == CUDA_R_16F ? SCALAR_F16 : SCALAR_F32,
        .epilogue = (int)epilogue,
        .bias = d->bias,
        .aux = d->aux,
        .ld_aux = (int)(d->ld_aux ? d->ld_aux : e->ld),
        .stride_aux = d->stride_aux,
        .scale_a = d->scale_a,
        .scale_b = d->scale_b,
        .scale_c = d->scale_c,
        .scale_d = d->scale_d,
        .amax = d->amax,
    };
    return CUBLAS_STATUS_SUCCESS;
}

#define RECORD(type, handle) ((const struct type *)(const void *)(handle))

API cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t h, cublasLtMatmulDesc_t desc,
                                                  cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                                  cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                                  cublasLtMatmulPreference_t preference, int wanted,
                                                  cublasLtMatmulHeuristicResult_t results[], int *n)
{
    (void)preference;
    struct gemm_params p;
    struct gemm_types types;
    if (!h || !desc || !a || !b || !c || !d || wanted < 1 || !results || !n)
        return CUBLAS_STATUS_INVALID_VALUE;
    *n = 0;
    /* Pointers may come after the question. */
    struct desc asked = *RECORD(desc, desc);
    asked.bias = asked.bias ? asked.bias : &asked;
    asked.aux = asked.aux ? asked.aux : &asked;
    const cublasStatus_t s =
        describe(&asked, RECORD(layout, a), RECORD(layout, b), RECORD(layout, c), RECORD(layout, d), &p, &types);
    if (s)
        return s;
    results[0] = (cublasLtMatmulHeuristicResult_t){.state = CUBLAS_STATUS_SUCCESS, .wavesCount = 1};
    *n = 1;
    return CUBLAS_STATUS_SUCCESS;
}

API cublasStatus_t cublasLtMatmul(cublasLtHandle_t light, cublasLtMatmulDesc_t desc, const void *alpha, const void *a,
                                  cublasLtMatrixLayout_t layout_a, const void *b, cublasLtMatrixLayout_t layout_b,
                                  const void *beta, const void *c, cublasLtMatrixLayout_t layout_c, void *d,
                                  cublasLtMatrixLayout_t layout_d, const cublasLtMatmulAlgo_t *algo, void *workspace,
                                  size_t workspace_bytes, cudaStream_t stream)
{
    (void)algo, (void)workspace, (void)workspace_bytes;
    struct gemm_params p;
    struct gemm_types types;
    if (!light)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!desc || !alpha || !beta || !a || !b || !d || !layout_a || !layout_b || !layout_c || !layout_d)
        return CUBLAS_STATUS_INVALID_VALUE;
    const struct desc *x = RECORD(desc, desc);
    const cublasStatus_t s = describe(x, RECORD(layout, layout_a), RECORD(layout, layout_b), RECORD(layout, layout_c),
                                      RECORD(layout, layout_d), &p, &types);
    if (s)
        return s;
    /* A call has its own stream and pointer mode. */
    struct cublasContext h = *(cublasHandle_t)light;
    h.stream = stream;
    h.pointer_mode = (cublasPointerMode_t)x->pointer_mode;
    const char scalars = types.in == 'd' || types.in == 'c' || types.in == 'z' ? types.in
                         : p.scalar == SCALAR_F16                              ? 'h'
                                                                               : 's';
    const struct scalar f = blas_scalar(&h, scalars, alpha), g = blas_scalar(&h, scalars, beta);
    p.a = a;
    p.b = b;
    p.c = c;
    p.d = d;
    p.alpha_at = f.at;
    p.alpha[0] = f.re;
    p.alpha[1] = f.im;
    p.beta_at = g.at;
    p.beta[0] = g.re;
    p.beta[1] = g.im;
    if (p.amax && cudaMemsetAsync(p.amax, 0, sizeof *p.amax, stream))
        return CUBLAS_STATUS_EXECUTION_FAILED;
    return gemm_run(&h, types, x->ta, x->tb, &p, false);
}
