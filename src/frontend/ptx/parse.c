/*
 * The module: tokens, directives, and the parser's entry. Source: PTX ISA 9.0, sections 4 and 11.
 *
 * A plain recursive descent over tokens. Debug sections are skipped whole; line information is kept from .loc and
 * .file. Left out: 32-bit addressing and .tex variables (both gone from current compilers).
 */
#include "ptx/parse.h"

#include <stdarg.h>

/* ---- tokens ---- */

void ptx_next(struct ptx_parser *p)
{
    ptx_lex_next(&p->lex, &p->t);
}

int ptx_fail(struct ptx_parser *p, const struct ptx_token *at, const char *fmt, ...)
{
    if (!p->e)
        return -1;
    char msg[sizeof p->e->msg];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    return err_at(p->e, p->m->name, (int)at->line, (int)at->col, "%s", msg);
}

int ptx_expected(struct ptx_parser *p, const char *what)
{
    const struct ptx_token *t = &p->t;
    if (t->kind == TOK_BAD)
        return ptx_fail(p, t, "%s", p->lex.why);
    if (t->kind == TOK_EOF)
        return ptx_fail(p, t, "expected %s, found the end of the text", what);
    return ptx_fail(p, t, "expected %s, found %s%.*s%s", what, t->kind == TOK_STRING ? "\"" : "'",
                    (int)(t->len < 80 ? t->len : 80), t->at, t->kind == TOK_STRING ? "\"" : "'");
}

bool ptx_is_dot(const struct ptx_parser *p, const char *word)
{
    return p->t.kind == TOK_DOT && strlen(word) == p->t.len && !memcmp(word, p->t.at, p->t.len);
}

static bool is_ident(const struct ptx_parser *p, const char *word)
{
    return p->t.kind == TOK_IDENT && strlen(word) == p->t.len && !memcmp(word, p->t.at, p->t.len);
}

bool ptx_accept(struct ptx_parser *p, char punct)
{
    if (!ptx_is(p, punct))
        return false;
    ptx_next(p);
    return true;
}

int ptx_expect(struct ptx_parser *p, char punct)
{
    char what[4] = {'\'', punct, '\'', 0};
    if (!ptx_is(p, punct))
        return ptx_expected(p, what);
    ptx_next(p);
    return 0;
}

int ptx_skip_statement(struct ptx_parser *p)
{
    while (!ptx_is(p, ';')) {
        if (p->t.kind == TOK_EOF)
            return ptx_expected(p, "';'");
        ptx_next(p);
    }
    ptx_next(p);
    return 0;
}

int ptx_skip_block(struct ptx_parser *p)
{
    unsigned depth = 0;
    do {
        if (p->t.kind == TOK_EOF)
            return ptx_expected(p, "'}'");
        depth += ptx_is(p, '{');
        depth -= ptx_is(p, '}');
        ptx_next(p);
    } while (depth);
    return 0;
}

/* ---- directives that are allowed anywhere ---- */

static int take_int(struct ptx_parser *p, uint64_t *out)
{
    if (p->t.kind != TOK_INT)
        return ptx_expected(p, "an integer");
    if (out)
        *out = p->t.u;
    ptx_next(p);
    return 0;
}

/* .file 1 "a.cu", 1700000000, 4096 */
static int parse_file(struct ptx_parser *p)
{
    uint64_t number = 0;
    TRY(take_int(p, &number));
    if (p->t.kind != TOK_STRING)
        return ptx_expected(p, "a file name");
    if (number < 0xffff) {
        VEC_PUSH(&p->file, arena_strndup(p->arena, p->t.at, p->t.len));
        VEC_PUSH(&p->file_number, (uint32_t)number);
    }
    ptx_next(p);
    while (ptx_accept(p, ','))
        TRY(take_int(p, NULL));
    return 0;
}

/* .loc 1 13 3, function_name $L__info_string0+4, inlined_at 1 10 5: the innermost place is the one kept. */
static int parse_loc(struct ptx_parser *p)
{
    uint64_t file = 0, line = 0;
    TRY(take_int(p, &file));
    TRY(take_int(p, &line));
    if (p->t.kind == TOK_INT)
        ptx_next(p);
    /* Line 0 marks code without a line of its own. */
    p->loc_file = file < 0xffff && line > 0 ? (uint16_t)file : 0xffff;
    p->loc_line = p->loc_file != 0xffff && line <= UINT32_MAX ? (uint32_t)line : 0;
    while (ptx_accept(p, ',')) {
        if (is_ident(p, "function_name")) {
            ptx_next(p);
            if (p->t.kind != TOK_IDENT && p->t.kind != TOK_DOT)
                return ptx_expected(p, "a label");
            ptx_next(p);
            if (ptx_accept(p, '+'))
                TRY(take_int(p, NULL));
        } else if (is_ident(p, "inlined_at")) {
            ptx_next(p);
            for (unsigned k = 0; k < 3; k++)
                TRY(take_int(p, NULL));
        } else {
            return ptx_expected(p, "'function_name' or 'inlined_at'");
        }
    }
    return 0;
}

