// Tensor copies in both directions: one to five dimensions, swizzles, element strides, what is out of range, reductions,
// im2col, multicasts of one CTA, bulk copies without a map; maps that the encoder refuses.
// flags: -gencode=arch=compute_90a,code=compute_90a
#include "hopper.h"

enum { SIZE = 8192 };

struct coords {
    int c[5];
};

__device__ void load(uint32_t to, const CUtensorMap *m, coords at, int rank, uint32_t bar)
{
#define LOAD(d, list)                                                                                                  \
    asm volatile("cp.async.bulk.tensor." d ".shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "           \
                 "[%1, " list "], [%7];" ::"r"(to),                                                                    \
                 "l"(m), "r"(at.c[0]), "r"(at.c[1]), "r"(at.c[2]), "r"(at.c[3]), "r"(at.c[4]), "r"(bar)                \
                 : "memory")
    switch (rank) {
    case 1:
        LOAD("1d", "{%2}");
        break;
    case 2:
        LOAD("2d", "{%2, %3}");
        break;
    case 3:
        LOAD("3d", "{%2, %3, %4}");
        break;
    case 4:
        LOAD("4d", "{%2, %3, %4, %5}");
        break;
    default:
        LOAD("5d", "{%2, %3, %4, %5, %6}");
    }
}

__device__ void store(uint32_t from, const CUtensorMap *m, coords at, int rank)
{
#define STORE(d, list)                                                                                                 \
    asm volatile("cp.async.bulk.tensor." d ".global.shared::cta.tile.bulk_group [%1, " list "], [%0];" ::"r"(from),     \
                 "l"(m), "r"(at.c[0]), "r"(at.c[1]), "r"(at.c[2]), "r"(at.c[3]), "r"(at.c[4])                          \
                 : "memory")
    switch (rank) {
    case 1:
        STORE("1d", "{%2}");
        break;
    case 2:
        STORE("2d", "{%2, %3}");
        break;
    case 3:
        STORE("3d", "{%2, %3, %4}");
        break;
    case 4:
        STORE("4d", "{%2, %3, %4, %5}");
        break;
    default:
        STORE("5d", "{%2, %3, %4, %5, %6}");
    }
    store_wait();
}

/* The box as it lies in shared memory, `skip` bytes behind a 1024-byte boundary. */
__global__ void to_shared(const __grid_constant__ CUtensorMap m, coords at, int rank, int bytes, int skip,
                          unsigned char *out)
{
    __shared__ __align__(8) uint64_t bar;
    for (int i = threadIdx.x; i < SIZE; i += blockDim.x)
        shared_bytes[i] = 0xee;
    if (threadIdx.x == 0) {
        mbar_init(smem(&bar), 1);
        fence_init();
    }
    __syncthreads();
    fence_async();
    if (threadIdx.x == 0) {
        asm volatile("prefetch.tensormap [%0];" ::"l"(&m));
        mbar_expect(smem(&bar), bytes);
        load(smem(shared_bytes) + skip, &m, at, rank, smem(&bar));
    }
    mbar_wait(smem(&bar), 0);
    for (int i = threadIdx.x; i < SIZE; i += blockDim.x)
        out[i] = shared_bytes[i];
}

__global__ void to_global(const __grid_constant__ CUtensorMap m, coords at, int rank, const unsigned char *in)
{
    for (int i = threadIdx.x; i < SIZE; i += blockDim.x)
        shared_bytes[i] = in[i];
    fence_async();
    __syncthreads();
    if (threadIdx.x == 0)
        store(smem(shared_bytes), &m, at, rank);
}

__global__ void add_to_global(const __grid_constant__ CUtensorMap m, int x, int y, const unsigned char *in)
{
    for (int i = threadIdx.x; i < SIZE; i += blockDim.x)
        shared_bytes[i] = in[i];
    fence_async();
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&m),
                     "r"(x), "r"(y), "r"(smem(shared_bytes))
                     : "memory");
        store_wait();
    }
}

static size_t swizzled(size_t at, int swizzle)
{
    const size_t rows = swizzle == 3 ? 7 : swizzle == 2 ? 3 : swizzle;
    return at ^ (at >> 7 & rows) << 4;
}

