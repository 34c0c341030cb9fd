/* weir reproduce and weir report: the figures of papers, from the plans that ship with weir (study/plan.h). */
#include "base/out_of_memory.h"
#include "base/outfile.h"
#include "base/paths.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/machine_args.h"
#include "cli/progress.h"
#include "cli/study.h"
#include "base/nearest.h"
#include "chart/html_page.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

struct args {
    const char *what; /* paper or plan */
    char *figures;    /* "12,13"; NULL = all */
    bool claims_only; /* of each figure, what its published values are judged by */
    struct study study;
};

/* ---- what to do: plans ---- */

static bool is_wanted(const struct args *a, const char *number)
{
    if (!a->figures)
        return true;
    size_t n = number ? strlen(number) : 0;
    for (const char *at = a->figures; *at;) {
        size_t len = strcspn(at, ", ");
        if (n && len == n && !strncmp(at, number, n))
            return true;
        at += len + (at[len] != 0);
    }
    return false;
}

/* The paper's own figures first, then what has no number of its own. */
static int rank(const struct plan *p)
{
    int n = p->number ? atoi(p->number) : 0;
    return n > 0 ? n : INT_MAX;
}

static int by_number(const void *a, const void *b)
{
    const struct plan *x = a, *y = b;
    return rank(x) != rank(y) ? (rank(x) < rank(y) ? -1 : 1) : strcmp(x->path, y->path);
}

struct plans {
    VEC(struct plan) plan;
};

static int read_folder(struct plans *all, const char *folder, struct err *e)
{
    DIR *d = opendir(folder);
    if (!d)
        return err_at(e, folder, 0, 0, "%s", strerror(errno));
    int status = 0;
    for (struct dirent *x; !status && (x = readdir(d));) {
        if (strncmp(x->d_name, "fig", 3) || !text_ends_in(x->d_name, ".ini"))
            continue;
        char path[2 * PATH_MAX + 300];
        struct plan p;
        snprintf(path, sizeof path, "%s/%s", folder, x->d_name);
        status = plan_read(&p, path, e);
        if (!status)
            VEC_PUSH(&all->plan, p);
    }
    closedir(d);
    if (!status && !all->plan.n) {
        err_at(e, folder, 0, 0, "there is no plan in this folder");
        return err_hint(
            e, "plans in a folder must be named fig*.ini; for a file with another name use 'weir sweep FILE.ini'");
    }
    qsort(all->plan.p, all->plan.n, sizeof *all->plan.p, by_number);
    return status;
}

/* Adds a word to an enumeration, as long as there is room. */
static void enumerate(char *list, size_t bytes, const char *word)
{
    size_t n = strlen(list);
    if (n + strlen(word) + 3 < bytes)
        snprintf(list + n, bytes - n, "%s%s", n ? ", " : "", word);
}

/* Every figure asked for must be there, and must not be one that cannot be made. */
static int check_figures(const struct args *a, const struct plans *all, struct err *e)
{
    char *copy = a->figures ? xstrdup(a->figures) : NULL;
    int status = 0;
    for (char *save, *w = copy ? strtok_r(copy, ", ", &save) : NULL; w && !status; w = strtok_r(NULL, ", ", &save)) {
        const struct plan *found = NULL;
        for (size_t i = 0; i < all->plan.n; i++)
            if (all->plan.p[i].number && !strcmp(all->plan.p[i].number, w))
                found = &all->plan.p[i];
        if (found && found->not_reproduced) {
            status = err_set(e, "figure %s cannot be reproduced: %s", w, found->not_reproduced);
        } else if (!found) {
            char list[200] = "";
            for (size_t i = 0; i < all->plan.n; i++)
                if (all->plan.p[i].number)
                    enumerate(list, sizeof list, all->plan.p[i].number);
            err_set(e, "there is no plan for figure %s", w);
            status = err_hint(e, "there are: %s", list);
        }
    }
    free(copy);
    return status;
}

/* The folders of plans, each a paper or a study of our own. */
struct papers {
    VEC(char *) name;
};

static void papers_read(struct papers *p, const char *plans)
{
    struct dirent **x = NULL;
    int n = scandir(plans, &x, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        if (x[i]->d_name[0] != '.')
            VEC_PUSH(&p->name, xstrdup(x[i]->d_name));
        free(x[i]);
    }
    free(x);
    VEC_PUSH(&p->name, xstrdup("swcache")); /* its programs choose their own variants: no plan says that */
}

static void papers_free(struct papers *p)
{
    VEC_FREE_ALL(&p->name);
}

