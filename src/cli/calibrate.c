/*
 * weir calibrate: a machine file from what the microbenchmarks of silicon/probes measured on a board.
 *
 * A table has, for each parameter that a probe determines, the probe and what its value is to be understood as; the
 * machine file gets the parameter with the probe and its value beside it, on top of a base that has the rules and all
 * that no probe measures. Left out: what takes judgment (set indices, write policies, how copies leave lines in the L2),
 * and DRAM's timing, of which the probes see only latency and bandwidth.
 */
#include "base/infile.h"
#include "base/mem.h"
#include "base/outfile.h"
#include "base/text.h"
#include "cli/cli.h"

#include "engine/config.h"
#include "gpu/gpu_config.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct args {
    const char *folder, *out, *base, *name;
};

static void take_word(struct argp_state *state, void *args, char *word)
{
    struct args *a = args;
    if (a->folder)
        argp_error(state, "one folder expected");
    a->folder = word;
}

static void check_options(struct argp_state *state, void *args)
{
    const struct args *a = args;
    if (!a->folder)
        argp_error(state, "no folder given; give the one that silicon/probes/collect.sh filled");
}

static const struct cli_option options[] = {
    {"output", "FILE", "write the machine to FILE instead of standard output", CLI_TEXT(struct args, out),
     .letter = 'o'},
    {"base", "MACHINE", "take everything that no probe measures from MACHINE (default: h200)",
     CLI_TEXT(struct args, base)},
    {"name", "TEXT", "device name that programs see (default: the board's, if device.tsv tells it)",
     CLI_TEXT(struct args, name)},
    {0}};

static const struct cli_syntax syntax = {
    .option = options,
    .usage = "FOLDER",
    .doc =
        "Make a machine file from the results of the microbenchmarks in silicon/probes.\vFOLDER is the one that "
        "'silicon/probes/collect.sh FOLDER' filled on the machine with the GPU: device.tsv, inst.tsv, memory.tsv, "
        "launch.tsv; files that are missing leave the values of the base as they are. Each value "
        "is followed by the probe that it comes from. The table printed shows where the board and the base differ.\n"
        "\n"
        "Examples:\n"
        "  silicon/probes/collect.sh results      # where the GPU is; takes minutes\n"
        "  weir calibrate results -o board.ini\n"
        "  weir config check board.ini\n"
        "  weir run --gpu board.ini ./app\n",
    .word = take_word,
    .end = check_options};

/* ---- rows of the probes ---- */

enum table { INST, MEMORY, LAUNCH, DEVICE, TABLES };
static const char *const table_name[TABLES] = {"inst", "memory", "launch", "device"};

struct row {
    char *probe, *variant;
    double value;  /* cycles per operation; of launches: elapsed cycles; NAN = none */
    double active; /* of launches: the longest that an SM was active */
    const char *text;
};

struct results {
    VEC(struct row) row[TABLES];
    char *text[TABLES];
    char file[TABLES][512];
};

static double number(const char *text)
{
    char *end;
    const double v = strtod(text, &end);
    return end == text || *end ? NAN : v;
}

static void add_row(struct results *r, enum table t, char **field, unsigned n)
{
    struct row row = {.probe = field[0], .variant = n > 1 ? field[1] : field[0], .value = NAN, .active = NAN};
    if (t == DEVICE && n > 1) {
        row.variant = field[0];
        row.text = field[1];
        row.value = number(field[1]);
    } else if (t == LAUNCH && n >= 7) {
        row.value = number(field[5]);
        row.active = number(field[6]);
    } else if (t != LAUNCH && n >= 7) {
        const double operations = number(field[6]);
        row.value = operations > 0 ? (number(field[5]) - number(field[4])) / operations : NAN;
    }
    VEC_PUSH(&r->row[t], row);
}

static void cut(struct results *r, enum table t)
{
    char *line, *lines = NULL;
    for (line = strtok_r(r->text[t], "\n", &lines); line; line = strtok_r(NULL, "\n", &lines)) {
        char *field[8], *fields = NULL;
        unsigned n = 0;
        if (*line == '#')
            continue;
        for (char *f = strtok_r(line, "\t\r", &fields); f && n < 8; f = strtok_r(NULL, "\t\r", &fields))
            field[n++] = f;
        /* elapsed cycles are there only where Nsight Compute counted them */
        if (n > 1 && !strcmp(field[0], "probe") && t == LAUNCH && (n < 7 || strcmp(field[5], "elapsed")))
            break;
        if (n > 1 && strcmp(field[0], "probe"))
            add_row(r, t, field, n);
    }
}

