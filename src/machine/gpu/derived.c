/*
 * Totals of a machine: what its values, given by SM, slice, channel and cycle, amount to. Peaks are those of the units
 * and wires alone, without queues, conflicts and latencies.
 *
 * The limits of derived_doubts are about twice the largest that any GPU until 2025 has: a value beyond is more likely a
 * mistake (a total where one slice is asked for, a marketing clock) than a design.
 */
#include "gpu/derived.h"

#include "dram/dram_config.h"
#include "gpu/gpu_config.h"
#include "gpu/props.h"
#include "l1/l1_config.h"
#include "l2/l2_config.h"
#include "noc/noc_config.h"
#include "sm/sm_config.h"
#include "vm/vm_config.h"

#include <inttypes.h>
#include <stdarg.h>

struct machine {
    const struct machine_config *machine;
    const struct clock_config *clock;
    const struct memory_config *memory;
    const struct sm_config *sm;
    const struct l1_cache_config *l1;
    const struct noc_config *noc;
    const struct l2_config *l2;
    const struct dram_config *dram;
    const struct vm_config *vm;
    struct device_props props;
    uint32_t slices;
    double fma, l1_bytes, to_sm, from_sm, l2_bytes, dram_bytes; /* a second, of the whole machine */
    double pin_rate;                                            /* transfers a second */
};

static double least(double a, double b)
{
    return a < b ? a : b;
}

static void machine_of(const struct cfg *c, struct machine *m)
{
    *m = (struct machine){.machine = cfg_section(c, "machine"),
                          .clock = cfg_section(c, "clock"),
                          .memory = cfg_section(c, "memory"),
                          .sm = cfg_section(c, "sm"),
                          .l1 = cfg_section(c, "l1"),
                          .noc = cfg_section(c, "noc"),
                          .l2 = cfg_section(c, "l2"),
                          .dram = cfg_section(c, "dram"),
                          .vm = cfg_section(c, "vm")};
    gpu_props_of(c, &m->props);
    m->slices = m->memory->channels * m->memory->slices_per_channel;
    const double sms = m->machine->sms, core = (double)m->clock->core, noc = (double)m->clock->noc;
    const uint32_t ii = m->sm->ii[TRACE_FP_MAD];
    const double lanes = least((double)m->sm->sp_units * m->sm->simt_width / (ii ? ii : 1),
                               (double)m->sm->schedulers * m->sm->issue_width * TRACE_WARP_SIZE);
    m->fma = sms * lanes * core;
    double line_bytes = (double)least(m->sm->lsu_lines, m->l1->ports) * (double)m->l1->line;
    if (m->sm->data_banks)
        line_bytes = least(line_bytes, 4.0 * m->sm->data_banks);
    m->l1_bytes = sms * line_bytes * core;
    m->from_sm = sms * m->noc->flit * noc;
    m->to_sm = sms * (m->noc->reply_flit ? m->noc->reply_flit : m->noc->flit) * noc;
    m->l2_bytes = (double)m->slices * m->l2->port_bytes * (double)m->clock->l2;
    m->pin_rate = (double)m->clock->dram * m->dram->data_rate;
    m->dram_bytes = (double)m->memory->channels * dram_bus_bits(m->dram) / 8 * m->pin_rate;
}

static void print_rate(FILE *out, const char *what, double bytes_per_s, const struct machine *m)
{
    fprintf(out, "%s %.0f GB/s, %.0f bytes a core cycle", what, bytes_per_s * 1e-9,
            bytes_per_s / (double)m->clock->core);
}

void derived_print(const struct cfg *c, FILE *out)
{
    struct machine m;
    char one[32], all[32];
    machine_of(c, &m);
    const uint32_t sms = m.machine->sms;
    fprintf(out, "  arithmetic   %.2f TFLOP/s in single precision (multiply-adds, %" PRIu32 " SMs)\n", 2e-12 * m.fma,
            sms);
    cfg_print_bytes(one, m.sm->regfile);
    cfg_print_bytes(all, m.sm->regfile * sms);
    fprintf(out, "  registers    %s an SM, %s in all\n", one, all);
    cfg_print_bytes(one, m.l1->size);
    cfg_print_bytes(all, m.l1->size * sms);
    fprintf(out, "  L1           %s an SM, %s in all%s; ", one, all,
            *m.l1->carveouts ? ", shared memory included" : "");
    print_rate(out, "hits", m.l1_bytes, &m);
    fputs("\n  network      ", out);
    print_rate(out, "to the SMs", m.to_sm, &m);
    print_rate(out, "; from them", m.from_sm, &m);
    cfg_print_bytes(one, m.l2->size);
    cfg_print_bytes(all, m.props.l2_bytes);
    fprintf(out, "\n  L2           %s a slice, %" PRIu32 " slices, %s in all; ", one, m.slices, all);
    print_rate(out, "hits", m.l2_bytes, &m);
    fprintf(out, "\n  DRAM         %" PRIu32 " channels of %" PRIu32 " bits, %.2f Gbit/s a pin; ", m.memory->channels,
            dram_bus_bits(m.dram), m.pin_rate * 1e-9);
    print_rate(out, "peak", m.dram_bytes, &m);
    if (m.vm->enabled) {
        cfg_print_bytes(one, m.vm->l1_entries * (m.vm->l1_reach ? m.vm->l1_reach : m.vm->page));
        cfg_print_bytes(all, m.vm->l2_entries * (m.vm->l2_reach ? m.vm->l2_reach : m.vm->page));
        fprintf(out, "\n  translation  the TLB of an SM reaches %s, the shared one %s", one, all);
    }
    const uint32_t threads = m.props.max_threads_per_sm, ctas = m.props.max_ctas_per_sm;
    cfg_print_bytes(one, m.props.smem_per_sm / (ctas ? ctas : 1));
    fprintf(out,
            "\n  occupancy    %" PRIu32 " warps and %" PRIu32 " CTAs an SM; all warps with up to %" PRIu32
            " registers a thread and\n               %" PRIu32
            " threads or more a CTA; all CTAs with up to %s of shared "
            "memory each\n",
            m.props.max_warps_per_sm, ctas, m.props.regs_per_sm / (threads ? threads : 1),
            (threads + ctas - 1) / (ctas ? ctas : 1), one);
}

