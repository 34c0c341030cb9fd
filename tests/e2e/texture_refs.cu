// Texture references, as CUDA had them before version 12: bound to linear memory, pitched memory and arrays.
// only: clang
#include "check.h"

texture<int> numbers;
texture<float, cudaTextureType2D, cudaReadModeElementType> picture;
texture<uchar4, cudaTextureType1D, cudaReadModeNormalizedFloat> colors;
static texture<float4, 1> quads;

__global__ void use(int *a, float *b, float4 *c)
{
    int i = threadIdx.x;
    a[i] = tex1Dfetch(numbers, 31 - i) * 2;
    b[i] = tex2D(picture, (i % 8) + 0.5f, (i / 8) + 0.5f);
    float4 v = tex1Dfetch(colors, i), q = tex1Dfetch(quads, i);
    c[i] = make_float4(v.x + q.x, v.y + q.y, v.z + q.z, v.w + q.w);
}

int main()
{
    std::vector<int> n(32), wantn(32);
    std::vector<float> image(32);
    std::vector<uchar4> rgba(32);
    std::vector<float4> q(32);
    for (int i = 0; i < 32; i++) {
        n[i] = i * i;
        image[i] = i * 0.25f;
        rgba[i] = make_uchar4(i * 5, 0, 255, 51);
        q[i] = make_float4(i, 1, 2, 3);
        wantn[31 - i] = 2 * i * i;
    }
    dev<int> dn(n), a(32);
    dev<uchar4> dc(rgba);
    dev<float4> dq(q), c(32);
    dev<float> b(32);
    CUDA(cudaBindTexture(NULL, numbers, dn, 32 * sizeof(int)));
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<uchar4>();
    size_t offset = 1;
    CUDA(cudaBindTexture(&offset, colors, dc, desc, 32 * sizeof(uchar4)));
    CHECK(offset == 0);
    CUDA(cudaBindTexture(NULL, quads, dq, 32 * sizeof(float4)));
    cudaArray_t array;
    cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
    CUDA(cudaMallocArray(&array, &floats, 8, 4));
    CUDA(cudaMemcpyToArray(array, 0, 0, image.data(), 32 * 4, cudaMemcpyHostToDevice));
    picture.addressMode[0] = picture.addressMode[1] = cudaAddressModeClamp;
    picture.filterMode = cudaFilterModePoint;
    picture.normalized = false;
    CUDA(cudaBindTextureToArray(picture, array));
    use<<<1, 32>>>(a, b, c);
    RAN();
    check_equal("numbers", a.get(), wantn);
    check_equal("picture", b.get(), image);
    std::vector<float4> got = c.get();
    for (int i = 0; i < 32; i++)
        CHECK(std::fabs(got[i].x - (i * 5 / 255.0f + i)) < 1e-5f && got[i].y == 1 && got[i].z == 3 && std::fabs(got[i].w - 3.2f) < 1e-6f);
    // Bound again, elsewhere.
    dev<int> other(wantn);
    CUDA(cudaUnbindTexture(numbers));
    CUDA(cudaBindTexture(NULL, numbers, other, 32 * sizeof(int)));
    use<<<1, 32>>>(a, b, c);
    RAN();
    for (int i = 0; i < 32; i++)
        wantn[i] = 4 * i * i;
    check_equal("bound again", a.get(), wantn);
    return check_result();
}