/* "inst.tsv", or "h200_inst.tsv" as in silicon/probes, for each table that is there. */
static int read_folder(struct results *r, const char *folder, struct err *e)
{
    DIR *d = opendir(folder);
    if (!d)
        return err_at(e, folder, 0, 0, "cannot read: %s", strerror(errno));
    for (const struct dirent *f; (f = readdir(d));)
        for (unsigned t = 0; t < TABLES; t++) {
            char ending[64];
            snprintf(ending, sizeof ending, "_%s.tsv", table_name[t]);
            if (strcmp(f->d_name, ending + 1) && !text_ends_in(f->d_name, ending))
                continue;
            free(r->text[t]);
            snprintf(r->file[t], sizeof r->file[t], "%s/%s", folder, f->d_name);
        }
    closedir(d);
    unsigned found = 0;
    for (unsigned t = 0; t < TABLES; t++) {
        if (!*r->file[t])
            continue;
        if (!(r->text[t] = infile_text(r->file[t], 64 << 20, e)))
            return -1;
        cut(r, (enum table)t);
        found += r->row[t].n > 0;
    }
    if (found)
        return 0;
    err_at(e, folder, 0, 0, "there are no results of the probes here");
    return err_hint(e, "'silicon/probes/collect.sh %s' makes them, on a machine with a GPU", folder);
}

static const struct row *find(const struct results *r, enum table t, const char *probe, const char *variant)
{
    for (size_t i = 0; i < r->row[t].n; i++)
        if (!strcmp(r->row[t].p[i].probe, probe) && (!variant || !strcmp(r->row[t].p[i].variant, variant)))
            return &r->row[t].p[i];
    return NULL;
}

static double value(const struct results *r, enum table t, const char *probe, const char *variant)
{
    const struct row *row = find(r, t, probe, variant);
    return row ? row->value : NAN;
}

/* ---- what a probe says of a parameter ---- */

/* Of the machine underneath: values that are part of what a probe sees. */
struct known {
    const struct cfg *cfg;
    const char *key;
    double number;
};
static void seek(void *ctx, const struct cfg_value *v)
{
    struct known *k = ctx;
    if (!strcmp(v->key, k->key))
        k->number = strtod(v->text, NULL) * (strstr(v->text, "KiB") ? 1024 : strstr(v->text, "MiB") ? 1 << 20 : 1);
}
static double of_base(const struct cfg *c, const char *key)
{
    struct known k = {c, key, NAN};
    cfg_each(c, seek, &k);
    return k.number;
}

/* The whole number next to v; what lies half way goes down. */
static double whole(double v)
{
    return ceil(v - 0.5);
}
static double up_to(double v, double multiple)
{
    return ceil(v / multiple) * multiple;
}

#define UNITS 4 /* schedulers of an SM: a rate is that of all of them */
static double latency(double v, double minus)
{
    return whole(v - minus);
}
static double interval(double v, double units)
{
    const double n = whole(v * units);
    return n < 1 ? 1 : n;
}
static double lines_a_cycle(double v, double lines)
{
    return whole(lines / v);
}
static double banks(double v, double lines)
{
    return fabs(v - lines) < 0.1 * lines ? 32 : 0;
}
/* A line of 128 bytes with its header, in flits of a multiple of 8 bytes. */
static double request_flit(double v, double line)
{
    return up_to((line + 8) / (v * line), 8);
}
/* Half a line and the header: a line takes so many cycles. */
static double reply_flit(double v, double line)
{
    return up_to((line + 8) / whole(v * line), 8);
}

