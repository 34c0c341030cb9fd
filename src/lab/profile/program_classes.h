/*
 * The papers' classes of programs, computed from measurements by the papers' own criteria.
 *
 *   APCM      section 3: cache sensitive (CS) when a 128 KB L1 makes it more than 1.5 times as fast as a 32 KB one,
 *             insensitive (CI) when the change is below 10%, moderate (CM) in between; on its Fermi machine
 *   CART      Table III: memory intensive when fewer than 1500 (thread) instructions are executed per L2 miss
 *   Shared L1 section 2: shared-friendly when more than 10% of the L1 misses find their line in another L1, the L1 miss
 *             rate is above 50% and a 16 times larger L1 brings more than 5%
 *
 * Speed is IPC, which for one program is inversely the cycles.
 */
#ifndef WEIR_PROFILE_CLASSES_H
#define WEIR_PROFILE_CLASSES_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The simulations a classification needs. Larger L1s have more ways: 64 sets are the most that Fermi's set hash knows.
 * X(enumerator, machine, settings or NULL, what it is)
 */
#define CLASS_POINTS(X)                                                                                                \
    X(APCM_32, "gtx480", "l1.size=32KiB", "APCM's machine, 32 KB L1")                                                  \
    X(APCM_128, "gtx480", "l1.size=128KiB l1.assoc=16", "APCM's machine, 128 KB L1")                                   \
    X(CART, "cart28", NULL, "CART's machine")                                                                          \
    X(MESH, "mesh28", NULL, "Shared L1's machine, private L1s of 16 KB")                                               \
    X(MESH_16X, "mesh28", "l1.size=256KiB l1.assoc=32", "the same with L1s of 256 KB")

enum class_point {
#define X(name, machine, set, doc) CLASS_##name,
    CLASS_POINTS(X)
#undef X
        CLASS_POINT_COUNT
};
struct class_point_def {
    const char *machine, *set;
};
extern const struct class_point_def class_point_def[CLASS_POINT_COUNT];

enum class_paper { CLASS_OF_APCM, CLASS_OF_CART, CLASS_OF_SHAREDL1, CLASS_PAPERS };
extern const char *const class_paper_key[CLASS_PAPERS]; /* as program.ini has them */
/* "apcm,cart" -> bit per paper; 0 = a name is not one of them (*e). */
unsigned class_papers(const char *names, struct err *);
/* Which papers a simulation is for. */
enum class_paper class_point_paper(enum class_point);

/* What was measured of one program; NAN = not known. */
struct class_measures {
    double l1_speedup;                                  /* 128 KB over 32 KB */
    double insts_per_l2_miss;                           /* infinite without misses */
    double replication, miss_rate, sixteenfold_speedup; /* Shared L1 */
};

/* The class by the paper's criterion: "CS", "CM", "CI"; "memory", "compute"; "friendly", "not". NULL = not known. */
const char *class_of(enum class_paper, const struct class_measures *);

enum class_verdict { CLASS_UNSAID, CLASS_AGREES, CLASS_DISAGREES };
/*
 * `said`: what program.ini says of the paper: "BFS (CS)". Its class is what is written in parentheses; without them, and
 * where `computed` is NULL, nothing can be compared. `out` gets the paper's class ("" = none).
 */
enum class_verdict class_compare(const char *computed, const char *said, char *out, size_t bytes);

#endif
