/*
 * One SRAM array: what an access costs, what it leaks and how large it is.
 *
 * A small closed formula in place of CACTI, so that caches, MSHRs and the tables that policies add (policy_cost) get
 * their numbers from their configuration in one way. The formula has the terms of a real array: a fixed part for the
 * decoder, a part for the bit lines and sense amplifiers of the bits that are read, one for the wires that carry them
 * over the width of the array, and one for the tree of wires to its parts, which grows with the capacity. Its constants
 * are fitted to CACTI's results at 45 nm (ITRS high-performance devices, 360 K; tests/unit/cacti_45nm.tsv has some of
 * them, docs/energy.md the fit): of 182 arrays and caches from 64 bytes to 1 MiB, 5 in 6 are within 20% of CACTI's read
 * energy and none is off by more than a third. CACTI's own numbers jump where it divides an array once more; the
 * formula goes through the middle.
 *
 * Left out: access time, temperatures other than 360 K, low-power devices, error correction.
 */
#ifndef WEIR_ENERGY_SRAM_H
#define WEIR_ENERGY_SRAM_H

#include <stdbool.h>

struct sram {
    double bits;    /* capacity */
    double active;  /* bits sensed by one access: of all ways where they are read side by side */
    double out;     /* of these, bits that leave the array; a tag array sends out one match per way */
    double ports;   /* that read and write; 0 counts as 1 */
    double node_nm; /* technology; 0 = 45 */
};

struct sram_cost {
    double read_pj, write_pj; /* one access */
    double leak_mw;
    double area_mm2;
};

enum { SRAM_MIN_NM = 20, SRAM_MAX_NM = 90 }; /* nodes that the scaling rules may be used for */

struct sram_cost sram_cost(const struct sram *);

/* A table of `entries` entries of `bits` bits, one read or written at a time. */
struct sram sram_table(double entries, double bits, double node_nm);
/*
 * The tag and the data array of a cache whose tags are read first, all ways of a set side by side, and then the `out`
 * bits of the way that hit.
 */
struct sram sram_tags(double lines, double ways, double tag_bits, double node_nm);
struct sram sram_data(double bits, double out, double node_nm);

#endif
