// A dense switch (a jump table where the compiler makes one) and a sparse one, with every lane in another case.
#include "check.h"

__host__ __device__ static unsigned interpret(const unsigned char *code, int n, unsigned x)
{
    unsigned acc = x, other = 1;
    for (int pc = 0; pc < n; pc++) {
        switch (code[pc]) {
        case 0: acc += 3; break;
        case 1: acc *= 5; break;
        case 2: acc ^= other; break;
        case 3: other += acc; break;
        case 4: acc = acc << 3 | acc >> 29; break;
        case 5: { unsigned t = acc; acc = other; other = t; break; }
        case 6: acc -= other; // falls through
        case 7: acc++; break;
        case 8: if (acc & 1) pc++; break;
        case 9: other = ~other; break;
        case 10: acc = acc / (other | 1); break;
        case 11: acc &= 0x0fffffff; break;
        case 12: return acc;
        default: acc += code[pc]; break;
        }
    }
    return acc ^ other;
}

__host__ __device__ static int sparse(int x)
{
    switch (x) {
    case -7: return 1;
    case 3: return 2;
    case 1000: return 3;
    case 123456: return 4;
    case 0x7fffffff: return 5;
    default: return 0;
    }
}

__global__ void run(const unsigned char *code, int n, unsigned *out, int *out2, const int *keys)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = interpret(code + i % 16, n - 16, i);
    out2[i] = sparse(keys[i]);
}

int main()
{
    const int n = 512, length = 80;
    rng r(11);
    std::vector<unsigned char> code(length);
    for (auto &c : code)
        c = (unsigned char)r.below(13 + 1);
    const int special[] = {-7, 3, 1000, 123456, 0x7fffffff, 4};
    std::vector<unsigned> want(n);
    std::vector<int> want2(n), keys(n);
    for (int i = 0; i < n; i++) {
        want[i] = interpret(code.data() + i % 16, length - 16, (unsigned)i);
        keys[i] = special[r.below(6)];
        want2[i] = sparse(keys[i]);
    }
    dev<unsigned char> dcode(code);
    dev<unsigned> out(n);
    dev<int> out2(n), dkeys(keys);
    run<<<n / 128, 128>>>(dcode, length, out, out2, dkeys);
    RAN();
    check_equal("interpreted", out.get(), want);
    check_equal("sparse", out2.get(), want2);
    return check_result();
}
