/*
 * energy/: the SRAM model against CACTI, coefficient files, and totals that were worked out by hand.
 *
 * Usage: energy_test CACTI.tsv CONFIGS-FOLDER
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/mem.h"
#include "energy/sram.h"
#include "gpu/energy.h"
#include "gpu/gpu_config.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

static const char *cacti_file, *configs;

/* ---- SRAM ---- */

struct array {
    char kind[8];
    double bytes, line, ways, read_pj, write_pj, leak_mw, area_mm2;
};

/* What the model says of it, in CACTI's way: a cache is its tags and its data. */
static struct sram_cost modeled(const struct array *a)
{
    struct sram data = sram_data(a->bytes * 8, a->line * 8, 45);
    struct sram_cost c = sram_cost(&data);
    if (!strcmp(a->kind, "cache")) {
        double sets = a->bytes / (a->line * a->ways);
        struct sram tags = sram_tags(sets * a->ways, a->ways, 42 - log2(sets * a->line) + 2, 45);
        struct sram_cost t = sram_cost(&tags);
        c.read_pj += t.read_pj;
        c.write_pj += t.write_pj;
        c.leak_mw += t.leak_mw;
        c.area_mm2 += t.area_mm2;
    }
    return c;
}

static bool read_array(FILE *f, struct array *a)
{
    char line[256];
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "%7s %lf %lf %lf %lf %lf %lf %lf", a->kind, &a->bytes, &a->line, &a->ways, &a->read_pj,
                   &a->write_pj, &a->leak_mw, &a->area_mm2) == 8)
            return true;
    return false;
}

static bool near(double ours, double theirs, double part)
{
    return fabs(ours / theirs - 1) <= part;
}

/* The caches and tables of the machines: each within 20% of CACTI in energy, leakage and area. */
static void sizes_of_machines_are_as_in_cacti(void **state)
{
    (void)state;
    static const struct {
        const char *kind;
        double bytes, line, ways;
    } wanted[] = {{"ram", 256, 4, 1},        {"ram", 512, 4, 1},        {"ram", 1024, 8, 1},
                  {"ram", 2048, 8, 1},       {"ram", 4096, 8, 1},       {"ram", 2048, 16, 1},
                  {"ram", 4096, 64, 1},      {"ram", 8192, 128, 1},     {"cache", 8192, 64, 8},
                  {"cache", 8192, 128, 2},   {"cache", 8192, 128, 4},   {"cache", 16384, 128, 4},
                  {"cache", 65536, 128, 8},  {"cache", 131072, 128, 8}, {"cache", 131072, 128, 16},
                  {"cache", 262144, 64, 16}, {"cache", 524288, 64, 16}};
    FILE *f = fopen(cacti_file, "r");
    assert_non_null(f);
    unsigned found = 0;
    for (struct array a; read_array(f, &a);)
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
            if (!strcmp(a.kind, wanted[i].kind) && a.bytes == wanted[i].bytes && a.line == wanted[i].line &&
                a.ways == wanted[i].ways) {
                struct sram_cost c = modeled(&a);
                found++;
                if (!near(c.read_pj, a.read_pj, .2) || !near(c.write_pj, a.write_pj, .2) ||
                    !near(c.leak_mw, a.leak_mw, .2) || !near(c.area_mm2, a.area_mm2, .2))
                    fail_msg(
                        "%s of %g bytes, lines of %g, %g ways: %.3g %.3g pJ, %.3g mW, %.3g mm2; CACTI %.3g %.3g "
                        "pJ, %.3g mW, %.3g mm2",
                        a.kind, a.bytes, a.line, a.ways, c.read_pj, c.write_pj, c.leak_mw, c.area_mm2, a.read_pj,
                        a.write_pj, a.leak_mw, a.area_mm2);
            }
    fclose(f);
    assert_int_equal(found, sizeof wanted / sizeof *wanted);
}

/* All that CACTI was asked for: what docs/energy.md says of the fit. */
static void whole_range_is_near_cacti(void **state)
{
    (void)state;
    FILE *f = fopen(cacti_file, "r");
    assert_non_null(f);
    unsigned n = 0, read = 0, leak = 0, area = 0;
    for (struct array a; read_array(f, &a); n++) {
        struct sram_cost c = modeled(&a);
        read += near(c.read_pj, a.read_pj, .2);
        leak += near(c.leak_mw, a.leak_mw, .2);
        area += near(c.area_mm2, a.area_mm2, .2);
        assert_true(near(c.read_pj, a.read_pj, .34) && near(c.write_pj, a.write_pj, .4));
        assert_true(near(c.leak_mw, a.leak_mw, .3) && near(c.area_mm2, a.area_mm2, .4));
    }
    fclose(f);
    assert_int_equal(n, 182);
    assert_true(read * 6 >= n * 5 && leak * 100 >= n * 98 && area * 10 >= n * 9);
}

