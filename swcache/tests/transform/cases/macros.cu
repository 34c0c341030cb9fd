// Accesses in macros' arguments, macros in indices; what a macro's body does is left alone.
#include "common.h"

#define STRIDE     7
#define LARGER(a, b) ((a) > (b) ? (a) : (b))
#define AT(p, i)   p[i]
#define LOOP(i, n) for (int i = 0; i < (n); i++)

__global__ void with_macros(const int *__restrict__ in, int *__restrict__ out, int *__restrict__ hidden, int n)
{
    int t = threadIdx.x;
    for (int i = 0; i < n; i++) {
        int v = LARGER(in[t * STRIDE * 8 + i], in[t * STRIDE * 8 + i + 1]);
        out[t * STRIDE * 8 + i] = LARGER(v, 5) + AT(in, t * STRIDE * 8 + i);
        AT(hidden, t * n + i) += v;
        hidden[t * n + i / 2] ^= i;
    }
    LOOP(i, n)
    out[t * STRIDE * 8 + i] ^= in[t * STRIDE * 8 + i];
}

int main()
{
    int n = 50, all = 64 * STRIDE * 8 + 1;
    int *in = filled<int>(all, 1), *out = filled<int>(all, 2), *hidden = filled<int>(64 * n, 3);
    with_macros<<<1, 64>>>(in, out, hidden, n);
    OK(cudaGetLastError());
    print_hash("out", out, all);
    print_hash("hidden", hidden, 64 * n);
}
