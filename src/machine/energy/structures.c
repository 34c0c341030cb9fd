/* See structures.h. */
#include "energy/structures.h"

#include <math.h>
#include <stdio.h>

#define ADDRESS_BITS 40 /* of a GPU's physical addresses since Fermi */
#define STATE_BITS   2  /* of a line: valid, dirty */
#define WAITER_BITS  16 /* of a request that waits in an MSHR: warp, lanes' register, place in the line */

/* ---- numbers of the configuration ---- */

struct wanted {
    const struct cfg *cfg;
    const char *key;
    double value;
};

static void on_value(void *ctx, const struct cfg_value *v)
{
    struct wanted *w = ctx;
    if (strcmp(v->key, w->key))
        return;
    const char *at = (const char *)cfg_section(w->cfg, v->section) + v->field->offset;
    switch (v->field->type) {
    case CFG_BYTES:
    case CFG_FREQ:
        w->value = (double)*(const uint64_t *)(const void *)at;
        break;
    case CFG_BOOL:
        w->value = *(const bool *)(const void *)at;
        break;
    default:
        w->value = (double)*(const uint32_t *)(const void *)at;
    }
}

static double number(const struct cfg *c, const char *section, const char *key)
{
    char full[96];
    snprintf(full, sizeof full, "%s.%s", section, key);
    struct wanted w = {c, full, 0};
    cfg_each(c, on_value, &w);
    return w.value;
}

void energy_machine_of(const struct cfg *c, struct energy_machine *m)
{
    *m = (struct energy_machine){
        .sms = number(c, "machine", "sms"),
        .channels = number(c, "memory", "channels"),
        .core_hz = number(c, "clock", "core"),
        .noc_hz = number(c, "clock", "noc"),
        .l2_hz = number(c, "clock", "l2"),
        .dram_hz = number(c, "clock", "dram"),
        .l1_bytes = number(c, "l1", "line"),
        .const_bytes = number(c, "const", "line"),
        .tex_bytes = number(c, "tex", "line"),
        .l2_bytes = number(c, "l2", "split_sectors") > 0 ? 32 : number(c, "l2", "line"),
        .burst_bytes = number(c, "dram", "bus_bytes") * number(c, "dram", "chips") * number(c, "dram", "burst"),
        .flit_bytes = number(c, "noc", "flit"),
    };
    m->slices = m->channels * number(c, "memory", "slices_per_channel");
    m->chips = m->channels * number(c, "dram", "chips");
}

/* ---- structures ---- */

static void add(energy_structures *all, const char *name, const char *part, struct sram s, double instances)
{
    struct energy_structure x = {.sram = s, .cost = sram_cost(&s), .instances = instances};
    snprintf(x.name, sizeof x.name, "%s%s%s", name, *part ? "." : "", part);
    VEC_PUSH(all, x);
}

static void add_cache(energy_structures *all, const struct cfg *c, const char *name, double out_bytes, double instances,
                      double node)
{
    double size = number(c, name, "size"), line = number(c, name, "line"), ways = number(c, name, "assoc");
    double lines = size / line, tag = ADDRESS_BITS - log2(size / ways) + STATE_BITS;
    double waiting = ADDRESS_BITS - log2(line) + WAITER_BITS * number(c, name, "max_merges");
    add(all, name, "tag", sram_tags(lines, ways, tag, node), instances);
    add(all, name, "data", sram_data(size * 8, out_bytes * 8, node), instances);
    add(all, name, "mshr", sram_table(number(c, name, "mshrs"), waiting, node), instances);
}

struct sram energy_policy_sram(const struct policy_cost *row, double node_nm)
{
    struct sram s = sram_table(row->entries, row->bits, node_nm);
    if (row->side_by_side > 1) { /* what leaves is which of them matched */
        s.active = (double)row->side_by_side * row->bits;
        s.out = row->side_by_side;
    }
    return s;
}

static void add_policies(energy_structures *all, const struct cfg_schema *schema, const struct cfg *c,
                         const struct energy_machine *m, double node)
{
    for (unsigned k = 0; k < schema->n_kind; k++) {
        const struct policy_kind *kind = schema->kind[k];
        const char *chosen = cfg_chosen(c, kind->name);
        int at = chosen ? policy_find(kind, chosen) : -1;
        const struct policy_info *p = at < 0 ? NULL : kind->policy[at];
        if (!p || !p->cost)
            continue;
        struct policy_cost row[POLICY_COSTS];
        unsigned n = p->cost(c, cfg_policy_params(c, kind->name, (unsigned)at), row);
        for (unsigned i = 0; i < n; i++) {
            if (!row[i].bits || !row[i].entries)
                continue;
            add(all, p->name, row[i].structure, energy_policy_sram(&row[i], node),
                strncmp(kind->key, "l2.", 3) ? m->sms : m->slices);
            struct energy_structure *s = &all->p[all->n - 1];
            s->policy = p;
            s->reads = row[i].reads;
            s->writes = row[i].writes;
        }
    }
}

void energy_structures_of(const struct cfg_schema *schema, const struct cfg *c, double node, energy_structures *all)
{
    struct energy_machine m;
    energy_machine_of(c, &m);
    double icache_bits = number(c, "icache", "size") * 8;
    add(all, "icache", "", sram_data(icache_bits, number(c, "icache", "line") * 8, node), m.sms);
    add_cache(all, c, "l1", m.l1_bytes, m.sms, node);
    if (number(c, "const", "enabled") > 0)
        add_cache(all, c, "const", m.const_bytes, m.sms, node);
    if (number(c, "tex", "enabled") > 0)
        add_cache(all, c, "tex", m.tex_bytes, m.sms, node);
    add_cache(all, c, "l2", m.l2_bytes, m.slices, node);
    add(all, "noc", "buffer", sram_table(number(c, "noc", "vc_flits"), m.flit_bytes * 8, node), 0);
    add_policies(all, schema, c, &m, node);
}