/* Operations of arithmetic: cycles less what is not the operation's. */
static const struct rule {
    const char *key;
    enum table table;
    const char *probe, *variant;
    double (*of)(double value, double constant);
    double constant;
    const char *minus; /* a probe of the same table whose value is taken off first; NULL = none */
    const char *minus_variant;
} rules[] = {
    {"sm.lat.int_add", INST, "latency", "int_shl_xor", latency, 0, NULL, NULL},
    {"sm.lat.int_minmax", INST, "latency", "int_min_xor", latency, 0, NULL, NULL},
    {"sm.lat.int_mul", INST, "latency", "int_mul_lo", latency, 0, NULL, NULL},
    {"sm.lat.int_mad", INST, "latency", "int_mad_lo", latency, 0, NULL, NULL},
    {"sm.lat.int_div", INST, "latency", "int_div_u32", latency, 0, NULL, NULL},
    {"sm.lat.fp_add", INST, "latency", "fp_add", latency, 0, NULL, NULL},
    {"sm.lat.fp_minmax", INST, "latency", "fp_min_max", latency, 0, NULL, NULL},
    {"sm.lat.fp_mul", INST, "latency", "fp_mul", latency, 0, NULL, NULL},
    {"sm.lat.fp_mad", INST, "latency", "fp_mad", latency, 0, NULL, NULL},
    {"sm.lat.fp_div", INST, "latency", "fp_div_rn", latency, 0, NULL, NULL},
    {"sm.lat.dp_add", INST, "latency", "dp_add", latency, 0, NULL, NULL},
    {"sm.lat.dp_minmax", INST, "latency", "dp_min_max", latency, 0, NULL, NULL},
    {"sm.lat.dp_mul", INST, "latency", "dp_mul", latency, 0, NULL, NULL},
    {"sm.lat.dp_mad", INST, "latency", "dp_mad", latency, 0, NULL, NULL},
    {"sm.lat.dp_div", INST, "latency", "dp_div", latency, 0, NULL, NULL},
    {"sm.lat.sfu", INST, "latency", "sfu_sqrt", latency, 0, NULL, NULL},
    {"sm.lat.cvt", INST, "latency", "cvt_s32_f32", latency, 0, NULL, NULL},
    {"sm.lat.tensor", INST, "tensor", "latency", latency, 0, NULL, NULL},
    {"sm.ii.int_add", INST, "rate", "int_add_xor", interval, UNITS, NULL, NULL},
    {"sm.ii.int_minmax", INST, "rate", "int_min_xor", interval, UNITS, NULL, NULL},
    {"sm.ii.int_mul", INST, "rate", "int_mul_lo", interval, UNITS, NULL, NULL},
    {"sm.ii.int_mad", INST, "rate", "int_mad_lo", interval, UNITS, NULL, NULL},
    {"sm.ii.int_div", INST, "rate", "int_div_u32", interval, UNITS, NULL, NULL},
    {"sm.ii.fp_add", INST, "rate", "fp_add", interval, UNITS, NULL, NULL},
    {"sm.ii.fp_minmax", INST, "rate", "fp_min_max", interval, UNITS, NULL, NULL},
    {"sm.ii.fp_mul", INST, "rate", "fp_mul", interval, UNITS, NULL, NULL},
    {"sm.ii.fp_mad", INST, "rate", "fp_mad", interval, UNITS, NULL, NULL},
    {"sm.ii.fp_div", INST, "rate", "fp_div_rn", interval, UNITS, NULL, NULL},
    {"sm.ii.dp_add", INST, "rate", "dp_add", interval, UNITS, NULL, NULL},
    {"sm.ii.dp_minmax", INST, "rate", "dp_min_max", interval, UNITS, NULL, NULL},
    {"sm.ii.dp_mul", INST, "rate", "dp_mul", interval, UNITS, NULL, NULL},
    {"sm.ii.dp_mad", INST, "rate", "dp_mad", interval, UNITS, NULL, NULL},
    {"sm.ii.dp_div", INST, "rate", "dp_div", interval, UNITS, NULL, NULL},
    {"sm.ii.sfu", INST, "rate", "sfu_sqrt", interval, UNITS, NULL, NULL},
    {"sm.ii.cvt", INST, "rate", "cvt_s32_f32", interval, UNITS, NULL, NULL},
    {"sm.ii.tensor", INST, "tensor", "rate", interval, UNITS, NULL, NULL},
    /* 16 multiply-adds: 15 of four cycles and the last's issue; an addition and a comparison: 9 cycles */
    {"sm.branch_cycles", INST, "branch", "loop,mads=16,warps=1", latency, 61, NULL, NULL},
    {"sm.loop_cycles", INST, "branch", "warps=1", latency, 9, NULL, NULL},
    {"sm.lsu_lines", MEMORY, "l1_rate", "lines=32,own_bank", lines_a_cycle, 32, NULL, NULL},
    {"sm.data_banks", MEMORY, "l1_rate", "lines=32,one_word", banks, 32, NULL, NULL},
    {"sm.tex_cycles", MEMORY, "texture_rate", "stride=4", latency, 0, NULL, NULL},
    {"sm.tex_latency", MEMORY, "texture_latency", "KiB=32", latency, 0, "l1_latency", "shared=0KiB,KiB=64"},
    /* the address: a multiply-add and the issue, or a multiplication of 64 bits */
    {"sm.smem_latency", MEMORY, "shared_latency", "chase", latency, 5, NULL, NULL},
    {"l1.latency", MEMORY, "l1_latency", "shared=0KiB,KiB=64", latency, 6, NULL, NULL},
    {"l1.ports", MEMORY, "l1_rate", "lines=32,own_bank", lines_a_cycle, 32, NULL, NULL},
    {"noc.flit", MEMORY, "l2_bandwidth", "write4,ctas=1", request_flit, 128, NULL, NULL},
    {"noc.reply_flit", MEMORY, "l2_bandwidth", "read16,ctas=1", reply_flit, 128, NULL, NULL},
};