/* .pragma "nounroll"; with several strings allowed */
int ptx_parse_pragma(struct ptx_parser *p)
{
    do {
        if (p->t.kind != TOK_STRING)
            return ptx_expected(p, "a string");
        p->nounroll |= p->t.len == strlen("nounroll") && !memcmp(p->t.at, "nounroll", p->t.len);
        ptx_next(p);
    } while (ptx_accept(p, ','));
    return ptx_expect(p, ';');
}

static int parse_section(struct ptx_parser *p)
{
    while (!ptx_is(p, '{')) {
        if (p->t.kind == TOK_EOF)
            return ptx_expected(p, "'{'");
        ptx_next(p);
    }
    return ptx_skip_block(p);
}

int ptx_parse_common_directive(struct ptx_parser *p)
{
    int (*parse)(struct ptx_parser *) = ptx_is_dot(p, ".loc")       ? parse_loc
                                        : ptx_is_dot(p, ".file")    ? parse_file
                                        : ptx_is_dot(p, ".pragma")  ? ptx_parse_pragma
                                        : ptx_is_dot(p, ".section") ? parse_section
                                                                    : NULL;
    if (!parse)
        return 0;
    ptx_next(p);
    TRY(parse(p));
    return 1;
}

enum ptx_space ptx_variable_space(struct ptx_parser *p)
{
    if (p->t.kind != TOK_DOT)
        return PTX_S_NONE;
    struct ptx_word w = ptx_names_suffix(&p->names, p->t.at + 1, p->t.len - 1);
    if (w.kind != PTX_WORD_SPACE || w.value == PTX_S_REG || w.value == PTX_S_SHARED_CLUSTER || w.value == PTX_S_TEX)
        return PTX_S_NONE;
    return (enum ptx_space)w.value;
}

/* ---- the module ---- */

void *ptx_keep(struct ptx_parser *p, const void *list, size_t n, size_t bytes)
{
    void *copy = arena_alloc(p->arena, n * bytes);
    if (n)
        memcpy(copy, list, n * bytes);
    return copy;
}

static int parse_version(struct ptx_parser *p)
{
    if (p->t.kind != TOK_FLOAT)
        return ptx_expected(p, "a version such as 9.0");
    unsigned part[2] = {0};
    for (uint32_t k = 0, which = 0; k < p->t.len; k++) {
        if (p->t.at[k] == '.')
            which = 1;
        else if (p->t.at[k] >= '0' && p->t.at[k] <= '9' && part[which] < 1000)
            part[which] = part[which] * 10 + (unsigned)(p->t.at[k] - '0');
    }
    p->m->version_major = part[0];
    p->m->version_minor = part[1];
    ptx_next(p);
    return 0;
}

/* .target sm_90a, debug */
static int parse_target(struct ptx_parser *p)
{
    do {
        if (p->t.kind != TOK_IDENT)
            return ptx_expected(p, "a target such as sm_75");
        if (p->t.len > 3 && !memcmp(p->t.at, "sm_", 3)) {
            unsigned sm = 0;
            for (uint32_t k = 3; k < p->t.len && p->t.at[k] >= '0' && p->t.at[k] <= '9' && sm < 1000; k++)
                sm = sm * 10 + (unsigned)(p->t.at[k] - '0');
            p->m->target_sm = sm;
        }
        ptx_next(p);
    } while (ptx_accept(p, ','));
    return 0;
}

static int parse_address_size(struct ptx_parser *p)
{
    struct ptx_token at = p->t;
    uint64_t bits = 0;
    TRY(take_int(p, &bits));
    if (bits != 64) {
        ptx_fail(p, &at, "weir runs 64-bit PTX only, this is %llu-bit", (unsigned long long)bits);
        return err_hint(p->e, "compile with -m64");
    }
    return 0;
}

/* .alias name, target; */
static int parse_alias(struct ptx_parser *p)
{
    struct ptx_alias a = {.name = p->t};
    if (p->t.kind != TOK_IDENT)
        return ptx_expected(p, "a function name");
    ptx_next(p);
    TRY(ptx_expect(p, ','));
    a.target = p->t;
    if (p->t.kind != TOK_IDENT)
        return ptx_expected(p, "a function name");
    ptx_next(p);
    VEC_PUSH(&p->alias, a);
    return ptx_expect(p, ';');
}

static enum ptx_linkage linkage_of(const struct ptx_parser *p)
{
    return ptx_is_dot(p, ".extern")    ? PTX_L_EXTERN
           : ptx_is_dot(p, ".visible") ? PTX_L_VISIBLE
           : ptx_is_dot(p, ".weak")    ? PTX_L_WEAK
           : ptx_is_dot(p, ".common")  ? PTX_L_COMMON
                                       : PTX_L_NONE;
}

