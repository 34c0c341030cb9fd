// Records: fields, arrays in fields, whole copies of plain records, vectors, __ldg, other views of the same bytes.
#include "common.h"

struct pair {
    int key;
    float value;
};
struct record {
    char name[11];
    short id;
    pair inner[2];
};
struct wide {
    double a[5];
};

__global__ void read_records(const record *__restrict__ in, pair *__restrict__ out, const float4 *__restrict__ quads,
                             float4 *__restrict__ quads_out, const wide *__restrict__ wides, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = t * n; i < (t + 1) * n; i++) {
        int sum = in[i].id;
        for (int k = 0; k < 11; k++)
            sum += in[i].name[k];
        pair p = in[i].inner[sum & 1];
        p.key += sum;
        out[i] = p;
        out[i].value = in[i].inner[0].key > 0 ? in[i].inner[0].value : out[i].value;
        float4 q = quads[i], other = __ldg(&quads[i]);
        q.x += other.w;
        quads_out[i] = q;
        quads_out[i].z = (float)((const int *)quads)[4 * i] + (float)wides[i].a[sum & 3];
        wide whole = wides[i];
        out[i].key ^= (int)whole.a[4];
    }
}

int main()
{
    const int threads = 64, n = 21, all = threads * n;
    record *in = filled<record>(all, 1);
    pair *out = filled<pair>(all, 2);
    std::vector<float> f(all * 4);
    for (size_t i = 0; i < f.size(); i++)
        f[i] = (float)(i % 91);
    float4 *quads = filled<float4>(all, 3), *quads_out = filled<float4>(all, 4);
    OK(cudaMemcpy(quads, f.data(), f.size() * 4, cudaMemcpyHostToDevice));
    std::vector<double> d(all * 5);
    for (size_t i = 0; i < d.size(); i++)
        d[i] = (double)(i % 77);
    wide *wides = filled<wide>(all, 5);
    OK(cudaMemcpy(wides, d.data(), d.size() * 8, cudaMemcpyHostToDevice));
    read_records<<<2, threads / 2>>>(in, out, quads, quads_out, wides, n);
    OK(cudaGetLastError());
    print_hash("out", out, all);
    print_hash("quads", quads_out, all);
}
