// Surfaces: written and read by kernels, in bytes, of one, two and three dimensions, with clamped borders.
#include "check.h"

__global__ void paint(cudaSurfaceObject_t s, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        surf2Dwrite(make_uchar4(x, y, x + y, 255), s, x * (int)sizeof(uchar4), y);
}
__global__ void blur(cudaSurfaceObject_t in, cudaSurfaceObject_t out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    int sum = 0;
    for (int dx = -1; dx <= 1; dx++) {
        uchar4 p = surf2Dread<uchar4>(in, (x + dx) * (int)sizeof(uchar4), y, cudaBoundaryModeClamp);
        sum += p.z;
    }
    uchar4 edge = surf2Dread<uchar4>(in, -4, y, cudaBoundaryModeZero);
    surf2Dwrite((float)sum + edge.w, out, x * (int)sizeof(float), y);
}
__global__ void cubes(cudaSurfaceObject_t s)
{
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    surf3Dwrite((short)(x + 10 * y + 100 * z), s, x * 2, y, z);
}
__global__ void line(cudaSurfaceObject_t s, float4 *out)
{
    float4 v = make_float4(threadIdx.x * 0.5f, -1.0f, 2.0f, 3.0f);
    surf1Dwrite(v, s, threadIdx.x * 16);
    __syncthreads();
    surf1Dread(&out[threadIdx.x], s, (31 - threadIdx.x) * 16);
}

static cudaSurfaceObject_t surface(cudaArray_t a)
{
    cudaResourceDesc rd = {};
    rd.resType = cudaResourceTypeArray;
    rd.res.array.array = a;
    cudaSurfaceObject_t s;
    CUDA(cudaCreateSurfaceObject(&s, &rd));
    return s;
}

int main()
{
    const int w = 50, h = 20;
    cudaChannelFormatDesc bytes = cudaCreateChannelDesc<uchar4>(), floats = cudaCreateChannelDesc<float>();
    cudaArray_t a, b, c, d;
    CUDA(cudaMallocArray(&a, &bytes, w, h, cudaArraySurfaceLoadStore));
    CUDA(cudaMallocArray(&b, &floats, w, h, cudaArraySurfaceLoadStore));
    cudaSurfaceObject_t sa = surface(a), sb = surface(b);
    dim3 grid((w + 15) / 16, (h + 7) / 8), block(16, 8);
    paint<<<grid, block>>>(sa, w, h);
    blur<<<grid, block>>>(sa, sb, w, h);
    RAN();
    std::vector<float> out(w * h), want(w * h);
    CUDA(cudaMemcpy2DFromArray(out.data(), w * 4, b, 0, 0, w * 4, h, cudaMemcpyDeviceToHost));
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            for (int dx = -1; dx <= 1; dx++)
                want[y * w + x] += (x + dx < 0 ? 0 : x + dx >= w ? w - 1 : x + dx) + y;
    check_equal("blurred", out, want);

    cudaChannelFormatDesc shorts = cudaCreateChannelDesc<short>();
    CUDA(cudaMalloc3DArray(&c, &shorts, make_cudaExtent(6, 5, 4), cudaArraySurfaceLoadStore));
    cubes<<<1, dim3(6, 5, 4)>>>(surface(c));
    RAN();
    std::vector<short> cube(120), wantcube(120);
    cudaMemcpy3DParms p = {};
    p.srcArray = c;
    p.dstPtr = make_cudaPitchedPtr(cube.data(), 12, 6, 5);
    p.extent = make_cudaExtent(6, 5, 4);
    p.kind = cudaMemcpyDeviceToHost;
    CUDA(cudaMemcpy3D(&p));
    for (int i = 0; i < 120; i++)
        wantcube[i] = (short)(i % 6 + 10 * (i / 6 % 5) + 100 * (i / 30));
    check_equal("cube", cube, wantcube);

    cudaChannelFormatDesc quads = cudaCreateChannelDesc<int4>();
    CUDA(cudaMallocArray(&d, &quads, 32, 0, cudaArraySurfaceLoadStore));
    dev<float4> reversed(32);
    line<<<1, 32>>>(surface(d), reversed);
    RAN();
    std::vector<float4> got = reversed.get();
    for (int i = 0; i < 32; i++)
        CHECK(got[i].x == (31 - i) * 0.5f && got[i].y == -1.0f && got[i].w == 3.0f);
    return check_result();
}
