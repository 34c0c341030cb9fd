/* See parts.h. */
#include "gpu/parts.h"

#include "gpu/gpu_priv.h"

enum { PART_COUNT = PART_SM_STALL + SM_STALL_COUNT };

struct parts {
    unsigned n; /* values of a reading */
    struct {
        int stat; /* -1 = none */
        unsigned first, n;
    } part[PART_COUNT];
};

struct parts *parts_new(const struct gpu *g)
{
    static const char *const stat[PART_COUNT] = {
#define X(name, text) [PART_##name] = text,
        PARTS(X)
#undef X
#define X(name, text, doc) [PART_SM_STALL + SM_STALL_##name] = "sm.stall." text,
            SM_STALLS(X)
#undef X
    };
    struct parts *p = xcalloc(1, sizeof *p);
    for (unsigned i = 0; i < PART_COUNT; i++) {
        const int at = stat[i] ? stats_find(g->stats, stat[i]) : -1;
        p->part[i].stat = at;
        p->part[i].first = p->n;
        p->part[i].n = at < 0 ? 0 : stats_read_each(g->stats, (unsigned)at, NULL);
        if (i == PART_BANK_BURSTS)
            p->part[i].n = g->memory->channels * dram_bank_bursts(g->dram[0], NULL);
        p->n += p->part[i].n;
    }
    return p;
}

void parts_free(struct parts *p)
{
    free(p);
}

unsigned parts_values(const struct parts *p)
{
    return p->n;
}

void parts_read(const struct parts *p, const struct gpu *g, uint64_t *out)
{
    for (unsigned i = 0; i < PART_COUNT; i++)
        if (p->part[i].stat >= 0)
            stats_read_each(g->stats, (unsigned)p->part[i].stat, out + p->part[i].first);
    uint64_t *bank = out + p->part[PART_BANK_BURSTS].first;
    for (unsigned c = 0; c < g->memory->channels; c++)
        bank += dram_bank_bursts(g->dram[c], bank);
}

unsigned parts_of(const struct parts *p, unsigned part, unsigned *n)
{
    *n = p->part[part].n;
    return p->part[part].first;
}
