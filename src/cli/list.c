/* weir list and weir explain: what there is to choose from, and what a name means. */
#include "base/nearest.h"
#include "base/renamed.h"
#include "cli/cli.h"
#include "cli/machine_args.h"

#include "base/out_of_memory.h"
#include "base/mem.h"
#include "energy/structures.h"
#include "engine/config.h"
#include "engine/policy_registry.h"
#include "gpu/energy.h"
#include "gpu/gpu_config.h"
#include "gpu/result.h"

#include <stdio.h>
#include <string.h>

/* ---- list ---- */

static void print_machine(void *ctx, const char *name, const char *path, const char *what)
{
    (void)ctx, (void)path;
    printf("  %-16s %s\n", name, what);
}

/* The first sentence. */
static int summary_length(const char *text)
{
    const char *end = strstr(text, ". ");
    return (int)(end ? end - text + 1 : (long)strlen(text));
}

static void print_policies(void)
{
    const struct cfg_schema *s = gpu_schema();
    for (unsigned i = 0; i < s->n_kind; i++) {
        const struct policy_kind *k = s->kind[i];
        printf("%s: %s (%s)\n", k->name, k->doc, k->key);
        for (unsigned j = 0; j < k->n; j++) {
            const struct policy_info *p = k->policy[j];
            printf("  %-16s %.*s\n", p->name, summary_length(p->doc), p->doc);
        }
    }
}

static void print_statistic(void *ctx, const struct stat_doc *d)
{
    (void)ctx;
    printf("  %-34s %-18s %s\n", d->name, d->kind == STAT_HIST ? "histogram" : *d->unit ? d->unit : "-", d->doc);
}

static void print_fields(const char *section, const struct cfg_field *f)
{
    for (; f && f->key; f++) {
        char name[128];
        snprintf(name, sizeof name, "%s.%s", section, f->key);
        printf("  %-26s %-14s %-13s %s\n", name, *f->def ? f->def : "\"\"", *f->unit ? f->unit : "-", f->doc);
    }
}

/* With their defaults. Policies of one name share a section, and no parameter is in two of them. */
static void print_parameters(void)
{
    char kind[POLICY_TITLE];
    const struct cfg_schema *s = gpu_schema();
    for (unsigned i = 0; i < s->n_section; i++) {
        printf("%s: %s\n", s->section[i]->name, s->section[i]->doc);
        print_fields(s->section[i]->name, s->section[i]->field);
    }
    for (unsigned i = 0; i < s->n_kind; i++)
        for (unsigned j = 0; j < s->kind[i]->n; j++) {
            const struct policy_info *p = s->kind[i]->policy[j];
            if (!p->params || !p->params->key)
                continue;
            printf("%s: of the %s policy, with --with %s\n", p->name, policy_title(s->kind[i]->name, kind), p->name);
            print_fields(p->name, p->params);
        }
}

static void take_name(struct argp_state *state, void *args, char *word)
{
    const char **name = args;
    if (*name)
        argp_error(state, "give one name");
    *name = word;
}

static void check_list(struct argp_state *state, void *args)
{
    const char *what = *(const char **)args;
    if (!what || strcmp(what, "machines")) /* which gpus may also be called */
        cli_choose(state, NULL, what,
                   (const char *const[]){"gpus", "policies", "workloads", "papers", "statistics", "parameters", NULL});
}

static const struct cli_syntax list_syntax = {
    .part = {{&plugin_syntax, 0, NULL}},
    .usage = "gpus|policies|workloads|papers|statistics|parameters",
    .doc =
        "List the machines, the policies, the workloads, the papers with their figures, or all statistics and "
        "parameters with their units and meanings.\v"
        "Examples:\n"
        "  weir list gpus\n"
        "  weir list policies\n"
        "  weir list papers\n"
        "  weir list statistics\n"
        "  weir list parameters\n"
        "  weir list policies --plugin ./mine.so\n",
    .word = take_name,
    .end = check_list};

int cli_list(int argc, char **argv)
{
    const char *what = NULL;
    struct err e;
    cli_parse(&list_syntax, argc, argv, 0, &what);
    if (!strcmp(what, "workloads"))
        return cli_suite(2, (char *[]){"suite", "list", NULL});
    if (!strcmp(what, "papers"))
        return cli_list_papers();
    if (!strcmp(what, "policies"))
        print_policies();
    else if (!strcmp(what, "parameters"))
        print_parameters();
    else if (strcmp(what, "statistics")
                 ? cfg_each_machine(print_machine, NULL, &e)
                 : result_each_stat(print_statistic, NULL, &e) || gpu_energy_each_stat(print_statistic, NULL, &e))
        return cli_fail(&e);
    return CLI_OK;
}

