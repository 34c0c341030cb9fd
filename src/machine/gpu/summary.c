/* A screen of results, and GPGPU-Sim's names. */
#include "gpu/result.h"
#include "base/demangle.h"

#include "engine/policy_registry.h"
#include "engine/stats.h"
#include "gpu/energy.h"
#include "gpu/gpu_config.h"
#include "gpu/gpu_priv.h"
#include "gpu/work.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { NAME_WIDTH = 40 }; /* of kernels in the list of launches */

struct view {
    const struct stats *s;
    const uint64_t *v;
};

static double get(const struct view *v, const char *name)
{
    int i = stats_find(v->s, name);
    return i < 0 ? 0 : stats_value(v->s, v->v, (unsigned)i);
}

/* 12345678 -> "12.35 M" */
static const char *big(char out[24], double x)
{
    static const struct {
        double at;
        const char *unit;
    } scale[] = {{1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e4, " k"}};
    for (unsigned i = 0; i < sizeof scale / sizeof *scale; i++)
        if (x >= scale[i].at) {
            snprintf(out, 24, "%.2f%s", x / scale[i].at * (scale[i].at == 1e4 ? 10 : 1), scale[i].unit);
            return out;
        }
    snprintf(out, 24, "%.0f", x);
    return out;
}

/*
 * Shares in tenths of a percent that add up to 1000: each is rounded down, and those that lose most by it get one more.
 * n <= SHARES.
 */
enum { SHARES = 32 };
static void share_out(const double *part, unsigned n, double whole, unsigned tenths[SHARES])
{
    double lost[SHARES];
    unsigned sum = 0;
    for (unsigned i = 0; i < n; i++) {
        const double exact = 1000 * part[i] / whole;
        tenths[i] = (unsigned)exact;
        lost[i] = exact - tenths[i];
        sum += tenths[i];
    }
    for (; sum < 1000; sum++) {
        unsigned most = 0;
        for (unsigned i = 1; i < n; i++)
            most = lost[i] > lost[most] ? i : most;
        if (lost[most] <= 0) /* the parts do not make up the whole */
            return;
        tenths[most]++;
        lost[most] = 0;
    }
}

static void cache_line(const struct view *v, const char *title, const char *prefix, FILE *out)
{
    char name[64], a[24], b[24];
    /* An L2's atomics hit or miss; those of the L1s are outcomes of their own, and so are accesses sent to other L1s.
     */
    enum { USUAL = 4, OUTCOMES = 6 };
    static const char *const outcome[OUTCOMES][2] = {
        {"hits", "hit"},          {"misses", "miss"},         {"merges", "merged"},
        {"bypasses", "bypassed"}, {"forwarded", "forwarded"}, {"atomics", "atomic"}};
    const unsigned n = strcmp(prefix, "l2") ? OUTCOMES : USUAL;
    double part[SHARES];
    unsigned share[SHARES];
    for (unsigned i = 0; i < n; i++) {
        snprintf(name, sizeof name, "%s.%s", prefix, outcome[i][0]);
        part[i] = get(v, name);
    }
    snprintf(name, sizeof name, "%s.accesses", prefix);
    const double all = get(v, name);
    if (!all)
        return;
    share_out(part, n, all, share);
    fprintf(out, "  %-10s %10s accesses", title, big(a, all));
    for (unsigned i = 0; i < n; i++)
        if (i < USUAL || part[i] > 0)
            fprintf(out, "  %5.1f%% %s", share[i] / 10.0, outcome[i][1]);
    snprintf(name, sizeof name, "%s.evictions", prefix);
    fprintf(out, ", %s evicted\n", big(b, get(v, name)));
}

/* Translations, where the machine has TLBs. */
static void translation_line(const struct view *v, FILE *out)
{
    char a[24], b[24];
    if (!get(v, "tlb.accesses"))
        return;
    fprintf(out,
            "  TLB        %10s accesses  %5.1f%% without translation, %s walks of %.0f cycles; %.0f cycles of wait a "
            "request",
            big(a, get(v, "tlb.accesses")), 100 * get(v, "tlb.miss_rate"), big(b, get(v, "mmu.walks")),
            get(v, "mmu.walk"), get(v, "tlb.wait_per_request"));
    if (get(v, "mmu.faults") > 0)
        fprintf(out, ", %s faults", big(a, get(v, "mmu.faults")));
    fputc('\n', out);
}

static void stall_line(const struct view *v, FILE *out)
{
    double all = get(v, "sm.scheduler_cycles"), part[SHARES] = {get(v, "sm.issue_cycles")};
    const char *reason[SHARES] = {"issue"};
    unsigned n = 1, tenths[SHARES];
    if (!all)
        return;
    for (unsigned i = 0; i < stats_count(v->s) && n < SHARES; i++) {
        const char *name = stats_name(v->s, i)->name;
        if (strncmp(name, "sm.stall.", 9))
            continue;
        part[n] = stats_value(v->s, v->v, i);
        reason[n++] = name + 9;
    }
    share_out(part, n, all, tenths);
    fprintf(out, "  schedulers %9.1f%% issue", tenths[0] / 10.0);
    for (unsigned i = 1; i < n; i++)
        if (tenths[i])
            fprintf(out, ", %.1f%% %s", tenths[i] / 10.0, reason[i]);
    fputc('\n', out);
}

