/* Reads coefficient files and applies them to statistics; see energy.h. */
#include "energy/energy.h"

#include "base/inifile.h"
#include "base/renamed.h"
#include "energy/structures.h"
#include "engine/config_find.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

enum { MAX_BASES = 8 };

struct term { /* of a sum of statistics */
    char *name;
    double sign;
};

/* One line: count x joules, or watts x seconds. */
struct line {
    unsigned component;
    VEC(struct term) term; /* empty: static */
    double joules;         /* per event */
    double watts;          /* of the whole machine, all the time */
    double idle_watts;     /* of each SM without a warp */
    struct inifile_place at;
};

struct component {
    char *name, *doc;
    unsigned layer; /* of the file that has it: replaced when a file above has a section of the name */
};

struct energy_model {
    double node_nm;
    struct energy_machine machine;
    energy_structures structure;
    VEC(struct component) component;
    VEC(struct line) line;
    VEC(char *) paths; /* of the files, the outermost first; places point to them */
};

/* ---- reading ---- */

struct reading {
    struct energy_model *m;
    const struct cfg_schema *schema;
    const struct cfg *cfg;
    energy_known *known;
    void *known_ctx;
    bool structures; /* are made: the node is known */
    unsigned layer;  /* of the present file: 0 = the innermost base */
};

static void drop_lines(struct energy_model *m, unsigned component)
{
    size_t kept = 0;
    for (size_t i = 0; i < m->line.n; i++) {
        struct line *l = &m->line.p[i];
        if (l->component != component) {
            m->line.p[kept++] = *l;
            continue;
        }
        for (size_t k = 0; k < l->term.n; k++)
            free(l->term.p[k].name);
        VEC_FREE(&l->term);
    }
    m->line.n = kept;
}

/* The component of a section; one that the base had begins anew. */
static int component_of(struct reading *r, const struct inifile_item *i, struct err *e)
{
    struct energy_model *m = r->m;
    for (size_t k = 0; k < m->component.n; k++) {
        struct component *c = &m->component.p[k];
        if (strcmp(c->name, i->section))
            continue;
        if (c->layer != r->layer) {
            drop_lines(m, (unsigned)k);
            free(c->doc);
            c->doc = NULL;
            c->layer = r->layer;
        }
        return (int)k;
    }
    for (const char *c = i->section; *c; c++)
        if (!islower((unsigned char)*c) && !isdigit((unsigned char)*c) && *c != '_')
            return err_at(e, i->file, i->line, 0, "[%s]: a component's name has small letters, digits and _ only",
                          i->section);
    if (m->component.n + 16 >= ENERGY_COMPONENTS) /* some are left for policies */
        return err_at(e, i->file, i->line, 0, "too many components");
    VEC_PUSH(&m->component, (struct component){xstrdup(i->section), NULL, r->layer});
    return (int)m->component.n - 1;
}

/* A number with its unit: "2.5pJ", "0.6 W". Returns the unit, behind it *rest. */
static const char *number_unit(const char *text, double *value, const char **rest)
{
    static const struct {
        const char *unit;
        double scale;
        bool power;
    } units[] = {{"fJ", 1e-15, false}, {"pJ", 1e-12, false}, {"nJ", 1e-9, false}, {"uJ", 1e-6, false},
                 {"uW", 1e-6, true},   {"mW", 1e-3, true},   {"W", 1, true}};
    char *end;
    *value = strtod(text, &end);
    if (end == text || !(*value >= 0))
        return NULL;
    while (*end == ' ')
        end++;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t n = strlen(units[i].unit);
        if (strncmp(end, units[i].unit, n) || isalpha((unsigned char)end[n]))
            continue;
        *value *= units[i].scale;
        *rest = end + n + strspn(end + n, " ");
        return units[i].power ? "W" : "J";
    }
    return NULL;
}

static const struct energy_structure *find_structure(const struct energy_model *m, const char *name, size_t n)
{
    for (size_t i = 0; i < m->structure.n; i++)
        if (strlen(m->structure.p[i].name) == n && !strncmp(m->structure.p[i].name, name, n))
            return &m->structure.p[i];
    return NULL;
}

static int bad_value(const struct inifile_item *i, const char *value, struct err *e)
{
    err_at(e, i->file, i->line, 0, "%s = %s: not an energy", i->key, value);
    return err_hint(e,
                    "write 2.5pJ, 1.2nJ per 128B, 'l1.data read' or 'l1.data write x 1.5'; for 'static', 0.6W per "
                    "sm or a structure's name");
}

/* "const" and "tex" arrays are missing on machines without these caches; their statistics are 0 there. */
static bool may_be_missing(const char *name)
{
    return !strncmp(name, "const.", 6) || !strncmp(name, "tex.", 4);
}

