// malloc and free on the device: per-thread buffers, lists that outlive a kernel, an exhausted heap.
#include "check.h"

struct item {
    int value;
    item *next;
};

__global__ void scratch(int *out)
{
    int n = threadIdx.x + 1, *a = (int *)malloc(n * sizeof(int));
    int sum = 0;
    if (a) {
        for (int i = 0; i < n; i++)
            a[i] = i * i;
        for (int i = n - 1; i >= 0; i--)
            sum += a[i];
        free(a);
    } else {
        sum = -1;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void build(item **heads)
{
    item *head = NULL;
    for (int i = 0; i < 5; i++) {
        item *n = (item *)malloc(sizeof(item));
        n->value = threadIdx.x * 10 + i;
        n->next = head;
        head = n;
    }
    heads[threadIdx.x] = head;
}
__global__ void consume(item **heads, int *sums)
{
    int s = 0;
    for (item *n = heads[threadIdx.x]; n;) {
        item *next = n->next;
        s += n->value;
        free(n);
        n = next;
    }
    sums[threadIdx.x] = s;
}
__global__ void too_much(void **out)
{
    *out = malloc((size_t)1 << 40);
}
__global__ void release(void **p) { free(*p); } // NULL is fine

int main()
{
    CUDA(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 4 << 20));
    size_t heap = 0;
    CUDA(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
    CHECK(heap >= 4 << 20);
    dev<int> out(256), sums(40);
    dev<void *> none(1);
    scratch<<<2, 128>>>(out);
    RAN();
    std::vector<int> want(256), lists(40);
    for (int i = 0; i < 256; i++)
        for (int k = 0; k <= i % 128; k++)
            want[i] += k * k;
    check_equal("scratch", out.get(), want);
    dev<item *> heads(40);
    build<<<1, 40>>>(heads);
    consume<<<1, 40>>>(heads, sums);
    too_much<<<1, 1>>>(none);
    release<<<1, 1>>>(none);
    RAN();
    for (int i = 0; i < 40; i++)
        lists[i] = 50 * i + 10;
    check_equal("lists", sums.get(), lists);
    CHECK(none.get()[0] == NULL);
    return check_result();
}