static void latency_line(const struct view *v, FILE *out)
{
    static const char *const where[][2] = {
        {"l1", "L1"}, {"l1_merge", "merged"}, {"remote_l1", "other L1"}, {"l2", "L2"}, {"dram", "DRAM"}};
    if (!get(v, "sm.replies"))
        return;
    fprintf(out, "  latency    %10.0f cycles", get(v, "sm.latency.all"));
    for (unsigned i = 0; i < sizeof where / sizeof *where; i++) {
        char name[64];
        snprintf(name, sizeof name, "sm.latency.%s", where[i][0]);
        if (get(v, name) > 0)
            fprintf(out, ", %s %.0f", where[i][1], get(v, name));
    }
    fputc('\n', out);
}

/* The total, and the components with the largest parts of it. */
static void energy_line(const struct gpu_results *r, FILE *out)
{
    enum { SHOWN = 5 };
    struct energy_result e;
    gpu_energy_of_stats(r->energy, r->stats, r->total, &e);
    double total = e.total.dynamic_j + e.total.static_j;
    bool shown[ENERGY_COMPONENTS] = {false};
    fprintf(out, "  energy     %10.4g mJ, %.1f W, %.0f%% static", total * 1e3, e.seconds > 0 ? total / e.seconds : 0,
            total > 0 ? 100 * e.total.static_j / total : 0);
    for (int k = 0; k < SHOWN; k++) {
        int most = -1;
        double part = 0;
        for (unsigned i = 0; i < energy_count(r->energy); i++) {
            double j = e.component[i].dynamic_j + e.component[i].static_j;
            if (!shown[i] && j > part) {
                part = j;
                most = (int)i;
            }
        }
        if (most < 0)
            break;
        shown[most] = true;
        fprintf(out, ", %s %.1f%%", energy_name(r->energy, (unsigned)most), 100 * part / total);
    }
    fputc('\n', out);
}

/* What was simulated, and how sure the main statistics are. */
static void sampled_lines(const struct gpu_results *r, const struct view *v, FILE *out)
{
    static const char *const name[][2] = {{"cycles", "cycles"},
                                          {"ipc", "IPC"},
                                          {"l1.misses", "L1 misses"},
                                          {"l2.misses", "L2 misses"},
                                          {"dram.reads", "DRAM reads"}};
    const struct gpu_sampled *s = r->sampled;
    fprintf(out, "  sampled    %u of %u launches, %.1f%% of warp instructions simulated", s->launches_simulated,
            s->launches, 100 * s->share);
    for (unsigned i = 0; i < sizeof name / sizeof *name; i++) {
        const int at = stats_find(r->stats, name[i][0]);
        const double value = get(v, name[i][0]);
        if (at >= 0 && value > 0 && isinf(s->half[at]))
            fprintf(out, ", %s unknown", name[i][1]);
        else if (at >= 0 && value > 0)
            fprintf(out, ", %s \u00b1 %.1f%%", name[i][1], 100 * s->half[at] / value);
    }
    if (s->launches_whole)
        fprintf(out, "; %u ran whole (too few alike or too few CTAs, or rates that do not settle)", s->launches_whole);
    fputc('\n', out);
}

struct policies {
    FILE *out;
    const char *sep;
};
static void print_policy(void *ctx, const struct cfg_value *v)
{
    struct policies *p = ctx;
    if (v->field->type != CFG_POLICY)
        return;
    char title[POLICY_TITLE];
    fprintf(p->out, "%s%s %s", p->sep, policy_title(v->field->choices, title), v->text);
    p->sep = ", ";
}

/* Whether warps issued operations of scheduled code, of which there are not as many as PTX instructions. */
static bool ran_scheduled_code(const struct gpu *g, const struct gpu_results *r)
{
    bool any = false;
    for (unsigned i = 0; i < r->n_kernel && g->smc->code == SM_CODE_SCHEDULED; i++)
        any |= r->kernel[i].kernel->code != NULL;
    return any;
}

