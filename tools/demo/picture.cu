// The Mandelbrot set in characters, drawn by a kernel.
#include <cstdio>
#include <vector>

__global__ void draw(char *picture, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float re = -2.2f + 3.2f * x / width, im = -1.2f + 2.4f * y / height, a = 0, b = 0;
    int n = 0;
    while (n < 90 && a * a + b * b < 4) {
        float t = a * a - b * b + re;
        b = 2 * a * b + im;
        a = t;
        n++;
    }
    const char shades[] = " .:-=+*#%@";
    picture[y * width + x] = n == 90 ? ' ' : shades[n < 9 ? n : 9];
}

int main()
{
    const int width = 78, height = 24;
    std::vector<char> picture(width * height);
    char *device;
    cudaMalloc(&device, picture.size());
    draw<<<dim3((width + 31) / 32, (height + 7) / 8), dim3(32, 8)>>>(device, width, height);
    if (cudaMemcpy(picture.data(), device, picture.size(), cudaMemcpyDeviceToHost) != cudaSuccess)
        return 1;
    for (int y = 0; y < height; y++)
        printf("%.*s\n", width, &picture[y * width]);
    return 0;
}
