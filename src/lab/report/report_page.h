/* Inside the laboratory: report.html. */
#ifndef WEIR_REPORT_REPORT_PAGE_H
#define WEIR_REPORT_REPORT_PAGE_H

#include "report/report.h"

/* A claim about a figure, judged. */
struct report_claim {
    const struct claim *claim;
    struct assessment judged;
    char published[48];
    bool geometric; /* its figure's means */
};

/* One figure's section. `svg` NULL: there is no picture. */
void report_page_figure(FILE *, const struct report *, struct lab *, struct lab_figure *, const char *svg,
                        size_t svg_bytes, const struct report_claim *, size_t n_claim);
/* The page around the sections. */
void report_page(FILE *, const struct report *, const struct lab *, const struct report_claim *, size_t n_claim,
                 const char *sections);

#endif