/* ---- the file ---- */

struct setting {
    char key[64], text[64], source[160], was[96];
    size_t nth; /* as it was found */
};
struct calibrated {
    VEC(struct setting) s;
    const struct cfg *base;
    const struct results *r;
};

static void was(void *ctx, const struct cfg_value *v)
{
    struct setting *s = ctx;
    if (!strcmp(v->key, s->key))
        snprintf(s->was, sizeof s->was, "%s", v->text);
}

static void __attribute__((format(printf, 4, 5)))
put(struct calibrated *c, const char *key, const char *text, const char *fmt, ...)
{
    struct setting s = {.nth = c->s.n};
    va_list ap;
    snprintf(s.key, sizeof s.key, "%s", key);
    snprintf(s.text, sizeof s.text, "%s", text);
    va_start(ap, fmt);
    vsnprintf(s.source, sizeof s.source, fmt, ap);
    va_end(ap);
    cfg_each(c->base, was, &s);
    VEC_PUSH(&c->s, s);
}

static void put_number(struct calibrated *c, const char *key, double v, const char *probe, const char *variant,
                       double measured)
{
    char text[32];
    if (isnan(v) || v < 0)
        return;
    snprintf(text, sizeof text, "%.0f%s", v, !strcmp(key, "l2.size") ? "B" : "");
    put(c, key, text, "%s %s: %.4g", probe, variant, measured);
}

static void by_rules(struct calibrated *c)
{
    for (unsigned i = 0; i < sizeof rules / sizeof *rules; i++) {
        const struct rule *u = &rules[i];
        double v = value(c->r, u->table, u->probe, u->variant);
        const double measured = v;
        if (u->minus)
            v -= value(c->r, u->table, u->minus, u->minus_variant);
        put_number(c, u->key, u->of(v, u->constant), u->probe, u->variant, measured);
    }
}

