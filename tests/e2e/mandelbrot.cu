// The Mandelbrot set: loops of very different lengths side by side. Integer arithmetic, so that the result is exact.
#include "check.h"

__host__ __device__ static int escape(int px, int py)
{
    const int one = 1 << 13;
    int cx = (px - 70) * one / 40, cy = (py - 32) * one / 32, x = 0, y = 0, n = 0;
    while (n < 200) {
        long long xx = ((long long)x * x) >> 13, yy = ((long long)y * y) >> 13;
        if (xx + yy > 4 * one)
            break;
        y = (int)(((long long)x * y) >> 12) + cy;
        x = (int)(xx - yy) + cx;
        n++;
    }
    return n;
}
__global__ void render(unsigned char *image, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        image[y * w + x] = (unsigned char)escape(x, y);
}

int main()
{
    const int w = 100, h = 64;
    dev<unsigned char> d(w * h);
    render<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(d, w, h);
    RAN();
    std::vector<unsigned char> want(w * h);
    for (int i = 0; i < w * h; i++)
        want[i] = (unsigned char)escape(i % w, i / w);
    check_equal("image", d.get(), want);
    return check_result();
}
