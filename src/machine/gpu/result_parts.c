/*
 * How single SMs, L2 slices, DRAM channels and banks were used over time, in few numbers: the member "parts" of a
 * profile's document. The run is cut into BINS of equal length; a sample is spread over the bins that it overlaps.
 */
#include "gpu/gpu_priv.h"
#include "gpu/parts.h"
#include "gpu/result_priv.h"

#include <math.h>

enum { BINS = 64, MOST_ROWS = 256 };

/* A map: the sum of two counters over a third or over time, in thousandths. */
struct map {
    const char *name, *of, *title;
    unsigned top, top2, bottom; /* enum part; top2 = top: one counter; bottom = top: per core cycle */
};
static const struct map maps[] = {
    {"sm_issue", "SM", "issue slots used", PART_SM_ISSUE, PART_SM_ISSUE, PART_SM_SLOTS},
    {"sm_memory", "SM", "issue slots that wait for memory", PART_SM_STALL + SM_STALL_MEM, PART_SM_STALL + SM_STALL_LSU,
     PART_SM_SLOTS},
    {"l2_slice", "slice", "L2 accesses in 1000 core cycles", PART_L2_ACCESSES, PART_L2_ACCESSES, PART_L2_ACCESSES},
    {"dram_channel", "channel", "DRAM bus in use", PART_DRAM_DATA, PART_DRAM_DATA, PART_DRAM_CYCLES},
    {"dram_bank", "bank", "bursts in 1000 core cycles", PART_BANK_BURSTS, PART_BANK_BURSTS, PART_BANK_BURSTS}};

/* Adds to each bin its part of `v`, which was counted in the cycles from `from` to `to`. */
static void spread(double bin[BINS], double v, double from, double to, double width)
{
    for (unsigned b = (unsigned)(from / width); b < BINS && b * width < to; b++) {
        const double first = fmax(from, b * width), end = fmin(to, (b + 1) * width);
        bin[b] += end > first ? v * (end - first) / (to - from) : 0;
    }
}

/* One row: `n` neighbors from the first on. */
static json_t *row_json(const struct gpu *g, const struct gpu_results *r, const struct map *m, unsigned first,
                        unsigned n, double width)
{
    double top[BINS] = {0}, bottom[BINS] = {0}, from = 0;
    unsigned all;
    const unsigned a = parts_of(g->parts, m->top, &all), b = parts_of(g->parts, m->top2, &all),
                   c = parts_of(g->parts, m->bottom, &all);
    for (unsigned i = 0; i < r->n_sample; i++) {
        const uint64_t *v = r->sample[i].part;
        const double to = (double)r->sample[i].cycle;
        double above = 0, below = 0;
        for (unsigned k = first; k < first + n; k++) {
            above += (double)(v[a + k] + (m->top2 != m->top ? v[b + k] : 0));
            below += m->bottom != m->top ? (double)v[c + k] : to - from;
        }
        spread(top, above, from, to, width);
        spread(bottom, below, from, to, width);
        from = to;
    }
    json_t *row = json_array();
    for (unsigned i = 0; i < BINS; i++)
        json_array_append_new(row, json_integer(bottom[i] > 0 ? llround(1000 * top[i] / bottom[i]) : 0));
    return row;
}

json_t *result_parts_json(const struct gpu *g, const struct gpu_results *r)
{
    json_t *all = json_array();
    const double width = (double)r->sample[r->n_sample - 1].cycle / BINS;
    for (unsigned i = 0; i < sizeof maps / sizeof *maps; i++) {
        unsigned n;
        parts_of(g->parts, maps[i].top, &n);
        const unsigned joined = (n + MOST_ROWS - 1) / MOST_ROWS;
        json_t *rows = json_array();
        for (unsigned k = 0; k < n; k += joined)
            json_array_append_new(rows, row_json(g, r, &maps[i], k, k + joined < n ? joined : n - k, width));
        json_array_append_new(all, json_pack("{s:s,s:s,s:s,s:i,s:o}", "name", maps[i].name, "of", maps[i].of, "title",
                                             maps[i].title, "joined", (int)joined, "thousandths", rows));
    }
    return json_pack("{s:f,s:o}", "bin_cycles", width, "maps", all);
}
