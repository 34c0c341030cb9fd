/*
 * The laboratory: plans in, tables out.
 *
 * A lab holds programs and figures. lab_run finds out which points the figures need, runs those that the store does not
 * have, continues searches with the results, and repeats until nothing is wanted. Then every figure has its table.
 * What a figure shows depends on the plan and the recordings alone, not on order, cores or what was in the store.
 */
#ifndef WEIR_STUDY_STUDY_H
#define WEIR_STUDY_STUDY_H

#include "study/search_results.h"
#include "study/plan.h"
#include "chart/plot.h"
#include "study/pool.h"
#include "chart/table.h"

/* A program whose launches reach less than this part of the SMs says nothing about what they share. */
#define LAB_BUSY 0.5

struct lab_figure {
    struct plan plan;
    VEC(const struct lab_program *) program; /* its rows, in the paper's order */
    VEC(char *) absent;                      /* programs it asks for that the suite does not have */
    struct table table;
    /* The values of the table: [program * n_point + variant], variants in the order of plan.variants; after them
     * the analysis, if the plan asks for one. NULL = not there yet. */
    struct point **point;
    size_t n_point;
    VEC(char *) trouble; /* what is missing in the table, and why */
    char axis[200];      /* of the values: "IPC / LRR" */
};

/* A machine with policies and settings, resolved: thousands of points share few. */
struct lab_machine {
    char *id; /* all that describes it */
    struct point_machine resolved;
};

struct lab {
    VEC(struct lab_program) program;
    VEC(struct lab_figure) figure;
    VEC(struct point *) point;  /* every one that was wanted, each once */
    struct strmap point_by_key; /* index in `point` */
    VEC(struct lab_machine) machine;
    struct strmap machine_by_id; /* index in `machine` */
    struct search_results *from; /* where searches start; NULL = from what the plans list */
};

void lab_free(struct lab *);
/* Takes over the plan. Its programs are looked up in lab->program, which must not change any more. */
int lab_add_figure(struct lab *, struct plan *, struct err *);
/* Before anything is recorded or simulated: whether every variant is a machine that can be built and has the
 * statistics that the plan asks for. */
int lab_check(struct lab *, struct err *);
/* Likewise whether lab->from has a start for searches, and one that they can take. */
int lab_check_searches(struct lab *, struct err *);
/* As pool_run; afterward the tables are complete. Stopped: tables of what there is. -1 also where a result is there and a
 * file that its values need cannot be read: the store has what was simulated. */
int lab_run(struct lab *, struct pool *, struct err *);
/* Is a program of the suite, which has a size, in any figure? */
bool lab_has_suite(const struct lab *);
/* How the figure is drawn. */
struct plot lab_plot(const struct lab_figure *);
/* Did the program's launches leave most SMs of some figure's machine without a CTA? After lab_run. */
bool lab_is_idle(const struct lab *, const struct lab_program *);
/* Settings that a search ended with, as "swl.limit=4"; "" = nothing was searched. */
void lab_search_outcome(const struct lab_figure *, size_t program, size_t variant, char *out, size_t bytes);

#endif
