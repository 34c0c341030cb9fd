/*
 * What a person reads: tables and verdicts on the screen, and a folder with report.html (one file that holds all),
 * report.md, the tables and the pictures.
 */
#ifndef WEIR_REPORT_REPORT_H
#define WEIR_REPORT_REPORT_H

#include "report/published.h"

struct report {
    const char *title, *folder; /* folder: NULL = nothing is written */
    const char *size;
    const char *command;                  /* as it was typed; NULL = not known */
    const char *formats;                  /* of pictures beside SVG, as in plot.h; NULL = none */
    const struct claims *claims;          /* NULL = none */
    const struct earlier_claims *earlier; /* what another run found of the claims; NULL = none given */
    FILE *all_claims;                     /* the claims' rows also go here (claim_table.h); NULL = nowhere */
    unsigned *verdict; /* how many claims got which (VERDICT_NOT_JUDGED + 1), added up; NULL = not wanted */
};
/* Makes the folder. -1: *e; what cannot be drawn is said at the end, after everything else is written. */
int report_write(struct lab *, const struct report *, FILE *screen, struct err *);
/* Before hours of simulations: makes the folder and sees whether the report can be written into it. */
int report_check(const char *folder, struct err *);
/* Creates a folder for a report, and those above it. */
int report_folder(const char *path, struct err *);

/* ---- for the page ---- */
/* The page with the profile behind a value, from the report's folder on; NULL = there is none. Owned by the caller. */
char *report_profile(const struct report *, const struct point *);
/* The page's title: the study's own, or the paper's. Owned by the plans. */
const char *report_title(const struct lab *, const struct report *);
/* What the results rest on, in sentences: version, commit, model, machines, size, flags. Owned by the caller. */
char *report_origin(const struct lab *, const struct report *);

#endif
