/* Checksums of packets of different lengths: each thread computes the CRC-32 of one packet, a byte at a time by table.
 */
#ifndef CRC_PROBLEM_H
#define CRC_PROBLEM_H

#include "../common.h"

struct problem {
    const unsigned char *data;
    const long *offsets;   /* packets + 1 */
    const unsigned *table; /* 256 */
    int packets;
    unsigned *sums; /* per packet */
};

#endif
