/*
 * A plan: what one figure or sweep consists of, as a person writes it.
 *
 *     [figure]
 *     number    = 15
 *     title     = Performance with warp throttling
 *     base      = paper.ini        ; variants (and the paper's programs) that several figures share
 *     machine   = gtx480
 *     programs  = CS CM            ; classes or names of the paper, programs of the suite, or all
 *     metric    = ipc              ; a statistic, or sums: l1.misses+l1.merges / l1.accesses
 *     normalize = swl              ; every value is divided by this variant's
 *     variants  = swl pcal apcm    ; in this order; those of this file if left out
 *     published = published.ini    ; what is known of it; or in the base
 *     plugin    = mine.so          ; plugins whose policies the variants use, beside this file
 *
 *     [variant swl]
 *     label = CCWS-SWL
 *     with  = swl                  ; as --with
 *     set   = l1.size=32KiB        ; as --set; several on one line or on indented lines
 *     best  = swl.limit: 2 4 8 16  ; runs all and keeps the fastest; further `best` lines are searched one after the
 *                                    other, each with the best of those before it
 *     refine = yes                 ; then continues between those values, all together
 *     over  = base32               ; normalized by another variant than the figure's
 *
 *     [program mine]               ; a program of one's own, to be named in `programs`
 *     run = ./mine 1024            ; an executable beside this file with its arguments, or a recording (mine.wt)
 *     first = 1                    ; launches that are simulated; all if not given
 *     run apcm = ./mine 1024 fast  ; what runs instead under the variant apcm
 *
 *     [explain]                    ; statistics that the report names where it says why
 *     load latency = sm.latency.all
 *
 *     [study]                      ; in any one of a folder's plans: what the page is called and begins with
 *     title = What I found
 *     lead  = Three programs on two machines.
 *
 * Instead of variants a plan may have a [sweep] over machines, policies and parameters (axes.h). Words in `programs`
 * that have a slash or end in .wt are files beside this one.
 *
 * With kind = interactions, `parts = apcm cart` names variants whose combinations are made by joining their `with` and
 * `set`, and `normalize` the one without any.
 *
 * docs/reproduce.md is the reference. Left out: plans do not nest (one base), and there are no expressions.
 */
#ifndef WEIR_STUDY_PLAN_H
#define WEIR_STUDY_PLAN_H

#include "base/mem.h"
#include "base/inifile.h"

enum plan_kind {
    PLAN_BARS,         /* programs x variants: one value each */
    PLAN_LOADS,        /* the most executed loads of each program x variants: L1 miss rate */
    PLAN_LOCALITY,     /* lines of an unbounded L1 by type of locality */
    PLAN_COUNTS,       /* lines by number of accesses, in the machine's L1 and in an unbounded one */
    PLAN_APS,          /* access pattern similarity */
    PLAN_DECISIONS,    /* what the first variant's policy decided about loads, against unbounded L1s */
    PLAN_REUSE,        /* reuse distances of lines with inter- and intra-warp locality */
    PLAN_ITERATIONS,   /* how often a warp executes a load */
    PLAN_PHASES,       /* of one program under the first variant's policy: in which phase its SMs are, over time */
    PLAN_INTERACTIONS, /* every combination of `parts`: bars, and the interaction of the parts (interact.h) */
    PLAN_OVERVIEW,     /* the first variant of every other figure of bars, figure by figure */
    PLAN_KINDS
};

struct plan_search { /* one coordinate of a search */
    char *key;
    struct inifile_words value;
    struct inifile_place at;
};

/* An axis of a sweep (axes.h): the values that a part of the machine takes. */
enum plan_axis_kind { PLAN_AXIS_MACHINE, PLAN_AXIS_WITH, PLAN_AXIS_SET };
struct plan_axis {
    enum plan_axis_kind kind;
    char *key; /* SET: the parameter */
    struct inifile_words value;
    VEC(struct inifile_place) value_at; /* the place of each value */
    struct inifile_place at;
};

/* A program of one's own: a CUDA executable with its arguments, or a recording. Under some variants another version of
 * it may run. */
struct plan_version {
    char *variant, *run;
    struct inifile_place at;
};
struct plan_program {
    char *name, *run, *label;
    unsigned first; /* launches that are simulated; 0 = all */
    VEC(struct plan_version) version;
    struct inifile_place at, run_at;
};

/* A statistic that may tell why: "load latency = sm.latency.all". */
struct plan_statistic {
    char *label, *metric;
    bool percent; /* the label as written ended in " %" */
    struct inifile_place at;
};
struct plan_statistics {
    VEC(struct plan_statistic) one;
};

