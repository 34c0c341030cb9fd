// Pitched and three-dimensional memory: rows with padding, sub-rectangles, volumes, fills.
#include "check.h"

__global__ void bump2d(char *p, size_t pitch, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        ((int *)(p + y * pitch))[x] += x + 1000 * y;
}

__global__ void bump3d(cudaPitchedPtr v, int w, int h, int d)
{
    int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    if (x < w && y < h && z < d)
        ((short *)((char *)v.ptr + (z * v.ysize + y) * v.pitch))[x] += (short)(x + 10 * y + 100 * z);
}

int main()
{
    const int w = 37, h = 19, d = 5;
    std::vector<int> a(w * h), back(w * h), want(w * h);
    for (int i = 0; i < w * h; i++) {
        a[i] = i;
        want[i] = i + i % w + 1000 * (i / w);
    }
    char *p;
    size_t pitch;
    CUDA(cudaMallocPitch((void **)&p, &pitch, w * sizeof(int), h));
    CHECK(pitch >= w * sizeof(int) && pitch % 32 == 0);
    CUDA(cudaMemcpy2D(p, pitch, a.data(), w * sizeof(int), w * sizeof(int), h, cudaMemcpyHostToDevice));
    bump2d<<<dim3(3, 3), dim3(16, 8)>>>(p, pitch, w, h);
    RAN();
    CUDA(cudaMemcpy2D(back.data(), w * sizeof(int), p, pitch, w * sizeof(int), h, cudaMemcpyDeviceToHost));
    check_equal("2-D", back, want);
    // Clear a rectangle of 10 x 4 at (5, 3).
    CUDA(cudaMemset2D(p + 3 * pitch + 5 * sizeof(int), pitch, 0, 10 * sizeof(int), 4));
    CUDA(cudaMemcpy2D(back.data(), w * sizeof(int), p, pitch, w * sizeof(int), h, cudaMemcpyDeviceToHost));
    for (int y = 3; y < 7; y++)
        for (int x = 5; x < 15; x++)
            want[y * w + x] = 0;
    check_equal("cleared", back, want);
    CUDA(cudaFree(p));

    cudaExtent extent = make_cudaExtent(w * sizeof(short), h, d);
    cudaPitchedPtr v;
    CUDA(cudaMalloc3D(&v, extent));
    CUDA(cudaMemset3D(v, 1, extent));
    bump3d<<<dim3(h, d), 64>>>(v, w, h, d);
    RAN();
    std::vector<short> out(w * h * d), volume(w * h * d);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = v;
    copy.dstPtr = make_cudaPitchedPtr(out.data(), w * sizeof(short), w, h);
    copy.extent = extent;
    copy.kind = cudaMemcpyDeviceToHost;
    CUDA(cudaMemcpy3D(&copy));
    for (int z = 0; z < d; z++)
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++)
                volume[(z * h + y) * w + x] = (short)(0x0101 + x + 10 * y + 100 * z);
    check_equal("3-D", out, volume);
    // A box of 4 x 3 x 2 from (1, 2, 3), to the corner of an array of zeros.
    std::vector<short> box(6 * 5 * 4), wantbox(6 * 5 * 4);
    copy.srcPos = make_cudaPos(1 * sizeof(short), 2, 3);
    copy.dstPtr = make_cudaPitchedPtr(box.data(), 6 * sizeof(short), 6, 5);
    copy.extent = make_cudaExtent(4 * sizeof(short), 3, 2);
    CUDA(cudaMemcpy3D(&copy));
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 3; y++)
            for (int x = 0; x < 4; x++)
                wantbox[(z * 5 + y) * 6 + x] = volume[((z + 3) * h + y + 2) * w + x + 1];
    check_equal("box", box, wantbox);
    CUDA(cudaFree(v.ptr));
    return check_result();
}
