/*
 * The axes of a sweep: machines, policies and parameters, each with the values it takes. A plan that has axes instead
 * of variants gets one variant for each combination of their values, the last axis changing fastest:
 *
 *     [sweep]
 *     machine = gtx480 gtx780            ; as --gpu
 *     with    = baseline                 ; as --with, one line for each choice; baseline: the machine's own policies
 *     with    = apcm,cart
 *     set     = l1.size: 16KiB 32KiB     ; as --set, a line for each parameter
 *     set     = l1.mshrs: 8..64*2        ; 8 16 32 64; with + the step is added
 *
 *     set     = swl.limit: 2 4           ; a policy's: combinations that have not chosen it do without, and come once
 *
 * The command line of `weir sweep` says the same. Left out: values that depend on each other; write variants for them.
 */
#ifndef WEIR_STUDY_AXES_H
#define WEIR_STUDY_AXES_H

#include "study/plan.h"

/* An item of [sweep]. */
int axes_read(struct plan *, const struct inifile_item *, struct err *);
/* One choice of policies, or values of a machine or a parameter separated by blanks or commas; ranges are written out.
 * Those of a parameter that is there already are added to it. `at.file` may be NULL: a word of the command line. */
int axes_add(struct plan *, enum plan_axis_kind, const char *key, const char *values, struct inifile_place at,
             struct err *);
/* Makes the variants. */
int axes_expand(struct plan *, struct err *);

#endif