static int unknown_paper(const char *plans, const char *name, struct err *e)
{
    char list[200] = "";
    struct papers p = {0};
    papers_read(&p, plans);
    const char *near = nearest_name(name, (const char *const *)p.name.p, (unsigned)p.name.n);
    for (size_t i = 0; i < p.name.n; i++)
        enumerate(list, sizeof list, p.name.p[i]);
    err_set(e, "there are no plans for '%s'", name);
    if (near)
        err_hint(e, "did you mean '%s'? papers: %s", near, list);
    else
        err_hint(e, "papers: %s; or name a plan file: 'weir sweep FILE.ini'", list);
    papers_free(&p);
    return -1;
}

static int find_plans(char plans[PATH_MAX], struct err *e)
{
    if (!paths_find(PATHS_PLANS, plans, PATH_MAX))
        return 0;
    err_set(e, "weir's plans were not found");
    return err_hint(e, "install weir, or run it from its build folder");
}

static bool is_folder(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISDIR(st.st_mode);
}

int cli_list_papers(void)
{
    char plans[PATH_MAX];
    struct err e;
    if (find_plans(plans, &e))
        return cli_fail(&e);
    struct papers p = {0};
    int status = CLI_OK;
    papers_read(&p, plans);
    for (size_t i = 0; i < p.name.n && status == CLI_OK; i++) {
        char folder[PATH_MAX + 64], figures[200] = "";
        struct plans all = {0};
        snprintf(folder, sizeof folder, "%s/%s", plans, p.name.p[i]);
        if (is_folder(folder) && read_folder(&all, folder, &e))
            status = cli_fail(&e);
        for (size_t k = 0; k < all.plan.n; k++)
            if (all.plan.p[k].number && !all.plan.p[k].not_reproduced)
                enumerate(figures, sizeof figures, all.plan.p[k].number);
        printf("  %-16s %s%s\n", p.name.p[i], *figures ? "figures " : "its own programs", figures);
        for (size_t k = 0; k < all.plan.n; k++)
            plan_free(&all.plan.p[k]);
        VEC_FREE(&all.plan);
    }
    papers_free(&p);
    return status;
}

/* The folder that is meant: a paper's, or one of one's own. "" = none is. */
static int find_folder(const char *what, char folder[2 * PATH_MAX], struct err *e)
{
    char plans[PATH_MAX];
    folder[0] = 0;
    if (!strchr(what, '/') && what[0] != '.') {
        if (find_plans(plans, e))
            return -1;
        snprintf(folder, 2 * PATH_MAX, "%s/%s", plans, what);
        if (is_folder(folder))
            return 0;
    }
    snprintf(folder, 2 * PATH_MAX, "%s", is_folder(what) ? what : "");
    return 0;
}

/* All plans of a paper or of a folder, or the one plan file. */
static int read_plans(const struct args *a, const char *folder, struct plans *all, struct err *e)
{
    char plans[PATH_MAX];
    if (*folder)
        return read_folder(all, folder, e) || check_figures(a, all, e) ? -1 : 0;
    if (strchr(a->what, '/') || text_ends_in(a->what, ".ini")) {
        struct plan p;
        if (plan_read(&p, a->what, e))
            return -1;
        VEC_PUSH(&all->plan, p);
        return check_figures(a, all, e);
    }
    return find_plans(plans, e) ? -1 : unknown_paper(plans, a->what, e);
}

/* What the report is called: as its folder, however that was named ("." for one), or as the plan's file. Owned by the
 * caller. */
static char *title_of(const char *what, const char *folder)
{
    char whole[PATH_MAX];
    const char *name = *folder && realpath(folder, whole) ? strrchr(whole, '/') + 1 : what;
    return xstrdup(*name ? name : what);
}

/* Leaves of each plan what its claims are judged by; plans without a claim have no figure to make. */
static int narrow(struct plans *all, struct err *e)
{
    struct claims claims = {0};
    const char *published = NULL;
    for (size_t i = 0; i < all->plan.n && !published; i++)
        published = all->plan.p[i].published;
    if (published && claims_read(&claims, published, e))
        return -1;
    size_t kept = 0;
    for (size_t i = 0; i < all->plan.n; i++) {
        if (claims_narrow(&claims, &all->plan.p[i])) {
            all->plan.p[kept++] = all->plan.p[i];
        } else {
            plan_free(&all->plan.p[i]);
        }
    }
    all->plan.n = kept;
    if (published)
        claims_free(&claims);
    return 0;
}

/* ---- one paper ---- */

