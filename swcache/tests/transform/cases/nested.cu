// A loop that only hands out records to threads is not the one to split; several loops of one kernel; loops as branches.
#include "common.h"

__global__ void records(const unsigned char *__restrict__ data, const int *__restrict__ at, unsigned *__restrict__ sums,
                        int count)
{
    for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < count; r += gridDim.x * blockDim.x) {
        unsigned crc = 0, longest = 0, run = 0;
        for (int i = at[r]; i < at[r + 1]; i++)
            crc = crc * 31 + data[i];
        if (crc & 1)
            for (int i = at[r]; i < at[r + 1]; i++) {
                run = data[i] & 1 ? run + 1 : 0;
                longest = run > longest ? run : longest;
            }
        else
            for (int i = at[r + 1]; i-- > at[r];)
                longest += data[i] >> 7;
        sums[r] = crc + longest;
    }
}

__global__ void distances(const float *__restrict__ points, const float *__restrict__ centers,
                          int *__restrict__ nearest, int count, int dims, int k)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * 5;
    for (int p = first; p < min(first + 5, count); p++) {
        float best = 1e30f;
        for (int c = 0; c < k; c++) {
            float d2 = 0;
#pragma unroll 4
            for (int d = 0; d < dims; d++) {
                float d1 = points[p * dims + d] - centers[c * dims + d];
                d2 += d1 * d1;
            }
            if (d2 < best)
                best = d2, nearest[p] = c;
        }
    }
}

int main()
{
    const int count = 300;
    std::vector<int> at(count + 1);
    for (int i = 0; i < count; i++)
        at[i + 1] = at[i] + 20 + i * 7 % 50;
    unsigned char *data = filled<unsigned char>(at[count], 1);
    int *dat = filled<int>(count + 1, 2);
    OK(cudaMemcpy(dat, at.data(), at.size() * sizeof(int), cudaMemcpyHostToDevice));
    unsigned *sums = filled<unsigned>(count, 3);
    records<<<2, 64>>>(data, dat, sums, count);
    std::vector<float> host(count * 9 + 45);
    for (size_t i = 0; i < host.size(); i++)
        host[i] = (float)(i * 37 % 101);
    float *points = filled<float>(host.size(), 4);
    OK(cudaMemcpy(points, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice));
    int *nearest = filled<int>(count, 5);
    distances<<<1, 64>>>(points, points + count * 9, nearest, count, 9, 5);
    OK(cudaGetLastError());
    print_hash("sums", sums, count);
    print_hash("nearest", nearest, count);
}
