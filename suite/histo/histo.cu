/*
 * Saturating 2-D histogram of an image whose values concentrate near one place.
 *
 * Origin: Parboil, histo. Four kernels: (1) prescan, 64 blocks of 512: each estimates mean and deviation from an eighth
 * of its share; ten deviations around the mean give the ranges of 24 Ki bins that deserve shared memory; (2)
 * intermediates, one block per 16 image rows, one thread per two pixels: turns every value into range, word and byte;
 * (3) main, 14 blocks of 768 threads per range: all blocks of one column scan a fourteenth of the image and count their
 * own range with atomics in 24 KiB of shared memory, four 8-bit bins per word (a bin that wraps moves to an overflow
 * array); values outside all ranges are counted in global memory; (4) final, 42 blocks of 512: adds the 14 partial
 * histograms and clips at 255. Original 996 x 1040 pixels, 20 or more repetitions; "paper" is that size, 4 repetitions.
 */
#include "../common/suite.h"

#include <vector>

enum { BINS = 24 * 1024, COLUMNS = 14, THREADS = 768, PRESCAN_BLOCKS = 64, PRESCAN_THREADS = 512, ROWS = 16 };

__global__ void prescan(const unsigned *input, int n, unsigned *range, unsigned ranges)
{
    __shared__ float mean[PRESCAN_THREADS], deviation[PRESCAN_THREADS];
    int t = threadIdx.x, share = n / gridDim.x, first = blockIdx.x * share + t, end = blockIdx.x * share + share / 8;
    float m = 0, d = 0;
    int count = 0;
    for (int i = first; i < end; i += PRESCAN_THREADS, count++)
        m += input[i];
    m = count ? m / count : input[blockIdx.x * share];
    for (int i = first; i < end; i += PRESCAN_THREADS)
        d += (input[i] - m) * (input[i] - m);
    mean[t] = m;
    deviation[t] = sqrtf(count ? d / count : 0);
    for (int half = PRESCAN_THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) {
            mean[t] += mean[t + half];
            deviation[t] += deviation[t + half];
        }
    }
    if (t == 0) {
        m = mean[0] / PRESCAN_THREADS;
        d = deviation[0] / PRESCAN_THREADS;
        atomicMin(&range[0], (unsigned)fmaxf(m - 10 * d, 0) / BINS);
        atomicMax(&range[1], min((unsigned)(m + 10 * d) / BINS, ranges - 1));
    }
}

static __device__ inline uchar4 locate(unsigned bin)
{
    return make_uchar4(bin / BINS, (bin >> 10) % 24, (bin >> 2) % 256, bin % 4 * 8);
}
static __device__ inline unsigned bin_of(uchar4 at)
{
    return at.x * BINS + at.y * 1024 + at.z * 4 + at.w / 8;
}

__global__ void intermediates(const uint2 *input, unsigned width, uchar4 *at)
{
    unsigned row = ROWS * blockIdx.x, store = row * width + threadIdx.x;
    const uint2 *load = input + row * (width / 2) + threadIdx.x;
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        uint2 v = *load;
        at[store] = locate(v.x);
        at[store + blockDim.x] = locate(v.y);
        load += width / 2;
        store += width;
    }
}

/* Counts in the block's shared bins. A byte that wraps is worth 256; what its carry did to the bytes above is undone.
 */
static __device__ inline void count_local(unsigned *overflow, unsigned sub[24][256], unsigned range, uchar4 at)
{
    if (at.x != range)
        return;
    unsigned before = atomicAdd(&sub[at.y][at.z], 1u << at.w), bin = bin_of(at), fix = 256;
    for (unsigned o = at.w; o < 32 && (o > at.w || (before >> o & 255) == 255); o += 8, bin++) {
        unsigned full = (before >> o & 255) == 255;
        if (o > at.w)
            fix = full ? 255u : ~0u;
        atomicAdd(&overflow[bin], fix);
        if (!full)
            break;
    }
}

/* Counts a value outside the ranges, two 16-bit bins per word; nothing is added to a full bin. */
static __device__ inline void count_global(unsigned *histogram, unsigned low, unsigned high, uchar4 at)
{
    if (at.x >= low && at.x <= high)
        return;
    unsigned bin = bin_of(at), shift = bin % 2 * 16;
    if ((histogram[bin / 2] >> shift & 0xffff) < 255)
        atomicAdd(&histogram[bin / 2], 1u << shift);
}

__global__ void count(const uchar4 *at, unsigned n, unsigned low, unsigned high, unsigned bins, unsigned *partial,
                      unsigned *histogram, unsigned *overflow)
{
    __shared__ unsigned sub[24][256];
    unsigned range = low + blockIdx.y;
    for (int i = threadIdx.x; i < BINS / 4; i += THREADS)
        ((unsigned *)sub)[i] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * THREADS + threadIdx.x; i < n; i += THREADS * COLUMNS) {
        uchar4 a = at[i];
        count_local(overflow, sub, range, a);
        if (blockIdx.y == 0)
            count_global(histogram, low, high, a);
    }
    __syncthreads();
    unsigned *out = partial + blockIdx.x * (bins / 4) + range * (BINS / 4);
    for (int i = threadIdx.x; i < BINS / 4; i += THREADS)
        out[i] = ((unsigned *)sub)[i];
}