static int reproduce(struct args *a)
{
    struct plans all = {0};
    struct err e;
    err_clear(&e);
    char from[2 * PATH_MAX];
    int status = CLI_BAD_INPUT;
    if (find_folder(a->what, from, &e)) {
        err_print(&e, stderr);
        return status;
    }
    char *title = title_of(a->what, from), *out = study_folder(title);
    a->study.title = title;
    if (!a->study.out)
        a->study.out = out;
    if (read_plans(a, from, &all, &e) || (a->claims_only && narrow(&all, &e))) {
        err_print(&e, stderr);
    } else if (!all.plan.n) {
        fprintf(stderr, "weir: no published value is about %s: nothing to do\n", title);
        status = CLI_OK;
    } else {
        for (size_t i = 0; i < all.plan.n; i++)
            if (is_wanted(a, all.plan.p[i].number)) {
                VEC_PUSH(&a->study.plan, all.plan.p[i]);
                memset(&all.plan.p[i], 0, sizeof all.plan.p[i]);
            }
        status = study_run(&a->study);
    }
    for (size_t i = 0; i < all.plan.n; i++)
        plan_free(&all.plan.p[i]);
    VEC_FREE(&all.plan);
    free(title);
    free(out);
    return status;
}

/* ---- all of them ---- */

static int reproduce_swcache(const struct study *s, const char *out)
{
    char jobs[16];
    snprintf(jobs, sizeof jobs, "%u", s->jobs);
    VEC(char *) argv = {0};
    char *const fixed[] = {"weir reproduce swcache",
                           "--size",
                           strcmp(s->size, "paper") ? (char *)s->size : "full",
                           "-j",
                           jobs,
                           "-o",
                           (char *)out};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        VEC_PUSH(&argv, fixed[i]);
    if (s->results) {
        VEC_PUSH(&argv, "--results");
        VEC_PUSH(&argv, (char *)s->results);
    }
    VEC_PUSH(&argv, NULL);
    const int status = swcache_reproduce((int)argv.n - 1, argv.p);
    VEC_FREE(&argv);
    return status;
}

/* A paper's row of the page that leads to the others. */
static void put_paper(FILE *f, const char *name, const unsigned *verdict, int status)
{
    page_row(f, false);
    fputs("<td class=\"left\"><a href=\"", f);
    page_text(f, name);
    fputs("/report.html\">", f);
    page_text(f, name);
    fputs("</a></td>", f);
    page_number(f, verdict[VERDICT_HOLDS], 0, "");
    page_number(f, verdict[VERDICT_DIRECTION], 0, "");
    page_number(f, verdict[VERDICT_FAILS], 0, "");
    page_number(f, verdict[VERDICT_NOT_JUDGED], 0, "");
    page_number(f, status, 0, "");
    page_row_end(f);
}

static int write_index(const char *path, const struct study *s, const char *rows, struct err *e)
{
    static const char *const heads[] = {"<reproduction", "hold", "direction only", "do not hold", "not judged",
                                        "exit status",   NULL};
    char lead[64];
    struct outfile *o = outfile_open(path, e);
    if (!o)
        return -1;
    snprintf(lead, sizeof lead, "Programs at size %s.", s->size);
    FILE *f = outfile_stream(o);
    page_begin(f, "All reproductions", lead);
    page_table_begin(f);
    page_heads(f, heads);
    fputs(rows, f);
    page_table_end(f);
    page_end(f, "Made by weir reproduce all.");
    return outfile_commit(o, e);
}

/* Each into a folder of its own, and a page that leads to them. One that fails does not keep the others from running.
 */
static int reproduce_all(struct args *a)
{
    char plans[PATH_MAX];
    struct err e;
    err_clear(&e);
    const char *out = a->study.out ? a->study.out : "weir-all";
    if (a->figures) {
        fputs("weir: --figure needs one paper, not 'all'\n", stderr);
        return CLI_BAD_INPUT;
    }
    if (find_plans(plans, &e) || report_check(out, &e))
        return cli_fail(&e);
    struct papers p = {0};
    papers_read(&p, plans);
    char *page = NULL, *rows = NULL, *claims = NULL;
    size_t page_n = 0, rows_n = 0, claims_n = 0;
    FILE *all_claims = text_stream(&claims, &claims_n);
    claim_table_head(all_claims);
    FILE *md = text_stream(&page, &page_n), *html = text_stream(&rows, &rows_n);
    fprintf(md,
            "# All reproductions\n\nSize of the programs: %s. Every claim: claims.tsv.\n\n"
            "| | hold | direction only | do not hold | not judged | exit status |\n|---|--:|--:|--:|--:|--:|\n",
            a->study.size);
    int worst = CLI_OK;
    for (size_t i = 0; i < p.name.n && !progress_interrupted(); i++) {
        if ((a->study.no_run || a->claims_only) && !strcmp(p.name.p[i], "swcache"))
            continue; /* it keeps no plan from which a report could be made without running, and has no claims */
        char *folder = xasprintf("%s/%s", out, p.name.p[i]);
        struct args one = {.what = p.name.p[i], .claims_only = a->claims_only, .study = a->study};
        one.study.out = folder;
        one.study.all_claims = all_claims;
        one.study.command = xstrdup(a->study.command);
        fprintf(stderr, "weir: %s (%zu of %zu)\n", p.name.p[i], i + 1, p.name.n);
        const int status = !strcmp(p.name.p[i], "swcache") ? reproduce_swcache(&one.study, folder) : reproduce(&one);
        const unsigned *v = one.study.verdict;
        fprintf(md, "| [%s](%s/report.md) | %u | %u | %u | %u | %d |\n", p.name.p[i], p.name.p[i], v[VERDICT_HOLDS],
                v[VERDICT_DIRECTION], v[VERDICT_FAILS], v[VERDICT_NOT_JUDGED], status);
        put_paper(html, p.name.p[i], v, status);
        worst = status > worst ? status : worst;
        study_free(&one.study);
        free(folder);
    }
    fclose(md);
    fclose(html);
    fclose(all_claims);
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.4000s/report.md", out);
    int bad = outfile_write(path, page, page_n, &e);
    snprintf(path, sizeof path, "%.4000s/claims.tsv", out);
    bad = bad || outfile_write(path, claims, claims_n, &e);
    snprintf(path, sizeof path, "%.4000s/report.html", out);
    if (bad || write_index(path, &a->study, rows, &e)) {
        err_print(&e, stderr);
        worst = worst ? worst : CLI_BAD_INPUT;
    } else
        fprintf(stderr, "weir: all done; see %s\n", path);
    free(page);
    free(rows);
    free(claims);
    papers_free(&p);
    return worst;
}

