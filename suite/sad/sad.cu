/*
 * Motion estimation: sums of absolute differences of image blocks over a search window.
 *
 * Origin: Parboil, sad. Three kernels. (1) One block of 61 threads per 4 x 4 pixels, 18 of the 33 x 33 positions per
 * thread, three positions at a time; the reference picture comes through a 2-D texture with clamped addresses, sums are
 * gathered in shared memory and copied out 8 bytes at a time. (2) Blocks of 8 x 8 and their halves from four 4 x 4
 * ones, 32 x 4 threads per macroblock. (3) 16 x 16 and halves, 32 threads per macroblock. In (2) and (3) a word carries
 * two 16-bit sums. All sums lie in one array by block size: 1 + 2 + 2 + 4 + 8 + 8 + 16 vectors of 1096 per macroblock.
 * Input: a smooth picture and a shifted, noisy copy. Original 176 x 144 pixels; "small" is
 * their first 64 rows, "paper" 352 x 288.
 */
#include "../common/suite_texture.h"

#include <vector>

enum { RANGE = 16, SIDE = 2 * RANGE + 1, POSITIONS = SIDE * SIDE, PADDED = 1096, PER_THREAD = 18 };
enum { THREADS = (POSITIONS + PER_THREAD - 1) / PER_THREAD };
/* Where each block size starts, in vectors per macroblock. */
enum { AT_16X16 = 0, AT_16X8 = 1, AT_8X16 = 3, AT_8X8 = 5, AT_8X4 = 9, AT_4X8 = 17, AT_4X4 = 25, VECTORS = 41 };

__global__ void sad_4x4(unsigned short *sums, const unsigned short *frame, cudaTextureObject_t reference, int mb_w,
                        int mb_h)
{
    __shared__ unsigned short block[16];
    __shared__ __align__(8) unsigned short sad[PADDED];
    int t = threadIdx.x, x0 = blockIdx.x * 4, y0 = blockIdx.y * 4;
    if (t < 16)
        block[t] = frame[(y0 + t / 4) * mb_w * 16 + x0 + t % 4];
    __syncthreads();
    int first = t * PER_THREAD, end = first + PER_THREAD < POSITIONS ? first + PER_THREAD : POSITIONS;
    int dy = first / SIDE, dx = first - dy * SIDE;
    for (int p = first; p < end; p += 3) {
        unsigned short sad1 = 0, sad2 = 0, sad3 = 0;
        int x = x0 - RANGE + dx, y = y0 - RANGE + dy;
        for (int row = 0; row < 4; row++) {
            const unsigned short *b = block + 4 * row;
#pragma unroll
            for (int k = 0; k < 6; k++) { /* a pixel serves up to three neighboring positions */
                int v = tex2D<unsigned short>(reference, x + k, y + row);
                if (k < 4)
                    sad1 += abs(v - b[k]);
                if (k > 0 && k < 5)
                    sad2 += abs(v - b[k - 1]);
                if (k > 1)
                    sad3 += abs(v - b[k - 2]);
            }
        }
        sad[p] = sad1;
        sad[p + 1] = sad2;
        sad[p + 2] = sad3;
        dx += 3;
        if (dx >= SIDE) {
            dx -= SIDE;
            dy++;
        }
    }
    __syncthreads();
    int mb = (blockIdx.y / 4) * mb_w + blockIdx.x / 4, sub = blockIdx.y % 4 * 4 + blockIdx.x % 4;
    int2 *out = (int2 *)(sums + (size_t)(AT_4X4 * mb_w * mb_h + mb * 16 + sub) * PADDED);
    if (t < 32)
        for (int i = t; i < PADDED / 4; i += 32)
            out[i] = ((const int2 *)sad)[i];
}

/* Sums two by two neighboring vectors into both kinds of halves and the whole; two 16-bit sums per word. */
static __device__ inline void merge(const unsigned *in, int right, int below, unsigned *tall, int tall_step,
                                    unsigned *wide, int wide_step, unsigned *whole)
{
    const int v = PADDED / 2;
    for (int p = threadIdx.x; p < (POSITIONS + 1) / 2; p += 32) {
        unsigned a = in[p], b = in[p + right * v], c = in[p + below * v], d = in[p + (below + right) * v];
        tall[p] = a + c;
        tall[p + tall_step * v] = b + d;
        wide[p] = a + b;
        wide[p + wide_step * v] = c + d;
        whole[p] = (a + b) + (c + d);
    }
}

static __device__ inline unsigned *vector_at(unsigned short *sums, int vector)
{
    return (unsigned *)(sums + (size_t)vector * PADDED);
}