/* What the box holds by the rules, as bytes of shared memory; `visit(tensor element or -1, byte of shared memory)`. */
template <class F>
static void walk(int rank, const uint64_t *dim, const uint32_t *box, const uint32_t *step, coords at, int element,
                 int swizzle, int skip, F visit)
{
    uint32_t n[5] = {1, 1, 1, 1, 1}, total = 1;
    for (int d = 0; d < rank; d++) {
        n[d] = d == 0 ? box[0] : (box[d] + step[d] - 1) / step[d];
        total *= n[d];
    }
    for (uint32_t k = 0; k < total; k++) {
        uint32_t left = k;
        long index = 0, pitch = 1;
        bool inside = true;
        for (int d = 0; d < rank; d++) {
            const long x = at.c[d] + (long)(left % n[d]) * (d ? step[d] : 1);
            inside = inside && x >= 0 && x < (long)dim[d];
            index += x * pitch;
            pitch *= (long)dim[d];
            left /= n[d];
        }
        visit(inside ? index : -1, swizzled((size_t)skip + (size_t)k * element, swizzle));
    }
}

static void one(int rank, CUtensorMapDataType type, int element, const uint64_t *dim, const uint32_t *box,
                const uint32_t *step, coords at, int swizzle, int skip, bool nan)
{
    size_t elements = 1;
    for (int d = 0; d < rank; d++)
        elements *= dim[d];
    rng r(rank * 100 + swizzle);
    std::vector<unsigned char> tensor(elements * element), want(SIZE, 0xee);
    for (auto &b : tensor)
        b = (unsigned char)r.next();
    dev<unsigned char> in(tensor), out(SIZE);
    const CUtensorMap m =
        tensor_map(type, element, rank, in.p, dim, box, (CUtensorMapSwizzle)swizzle, step,
                   nan ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    int bytes = 0;
    walk(rank, dim, box, step, at, element, swizzle, skip, [&](long from, size_t to) {
        for (int b = 0; b < element; b++)
            want[to + b] = from >= 0 ? tensor[from * element + b] : nan ? (b + 1 < element ? 0xff : 0x7f) : 0;
        bytes += element;
    });
    to_shared<<<1, 64, SIZE>>>(m, at, rank, bytes, skip, out.p);
    RAN();
    char what[64];
    snprintf(what, sizeof what, "load %dd element %d swizzle %d skip %d", rank, element, swizzle, skip);
    check_equal(what, out.get(), want);
    if (skip)
        return;
    std::vector<unsigned char> data(SIZE), after = tensor;
    for (auto &b : data)
        b = (unsigned char)r.next();
    walk(rank, dim, box, step, at, element, swizzle, 0, [&](long to, size_t from) {
        for (int b = 0; b < element && to >= 0; b++)
            after[to * element + b] = data[from + b];
    });
    dev<unsigned char> source(data);
    to_global<<<1, 64, SIZE>>>(m, at, rank, source.p);
    RAN();
    what[0] = 'S';
    check_equal(what, in.get(), after);
}

static void shapes()
{
    const uint32_t ones[5] = {1, 1, 1, 1, 1};
    const uint64_t d1[] = {256};
    const uint32_t b1[] = {64};
    for (int x : {0, 16, -8, 224, 300, -64})
        one(1, CU_TENSOR_MAP_DATA_TYPE_UINT16, 2, d1, b1, ones, {{x}}, 0, 0, false);
    const uint64_t d2[] = {96, 40};
    for (int swizzle = 0; swizzle < 4; swizzle++)
        for (int skip : {0, 128, 384}) {
            const uint32_t b2[] = {swizzle ? 8u << swizzle : 48u, 24};
            one(2, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, d2, b2, ones, {{8, 3}}, swizzle, skip, false);
            one(2, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, d2, b2, ones, {{-5, -3}}, swizzle, skip, true);
            one(2, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, d2, b2, ones, {{90, 30}}, swizzle, skip, false);
        }
    const uint64_t d3[] = {32, 9, 7};
    const uint32_t b3[] = {16, 5, 4}, s3[] = {1, 2, 3};
    one(3, CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, d3, b3, ones, {{16, 6, 5}}, 0, 0, false);
    one(3, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, d3, b3, s3, {{4, 1, -1}}, 2, 0, true);
    const uint64_t d4[] = {16, 5, 4, 3};
    const uint32_t b4[] = {16, 2, 3, 2};
    one(4, CU_TENSOR_MAP_DATA_TYPE_INT32, 4, d4, b4, ones, {{0, 4, 2, 1}}, 2, 0, false);
    const uint64_t d5[] = {8, 3, 4, 3, 5};
    const uint32_t b5[] = {8, 2, 3, 2, 4}, s5[] = {1, 1, 2, 1, 2};
    one(5, CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 8, d5, b5, ones, {{0, 1, 1, 2, 3}}, 2, 0, false);
    one(5, CU_TENSOR_MAP_DATA_TYPE_UINT64, 8, d5, b5, s5, {{4, -1, 0, 0, 1}}, 2, 0, false);
}

static void reductions()
{
    const uint64_t dim[] = {20, 6};
    const uint32_t box[] = {8, 4};
    std::vector<float> a(120), b(SIZE / 4), want;
    rng r(3);
    for (auto &x : a)
        x = (float)r.below(100);
    for (auto &x : b)
        x = (float)r.below(100);
    want = a;
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 8; x++)
            if (y + 3 < 6 && x + 16 < 20)
                want[(y + 3) * 20 + x + 16] += b[y * 8 + x];
    dev<float> da(a), db(b);
    const CUtensorMap m = tensor_map(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, 2, da.p, dim, box, CU_TENSOR_MAP_SWIZZLE_NONE);
    add_to_global<<<1, 32, SIZE>>>(m, 16, 3, (const unsigned char *)db.p);
    RAN();
    check_equal("reduce", da.get(), want);
}