/* Bytes that one event of the statistic moves, for "per 128B"; 0 = unknown. */
static double event_bytes(const struct energy_machine *m, const char *stat)
{
    const struct {
        const char *prefix;
        double bytes;
    } all[] = {{"l1.", m->l1_bytes},
               {"const.", m->const_bytes},
               {"tex.", m->tex_bytes},
               {"l2.", m->l2_bytes},
               {"noc.", m->flit_bytes},
               {"dram.read_bursts", m->burst_bytes},
               {"dram.write_bursts", m->burst_bytes}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strncmp(stat, all[i].prefix, strlen(all[i].prefix)))
            return all[i].bytes;
    return 0;
}

static int static_value(struct reading *r, struct line *l, const struct inifile_item *i, const char *value,
                        struct err *e)
{
    const struct energy_machine *m = &r->m->machine;
    const struct {
        const char *word;
        double n;
    } of[] = {
        {"", 1}, {"per sm", m->sms}, {"per slice", m->slices}, {"per channel", m->channels}, {"per chip", m->chips}};
    double number;
    const char *rest, *unit = number_unit(value, &number, &rest);
    if (unit && *unit == 'W') {
        if (!strcmp(rest, "per idle_sm")) {
            l->idle_watts = number;
            return 0;
        }
        for (size_t k = 0; k < sizeof of / sizeof *of; k++)
            if (!strcmp(rest, of[k].word)) {
                l->watts = number * of[k].n;
                return 0;
            }
        return bad_value(i, value, e);
    }
    const struct energy_structure *s = find_structure(r->m, value, strlen(value));
    if (!s && !may_be_missing(value))
        return bad_value(i, value, e);
    l->watts = s ? s->cost.leak_mw * 1e-3 * s->instances : 0;
    return 0;
}

/* "l1.data read x 1.5" */
static int structure_value(struct reading *r, struct line *l, const struct inifile_item *i, const char *value,
                           struct err *e)
{
    size_t n = strcspn(value, " ");
    const struct energy_structure *s = find_structure(r->m, value, n);
    const char *how = value + n + strspn(value + n, " ");
    size_t word = strcspn(how, " ");
    bool read = word == 4 && !strncmp(how, "read", 4), write = word == 5 && !strncmp(how, "write", 5);
    const char *rest = how + word + strspn(how + word, " ");
    double factor = 1;
    if (*rest == 'x') {
        char *end;
        factor = strtod(rest + 1, &end);
        rest = end == rest + 1 || !(factor >= 0) ? "?" : end;
    }
    if ((!s && !may_be_missing(value)) || (!read && !write) || *rest)
        return bad_value(i, value, e);
    l->joules = s ? (read ? s->cost.read_pj : s->cost.write_pj) * 1e-12 * factor : 0;
    return 0;
}

static int event_value(struct reading *r, struct line *l, const struct inifile_item *i, const char *value,
                       struct err *e)
{
    double number, per = 0;
    const char *rest, *unit = number_unit(value, &number, &rest);
    if (!unit)
        return structure_value(r, l, i, value, e);
    if (*unit != 'J')
        return bad_value(i, value, e);
    l->joules = number;
    if (!*rest)
        return 0;
    char *end;
    if (strncmp(rest, "per ", 4) || (per = strtod(rest + 4, &end)) <= 0 || strcmp(end, "B"))
        return bad_value(i, value, e);
    double bytes = event_bytes(&r->m->machine, l->term.p[0].name);
    if (bytes <= 0) {
        err_at(e, i->file, i->line, 0, "%s = %s: the number of bytes per %s event is unknown", i->key, value,
               l->term.p[0].name);
        return err_hint(e, "give the energy of one event");
    }
    l->joules *= bytes / per;
    return 0;
}

/* A sum of statistics: "l1.load_misses + l1.merges". What begins with a dot is the policy's. */
static int add_terms(struct reading *r, struct line *l, const char *text, const char *policy, struct inifile_place at,
                     struct err *e)
{
    double sign = 1;
    for (const char *c = text; *c;) {
        c += strspn(c, " \t");
        size_t n = strcspn(c, " \t+-");
        if (!n)
            return INIFILE_FAULT(at, e, "'%s' is not a sum of statistics", text);
        bool own = *c == '.' && policy;
        char *name = own ? xmalloc(strlen(policy) + n + 1) : xstrndup(c, n);
        if (own)
            sprintf(name, "%s%.*s", policy, (int)n, c);
        VEC_PUSH(&l->term, (struct term){name, sign});
        if (!r->known(r->known_ctx, name)) {
            INIFILE_FAULT(at, e, "there is no statistic called '%s'", name);
            if (err_hint_renamed(e, RENAMED_STATISTIC, name))
                return -1;
            return err_hint(e, "'weir explain NAME' and a run's JSON have all names");
        }
        c += n;
        c += strspn(c, " \t");
        if (*c && *c != '+' && *c != '-')
            return INIFILE_FAULT(at, e, "'%s' is not a sum of statistics", text);
        if (*c) {
            sign = *c == '+' ? 1 : -1;
            if (!c[1 + strspn(c + 1, " \t")])
                return INIFILE_FAULT(at, e, "'%s' ends with a sign", text);
            c++;
        }
    }
    return 0;
}

