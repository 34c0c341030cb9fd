/* Inside the laboratory: the pictures of a profile's page, each with its heading, caption and data. */
#ifndef WEIR_LAB_PROFILE_FIGURES_H
#define WEIR_LAB_PROFILE_FIGURES_H

#include "lab/profile.h"

void profile_draw_stalls(const struct profile *, FILE *page);
void profile_draw_time(const struct profile *, FILE *page);
void profile_draw_roofline(const struct profile *, FILE *page);

#endif
