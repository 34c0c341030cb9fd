/* What the PTX tests share: parse a text that must be right, find things in a module, read the corpus. */
#ifndef WEIR_TESTS_PTX_UTIL_H
#define WEIR_TESTS_PTX_UTIL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "ptx/ir.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#define HEAD ".version 8.0\n.target sm_75\n.address_size 64\n"

static inline struct ptx_module *parse_ok(const char *text)
{
    struct err e;
    struct ptx_module *m = ptx_parse(text, strlen(text), "test.ptx", &e);
    if (!m)
        fail_msg("test.ptx:%d:%d: %s", e.line, e.col, e.msg);
    return m;
}

/* A kernel `k` with this body; registers %r<64>, %rd<64>, %f<64>, %fd<16>, %p<16>, %h<16> are declared. */
static inline struct ptx_module *parse_body(const char *body)
{
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    fprintf(f,
            HEAD
            ".visible .entry k(.param .u64 a, .param .u32 n)\n{\n.reg .b32 %%r<64>; .reg .b64 %%rd<64>; .reg .f32 "
            "%%f<64>; .reg .f64 %%fd<16>; .reg .pred %%p<16>; .reg .b16 %%h<16>;\n%s\n}\n",
            body);
    fclose(f);
    struct ptx_module *m = parse_ok(text);
    free(text);
    return m;
}

static inline struct ptx_func *func_named(struct ptx_module *m, const char *name)
{
    int32_t k = ptx_find_func(m, name);
    if (k < 0)
        fail_msg("no function '%s'", name);
    return &m->func[k];
}

static inline struct ptx_var *var_named(struct ptx_module *m, const char *name)
{
    int32_t k = ptx_find_var(m, name);
    if (k < 0)
        fail_msg("no variable '%s'", name);
    return &m->var[k];
}

static inline struct ptx_func *analyzed(struct ptx_module *m, const char *name)
{
    struct err e;
    struct ptx_func *f = func_named(m, name);
    if (ptx_analyze(m, f, &e) < 0)
        fail_msg("%s", e.msg);
    return f;
}

/* The pc of the first instruction with this opcode text from pc `from` on. */
static inline uint32_t pc_of(const struct ptx_func *f, const char *text, uint32_t from)
{
    for (uint32_t pc = from; pc < f->n_inst; pc++)
        if (!strcmp(f->inst[pc].text, text))
            return pc;
    fail_msg("no instruction '%s'", text);
    return 0;
}

static inline int32_t reg_named(const struct ptx_func *f, const char *name)
{
    for (uint32_t k = 0; k < f->n_reg; k++)
        if (!strcmp(f->reg[k].name, name))
            return (int32_t)k;
    fail_msg("no register '%s'", name);
    return -1;
}

/* Calls visit(module) for every file of the corpus, whose folder is the test's argument. Returns how many. */
static inline unsigned each_corpus_module(const char *folder, void (*visit)(struct ptx_module *))
{
    struct dirent **list;
    unsigned visited = 0;
    int n = scandir(folder, &list, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, list[i]->d_name);
        FILE *f = strstr(list[i]->d_name, ".ptx") ? fopen(path, "rb") : NULL;
        free(list[i]);
        if (!f)
            continue;
        static char text[8 << 20];
        size_t bytes = fread(text, 1, sizeof text, f);
        fclose(f);
        struct err e;
        struct ptx_module *m = ptx_parse(text, bytes, path, &e);
        if (!m)
            fail_msg("%s:%d:%d: %s", path, e.line, e.col, e.msg);
        visit(m);
        ptx_module_free(m);
        visited++;
    }
    if (n >= 0)
        free(list);
    return visited;
}

#endif