/* ---- im2col ---- */
__global__ void image(const __grid_constant__ CUtensorMap m, int c, int w, int h, int n, uint16_t dw, uint16_t dh, int bytes,
                      float *out)
{
    __shared__ __align__(8) uint64_t bar;
    if (threadIdx.x == 0) {
        mbar_init(smem(&bar), 1);
        mbar_expect(smem(&bar), bytes);
        asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], "
                     "[%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(smem(shared_bytes)),
                     "l"(&m), "r"(c), "r"(w), "r"(h), "r"(n), "r"(smem(&bar)), "h"(dw), "h"(dh)
                     : "memory");
    }
    __syncthreads();
    mbar_wait(smem(&bar), 0);
    for (int i = threadIdx.x; i < bytes / 4; i += blockDim.x)
        out[i] = ((float *)shared_bytes)[i];
}

static void images()
{
    enum { C = 8, W = 6, H = 5, N = 2, PIXELS = 40 };
    std::vector<float> t(C * W * H * N), want(PIXELS * C, 0);
    for (size_t i = 0; i < t.size(); i++)
        t[i] = (float)(i + 1);
    dev<float> in(t), out(PIXELS * C);
    const cuuint64_t dim[] = {C, W, H, N}, stride[] = {C * 4, C * W * 4, C * W * H * 4};
    const int lower[] = {-1, -1}, upper[] = {-1, -1}; /* a 3 x 3 filter with a padding of one */
    const cuuint32_t ones[] = {1, 1, 1, 1};
    CUtensorMap m;
    void *found = nullptr;
    cudaDriverEntryPointQueryResult status;
    CUDA(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeIm2col", &found, 12000, cudaEnableDefault, &status));
    CHECK(status == cudaDriverEntryPointSuccess);
    const auto encode = (decltype(&cuTensorMapEncodeIm2col))found;
    CHECK(encode(&m, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, in.p, dim, stride, lower, upper, C, PIXELS, ones,
                                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    const int dw = 2, dh = 1;
    int w = -1, h = -1, n = 0;
    for (int p = 0; p < PIXELS; p++) {
        for (int c = 0; c < C; c++)
            if (w + dw >= 0 && w + dw < W && h + dh >= 0 && h + dh < H && n < N)
                want[p * C + c] = t[((n * H + h + dh) * W + w + dw) * C + c];
        if (++w == W - 1) {
            w = -1;
            if (++h == H - 1) {
                h = -1;
                n++;
            }
        }
    }
    image<<<1, 32, SIZE>>>(m, 0, -1, -1, 0, dw, dh, PIXELS * C * 4, out.p);
    RAN();
    check_equal("im2col", out.get(), want);
}

/* ---- bulk copies ---- */
__global__ void bulk(const int *in, int *out, int *sum, int n)
{
    __shared__ __align__(8) uint64_t bar;
    const uint32_t tile = smem(shared_bytes), b = smem(&bar);
    if (threadIdx.x == 0) {
        mbar_init(b, 1);
        mbar_expect(b, n * 4);
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(in), "r"(n * 4));
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(tile),
                     "l"(in), "r"(n * 4), "r"(b)
                     : "memory");
    }
    __syncthreads();
    mbar_wait(b, 0);
    int *t = (int *)shared_bytes;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        t[i] += 1;
    fence_async();
    __syncthreads();
    if (threadIdx.x == 0) {
        uint64_t policy;
        asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, %3;" ::"l"(out), "r"(tile),
                     "r"(n * 4), "l"(policy)
                     : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], %2;" ::"l"(sum), "r"(tile),
                     "r"(n * 4)
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;\ncp.async.bulk.wait_group 0;" ::
                         : "memory");
    }
}

