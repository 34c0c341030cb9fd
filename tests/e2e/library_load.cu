// Device code that the program loads itself, from memory and from a file, and looks up by name.
// only: clang
#include "check.h"

#include <cstdio>
#include <unistd.h>

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .global .align 4 .u32 factor = 3;\n"
                          ".visible .entry scale(.param .u64 p)\n{\n"
                          "  .reg .b32 %r<6>; .reg .b64 %rd<4>;\n"
                          "  ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;\n"
                          "  add.u64 %rd3, %rd1, %rd2; ld.global.u32 %r2, [%rd3]; ld.global.u32 %r3, [factor];\n"
                          "  mul.lo.u32 %r4, %r2, %r3; st.global.u32 [%rd3], %r4;\n  ret;\n}\n";

static void run(cudaLibrary_t lib, int want)
{
    cudaKernel_t k;
    void *factor;
    size_t bytes = 0;
    CHECK(cudaLibraryGetKernel(&k, lib, "scale") == cudaSuccess);
    CHECK(cudaLibraryGetKernel(&k, lib, "nothing") == cudaErrorSymbolNotFound);
    CHECK(cudaGetLastError() == cudaErrorSymbolNotFound);
    CHECK(cudaLibraryGetKernel(&k, lib, "scale") == cudaSuccess);
    CHECK(cudaLibraryGetGlobal(&factor, &bytes, lib, "factor") == cudaSuccess && bytes == 4);
    dev<int> d(std::vector<int>(32, 7));
    int *p = d;
    void *args[] = {&p};
    CHECK(cudaLaunchKernel((const void *)k, dim3(1), dim3(32), args, 0, 0) == cudaSuccess);
    RAN();
    check_equal("scaled", d.get(), std::vector<int>(32, 7 * want));
    CHECK(cudaLibraryUnload(lib) == cudaSuccess);
}

int main()
{
    cudaLibrary_t lib;
    CHECK(cudaLibraryLoadData(&lib, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0) == cudaSuccess);
    run(lib, 3);
    char path[] = "/tmp/weir-library-XXXXXX";
    FILE *f = fdopen(mkstemp(path), "w");
    fputs(ptx, f);
    fclose(f);
    CHECK(cudaLibraryLoadFromFile(&lib, path, nullptr, nullptr, 0, nullptr, nullptr, 0) == cudaSuccess);
    unlink(path);
    run(lib, 3);
    CHECK(cudaLibraryLoadFromFile(&lib, path, nullptr, nullptr, 0, nullptr, nullptr, 0) == cudaErrorFileNotFound);
    return check_result();
}
