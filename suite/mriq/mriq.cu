/*
 * The Q matrix of MRI reconstruction.
 *
 * Origin: Parboil, mri-q. PhiMag kernel: 512 threads per block. Q kernel: 256 threads per block, one voxel each, sums over
 * k-space samples that sit in constant memory 1024 at a time (one launch per 1024).
 * Original 32^3 to 64^3 voxels, 2048 to 3072 samples; "paper" is 32^3 voxels and 448 samples.
 */
#include "../common/suite.h"

#include <vector>

enum { SAMPLES = 1024 };
static const float TAU = 6.2831853071795864769f;

struct sample {
    float kx, ky, kz, phi;
};
__constant__ sample ck[SAMPLES];

__global__ void phi_mag(const float *re, const float *im, float *mag, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        mag[i] = re[i] * re[i] + im[i] * im[i];
}

__global__ void q_matrix(int n_samples, const float *x, const float *y, const float *z, float *qr, float *qi, float tau)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sx = x[i], sy = y[i], sz = z[i], sr = qr[i], si = qi[i];
    for (int k = 0; k < n_samples; k++) {
        float arg = tau * (ck[k].kx * sx + ck[k].ky * sy + ck[k].kz * sz);
        sr += ck[k].phi * cosf(arg);
        si += ck[k].phi * sinf(arg);
    }
    qr[i] = sr;
    qi[i] = si;
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int voxels = suite_pick(size, 2048, 16384, 32768), samples = suite_pick(size, 32, 128, 448);
    std::vector<float> re(samples), im(samples), mag(samples), x(voxels), y(voxels), z(voxels), zero(voxels, 0.0f), qr(voxels),
        qi(voxels), er(voxels), ei(voxels);
    std::vector<sample> k(samples);
    suite_rng r(167);
    for (int i = 0; i < samples; i++) {
        re[i] = r.range(-1, 1);
        im[i] = r.range(-1, 1);
        k[i] = {r.range(-0.5f, 0.5f), r.range(-0.5f, 0.5f), r.range(-0.5f, 0.5f), 0};
    }
    for (int i = 0; i < voxels; i++) {
        x[i] = r.range(-2, 2);
        y[i] = r.range(-2, 2);
        z[i] = r.range(-2, 2);
    }
    float *dre = suite_to_device(re.data(), samples), *dim = suite_to_device(im.data(), samples), *dm = suite_device<float>(samples);
    phi_mag<<<(samples + 511) / 512, 512>>>(dre, dim, dm, samples);
    SUITE_LAUNCHED();
    suite_to_host(mag.data(), dm, samples);
    for (int i = 0; i < samples; i++)
        k[i].phi = mag[i];
    SUITE_CUDA(cudaMemcpyToSymbol(ck, k.data(), samples * sizeof(sample)));
    float *dx = suite_to_device(x.data(), voxels), *dy = suite_to_device(y.data(), voxels), *dz = suite_to_device(z.data(), voxels),
          *dqr = suite_to_device(zero.data(), voxels), *dqi = suite_to_device(zero.data(), voxels);
    q_matrix<<<voxels / 256, 256>>>(samples, dx, dy, dz, dqr, dqi, TAU);
    SUITE_LAUNCHED();
    suite_to_host(qr.data(), dqr, voxels);
    suite_to_host(qi.data(), dqi, voxels);
    for (int i = 0; i < voxels; i++) {
        double sr = 0, si = 0;
        for (int s = 0; s < samples; s++) {
            double arg = (double)TAU * ((double)k[s].kx * x[i] + (double)k[s].ky * y[i] + (double)k[s].kz * z[i]);
            double phi = (double)re[s] * re[s] + (double)im[s] * im[s];
            sr += phi * cos(arg);
            si += phi * sin(arg);
        }
        er[i] = (float)sr;
        ei[i] = (float)si;
    }
    size_t bad = suite_diff("qr", qr.data(), er.data(), voxels, 1e-3, 5e-3) + suite_diff("qi", qi.data(), ei.data(), voxels, 1e-3, 5e-3);
    return suite_done("mriq", argc, argv, bad);
}
