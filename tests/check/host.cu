// Order among launches and copies: streams, events, synchronization. And what is left at the end.
#include "cases.h"

enum { N = 256 };

__global__ void fill(int *a, int v)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    a[i] = v + i;
}
__global__ void twice(const int *a, int *b)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    b[i] = 2 * a[i];
}

struct Streams {
    cudaStream_t a, b;
    cudaEvent_t e;
    Streams(unsigned flags = cudaStreamNonBlocking)
    {
        cudaDeviceSynchronize();
        cudaStreamCreateWithFlags(&a, flags);
        cudaStreamCreateWithFlags(&b, flags);
        cudaEventCreate(&e);
    }
    ~Streams()
    {
        cudaStreamDestroy(a);
        cudaStreamDestroy(b);
        cudaEventDestroy(e);
    }
};
static int *x, *y;
static void two(void)
{
    x = zeros<int>(N);
    y = zeros<int>(N);
}

CASE(one_stream, "clean")
{
    two();
    Streams s;
    fill<<<2, 128, 0, s.a>>>(x, 1);
    twice<<<2, 128, 0, s.a>>>(x, y);
}
CASE(two_streams, "race-streams")
{
    two();
    Streams s;
    fill<<<2, 128, 0, s.a>>>(x, 1);
    twice<<<2, 128, 0, s.b>>>(x, y);
}
CASE(two_streams_read, "clean")
{
    two();
    int *z = zeros<int>(N);
    Streams s;
    twice<<<2, 128, 0, s.a>>>(x, y);
    twice<<<2, 128, 0, s.b>>>(x, z);
}
CASE(memset_on_default_stream, "race-streams")
{
    two();
    Streams s;
    twice<<<2, 128, 0, s.b>>>(x, zeros<int>(N)); // cudaMemset waits for nobody, and nobody for it
}
CASE(event_ordered, "clean")
{
    two();
    Streams s;
    fill<<<2, 128, 0, s.a>>>(x, 1);
    cudaEventRecord(s.e, s.a);
    cudaStreamWaitEvent(s.b, s.e, 0);
    twice<<<2, 128, 0, s.b>>>(x, y);
}
CASE(event_too_early, "race-streams")
{
    two();
    Streams s;
    cudaEventRecord(s.e, s.a);
    fill<<<2, 128, 0, s.a>>>(x, 1);
    cudaStreamWaitEvent(s.b, s.e, 0);
    twice<<<2, 128, 0, s.b>>>(x, y);
}
CASE(host_waits, "clean")
{
    two();
    Streams s;
    fill<<<2, 128, 0, s.a>>>(x, 1);
    cudaStreamSynchronize(s.a);
    twice<<<2, 128, 0, s.b>>>(x, y);
}
CASE(host_waits_for_event, "clean")
{
    two();
    Streams s;
    fill<<<2, 128, 0, s.a>>>(x, 1);
    cudaEventRecord(s.e, s.a);
    cudaEventSynchronize(s.e);
    twice<<<2, 128, 0, s.b>>>(x, y);
}
CASE(host_waits_for_other, "race-streams")
{
    two();
    Streams s;
    fill<<<2, 128, 0, s.a>>>(x, 1);
    cudaStreamSynchronize(s.b);
    twice<<<2, 128, 0, s.b>>>(x, y);
}
CASE(default_stream_orders, "clean")
{
    two();
    Streams s(cudaStreamDefault);
    fill<<<2, 128, 0, s.a>>>(x, 1);
    twice<<<2, 128>>>(x, y);
    fill<<<2, 128, 0, s.b>>>(y, 1);
}
CASE(default_stream_and_apart, "race-streams")
{
    two();
    Streams s;
    fill<<<2, 128, 0, s.a>>>(x, 1);
    twice<<<2, 128>>>(x, y);
}
CASE(halves, "clean")
{
    two();
    Streams s;
    fill<<<1, 128, 0, s.a>>>(x, 1);
    fill<<<1, 128, 0, s.b>>>(x + 128, 1);
}
CASE(halves_overlap, "race-streams")
{
    two();
    Streams s;
    fill<<<1, 128, 0, s.a>>>(x, 1);
    fill<<<1, 128, 0, s.b>>>(x + 127, 1);
}
CASE(copy_while_kernel_runs, "race-streams")
{
    two();
    Streams s;
    int h[N];
    fill<<<2, 128, 0, s.a>>>(x, 1);
    cudaMemcpyAsync(h, x, sizeof h, cudaMemcpyDeviceToHost, s.b);
    cudaDeviceSynchronize();
}
CASE(copy_behind_kernel, "clean")
{
    two();
    Streams s;
    int h[N];
    fill<<<2, 128, 0, s.a>>>(x, 1);
    cudaMemcpyAsync(h, x, sizeof h, cudaMemcpyDeviceToHost, s.a);
    cudaDeviceSynchronize();
}
CASE(kernel_while_copy_runs, "race-streams")
{
    two();
    Streams s;
    int h[N] = {0};
    cudaMemcpyAsync(x, h, sizeof h, cudaMemcpyHostToDevice, s.a);
    twice<<<2, 128, 0, s.b>>>(x, y);
    cudaDeviceSynchronize();
}
CASE(kernel_while_memset_runs, "race-streams")
{
    two();
    Streams s;
    cudaMemsetAsync(x, 1, N * 4, s.a);
    twice<<<2, 128, 0, s.b>>>(x, y);
}
CASE(blocking_copy, "clean")
{
    two();
    Streams s;
    int h[N] = {0};
    cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
    twice<<<2, 128, 0, s.b>>>(x, y);
    cudaDeviceSynchronize();
}
CASE(device_waits, "clean")
{
    two();
    Streams s;
    fill<<<2, 128, 0, s.a>>>(x, 1);
    cudaDeviceSynchronize();
    cudaMemsetAsync(x, 1, N * 4, s.b);
}

