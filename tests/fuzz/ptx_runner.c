/*
 * Loads a PTX file and launches each kernel that is named, with buffers for its parameters: ptx_runner FILE KERNEL...
 * Whatever the file holds, the runtime answers; so this exits with 0.
 */
#include "cudart/abi.h"

#include <stdio.h>

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *, const char *, int *, void **, unsigned, int *, void **, unsigned);
cudaError_t cudaLibraryGetKernel(cudaKernel_t *, cudaLibrary_t, const char *);
cudaError_t cudaLibraryUnload(cudaLibrary_t);
cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t);
cudaError_t cudaMalloc(void **, size_t);
cudaError_t cudaDeviceSynchronize(void);

enum { PARAMETERS = 16, BUFFER_BYTES = 1 << 16 };

int main(int argc, char **argv)
{
    cudaLibrary_t library;
    void *buffer[PARAMETERS][32] = {{0}}, *args[PARAMETERS]; /* a parameter may be a structure */
    for (int i = 0; i < PARAMETERS; i++) {
        cudaMalloc(&buffer[i][0], BUFFER_BYTES);
        args[i] = &buffer[i];
    }
    if (argc < 2 || cudaLibraryLoadFromFile(&library, argv[1], NULL, NULL, 0, NULL, NULL, 0))
        return 0;
    for (int i = 2; i < argc; i++) {
        cudaKernel_t kernel;
        if (!cudaLibraryGetKernel(&kernel, library, argv[i]))
            cudaLaunchKernel(kernel, (dim3){2, 1, 1}, (dim3){64, 1, 1}, args, 1024, NULL);
        cudaDeviceSynchronize();
    }
    cudaLibraryUnload(library);
    return 0;
}
