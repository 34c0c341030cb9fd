// Managed memory: allocations that both sides use without copies, and __managed__ variables.
#include "check.h"

struct node {
    int value;
    node *next;
};

__managed__ int total = 100;
__device__ __managed__ float table[8];

__global__ void sum_list(const node *head, int *out)
{
    int s = 0;
    for (; head; head = head->next)
        s += head->value;
    *out = s;
}

__global__ void variables()
{
    atomicAdd(&total, 1);
    if (threadIdx.x < 8)
        table[threadIdx.x] = table[threadIdx.x] * 2 + 1;
}

int main()
{
    // A linked list made on the host, walked on the device.
    node *head = NULL;
    for (int i = 0; i < 50; i++) {
        node *n;
        CUDA(cudaMallocManaged(&n, sizeof *n));
        n->value = i;
        n->next = head;
        head = n;
    }
    int *out;
    CUDA(cudaMallocManaged(&out, sizeof *out, cudaMemAttachGlobal));
    *out = 0;
    sum_list<<<1, 1>>>(head, out);
    RAN();
    CHECK(*out == 50 * 49 / 2);
    while (head) {
        node *next = head->next;
        CUDA(cudaFree(head));
        head = next;
    }
    for (int i = 0; i < 8; i++)
        table[i] = (float)i;
    CHECK(total == 100);
    variables<<<1, 64>>>();
    RAN();
    CHECK(total == 164);
    total = 0;
    for (int i = 0; i < 8; i++)
        CHECK(table[i] == 2.0f * i + 1);
    variables<<<2, 32>>>();
    RAN();
    CHECK(total == 64);
    cudaPointerAttributes attributes;
    CUDA(cudaPointerGetAttributes(&attributes, out));
    CHECK(attributes.type == cudaMemoryTypeManaged);
    CUDA(cudaFree(out));
    return check_result();
}
