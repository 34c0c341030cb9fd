/*
 * What machine code of a fat binary says of its kernels. weir does not run it; but ptxas has decided in it how many
 * registers a kernel takes, which PTX does not tell (docs/registers.md).
 */
#ifndef WEIR_CUDART_CUBIN_H
#define WEIR_CUDART_CUBIN_H

#include <stddef.h>
#include <stdint.h>

/* Registers per thread of a kernel in a cubin; 0 where the bytes, which are not trusted, do not say. */
uint32_t cubin_registers(const void *bytes, size_t n, const char *kernel);

#endif
