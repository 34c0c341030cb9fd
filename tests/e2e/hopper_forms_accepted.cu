// Every form of sm_90 in hopper_forms_accepted.ptx is decoded when its kernel is launched; a branch leads around them.
// flags: -DFORMS="@/hopper_forms_accepted.ptx"
// only: clang
#include "check.h"
#include <cstdio>
#include <cuda.h>
#include <string>

static CUresult launch(const std::string &ptx)
{
    CUmodule module;
    CUfunction forms;
    unsigned long long nowhere = 0;
    void *args[] = {&nowhere};
    CUresult r = cuModuleLoadData(&module, ptx.c_str());
    if (r == CUDA_SUCCESS)
        r = cuModuleGetFunction(&forms, module, "forms");
    if (r == CUDA_SUCCESS)
        r = cuLaunchKernel(forms, 1, 1, 1, 128, 1, 1, 0, NULL, args, NULL);
    return r == CUDA_SUCCESS ? cuCtxSynchronize() : r;
}

int main()
{
    std::string ptx;
    FILE *f = fopen(FORMS, "r");
    CHECK(f != NULL);
    for (int c; f && (c = getc(f)) != EOF;)
        ptx += (char)c;
    cudaFree(NULL); /* a context */
    CHECK(launch(ptx) == CUDA_SUCCESS);
    return check_result();
}