/* What follows from more than one row, or from the base's other values. */
static void by_several(struct calibrated *c)
{
    const struct results *r = c->r;
    const struct row *few = find(r, LAUNCH, "empty", "ctas=132,threads=128");
    if (few)
        put_number(c, "machine.launch_cycles", 10 * whole((few->value - few->active) / 10), "empty",
                   "ctas=132,threads=128, less the time in which SMs are active", few->value);
    double each = 0;
    static const char *const threads[] = {"128", "256"};
    for (unsigned i = 0; i < 2; i++) {
        char a[48], b[48];
        snprintf(a, sizeof a, "ctas=4224,threads=%s", threads[i]);
        snprintf(b, sizeof b, "ctas=16896,threads=%s", threads[i]);
        each += (value(r, LAUNCH, "empty", b) - value(r, LAUNCH, "empty", a)) / (16896 - 4224) / 2;
    }
    put_number(c, "machine.cta_rate", 10 * whole(100 / each), "empty", "ctas=4224..16896, cycles a CTA", each);
    const double slices = of_base(c->base, "memory.channels") * of_base(c->base, "memory.slices_per_channel");
    /* of an L2 hit: the address, the tags of the L1, the network both ways, and four cycles in ports */
    const double hit = value(r, MEMORY, "l2_latency", "MiB=4"), tag = of_base(c->base, "l1.tag_latency");
    const double ways = 2 * of_base(c->base, "noc.crossbar_latency");
    put_number(c, "l2.latency", whole(hit - 6 - tag - ways - 4), "l2_latency",
               "MiB=4, less the L1's tags and the network", hit);
    const double told = value(r, DEVICE, "sms", NULL), sms = isnan(told) ? of_base(c->base, "machine.sms") : told;
    char variant[64];
    snprintf(variant, sizeof variant, "read16,ctas=%.0f", 2 * sms);
    const double bytes = 1 / value(r, MEMORY, "l2_bandwidth", variant);
    put_number(c, "l2.port_bytes", up_to(bytes / slices, 16), "l2_bandwidth", "read16, two CTAs an SM, bytes a cycle",
               bytes);
    const double sectors = 32 / value(r, MEMORY, "atomic_rate", "atom,own_sectors,ctas=132");
    put_number(c, "l2.atomic_interval", whole(slices / sectors), "atomic_rate",
               "atom,own_sectors,ctas=132, sectors a cycle", sectors);
}

/* The name that programs will see. A machine file has no way to write a comment's beginning or a control character. */
static int by_name(struct calibrated *c, const struct args *a, struct err *e)
{
    const struct row *told = find(c->r, DEVICE, "name", NULL);
    const char *name = a->name ? a->name : told ? told->text : NULL;
    if (!name)
        return 0;
    for (const char *at = name; *at; at++)
        if (strchr("#;", *at) || (unsigned char)*at < ' ' || *at == 127) {
            err_at(e, a->name ? NULL : c->r->file[DEVICE], 0, 0,
                   "a device name cannot have '#', ';' or control characters");
            return err_hint(e, "give another with --name TEXT");
        }
    put(c, "machine.name", name, "%s", a->name ? "--name" : "device name");
    return 0;
}

/* What the device tells of itself (device.cu). Capacities that the base's slices and channels cannot hold are said. */
static void by_device(struct calibrated *c)
{
    static const struct {
        const char *name, *key, *unit;
        double scale;
    } asked[] = {{"sms", "machine.sms", "", 1},
                 {"core_khz", "clock.core", "kHz", 1},
                 {"core_khz", "clock.noc", "kHz", 1},
                 {"core_khz", "clock.l2", "kHz", 1},
                 {"warps_per_sm", "sm.max_warps", "", 1},
                 {"ctas_per_sm", "sm.max_ctas", "", 1},
                 {"threads_per_cta", "sm.max_threads_per_cta", "", 1},
                 {"registers_per_sm", "sm.regfile", "B", 4},
                 {"shared_per_sm", "sm.smem", "B", 1},
                 {"shared_per_cta", "sm.smem_per_cta", "B", 1},
                 {"shared_reserved", "sm.smem_reserved", "B", 1}};
    for (unsigned i = 0; i < sizeof asked / sizeof *asked; i++) {
        const double v = value(c->r, DEVICE, asked[i].name, NULL);
        char text[48];
        if (isnan(v))
            continue;
        snprintf(text, sizeof text, "%.0f%s", v * asked[i].scale, asked[i].unit);
        put(c, asked[i].key, text, "device %s", asked[i].name);
    }
    const double l2 = value(c->r, DEVICE, "l2_bytes", NULL), bus = value(c->r, DEVICE, "bus_bits", NULL);
    const double bits = 8 * of_base(c->base, "dram.bus_bytes") * of_base(c->base, "dram.chips") *
                        of_base(c->base, "dram.pseudo_channels");
    if (isnan(l2) || isnan(bus))
        return;
    char text[48];
    const double channels = floor(bus / bits), slices = channels * of_base(c->base, "memory.slices_per_channel");
    snprintf(text, sizeof text, "%.0f", channels);
    put(c, "memory.channels", text, "device bus_bits: %.0f, in channels of %.0f", bus, bits);
    snprintf(text, sizeof text, "%.0fB", floor(l2 / slices));
    put(c, "l2.size", text, "device l2_bytes: %.0f, in %.0f slices", l2, slices);
}

