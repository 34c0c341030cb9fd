/*
 * A point: one simulation, that is one recording on one fully described machine. It is what sweeps run and the store
 * keeps. Two points with the same key are the same simulation, whatever the figures call them.
 */
#ifndef WEIR_STUDY_POINT_H
#define WEIR_STUDY_POINT_H

#include "base/err.h"
#include "base/mem.h"

#include <stdbool.h>

struct json_t;

enum { LAB_CTAS = 256 }; /* more than any machine has SMs */

/* A program that can be simulated. */
struct lab_program {
    char *name;        /* of the suite: "bfs"; of one's own: as the plan calls it */
    char *label;       /* the paper's: "BFS" */
    char *paper;       /* whose words label and group are, and whose flags it is compiled with; NULL = no paper's */
    char *cflags;      /* beside those of the suite; NULL = none */
    char *group;       /* the paper's class: "CS"; "" = none */
    uint32_t launches; /* only the first ones are run; 0 = all */
    double sampled;    /* a sample is simulated, to this error (gpu/sampled.h); 0 = all of it */
    char *recording;
    VEC(char *) command;                  /* a program of one's own, with its arguments, before it is recorded */
    char *under;                          /* it takes the place of the program `name` under this variant; NULL = none */
    char *machine;                        /* that such a program sees while it is recorded; NULL = the default */
    char hash[20];                        /* of what was executed, as recorded */
    uint64_t insts;                       /* warp instructions: how long it takes, roughly */
    uint64_t insts_by_ctas[LAB_CTAS + 1]; /* of launches with so many CTAs, or more in the last */
};
void lab_program_free(struct lab_program *);
/* Fills hash and numbers of instructions from the recording. */
int lab_program_measure(struct lab_program *, struct err *);

struct point {
    const struct lab_program *program;
    bool analysis;        /* not timing: the locality of its loads, as profile/analyze.h finds it */
    char *machine, *with; /* with: NULL = the machine's own policies */
    VEC(char *) set;
    char key[112];
    char *policies; /* resolved, for people */
    uint32_t sms;   /* of the machine */
    /* The result as text, NULL = not simulated. Sweeps have thousands and mostly want one number of each, which is
     * looked up in the text (point_value); point_result reads all of it. */
    char *document;
    const char *total; /* in the document: its flat object of numbers; NULL = it is written in another way */
    size_t total_bytes;
    struct json_t *result;
    char *failure;           /* why it has none, or NULL */
    struct err *unevaluated; /* why energies could not be made of it, or NULL */
    char *page;              /* where a simulation writes its profile; NULL = nowhere */
    bool wanted;             /* in the list of those to be simulated next (lab.c) */
};

/* A machine with its policies and settings, resolved once for all the programs that run on it. */
struct point_machine {
    uint64_t hash;
    char *policies;
    uint32_t sms;
};
int point_resolve(struct point_machine *, const char *machine, const char *with, char *const *set, size_t n_set,
                  struct err *);

/* Resolves the machine and computes the key. Takes copies. */
struct point *point_new(const struct lab_program *, bool analysis, const char *machine, const char *with,
                        char *const *set, size_t n_set, struct err *);
/* The same for a machine that is resolved already. */
struct point *point_on(const struct point_machine *, const struct lab_program *, bool analysis, const char *machine,
                       const char *with, char *const *set, size_t n_set);
void point_free(struct point *);
/* What the profile's page is called; unlike any other point's. Owned by the caller. */
char *point_page_name(const struct point *);
/* The command that shows where its time goes; `size`: of the suite's programs. Owned by the caller. */
char *point_command(const struct point *, const char *size);
/* Settings as --set would have them, for people. */
void point_settings(const struct point *, char *out, size_t bytes);

/*
 * Runs it, with so many host threads. The document (JSON text, owned by the caller), or NULL with *e filled. `poll` as in gpu_opts. An analysis
 * has locality.aps, locality.iterations, locality.repeated_loads, locality.loads (profile/analyze_summary.h) and, as parts
 * of all, locality.line.TYPE, locality.count.BIN, locality.finite_count.BIN; and locality.distance.TYPE.BIN as numbers
 * of uses (names and bins of cache/locality.h, TYPE by its name there). Its loads: kernel, pc, accesses, and the
 * type that most of their lines have.
 */
char *point_simulate(const struct point *, unsigned threads, int (*poll)(void *, uint64_t cycle, uint64_t insts),
                     void *ctx, struct err *);
/* Such a name: `what` is line, count ... (NULL = nothing), `bin` a type, a bin or TYPE.BIN, or the rest. */
void point_locality_name(char out[96], const char *what, const char *bin);
/* Takes a copy of a document as the point's result. -1: it is none. */
int point_take(struct point *, const char *document);
/* The result's members "total" and "loads"; NULL = there is none. Belongs to the point. */
const struct json_t *point_result(const struct point *);

/* A hash of the sources that decide results. */
const char *lab_model(void);

/*
 * A number of the result: a statistic ("l1.miss_rate") or sums of them ("l1.misses+l1.merges / l1.accesses"). NAN where
 * the result lacks a name or there is no result. energy.* is made of the other statistics when it is first asked for
 * (gpu/energy.h): results are stored without, so other coefficients need no other simulation. Where that fails, because
 * the machine's file can no longer be read, `unevaluated` says why.
 */
double point_value(const struct point *, const char *metric);
/* The part of the SMs that get a CTA, on average over launches by their instructions. */
double point_busy(const struct point *);
/* Is the metric a quotient whose divisor is 0? point_value says 0 then. */
bool point_is_empty(const struct point *, const char *metric);

#endif
