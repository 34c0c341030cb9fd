/* Findings: one entry for each kind of event between the same instructions, and how often it was seen. */
#include "check/state.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>

enum { FINDINGS_MAX = 1000 };

const char *const class_word[N_CLASS] = {
    [RACE] = "race",
    [RACE_SAME_INST] = "race-same-instruction",
    [RACE_SCOPE] = "race-scope",
    [RACE_ACQUIRE] = "race-acquire",
    [RACE_WARP] = "warp-synchronous",
    [RACE_EQUAL] = "race-equal-value",
    [RACE_GUESS] = "race-cas-guess",
    [RACE_ASYNC] = "race-async-copy",
    [RACE_LAUNCH] = "race-streams",
    [UNINIT] = "uninitialized",
    [UNINIT_HOST] = "uninitialized-copy",
    [SYNC_DIVERGED] = "divergent-barrier",
    [SYNC_MASK] = "wrong-mask",
    [MEMORY] = "memory",
    [UNDEFINED] = "undefined",
    [PROXY] = "proxy-fence",
    [BARRIER] = "barrier",
    [MBARRIER] = "mbarrier",
    [UNWAITED] = "unwaited-copy",
    [LEAK] = "leak",
};
const char *const class_tool[N_CLASS] = {
    [RACE] = "racecheck",         [RACE_SAME_INST] = "racecheck", [RACE_SCOPE] = "racecheck",
    [RACE_ACQUIRE] = "racecheck", [RACE_WARP] = "racecheck",      [RACE_EQUAL] = "racecheck",
    [RACE_GUESS] = "racecheck",   [RACE_ASYNC] = "racecheck",     [RACE_LAUNCH] = "racecheck",
    [UNINIT] = "initcheck",       [UNINIT_HOST] = "initcheck",    [SYNC_DIVERGED] = "synccheck",
    [SYNC_MASK] = "synccheck",    [MEMORY] = "memcheck",          [UNDEFINED] = "synccheck",
    [PROXY] = "racecheck",        [BARRIER] = "synccheck",        [MBARRIER] = "synccheck",
    [UNWAITED] = "synccheck",     [LEAK] = "leakcheck",
};

const char *const class_text[N_CLASS] = {
    [RACE] = "Two accesses to one place, one of them a write, that nothing orders",
    [RACE_SAME_INST] = "Lanes of one store write different values to one place",
    [RACE_SCOPE] = "Atomics or fences of block scope between threads of several CTAs",
    [RACE_ACQUIRE] = "The reader saw the flag and did not fence before it read the data",
    [RACE_WARP] = "Lanes of a warp exchange data without __syncwarp()",
    [RACE_EQUAL] = "Several threads write equal values to one place",
    [RACE_GUESS] = "The plain first read of a compare-and-swap loop",
    [RACE_ASYNC] = "An access to what an asynchronous copy or product still uses",
    [RACE_LAUNCH] = "Operations on streams that nothing orders access one place",
    [UNINIT] = "A read of bytes that nobody wrote",
    [UNINIT_HOST] = "Bytes that nobody wrote are copied to the host",
    [SYNC_DIVERGED] = "Lanes of a warp wait at different barrier instructions",
    [SYNC_MASK] = "A mask names lanes that do not execute the instruction, or leaves out one that does",
    [MEMORY] = "An access to memory that is not the program's, or not aligned",
    [UNDEFINED] = "PTX leaves open what this instruction does here",
    [PROXY] = "The asynchronous proxy reads shared memory that was stored without a proxy fence since",
    [BARRIER] = "A barrier that cannot complete",
    [MBARRIER] = "An mbarrier is stored to, or initialized again, while it is in use",
    [UNWAITED] = "A CTA ends before an asynchronous copy of its shared memory",
    [LEAK] = "Memory, streams or events that were never freed",
};

struct end end_of(const struct launch *l, const struct site *x, const char *what, uint64_t cta, unsigned thread)
{
    struct end e = {.what = what, .kernel = l->code ? l->code->kernel : l->call};
    if (!x)
        return e;
    e.file = x->file;
    e.line = x->line;
    snprintf(e.inst, sizeof e.inst, "%s", x->text);
    e.has_thread = true;
    e.thread[0] = thread % l->block[0];
    e.thread[1] = thread / l->block[0] % l->block[1];
    e.thread[2] = thread / (l->block[0] * l->block[1]);
    e.cta[0] = (uint32_t)(cta % l->grid[0]);
    e.cta[1] = (uint32_t)(cta / l->grid[0] % l->grid[1]);
    e.cta[2] = (uint32_t)(cta / ((uint64_t)l->grid[0] * l->grid[1]));
    return e;
}

