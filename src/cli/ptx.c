/*
 * weir ptx: what weir makes of a PTX file. Needs no program and runs nothing: for people who write PTX, and for
 * finding out whether weir knows all of a kernel before it is launched.
 */
#include "cli/cli.h"

#include "base/err.h"
#include "base/mem.h"
#include "code/code.h"
#include "ptx/ir.h"
#include "ptx/kernel_table.h"

#include <errno.h>
#include <stdio.h>

struct args {
    const char *action;
    VEC(const char *) file;
};

static void take_word(struct argp_state *state, void *args, char *word)
{
    struct args *a = args;
    (void)state;
    if (!a->action)
        a->action = word;
    else
        VEC_PUSH(&a->file, word);
}

static void check_options(struct argp_state *state, void *args)
{
    const struct args *a = args;
    cli_choose(state, NULL, a->action, (const char *const[]){"check", "info", "code", "dump", NULL});
    if (!a->file.n)
        argp_error(state, "which file?");
}

static const struct cli_syntax syntax = {
    .usage = "check|info|code|dump FILE.ptx...",
    .doc =
        "Check PTX files, show their kernels, or print them back.\v  check  parse and analyze everything; list "
        "unsupported "
        "features\n"
        "  info   one line per function: instructions, blocks, loops, registers, memory\n"
        "  code   the operations that each kernel issues when sm.code = scheduled, by region\n"
        "  dump   print the parsed module\n"
        "\n"
        "Example: weir ptx info vecadd.ptx",
    .word = take_word,
    .end = check_options};

/* Whatever the path leads to: a pipe, too. */
static char *read_file(const char *path, size_t *n, struct err *e)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        err_at(e, path, 0, 0, "cannot open: %s", strerror(errno));
        return NULL;
    }
    VEC(char) text = {0};
    do {
        VEC_RESERVE(&text, text.n + 65536);
        text.n += fread(text.p + text.n, 1, 65536, f);
    } while (!feof(f) && !ferror(f));
    if (ferror(f)) {
        err_at(e, path, 0, 0, "cannot read: %s", strerror(errno));
        VEC_FREE(&text);
    }
    fclose(f);
    *n = text.n;
    return text.p;
}

/* Lists instructions that weir cannot run. */
static unsigned check(const struct ptx_module *m)
{
    unsigned n_bad = 0, n_inst = 0, n_entry = 0;
    for (uint32_t f = 0; f < m->n_func; f++) {
        n_entry += m->func[f].is_entry;
        n_inst += m->func[f].n_inst;
        for (uint32_t pc = 0; pc < m->func[f].n_inst; pc++) {
            const struct ptx_inst *i = &m->func[f].inst[pc];
            if (i->bad) {
                printf("%s:%u:%u: in %s: %s\n", m->name, i->line, i->col, m->func[f].name, i->bad);
                n_bad++;
            }
        }
    }
    printf("%s: %u kernels, %u functions, %u instructions, %u unknown\n", m->name, n_entry, m->n_func - n_entry, n_inst,
           n_bad);
    return n_bad;
}

/* The function and all that it calls, as one kernel; `list` and `code` have room for every function of the module. */
static int build(struct ptx_module *m, uint32_t func, uint32_t *list, struct ptx_code *code, unsigned *n_code,
                 struct arena *arena, struct trace_kernel *t, struct err *e)
{
    uint32_t n = ptx_reachable(m, func, list);
    *n_code = 0;
    for (uint32_t k = 0; k < n; k++)
        if (m->func[list[k]].has_body)
            code[(*n_code)++] = (struct ptx_code){.module = m, .func = &m->func[list[k]]};
    return ptx_build_kernel(code, *n_code, arena, t, e);
}

