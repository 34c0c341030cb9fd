/*
 * Two sets of results side by side: runs of a suite, rows of a result store, the figures' values in two folders of
 * reports. What has the same name in both is compared; what only one has is counted.
 */
#ifndef WEIR_PROFILE_COMPARE_MANY_H
#define WEIR_PROFILE_COMPARE_MANY_H

#include "base/mem.h"
#include "profile/compare.h"

struct compare_item {
    char *name;
    json_t *total; /* of a run; NULL: a value of a figure */
    double value;
};
struct compare_set {
    VEC(struct compare_item) item;
};

/* Takes over `total`. */
void compare_set_add(struct compare_set *, const char *name, json_t *total, double value);
void compare_set_free(struct compare_set *);
/* The programs of weir suite run --json. -1: *e. */
int compare_set_of_suite(struct compare_set *, const json_t *doc, const char *path, struct err *);
/* The values in the figures' CSV files of a folder that weir sweep or weir reproduce wrote. -1: *e. */
int compare_set_of_folder(struct compare_set *, const char *folder, struct err *);

/* -1: they have nothing in common; *e says so. */
int compare_many_print(const struct compare_set *a, const struct compare_set *b, const char *name_a, const char *name_b,
                       const struct compare_opts *, FILE *, struct err *);

#endif