static int technology(struct reading *r, const struct inifile_item *i, const char *value, struct err *e)
{
    char *end;
    double node = strtod(value, &end);
    if (strcmp(i->key, "node"))
        return err_at(e, i->file, i->line, 0, "[technology] has 'node' only, not '%s'", i->key);
    if (end == value || strcmp(end + strspn(end, " "), "nm") || node < SRAM_MIN_NM || node > SRAM_MAX_NM)
        return err_at(e, i->file, i->line, 0, "node = %s: write a node from %dnm to %dnm", value, SRAM_MIN_NM,
                      SRAM_MAX_NM);
    if (r->structures && node != r->m->node_nm)
        return err_at(e, i->file, i->line, 0, "the node must be given before any component, and not twice");
    r->m->node_nm = node;
    return 0;
}

static int on_item(void *ctx, const struct inifile_item *i, struct err *e)
{
    struct reading *r = ctx;
    char value[256];
    snprintf(value, sizeof value, "%.*s", (int)strcspn(i->value, "#"), i->value);
    for (size_t n = strlen(value); n && isspace((unsigned char)value[n - 1]);)
        value[--n] = 0;
    if (i->continued)
        return err_at(e, i->file, i->line, 0, "an indented line; a coefficient is one line");
    if (!*i->section) {
        if (strcmp(i->key, "base"))
            return err_at(e, i->file, i->line, 0, "'%s' is outside any section", i->key);
        return 0; /* has been read */
    }
    if (!strcmp(i->section, "technology"))
        return technology(r, i, value, e);
    if (!r->structures) {
        if (r->m->node_nm <= 0)
            return err_at(e, i->file, i->line, 0, "[technology] with 'node' must come first");
        energy_structures_of(r->schema, r->cfg, r->m->node_nm, &r->m->structure);
        r->structures = true;
    }
    int at = component_of(r, i, e);
    if (at < 0)
        return -1;
    struct component *c = &r->m->component.p[at];
    if (!strcmp(i->key, "doc")) {
        free(c->doc);
        c->doc = xstrdup(value);
        return 0;
    }
    VEC_PUSH(&r->m->line, (struct line){.component = (unsigned)at, .at = INIFILE_PLACE(i)});
    struct line *l = &r->m->line.p[r->m->line.n - 1];
    if (!strcmp(i->key, "static"))
        return static_value(r, l, i, value, e);
    return add_terms(r, l, i->key, NULL, l->at, e) ? -1 : event_value(r, l, i, value, e);
}

static int find_base(void *ctx, const struct inifile_item *i, struct err *e)
{
    char **base = ctx;
    (void)e;
    if (!*i->section && !strcmp(i->key, "base") && !*base)
        *base = xstrndup(i->value, strcspn(i->value, " #"));
    return 0;
}

/* A name is a file of configs/energy; what has a slash or ends in .ini is a path. */
static char *path_of(const char *name, struct err *e)
{
    char path[PATH_MAX];
    return cfg_find_energy(name, path, sizeof path, e) ? NULL : xstrdup(path);
}

/* A file, its base first. Takes over the path, which places point to. */
static int read_files(struct reading *r, char *path, unsigned depth, struct err *e)
{
    char *base = NULL;
    if (!path)
        return -1;
    VEC_PUSH(&r->m->paths, path);
    int status = inifile_read(path, find_base, &base, e);
    if (!status && base && depth == MAX_BASES)
        status = err_at(e, path, 0, 0, "more than %d nested base files; is there a cycle?", MAX_BASES);
    if (!status && base) {
        status = read_files(r, path_of(base, e), depth + 1, e);
        r->layer++;
    }
    free(base);
    return status ? status : inifile_read(path, on_item, r, e);
}

