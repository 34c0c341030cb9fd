/*
 * In which form a cached loop is written.
 *
 * The run form hands one turn of the loop to the library as a lambda, and the library makes the slices:
 * one copy of the body in the text, a specialized one per slice in the program. Slices in the text are for what a
 * lambda cannot hold: barriers that all slices must meet, returns from the kernel. The scan form is for loops that
 * visit consecutive elements once each (scan.h).
 */
#ifndef WEIR_TRANSFORM_FORMS_H
#define WEIR_TRANSFORM_FORMS_H

#include "transform/units.h"

/* Sets the form of the unit, and what that form needs to know. */
void forms_choose(struct unit *, const struct pointers *, struct calls *, const struct swcache_options *);

#endif
