// What could be cached but would gain nothing, as far as the text tells.

__global__ void coalesced(const float *__restrict__ a, float *__restrict__ b, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        b[i] = a[i]; // says: '[ab]' is not cached: each iteration advances by the grid's size
}

__global__ void same_for_all(const float *__restrict__ a, float *__restrict__ b, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i]; // says: 'a' is not cached: the same element for every thread of a warp
    b[threadIdx.x] = sum;
}

__global__ void columns(const float *__restrict__ a, float *__restrict__ b, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i * n + threadIdx.x]; // says: 'a' is not cached: each iteration advances by a stride
    b[threadIdx.x] = sum;
}

__global__ void far_apart(const float *__restrict__ a, float *__restrict__ b, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i += 8)
        sum += a[threadIdx.x * n + i]; // says: 'a' is not cached: each iteration advances by a line or more
    b[threadIdx.x] = sum;
}

__global__ void once(const float *__restrict__ a, float *__restrict__ b, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += sum * a[threadIdx.x]; // says: 'a' is not cached: the same element in every iteration
    b[threadIdx.x] = sum;
}
