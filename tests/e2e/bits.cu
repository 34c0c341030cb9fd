// Bit manipulation: counts, reversals, permutations, funnel shifts, high products, dot products, byte-wise arithmetic.
#include "check.h"

__global__ void run(const unsigned *a, const unsigned *b, unsigned long long *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned x = a[i], y = b[i];
    unsigned long long w = (unsigned long long)x << 32 | y, *o = out + i * 20;
    o[0] = __popc(x) | __popcll(w) << 8;
    o[1] = __clz(x) | __clzll(w) << 8;
    o[2] = __ffs(x) | __ffsll(w) << 8;
    o[3] = __brev(x);
    o[4] = __brevll(w);
    o[5] = __byte_perm(x, y, 0x7250);
    o[6] = __funnelshift_l(x, y, y & 63);
    o[7] = __funnelshift_rc(x, y, y & 63);
    o[8] = (unsigned)__mulhi((int)x, (int)y) | (unsigned long long)__umulhi(x, y) << 32;
    o[9] = __umul64hi(w, ~w * 3);
    o[10] = (unsigned)__mul24((int)x, (int)y);
    o[11] = __usad(x, y, 5);
    o[12] = (unsigned)__dp4a((int)x, (int)y, 10);
    o[13] = __vabsdiffu4(x, y);
    o[14] = __vadd4(x, y);
    o[15] = (unsigned)__hadd((int)x, (int)y) | (unsigned long long)__urhadd(x, y) << 32;
    o[16] = x >> (y & 31) | (unsigned long long)(unsigned)((int)x >> (y & 31)) << 32;
    o[17] = (unsigned)__double2hiint((double)x) ^ __float_as_uint((float)y);
    o[18] = w << (y & 63);
    o[19] = (unsigned long long)((long long)w >> (x & 63));
}

static void reference(unsigned x, unsigned y, unsigned long long *o)
{
    unsigned long long w = (unsigned long long)x << 32 | y;
    auto clz = [](unsigned v) { return v ? __builtin_clz(v) : 32; };
    auto clzll = [](unsigned long long v) { return v ? __builtin_clzll(v) : 64; };
    o[0] = __builtin_popcount(x) | __builtin_popcountll(w) << 8;
    o[1] = clz(x) | clzll(w) << 8;
    o[2] = __builtin_ffs((int)x) | __builtin_ffsll((long long)w) << 8;
    unsigned r = 0;
    unsigned long long rr = 0;
    for (int i = 0; i < 32; i++)
        r |= (x >> i & 1) << (31 - i);
    for (int i = 0; i < 64; i++)
        rr |= (w >> i & 1) << (63 - i);
    o[3] = r;
    o[4] = rr;
    unsigned long long both = (unsigned long long)y << 32 | x;
    unsigned perm = 0;
    for (int i = 0; i < 4; i++)
        perm |= (unsigned)(both >> (8 * (0x7250 >> (4 * i) & 7)) & 0xff) << (8 * i);
    o[5] = perm;
    unsigned s = y & 31, c = (y & 63) > 32 ? 32 : y & 63;
    o[6] = (unsigned)((both << s) >> 32);
    o[7] = c == 32 ? y : (unsigned)(both >> c);
    o[8] = (unsigned)(((long long)(int)x * (int)y) >> 32) | (((unsigned long long)x * y) >> 32) << 32;
    o[9] = (unsigned long long)(((unsigned __int128)w * (~w * 3)) >> 64);
    int x24 = (int)(x << 8) >> 8, y24 = (int)(y << 8) >> 8;
    o[10] = (unsigned)((long long)x24 * y24);
    o[11] = (x > y ? x - y : y - x) + 5;
    int dot = 10;
    unsigned diff = 0, sum = 0;
    for (int i = 0; i < 4; i++) {
        int p = (x >> 8 * i) & 255, q = (y >> 8 * i) & 255;
        dot += (signed char)p * (signed char)q;
        diff |= (unsigned)abs(p - q) << 8 * i;
        sum |= (unsigned)((p + q) & 255) << 8 * i;
    }
    o[12] = (unsigned)dot;
    o[13] = diff;
    o[14] = sum;
    o[15] = (unsigned)(((long long)(int)x + (int)y) >> 1) | (((unsigned long long)x + y + 1) >> 1) << 32;
    o[16] = x >> (y & 31) | (unsigned long long)(unsigned)((int)x >> (y & 31)) << 32;
    double d = (double)x;
    float f = (float)y;
    unsigned long long db;
    unsigned fb;
    memcpy(&db, &d, 8);
    memcpy(&fb, &f, 4);
    o[17] = (unsigned)(db >> 32) ^ fb;
    o[18] = w << (y & 63);
    o[19] = (unsigned long long)((long long)w >> (x & 63));
}

int main()
{
    const int n = 600;
    rng r(24);
    std::vector<unsigned> a(n), b(n);
    for (int i = 0; i < n; i++) {
        a[i] = i == 0 ? 0 : i == 1 ? ~0u : i == 2 ? 1u << 31 : r.next() >> r.below(32);
        b[i] = i < 3 ? (unsigned)i : r.next();
    }
    std::vector<unsigned long long> want(n * 20);
    for (int i = 0; i < n; i++)
        reference(a[i], b[i], &want[i * 20]);
    dev<unsigned> da(a), db(b);
    dev<unsigned long long> out(n * 20);
    run<<<(n + 127) / 128, 128>>>(da, db, out, n);
    RAN();
    std::vector<unsigned long long> got = out.get();
    for (int i = 0; i < n * 20; i++)
        if (got[i] != want[i] && check_failures++ < 5)
            fprintf(stderr, "operation %d of %x, %x: got %llx, want %llx\n", i % 20, a[i / 20], b[i / 20], got[i], want[i]);
    return check_result();
}