__global__ void sad_8x8(unsigned short *sums, int mb_w, int mb_h)
{
    int tx = threadIdx.y & 1, ty = threadIdx.y >> 1, n = mb_w * mb_h, mb = blockIdx.y * mb_w + blockIdx.x;
    merge(vector_at(sums, AT_4X4 * n + mb * 16 + ty * 8 + tx * 2), 1, 4,
          vector_at(sums, AT_4X8 * n + mb * 8 + ty * 4 + tx * 2), 1, vector_at(sums, AT_8X4 * n + mb * 8 + ty * 4 + tx),
          2, vector_at(sums, AT_8X8 * n + mb * 4 + ty * 2 + tx));
}

__global__ void sad_16x16(unsigned short *sums, int mb_w, int mb_h)
{
    int n = mb_w * mb_h, mb = blockIdx.y * mb_w + blockIdx.x;
    merge(vector_at(sums, AT_8X8 * n + mb * 4), 1, 2, vector_at(sums, AT_8X16 * n + mb * 2), 1,
          vector_at(sums, AT_16X8 * n + mb * 2), 1, vector_at(sums, AT_16X16 * n + mb));
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int mb_w = suite_pick(size, 2, 11, 22), mb_h = suite_pick(size, 2, 4, 18), w = mb_w * 16, h = mb_h * 16,
        mbs = mb_w * mb_h;
    std::vector<unsigned short> reference((size_t)w * h), frame((size_t)w * h);
    suite_rng r(317);
    auto picture = [](int x, int y) { return (x * x / 7 + y * 5 + x * y / 3) % 200; };
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            reference[(size_t)y * w + x] = (unsigned short)(picture(x, y) + (int)r.below(8));
            frame[(size_t)y * w + x] = (unsigned short)(picture(x + 3, y + 1) + (int)r.below(8));
        }
    cudaTextureObject_t texture = suite_picture_texture(reference.data(), w, h);
    unsigned short *d_frame = suite_to_device(frame.data(), frame.size());
    size_t n = (size_t)VECTORS * PADDED * mbs;
    unsigned short *d_sums = suite_device<unsigned short>(n);
    SUITE_CUDA(cudaMemset(d_sums, 0, n * sizeof(unsigned short)));
    sad_4x4<<<dim3(w / 4, h / 4), THREADS>>>(d_sums, d_frame, texture, mb_w, mb_h);
    sad_8x8<<<dim3(mb_w, mb_h), dim3(32, 4)>>>(d_sums, mb_w, mb_h);
    sad_16x16<<<dim3(mb_w, mb_h), 32>>>(d_sums, mb_w, mb_h);
    SUITE_LAUNCHED();
    std::vector<unsigned short> got(n);
    suite_to_host(got.data(), d_sums, n);

    /* Every block of every size, from the 16 sums of 4 x 4 pixels of its macroblock. */
    struct {
        int at, count, w, h;
    } kind[] = {{AT_16X16, 1, 4, 4}, {AT_16X8, 2, 4, 2}, {AT_8X16, 2, 2, 4}, {AT_8X8, 4, 2, 2},
                {AT_8X4, 8, 2, 1},   {AT_4X8, 8, 1, 2},  {AT_4X4, 16, 1, 1}};
    size_t bad = 0;
    for (int mb = 0; mb < mbs; mb++)
        for (int p = 0; p < POSITIONS; p++) {
            int small[4][4] = {}, dx = p % SIDE - RANGE, dy = p / SIDE - RANGE;
            for (int i = 0; i < 256; i++) {
                int x = mb % mb_w * 16 + i % 16, y = mb / mb_w * 16 + i / 16;
                int rx = x + dx < 0    ? 0
                         : x + dx >= w ? w - 1
                                       : x + dx,
                    ry = y + dy < 0    ? 0
                         : y + dy >= h ? h - 1
                                       : y + dy;
                small[i / 64][i % 16 / 4] += abs(frame[(size_t)y * w + x] - reference[(size_t)ry * w + rx]);
            }
            for (auto &k : kind)
                for (int b = 0; b < k.count; b++) {
                    int across = 4 / k.w, x = b % across * k.w, y = b / across * k.h, sum = 0;
                    for (int i = 0; i < k.w * k.h; i++)
                        sum += small[y + i / k.w][x + i % k.w];
                    bad += got[((size_t)k.at * mbs + (size_t)mb * k.count + b) * PADDED + p] != sum;
                }
        }
    return suite_done("sad", argc, argv, bad);
}