void result_print_summary(struct gpu *g, bool complete, double host_s, FILE *out)
{
    const struct gpu_results *r = gpu_get_results(g);
    struct view v = {r->stats, r->total};
    char a[24], b[24];
    fprintf(out, "%s", cfg_machine(gpu_config(g)));
    struct policies p = {out, ": "};
    cfg_each(gpu_config(g), print_policy, &p);
    fputs(complete ? "\n" : " (PARTIAL: the run was stopped)\n", out);
    fprintf(out, "  cycles     %10s  (%.3f ms simulated), %u kernel%s\n", big(a, get(&v, "cycles")),
            (double)gpu_time_ns(g) / 1e6, r->n_kernel, r->n_kernel == 1 ? "" : "s");
    if (g->has_streams && gpu_takes_turns(g))
        fprintf(out, "  streams    one kernel at a time: %s\n", gpu_takes_turns(g));
    if (r->sampled)
        sampled_lines(r, &v, out);
    fprintf(out, "  instr.     %10s warp, %s thread; IPC %.2f%s\n", big(a, get(&v, "warp_insts")),
            big(b, get(&v, "thread_insts")), get(&v, "ipc"),
            ran_scheduled_code(g, r) ? "; operations of scheduled code, not PTX (sm.code)" : "");
    stall_line(&v, out);
    cache_line(&v, "L1", "l1", out);
    cache_line(&v, "constant", "const", out);
    cache_line(&v, "texture", "tex", out);
    translation_line(&v, out);
    cache_line(&v, "L2", "l2", out);
    if (get(&v, "noc.flits") > 0)
        fprintf(out, "  networks   %10s packets, %s flits, mean latency %.0f network cycles\n",
                big(a, get(&v, "noc.packets")), big(b, get(&v, "noc.flits")), get(&v, "noc.latency"));
    if (get(&v, "dram.reads") + get(&v, "dram.writes") > 0)
        fprintf(out, "  DRAM       %10s reads, %s writes, %.1f%% row hits, utilization %.1f%%, %.1f banks busy\n",
                big(a, get(&v, "dram.reads")), big(b, get(&v, "dram.writes")), 100 * get(&v, "dram.row_hit_rate"),
                100 * get(&v, "dram.utilization"), get(&v, "dram.blp"));
    latency_line(&v, out);
    if (r->energy)
        energy_line(r, out);
    if (r->n_kernel > 1) {
        fputs("  launches\n", out);
        for (unsigned i = 0; i < r->n_kernel && i < 6; i++) {
            struct view k = {r->stats, r->kernel[i].value};
            char name[NAME_WIDTH + 1];
            demangle_fit(r->kernel[i].kernel->name, name, NAME_WIDTH);
            fprintf(out, "    %-4u %-*s %10s cycles  IPC %8.2f\n", r->kernel[i].launch, NAME_WIDTH, name,
                    big(a, get(&k, "cycles")), get(&k, "ipc"));
        }
        if (r->n_kernel > 6)
            fprintf(out, "    ... %u more; --json FILE lists all\n", r->n_kernel - 6);
    }
    if (host_s > 0)
        fprintf(out, "  host       %10.2f s, %s warp instructions/s, %s cycles/s\n", host_s,
                big(a, get(&v, "warp_insts") / host_s), big(b, get(&v, "cycles") / host_s));
}

/* GPGPU-Sim's name, and ours as num / den (den "" = a plain value). */
static const struct {
    const char *theirs, *ours;
} aliases[] = {
    {"gpu_sim_cycle", "cycles"},
    {"gpu_tot_sim_cycle", "cycles"},
    {"gpu_sim_insn", "thread_insts"},
    {"gpu_tot_sim_insn", "thread_insts"},
    {"gpu_ipc", "ipc"},
    {"gpgpu_n_tot_w_icount", "warp_insts"},
    {"gpu_tot_issued_cta", "sm.ctas"},
    {"L1D_total_cache_accesses", "l1.accesses"},
    {"L1D_total_cache_misses", "l1.misses"},
    {"L1D_total_cache_miss_rate", "l1.miss_rate"},
    {"L1D_total_cache_pending_hits", "l1.merges"},
    {"L2_total_cache_accesses", "l2.accesses"},
    {"L2_total_cache_misses", "l2.misses"},
    {"L2_total_cache_miss_rate", "l2.miss_rate"},
    {"L2_total_cache_pending_hits", "l2.merges"},
    {"averagemflatency", "sm.latency.all"},
    {"icnt_total_pkts_simt_to_mem", "noc.request.packets_in"},
    {"icnt_total_pkts_mem_to_simt", "noc.reply.packets_in"},
    {"total_dram_reads", "dram.reads"},
    {"total_dram_writes", "dram.writes"},
    {"gpgpu_n_dram_activates", "dram.activates"},
    {"dram_eff", "dram.efficiency"},
    {"W0_Scoreboard", "sm.stall.memory"},
    {"W0_Idle", "sm.stall.no_warp"},
};

void result_print_gpgpusim(struct gpu *g, FILE *out)
{
    const struct gpu_results *r = gpu_get_results(g);
    for (unsigned i = 0; i < sizeof aliases / sizeof *aliases; i++) {
        int at = stats_find(r->stats, aliases[i].ours);
        if (at < 0)
            continue;
        if (stats_name(r->stats, (unsigned)at)->def->kind == STAT_RATIO)
            fprintf(out, "%s = %.4f\n", aliases[i].theirs, stats_value(r->stats, r->total, (unsigned)at));
        else
            fprintf(out, "%s = %" PRIu64 "\n", aliases[i].theirs, r->total[at]);
    }
}
