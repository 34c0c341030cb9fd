/* Inside the laboratory: the pictures of a profile's page, each with its heading, caption and data. */
#ifndef WEIR_PROFILE_PROFILE_FIGURES_H
#define WEIR_PROFILE_PROFILE_FIGURES_H

#include "profile/profile.h"

/* Is it the energy of a component: "energy.l1_data_j" -> "l1 data". */
bool profile_energy_component(const char *key, char name[64]);

/* `first`: filled where a picture could not be drawn and none was missing before (its message was ""). */
void profile_draw_stalls(const struct profile *, FILE *page, struct err *first);
void profile_draw_timeline(const struct profile *, FILE *page);
void profile_draw_time(const struct profile *, FILE *page, struct err *first);
void profile_draw_roofline(const struct profile *, FILE *page, struct err *first);

#endif
