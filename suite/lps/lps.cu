/*
 * Jacobi iteration of the 3-D Laplace equation.
 *
 * Origin: ISPASS-2009 suite, LPS (laplace3d). Blocks of 32 x 4 threads cover the x-y plane and march along z, keeping three
 * planes of the tile with its halo in shared memory; boundary cells keep their value. Rows are padded to a pitch of 32
 * elements. Original 100 x 100 x 100, one iteration; "paper" runs three.
 */
#include "../common/suite.h"

#include <vector>

enum { BX = 32, BY = 4, PX = BX + 2, PY = BY + 2 };

__global__ void laplace3d(int nx, int ny, int nz, int pitch, const float *u1, float *u2)
{
    __shared__ float u[3][PY][PX];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * BX + tx, y = blockIdx.y * BY + ty;
    bool active = x < nx && y < ny;
    int plane = pitch * ny, at = y * pitch + x;
    /* Halo: the first threads of the block fetch the cells around the tile. */
    int k = tx + ty * BX, hx = 0, hy = 0;
    bool halo = k < 2 * (BX + BY + 2);
    if (halo) {
        if (ty < 2) { /* rows above and below */
            hx = tx;
            hy = ty == 0 ? -1 : BY;
        } else { /* columns left and right, corners included */
            int j = k - 2 * BX;
            hx = j & 1 ? BX : -1;
            hy = (j >> 1) - 1;
        }
        halo = hy <= BY && (int)blockIdx.x * BX + hx >= 0 && (int)blockIdx.x * BX + hx < nx &&
               (int)blockIdx.y * BY + hy >= 0 && (int)blockIdx.y * BY + hy < ny;
    }
    int halo_at = ((int)blockIdx.y * BY + hy) * pitch + (int)blockIdx.x * BX + hx;
    if (active)
        u[1][ty + 1][tx + 1] = u1[at];
    if (halo)
        u[1][hy + 1][hx + 1] = u1[halo_at];
    if (active && nz > 1)
        u[2][ty + 1][tx + 1] = u1[at + plane];
    if (halo && nz > 1)
        u[2][hy + 1][hx + 1] = u1[halo_at + plane];
    __syncthreads();
    for (int z = 0; z < nz; z++) {
        if (active) {
            bool edge = x == 0 || x == nx - 1 || y == 0 || y == ny - 1 || z == 0 || z == nz - 1;
            float r = u[1][ty + 1][tx + 1];
            if (!edge)
                r = (u[1][ty + 1][tx] + u[1][ty + 1][tx + 2] + u[1][ty][tx + 1] + u[1][ty + 2][tx + 1] + u[0][ty + 1][tx + 1] +
                     u[2][ty + 1][tx + 1]) *
                    (1.0f / 6.0f);
            u2[at + z * plane] = r;
        }
        __syncthreads();
        /* Shift the planes and fetch the next one. */
        if (active) {
            u[0][ty + 1][tx + 1] = u[1][ty + 1][tx + 1];
            u[1][ty + 1][tx + 1] = u[2][ty + 1][tx + 1];
            if (z + 2 < nz)
                u[2][ty + 1][tx + 1] = u1[at + (z + 2) * plane];
        }
        if (halo) {
            u[0][hy + 1][hx + 1] = u[1][hy + 1][hx + 1];
            u[1][hy + 1][hx + 1] = u[2][hy + 1][hx + 1];
            if (z + 2 < nz)
                u[2][hy + 1][hx + 1] = u1[halo_at + (z + 2) * plane];
        }
        __syncthreads();
    }
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int n = suite_pick(size, 34, 100, 100), iterations = suite_pick(size, 1, 2, 3);
    int pitch = (n + 31) / 32 * 32;
    size_t total = (size_t)pitch * n * n;
    std::vector<float> u(total, 0.0f), v(total, 0.0f), got(total);
    suite_rng r(137);
    for (int z = 0; z < n; z++)
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++)
                u[((size_t)z * n + y) * pitch + x] = r.unit();
    float *d[2] = {suite_to_device(u.data(), total), suite_to_device(v.data(), total)};
    int at = 0;
    for (int it = 0; it < iterations; it++, at ^= 1)
        laplace3d<<<dim3((n + BX - 1) / BX, (n + BY - 1) / BY), dim3(BX, BY)>>>(n, n, n, pitch, d[at], d[at ^ 1]);
    SUITE_LAUNCHED();
    suite_to_host(got.data(), d[at], total);
    for (int it = 0; it < iterations; it++) {
        for (int z = 0; z < n; z++)
            for (int y = 0; y < n; y++)
                for (int x = 0; x < n; x++) {
                    auto c = [&](int zz, int yy, int xx) { return u[((size_t)zz * n + yy) * pitch + xx]; };
                    bool edge = x == 0 || x == n - 1 || y == 0 || y == n - 1 || z == 0 || z == n - 1;
                    v[((size_t)z * n + y) * pitch + x] =
                        edge ? c(z, y, x)
                             : (c(z, y, x - 1) + c(z, y, x + 1) + c(z, y - 1, x) + c(z, y + 1, x) + c(z - 1, y, x) + c(z + 1, y, x)) *
                                   (1.0f / 6.0f);
                }
        u.swap(v);
    }
    return suite_done("lps", argc, argv, suite_diff("u", got.data(), u.data(), total, 1e-5, 1e-6));
}
