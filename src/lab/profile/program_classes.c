/* The criteria; see program_classes.h. */
#include "profile/program_classes.h"

#include "base/nearest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const struct class_point_def class_point_def[CLASS_POINT_COUNT] = {
#define X(name, machine, set, doc) {machine, set},
    CLASS_POINTS(X)
#undef X
};

const char *const class_paper_key[CLASS_PAPERS] = {"apcm", "cart", "sharedl1"};

unsigned class_papers(const char *names, struct err *e)
{
    unsigned set = 0;
    for (const char *from = names, *end; *from; from = *end ? end + 1 : end) {
        unsigned found = 0;
        end = from + strcspn(from, ",");
        for (unsigned p = 0; p < CLASS_PAPERS; p++)
            if (strlen(class_paper_key[p]) == (size_t)(end - from) &&
                !strncmp(class_paper_key[p], from, (size_t)(end - from)))
                found = 1u << p;
        if (!found) {
            char word[32];
            snprintf(word, sizeof word, "%.*s", (int)(end - from), from);
            err_set(e, "the paper '%s' defines no classes", word);
            err_hint_names(e, word, class_paper_key, CLASS_PAPERS);
            return 0;
        }
        set |= found;
    }
    return set;
}

enum class_paper class_point_paper(enum class_point p)
{
    return p <= CLASS_APCM_128 ? CLASS_OF_APCM : p == CLASS_CART ? CLASS_OF_CART : CLASS_OF_SHAREDL1;
}

const char *class_of(enum class_paper p, const struct class_measures *m)
{
    switch (p) {
    case CLASS_OF_APCM:
        return isnan(m->l1_speedup) ? NULL : m->l1_speedup > 1.5 ? "CS" : fabs(m->l1_speedup - 1) < 0.1 ? "CI" : "CM";
    case CLASS_OF_CART:
        return isnan(m->insts_per_l2_miss) ? NULL : m->insts_per_l2_miss < 1500 ? "memory" : "compute";
    case CLASS_OF_SHAREDL1:
        if (isnan(m->replication) || isnan(m->miss_rate) || isnan(m->sixteenfold_speedup))
            return NULL;
        return m->replication > 0.1 && m->miss_rate > 0.5 && m->sixteenfold_speedup > 1.05 ? "friendly" : "not";
    default:
        return NULL;
    }
}

enum class_verdict class_compare(const char *computed, const char *said, char *out, size_t bytes)
{
    const char *open = said ? strrchr(said, '(') : NULL, *close = open ? strchr(open, ')') : NULL;
    snprintf(out, bytes, "%.*s", close ? (int)(close - open - 1) : 0, close ? open + 1 : "");
    if (!computed || !*out)
        return CLASS_UNSAID;
    return strcmp(computed, out) ? CLASS_DISAGREES : CLASS_AGREES;
}
