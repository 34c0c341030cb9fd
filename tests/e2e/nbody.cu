// Gravity between all pairs, bodies staged through shared memory, several steps.
#include "check.h"

const int BLOCK = 64;

__global__ void forces(const float4 *body, float3 *acc, int n)
{
    __shared__ float4 tile[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float4 me = i < n ? body[i] : make_float4(0, 0, 0, 0);
    float3 a = make_float3(0, 0, 0);
    for (int t = 0; t < n; t += BLOCK) {
        tile[threadIdx.x] = t + threadIdx.x < n ? body[t + threadIdx.x] : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < BLOCK; k++) {
            float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
            float inv = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), f = tile[k].w * inv * inv * inv;
            a.x += dx * f;
            a.y += dy * f;
            a.z += dz * f;
        }
        __syncthreads();
    }
    if (i < n)
        acc[i] = a;
}
__global__ void move(float4 *body, float3 *v, const float3 *acc, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        v[i].x += acc[i].x * dt;
        v[i].y += acc[i].y * dt;
        v[i].z += acc[i].z * dt;
        body[i].x += v[i].x * dt;
        body[i].y += v[i].y * dt;
        body[i].z += v[i].z * dt;
    }
}

int main()
{
    const int n = 150, steps = 3;
    rng r(30);
    std::vector<float4> body(n);
    std::vector<double> p(n * 3), v(n * 3), m(n);
    for (int i = 0; i < n; i++) {
        body[i] = make_float4(r.uniform(-1, 1), r.uniform(-1, 1), r.uniform(-1, 1), r.uniform(0.1f, 1));
        p[i * 3] = body[i].x;
        p[i * 3 + 1] = body[i].y;
        p[i * 3 + 2] = body[i].z;
        m[i] = body[i].w;
    }
    dev<float4> db(body);
    dev<float3> dv(n), da(n);
    dv.fill(0);
    for (int s = 0; s < steps; s++) {
        forces<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(db, da, n);
        move<<<1, 160>>>(db, dv, da, n, 0.01f);
        std::vector<double> a(n * 3);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n; k++) {
                double d[3], r2 = 0.01f;
                for (int c = 0; c < 3; c++) {
                    d[c] = p[k * 3 + c] - p[i * 3 + c];
                    r2 += d[c] * d[c];
                }
                double f = m[k] / (r2 * sqrt(r2));
                for (int c = 0; c < 3; c++)
                    a[i * 3 + c] += d[c] * f;
            }
        for (int i = 0; i < n * 3; i++) {
            v[i] += a[i] * 0.01;
            p[i] += v[i] * 0.01;
        }
    }
    RAN();
    std::vector<float4> out = db.get();
    std::vector<float> got, want;
    for (int i = 0; i < n; i++) {
        got.insert(got.end(), {out[i].x, out[i].y, out[i].z});
        want.insert(want.end(), {(float)p[i * 3], (float)p[i * 3 + 1], (float)p[i * 3 + 2]});
    }
    check_close("positions", got, want, 1e-4);
    return check_result();
}
