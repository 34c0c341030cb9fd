/*
 * Fuzzes the PTX reader. Whatever parses must also survive analysis, printing and reading back, and the printed text
 * must be a fixed point.
 */
#include "base/err.h"
#include "base/mem.h"
#include "ptx/ir.h"
#include "ptx/kernel_table.h"

#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static char *print(const struct ptx_module *m, size_t *n)
{
    char *text = NULL;
    FILE *f = open_memstream(&text, n);
    ptx_print(m, f);
    fclose(f);
    return text;
}

static void analyze(struct ptx_module *m)
{
    struct err e;
    for (uint32_t k = 0; k < m->n_func; k++)
        if (m->func[k].has_body)
            ptx_analyze(m, &m->func[k], &e);
    uint32_t *list = xcalloc(m->n_func, sizeof *list);
    struct ptx_code *code = xcalloc(m->n_func, sizeof *code);
    for (uint32_t k = 0; k < m->n_func; k++) {
        if (!m->func[k].has_body)
            continue;
        struct arena *arena = arena_new();
        struct trace_kernel t;
        unsigned n_code = 0;
        uint32_t n = ptx_reachable(m, k, list);
        for (uint32_t c = 0; c < n; c++)
            if (m->func[list[c]].has_body)
                code[n_code++] = (struct ptx_code){.module = m, .func = &m->func[list[c]]};
        ptx_build_kernel(code, n_code, arena, &t, &e);
        arena_free(arena);
    }
    free(list);
    free(code);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct err e;
    struct ptx_module *m = ptx_parse((const char *)data, n, "fuzz.ptx", &e);
    if (!m)
        return 0;
    analyze(m);
    size_t n_once, n_twice;
    char *once = print(m, &n_once);
    struct ptx_module *again = ptx_parse(once, n_once, "printed.ptx", &e);
    if (!again) {
        err_print(&e, stderr);
        BUG("printed PTX does not parse");
    }
    char *twice = print(again, &n_twice);
    if (n_once != n_twice || memcmp(once, twice, n_once) != 0)
        BUG("printed PTX is no fixed point");
    free(once);
    free(twice);
    ptx_module_free(again);
    ptx_module_free(m);
    return 0;
}
