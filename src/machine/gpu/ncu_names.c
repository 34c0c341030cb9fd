/* See ncu_names.h. */
#include "gpu/ncu_names.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define LOADS  "l1tex__t_sectors_pipe_lsu_mem_global_op_ld"
#define SECTOR "l1.global_sectors"
#define HIT    "l1.global_sector_hits"
const struct ncu_metric ncu_metrics[] = {
    {"sm__cycles_elapsed.max", "cycle", "cycles", NULL, 1},
    {"gpu__time_duration.sum", "ns", "cycles", NULL, 0},
    {"smsp__inst_executed.sum", "inst", "warp_insts", NULL, 1},
    {"smsp__thread_inst_executed.sum", "inst", "thread_insts", NULL, 1},
    {"sm__ctas_launched.sum", "block", "sm.ctas", NULL, 1},
    {"sm__warps_active.avg.per_cycle_active", "warp", "sm.warp_cycles", "sm.active_cycles", 1},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "", "sm.shared_passes", NULL, 1},
    {LOADS ".sum", "sector", SECTOR, NULL, 1},
    {LOADS "_lookup_hit.sum", "sector", HIT, NULL, 1},
    {LOADS "_lookup_miss.sum", "sector", SECTOR "-" HIT, NULL, 1},
    {"l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct", "%", HIT, SECTOR, 100},
    {"lts__t_sectors_op_read.sum", "sector", "l2.read_sectors", NULL, 1},
    {"lts__t_sectors_op_read_lookup_hit.sum", "sector", "l2.read_sector_hits", NULL, 1},
    {"lts__t_sector_op_read_hit_rate.pct", "%", "l2.read_sector_hits", "l2.read_sectors", 100},
    {"lts__t_sectors_op_write.sum", "sector", "l2.write_sectors", NULL, 1},
    {"dram__bytes_read.sum", "byte", "dram.read_bytes", NULL, 1},
    {"dram__bytes_write.sum", "byte", "dram.write_bytes", NULL, 1},
    {"dram__bytes.sum", "byte", "dram.read_bytes+dram.write_bytes", NULL, 1},
    {0}};

/* The terms of an expression with their signs, added. */
static double sum(const char *expr, ncu_stat *get, void *ctx)
{
    double total = 0, sign = 1;
    while (*expr) {
        char name[128];
        size_t n = strcspn(expr, "+-");
        if (n >= sizeof name)
            return NAN;
        memcpy(name, expr, n);
        name[n] = 0;
        total += sign * get(ctx, name);
        expr += n;
        sign = *expr == '-' ? -1 : 1;
        expr += *expr != 0;
    }
    return total;
}

double ncu_value(const struct ncu_metric *m, double core_hz, ncu_stat *get, void *ctx)
{
    double num = sum(m->num, get, ctx), den = m->den ? sum(m->den, get, ctx) : 1;
    if (den == 0)
        return NAN;
    return num / den * (m->scale != 0 ? m->scale : 1e9 / core_hz);
}