static void arrays_grow_and_shrink(void **state)
{
    (void)state;
    struct sram a = sram_data(131072, 1024, 45), larger = sram_data(262144, 1024, 45), wider = a, two = a, newer = a;
    wider.active = wider.out = 2048;
    two.ports = 2;
    newer.node_nm = 32;
    struct sram_cost c = sram_cost(&a), l = sram_cost(&larger), w = sram_cost(&wider), p = sram_cost(&two),
                     n = sram_cost(&newer);
    assert_true(l.read_pj > c.read_pj && l.write_pj > c.write_pj && l.area_mm2 > c.area_mm2);
    assert_true(near(l.leak_mw / c.leak_mw, 1.9, .1));
    assert_true(w.read_pj > c.read_pj && p.read_pj > c.read_pj && p.area_mm2 > 2 * c.area_mm2);
    assert_true(near(n.area_mm2 / c.area_mm2, (32. / 45) * (32. / 45), .001) && n.read_pj < c.read_pj);
    assert_true(sram_cost(&(struct sram){0}).area_mm2 == 0);
}

/* ---- coefficient files ---- */

static char path[64];

static void write_file(const char *text)
{
    strcpy(path, "/tmp/weir-energy-XXXXXX.ini");
    int fd = mkstemps(path, 4);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

static struct cfg *machine(const char *name, const char *energy, const char *with, const char *more)
{
    struct err e;
    char set[128];
    snprintf(set, sizeof set, "machine.energy=%s", energy);
    const char *const sets[] = {set, more};
    struct cfg *c = cfg_load(gpu_schema(), name, sets, more ? 2 : 1, with, &e);
    if (!c)
        fail_msg("%s; %s", e.msg, e.hint);
    return c;
}

/* The model of gtx480 with these coefficients. */
static struct energy_model *open_text(const char *text, const char *with, struct err *e)
{
    write_file(text);
    struct cfg *c = machine("gtx480", path, with, NULL);
    struct energy_model *m = gpu_energy_open(c, NULL, e);
    cfg_free(c);
    unlink(path);
    return m;
}

static void refused(const char *text, int line, const char *what)
{
    struct err e;
    struct energy_model *m = open_text(text, NULL, &e);
    if (m)
        fail_msg("accepted: %s", text);
    if (e.line != line || strcmp(e.file, path) || !strstr(e.msg, what))
        fail_msg("'%s' at %s:%d instead of '%s' at line %d", e.msg, e.file, e.line, what, line);
}

static void faults_have_a_place(void **state)
{
    (void)state;
    refused("[technology]\nnode = 40nm\n[a]\nl1.hit = 2pJ\n", 4, "no statistic called 'l1.hit'");
    refused("[technology]\nnode = 40nm\n[a]\nl1.hits + l1.mises = 2pJ\n", 4, "no statistic called 'l1.mises'");
    refused("[technology]\nnode = 40nm\n[a]\nl1.hits = 2\n", 4, "not an energy");
    refused("[technology]\nnode = 40nm\n[a]\nl1.hits = -2pJ\n", 4, "not an energy");
    refused("[technology]\nnode = 40nm\n[a]\nl1.hits = 2W\n", 4, "not an energy");
    refused("[technology]\nnode = 40nm\n[a]\nl1.hits = l1.heap read\n", 4, "not an energy");
    refused("[technology]\nnode = 40nm\n[a]\nl1.hits = l1.data look\n", 4, "not an energy");
    refused("[technology]\nnode = 40nm\n[a]\nl1.hits = 2pJ per line\n", 4, "not an energy");
    refused("[technology]\nnode = 40nm\n[a]\nwarp_insts = 2pJ per 32B\n", 4, "number of bytes");
    refused("[technology]\nnode = 40nm\n[a]\nl1.hits + = 2pJ\n", 4, "ends with a sign");
    refused("[technology]\nnode = 40nm\n[a]\nstatic = 2W per box\n", 4, "not an energy");
    refused("[technology]\nnode = 40nm\n[a]\nstatic = 2pJ\n", 4, "not an energy");
    refused("[technology]\nnode = 4nm\n", 2, "20nm to 90nm");
    refused("[a]\nl1.hits = 2pJ\n", 2, "[technology]");
    refused("[technology]\nnode = 40nm\nvdd = 1V\n", 3, "'node' only");
    refused("[technology]\nnode = 40nm\n[A b]\nl1.hits = 2pJ\n", 4, "small letters");
    refused("hits = 2pJ\n[technology]\nnode = 40nm\n", 1, "outside any section");
    struct err e;
    struct cfg *c = machine("gtx480", "", NULL, NULL);
    assert_null(gpu_energy_open(c, NULL, &e));
    assert_non_null(strstr(e.msg, "has no energy coefficients"));
    cfg_free(c);
    c = machine("gtx480", "no-such", NULL, NULL);
    assert_null(gpu_energy_open(c, NULL, &e));
    assert_non_null(strstr(e.msg, "there are no energy coefficients"));
    cfg_free(c);
}

/* ---- totals ---- */

struct count {
    const char *name;
    double value;
};
struct counts {
    const struct count *count;
    double times;      /* all of them */
    double only_times; /* those that are not cycles */
};

static double value_of(void *ctx, const char *name)
{
    const struct counts *c = ctx;
    for (const struct count *x = c->count; x->name; x++)
        if (!strcmp(x->name, name))
            return x->value * c->times * (strstr(name, "cycles") ? 1 : c->only_times);
    return 0;
}

static struct energy_result evaluate(const struct energy_model *m, const struct count *count, double times, double only)
{
    struct counts c = {count, times, only};
    struct energy_result r;
    energy_evaluate(m, value_of, &c, &r);
    return r;
}

static void same(double a, double b)
{
    if (fabs(a - b) > 1e-9 * fabs(b))
        fail_msg("%.12g instead of %.12g", a, b);
}

static const struct count some[] = {{"cycles", 700000}, {"sm.active_cycles", 3500000}, {"l1.load_hits", 1000},
                                    {"l1.fills", 100},  {"l2.read_hits", 50},          {"dram.read_bursts", 10},
                                    {"noc.hops", 400},  {"warp_insts", 5000},          {NULL, 0}};

static const char by_hand[] =
    "[technology]\n"
    "node = 45nm\n"
    "[core]\n"
    "doc = SMs\n"
    "warp_insts = 2nJ          # a comment\n"
    "static = 0.5W per sm\n"
    "static = 2W per idle_sm\n"
    "[caches]\n"
    "l1.load_hits - l1.fills = 10pJ\n"
    "l2.read_hits = 100pJ per 64B\n"
    "l1.load_hits = l1.data read x 2\n"
    "static = l1.data\n"
    "[rest]\n"
    "noc.hops = 3pJ\n"
    "dram.read_bursts = 1nJ per 32B\n"
    "static = 1W per channel\n"
    "static = 100mW per chip\n"
    "static = 10mW per slice\n"
    "static = 3W\n";

/* gtx480: 15 SMs at 700 MHz, 6 channels of 2 devices and 2 slices, lines of 128 bytes, bursts of 64. */
static void totals_by_hand(void **state)
{
    (void)state;
    struct err e;
    struct energy_model *m = open_text(by_hand, NULL, &e);
    assert_non_null(m);
    assert_int_equal(energy_count(m), 3);
    assert_string_equal(energy_doc(m, 0), "SMs");
    struct energy_result r = evaluate(m, some, 1, 1);
    struct sram l1 = sram_data(16384 * 8, 1024, 45);
    struct sram_cost array = sram_cost(&l1);
    same(r.seconds, 1e-3);
    same(r.component[0].dynamic_j, 5000 * 2e-9);
    /* 15 SMs for 1 ms are 15 ms, 5 of them with a warp. */
    same(r.component[0].static_j, 15 * 0.5 * 1e-3 + 2 * 10e-3);
    same(r.component[1].dynamic_j, 900 * 10e-12 + 50 * 200e-12 + 1000 * 2 * array.read_pj * 1e-12);
    same(r.component[1].static_j, 15 * array.leak_mw * 1e-6);
    same(r.component[2].dynamic_j, 400 * 3e-12 + 10 * 2e-9);
    same(r.component[2].static_j, (6 * 1 + 12 * 0.1 + 12 * 0.01 + 3) * 1e-3);
    same(r.total.dynamic_j, r.component[0].dynamic_j + r.component[1].dynamic_j + r.component[2].dynamic_j);
    same(r.total.static_j, r.component[0].static_j + r.component[1].static_j + r.component[2].static_j);
    energy_free(m);
}

struct seen {
    double total, power, core;
    unsigned n;
};

static void see(void *ctx, const char *name, double value)
{
    struct seen *s = ctx;
    s->n++;
    s->total = !strcmp(name, "energy.total_j") ? value : s->total;
    s->power = !strcmp(name, "energy.power_w") ? value : s->power;
    s->core = !strcmp(name, "energy.core_j") ? value : s->core;
}

static void statistics_by_name(void **state)
{
    (void)state;
    struct err e;
    struct energy_model *m = open_text(by_hand, NULL, &e);
    struct energy_result r = evaluate(m, some, 1, 1);
    struct seen s = {0};
    energy_each(m, &r, see, &s);
    assert_int_equal(s.n, 4 + 3);
    same(s.total, r.total.dynamic_j + r.total.static_j);
    same(s.power, s.total / 1e-3);
    same(s.core, r.component[0].dynamic_j + r.component[0].static_j);
    energy_free(m);
}

/* Twice the events: twice the dynamic energy. Half the time: half the static energy. */
static void scaling(void **state)
{
    (void)state;
    struct err e;
    struct cfg *c = machine("gtx480", "fermi40", "apcm", NULL);
    struct energy_model *m = gpu_energy_open(c, NULL, &e);
    assert_non_null(m);
    struct energy_result r = evaluate(m, some, 1, 1), twice = evaluate(m, some, 1, 2), half = evaluate(m, some, .5, 2);
    for (unsigned i = 0; i < energy_count(m); i++) {
        same(twice.component[i].dynamic_j, 2 * r.component[i].dynamic_j);
        same(twice.component[i].static_j, r.component[i].static_j);
        same(half.component[i].dynamic_j, r.component[i].dynamic_j);
        same(half.component[i].static_j, r.component[i].static_j / 2);
    }
    energy_free(m);
    cfg_free(c);
}

/* A section of a file replaces that of its base; the others stay. */
static void bases(void **state)
{
    (void)state;
    struct err e;
    char base[64], text[256];
    write_file(by_hand);
    strcpy(base, path);
    snprintf(text, sizeof text, "base = %s\n[technology]\nnode = 45nm\n[rest]\nnoc.hops = 5pJ\n[new]\nl1.fills = 1pJ\n",
             base);
    struct energy_model *m = open_text(text, NULL, &e);
    assert_non_null(m);
    assert_int_equal(energy_count(m), 4);
    struct energy_result r = evaluate(m, some, 1, 1);
    same(r.component[0].dynamic_j, 5000 * 2e-9);
    same(r.component[2].dynamic_j, 400 * 5e-12);
    same(r.component[2].static_j, 0);
    same(r.component[3].dynamic_j, 100 * 1e-12);
    energy_free(m);
    unlink(base);
    /* A base of a base; a file that is its own ends. */
    struct cfg *c = machine("bfly36", "bfly40", NULL, NULL);
    m = gpu_energy_open(c, NULL, &e);
    assert_non_null(m);
    energy_free(m);
    cfg_free(c);
    write_file("");
    snprintf(text, sizeof text, "base = %s\n[technology]\nnode = 45nm\n", path);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    c = machine("gtx480", path, NULL, NULL);
    assert_null(gpu_energy_open(c, NULL, &e));
    assert_non_null(strstr(e.msg, "is there a cycle"));
    cfg_free(c);
    unlink(path);
}

/* A mechanism's tables: its own component, with leakage in every SM and the accesses it declares. */
static void policies_add_their_tables(void **state)
{
    (void)state;
    struct err e;
    static const struct count used[] = {{"cycles", 700000}, {"apcm.accesses", 1000}, {NULL, 0}};
    struct energy_model *m = open_text("[technology]\nnode = 45nm\n[a]\nwarp_insts = 1pJ\n", "apcm", &e);
    assert_non_null(m);
    assert_int_equal(energy_count(m), 2);
    assert_string_equal(energy_name(m, 1), "apcm");
    struct energy_result r = evaluate(m, used, 1, 1);
    /* Each access reads the extension of a tag and an entry of CAIT, and compares all of LAT. */
    struct sram tag = {.bits = 128 * 11, .active = 11, .out = 11}, cait = {.bits = 16 * 11, .active = 11, .out = 11};
    struct sram lat = {.bits = 16 * 32, .active = 16 * 32, .out = 16};
    struct sram mta = {.bits = 32 * 36, .active = 36, .out = 36}, psb = {.bits = 48 * 6, .active = 6, .out = 6};
    double read = sram_cost(&tag).read_pj + sram_cost(&cait).read_pj + sram_cost(&lat).read_pj;
    double leak = sram_cost(&tag).leak_mw + sram_cost(&cait).leak_mw + sram_cost(&lat).leak_mw +
                  sram_cost(&mta).leak_mw + sram_cost(&psb).leak_mw;
    same(r.component[1].dynamic_j, 1000 * read * 1e-12);
    same(r.component[1].static_j, 15 * leak * 1e-3 * 1e-3);
    energy_free(m);
}

/* Every machine that ships can be asked, with every mechanism that tells what it costs. */
static void shipped_machines_have_sound_coefficients(void **state)
{
    (void)state;
    static const char *const with[] = {NULL, "apcm", "caps", "cart", "dyneb", "shared++"};
    DIR *d = opendir(configs);
    assert_non_null(d);
    unsigned n = 0;
    for (struct dirent *x; (x = readdir(d));) {
        size_t len = strlen(x->d_name);
        if (len < 5 || strcmp(x->d_name + len - 4, ".ini"))
            continue;
        char file[512];
        snprintf(file, sizeof file, "%s/%s", configs, x->d_name);
        for (size_t i = 0; i < sizeof with / sizeof *with; i++) {
            struct err e;
            struct cfg *c = cfg_load(gpu_schema(), file, NULL, 0, with[i], &e);
            if (!c)
                continue; /* the machine cannot have it */
            const struct machine_config *m = cfg_section(c, "machine");
            struct energy_model *model = *m->energy ? gpu_energy_open(c, NULL, &e) : NULL;
            if (*m->energy && !model)
                fail_msg("%s: %s:%d: %s", x->d_name, e.file, e.line, e.msg);
            n += model != NULL;
            energy_free(model);
            cfg_free(c);
        }
    }
    closedir(d);
    assert_true(n > 12);
}

/*
 * BlackScholes (size small of the suite) keeps a GTX 480's lanes 87% busy and its memory at work: about the power that
 * the board is rated for, 250 W.
 */
static void full_load_is_the_boards_power(void **state)
{
    (void)state;
    static const struct count full[] = {{"cycles", 149195},
                                        {"dram.activates", 66727},
                                        {"dram.read_bursts", 245760},
                                        {"dram.write_bursts", 98304},
                                        {"l1.accesses", 122880},
                                        {"l1.fills", 73728},
                                        {"l1.load_misses", 73728},
                                        {"l1.misses", 122880},
                                        {"l1.store_misses", 49152},
                                        {"l2.accesses", 122880},
                                        {"l2.fills", 122880},
                                        {"l2.misses", 122880},
                                        {"l2.read_misses", 73728},
                                        {"l2.write_misses", 49152},
                                        {"noc.hops", 737280},
                                        {"sm.active_cycles", 2221832},
                                        {"sm.fetches", 1964544},
                                        {"sm.icache_misses", 180},
                                        {"sm.insts.cvt", 172032},
                                        {"sm.insts.fp_add", 591744},
                                        {"sm.insts.fp_div", 122880},
                                        {"sm.insts.fp_mad", 788352},
                                        {"sm.insts.fp_minmax", 49152},
                                        {"sm.insts.fp_mul", 640896},
                                        {"sm.insts.int_add", 690048},
                                        {"sm.insts.int_mad", 1920},
                                        {"sm.insts.int_mul", 26496},
                                        {"sm.insts.sfu", 73728},
                                        {"sm.mem_insts", 138240},
                                        {"sm.register_reads", 5932800},
                                        {"sm.register_writes", 3828864},
                                        {"warp_insts", 3906432},
                                        {NULL, 0}};
    struct err e;
    struct cfg *c = machine("gtx480", "fermi40", NULL, NULL);
    struct energy_model *m = gpu_energy_open(c, NULL, &e);
    assert_non_null(m);
    struct energy_result r = evaluate(m, full, 1, 1);
    double watts = (r.total.dynamic_j + r.total.static_j) / r.seconds;
    if (!near(watts, 250, .25))
        fail_msg("%.1f W", watts);
    energy_free(m);
    cfg_free(c);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_of_machines_are_as_in_cacti),
        cmocka_unit_test(whole_range_is_near_cacti),
        cmocka_unit_test(arrays_grow_and_shrink),
        cmocka_unit_test(faults_have_a_place),
        cmocka_unit_test(totals_by_hand),
        cmocka_unit_test(statistics_by_name),
        cmocka_unit_test(scaling),
        cmocka_unit_test(bases),
        cmocka_unit_test(policies_add_their_tables),
        cmocka_unit_test(shipped_machines_have_sound_coefficients),
        cmocka_unit_test(full_load_is_the_boards_power),
    };
    if (argc < 3)
        return 2;
    cacti_file = argv[1];
    configs = argv[2];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