/* ---- options ---- */

static void add_figures(struct argp_state *state, void *args, char *list)
{
    struct args *a = args;
    (void)state;
    text_append(&a->figures, ",", list);
}

static void take_word(struct argp_state *state, void *args, char *word)
{
    struct args *a = args;
    if (a->what)
        argp_error(state, "give one paper");
    a->what = word;
}

static void check_options(struct argp_state *state, void *args)
{
    if (!((struct args *)args)->what)
        argp_error(state, "no paper given");
}

static const struct cli_option options[] = {
    {"figure", "N", "only this figure; may be repeated, or a list: 12,13", .call = add_figures, .letter = 'f'},
    {"claims", NULL, "of each figure only the programs and columns that its published values are judged by",
     CLI_FLAG(struct args, claims_only)},
    {0}};
/* The input of the study's options is in the arguments; plugins have none. */
#define PARTS                                                                                                          \
    {                                                                                                                  \
        {&study_syntax, offsetof(struct args, study), NULL},                                                           \
        {                                                                                                              \
            &plugin_syntax, 0, NULL                                                                                    \
        }                                                                                                              \
    }

static const struct cli_syntax reproduce_syntax = {
    options,
    PARTS,
    "PAPER",
    "Reproduce the figures of a paper: tables, pictures, and a verdict for each published number.\vPAPER is apcm, "
    "caps, cart, sharedl1 or swcache; combined: APCM, CART, DynEB and CAPS alone and in all combinations; where: the "
    "gain of each over the two parameters of a machine that decide it; all: every paper, each in its own folder. PAPER "
    "may also be a folder of your own plans (fig*.ini).\n"
    "\n"
    "Examples:\n"
    "  weir reproduce apcm\n"
    "  weir reproduce apcm --figure 12 --size tiny -o out\n"
    "  weir reproduce combined --size tiny\n"
    "  weir reproduce cart --size paper --sampled -o paper\n"
    "  weir reproduce my-study\n"
    "  weir reproduce all --claims --before docs/results/claims.tsv\n"
    "  weir reproduce all\n"
    "\n"
    "After Ctrl-C, the same command resumes; finished simulations are kept.\n",
    take_word,
    check_options};
static const struct cli_syntax report_syntax_of_studies = {
    options,
    PARTS,
    "PAPER\nPLAN.ini",
    "Tables, figures and verdicts from stored results; nothing is simulated.\vExamples:\n"
    "  weir report apcm --size small -o out\n"
    "  weir report my-plan.ini --size tiny\n",
    take_word,
    check_options};

static int parse_and_run(const struct cli_syntax *syntax, int argc, char **argv, bool no_run)
{
    struct args a = {0};
    study_init(&a.study, argc, argv);
    a.study.no_run = no_run;
    cli_parse(syntax, argc, argv, 0, &a);
    const int status = !strcmp(a.what, "all") ? reproduce_all(&a) : reproduce(&a);
    study_free(&a.study);
    free(a.figures);
    return status;
}

int cli_reproduce(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "swcache"))
        return swcache_reproduce(argc - 1, argv + 1);
    return parse_and_run(&reproduce_syntax, argc, argv, false);
}

int cli_report(int argc, char **argv)
{
    return parse_and_run(&report_syntax_of_studies, argc, argv, true);
}