/* What the chosen policies add to the machine: a component each. */
static int add_policies(struct reading *r, struct err *e)
{
    struct energy_model *m = r->m;
    for (size_t i = 0; i < m->structure.n; i++) {
        const struct energy_structure *s = &m->structure.p[i];
        if (!s->policy)
            continue;
        unsigned c = 0;
        while (c < m->component.n && strcmp(m->component.p[c].name, s->policy->name))
            c++;
        if (c == m->component.n) {
            if (c == ENERGY_COMPONENTS)
                return err_set(e, "too many components of energy");
            VEC_PUSH(&m->component,
                     (struct component){xstrdup(s->policy->name), xstrdup("tables added by the policy"), r->layer});
        }
        struct inifile_place at = {m->paths.p[0], 0};
        const char *const sum[] = {s->reads, s->writes};
        const double pj[] = {s->cost.read_pj, s->cost.write_pj};
        for (int k = 0; k < 2; k++)
            if (sum[k]) {
                VEC_PUSH(&m->line, (struct line){.component = c, .at = at, .joules = pj[k] * 1e-12});
                if (add_terms(r, &m->line.p[m->line.n - 1], sum[k], s->policy->name, at, e))
                    return -1;
            }
        VEC_PUSH(&m->line, (struct line){.component = c, .at = at, .watts = s->cost.leak_mw * 1e-3 * s->instances});
    }
    return 0;
}

static void find_name(void *ctx, const struct cfg_value *v)
{
    if (!strcmp(v->key, "machine.energy"))
        snprintf(ctx, PATH_MAX, "%s", v->text);
}

struct energy_model *energy_open(const struct cfg_schema *schema, const struct cfg *c, energy_known *known, void *ctx,
                                 struct err *e)
{
    char name[PATH_MAX] = "";
    cfg_each(c, find_name, name);
    if (!*name) {
        err_set(e, "the machine '%s' has no energy coefficients", cfg_machine(c));
        err_hint(e, "set machine.energy to a file of configs/energy or of your own (docs/energy.md)");
        return NULL;
    }
    struct energy_model *m = xcalloc(1, sizeof *m);
    struct reading r = {.m = m, .schema = schema, .cfg = c, .known = known, .known_ctx = ctx};
    energy_machine_of(c, &m->machine);
    if (!read_files(&r, path_of(name, e), 0, e) && !add_policies(&r, e))
        return m;
    energy_free(m);
    return NULL;
}

void energy_free(struct energy_model *m)
{
    if (!m)
        return;
    for (unsigned c = 0; c < m->component.n; c++) {
        drop_lines(m, c);
        free(m->component.p[c].name);
        free(m->component.p[c].doc);
    }
    VEC_FREE_ALL(&m->paths);
    VEC_FREE(&m->component);
    VEC_FREE(&m->line);
    VEC_FREE(&m->structure);
    free(m);
}

unsigned energy_count(const struct energy_model *m)
{
    return (unsigned)m->component.n;
}

const char *energy_name(const struct energy_model *m, unsigned i)
{
    return m->component.p[i].name;
}

const char *energy_doc(const struct energy_model *m, unsigned i)
{
    return m->component.p[i].doc ? m->component.p[i].doc : "";
}

const char *energy_file(const struct energy_model *m)
{
    return m->paths.p[0];
}

/* ---- applying ---- */

void energy_evaluate(const struct energy_model *m, energy_stat *get, void *ctx, struct energy_result *out)
{
    memset(out, 0, sizeof *out);
    double cycles = get(ctx, "cycles");
    double idle_s = (cycles * m->machine.sms - get(ctx, "sm.active_cycles")) / m->machine.core_hz;
    out->seconds = cycles / m->machine.core_hz;
    for (size_t i = 0; i < m->line.n; i++) {
        const struct line *l = &m->line.p[i];
        struct energy_part *p = &out->component[l->component];
        double count = 0;
        for (size_t k = 0; k < l->term.n; k++)
            count += l->term.p[k].sign * get(ctx, l->term.p[k].name);
        double dynamic = count * l->joules;
        double idle = l->watts * out->seconds + l->idle_watts * idle_s;
        p->dynamic_j += dynamic;
        p->static_j += idle;
        out->total.dynamic_j += dynamic;
        out->total.static_j += idle;
    }
}

void energy_each(const struct energy_model *m, const struct energy_result *r,
                 void (*fn)(void *ctx, const char *name, double value), void *ctx)
{
    double total = r->total.dynamic_j + r->total.static_j;
    fn(ctx, "energy.total_j", total);
    fn(ctx, "energy.dynamic_j", r->total.dynamic_j);
    fn(ctx, "energy.static_j", r->total.static_j);
    fn(ctx, "energy.power_w", r->seconds > 0 ? total / r->seconds : 0);
    for (unsigned i = 0; i < m->component.n; i++) {
        char name[96];
        snprintf(name, sizeof name, "energy.%s_j", m->component.p[i].name);
        fn(ctx, name, r->component[i].dynamic_j + r->component[i].static_j);
    }
}
