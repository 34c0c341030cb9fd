/*
 * Faults of the simulated program: place, thread and cause, as text.
 */
#include "emu/state.h"

#include "base/demangle.h"
#include "emu/access.h"

#include <stdio.h>

void emu_fault_place(struct emu *emu, struct emu_fault *f, const struct ptx_module *m, const struct emu_func *entry,
                     const struct ptx_func *func, const struct ptx_inst *in)
{
    (void)emu, (void)func;
    memset(f, 0, sizeof *f);
    demangle(entry->ptx->name, f->kernel, sizeof f->kernel);
    snprintf(f->ptx_file, sizeof f->ptx_file, "%s", m->name ? m->name : "");
    if (!in)
        return;
    f->ptx_line = in->line;
    f->ptx_col = in->col;
    if (in->loc_line && in->loc_file < m->n_file) {
        snprintf(f->src_file, sizeof f->src_file, "%s", m->file[in->loc_file]);
        f->src_line = in->loc_line;
    }
    snprintf(f->inst, sizeof f->inst, "%s", in->text ? in->text : "");
}

/* The function of the program that holds this instruction. */
static const struct emu_func *func_of(const struct emu_prog *p, const struct emu_inst *in)
{
    uint32_t pc = (uint32_t)(in - p->inst);
    const struct emu_func *f = &p->func[0];
    for (uint32_t i = 0; i < p->n_func; i++)
        if (p->func[i].base_pc <= pc)
            f = &p->func[i];
    return f;
}

/* Fills *f for a thread of the warp; `lane` as in emu_raise. */
static void describe(struct emu_fault *f, enum emu_fault_kind kind, struct emu_warp *w, const struct emu_inst *in,
                     int lane, const char *fmt, va_list ap)
{
    const struct emu_warp_run *r = emu_run_of(w);
    const struct emu_func *func = func_of(r->prog, in);
    emu_fault_place(w->emu, f, func->module, &r->prog->func[0], func->ptx, in->ptx);
    f->kind = (uint8_t)kind;
    if (lane < 0)
        lane = w->active ? __builtin_ctz(w->active) : 0;
    uint32_t t = w->index * EMU_LANES + (uint32_t)lane;
    const uint32_t *b = r->grid->launch.block;
    f->has_thread = true;
    f->thread[0] = t % b[0];
    f->thread[1] = t / b[0] % b[1];
    f->thread[2] = t / (b[0] * b[1]);
    memcpy(f->cta, w->cta->ctaid, sizeof f->cta);
    vsnprintf(f->text, sizeof f->text, fmt, ap);
}

void emu_raise(struct emu_warp *w, const struct emu_inst *in, int lane, enum emu_fault_kind kind, const char *fmt, ...)
{
    struct emu_warp_run *r = emu_run_of(w);
    if (r->stop)
        return; /* the first fault counts */
    r->stop = 1;
    va_list ap;
    va_start(ap, fmt);
    describe(r->grid->fault, kind, w, in, lane, fmt, ap);
    va_end(ap);
}

void emu_remark(struct emu_warp *w, const struct emu_inst *in, int lane, enum emu_fault_kind kind, const char *fmt, ...)
{
    struct emu_prog *p = emu_run_of(w)->prog;
    if (!w->emu->opts.remark)
        return;
    for (size_t i = 0; i < p->remarked.n; i++)
        if (p->remarked.p[i] == in)
            return;
    VEC_PUSH(&p->remarked, in);
    struct emu_fault f;
    va_list ap;
    va_start(ap, fmt);
    describe(&f, kind, w, in, lane, fmt, ap);
    va_end(ap);
    w->emu->opts.remark(&f);
}

static const char *kind_name(uint8_t kind)
{
    static const char *const name[] = {
        [EMU_FAULT_NONE] = "no fault",
        [EMU_FAULT_UNSUPPORTED] = "unsupported instruction",
        [EMU_FAULT_ILLEGAL_ADDRESS] = "illegal address",
        [EMU_FAULT_MISALIGNED] = "misaligned address",
        [EMU_FAULT_BARRIER] = "barrier that cannot complete",
        [EMU_FAULT_RUNAWAY] = "runaway kernel",
        [EMU_FAULT_DEADLOCK] = "deadlock",
        [EMU_FAULT_TRAP] = "trap",
        [EMU_FAULT_ASSERT] = "device-side assert",
        [EMU_FAULT_STACK] = "stack overflow",
        [EMU_FAULT_ILLEGAL_INSTRUCTION] = "illegal instruction",
        [EMU_FAULT_UNDEFINED] = "warning: undefined behavior",
        [EMU_FAULT_POLLING] = "warning: nothing but polling",
        [EMU_FAULT_SINK] = "stream rejected",
    };
    return kind < sizeof name / sizeof *name ? name[kind] : "fault";
}

void emu_fault_print(const struct emu_fault *f, FILE *out)
{
    fprintf(out, "weir: %s in kernel %s\n", kind_name(f->kind), f->kernel);
    fprintf(out, "weir:   %s\n", f->text);
    if (f->ptx_line)
        fprintf(out, "weir:   at %s:%u:%u: %s\n", f->ptx_file, f->ptx_line, f->ptx_col, f->inst);
    if (f->src_line)
        fprintf(out, "weir:   from %s:%u\n", f->src_file, f->src_line);
    if (f->has_thread)
        fprintf(out, "weir:   by thread (%u,%u,%u) of CTA (%u,%u,%u)\n", f->thread[0], f->thread[1], f->thread[2],
                f->cta[0], f->cta[1], f->cta[2]);
}