CASE(leak, "leak")
{
    int *p;
    cudaMalloc(&p, 100);
    cudaMalloc(&p, 100);
}
CASE(leak_freed, "clean")
{
    int *p;
    cudaMalloc(&p, 100);
    cudaFree(p);
}
CASE(leak_stream, "leak")
{
    cudaStream_t s;
    cudaStreamCreate(&s);
}
CASE(leak_event, "leak")
{
    cudaEvent_t e;
    cudaEventCreate(&e);
}
CASE(leak_pinned, "leak")
{
    int *p;
    cudaMallocHost(&p, 100);
}

__global__ void at(int *a, int i) { a[i] = 1; }
__global__ void read_at(const int *a, int i, int *b) { *b = a[i]; }
CASE(out_of_bounds, "memory") { at<<<1, 1>>>(zeros<int>(10), 10); }
CASE(into_neighbor, "memory")
{
    int *a = zeros<int>(10), *b = zeros<int>(10);
    at<<<1, 1>>>(a, (int)(b - a) - 1);
}
CASE(pool_members, "memory")
{
    int *a, *b;
    cudaMallocAsync(&a, 40, 0);
    cudaMallocAsync(&b, 40, 0);
    at<<<1, 1>>>(a, 10);
    cudaFreeAsync(a, 0);
    cudaFreeAsync(b, 0);
}
CASE(use_after_free, "memory")
{
    int *a;
    cudaMalloc(&a, 40);
    cudaFree(a);
    at<<<1, 1>>>(a, 0);
}
CASE(null_pointer, "memory") { at<<<1, 1>>>(nullptr, 0); }
CASE(misaligned, "memory") { at<<<1, 1>>>((int *)((char *)zeros<int>(10) + 2), 0); }
CASE(managed, "clean")
{
    int *a;
    cudaMallocManaged(&a, 40);
    a[3] = 5;
    read_at<<<1, 1>>>(a, 3, zeros<int>(1));
    cudaDeviceSynchronize();
    cudaFree(a);
}
