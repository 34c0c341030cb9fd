/* Device properties from a configuration; see props.h. */
#include "gpu/gpu.h"
#include "gpu/props.h"

#include "dram/dram_config.h"
#include "gpu/gpu_config.h"
#include "gpu/gpu_priv.h"
#include "l1/l1_config.h"
#include "l2/l2_config.h"
#include "noc/noc_config.h"
#include "sm/sm_config.h"

#include <string.h>

void gpu_props_of(const struct cfg *c, struct device_props *p)
{
    const struct machine_config *machine = cfg_section(c, "machine");
    const struct clock_config *clock = cfg_section(c, "clock");
    const struct memory_config *memory = cfg_section(c, "memory");
    const struct sm_config *sm = cfg_section(c, "sm");
    const struct l2_config *l2 = cfg_section(c, "l2");
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "%s (weir %s)", machine->name, cfg_machine(c));
    p->cc_major = 9;
    p->sm_count = machine->sms;
    p->gpc_count = machine->gpcs;
    p->clock_khz = (uint32_t)(clock->core / 1000);
    p->mem_clock_khz = (uint32_t)(clock->dram / 1000);
    p->mem_bus_bits = memory->channels * dram_bus_bits(cfg_section(c, "dram"));
    p->global_bytes = memory->size;
    p->l2_bytes = l2->size * memory->channels * memory->slices_per_channel;
    p->const_bytes = 64 << 10;
    p->warp_size = TRACE_WARP_SIZE;
    p->schedulers_per_sm = sm->schedulers;
    p->max_threads_per_block = sm->max_threads_per_cta;
    p->max_warps_per_sm = sm->max_warps;
    p->max_threads_per_sm = sm->max_warps * TRACE_WARP_SIZE;
    p->max_ctas_per_sm = sm->max_ctas;
    p->regs_per_sm = p->regs_per_block = (uint32_t)(sm->regfile / 4);
    p->max_regs_per_thread = sm->max_regs_per_thread;
    p->smem_per_block_optin = (uint32_t)sm->smem_per_cta;
    p->smem_per_block = p->smem_per_block_optin < 48u << 10 ? p->smem_per_block_optin : 48u << 10;
    p->smem_per_sm = (uint32_t)sm->smem;
    p->smem_reserved_per_block = (uint32_t)sm->smem_reserved;
    p->reg_alloc_unit = sm->reg_alloc_unit;
    p->warp_alloc_unit = sm->warp_alloc_unit;
    p->smem_alloc_unit = (uint32_t)sm->smem_alloc_unit;
}

int gpu_props_load(const char *machine, const char *const *set, unsigned n_set, const char *with,
                   struct device_props *p, struct err *e)
{
    struct cfg *c = cfg_load(gpu_schema(), machine ? machine : GPU_DEFAULT, set, n_set, with, e);
    if (!c)
        return -1;
    gpu_props_of(c, p);
    cfg_free(c);
    return 0;
}