static void bulks()
{
    const int n = 256;
    std::vector<int> in(n), want(n), total(n, 7);
    for (int i = 0; i < n; i++) {
        in[i] = i * 3;
        want[i] = i * 3 + 1;
        total[i] = 7;
    }
    dev<int> di(in), out(n), sum(total);
    bulk<<<1, 64, SIZE>>>(di.p, out.p, sum.p, n);
    RAN();
    check_equal("bulk", out.get(), want);
    for (int i = 0; i < n; i++)
        total[i] += want[i];
    check_equal("bulk reduce", sum.get(), total);
}

/* ---- what the encoder refuses ---- */
static void refusals()
{
    dev<float> t(1024);
    CUtensorMap m;
    const cuuint64_t dim[] = {32, 32}, stride[] = {128}, odd[] = {132};
    const cuuint32_t box[] = {16, 16}, large[] = {257, 1}, thin[] = {3, 16}, ones[] = {1, 1}, nine[] = {1, 9};
    auto encode = [&](void *p, const cuuint64_t *s, const cuuint32_t *b, const cuuint32_t *e, CUtensorMapSwizzle swizzle) {
        return tiled_encoder()(&m, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, p, dim, s, b, e,
                                      CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                                      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    };
    CHECK(encode(t.p, stride, box, ones, CU_TENSOR_MAP_SWIZZLE_64B) == CUDA_SUCCESS);
    CHECK(encode(t.p + 1, stride, box, ones, CU_TENSOR_MAP_SWIZZLE_64B) == CUDA_ERROR_INVALID_VALUE);
    CHECK(encode(t.p, odd, box, ones, CU_TENSOR_MAP_SWIZZLE_64B) == CUDA_ERROR_INVALID_VALUE);
    CHECK(encode(t.p, stride, large, ones, CU_TENSOR_MAP_SWIZZLE_NONE) == CUDA_ERROR_INVALID_VALUE);
    CHECK(encode(t.p, stride, thin, ones, CU_TENSOR_MAP_SWIZZLE_NONE) == CUDA_ERROR_INVALID_VALUE);
    CHECK(encode(t.p, stride, box, nine, CU_TENSOR_MAP_SWIZZLE_NONE) == CUDA_ERROR_INVALID_VALUE);
    CHECK(encode(t.p, stride, box, ones, CU_TENSOR_MAP_SWIZZLE_32B) == CUDA_ERROR_INVALID_VALUE);
}

int main()
{
    shapes();
    reductions();
    images();
    bulks();
    refusals();
    return check_result();
}
