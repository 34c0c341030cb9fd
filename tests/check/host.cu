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
CASE(own_pool_members, "memory")
{
    cudaMemPool_t pool;
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    cudaMemPoolCreate(&pool, &props);
    int *a, *b;
    cudaMallocFromPoolAsync(&a, 40, pool, 0);
    cudaMallocFromPoolAsync(&b, 40, pool, 0);
    at<<<1, 1>>>(a, (int)(b - a) - 1);
}
CASE(pool_freed, "memory")
{
    int *a;
    cudaMallocAsync(&a, 40, 0);
    cudaFreeAsync(a, 0);
    at<<<1, 1>>>(a, 0);
}
CASE(managed_padding, "memory")
{
    int *a;
    cudaMallocManaged(&a, 40);
    at<<<1, 1>>>(a, 10);
}
CASE(pinned_padding, "memory")
{
    int *a;
    cudaMallocHost(&a, 40);
    at<<<1, 1>>>(a, 10);
}
CASE(host_pointer, "memory") { at<<<1, 1>>>((int *)malloc(40), 0); }

__global__ void shared_at(int i, int *out)
{
    __shared__ int s[32];
    extern __shared__ int d[];
    s[threadIdx.x] = d[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = i < 32 ? s[i] : d[i - 32];
}
CASE(shared_within, "clean") { shared_at<<<1, 32, 128>>>(63, zeros<int>(32)); }
CASE(shared_beyond, "memory") { shared_at<<<1, 32, 128>>>(64, zeros<int>(32)); }
__global__ void local_at(int i, int *out)
{
    int a[8];
    for (int k = 0; k < 8; k++)
        a[k] = k * i;
    a[i] = 1;
    int sum = 0;
    for (int k = 0; k < 8; k++)
        sum += a[(k * i) % 8];
    *out = sum;
}
CASE(local_within, "clean") { local_at<<<1, 1>>>(7, zeros<int>(1)); }
CASE(local_beyond, "memory") { local_at<<<1, 1>>>(8, zeros<int>(1)); }

// Device code's own heap.
enum { HEAP_RIGHT, HEAP_BEYOND, HEAP_FREED, HEAP_FREED_TWICE, HEAP_UNWRITTEN };
template <int K> __global__ void heap(int *out, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        int *p = (int *)malloc(40);
        asm volatile("" : "+l"(p));
        for (int k = 0; k < 10 && K != HEAP_UNWRITTEN; k++)
            p[k] = i + k;
        if (K == HEAP_BEYOND)
            p[10] = 1;
        int sum = 1;
        for (int k = 0; k < 10; k++)
            sum += p[k];
        out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
        asm volatile("" ::"l"(p) : "memory");
        free(p);
        if (K == HEAP_FREED)
            p[0] = 1;
        if (K == HEAP_FREED_TWICE)
            free(p);
    }
}
CASE(heap_given_again, "clean") { heap<HEAP_RIGHT><<<8, 64>>>(zeros<int>(512), 30); }
CASE(heap_beyond, "memory") { heap<HEAP_BEYOND><<<1, 1>>>(zeros<int>(1), 1); }
CASE(heap_freed, "memory") { heap<HEAP_FREED><<<1, 1>>>(zeros<int>(1), 1); }
CASE(heap_freed_twice, "memory") { heap<HEAP_FREED_TWICE><<<1, 1>>>(zeros<int>(1), 1); }
CASE(heap_unwritten, "uninitialized")
{
    heap<HEAP_RIGHT><<<8, 64>>>(zeros<int>(512), 30);
    heap<HEAP_UNWRITTEN><<<1, 1>>>(zeros<int>(1), 1);
}

// Calls of the host.
CASE(copy_beyond, "memory")
{
    int h[11] = {0};
    cudaMemcpy(zeros<int>(10), h, sizeof h, cudaMemcpyHostToDevice);
}
CASE(copy_of_freed, "memory")
{
    int h[10], *a;
    cudaMalloc(&a, sizeof h);
    cudaFree(a);
    cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
}
CASE(memset_beyond, "memory") { cudaMemset(zeros<int>(10), 0, 44); }
CASE(freed_twice, "memory")
{
    int *a;
    cudaMalloc(&a, 40);
    cudaFree(a);
    cudaFree(a);
}
CASE(freed_within, "memory") { cudaFree(zeros<int>(10) + 1); }
CASE(freed_null, "clean") { cudaFree(nullptr); }

// Memory whose life is an operation of a stream.
CASE(pool_ordered, "clean")
{
    Streams s;
    int *a;
    cudaMallocAsync(&a, N * 4, s.a);
    fill<<<2, 128, 0, s.a>>>(a, 1);
    cudaEventRecord(s.e, s.a);
    cudaStreamWaitEvent(s.b, s.e, 0);
    fill<<<2, 128, 0, s.b>>>(a, 2);
    cudaFreeAsync(a, s.b);
}
CASE(pool_not_there_yet, "race-streams")
{
    Streams s;
    int *a;
    cudaMallocAsync(&a, N * 4, s.a);
    fill<<<2, 128, 0, s.b>>>(a, 1);
    cudaDeviceSynchronize();
    cudaFree(a);
}
CASE(pool_freed_meanwhile, "race-streams")
{
    Streams s;
    int *a;
    cudaMallocAsync(&a, N * 4, s.a);
    cudaStreamSynchronize(s.a);
    fill<<<2, 128, 0, s.b>>>(a, 1);
    cudaFreeAsync(a, s.a);
}

// Textures and surfaces.
__global__ void fetch(cudaTextureObject_t t, float *out, int n)
{
    int i = (int)(threadIdx.x + blockIdx.x * blockDim.x);
    out[i] = tex1Dfetch<float>(t, (i + 1) % n) + 1;
}
static cudaTextureObject_t textured(float *p, size_t bytes)
{
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    cudaTextureObject_t t;
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = p;
    r.res.linear.sizeInBytes = bytes;
    r.res.linear.desc = cudaCreateChannelDesc<float>();
    cudaCreateTextureObject(&t, &r, &d, 0);
    return t;
}
CASE(texture_read, "clean") { fetch<<<2, 128>>>(textured(zeros<float>(N), N * 4), zeros<float>(N), N); }
CASE(texture_written_meanwhile, "race")
{
    float *p = zeros<float>(N);
    fetch<<<2, 128>>>(textured(p, N * 4), p, N);
}
CASE(texture_unwritten, "uninitialized")
{
    float *p;
    cudaMalloc(&p, N * 4);
    fetch<<<2, 128>>>(textured(p, N * 4), zeros<float>(N), N);
    cudaFree(p);
}
__global__ void move(cudaSurfaceObject_t s, int n, int by)
{
    int i = (int)(threadIdx.x + blockIdx.x * blockDim.x);
    float v;
    surf1Dread(&v, s, (i + by) % n * 4);
    surf1Dwrite(v + 1, s, i * 4);
}
static void surface(int by)
{
    float h[N] = {0};
    cudaArray_t a;
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    cudaResourceDesc r = {};
    cudaSurfaceObject_t s;
    cudaMallocArray(&a, &d, N, 0, cudaArraySurfaceLoadStore);
    cudaMemcpy2DToArray(a, 0, 0, h, sizeof h, sizeof h, 1, cudaMemcpyHostToDevice);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaCreateSurfaceObject(&s, &r);
    move<<<2, 128>>>(s, N, by);
    cudaFreeArray(a);
}
CASE(surface_in_place, "clean") { surface(0); }
CASE(surface_neighbor, "race") { surface(1); }
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
