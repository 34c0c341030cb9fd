/*
 * The module: directives and functions. Source: PTX ISA 9.0, sections 5 and 11.
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

/* ---- directives that may stand anywhere ---- */

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
static int parse_pragma(struct ptx_parser *p)
{
    do {
        if (p->t.kind != TOK_STRING)
            return ptx_expected(p, "a string");
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

/* Handles a directive that is legal inside and outside of functions. Returns 1 when it was one. */
static int parse_common_directive(struct ptx_parser *p)
{
    int (*parse)(struct ptx_parser *) = ptx_is_dot(p, ".loc")       ? parse_loc
                                        : ptx_is_dot(p, ".file")    ? parse_file
                                        : ptx_is_dot(p, ".pragma")  ? parse_pragma
                                        : ptx_is_dot(p, ".section") ? parse_section
                                                                    : NULL;
    if (!parse)
        return 0;
    ptx_next(p);
    TRY(parse(p));
    return 1;
}

static enum ptx_space variable_space(struct ptx_parser *p)
{
    if (p->t.kind != TOK_DOT)
        return PTX_S_NONE;
    struct ptx_word w = ptx_names_suffix(&p->names, p->t.at + 1, p->t.len - 1);
    if (w.kind != PTX_WORD_SPACE || w.value == PTX_S_REG || w.value == PTX_S_SHARED_CLUSTER || w.value == PTX_S_TEX)
        return PTX_S_NONE;
    return (enum ptx_space)w.value;
}

/* ---- function bodies ---- */

/* .branchtargets a, b; or .calltargets f, g; for the label just defined. */
static int parse_targets(struct ptx_parser *p, struct ptx_label *label, bool is_calltargets)
{
    VEC(int32_t) list = {0};
    int rc = 0;
    do {
        if (p->t.kind != TOK_IDENT) {
            rc = ptx_expected(p, is_calltargets ? "a function" : "a label");
            break;
        }
        VEC_PUSH(&list, ptx_mention(p, &p->t));
        ptx_next(p);
    } while (ptx_accept(p, ','));
    if (rc == 0) {
        label->is_calltargets = is_calltargets;
        label->n_target = (uint32_t)list.n;
        label->target = arena_alloc(p->arena, list.n * sizeof *list.p);
        memcpy(label->target, list.p, list.n * sizeof *list.p);
        rc = ptx_expect(p, ';');
    }
    VEC_FREE(&list);
    return rc;
}

/* .callprototype (.param .b32 _) _ (.param .b64 _) .noreturn; kept as text: a call's own arguments tell the rest. */
static int parse_prototype(struct ptx_parser *p, struct ptx_label *label)
{
    const char *first = p->t.at;
    while (!ptx_is(p, ';')) {
        if (p->t.kind == TOK_EOF || p->t.kind == TOK_BAD)
            return ptx_expected(p, "';'");
        if (ptx_is_dot(p, ".noreturn"))
            label->noreturn = true;
        ptx_next(p);
    }
    label->proto = arena_strndup(p->arena, first, (size_t)(p->t.at - first));
    ptx_next(p);
    return 0;
}

/* A label: the parser stands behind its colon. */
static int parse_label(struct ptx_parser *p, const struct ptx_token *name)
{
    struct ptx_label label = {.name = arena_strndup(p->arena, name->at, name->len), .pc = (uint32_t)p->inst.n};
    TRY(ptx_scope_put(p, name, NAME(NAME_LABEL, p->label.n)));
    bool calltargets = ptx_is_dot(p, ".calltargets");
    if (calltargets || ptx_is_dot(p, ".branchtargets")) {
        ptx_next(p);
        TRY(parse_targets(p, &label, calltargets));
    } else if (ptx_is_dot(p, ".callprototype")) {
        ptx_next(p);
        TRY(parse_prototype(p, &label));
    }
    VEC_PUSH(&p->label, label);
    return 0;
}

static int parse_word_statement(struct ptx_parser *p)
{
    /* A word is a label when a single colon follows. */
    struct ptx_token name = p->t;
    struct ptx_lex after = p->lex;
    struct ptx_token colon;
    ptx_lex_next(&after, &colon);
    if (colon.punct != ':')
        return ptx_parse_inst(p);
    p->lex = after;
    ptx_next(p);
    return parse_label(p, &name);
}

static int parse_statement(struct ptx_parser *p)
{
    if (ptx_accept(p, ';'))
        return 0;
    if (p->t.kind == TOK_IDENT)
        return parse_word_statement(p);
    if (ptx_is(p, '@'))
        return ptx_parse_inst(p);
    if (p->t.kind != TOK_DOT)
        return ptx_expected(p, "an instruction, a declaration or '}'");
    int rc = parse_common_directive(p);
    if (rc)
        return rc < 0 ? -1 : 0;
    if (ptx_is_dot(p, ".reg")) {
        ptx_next(p);
        return ptx_parse_reg_decl(p);
    }
    enum ptx_linkage linkage = PTX_L_NONE;
    if (ptx_is_dot(p, ".extern")) {
        linkage = PTX_L_EXTERN;
        ptx_next(p);
    }
    enum ptx_space space = variable_space(p);
    if (space == PTX_S_NONE)
        return ptx_expected(p, "an instruction, a declaration or '}'");
    ptx_next(p);
    return ptx_parse_var_decl(p, space, linkage, false);
}

/* Everything between the function's braces; the parser stands behind '{' with the outermost scope open. */
static int parse_statements(struct ptx_parser *p)
{
    for (;;) {
        if (ptx_is(p, '{')) {
            TRY(ptx_scope_open(p));
            ptx_next(p);
        } else if (ptx_is(p, '}')) {
            ptx_scope_close(p);
            ptx_next(p);
            if (p->n_scope == 0)
                return 0;
        } else {
            TRY(parse_statement(p));
        }
    }
}

static void *keep(struct ptx_parser *p, const void *list, size_t n, size_t bytes)
{
    void *copy = arena_alloc(p->arena, n * bytes);
    if (n)
        memcpy(copy, list, n * bytes);
    return copy;
}
#define KEEP(p, vec) keep(p, (vec)->p, (vec)->n, sizeof *(vec)->p)

static int parse_body(struct ptx_parser *p, struct ptx_func *f)
{
    p->reg.n = p->vreg.n = p->local.n = p->label.n = p->inst.n = p->open.n = 0;
    p->loc_line = 0;
    p->loc_file = 0xffff;
    TRY(ptx_scope_open(p));
    for (uint32_t k = 0; k < f->n_param + f->n_ret; k++) {
        struct ptx_param *param = &f->param[k];
        struct ptx_token name = {.at = param->name, .len = (uint32_t)strlen(param->name), .line = f->line, .col = 1};
        uint32_t what = NAME(NAME_PARAM, k);
        if (param->in_reg) {
            param->reg = (int32_t)ptx_new_reg(p, param->name, name.len, (enum ptx_type)param->type);
            what = NAME(NAME_REG, param->reg);
        }
        if (strcmp(param->name, "_") != 0)
            TRY(ptx_scope_put(p, &name, what));
    }
    p->in_body = true;
    ptx_next(p); /* '{' */
    TRY(parse_statements(p));
    p->in_body = false;
    f->has_body = true;
    f->n_reg = (uint32_t)p->reg.n;
    f->reg = KEEP(p, &p->reg);
    f->n_var = (uint32_t)p->local.n;
    f->var = KEEP(p, &p->local);
    f->n_label = (uint32_t)p->label.n;
    f->label = KEEP(p, &p->label);
    f->n_inst = (uint32_t)p->inst.n;
    f->inst = KEEP(p, &p->inst);
    return 0;
}

/* ---- functions ---- */

static int parse_dim3(struct ptx_parser *p, uint32_t out[3])
{
    out[0] = out[1] = out[2] = 1;
    for (unsigned k = 0; k < 3; k++) {
        uint64_t v;
        TRY(ptx_parse_uint(p, UINT32_MAX, &v));
        out[k] = (uint32_t)v;
        if (!ptx_accept(p, ','))
            break;
    }
    return 0;
}

static int parse_number(struct ptx_parser *p, uint32_t *out)
{
    uint64_t v;
    TRY(ptx_parse_uint(p, UINT32_MAX, &v));
    *out = (uint32_t)v;
    return 0;
}

/* .maxntid 256, 1, 1 and its like, between the parameters and the body. */
static int parse_func_directives(struct ptx_parser *p, struct ptx_func *f)
{
    while (p->t.kind == TOK_DOT) {
        struct ptx_token at = p->t;
        if (ptx_is_dot(p, ".pragma")) {
            ptx_next(p);
            TRY(parse_pragma(p));
            continue;
        }
        bool maxntid = ptx_is_dot(p, ".maxntid"), reqntid = ptx_is_dot(p, ".reqntid");
        bool minnctapersm = ptx_is_dot(p, ".minnctapersm"), maxnreg = ptx_is_dot(p, ".maxnreg");
        bool noreturn = ptx_is_dot(p, ".noreturn");
        ptx_next(p);
        if (maxntid)
            TRY(parse_dim3(p, f->maxntid));
        else if (reqntid)
            TRY(parse_dim3(p, f->reqntid));
        else if (minnctapersm)
            TRY(parse_number(p, &f->minnctapersm));
        else if (maxnreg)
            TRY(parse_number(p, &f->maxnreg));
        else if (noreturn)
            f->noreturn = true;
        else {
            /* Clusters, ABI and other hints: no effect here, but they may carry numbers. */
            uint32_t ignored;
            if (at.len < 2)
                return ptx_expected(p, "a directive");
            while (p->t.kind == TOK_INT) {
                TRY(parse_number(p, &ignored));
                if (!ptx_accept(p, ','))
                    break;
            }
        }
    }
    return 0;
}

static int skip_parens(struct ptx_parser *p)
{
    TRY(ptx_expect(p, '('));
    for (unsigned depth = 1; depth > 0; ptx_next(p)) {
        if (p->t.kind == TOK_EOF || p->t.kind == TOK_BAD)
            return ptx_expected(p, "')'");
        depth += ptx_is(p, '(');
        depth -= ptx_is(p, ')');
    }
    return 0;
}

/* Finds or makes the entry of a function in the module; a declaration and its definition share one. */
static int place_func(struct ptx_parser *p, const struct ptx_token *name, bool is_entry, uint32_t *index)
{
    uint32_t known = strmap_get(&p->symbol, name->at, name->len);
    if (known == STRMAP_NONE) {
        *index = (uint32_t)p->func.n;
        struct ptx_func f = {.name = arena_strndup(p->arena, name->at, name->len), .is_entry = is_entry};
        VEC_PUSH(&p->func, f);
        strmap_put(&p->symbol, f.name, name->len, (uint32_t)PTX_SYM(PTX_SYM_FUNC, *index));
        return 0;
    }
    *index = (uint32_t)PTX_SYM_INDEX((int32_t)known);
    if (PTX_SYM_KIND((int32_t)known) != PTX_SYM_FUNC || p->func.p[*index].is_entry != is_entry)
        return ptx_fail(p, name, "'%.*s' is already declared as something else",
                        (int)(name->len < 200 ? name->len : 200), name->at);
    return 0;
}

/* Behind .func or .entry. */
static int parse_func(struct ptx_parser *p, enum ptx_linkage linkage, bool is_entry)
{
    ptx_param_vec in = {0}, out = {0};
    uint32_t index = 0, in_bytes = 0, out_bytes = 0;
    int rc = -1;
    struct ptx_func decl = {0};
    while (p->t.kind == TOK_DOT) { /* .noreturn, .attribute(.unified(1, 2)) */
        decl.noreturn |= ptx_is_dot(p, ".noreturn");
        bool attribute = ptx_is_dot(p, ".attribute");
        ptx_next(p);
        if (attribute && skip_parens(p) < 0)
            goto done;
    }
    if (ptx_is(p, '(') && ptx_parse_params(p, &out, &out_bytes) < 0)
        goto done;
    struct ptx_token name = p->t;
    if (name.kind != TOK_IDENT) {
        ptx_expected(p, "a function name");
        goto done;
    }
    ptx_next(p);
    if (ptx_is(p, '(') && ptx_parse_params(p, &in, &in_bytes) < 0)
        goto done;
    if (place_func(p, &name, is_entry, &index) < 0 || parse_func_directives(p, &decl) < 0)
        goto done;
    struct ptx_func *f = &p->func.p[index];
    bool defines = ptx_is(p, '{');
    if (!defines && ptx_expect(p, ';') < 0)
        goto done;
    if (defines && f->has_body) {
        ptx_fail(p, &name, "'%s' is already defined", f->name);
        goto done;
    }
    rc = 0;
    if (f->has_body) /* a declaration behind the definition says nothing new */
        goto done;
    f->linkage = (uint8_t)(linkage != PTX_L_NONE ? linkage : f->linkage);
    f->noreturn |= decl.noreturn;
    memcpy(f->maxntid, decl.maxntid, sizeof f->maxntid);
    memcpy(f->reqntid, decl.reqntid, sizeof f->reqntid);
    f->minnctapersm = decl.minnctapersm;
    f->maxnreg = decl.maxnreg;
    f->line = name.line;
    f->n_param = (uint32_t)in.n;
    f->n_ret = (uint32_t)out.n;
    f->param_bytes = in_bytes;
    f->ret_bytes = out_bytes;
    f->param = arena_alloc(p->arena, (in.n + out.n) * sizeof *f->param);
    if (in.n)
        memcpy(f->param, in.p, in.n * sizeof *f->param);
    if (out.n)
        memcpy(f->param + in.n, out.p, out.n * sizeof *f->param);
    if (defines)
        rc = parse_body(p, f);
done:
    VEC_FREE(&in);
    VEC_FREE(&out);
    return rc;
}

/* ---- the module ---- */

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
    int rc = parse_common_directive(p);
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
        return parse_func(p, linkage, is_entry);
    }
    enum ptx_space space = variable_space(p);
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
    p->m->var = KEEP(p, &p->var);
    p->m->n_func = (uint32_t)p->func.n;
    p->m->func = KEEP(p, &p->func);
    p->m->n_file = (uint32_t)p->file.n;
    p->m->file = KEEP(p, &p->file);
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
