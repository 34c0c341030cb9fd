/* See sram.h. */
#include "energy/sram.h"

#include <math.h>

#define FITTED_NM 45.0

/* Energy of an access in pJ, for `b` bits of capacity, `a` sensed and `o` sent out. */
struct fit {
    double fixed, sensed, wires, tree, tree_out, tree_bits; /* the last two are exponents */
};
static const struct fit read_fit = {0.325, 1.2e-6, 5.80e-5, 4.21e-4, 0.256, 0.742};
static const struct fit write_fit = {0.261, 5.15e-3, 2.07e-6, 6.03e-4, 0.905, 0.494};

static double access_pj(const struct fit *f, double b, double a, double o)
{
    return f->fixed + f->sensed * a + f->wires * a * o + f->tree * pow(o, f->tree_out) * pow(b, f->tree_bits);
}

/*
 * From one node to another. Areas go with its square. CACTI's energies at 65, 40 and 32 nm follow the power of 1.7,
 * between that of a capacitance (1) and that with a supply voltage in proportion (3). Leakage falls alike below 45 nm,
 * and hardly rises above, where gates are thicker.
 */
static double scaled(double value, double node_nm, double power)
{
    return value * pow(node_nm / FITTED_NM, power);
}

struct sram_cost sram_cost(const struct sram *s)
{
    struct sram_cost c = {0};
    if (s->bits <= 0)
        return c;
    double node = s->node_nm > 0 ? s->node_nm : FITTED_NM;
    /* Each further port adds word and bit lines: a cell half as wide and high again. CACTI: area 2.1 to 2.8 times,
     * energy 1.2 to 1.4 times, leakage 1.2 to 1.6 times. */
    double further = s->ports > 1 ? s->ports - 1 : 0;
    double b = s->bits, a = fmin(s->active, b), o = fmin(s->out, a);
    double area = 3.72e-7 * b + 1.03e-5 * a + 7.71e-8 * a * o + 1.55e-9 * pow(b, 1.285);
    double leak = 1.44e-4 * b + 2.07e-3 * a;
    c.read_pj = scaled(access_pj(&read_fit, b, a, o), node, 1.7) * (1 + 0.3 * further);
    c.write_pj = scaled(access_pj(&write_fit, b, a, o), node, 1.7) * (1 + 0.3 * further);
    c.leak_mw = scaled(leak, node, node < FITTED_NM ? 1.7 : 0.3) * (1 + 0.3 * further);
    c.area_mm2 = scaled(area, node, 2) * pow(1 + 0.5 * further, 2);
    return c;
}

struct sram sram_table(double entries, double bits, double node_nm)
{
    return (struct sram){.bits = entries * bits, .active = bits, .out = bits, .node_nm = node_nm};
}

struct sram sram_tags(double lines, double ways, double tag_bits, double node_nm)
{
    return (struct sram){.bits = lines * tag_bits, .active = ways * tag_bits, .out = ways, .node_nm = node_nm};
}

struct sram sram_data(double bits, double out, double node_nm)
{
    return (struct sram){.bits = bits, .active = out, .out = out, .node_nm = node_nm};
}
