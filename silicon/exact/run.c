/*
 * Runs the silicon forms on a real GPU and writes their results.
 *
 *   run FORMS.cubin FORMS.txt RESULTS.bin
 *
 * Needs the CUDA driver only; silicon/exact/README.md says how it is built and what uses the results.
 */
#include "forms.h"

#include <cuda.h>

static void check(CUresult r, const char *what)
{
    const char *text = "?";
    if (r == CUDA_SUCCESS)
        return;
    cuGetErrorString(r, &text);
    fprintf(stderr, "%s: %s\n", what, text);
    exit(1);
}

int main(int argc, char **argv)
{
    struct silicon_forms forms;
    if (argc != 4 || silicon_read_forms(argv[2], &forms)) {
        fprintf(stderr, "usage: run FORMS.cubin FORMS.txt RESULTS.bin\n");
        return 2;
    }
    CUdevice device;
    CUcontext context;
    CUmodule module;
    check(cuInit(0), "cuInit");
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    check(cuModuleLoad(&module, argv[1]), argv[1]);
    enum { MAX = 1 << 16 };
    CUdeviceptr in[4], out[2];
    static uint64_t host[MAX];
    for (int k = 0; k < 4; k++)
        check(cuMemAlloc(&in[k], sizeof host), "cuMemAlloc");
    for (int k = 0; k < 2; k++)
        check(cuMemAlloc(&out[k], sizeof host), "cuMemAlloc");
    FILE *f = fopen(argv[3], "wb");
    if (!f) {
        perror(argv[3]);
        return 1;
    }
    const uint64_t magic = SILICON_MAGIC;
    fwrite(&magic, 8, 1, f);
    fwrite(&forms.hash, 8, 1, f);
    for (unsigned i = 0; i < forms.n; i++) {
        const struct silicon_form *x = &forms.form[i];
        CUfunction fn;
        check(cuModuleGetFunction(&fn, module, x->kernel), x->name);
        for (unsigned k = 0; k < x->n_in; k++) {
            for (uint32_t e = 0; e < x->elements; e++)
                host[e] = silicon_input(x->name, x->in_kind[k], k, x->n_in, e);
            check(cuMemcpyHtoD(in[k], host, x->elements * 8), "copy");
        }
        void *args[] = {&in[0], &in[1], &in[2], &in[3], &out[0], &out[1]};
        check(cuLaunchKernel(fn, x->elements / 32, 1, 1, 32, 1, 1, 0, NULL, args, NULL), x->name);
        check(cuCtxSynchronize(), x->name);
        uint8_t *block = calloc(1, silicon_result_bytes(x));
        for (unsigned k = 0; k < x->n_out; k++) {
            check(cuMemcpyDtoH(host, out[k], x->elements * 8), "copy");
            for (uint32_t e = 0; e < x->elements; e++)
                silicon_put_result(x, block, k, e, host[e]);
        }
        fwrite(block, 1, silicon_result_bytes(x), f);
        free(block);
    }
    if (fclose(f)) {
        perror(argv[3]);
        return 1;
    }
    printf("%u forms\n", forms.n);
    return 0;
}