#define PLAN_WITHOUT SIZE_MAX
struct plan_variant {
    char *name, *label, *machine, *with, *over; /* NULL = not given */
    struct inifile_words set;
    VEC(struct plan_search) best;
    bool refine; /* continue between the values of `best`, all of them together (search.h) */
    struct inifile_place refine_at;
    VEC(size_t) choice;     /* of a sweep: the value of each axis; PLAN_WITHOUT = it does without */
    char *panel, *in_panel; /* of a sweep that is normalized within groups: the group, and the value within it */
    unsigned mask;          /* of a combination: its parts, by their order in the plan */
    struct inifile_place at, over_at, with_at, machine_at;
};

struct plan {
    char *path;
    char *number, *title, *paper, *machine, *metric, *axis, *normalize, *not_reproduced, *lead, *note, *maximize;
    char *within;      /* normalized within groups: "baseline of the same machine", for the axis; NULL = not */
    char *cflags;      /* flags the paper's programs are compiled with; NULL = none */
    char *paper_title; /* as the paper's base gives it; NULL = none */
    int draw;          /* enum plot_style; -1 = what the kind has */
    char *base;        /* the file of shared variants, as written; NULL = none */
    char *published;   /* path of the file with published values (published.h); NULL = none */
    enum plan_kind kind;
    bool geometric;                /* means of ratios; arithmetic if not */
    bool skip_empty;               /* no value where the metric's divisor is 0; 0 if not */
    struct inifile_words programs; /* as written */
    struct inifile_words variants; /* names, in the order of the figure */
    struct inifile_words means;    /* groups over which to average */
    struct inifile_words plugins;  /* paths of plugins whose policies the variants use; not loaded yet */
    struct inifile_words parts;    /* INTERACTIONS: variants that are combined */
    struct inifile_words order;    /* the paper's programs, in its order; from the base */
    struct inifile_words first;    /* "KMN:1": the paper simulates only so many launches of it */
    VEC(struct plan_variant) variant;
    VEC(struct plan_axis) sweep;      /* become variants */
    VEC(struct plan_program) program; /* those that are described; others are files or of the suite */
    struct plan_statistics explain;
    char *study_title, *study_lead; /* of the page that the figure is on; NULL = none */
    struct inifile_place at, normalize_at, metric_at, maximize_at, machine_at, number_at, cflags_at, base_at,
        published_at;
    VEC(char *) text; /* paths that places point to */
};

int plan_read(struct plan *, const char *path, struct err *);
/* The same for a plan that was filled in by other means (zeroed, then `path` for the names of its files, and so on):
 * makes variants of axes, checks, and sets defaults. On failure the plan is freed. */
int plan_complete(struct plan *, struct err *);
void plan_free(struct plan *);
/* The program of one's own of that name; NULL = it is not described. */
const struct plan_program *plan_own_program(const struct plan *, const char *name);
/* "label % = metric" */
void plan_add_statistic(struct plan_statistics *, const struct inifile_item *);
void plan_free_statistics(struct plan_statistics *);
/* The variant of that name; NULL = there is none. */
const struct plan_variant *plan_find(const struct plan *, const char *name);
/* What each program needs: whether its variants are simulated, whether its loads are analyzed (profile/analyze.h). */
bool plan_simulates(const struct plan *);
bool plan_analyses(const struct plan *);
/* How many launches of the paper's program are simulated; 0 = all. */
unsigned plan_launches(const struct plan *, const char *label);
/* The name of a combination of parts: "apcm+cart"; "" = of none. */
enum { PLAN_NAME_BYTES = 256, PLAN_PARTS = 6 };
void plan_combination(const struct plan *, unsigned mask, char out[PLAN_NAME_BYTES]);
/* The path of a file that the plan names: beside it, unless the name begins with a slash. Owned by the caller. */
char *plan_beside(const struct plan *, const char *name);
/* The machine of a plan: a file beside it, unless a word of the command line (at.file is NULL) names it. Owned by
 * the caller. */
char *plan_machine(const struct plan *, const char *machine, struct inifile_place at);
/* What the figure's files are called: "fig12", or the plan's file name without .ini. */
void plan_stem(const struct plan *, char out[64]);
/* What the variant is called in figures. */
const char *plan_label(const struct plan_variant *);
/* The machine of a variant (NULL = of none): its own, or the plan's. */
const char *plan_machine_of(const struct plan *, const struct plan_variant *);
/* By which variant `v` is divided; NULL = values are not divided. */
const struct plan_variant *plan_divisor(const struct plan *, const struct plan_variant *v);

#endif