/* ---- explain ---- */

struct search {
    const char *word;
    bool found, is_section;
    bool by_last_part; /* "lsu_full" of sm.stall.lsu_full */
    VEC(char *) names; /* all there are, for the nearest */
};

static void match_stat(void *ctx, const struct stat_doc *d)
{
    struct search *s = ctx;
    const char *dot = strrchr(d->name, '.'), *name = s->by_last_part && dot ? dot + 1 : d->name;
    VEC_PUSH(&s->names, xstrdup(name));
    for (unsigned b = 0; d->kind == STAT_HIST && b <= d->def->n_bound; b++) {
        char bucket[128];
        int n = snprintf(bucket, sizeof bucket - STAT_BUCKET, "%s", d->name);
        stat_bucket_name(d->def, b, bucket + n);
        if (strcmp(bucket, s->word))
            continue;
        s->found = true;
        printf("%s: bucket of the histogram %s%s%s\n  %s\n", bucket, d->name, *d->unit ? ", in " : "", d->unit, d->doc);
    }
    if (strcmp(name, s->word))
        return;
    s->found = true;
    printf("%s: a %s%s%s\n  %s\n", d->name, d->kind == STAT_HIST ? "histogram" : "statistic", *d->unit ? ", in " : "",
           d->unit, d->doc);
}

static void explain_field(const char *section, const struct cfg_field *f, const struct policy_info *of)
{
    printf("%s.%s: a parameter", section, f->key);
    if (of)
        printf(" of the policy %s", of->name);
    if (*f->unit)
        printf(", in %s", f->unit);
    printf("\n  %s\n  default %s", f->doc, *f->def ? f->def : "empty");
    char lo[32], hi[32];
    if (f->type == CFG_INT)
        printf(", from %lu to %lu", (unsigned long)f->min, (unsigned long)f->max);
    else if (f->type == CFG_BYTES) {
        cfg_print_bytes(lo, f->min);
        cfg_print_bytes(hi, f->max);
        printf(", from %s to %s", lo, hi);
    } else if (f->type == CFG_FREQ) {
        cfg_print_freq(lo, f->min);
        cfg_print_freq(hi, f->max);
        printf(", from %s to %s", lo, hi);
    } else if (f->type == CFG_ENUM)
        printf("; one of: %s", f->choices);
    else if (f->type == CFG_POLICY)
        printf("; a policy ('weir list policies')");
    putchar('\n');
}

static void match_fields(struct search *s, const char *section, const struct cfg_field *f, const struct policy_info *of)
{
    for (; f && f->key; f++) {
        char name[128];
        snprintf(name, sizeof name, "%s.%s", section, f->key);
        VEC_PUSH(&s->names, xstrdup(name));
        if (strcmp(name, s->word))
            continue;
        s->found = true;
        explain_field(section, f, of);
    }
}

static void explain_fields(const char *section, const struct cfg_field *f)
{
    for (; f && f->key; f++)
        printf("  parameter %s.%s = %s%s%s: %s\n", section, f->key, f->def, *f->unit ? " " : "", f->unit, f->doc);
}

static void print_if_below(void *ctx, const struct stat_doc *d)
{
    const struct search *s = ctx;
    size_t n = strlen(s->word);
    if (!strncmp(d->name, s->word, n) && d->name[n] == '.')
        printf("  %s %s: %s\n", d->kind == STAT_HIST ? "histogram" : "statistic", d->name, d->doc);
}

/* A section, with its parameters and what is counted under its name. */
static int match_section(struct search *s, const struct cfg_section *section, struct err *e)
{
    match_fields(s, section->name, section->field, NULL);
    VEC_PUSH(&s->names, xstrdup(section->name));
    if (strcmp(section->name, s->word))
        return 0;
    s->is_section = true;
    printf("%s: a section of the configuration: %s\n", section->name, section->doc);
    explain_fields(section->name, section->field);
    return result_each_stat(print_if_below, s, e);
}

