/*
 * Forward references: replaces every mention in instructions, target lists and initializers by what it means.
 *
 * Runs once, when the whole module is parsed, so a name may be used anywhere before or after its declaration.
 */
#include "ptx/parse.h"

static int fail_mention(struct ptx_parser *p, int32_t mention, const char *problem)
{
    const struct ptx_mention *w = &p->mention.p[PTX_MENTION_INDEX(mention)];
    return err_at(p->e, p->m->name, (int)w->line, (int)w->col, "'%.*s'%s %s", (int)(w->len < 120 ? w->len : 120),
                  w->name, w->len > 120 ? "..." : "", problem);
}

static int link_opnd(struct ptx_parser *p, struct ptx_opnd *o)
{
    for (unsigned k = 0; k < o->n; k++)
        TRY(link_opnd(p, &o->elem[k]));
    if (!PTX_IS_MENTION(o->sym))
        return 0;
    const struct ptx_mention *w = &p->mention.p[PTX_MENTION_INDEX(o->sym)];
    if (w->label >= 0) {
        if (o->kind == PTX_O_ADDR || o->imm != 0)
            return fail_mention(p, o->sym, "is a label, which has no address");
        o->kind = PTX_O_LABEL;
        o->label = w->label;
        o->sym = -1;
    } else {
        if (o->kind == PTX_O_LABEL)
            return fail_mention(p, o->sym, "is not a label of this function");
        o->sym = w->sym;
    }
    return 0;
}

/* A branch needs labels, a direct call a function: what is checked here the analysis need not doubt. */
static int check_control(struct ptx_parser *p, const struct ptx_func *f, const struct ptx_inst *i)
{
    const char *name = p->m->name;
    if (i->op == PTX_BRA && !i->bad && (i->n_opnd != 1 || i->opnd[0].kind != PTX_O_LABEL))
        return err_at(p->e, name, (int)i->line, (int)i->col, "bra needs one label");
    if (i->op == PTX_BRX && !i->bad) {
        const struct ptx_label *list =
            i->n_opnd == 2 && i->opnd[1].kind == PTX_O_LABEL ? &f->label[i->opnd[1].label] : NULL;
        if (!list || !list->n_target || list->is_calltargets)
            return err_at(p->e, name, (int)i->line, (int)i->col,
                          "brx.idx needs an index and the label of its .branchtargets");
    }
    if (i->op == PTX_CALL && i->n_opnd >= 3 && i->opnd[1].kind == PTX_O_SYM &&
        PTX_SYM_KIND(i->opnd[1].sym) != PTX_SYM_FUNC)
        return err_at(p->e, name, (int)i->line, (int)i->col, "call needs a function or a register");
    return 0;
}

static int link_func(struct ptx_parser *p, struct ptx_func *f)
{
    for (uint32_t k = 0; k < f->n_inst; k++) {
        struct ptx_inst *i = &f->inst[k];
        for (unsigned o = 0; o < i->n_opnd; o++)
            TRY(link_opnd(p, &i->opnd[o]));
        TRY(check_control(p, f, i));
    }
    for (uint32_t k = 0; k < f->n_label; k++) {
        struct ptx_label *l = &f->label[k];
        for (uint32_t t = 0; t < l->n_target; t++) {
            const struct ptx_mention *w = &p->mention.p[PTX_MENTION_INDEX(l->target[t])];
            if (l->is_calltargets && (w->label >= 0 || PTX_SYM_KIND(w->sym) != PTX_SYM_FUNC))
                return fail_mention(p, l->target[t], "is not a function");
            if (!l->is_calltargets && w->label < 0)
                return fail_mention(p, l->target[t], "is not a label of this function");
            l->target[t] = l->is_calltargets ? w->sym : w->label;
        }
    }
    return 0;
}

static int link_vars(struct ptx_parser *p, struct ptx_var *var, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        struct ptx_init_ref *ref = (struct ptx_init_ref *)var[k].ref; /* ours until the module is handed out */
        for (uint32_t r = 0; r < var[k].n_ref; r++) {
            const struct ptx_mention *w = &p->mention.p[PTX_MENTION_INDEX(ref[r].sym)];
            if (w->label >= 0)
                return fail_mention(p, ref[r].sym, "is a label, which has no address");
            ref[r].sym = w->sym;
        }
    }
    return 0;
}

/* .alias a, b: a is declared without body and gets b's. */
static int link_aliases(struct ptx_parser *p)
{
    for (size_t k = 0; k < p->alias.n; k++) {
        const struct ptx_alias *a = &p->alias.p[k];
        uint32_t from = strmap_get(&p->symbol, a->name.at, a->name.len);
        uint32_t to = strmap_get(&p->symbol, a->target.at, a->target.len);
        if (from == STRMAP_NONE || PTX_SYM_KIND((int32_t)from) != PTX_SYM_FUNC ||
            p->func.p[PTX_SYM_INDEX((int32_t)from)].has_body)
            return ptx_fail(p, &a->name, "an alias needs a function that is declared without body");
        if (to == STRMAP_NONE || PTX_SYM_KIND((int32_t)to) != PTX_SYM_FUNC)
            return ptx_fail(p, &a->target, "an alias must name a function");
        struct ptx_func *alias = &p->func.p[PTX_SYM_INDEX((int32_t)from)];
        const char *name = alias->name;
        uint8_t linkage = alias->linkage;
        *alias = p->func.p[PTX_SYM_INDEX((int32_t)to)];
        alias->name = name;
        alias->linkage = linkage;
    }
    return 0;
}

int ptx_link(struct ptx_parser *p)
{
    for (size_t k = 0; k < p->mention.n; k++) {
        struct ptx_mention *w = &p->mention.p[k];
        if (w->label >= 0)
            continue;
        uint32_t v = strmap_get(&p->symbol, w->name, w->len);
        if (v == STRMAP_NONE)
            return fail_mention(p, PTX_MENTION(k), "is not declared");
        w->sym = (int32_t)v;
    }
    for (size_t k = 0; k < p->func.n; k++) {
        TRY(link_func(p, &p->func.p[k]));
        TRY(link_vars(p, p->func.p[k].var, p->func.p[k].n_var));
    }
    TRY(link_vars(p, p->var.p, (uint32_t)p->var.n));
    return link_aliases(p);
}