/* ---- doubts ---- */

struct doubts {
    FILE *out;
    unsigned n;
};

static void __attribute__((format(printf, 4, 5)))
doubt_if(struct doubts *d, bool doubtful, const char *key, const char *fmt, ...)
{
    if (!doubtful)
        return;
    va_list ap;
    va_start(ap, fmt);
    fprintf(d->out, "  doubtful: %s: ", key);
    vfprintf(d->out, fmt, ap);
    fputc('\n', d->out);
    va_end(ap);
    d->n++;
}

#define KiB (1ull << 10)
#define MiB (1ull << 20)

unsigned derived_doubts(const struct cfg *c, FILE *out)
{
    struct machine m;
    struct doubts d = {out, 0};
    char one[32], all[32];
    machine_of(c, &m);
    cfg_print_bytes(one, m.l2->size);
    cfg_print_bytes(all, m.props.l2_bytes);
    doubt_if(&d, m.props.l2_bytes > 256 * MiB, "l2.size",
             "%s is the size of one slice; %" PRIu32 " slices have %s, and no GPU's L2 has more than 128MiB", one,
             m.slices, all);
    cfg_print_bytes(one, m.l1->size);
    doubt_if(&d, m.l1->size > 512 * KiB, "l1.size", "%s in one SM, and no GPU has more than 256KiB", one);
    cfg_print_bytes(one, m.sm->regfile);
    doubt_if(&d, m.sm->regfile > 512 * KiB, "sm.regfile",
             "%s in one SM, and no GPU has more than 256KiB (a register has 4 "
             "bytes)",
             one);
    cfg_print_bytes(one, m.sm->smem);
    doubt_if(&d, m.sm->smem > 512 * KiB, "sm.smem", "%s in one SM, and no GPU has more than 228KiB", one);
    cfg_print_bytes(all, m.sm->smem_per_cta);
    doubt_if(&d, m.sm->smem_per_cta > m.sm->smem, "sm.smem_per_cta", "a CTA may have %s, but an SM has %s (sm.smem)",
             all, one);
    doubt_if(&d, m.machine->sms > 384, "machine.sms", "%" PRIu32 " SMs, and no GPU has more than 192", m.machine->sms);
    doubt_if(&d, m.sm->max_ctas > m.sm->max_warps, "sm.max_ctas",
             "%" PRIu32 " CTAs of a warp or more do not fit into %" PRIu32 " warps (sm.max_warps)", m.sm->max_ctas,
             m.sm->max_warps);
    cfg_print_freq(one, m.clock->core);
    doubt_if(&d, m.clock->core > 4000000000u || m.clock->core < 200000000u, "clock.core",
             "%s, and the SMs of GPUs run at 0.5 to 3 GHz", one);
    doubt_if(&d, m.pin_rate > 64e9, "clock.dram",
             "%.1f Gbit/s a pin: the command clock is multiplied by dram.data_rate (%" PRIu32
             "); is this the data rate itself?",
             m.pin_rate * 1e-9, m.dram->data_rate);
    doubt_if(&d, m.dram_bytes > 20e12, "memory.channels", "%.0f GB/s from DRAM, and no GPU has more than 8000",
             m.dram_bytes * 1e-9);
    doubt_if(&d, m.dram_bytes > 2 * m.l2_bytes, "l2.port_bytes",
             "the L2 moves %.0f GB/s, less than half of DRAM's %.0f", m.l2_bytes * 1e-9, m.dram_bytes * 1e-9);
    doubt_if(&d, m.l2_bytes > m.l1_bytes, "l2.port_bytes", "the L2 moves %.0f GB/s, more than the L1s' %.0f",
             m.l2_bytes * 1e-9, m.l1_bytes * 1e-9);
    doubt_if(&d, m.l1->latency > 200, "l1.latency", "%" PRIu32 " cycles, and no GPU needs more than 100",
             m.l1->latency);
    doubt_if(&d, m.sm->schedulers * m.sm->issue_width > 16, "sm.schedulers",
             "%" PRIu32 " instructions a cycle and SM, and no GPU issues more than 8",
             m.sm->schedulers * m.sm->issue_width);
    doubt_if(&d, m.memory->size < m.props.l2_bytes, "memory.size", "less memory than L2");
    cfg_print_bytes(one, m.memory->size);
    doubt_if(&d, m.memory->size > (1ull << 40), "memory.size", "%s, and no GPU has more than 288GiB", one);
    return d.n;
}
