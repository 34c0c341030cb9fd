/*
 * Decodes variable-length integers (LEB128, as in protocol buffers and columnar files): the input comes in blocks of a
 * fixed number of values, each thread decodes one block into its place in the output.
 */
#ifndef VARINT_PROBLEM_H
#define VARINT_PROBLEM_H

#include "../common.h"

struct problem {
    const unsigned char *coded;
    const long *offsets; /* of the blocks, and of the end */
    int blocks, per_block;
    unsigned *values; /* blocks * per_block */
};

#endif