static int match_config(struct search *s, struct err *e)
{
    const struct cfg_schema *schema = gpu_schema();
    for (unsigned i = 0; i < schema->n_section; i++)
        if (match_section(s, schema->section[i], e))
            return -1;
    for (unsigned i = 0; i < schema->n_kind; i++) {
        const struct policy_kind *k = schema->kind[i];
        VEC_PUSH(&s->names, xstrdup(k->name));
        if (!strcmp(k->name, s->word)) {
            s->found = true;
            printf("%s: a kind of policy\n  %s; chosen by %s or --with\n  ", k->name, k->doc, k->key);
            for (unsigned j = 0; j < k->n; j++)
                printf("%s%s", j ? ", " : "", k->policy[j]->name);
            putchar('\n');
        }
        for (unsigned j = 0; j < k->n; j++) {
            const struct policy_info *p = k->policy[j];
            VEC_PUSH(&s->names, xstrdup(p->name));
            match_fields(s, p->name, p->params, p);
            if (strcmp(p->name, s->word))
                continue;
            s->found = true;
            printf("%s: a policy of kind %s\n  %s\n", p->name, k->name, p->doc);
            explain_fields(p->name, p->params);
            for (const struct stat_def *d = p->stats; d && d->name; d++)
                printf("  %s %s.%s: %s\n", d->kind == STAT_HIST ? "histogram" : "statistic", p->name, d->name, d->doc);
            for (const struct load_column *l = p->load_columns; l && l->name; l++)
                printf("  of each load %s.%s%s%s: %s\n", p->name, l->name, *l->unit ? ", in " : "", l->unit, l->doc);
        }
    }
    return 0;
}

static void match_machine(void *ctx, const char *name, const char *path, const char *what)
{
    struct search *s = ctx;
    VEC_PUSH(&s->names, xstrdup(name));
    if (strcmp(name, s->word))
        return;
    s->found = true;
    printf("%s: a machine\n  %s\n  %s\n", name, what, path);
}

/* ---- what a policy costs ---- */

/* Of the arrays alone, by weir's model of SRAM, at the node of the publication; which gives it with the logic. */
static void print_area(const struct cfg *c, const struct policy_kind *k, const struct policy_info *p,
                       const struct policy_cost *row, unsigned n)
{
    double node = p->published_nm > 0 ? p->published_nm : 45, mm2 = 0, leak_mw = 0, host_mm2 = 0;
    const char *host = strncmp(k->key, "l2.", 3) ? "l1" : "l2";
    for (unsigned i = 0; i < n; i++) {
        struct sram s = energy_policy_sram(&row[i], node);
        struct sram_cost cost = sram_cost(&s);
        mm2 += cost.area_mm2;
        leak_mw += cost.leak_mw;
    }
    energy_structures all = {0};
    energy_structures_of(gpu_schema(), c, node, &all);
    for (size_t i = 0; i < all.n; i++)
        if (!all.p[i].policy && !strncmp(all.p[i].name, host, 2) && all.p[i].name[2] == '.')
            host_mm2 += all.p[i].cost.area_mm2;
    VEC_FREE(&all);
    printf("  area of these arrays at %.0f nm: %.4f mm2 (%.2f%% of the %s's %.3f mm2), leakage %.3f mW", node, mm2,
           host_mm2 > 0 ? 100 * mm2 / host_mm2 : 0, *host == 'l' && host[1] == '1' ? "L1" : "L2 slice", host_mm2,
           leak_mw);
    if (p->published_mm2 > 0)
        printf("\n  published, logic included: %.4f mm2 at %.0f nm, %s", p->published_mm2, p->published_nm,
               p->published_area);
    putchar('\n');
}

static void print_cost(const struct policy_kind *k, const struct policy_info *p, const struct cfg *c, unsigned index)
{
    struct policy_cost row[POLICY_COSTS];
    unsigned n = p->cost(c, cfg_policy_params(c, k->name, index), row);
    uint64_t sum = 0, published = 0;
    printf("%s on %s: storage it adds to one %s\n", p->name, cfg_machine(c),
           strncmp(k->key, "l2.", 3) ? "SM" : "L2 slice");
    printf("  %-16s %6s %8s %8s   %-22s %s\n", "structure", "bits", "entries", "sum", "published",
           "fields of an entry");
    for (unsigned i = 0; i < n; i++) {
        char theirs[32] = "";
        if (row[i].published_bits)
            snprintf(theirs, sizeof theirs, "%u x %u = %u", row[i].published_bits, row[i].published_entries,
                     row[i].published_bits * row[i].published_entries);
        printf("  %-16s %6u %8u %8u   %-22s %s\n", row[i].structure, row[i].bits, row[i].entries,
               row[i].bits * row[i].entries, theirs, row[i].fields);
        sum += (uint64_t)row[i].bits * row[i].entries;
        published += (uint64_t)row[i].published_bits * row[i].published_entries;
    }
    printf("  %-16s %6s %8s %8lu   %-22lu bits\n", "total", "", "", (unsigned long)sum, (unsigned long)published);
    printf("  %-16s %6s %8s %8.1f   %-22.1f bytes\n", "", "", "", (double)sum / 8, (double)published / 8);
    print_area(c, k, p, row, n);
}

