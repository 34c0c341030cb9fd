// Kernel parameters: structs by value, mixed sizes and alignments, arrays in structs, nearly 4 KiB of them.
#include "check.h"

struct small {
    char a;
    double b;
    short c;
};
struct big {
    int header;
    float matrix[4][4];
    long long tail[60];
};
struct __align__(16) aligned {
    float4 v;
    unsigned char flag;
};
struct huge {
    int v[900];
};

__global__ void mixed(char c, short s, int i, long long l, float f, double d, bool b, small sm, aligned al, float4 v, double *out)
{
    out[0] = c + s + i + (double)l + f + d + b;
    out[1] = sm.a + sm.b + sm.c;
    out[2] = al.v.x + al.v.w + al.flag;
    out[3] = v.x + v.y + v.z + v.w;
}
__global__ void use_big(big p, int *out)
{
    int t = threadIdx.x;
    out[t] = p.header + (int)p.matrix[t % 4][t / 4 % 4] + (int)p.tail[(t * 7) % 60];
}
__global__ void use_huge(huge h, int *out) { out[threadIdx.x] = h.v[threadIdx.x * 7 % 900]; }
__global__ void changed(big p, int *out)
{
    p.header += 5; // a private copy
    p.tail[threadIdx.x % 60] = 1000;
    out[threadIdx.x] = p.header + (int)p.tail[(threadIdx.x + blockIdx.x) % 60];
}

int main()
{
    dev<double> out(4);
    small sm = {1, 2.5, 3};
    aligned al = {make_float4(1, 2, 3, 4), 200};
    mixed<<<1, 1>>>(-3, -300, 100000, 1ll << 40, 0.5f, 0.25, true, sm, al, make_float4(1, 2, 4, 8), out);
    RAN();
    std::vector<double> want = {-3 - 300 + 100000 + (double)(1ll << 40) + 0.5 + 0.25 + 1, 6.5, 205, 15};
    check_equal("mixed", out.get(), want);
    big b;
    b.header = 42;
    for (int i = 0; i < 16; i++)
        b.matrix[i / 4][i % 4] = i * 2.0f;
    for (int i = 0; i < 60; i++)
        b.tail[i] = i * 100ll;
    dev<int> iout(64);
    use_big<<<1, 64>>>(b, iout);
    RAN();
    std::vector<int> w(64);
    for (int t = 0; t < 64; t++)
        w[t] = 42 + (int)b.matrix[t % 4][t / 4 % 4] + (int)b.tail[(t * 7) % 60];
    check_equal("big", iout.get(), w);
    changed<<<1, 64>>>(b, iout);
    RAN();
    check_equal("changed", iout.get(), std::vector<int>(64, 1047));
    huge h;
    for (int i = 0; i < 900; i++)
        h.v[i] = i * 3;
    use_huge<<<1, 64>>>(h, iout);
    RAN();
    for (int t = 0; t < 64; t++)
        w[t] = h.v[t * 7 % 900];
    check_equal("huge", iout.get(), w);
    return check_result();
}