static int parse_module_item(struct ptx_parser *p)
{
    if (ptx_accept(p, ';'))
        return 0;
    if (ptx_is(p, '@')) { /* "@@DWARF ..." of old compilers: a line of its own */
        uint32_t line = p->t.line;
        while (p->t.line == line && p->t.kind != TOK_EOF)
            ptx_next(p);
        return 0;
    }
    if (p->t.kind != TOK_DOT)
        return ptx_expected(p, "a directive");
    int rc = ptx_parse_common_directive(p);
    if (rc)
        return rc < 0 ? -1 : 0;
    static const struct {
        const char *word;
        int (*parse)(struct ptx_parser *);
    } simple[] = {
        {".version", parse_version},
        {".target", parse_target},
        {".address_size", parse_address_size},
        {".alias", parse_alias},
    };
    for (size_t k = 0; k < sizeof simple / sizeof simple[0]; k++)
        if (ptx_is_dot(p, simple[k].word)) {
            ptx_next(p);
            return simple[k].parse(p);
        }
    enum ptx_linkage linkage = PTX_L_NONE, more;
    while ((more = linkage_of(p)) != PTX_L_NONE) {
        linkage = more;
        ptx_next(p);
    }
    bool is_entry = ptx_is_dot(p, ".entry");
    if (is_entry || ptx_is_dot(p, ".func")) {
        ptx_next(p);
        return ptx_parse_func(p, linkage, is_entry);
    }
    enum ptx_space space = ptx_variable_space(p);
    if (space == PTX_S_NONE)
        return ptx_expected(p, "a directive of a module");
    ptx_next(p);
    return ptx_parse_var_decl(p, space, linkage, false);
}

/* .loc names files by their own numbers, and .file may come last. */
static void link_files(struct ptx_parser *p)
{
    for (size_t f = 0; f < p->func.n; f++) {
        uint16_t number = 0xffff, index = 0xffff;
        for (uint32_t k = 0; k < p->func.p[f].n_inst; k++) {
            struct ptx_inst *i = &p->func.p[f].inst[k];
            if (i->loc_file == 0xffff)
                continue;
            if (i->loc_file != number) {
                number = i->loc_file;
                index = 0xffff;
                for (size_t n = 0; n < p->file.n && n < 0xffff && index == 0xffff; n++)
                    if (p->file_number.p[n] == number)
                        index = (uint16_t)n;
            }
            i->loc_file = index;
            if (index == 0xffff)
                i->loc_line = 0;
        }
    }
}

static int parse_module(struct ptx_parser *p, size_t n)
{
    if (n > PTX_MAX_TEXT_BYTES)
        return ptx_fail(p, &p->t, "PTX text is larger than %d MiB", PTX_MAX_TEXT_BYTES >> 20);
    ptx_next(p);
    if (!ptx_is_dot(p, ".version"))
        return ptx_expected(p, "'.version', which starts every PTX text");
    while (p->t.kind != TOK_EOF)
        TRY(parse_module_item(p));
    link_files(p);
    TRY(ptx_link(p));
    p->m->n_var = (uint32_t)p->var.n;
    p->m->var = PTX_KEEP(p, &p->var);
    p->m->n_func = (uint32_t)p->func.n;
    p->m->func = PTX_KEEP(p, &p->func);
    p->m->n_file = (uint32_t)p->file.n;
    p->m->file = PTX_KEEP(p, &p->file);
    return 0;
}

static void parser_free(struct ptx_parser *p)
{
    ptx_scope_drop_all(p);
    ptx_names_free(&p->names);
    strmap_free(&p->symbol);
    strmap_free(&p->form_of);
    VEC_FREE(&p->var);
    VEC_FREE(&p->func);
    VEC_FREE(&p->file);
    VEC_FREE(&p->file_number);
    VEC_FREE(&p->mention);
    VEC_FREE(&p->form);
    VEC_FREE(&p->alias);
    VEC_FREE(&p->reg);
    VEC_FREE(&p->vreg);
    VEC_FREE(&p->local);
    VEC_FREE(&p->label);
    VEC_FREE(&p->inst);
    VEC_FREE(&p->open);
    free(p);
}

struct ptx_module *ptx_parse(const char *text, size_t n, const char *name, struct err *e)
{
    while (n > 0 && text[n - 1] == '\0')
        n--;
    struct arena *arena = arena_new();
    struct ptx_module *m = arena_alloc(arena, sizeof *m);
    m->arena = arena;
    m->name = arena_strndup(arena, name, strlen(name));
    struct err scratch;
    struct ptx_parser *p = xcalloc(1, sizeof *p);
    p->m = m;
    p->arena = arena;
    p->e = e ? e : &scratch;
    ptx_names_init(&p->names);
    ptx_lex_init(&p->lex, text, n);
    int rc = parse_module(p, n);
    parser_free(p);
    if (rc == 0)
        return m;
    ptx_module_free(m);
    return NULL;
}

void ptx_module_free(struct ptx_module *m)
{
    if (m)
        arena_free(m->arena);
}

int32_t ptx_find_func(const struct ptx_module *m, const char *name)
{
    for (uint32_t k = 0; k < m->n_func; k++)
        if (!strcmp(m->func[k].name, name))
            return (int32_t)k;
    return -1;
}

int32_t ptx_find_var(const struct ptx_module *m, const char *name)
{
    for (uint32_t k = 0; k < m->n_var; k++)
        if (!strcmp(m->var[k].name, name))
            return (int32_t)k;
    return -1;
}
