// Loops whose trip counts depend on data, with break and continue, three deep.
#include "check.h"

__host__ __device__ static unsigned work(unsigned seed)
{
    unsigned sum = 0, x = seed;
    for (unsigned a = 0; a < seed % 7 + 1; a++) {
        for (unsigned b = a; b < 20; b += x % 3 + 1) {
            x = x * 1103515245u + 12345u;
            if ((x >> 16) % 11 == 3)
                continue;
            for (int c = 0;; c++) {
                sum += (x >> (c & 15)) & 0xff;
                if (c >= (int)(x % 5))
                    break;
                if (sum % 97 == 0)
                    goto out;
            }
            if (sum > 5000)
                break;
        }
    }
out:
    unsigned collatz = seed % 1000 + 1, steps = 0;
    do {
        collatz = collatz & 1 ? 3 * collatz + 1 : collatz / 2;
        steps++;
    } while (collatz > 1);
    return sum * 1000 + steps;
}

__global__ void run(const unsigned *in, unsigned *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = work(in[blockIdx.x * blockDim.x + threadIdx.x]); }

int main()
{
    const int n = 2048;
    rng r(3);
    std::vector<unsigned> in(n), want(n);
    for (int i = 0; i < n; i++) {
        in[i] = r.next();
        want[i] = work(in[i]);
    }
    dev<unsigned> din(in), dout(n);
    run<<<n / 64, 64>>>(din, dout);
    RAN();
    check_equal("sums", dout.get(), want);
    return check_result();
}
