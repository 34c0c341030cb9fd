/*
 * A module back to PTX text, for `weir ptx dump` and the round-trip tests.
 *
 * What was resolved while parsing stays resolved: a function has one scope with all its registers and variables, and
 * names that were declared in several { } scopes get a number ("%temp", "%temp$1"). Debug sections, hints and pragmas
 * other than "nounroll" are gone.
 */
#include "ptx/names.h"

#include <inttypes.h>

struct printer {
    const struct ptx_module *m;
    const struct ptx_func *f;
    FILE *out;
    struct arena *arena; /* of the current function's names */
    const char **reg, **var, **label;
};

/* ---- unique names ---- */

static const char *unique(struct printer *p, struct strmap *taken, const char *name)
{
    size_t n = strlen(name), room = n + 16;
    char *s = arena_strndup(p->arena, name, n);
    for (size_t k = 0; k < n; k++)
        if (s[k] == '.') /* a component of a vector register */
            s[k] = '$';
    uint32_t count = strmap_get(taken, s, n);
    if (count != STRMAP_NONE) {
        char *longer = arena_alloc(p->arena, room);
        size_t len;
        do
            len = (size_t)snprintf(longer, room, "%s$%u", s, ++count);
        while (strmap_get(taken, longer, len) != STRMAP_NONE);
        strmap_put(taken, s, n, count);
        s = longer;
        n = len;
    }
    strmap_put(taken, s, n, 0);
    return s;
}

static void name_everything(struct printer *p)
{
    const struct ptx_func *f = p->f;
    struct strmap taken = {0};
    p->reg = arena_alloc(p->arena, f->n_reg * sizeof *p->reg);
    p->var = arena_alloc(p->arena, f->n_var * sizeof *p->var);
    p->label = arena_alloc(p->arena, f->n_label * sizeof *p->label);
    for (uint32_t k = 0; k < f->n_param + f->n_ret; k++) {
        strmap_put(&taken, f->param[k].name, strlen(f->param[k].name), 0);
        if (f->param[k].in_reg)
            p->reg[f->param[k].reg] = f->param[k].name;
    }
    for (uint32_t k = 0; k < f->n_reg; k++)
        if (!p->reg[k])
            p->reg[k] = unique(p, &taken, f->reg[k].name);
    for (uint32_t k = 0; k < f->n_var; k++)
        p->var[k] = unique(p, &taken, f->var[k].name);
    for (uint32_t k = 0; k < f->n_label; k++)
        p->label[k] = unique(p, &taken, f->label[k].name);
    strmap_free(&taken);
}

static const char *symbol(const struct printer *p, int32_t sym)
{
    uint32_t k = (uint32_t)PTX_SYM_INDEX(sym);
    switch (PTX_SYM_KIND(sym)) {
    case PTX_SYM_VAR:
        return p->m->var[k].name;
    case PTX_SYM_FUNC:
        return p->m->func[k].name;
    case PTX_SYM_LOCALVAR:
        return p->var[k];
    default:
        return p->f->param[k].name;
    }
}

/* ---- declarations ---- */

static const char *linkage(unsigned l)
{
    static const char *const words[] = {"", ".extern ", ".visible ", ".weak ", ".common "};
    return words[l];
}

static uint64_t load(const uint8_t *p, unsigned n)
{
    uint64_t v = 0;
    for (unsigned k = 0; k < n && k < 8; k++)
        v |= (uint64_t)p[k] << 8 * k;
    return v;
}

static void print_ref(const struct printer *p, const struct ptx_init_ref *ref)
{
    if (ref->bytes == 1)
        fprintf(p->out, "0x%llx(", 0xffull << ref->shift);
    fprintf(p->out, ref->generic ? "generic(%s)" : "%s", symbol(p, ref->sym));
    if (ref->addend)
        fprintf(p->out, "+%" PRId64, ref->addend);
    if (ref->bytes == 1)
        fputc(')', p->out);
}

