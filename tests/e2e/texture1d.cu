// Textures over linear memory: element fetches of several types, normalized reads, out-of-range fetches.
#include "check.h"

template <class T> __global__ void fetch(cudaTextureObject_t t, T *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = tex1Dfetch<T>(t, (i * 7) % n);
}

__global__ void normalized(cudaTextureObject_t t, float4 *out) { out[threadIdx.x] = tex1Dfetch<float4>(t, threadIdx.x); }
__global__ void beyond(cudaTextureObject_t t, int n, int *out)
{
    out[0] = tex1Dfetch<int>(t, n);
    out[1] = tex1Dfetch<int>(t, -1);
    out[2] = tex1Dfetch<int>(t, n - 1);
}

static cudaTextureObject_t linear(void *p, cudaChannelFormatDesc desc, size_t bytes, cudaTextureReadMode mode)
{
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = p;
    r.res.linear.desc = desc;
    r.res.linear.sizeInBytes = bytes;
    cudaTextureDesc t = {};
    t.readMode = mode;
    cudaTextureObject_t object;
    CUDA(cudaCreateTextureObject(&object, &r, &t, NULL));
    return object;
}

template <class T, class Make> static void test(Make make)
{
    const int n = 500;
    std::vector<T> in(n), want(n);
    for (int i = 0; i < n; i++)
        in[i] = make(i);
    for (int i = 0; i < n; i++)
        want[i] = in[(i * 7) % n];
    dev<T> d(in), out(n);
    cudaTextureObject_t t = linear(d, cudaCreateChannelDesc<T>(), n * sizeof(T), cudaReadModeElementType);
    fetch<T><<<4, 128>>>(t, out, n);
    RAN();
    check_equal("fetched", out.get(), want);
    CUDA(cudaDestroyTextureObject(t));
}

int main()
{
    test<float>([](int i) { return i * 0.5f; });
    test<int>([](int i) { return i * -3; });
    test<unsigned char>([](int i) { return (unsigned char)i; });
    test<short>([](int i) { return (short)(i * -100); });
    test<float2>([](int i) { return make_float2(i, -i); });
    test<uchar4>([](int i) { return make_uchar4(i, i + 1, i + 2, i + 3); });
    test<int4>([](int i) { return make_int4(i, -i, i * i, 7); });
    test<float4>([](int i) { return make_float4(i, 1, 2, 3); });

    std::vector<uchar4> pixels = {{0, 51, 102, 255}, {255, 0, 128, 1}};
    dev<uchar4> dp(pixels);
    dev<float4> out(2);
    cudaTextureObject_t t = linear(dp, cudaCreateChannelDesc<uchar4>(), sizeof(uchar4) * 2, cudaReadModeNormalizedFloat);
    normalized<<<1, 2>>>(t, out);
    RAN();
    std::vector<float4> got = out.get();
    CHECK(got[0].x == 0 && std::fabs(got[0].y - 0.2f) < 1e-6f && std::fabs(got[0].z - 0.4f) < 1e-6f && got[0].w == 1);
    CHECK(got[1].x == 1 && std::fabs(got[1].z - 128 / 255.0f) < 1e-6f && std::fabs(got[1].w - 1 / 255.0f) < 1e-6f);

    dev<int> small(std::vector<int>{11, 22, 33}), o(3);
    t = linear(small, cudaCreateChannelDesc<int>(), 12, cudaReadModeElementType);
    beyond<<<1, 1>>>(t, 3, o);
    RAN();
    check_equal("beyond", o.get(), std::vector<int>{0, 0, 33});
    return check_result();
}
