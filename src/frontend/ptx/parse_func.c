/*
 * Functions: signature, performance directives, and the statements of a body. Source: PTX ISA 9.0, sections 7 and 11.
 */
#include "ptx/parse.h"

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

/* A label: the parser is past its colon. */
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
    int rc = ptx_parse_common_directive(p);
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
    enum ptx_space space = ptx_variable_space(p);
    if (space == PTX_S_NONE)
        return ptx_expected(p, "an instruction, a declaration or '}'");
    ptx_next(p);
    return ptx_parse_var_decl(p, space, linkage, false);
}

/* Everything between the function's braces; the parser is past '{' with the outermost scope open. */
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

static int parse_body(struct ptx_parser *p, struct ptx_func *f)
{
    p->reg.n = p->vreg.n = p->local.n = p->label.n = p->inst.n = p->open.n = 0;
    p->loc_line = 0;
    p->loc_file = 0xffff;
    p->nounroll = false;
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
    f->reg = PTX_KEEP(p, &p->reg);
    f->n_var = (uint32_t)p->local.n;
    f->var = PTX_KEEP(p, &p->local);
    f->n_label = (uint32_t)p->label.n;
    f->label = PTX_KEEP(p, &p->label);
    f->n_inst = (uint32_t)p->inst.n;
    f->inst = PTX_KEEP(p, &p->inst);
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
        if (ptx_is_dot(p, ".pragma")) {
            ptx_next(p);
            TRY(ptx_parse_pragma(p));
            continue;
        }
        bool maxntid = ptx_is_dot(p, ".maxntid"), reqntid = ptx_is_dot(p, ".reqntid");
        bool minnctapersm = ptx_is_dot(p, ".minnctapersm"), maxnreg = ptx_is_dot(p, ".maxnreg");
        bool noreturn = ptx_is_dot(p, ".noreturn");
        bool reqcluster = ptx_is_dot(p, ".reqnctapercluster"), maxrank = ptx_is_dot(p, ".maxclusterrank");
        f->explicit_cluster |= ptx_is_dot(p, ".explicitcluster");
        f->blocks_are_clusters |= ptx_is_dot(p, ".blocksareclusters");
        ptx_next(p);
        if (maxntid)
            TRY(parse_dim3(p, f->maxntid));
        else if (reqntid)
            TRY(parse_dim3(p, f->reqntid));
        else if (minnctapersm)
            TRY(parse_number(p, &f->minnctapersm));
        else if (maxnreg)
            TRY(parse_number(p, &f->maxnreg));
        else if (reqcluster)
            TRY(parse_dim3(p, f->reqcluster));
        else if (maxrank)
            TRY(parse_number(p, &f->maxclusterrank));
        else if (noreturn)
            f->noreturn = true;
        else {
            /* ABI and other hints: no effect here, but they may carry numbers. */
            uint32_t ignored;
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
int ptx_parse_func(struct ptx_parser *p, enum ptx_linkage linkage, bool is_entry)
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
    memcpy(f->reqcluster, decl.reqcluster, sizeof f->reqcluster);
    f->maxclusterrank = decl.maxclusterrank;
    f->explicit_cluster = decl.explicit_cluster;
    f->blocks_are_clusters = decl.blocks_are_clusters;
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