static void print_init(const struct printer *p, const struct ptx_var *v)
{
    unsigned n = ptx_type_bytes((enum ptx_type)v->type);
    uint64_t end = v->bytes; /* trailing zeros are implied */
    while (end > n && load(v->init + end - n, n) == 0 && (v->n_ref == 0 || v->ref[v->n_ref - 1].offset < end - n))
        end -= n;
    bool is_array = v->bytes != n;
    fprintf(p->out, is_array ? " = {" : " = ");
    uint32_t ref = 0;
    for (uint64_t at = 0; at < end; at += n) {
        if (at)
            fputs(", ", p->out);
        if (ref < v->n_ref && v->ref[ref].offset == at)
            print_ref(p, &v->ref[ref++]);
        else if (v->type == PTX_T_F32)
            fprintf(p->out, "0f%08" PRIX64, load(v->init + at, n));
        else if (v->type == PTX_T_F64)
            fprintf(p->out, "0d%016" PRIX64, load(v->init + at, n));
        else
            fprintf(p->out, "%" PRIu64, load(v->init + at, n));
    }
    if (is_array)
        fputc('}', p->out);
}

static void print_var(const struct printer *p, const struct ptx_var *v, const char *name)
{
    uint64_t elem = (uint64_t)ptx_type_bytes((enum ptx_type)v->type) * v->vec;
    fprintf(p->out, "%s.%s %s.align %u ", linkage(v->linkage), ptx_space_name((enum ptx_space)v->space),
            v->managed ? ".attribute(.managed) " : "", v->align);
    if (v->vec > 1)
        fprintf(p->out, ".v%u ", v->vec);
    fprintf(p->out, ".%s %s", ptx_type_name((enum ptx_type)v->type), name);
    if (v->unsized)
        fputs("[]", p->out);
    else if (v->bytes != elem)
        fprintf(p->out, "[%" PRIu64 "]", v->bytes / elem);
    if (v->init)
        print_init(p, v);
    fputs(";\n", p->out);
}

static void print_params(const struct printer *p, const struct ptx_param *param, uint32_t n)
{
    fputc('(', p->out);
    for (uint32_t k = 0; k < n; k++) {
        const char *type = ptx_type_name((enum ptx_type)param[k].type);
        fputs(k ? ", " : "", p->out);
        if (param[k].in_reg) {
            fprintf(p->out, ".reg .%s %s", type, param[k].name);
            continue;
        }
        unsigned elem = ptx_type_bytes((enum ptx_type)param[k].type);
        fprintf(p->out, ".param .align %u .%s %s", param[k].align, type, param[k].name);
        if (param[k].bytes != elem)
            fprintf(p->out, "[%u]", elem ? param[k].bytes / elem : 0);
    }
    fputc(')', p->out);
}

static void print_signature(const struct printer *p, const struct ptx_func *f, bool with_directives)
{
    fprintf(p->out, "%s%s ", linkage(f->linkage), f->is_entry ? ".entry" : ".func");
    if (f->n_ret) {
        print_params(p, f->param + f->n_param, f->n_ret);
        fputc(' ', p->out);
    }
    fprintf(p->out, "%s", f->name);
    print_params(p, f->param, f->n_param);
    if (f->noreturn)
        fputs(" .noreturn", p->out);
    if (!with_directives) /* a declaration may not have them */
        return;
    if (f->maxntid[0])
        fprintf(p->out, " .maxntid %u, %u, %u", f->maxntid[0], f->maxntid[1], f->maxntid[2]);
    if (f->reqntid[0])
        fprintf(p->out, " .reqntid %u, %u, %u", f->reqntid[0], f->reqntid[1], f->reqntid[2]);
    if (f->explicit_cluster)
        fputs(" .explicitcluster", p->out);
    if (f->blocks_are_clusters)
        fputs(" .blocksareclusters", p->out);
    if (f->reqcluster[0])
        fprintf(p->out, " .reqnctapercluster %u, %u, %u", f->reqcluster[0], f->reqcluster[1], f->reqcluster[2]);
    if (f->maxclusterrank)
        fprintf(p->out, " .maxclusterrank %u", f->maxclusterrank);
    if (f->minnctapersm)
        fprintf(p->out, " .minnctapersm %u", f->minnctapersm);
    if (f->maxnreg)
        fprintf(p->out, " .maxnreg %u", f->maxnreg);
}

