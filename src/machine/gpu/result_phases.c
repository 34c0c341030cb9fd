/* The course of policies that work in phases: how many SMs are in which phase, over the run, in few numbers. */
#include "gpu/result_priv.h"

#include <string.h>

enum { BINS = 100 };

/* Adds the cycles from `from` to `to` to the bins that they overlap. */
static void spread(uint64_t bin[BINS], uint64_t from, uint64_t to, uint64_t width)
{
    for (uint64_t b = from / width; b < BINS && b * width < to; b++) {
        uint64_t first = from > b * width ? from : b * width, end = to < (b + 1) * width ? to : (b + 1) * width;
        bin[b] += end - first;
    }
}

static json_t *bins_json(const uint64_t bin[BINS])
{
    json_t *all = json_array();
    for (unsigned b = 0; b < BINS; b++)
        json_array_append_new(all, json_integer((json_int_t)bin[b]));
    return all;
}

/* The SM-cycles of one phase of one policy. Records come by SM and time: each lasts until the next one's, or the end.
 */
static json_t *course(const struct gpu_results *r, const char *policy, const char *phase, uint64_t width, uint64_t end)
{
    uint64_t bin[BINS] = {0};
    for (unsigned i = 0; i < r->n_phase; i++) {
        const struct gpu_phase *p = &r->phase[i], *next = i + 1 < r->n_phase ? p + 1 : NULL;
        if (strcmp(p->policy, policy) || strcmp(p->phase, phase))
            continue;
        spread(bin, p->cycle, next && next->sm == p->sm && !strcmp(next->policy, policy) ? next->cycle : end, width);
    }
    return bins_json(bin);
}

json_t *result_timelines_json(const struct gpu_results *r, uint64_t cycles, uint32_t sms)
{
    json_t *all = json_object();
    const uint64_t width = (cycles + BINS - 1) / BINS;
    for (unsigned i = 0; i < r->n_phase && width; i++) {
        const struct gpu_phase *p = &r->phase[i];
        json_t *line = json_object_get(all, p->policy);
        if (!line) {
            line = json_pack("{s:I,s:I,s:i,s:{}}", "cycles", (json_int_t)cycles, "bin_cycles", (json_int_t)width, "sms",
                             (int)sms, "phases");
            json_object_set_new(all, p->policy, line);
        }
        json_t *phases = json_object_get(line, "phases");
        if (!json_object_get(phases, p->phase))
            json_object_set_new(phases, p->phase, course(r, p->policy, p->phase, width, cycles));
    }
    return all;
}
