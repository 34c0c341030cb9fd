/*
 * Speckle-reducing anisotropic diffusion of an ultrasound image.
 *
 * Origin: Rodinia 3.1, srad_v2. 16 x 16 threads per block, two kernels per iteration: gradients and diffusion coefficient,
 * then the update. Tiles in shared memory; the block's borders come from global memory through separate arrays for the
 * four neighbors, with a barrier after each pair of them. The statistics of the region of interest are computed on the host each iteration, as in the original.
 * Original 2048 x 2048, 2 iterations; "paper" is 1024 x 1024, 2 iterations.
 */
#include "../common/suite.h"

#include <vector>

enum { BLOCK = 16 };

/* The image repeats its border cells. */
static __host__ __device__ inline int at(int i, int n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static __host__ __device__ inline float coefficient(float j, float dn, float ds, float dw, float de, float q0)
{
    float g2 = (dn * dn + ds * ds + dw * dw + de * de) / (j * j), l = (dn + ds + dw + de) / j;
    float num = 0.5f * g2 - (1.0f / 16.0f) * (l * l), den = 1 + 0.25f * l, q = num / (den * den);
    float c = 1.0f / (1.0f + (q - q0) / (q0 * (1 + q0)));
    return c < 0 ? 0 : c > 1 ? 1 : c;
}

__global__ void gradients(float *e_out, float *w_out, float *n_out, float *s_out, const float *image, float *c_out, int n,
                          float q0)
{
    __shared__ float t[BLOCK][BLOCK], north[BLOCK][BLOCK], south[BLOCK][BLOCK], east[BLOCK][BLOCK], west[BLOCK][BLOCK];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * BLOCK + tx, y = blockIdx.y * BLOCK + ty, i = y * n + x;
    north[ty][tx] = image[at(blockIdx.y * BLOCK - 1, n) * n + x];
    south[ty][tx] = image[at(blockIdx.y * BLOCK + BLOCK, n) * n + x];
    __syncthreads();
    west[ty][tx] = image[y * n + at(blockIdx.x * BLOCK - 1, n)];
    east[ty][tx] = image[y * n + at(blockIdx.x * BLOCK + BLOCK, n)];
    __syncthreads();
    t[ty][tx] = image[i];
    __syncthreads();
    float j = t[ty][tx];
    float dn = (ty ? t[ty - 1][tx] : north[ty][tx]) - j, ds = (ty < BLOCK - 1 ? t[ty + 1][tx] : south[ty][tx]) - j;
    float dw = (tx ? t[ty][tx - 1] : west[ty][tx]) - j, de = (tx < BLOCK - 1 ? t[ty][tx + 1] : east[ty][tx]) - j;
    c_out[i] = coefficient(j, dn, ds, dw, de, q0);
    e_out[i] = de;
    w_out[i] = dw;
    n_out[i] = dn;
    s_out[i] = ds;
}

__global__ void diffuse(const float *e_in, const float *w_in, const float *n_in, const float *s_in, float *image,
                        const float *c_in, int n, float lambda)
{
    __shared__ float c[BLOCK][BLOCK], south[BLOCK][BLOCK], east[BLOCK][BLOCK];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * BLOCK + tx, y = blockIdx.y * BLOCK + ty, i = y * n + x;
    float j = image[i];
    __syncthreads();
    south[ty][tx] = c_in[at(blockIdx.y * BLOCK + BLOCK, n) * n + x];
    __syncthreads();
    east[ty][tx] = c_in[y * n + at(blockIdx.x * BLOCK + BLOCK, n)];
    __syncthreads();
    c[ty][tx] = c_in[i];
    __syncthreads();
    float cc = c[ty][tx], cs = ty < BLOCK - 1 ? c[ty + 1][tx] : south[ty][tx], ce = tx < BLOCK - 1 ? c[ty][tx + 1] : east[ty][tx];
    float d = cc * n_in[i] + cs * s_in[i] + cc * w_in[i] + ce * e_in[i];
    image[i] = j + 0.25f * lambda * d;
}

/* Squared coefficient of variation of the top left 128 x 128 cells (or all of a smaller image). */
static float speckle(const std::vector<float> &j, int n)
{
    int roi = n < 128 ? n : 128;
    double sum = 0, sum2 = 0;
    for (int y = 0; y < roi; y++)
        for (int x = 0; x < roi; x++) {
            sum += j[(size_t)y * n + x];
            sum2 += (double)j[(size_t)y * n + x] * j[(size_t)y * n + x];
        }
    double mean = sum / ((double)roi * roi), var = sum2 / ((double)roi * roi) - mean * mean;
    return (float)(var / (mean * mean));
}

int main(int argc, char **argv)
{
    int n = suite_pick(suite_parse_size(argc, argv), 64, 512, 1024);
    const float lambda = 0.5f;
    size_t cells = (size_t)n * n;
    std::vector<float> j(cells), host(cells), c(cells), d[4];
    suite_rng r(53);
    for (float &x : j)
        x = expf(r.unit());
    host = j;
    for (auto &v : d)
        v.resize(cells);
    float *dj = suite_to_device(j.data(), cells), *dc = suite_device<float>(cells), *de = suite_device<float>(cells),
          *dw = suite_device<float>(cells), *dn = suite_device<float>(cells), *ds = suite_device<float>(cells);
    dim3 grid(n / BLOCK, n / BLOCK), block(BLOCK, BLOCK);
    for (int it = 0; it < 2; it++) {
        float q0 = speckle(j, n);
        gradients<<<grid, block>>>(de, dw, dn, ds, dj, dc, n, q0);
        diffuse<<<grid, block>>>(de, dw, dn, ds, dj, dc, n, lambda);
        SUITE_LAUNCHED();
        suite_to_host(j.data(), dj, cells);
        q0 = speckle(host, n);
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++) {
                size_t i = (size_t)y * n + x;
                d[0][i] = host[(size_t)at(y - 1, n) * n + x] - host[i];
                d[1][i] = host[(size_t)at(y + 1, n) * n + x] - host[i];
                d[2][i] = host[(size_t)y * n + at(x - 1, n)] - host[i];
                d[3][i] = host[(size_t)y * n + at(x + 1, n)] - host[i];
                c[i] = coefficient(host[i], d[0][i], d[1][i], d[2][i], d[3][i], q0);
            }
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++) {
                size_t i = (size_t)y * n + x;
                float cs = c[(size_t)at(y + 1, n) * n + x], ce = c[(size_t)y * n + at(x + 1, n)];
                host[i] += 0.25f * lambda * (c[i] * d[0][i] + cs * d[1][i] + c[i] * d[2][i] + ce * d[3][i]);
            }
    }
    return suite_done("srad", argc, argv, suite_diff("image", j.data(), host.data(), cells, 1e-3, 1e-4));
}
