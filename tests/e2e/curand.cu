// cuRAND: generators against the published ones, leaps against steps, arrays against the states of device code, and the
// moments of the distributions.
// only: clang
// flags: -lcurand
#include "check.h"

#include <cmath>
#include <curand.h>
#include <curand_kernel.h>

#define RAND(call) CHECK((call) == CURAND_STATUS_SUCCESS)

// Marsaglia's xorwow, from the article.
struct xorwow {
    unsigned x, y, z, w, v, d;
    unsigned next()
    {
        unsigned t = x ^ (x >> 2);
        x = y, y = z, z = w, w = v;
        v = (v ^ (v << 4)) ^ (t ^ (t << 1));
        return (d += 362437) + v;
    }
};
__global__ void steps(unsigned *out, unsigned *state)
{
    curandState s;
    curand_init(1234, 0, 0, &s);
    for (int i = 0; i < 5; i++)
        state[i] = s.v[i];
    state[5] = s.d;
    for (int i = 0; i < 100; i++)
        out[i] = curand(&s);
}
static void published_xorwow()
{
    dev<unsigned> out(std::vector<unsigned>(100)), state(std::vector<unsigned>(6));
    steps<<<1, 1>>>(out, state);
    RAN();
    auto s = state.get();
    xorwow x = {s[0], s[1], s[2], s[3], s[4], s[5]};
    std::vector<unsigned> want;
    for (int i = 0; i < 100; i++)
        want.push_back(x.next());
    check_equal("xorwow", out.get(), want);
}

// Random123's known answers for philox4x32-10.
__global__ void philox(uint4 *out)
{
    out[0] = curand_Philox4x32_10(make_uint4(0, 0, 0, 0), make_uint2(0, 0));
    out[1] = curand_Philox4x32_10(make_uint4(~0u, ~0u, ~0u, ~0u), make_uint2(~0u, ~0u));
    out[2] = curand_Philox4x32_10(make_uint4(0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344), make_uint2(0xa4093822, 0x299f31d0));
    curandStatePhilox4_32_10_t s;
    curand_init(0x299f31d0a4093822ull, 0x0370734413198a2eull, 4 * 5ull, &s);
    out[3] = curand4(&s);
    out[4] = curand_Philox4x32_10(make_uint4(5, 0, 0x13198a2e, 0x03707344), make_uint2(0xa4093822, 0x299f31d0));
}
static void published_philox()
{
    dev<uint4> d(std::vector<uint4>(5));
    philox<<<1, 1>>>(d);
    RAN();
    auto v = d.get();
    const unsigned want[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8, 0x408f276d, 0x41c83b0e,
                             0xa20bc7c6, 0x6d5451fd, 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1};
    CHECK(!memcmp(v.data(), want, sizeof want));
    CHECK(!memcmp(&v[3], &v[4], sizeof v[3]));
}

// L'Ecuyer's RngStreams begin with these numbers; its second substream begins 2^76 numbers later.
__global__ void mrg(double *out)
{
    curandStateMRG32k3a s;
    curand_init(0, 0, 0, &s);
    for (int i = 0; i < 4; i++)
        out[i] = curand_uniform_double(&s);
}
static void published_mrg()
{
    dev<double> d(std::vector<double>(4));
    mrg<<<1, 1>>>(d);
    RAN();
    const double want[] = {0.127011122046577, 0.318527565396794, 0.309186015583270, 0.825846862927114};
    auto v = d.get();
    for (int i = 0; i < 4; i++)
        CHECK(std::fabs(v[i] - want[i]) < 1e-9); // the article scales by 1 / (m1 + 1), too
}

// A leap is as many steps; of the far ones, two leaps are one of twice the length.
template <typename STATE> __global__ void leaps(int *wrong)
{
    STATE a, b;
    curand_init(99, 5, 0, &a);
    curand_init(99, 5, 777, &b);
    for (int i = 0; i < 777; i++)
        curand(&a);
    for (int i = 0; i < 9; i++)
        *wrong += curand(&a) != curand(&b);
    curand_init(99, 3, 1ull << 40, &a);
    curand_init(99, 3, (1ull << 40) - 6, &b);
    skipahead(6, &b);
    for (int i = 0; i < 9; i++)
        *wrong += curand(&a) != curand(&b);
}
__global__ void far_leaps(int *wrong)
{
    curandState a, b;
    curand_init(99, 7, 0, &a);
    curand_init(99, 0, 0, &b);
    for (int i = 0; i < 8; i++) // 2^67 numbers are 8 times 2^64
        for (int k = 0; k < 7; k++) {
            skipahead(1ull << 63, &b);
            skipahead(1ull << 63, &b);
        }
    for (int i = 0; i < 9; i++)
        *wrong += curand(&a) != curand(&b);
}
static void leaping()
{
    dev<int> wrong(std::vector<int>(1));
    leaps<curandState><<<1, 1>>>(wrong);
    leaps<curandStateMRG32k3a><<<1, 1>>>(wrong);
    leaps<curandStatePhilox4_32_10_t><<<1, 1>>>(wrong);
    far_leaps<<<1, 1>>>(wrong);
    RAN();
    CHECK(wrong.get()[0] == 0);
}