static int by_section(const void *x, const void *y)
{
    const struct setting *a = x, *b = y;
    const size_t n = strcspn(a->key, "."), m = strcspn(b->key, ".");
    const int order = strncmp(a->key, b->key, n > m ? n : m);
    return order ? order : a->nth < b->nth ? -1 : 1;
}

static void write_file(FILE *out, struct calibrated *c, const struct args *a)
{
    char section[64] = "";
    char *folder = text_plain(xstrdup(a->folder));
    fprintf(out,
            "# Made by weir calibrate from the probes' results in %s; what no probe measures is %s's\n"
            "base = %s\n",
            folder, a->base, a->base);
    free(folder);
    for (size_t i = 0; i < c->s.n; i++) {
        const struct setting *s = &c->s.p[i];
        const size_t n = strcspn(s->key, ".");
        if (strncmp(section, s->key, n) || section[n]) {
            snprintf(section, sizeof section, "%.*s", (int)n, s->key);
            fprintf(out, "\n[%s]\n", section);
        }
        char line[160];
        snprintf(line, sizeof line, "%s = %s", s->key + n + 1, s->text);
        fprintf(out, "%-27s # %s\n", line, s->source);
    }
}

/* Beside the base, as both are understood: 655360B is 640KiB. */
static int compare(struct calibrated *c, const char *text, const struct args *a, FILE *out, struct err *e)
{
    struct cfg *made = cfg_load_text(gpu_schema(), a->out ? a->out : "calibrated.ini", text, NULL, 0, NULL, e);
    if (!made) { /* there is no such file, so its line says nothing */
        snprintf(e->file, sizeof e->file, "%s", a->folder);
        e->line = 0;
        return *e->hint
                   ? -1
                   : err_hint(e, "check the results, or choose another --base: its slices, channels and ways remain");
    }
    unsigned differ = 0;
    for (size_t i = 0; i < c->s.n; i++) {
        struct setting now = c->s.p[i];
        cfg_each(made, was, &now);
        if (!strcmp(now.was, c->s.p[i].was))
            continue;
        if (!differ++)
            fprintf(out, "%-24s %-16s %-16s %s\n", "key", "board", a->base, "from");
        fprintf(out, "%-24s %-16s %-16s %s\n", now.key, now.was, c->s.p[i].was, now.source);
    }
    fprintf(out, "%zu values measured; %u differ from %s\n", c->s.n, differ, a->base);
    cfg_free(made);
    return 0;
}

int cli_calibrate(int argc, char **argv)
{
    struct args a = {.base = "h200"};
    struct results r = {0};
    struct err e;
    cli_parse(&syntax, argc, argv, 0, &a);
    struct calibrated c = {.r = &r};
    struct cfg *base = cfg_load(gpu_schema(), a.base, NULL, 0, NULL, &e);
    char *text = NULL;
    size_t bytes = 0;
    int status = !base || read_folder(&r, a.folder, &e) ? -1 : 0;
    if (!status) {
        c.base = base;
        status = by_name(&c, &a, &e);
    }
    if (!status) {
        by_device(&c);
        by_rules(&c);
        by_several(&c);
        qsort(c.s.p, c.s.n, sizeof *c.s.p, by_section);
        FILE *f = open_memstream(&text, &bytes);
        write_file(f, &c, &a);
        fclose(f);
        status = compare(&c, text, &a, a.out ? stdout : stderr, &e);
    }
    if (!status && a.out)
        status = outfile_write(a.out, text, bytes, &e);
    else if (!status)
        fwrite(text, 1, bytes, stdout);
    if (status)
        cli_fail(&e);
    for (unsigned t = 0; t < TABLES; t++) {
        VEC_FREE(&r.row[t]);
        free(r.text[t]);
    }
    VEC_FREE(&c.s);
    free(text);
    cfg_free(base);
    return status ? CLI_BAD_INPUT : CLI_OK;
}
