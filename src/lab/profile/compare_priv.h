/* Inside the comparisons: the numbers that the texts and the page show alike. */
#ifndef WEIR_PROFILE_COMPARE_PRIV_H
#define WEIR_PROFILE_COMPARE_PRIV_H

#include "base/mem.h"
#include "profile/compare.h"

double compare_number(const json_t *, const char *name); /* 0 where there is none */
bool compare_has(const json_t *, const char *name);
const char *compare_count(char out[24], double);              /* "12.3 k" */
const char *compare_change(char out[24], double a, double b); /* "+12.3%", "same", "new" */

/* Issue and every stall reason, in core cycles; the largest difference first. */
struct compare_reason {
    const char *name; /* "memory"; "issue" */
    double a, b;
};
struct compare_reasons {
    VEC(struct compare_reason) r;
};
void compare_read_reasons(const json_t *a, const json_t *b, struct compare_reasons *);
/* How many of them are shown: those above the threshold, and the largest in any case. */
size_t compare_reasons_shown(const struct compare_reasons *, double cycles_a, double threshold);

/* Statistics that explain time in the memory hierarchy. */
enum { COMPARE_TEXT = 32 };
struct compare_row {
    char label[48], a[COMPARE_TEXT], b[COMPARE_TEXT], change[COMPARE_TEXT];
};
struct compare_rows {
    VEC(struct compare_row) row;
};
/* Those of the memory hierarchy that changed by more than the threshold, then those of policies. */
void compare_take_statistics(const json_t *a, const json_t *b, double threshold, struct compare_rows *);
void compare_take_policies(const json_t *a, const json_t *b, double threshold, struct compare_rows *);

/* All launches of a kernel, summed, by the name of the kernel; the largest difference in cycles first. */
struct compare_kernel {
    const char *name;
    json_t *sum[2];
    double launches[2];
};
struct compare_kernels {
    VEC(struct compare_kernel) k;
};
void compare_take_kernels(const json_t *a, const json_t *b, struct compare_kernels *);
void compare_free_kernels(struct compare_kernels *);

#endif