template <typename STATE> __global__ void sequence(unsigned *out, int n, unsigned long long seed)
{
    STATE s;
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    curand_init(seed, t, 0, &s);
    for (int i = t; i < n; i += 4096)
        out[i] = curand(&s);
}
template <typename STATE> static void arrays(curandRngType_t type)
{
    const int n = 9000;
    curandGenerator_t g, on_host;
    dev<unsigned> got{std::vector<unsigned>(n)}, want{std::vector<unsigned>(n)};
    std::vector<unsigned> here(n);
    sequence<STATE><<<16, 256>>>(want, n, 42);
    RAND(curandCreateGenerator(&g, type));
    RAND(curandSetPseudoRandomGeneratorSeed(g, 42));
    RAND(curandGenerate(g, got, 5000)); // two calls go on where the first one ended
    RAND(curandGenerate(g, (unsigned *)got + 5000, n - 5000));
    check_equal("an array", got.get(), want.get());
    RAND(curandSetGeneratorOffset(g, 4100));
    RAND(curandGenerate(g, got, n - 4100));
    auto all = want.get(), rest = got.get();
    CHECK(std::equal(all.begin() + 4100, all.end(), rest.begin()));
    RAND(curandDestroyGenerator(g));
    RAND(curandCreateGeneratorHost(&on_host, type));
    RAND(curandSetPseudoRandomGeneratorSeed(on_host, 42));
    RAND(curandGenerate(on_host, here.data(), n));
    check_equal("on the host", here, want.get());
    RAND(curandDestroyGenerator(on_host));
}

template <typename T> static void moments(const std::vector<T> &v, double mean, double variance, double within)
{
    double sum = 0, square = 0;
    for (auto x : v)
        sum += x, square += (double)x * x;
    sum /= v.size();
    CHECK(std::fabs(sum - mean) < within);
    CHECK(std::fabs(square / v.size() - sum * sum - variance) < 4 * within);
}
static void distributions()
{
    const size_t n = 20000;
    curandGenerator_t g;
    dev<float> f{std::vector<float>(n)};
    dev<double> d{std::vector<double>(n)};
    dev<unsigned> u{std::vector<unsigned>(n)};
    RAND(curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT));
    RAND(curandGenerateUniform(g, f, n));
    moments(f.get(), 0.5, 1.0 / 12, 0.01);
    for (auto x : f.get())
        CHECK(x > 0 && x <= 1);
    RAND(curandGenerateUniformDouble(g, d, n));
    moments(d.get(), 0.5, 1.0 / 12, 0.01);
    RAND(curandGenerateNormal(g, f, n, 3, 2));
    moments(f.get(), 3, 4, 0.06);
    CHECK(curandGenerateNormal(g, f, n - 1, 3, 2) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    RAND(curandGenerateNormalDouble(g, d, n, -1, 0.5));
    moments(d.get(), -1, 0.25, 0.02);
    RAND(curandGenerateLogNormal(g, f, n, 0, 0.5f));
    moments(f.get(), std::exp(0.125), (std::exp(0.25) - 1) * std::exp(0.25), 0.03);
    RAND(curandGeneratePoisson(g, u, n, 6));
    moments(u.get(), 6, 6, 0.1);
    RAND(curandGeneratePoisson(g, u, n, 400));
    moments(u.get(), 400, 400, 5);
    RAND(curandDestroyGenerator(g));
    CHECK(curandCreateGenerator(&g, CURAND_RNG_PSEUDO_MT19937) == CURAND_STATUS_TYPE_ERROR);
}

// Of 2^k points of a Sobol sequence each dimension has one in every interval of length 2^-k, and two dimensions together
// have one in each box.
static void quasi()
{
    const int n = 256, dimensions = 10;
    curandGenerator_t g;
    dev<unsigned> d(std::vector<unsigned>(n * dimensions));
    RAND(curandCreateGenerator(&g, CURAND_RNG_QUASI_SOBOL32));
    RAND(curandSetQuasiRandomGeneratorDimensions(g, dimensions));
    RAND(curandGenerate(g, d, n * dimensions));
    auto v = d.get();
    CHECK(v[0] == 0 && v[1] == 0x80000000u && v[2] == 0xc0000000u && v[3] == 0x40000000u);
    CHECK(v[n + 1] == 0x80000000u && v[n + 2] == 0x40000000u && v[n + 3] == 0xc0000000u);
    for (int k = 0; k < dimensions; k++) {
        std::vector<int> hit(n);
        for (int i = 0; i < n; i++)
            hit[v[k * n + i] >> 24]++;
        CHECK(hit == std::vector<int>(n, 1));
    }
    std::vector<int> box(n);
    for (int i = 0; i < n; i++)
        box[(v[i] >> 28) * 16 + (v[n + i] >> 28)]++;
    CHECK(box == std::vector<int>(n, 1));
    CHECK(curandSetQuasiRandomGeneratorDimensions(g, 11) == CURAND_STATUS_OUT_OF_RANGE);
    RAND(curandDestroyGenerator(g));
}

int main()
{
    published_xorwow();
    published_philox();
    published_mrg();
    leaping();
    arrays<curandState>(CURAND_RNG_PSEUDO_XORWOW);
    arrays<curandStateMRG32k3a>(CURAND_RNG_PSEUDO_MRG32K3A);
    arrays<curandStatePhilox4_32_10_t>(CURAND_RNG_PSEUDO_PHILOX4_32_10);
    distributions();
    quasi();
    return check_result();
}
