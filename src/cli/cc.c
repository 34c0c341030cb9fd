/* weir cc: the compiler driver's help; src/cc/ does the work. */
#include "cc/cc.h"
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

static const char help_text[] =
    "Usage: weir cc [OPTION...] FILE...\n"
    "\n"
    "Compiles CUDA C++ (.cu), C++ (.cpp, .cc) and C (.c) files and links them, with objects and libraries, into a\n"
    "program that runs on weir's simulated GPU. Needs clang 15 or newer; no GPU, no CUDA toolkit.\n"
    "\n"
    "  -o FILE              the output\n"
    "  -c, -dc              stop at object files\n"
    "  -ptx, -fatbin        stop at PTX text, plain or in a fat binary\n"
    "  -lib                 make a static library\n"
    "  -E, -M               preprocess; list dependencies\n"
    "  -I DIR, -D NAME, -U NAME, -include FILE, -std=c++17\n"
    "  -L DIR, -l LIB, -Xlinker OPTION, -shared\n"
    "  -O LEVEL, -g         for host code; device code is always optimized and has line information\n"
    "  -arch=sm_NN, -gencode arch=...   the architecture the code sees; the highest one given counts (default sm_90)\n"
    "  -rdc=true            device code may call functions of other files\n"
    "  -maxrregcount=N      limit registers per thread, as the occupancy model sees it\n"
    "  -use_fast_math, -ftz=true, -prec-div=false, -prec-sqrt=false, -fmad=false\n"
    "  -fno-unroll-loops    do not unroll device loops except those with #pragma unroll\n"
    "  -funroll-known-loops fully unroll loops of known trip count only, as nvcc did before CUDA 4.1\n"
    "  -fno-whole-vectors   load only the used components of float4 and similar vectors; by default weir, like nvcc, "
    "loads whole vectors\n"
    "  -Xcompiler OPTION    for the host compiler (-fopenmp needs its library, Debian's libomp-19-dev)\n"
    "  -x cu                treat the files that follow as CUDA, whatever their names\n"
    "  --keep               keep NAME.ptx and NAME.o\n"
    "  -v, --dry-run        show the commands; show them and run nothing\n"
    "  --run                run the program after linking\n"
    "  --version            weir's version, and the CUDA release whose language it compiles\n"
    "  -Xclang OPTION, -mllvm OPTION   for clang itself\n"
    "  -forward-unknown-to-host-compiler   pass unknown options to the host compiler\n"
    "  --nvcc               compile with NVIDIA's nvcc instead, linking the runtime as a shared library\n"
    "\n"
    "weir cc uses the newest installed clang; set WEIR_CLANG to use another one (WEIR_CLANG=clang-19).\n"
    "\n"
    "Called as nvcc (lib/weir/bin/nvcc, or build/nvcc), weir is 'weir cc', for build systems that want a compiler of "
    "that name:\n"
    "cmake -DCMAKE_CUDA_COMPILER=/usr/local/lib/weir/bin/nvcc.\n"
    "\n"
    "nvcc options that have no effect here (-Xptxas -v, -lineinfo, -G, -ccbin ...) are accepted and ignored.\n"
    "\n"
    "Example:\n"
    "  weir cc -O3 vecadd.cu -o vecadd && weir run --functional ./vecadd\n";

int cli_cc(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            fputs(help_text, stdout);
            return CLI_OK;
        }
    return cc_main(argc, argv);
}
