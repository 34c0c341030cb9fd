// Arrays on the thread's own stack, indexed by data: local memory.
#include "check.h"

__host__ __device__ static unsigned shuffle_deck(unsigned seed)
{
    unsigned char deck[52];
    for (int i = 0; i < 52; i++)
        deck[i] = (unsigned char)i;
    for (int i = 51; i > 0; i--) {
        seed = seed * 1664525u + 1013904223u;
        int j = (int)((seed >> 10) % (unsigned)(i + 1));
        unsigned char t = deck[i];
        deck[i] = deck[j];
        deck[j] = t;
    }
    unsigned h = 0;
    for (int i = 0; i < 52; i++)
        h = h * 31 + deck[i];
    return h;
}
struct entry {
    short key;
    double value;
};
__host__ __device__ static double insertion_sort(const int *in, int n)
{
    entry e[24];
    for (int i = 0; i < n; i++) {
        int k = i;
        for (; k > 0 && e[k - 1].key > in[i]; k--)
            e[k] = e[k - 1];
        e[k].key = (short)in[i];
        e[k].value = i * 0.5;
    }
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum = sum * 0.5 + e[i].value + e[i].key;
    return sum;
}
__global__ void run(const int *in, unsigned *decks, double *sums)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    decks[i] = shuffle_deck((unsigned)in[i]);
    sums[i] = insertion_sort(in + i, 5 + i % 20);
}

int main()
{
    const int n = 256;
    rng r(26);
    std::vector<int> in(n + 24);
    for (auto &v : in)
        v = (int)r.below(1000);
    dev<int> din(in);
    dev<unsigned> decks(n);
    dev<double> sums(n);
    run<<<n / 64, 64>>>(din, decks, sums);
    RAN();
    std::vector<unsigned> wd(n);
    std::vector<double> ws(n);
    for (int i = 0; i < n; i++) {
        wd[i] = shuffle_deck((unsigned)in[i]);
        ws[i] = insertion_sort(&in[i], 5 + i % 20);
    }
    check_equal("decks", decks.get(), wd);
    check_equal("sums", sums.get(), ws);
    return check_result();
}