uint64_t site_line(const struct site *x)
{
    return (uint64_t)(uintptr_t)x->file * 0x9e3779b97f4a7c15ull + x->line;
}

bool finding_new(struct check *c, enum class class, uint64_t k0, uint64_t k1, uint64_t k2, struct finding **out)
{
    for (size_t i = 0; i < c->finding.n; i++) {
        struct finding *f = &c->finding.p[i];
        if (f->class == class && f->key[0] == k0 && f->key[1] == k1 && f->key[2] == k2) {
            f->count++;
            *out = f;
            return false;
        }
    }
    *out = NULL;
    if (c->finding.n == FINDINGS_MAX)
        return false;
    VEC_PUSH(&c->finding, (struct finding){.class = class, .severity = ERROR, .key = {k0, k1, k2}, .count = 1});
    *out = &c->finding.p[c->finding.n - 1];
    return true;
}

/* `reduce.cu:17` is not a part of `reduce.cu:171`. */
static bool line_names(const char *at, const char *text)
{
    const size_t n = strlen(text);
    const bool number = n && isdigit((unsigned char)text[n - 1]);
    for (const char *found = at; (found = strstr(found, text)); found++)
        if (!number || !isdigit((unsigned char)found[n]))
            return true;
    return false;
}

static bool names(const struct finding *f, const char *text)
{
    const struct end *e[] = {&f->a, &f->b};
    for (int i = 0; i < 2; i++) {
        char *at = xasprintf("%s:%u", e[i]->file ? e[i]->file : "", e[i]->line);
        const bool here = line_names(at, text) || (e[i]->kernel && strstr(e[i]->kernel, text));
        free(at);
        if (here)
            return true;
    }
    return (f->where && strstr(f->where, text)) || (f->text && strstr(f->text, text));
}

void finding_done(struct check *c, struct finding *f)
{
    for (size_t i = 0; i < c->suppress.n && !f->suppressed; i++) {
        const char *class = c->suppress.p[i].class;
        f->suppressed =
            (!strcmp(class, "*") || !strcmp(class, class_word[f->class])) && names(f, c->suppress.p[i].rest);
    }
    if (f->class == LEAK && !c->opts.leaks_fail)
        f->severity = WARNING;
    if (f->suppressed)
        f->severity = NOTE;
    if (c->opts.fail_fast && f->severity == ERROR && c->opts.ended)
        c->opts.ended(c->opts.ended_ctx);
}

static void frame_text(void *frame, char *out, size_t cap)
{
    Dl_info d;
    if (!dladdr(frame, &d) || !d.dli_fname) {
        snprintf(out, cap, "%p", frame);
        return;
    }
    const char *slash = strrchr(d.dli_fname, '/');
    const char *file = slash ? slash + 1 : d.dli_fname;
    if (d.dli_sname)
        snprintf(out, cap, "%s+0x%zx (%s)", d.dli_sname, (size_t)((char *)frame - (char *)d.dli_saddr), file);
    else
        snprintf(out, cap, "%s+0x%zx", file, (size_t)((char *)frame - (char *)d.dli_fbase));
}

/* The first frame outside this library: the program's own. */
void *place_frame(const struct place *p)
{
    Dl_info own, d;
    if (!dladdr((void *)(uintptr_t)&finding_new, &own))
        return NULL;
    for (int i = 0; i < p->n_frame; i++)
        if (!dladdr(p->frame[i], &d) || d.dli_fbase != own.dli_fbase)
            return p->frame[i];
    return NULL;
}

void place_text(const struct place *p, char *out, size_t cap)
{
    void *frame = place_frame(p);
    out[0] = '\0';
    if (frame)
        frame_text(frame, out, cap);
}

char *finding_where(struct check *c, uint8_t space, uint64_t addr)
{
    if (space == PTX_S_SHARED)
        return xasprintf("byte %llu of the CTA's shared memory", (unsigned long long)addr);
    if (space == PTX_S_LOCAL)
        return xasprintf("byte %llu of the thread's local memory", (unsigned long long)addr);
    const struct emu_alloc *a = emu_mem_nearest(c->emu, addr);
    if (!a || addr - a->addr >= a->bytes)
        return xasprintf("0x%llx", (unsigned long long)addr);
    const unsigned long long offset = addr - a->addr, bytes = a->bytes;
    if (a->kind == EMU_MEM_MODULE && a->name)
        return xasprintf("byte %llu of the %llu-byte variable %s", offset, bytes, a->name);
    const struct place *p = host_place(c, addr);
    char by[256] = "";
    if (p)
        place_text(p, by, sizeof by);
    return xasprintf("byte %llu of the %llu-byte allocation #%u%s%s", offset, bytes, a->serial, *by ? ", made at " : "",
                     by);
}
