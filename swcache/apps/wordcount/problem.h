/* Counts the words of a text: each thread scans one chunk, byte by byte. A word belongs to the chunk where it begins.
 */
#ifndef WORDCOUNT_PROBLEM_H
#define WORDCOUNT_PROBLEM_H

#include "../common.h"

struct problem {
    const char *text;
    long bytes;
    int chunk; /* bytes per thread */
    int threads;
    unsigned *words; /* per thread */
};

__host__ __device__ inline bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

#endif