static __device__ inline uchar4 clip(unsigned a, unsigned b, unsigned c, unsigned d)
{
    return make_uchar4(min(a, 255u), min(b, 255u), min(c, 255u), min(d, 255u));
}

/* Clips bins that were counted in global memory and clears them for the next repetition. */
static __device__ inline void finish_outside(ushort4 *histogram, uchar4 *out, unsigned from, unsigned to)
{
    for (unsigned i = from + blockIdx.x * blockDim.x + threadIdx.x; i < to; i += gridDim.x * blockDim.x) {
        ushort4 h = histogram[i];
        histogram[i] = make_ushort4(0, 0, 0, 0);
        out[i] = clip(h.x, h.y, h.z, h.w);
    }
}

__global__ void finish(unsigned low, unsigned high, unsigned bins, const unsigned *partial, ushort4 *histogram,
                       uint4 *overflow, uchar4 *out)
{
    unsigned from = low * (BINS / 4), to = (high + 1) * (BINS / 4);
    finish_outside(histogram, out, 0, from);
    for (unsigned i = from + blockIdx.x * blockDim.x + threadIdx.x; i < to; i += gridDim.x * blockDim.x) {
        uint4 sum = overflow[i];
        overflow[i] = make_uint4(0, 0, 0, 0);
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) {
            unsigned four = partial[i + c * (bins / 4)];
            sum.x += four & 255;
            sum.y += four >> 8 & 255;
            sum.z += four >> 16 & 255;
            sum.w += four >> 24;
        }
        out[i] = clip(sum.x, sum.y, sum.z, sum.w);
    }
    finish_outside(histogram, out, to, bins / 4);
}

/* About normal, around 0: twelve uniform numbers less six. */
static float bell(suite_rng &r)
{
    float s = -6;
    for (int i = 0; i < 12; i++)
        s += r.unit();
    return s;
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int width = suite_pick(size, 256, 498, 996), height = suite_pick(size, 128, 512, 1040),
        bins_x = suite_pick(size, 256, 1024, 1024), bins_y = suite_pick(size, 288, 1536, 4096),
        repetitions = suite_pick(size, 1, 2, 4), n = width * height;
    /* Deviation of the values along both axes; tiny is so narrow that 8-bit bins wrap. */
    float spread_x = suite_pick(size, 0.5f, 64.0f, 64.0f), spread_y = suite_pick(size, 1.0f, 8.0f, 8.0f);
    unsigned ranges = (bins_x * bins_y + BINS - 1) / BINS, bins = ranges * BINS;
    std::vector<unsigned> image(n), total(bins, 0);
    suite_rng r(281);
    for (unsigned &v : image) {
        int y = (int)(bins_y / 2 + spread_y * bell(r)), x = (int)(bins_x / 2 + spread_x * bell(r));
        if (!r.below(1024)) { /* a little noise everywhere */
            y = (int)r.below(bins_y);
            x = (int)r.below(bins_x);
        }
        v = y * bins_x + x;
        total[v]++;
    }

    unsigned *d_image = suite_to_device(image.data(), n), *d_range = suite_device<unsigned>(2);
    uchar4 *d_at = suite_device<uchar4>(n), *d_out = suite_device<uchar4>(bins / 4);
    unsigned *d_partial = suite_device<unsigned>((size_t)COLUMNS * bins / 4),
             *d_histogram = suite_device<unsigned>(bins / 2), *d_overflow = suite_device<unsigned>(bins);
    SUITE_CUDA(cudaMemset(d_histogram, 0, bins * 2));
    SUITE_CUDA(cudaMemset(d_overflow, 0, (size_t)bins * 4));
    for (int i = 0; i < repetitions; i++) {
        unsigned range[2] = {~0u, 0};
        SUITE_CUDA(cudaMemcpy(d_range, range, sizeof range, cudaMemcpyHostToDevice));
        prescan<<<PRESCAN_BLOCKS, PRESCAN_THREADS>>>(d_image, n, d_range, ranges);
        SUITE_LAUNCHED();
        suite_to_host(range, d_range, 2);
        intermediates<<<height / ROWS, width / 2>>>((const uint2 *)d_image, width, d_at);
        count<<<dim3(COLUMNS, range[1] - range[0] + 1), THREADS>>>(d_at, n, range[0], range[1], bins, d_partial,
                                                                   d_histogram, d_overflow);
        finish<<<3 * COLUMNS, 512>>>(range[0], range[1], bins, d_partial, (ushort4 *)d_histogram, (uint4 *)d_overflow,
                                     d_out);
        SUITE_LAUNCHED();
    }
    std::vector<unsigned char> got(bins), expect(bins);
    suite_to_host(got.data(), (unsigned char *)d_out, bins);
    for (unsigned b = 0; b < bins; b++)
        expect[b] = (unsigned char)(total[b] < 255 ? total[b] : 255);
    return suite_done("histo", argc, argv, suite_diff_exact("bin", got.data(), expect.data(), bins));
}
