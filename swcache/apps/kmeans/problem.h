/*
 * The assignment step of k-means over points stored one after the other: each thread finds the nearest center of its
 * points. The number of dimensions is a parameter of the run (APP_DIMENSIONS in the environment; 34 unless told),
 * because what a cache can do depends on it.
 */
#ifndef KMEANS_PROBLEM_H
#define KMEANS_PROBLEM_H

#include "../common.h"

enum { CENTERS = 5 };

struct problem {
    const float *points;  /* count * dimensions */
    const float *centers; /* CENTERS * dimensions */
    int count, dimensions, per_thread;
    int *nearest; /* per point */
};

#endif