/* ---- instructions ---- */

static void print_opnd(const struct printer *p, const struct ptx_opnd *o);

static void print_list(const struct printer *p, const struct ptx_opnd *o, const char *open, const char *between,
                       const char *close)
{
    fputs(open, p->out);
    for (unsigned k = 0; k < o->n; k++) {
        if (k)
            fputs(between, p->out);
        print_opnd(p, &o->elem[k]);
    }
    fputs(close, p->out);
}

static void print_offset(const struct printer *p, int64_t imm)
{
    if (imm)
        fprintf(p->out, "+%" PRId64, imm);
}

static void print_imm(const struct printer *p, const struct ptx_opnd *o)
{
    if (!o->is_float)
        fprintf(p->out, "%" PRId64, o->imm);
    else if (o->float_bytes == 4)
        fprintf(p->out, "0f%08" PRIX32, (uint32_t)o->imm);
    else
        fprintf(p->out, "0d%016" PRIX64, (uint64_t)o->imm);
}

static void print_address(const struct printer *p, const struct ptx_opnd *o)
{
    fputc('[', p->out);
    if (o->reg >= 0)
        fputs(p->reg[o->reg], p->out);
    else if (o->sym >= 0)
        fputs(symbol(p, o->sym), p->out);
    if (o->reg >= 0 || o->sym >= 0)
        print_offset(p, o->imm);
    else
        print_imm(p, o);
    fputc(']', p->out);
}

static void print_opnd(const struct printer *p, const struct ptx_opnd *o)
{
    switch (o->kind) {
    case PTX_O_REG:
        fprintf(p->out, "%s%s", o->neg ? "!" : "", p->reg[o->reg]);
        if (o->sel)
            fprintf(p->out, ".%s", ptx_mod_name((enum ptx_mod)o->sel));
        break;
    case PTX_O_SREG:
        fputs(ptx_sreg_name((enum ptx_sreg)o->sreg), p->out);
        if (ptx_sreg_is_numbered((enum ptx_sreg)o->sreg))
            fprintf(p->out, "%" PRId64, o->imm);
        break;
    case PTX_O_IMM:
        print_imm(p, o);
        break;
    case PTX_O_SYM:
        fputs(symbol(p, o->sym), p->out);
        print_offset(p, o->imm);
        break;
    case PTX_O_ADDR:
        print_address(p, o);
        break;
    case PTX_O_LABEL:
        fputs(p->label[o->label], p->out);
        break;
    case PTX_O_VEC:
        print_list(p, o, "{", ", ", "}");
        break;
    case PTX_O_PAIR:
        print_list(p, o, "", "|", "");
        break;
    case PTX_O_TEXADDR:
        print_list(p, o, "[", ", ", "]");
        break;
    case PTX_O_LIST:
        print_list(p, o, "(", ", ", ")");
        break;
    case PTX_O_SINK:
        fputc('_', p->out);
        break;
    default:
        break;
    }
}

static void print_inst(const struct printer *p, const struct ptx_inst *i)
{
    fputc('\t', p->out);
    if (i->guard >= 0)
        fprintf(p->out, "@%s%s ", i->guard_neg ? "!" : "", p->reg[i->guard]);
    fputs(i->text, p->out);
    bool first = true;
    for (unsigned k = 0; k < i->n_opnd; k++) {
        const struct ptx_opnd *o = &i->opnd[k];
        if (o->kind == PTX_O_LIST && o->n == 0)
            continue;
        fputs(first ? " " : ", ", p->out);
        first = false;
        print_opnd(p, o);
    }
    fputs(";\n", p->out);
}