/* Every kind that has a policy of this name and knows its cost. */
static int explain_cost(const char *name, struct machine_args *m)
{
    struct err e;
    const struct cfg_schema *schema = gpu_schema();
    char *with = xasprintf("%s%s%s", m->opts.with ? m->opts.with : "", m->opts.with ? "," : "", name);
    struct cfg *c =
        cfg_load(schema, m->opts.machine ? m->opts.machine : GPU_DEFAULT, m->opts.set, m->opts.n_set, with, &e);
    free(with);
    if (!c)
        return cli_fail(&e);
    bool found = false;
    for (unsigned i = 0; i < schema->n_kind; i++) {
        int at = policy_find(schema->kind[i], name);
        if (at < 0 || !schema->kind[i]->policy[at]->cost)
            continue;
        print_cost(schema->kind[i], schema->kind[i]->policy[at], c, (unsigned)at);
        found = true;
    }
    cfg_free(c);
    if (!found)
        fprintf(stderr, "weir: explain: the policy '%s' does not report its cost\n", name);
    return found ? CLI_OK : CLI_BAD_INPUT;
}

struct explain_args {
    const char *word; /* first, for take_name */
    bool cost;
    struct machine_args machine;
};

static void check_explain(struct argp_state *state, void *args)
{
    if (!((struct explain_args *)args)->word)
        argp_error(state, "no name given; see 'weir list statistics'");
}

static const struct cli_option explain_options[] = {{"cost", NULL,
                                                     "show the storage that a policy adds to the given machine",
                                                     CLI_FLAG(struct explain_args, cost), .letter = 'c'},
                                                    {0}};

static const struct cli_syntax explain_syntax = {
    explain_options,
    {{&machine_syntax, offsetof(struct explain_args, machine), "Plugins; and for --cost, the machine:"}},
    "NAME",
    "Explain a statistic, a parameter, a policy or a machine.\vExamples:\n"
    "  weir explain gto\n"
    "  weir explain l1.misses\n"
    "  weir explain dram\n"
    "  weir explain lsu_full\n"
    "  weir explain sm.lsu_queue\n"
    "  weir explain apcm --cost --gpu gtx780 --set apcm.mta_entries=64\n",
    take_name,
    check_explain};

int cli_explain(int argc, char **argv)
{
    struct explain_args a = {0};
    cli_parse(&explain_syntax, argc, argv, 0, &a);
    const int cost = a.cost ? explain_cost(a.word, &a.machine) : CLI_OK;
    machine_args_free(&a.machine);
    if (a.cost)
        return cost;
    struct search s = {.word = a.word};
    struct err e;
    if (result_each_stat(match_stat, &s, &e) || gpu_energy_each_stat(match_stat, &s, &e) ||
        cfg_each_machine(match_machine, &s, &e) || match_config(&s, &e))
        return cli_fail(&e);
    if (!s.found) { /* the summary shows the last part of some names only, "memory" among them */
        s.by_last_part = true;
        if (result_each_stat(match_stat, &s, &e))
            return cli_fail(&e);
    }
    s.found |= s.is_section;
    if (!s.found) {
        const char *near = nearest_name(s.word, (const char *const *)s.names.p, (unsigned)s.names.n);
        char now[256];
        const unsigned kinds = RENAMED_STATISTIC | RENAMED_PARAMETER | RENAMED_VALUE | RENAMED_KIND;
        if (renamed_hint(kinds, s.word, now, sizeof now))
            fprintf(stderr, "weir: explain: nothing is called '%s'; %s\n", s.word, now);
        else
            fprintf(stderr, "weir: explain: no statistic, parameter, policy or machine is called '%s'%s%s%s\n", s.word,
                    near ? "; did you mean '" : "",
                    near ? near : "; see 'weir list statistics' and 'weir list parameters'", near ? "'?" : "");
    }
    VEC_FREE_ALL(&s.names);
    return s.found ? CLI_OK : CLI_BAD_INPUT;
}