static int info(struct ptx_module *m, struct err *e)
{
    struct arena *arena = arena_new();
    uint32_t *list = arena_alloc(arena, m->n_func * sizeof *list);
    struct ptx_code *code = arena_alloc(arena, m->n_func * sizeof *code);
    printf("%s: PTX %u.%u for sm_%u, %u variables\n", m->name, m->version_major, m->version_minor, m->target_sm,
           m->n_var);
    printf("%8s %7s %6s %5s %5s %5s %8s %8s  %s\n", "insts", "blocks", "loops", "mem", "live", "regs", "shared",
           "local", "name");
    int rc = 0;
    for (uint32_t k = 0; k < m->n_func && rc == 0; k++) {
        struct ptx_func *f = &m->func[k];
        if (!f->has_body)
            continue;
        struct trace_kernel t;
        unsigned n_code;
        rc = build(m, k, list, code, &n_code, arena, &t, e);
        if (rc == 0)
            printf("%8u %7u %6u %5u %5u %5u %8u %8u  %s%s\n", f->n_inst, f->n_block, f->n_loop, t.n_mem, f->max_live,
                   ptx_regs_per_thread(m, f), t.smem_static_bytes, t.local_bytes_per_thread,
                   f->is_entry ? "" : ".func ", f->name);
    }
    arena_free(arena);
    return rc;
}

static void print_ops(const struct trace_kernel *t, uint32_t at, uint32_t n)
{
    static const char *const class_name[] = {
#define X(name, text, doc) text,
        TRACE_CLASSES(X)
#undef X
    };
    for (const struct trace_op *o = t->code->op + at; o < t->code->op + at + n; o++) {
        const struct trace_inst *i = &t->inst[o->pc];
        printf("  %5u.%u %-10s", o->pc, o->copy, class_name[o->cls]);
        for (unsigned k = 0; k < (unsigned)o->n_dst + o->n_src; k++)
            printf("%s%u", k == o->n_dst ? " <- " : k ? "," : "", t->code->reg[o->regs_at + k]);
        printf("  ; %u: %s\n", i->ptx_line, t->str + i->opcode_at);
    }
}

static int print_code(struct ptx_module *m, struct err *e)
{
    struct arena *arena = arena_new();
    uint32_t *list = arena_alloc(arena, m->n_func * sizeof *list);
    struct ptx_code *code = arena_alloc(arena, m->n_func * sizeof *code);
    int rc = 0;
    for (uint32_t k = 0; k < m->n_func && rc == 0; k++) {
        struct trace_kernel t;
        unsigned n_code;
        if (!m->func[k].is_entry)
            continue;
        rc = build(m, k, list, code, &n_code, arena, &t, e);
        if (rc == 0)
            rc = code_build(code, n_code, arena, &t, e);
        if (rc || !t.code)
            continue;
        printf("%s: %u PTX instructions, %u operations, %u registers\n", t.name, t.n_inst, t.code->n_op,
               t.code->n_scoreboard);
        for (const struct trace_region *r = t.code->region; r < t.code->region + t.code->n_region; r++) {
            printf(" region %u-%u\n", r->pc, r->pc + r->n_pc - 1);
            print_ops(&t, r->op, r->n_op);
            if (r->copies) {
                printf(" %u iterations together\n", r->copies);
                print_ops(&t, r->all.op, r->all.n_op);
            }
        }
    }
    arena_free(arena);
    return rc;
}

static int do_file(const char *action, const char *path, struct err *e, unsigned *n_bad)
{
    size_t n;
    char *text = read_file(path, &n, e);
    if (!text)
        return -1;
    struct ptx_module *m = ptx_parse(text, n, path, e);
    free(text);
    if (!m)
        return -1;
    int rc = 0;
    for (uint32_t k = 0; k < m->n_func && rc == 0; k++)
        if (m->func[k].has_body)
            rc = ptx_analyze(m, &m->func[k], e);
    if (rc == 0) {
        if (!strcmp(action, "check"))
            *n_bad += check(m);
        else if (!strcmp(action, "info"))
            rc = info(m, e);
        else if (!strcmp(action, "code"))
            rc = print_code(m, e);
        else
            ptx_print(m, stdout);
    }
    ptx_module_free(m);
    return rc;
}

int cli_ptx(int argc, char **argv)
{
    struct args a = {0};
    cli_parse(&syntax, argc, argv, 0, &a);
    unsigned n_bad = 0;
    int rc = 0;
    for (size_t k = 0; k < a.file.n; k++) {
        struct err e;
        if (do_file(a.action, a.file.p[k], &e, &n_bad) < 0)
            rc = cli_fail(&e);
    }
    VEC_FREE(&a.file);
    return rc || n_bad ? CLI_BAD_INPUT : CLI_OK;
}