static void print_label(const struct printer *p, uint32_t k)
{
    const struct ptx_label *l = &p->f->label[k];
    fprintf(p->out, "%s:", p->label[k]);
    if (l->n_target)
        fprintf(p->out, l->is_calltargets ? " .calltargets" : " .branchtargets");
    for (uint32_t t = 0; t < l->n_target; t++)
        fprintf(p->out, "%s%s", t ? ", " : " ", l->is_calltargets ? symbol(p, l->target[t]) : p->label[l->target[t]]);
    if (l->proto)
        fprintf(p->out, " .callprototype %s", l->proto);
    fputs(l->n_target || l->proto ? ";\n" : "\n", p->out);
}

static void print_registers(const struct printer *p)
{
    uint32_t first = 0; /* those of .reg parameters are declared by the signature and come first */
    for (uint32_t k = 0; k < p->f->n_param + p->f->n_ret; k++)
        first += p->f->param[k].in_reg;
    for (uint32_t k = first; k < p->f->n_reg; k++) {
        bool starts = k == first || p->f->reg[k].type != p->f->reg[k - 1].type;
        bool ends = k + 1 == p->f->n_reg || p->f->reg[k].type != p->f->reg[k + 1].type;
        if (starts)
            fprintf(p->out, "\t.reg .%s ", ptx_type_name((enum ptx_type)p->f->reg[k].type));
        fprintf(p->out, "%s%s", p->reg[k], ends ? ";\n" : ", ");
    }
}

static void print_body(struct printer *p, const struct ptx_func *f)
{
    p->f = f;
    p->arena = arena_new();
    name_everything(p);
    fputs("\n{\n", p->out);
    print_registers(p);
    for (uint32_t k = 0; k < f->n_var; k++) {
        fputc('\t', p->out);
        print_var(p, &f->var[k], p->var[k]);
    }
    uint32_t label = 0, loc_line = 0;
    uint16_t loc_file = 0xffff;
    for (uint32_t pc = 0; pc <= f->n_inst; pc++) {
        for (; label < f->n_label && f->label[label].pc == pc; label++)
            print_label(p, label);
        if (pc == f->n_inst)
            break;
        const struct ptx_inst *i = &f->inst[pc];
        if (i->loc_file != loc_file || i->loc_line != loc_line) {
            loc_file = i->loc_file;
            loc_line = i->loc_line;
            fprintf(p->out, "\t.loc %u %u 0\n", loc_file == 0xffff ? 1 : loc_file + 1u, loc_line);
        }
        if (i->nounroll)
            fputs("\t.pragma \"nounroll\";\n", p->out);
        print_inst(p, i);
    }
    fputs("}\n", p->out);
    arena_free(p->arena);
}

void ptx_print(const struct ptx_module *m, FILE *out)
{
    struct printer p = {.m = m, .out = out};
    fprintf(out, ".version %u.%u\n.target sm_%u\n.address_size 64\n", m->version_major, m->version_minor, m->target_sm);
    for (uint32_t k = 0; k < m->n_file; k++)
        fprintf(out, ".file %u \"%s\"\n", k + 1, m->file[k]);
    /* Declarations first: they fix the order of functions, and initializers may name them. */
    for (uint32_t k = 0; k < m->n_func; k++) {
        print_signature(&p, &m->func[k], false);
        fputs(";\n", out);
    }
    for (uint32_t k = 0; k < m->n_var; k++)
        print_var(&p, &m->var[k], m->var[k].name);
    for (uint32_t k = 0; k < m->n_func; k++)
        if (m->func[k].has_body) {
            print_signature(&p, &m->func[k], true);
            print_body(&p, &m->func[k]);
        }
}
