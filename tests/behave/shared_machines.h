/* Machines and organizations of L1s that answer each other, for the tests of shared L1s. */
#ifndef WEIR_BEHAVE_SHARED_MACHINES_H
#define WEIR_BEHAVE_SHARED_MACHINES_H

#include "memsys.h"

#include <stdio.h>

/* ---- machines ---- */
struct machine {
    const char *name;
    uint32_t n_sm, n_channel;
    const char *noc;
};
static const struct machine machines[] = {
    {"mesh28", 28, 8, "topology = mesh\ncore_to_core = direct\nwidth = 6\nheight = 6\n"},
    {"mesh64", 56, 8, "topology = mesh\ncore_to_core = direct\nwidth = 8\nheight = 8\n"},
    {"mesh100", 84, 16, "topology = mesh\ncore_to_core = direct\nwidth = 10\nheight = 10\n"},
    {"bfly36", 28, 8, "core_to_core = direct\ncore_network = butterfly\ncore_radix = 6\ncore_stages = 2\n"},
    {"bfly64", 48, 16, "core_to_core = direct\ncore_network = butterfly\ncore_radix = 4\ncore_stages = 3\n"},
    {"crossbar", 28, 8, "core_to_core = direct\n"},
    {"crossbar via the L2", 28, 8, "core_to_core = via-l2\n"},
};
enum { MESHES = 3, MACHINES = sizeof machines / sizeof *machines };

#define CHANGES "[dyneb]\nsample = 3\nexecute = 12\n"
static const struct organization {
    const char *name, *text; /* text: after [l1], beside the name */
    bool nearest;            /* Min(H, L2): where the L2 is a crossbar away, no home is nearer */
} organizations[] = {
    {"private", "", false},
    {"shared", "", false},
    {"shared+chunk", "", false},
    {"shared++", "", true},
    {"zero-cost", "", false},
    {"dyneb", CHANGES, true},
    {"dyneb", CHANGES "replace_leftovers_first = yes\nnearest = no\n", false},
    {"dyneb", CHANGES "threshold = 0\n", true},
    {"dynamat", "[dynamat]\nsample = 3\nexecute = 12\nthreshold = 0\n", true},
};
enum { ORGANIZATIONS = sizeof organizations / sizeof *organizations };

static inline struct memsys *machine(const struct machine *m, const struct organization *o, const char *l1,
                                     const char *noc, struct memsys_config c)
{
    static char text[2000];
    snprintf(text, sizeof text,
             "[noc]\n%s%s[l2]\nline_metadata = yes\nwrite_miss = fetch\nsize = 128KiB\nassoc = 8\n"
             "[l1]\nset_hash = linear\nwrite_global = through\n%sorganization = %s\n%s",
             m->noc, noc, l1, o->name, o->text);
    c.n_sm = m->n_sm;
    c.n_channel = m->n_channel;
    c.slices = 1;
    c.core_khz = 1400000;
    c.noc_khz = c.l2_khz = 700000;
    c.dram_khz = 924000;
    c.config = text;
    return memsys_new(&c);
}

static inline void drive(struct memsys *m, shot_source source, void *ctx)
{
    for (uint32_t i = 0; i < m->c.n_sm; i++)
        memsys_source(m, i, source, ctx);
}
/* The address of line `set` of the 4 KiB block that SM `home` is the home of. */
static inline uint64_t addr_of(uint32_t home, uint32_t set)
{
    return (uint64_t)home * 4096 + set * 128;
}

#endif
