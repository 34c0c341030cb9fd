/*
 * Similarity of documents to a query: documents are stored as signatures of bytes, one after the other; each thread
 * scores one document (sum of absolute differences and number of equal features).
 */
#ifndef SIMSCORE_PROBLEM_H
#define SIMSCORE_PROBLEM_H

#include "../common.h"

struct score {
    unsigned difference, equal;
};

struct problem {
    const unsigned char *documents; /* count * features */
    const unsigned char *query;
    int count, features;
    score *scores;
};

#endif
