/*
 * Instructions: guard, opcode word, operands. Source: PTX ISA 9.0, sections 6 (operands) and 9 (instruction set).
 *
 * The operand grammar is the same for every opcode but call: weir reads whatever is well formed, and emu/ decides
 * what it can run. An opcode or suffix that is not in the tables marks the instruction `bad`; then even its operands
 * may be unreadable, and are skipped up to the semicolon.
 */
#include "ptx/parse.h"

static int parse_opnd(struct ptx_parser *p, struct ptx_opnd *o);

/* ---- the opcode word ---- */

static void set_bad(struct ptx_parser *p, struct ptx_inst *i, const char *what, const char *word, size_t n)
{
    if (i->bad)
        return;
    char buf[128];
    int len = snprintf(buf, sizeof buf, "%s '%.*s'", what, (int)(n < 80 ? n : 80), word);
    i->bad = arena_strndup(p->arena, buf, (size_t)len);
}

/* m64n128k16: the shape of a warpgroup's product, too many to list. */
static bool is_warpgroup_shape(struct ptx_inst *i, const char *s, size_t n)
{
    unsigned columns, depth;
    char text[24], again[24];
    if (i->op != PTX_WGMMA || n >= sizeof text)
        return false;
    memcpy(text, s, n);
    text[n] = '\0';
    if (sscanf(text, "m64n%3uk%3u", &columns, &depth) != 2)
        return false;
    snprintf(again, sizeof again, "m64n%uk%u", columns, depth);
    if (strcmp(text, again) != 0)
        return false;
    i->wg_n = (uint16_t)columns;
    i->wg_k = (uint16_t)depth;
    return true;
}

static void add_suffix(struct ptx_parser *p, struct ptx_inst *i, const char *s, size_t n)
{
    if (is_warpgroup_shape(i, s, n))
        return;
    struct ptx_word w = ptx_names_suffix(&p->names, s, n);
    switch (w.kind) {
    case PTX_WORD_TYPE:
        if (i->n_type == sizeof i->type)
            set_bad(p, i, "too many type suffixes at", s, n);
        else
            i->type[i->n_type++] = w.value;
        break;
    case PTX_WORD_SPACE:
        if (i->space == PTX_S_NONE)
            i->space = w.value;
        else if (i->space2 == PTX_S_NONE)
            i->space2 = w.value;
        else
            set_bad(p, i, "too many state spaces at", s, n);
        break;
    case PTX_WORD_VEC:
        i->vec = w.value;
        break;
    case PTX_WORD_MOD:
        if (i->n_mod == sizeof i->mod)
            set_bad(p, i, "too many suffixes at", s, n);
        else
            i->mod[i->n_mod++] = w.value;
        i->modset[w.value >> 6] |= 1ull << (w.value & 63);
        break;
    default:
        set_bad(p, i, "unknown suffix", s - 1, n + 1); /* with its dot */
    }
}

/* Takes a whole word ("setp.lt.and.f32") apart. */
static void decode_form(struct ptx_parser *p, struct ptx_inst *i, const char *word, size_t n)
{
    *i = (struct ptx_inst){.vec = 1, .guard = -1, .loc_file = 0xffff};
    i->text = arena_strndup(p->arena, word, n);
    const char *s = i->text, *end = s + n;
    const char *dot = memchr(s, '.', n);
    i->op = (uint16_t)ptx_names_op(&p->names, s, (size_t)((dot ? dot : end) - s));
    if (i->op == PTX_OP_UNKNOWN)
        set_bad(p, i, "unknown instruction", s, n);
    while (dot) {
        const char *first = dot + 1;
        dot = memchr(first, '.', (size_t)(end - first));
        add_suffix(p, i, first, (size_t)((dot ? dot : end) - first));
    }
}

/* Reads the opcode word; the parser is at its first token. Blanks before a dot are allowed and dropped. */
static int parse_form(struct ptx_parser *p, struct ptx_inst *i)
{
    struct ptx_token at = p->t;
    char glued[256];
    size_t n = at.len;
    bool contiguous = true;
    const char *end = at.at + at.len;
    if (at.len > sizeof glued)
        return ptx_fail(p, &at, "opcode is longer than %zu characters", sizeof glued);
    memcpy(glued, at.at, at.len);
    for (ptx_next(p); p->t.kind == TOK_DOT; ptx_next(p)) {
        contiguous = contiguous && p->t.at == end;
        end = p->t.at + p->t.len;
        if (n + p->t.len > sizeof glued)
            return ptx_fail(p, &at, "opcode is longer than %zu characters", sizeof glued);
        memcpy(glued + n, p->t.at, p->t.len);
        n += p->t.len;
    }
    const char *word = contiguous ? at.at : glued;
    uint32_t form = strmap_get(&p->form_of, word, n);
    if (form == STRMAP_NONE) {
        form = (uint32_t)p->form.n;
        struct ptx_inst decoded;
        decode_form(p, &decoded, word, n);
        VEC_PUSH(&p->form, decoded);
        strmap_put(&p->form_of, decoded.text, n, form);
    }
    *i = p->form.p[form];
    i->line = at.line;
    i->col = at.col;
    return 0;
}

/* ---- operands ---- */

static struct ptx_opnd no_opnd(enum ptx_opnd_kind kind)
{
    return (struct ptx_opnd){.kind = (uint8_t)kind, .reg = -1, .sym = -1, .label = -1};
}

static int parse_imm(struct ptx_parser *p, struct ptx_opnd *o)
{
    struct ptx_const c;
    TRY(ptx_parse_const(p, &c));
    *o = no_opnd(PTX_O_IMM);
    o->imm = c.imm;
    o->is_float = c.is_float;
    o->float_bytes = c.float_bytes;
    o->f = c.is_float ? c.f : (double)c.imm;
    return 0;
}

/* Whether the current token is a suffix glued to the word that ended at `end`. */
static bool glued_dot(const struct ptx_parser *p, const char *end)
{
    return p->t.kind == TOK_DOT && p->t.at == end;
}

/* %tid.x, %laneid, %envreg3. Returns 1 when it was one. The parser is past `name`. */
static int parse_sreg(struct ptx_parser *p, const struct ptx_token *name, struct ptx_opnd *o)
{
    uint32_t number;
    if (glued_dot(p, name->at + name->len)) {
        int r = ptx_names_sreg(&p->names, name->at, name->len + p->t.len, &number);
        if (r >= 0) {
            ptx_next(p);
            *o = no_opnd(PTX_O_SREG);
            o->sreg = (uint8_t)r;
            return 1;
        }
    }
    int r = ptx_names_sreg(&p->names, name->at, name->len, &number);
    if (r < 0)
        return 0;
    *o = no_opnd(PTX_O_SREG);
    o->sreg = (uint8_t)r;
    o->imm = number;
    return 1;
}

/* A vector register: all of it, or v.x .. v.w (v.r .. v.a). */
static int parse_vreg(struct ptx_parser *p, const struct ptx_token *name, const struct ptx_vreg *v, struct ptx_opnd *o)
{
    if (glued_dot(p, name->at + name->len)) {
        const char *letter = p->t.len == 2 ? strchr("xyzwrgba", p->t.at[1]) : NULL;
        unsigned k = letter ? (unsigned)(letter - "xyzwrgba") % 4 : 4;
        if (k >= v->n)
            return ptx_expected(p, "a component of the vector register");
        ptx_next(p);
        *o = no_opnd(PTX_O_REG);
        o->reg = (int32_t)(v->first + k);
        return 0;
    }
    *o = no_opnd(PTX_O_VEC);
    o->n = (uint16_t)v->n;
    o->elem = arena_alloc(p->arena, v->n * sizeof *o->elem);
    for (uint32_t k = 0; k < v->n; k++) {
        o->elem[k] = no_opnd(PTX_O_REG);
        o->elem[k].reg = (int32_t)(v->first + k);
    }
    return 0;
}

static int is_selector(unsigned mod)
{
    return mod == PTX_M_B0 || mod == PTX_M_B1 || mod == PTX_M_B2 || mod == PTX_M_B3 || mod == PTX_M_H0 ||
           mod == PTX_M_H1;
}

/* a.b0, a.h1: operands of the video instructions. */
static int parse_selector(struct ptx_parser *p, struct ptx_opnd *o)
{
    for (unsigned m = 1; m < PTX_M_COUNT; m++) {
        const char *name = ptx_mod_name((enum ptx_mod)m);
        if (is_selector(m) && strlen(name) + 1 == p->t.len && !memcmp(name, p->t.at + 1, p->t.len - 1)) {
            o->sel = (uint8_t)m;
            ptx_next(p);
            return 0;
        }
    }
    return ptx_expected(p, "a byte or half-word selector (.b0 to .b3, .h0, .h1)");
}

/* +imm or -imm behind a symbol or an address's base. */
static int parse_offset(struct ptx_parser *p, int64_t *imm)
{
    if (!ptx_is(p, '+') && !ptx_is(p, '-'))
        return 0;
    if (ptx_is(p, '+')) /* "+-4" is what clang writes; a '-' is left for the constant's own sign */
        ptx_next(p);
    struct ptx_token at = p->t;
    struct ptx_const c;
    TRY(ptx_parse_const(p, &c));
    if (c.is_float)
        return ptx_fail(p, &at, "expected an integer offset");
    *imm = c.imm;
    return 0;
}

static int parse_named(struct ptx_parser *p, struct ptx_opnd *o)
{
    struct ptx_token name = p->t;
    ptx_next(p);
    if (name.len == 1 && name.at[0] == '_') {
        *o = no_opnd(PTX_O_SINK);
        return 0;
    }
    uint32_t v = ptx_scope_get(p, name.at, name.len);
    if (v == STRMAP_NONE) {
        if (name.at[0] == '%' && parse_sreg(p, &name, o))
            return 0;
        if (name.at[0] == '%')
            return ptx_fail(p, &name, "register '%.*s' is not declared", (int)(name.len < 200 ? name.len : 200),
                            name.at);
        *o = no_opnd(PTX_O_SYM);
        o->sym = ptx_mention(p, &name);
        return parse_offset(p, &o->imm);
    }
    switch (NAME_KIND(v)) {
    case NAME_REG:
        *o = no_opnd(PTX_O_REG);
        o->reg = (int32_t)NAME_INDEX(v);
        return glued_dot(p, name.at + name.len) ? parse_selector(p, o) : 0;
    case NAME_VREG:
        return parse_vreg(p, &name, &p->vreg.p[NAME_INDEX(v)], o);
    default:
        *o = no_opnd(PTX_O_SYM);
        o->sym = PTX_SYM(NAME_KIND(v) == NAME_VAR ? PTX_SYM_LOCALVAR : PTX_SYM_PARAM, NAME_INDEX(v));
        return parse_offset(p, &o->imm);
    }
}

static struct ptx_opnd *keep_opnds(struct ptx_parser *p, const struct ptx_opnd *opnd, size_t n)
{
    struct ptx_opnd *copy = arena_alloc(p->arena, n * sizeof *copy);
    memcpy(copy, opnd, n * sizeof *copy);
    return copy;
}

/* Elements up to the closing mark; `first` is one that was read already, or NULL. */
static int parse_elems(struct ptx_parser *p, char close, const struct ptx_opnd *first, struct ptx_opnd *o)
{
    struct ptx_opnd elem[PTX_MAX_LIST];
    size_t n = 0;
    if (first)
        elem[n++] = *first;
    else if (ptx_accept(p, close))
        return 0;
    for (;;) {
        if (n == PTX_MAX_LIST)
            return ptx_fail(p, &p->t, "more than %d elements", PTX_MAX_LIST);
        TRY(parse_opnd(p, &elem[n]));
        n++;
        if (ptx_accept(p, close))
            break;
        if (!ptx_is(p, ','))
            return ptx_expected(p, close == '}' ? "',' or '}'" : close == ']' ? "',' or ']'" : "',' or ')'");
        ptx_next(p);
    }
    o->elem = keep_opnds(p, elem, n);
    o->n = (uint16_t)n;
    return 0;
}

static bool at_warp_sz(const struct ptx_parser *p) /* an identifier that is a constant */
{
    return p->t.kind == TOK_IDENT && p->t.len == 7 && !memcmp(p->t.at, "WARP_SZ", 7);
}

/* [base+imm], [imm], [tex, {x, y}]; the parser is past '['. */
static int parse_address(struct ptx_parser *p, struct ptx_opnd *o)
{
    struct ptx_token at = p->t;
    struct ptx_opnd base;
    if (p->t.kind == TOK_IDENT && !at_warp_sz(p))
        TRY(parse_named(p, &base)); /* a symbol includes its offset */
    else
        TRY(parse_imm(p, &base));
    bool is_addr = base.kind == PTX_O_REG || base.kind == PTX_O_SYM || (base.kind == PTX_O_IMM && !base.is_float);
    if (!is_addr || base.sel)
        return ptx_fail(p, &at, "this cannot be an address");
    if (ptx_accept(p, ',')) { /* a texture, surface or tensor address */
        *o = no_opnd(PTX_O_TEXADDR);
        return parse_elems(p, ']', &base, o);
    }
    *o = base;
    o->kind = PTX_O_ADDR;
    o->f = 0;
    if (o->reg >= 0)
        TRY(parse_offset(p, &o->imm));
    return ptx_accept(p, ']') ? 0 : ptx_expected(p, "']'");
}

/* d|p: a second destination. */
static int parse_pair(struct ptx_parser *p, struct ptx_opnd *o)
{
    struct ptx_token at = p->t;
    struct ptx_opnd elem[2] = {*o};
    if (at.kind != TOK_IDENT)
        return ptx_expected(p, "a register after '|'");
    TRY(parse_named(p, &elem[1]));
    if (elem[1].kind != PTX_O_REG && elem[1].kind != PTX_O_SINK)
        return ptx_fail(p, &at, "expected a register after '|'");
    *o = no_opnd(PTX_O_PAIR);
    o->n = 2;
    o->elem = keep_opnds(p, elem, 2);
    return 0;
}

static int parse_opnd(struct ptx_parser *p, struct ptx_opnd *o)
{
    struct ptx_token at = p->t;
    if (at.kind == TOK_IDENT && !at_warp_sz(p)) {
        TRY(parse_named(p, o));
        if (ptx_is(p, '|') && (o->kind == PTX_O_REG || o->kind == PTX_O_SINK)) {
            ptx_next(p);
            return parse_pair(p, o);
        }
        return 0;
    }
    if (ptx_accept(p, '{')) {
        if (p->nesting == 2)
            return ptx_fail(p, &at, "vector inside a vector");
        *o = no_opnd(PTX_O_VEC);
        p->nesting++;
        TRY(parse_elems(p, '}', NULL, o));
        p->nesting--;
        if (o->n == 0)
            return ptx_fail(p, &at, "empty vector");
        return p->nesting == 0 && ptx_accept(p, '|') ? parse_pair(p, o) : 0;
    }
    if (ptx_accept(p, '[')) {
        if (p->nesting)
            return ptx_fail(p, &at, "address inside a vector or an address");
        p->nesting++;
        TRY(parse_address(p, o));
        p->nesting--;
        return 0;
    }
    if (ptx_is(p, '!') || ptx_is(p, '-')) {
        /* !p is a complemented predicate; "-5" and "!0" are constants. */
        struct ptx_lex lex = p->lex;
        char sign = p->t.punct;
        ptx_next(p);
        if (p->t.kind == TOK_IDENT && sign == '!') {
            TRY(parse_named(p, o));
            if (o->kind != PTX_O_REG || p->reg.p[o->reg].type != PTX_T_PRED)
                return ptx_fail(p, &at, "'!' needs a predicate register");
            o->neg = 1;
            return 0;
        }
        p->lex = lex;
        p->t = at;
    }
    if (p->t.kind == TOK_INT || p->t.kind == TOK_FLOAT || p->t.kind == TOK_IDENT || ptx_is(p, '-') || ptx_is(p, '+') ||
        ptx_is(p, '~') || ptx_is(p, '!') || ptx_is(p, '('))
        return parse_imm(p, o);
    return ptx_expected(p, "an operand");
}

/* call (results), target, (arguments), prototype; every part but the target may be missing. */
static int parse_call(struct ptx_parser *p, struct ptx_opnd *opnd, unsigned *n)
{
    opnd[0] = no_opnd(PTX_O_LIST);
    opnd[2] = no_opnd(PTX_O_LIST);
    if (ptx_accept(p, '(')) {
        TRY(parse_elems(p, ')', NULL, &opnd[0]));
        TRY(ptx_expect(p, ','));
    }
    if (p->t.kind != TOK_IDENT)
        return ptx_expected(p, "a function or a register that holds its address");
    struct ptx_token at = p->t;
    TRY(parse_named(p, &opnd[1]));
    if (opnd[1].kind != PTX_O_REG && opnd[1].kind != PTX_O_SYM)
        return ptx_fail(p, &at, "expected a function or a register that holds its address");
    *n = 3;
    if (!ptx_accept(p, ','))
        return 0;
    if (ptx_accept(p, '(')) {
        TRY(parse_elems(p, ')', NULL, &opnd[2]));
        if (!ptx_accept(p, ','))
            return 0;
    }
    if (p->t.kind != TOK_IDENT)
        return ptx_expected(p, "the label of a prototype or a target list");
    opnd[3] = no_opnd(PTX_O_LABEL);
    opnd[3].sym = ptx_mention(p, &p->t);
    ptx_next(p);
    *n = 4;
    return 0;
}

/* All operands and the semicolon. */
static int parse_operands(struct ptx_parser *p, struct ptx_inst *i)
{
    struct ptx_opnd opnd[PTX_MAX_OPERANDS];
    unsigned n = 0;
    p->nesting = 0;
    if (i->op == PTX_CALL) {
        TRY(parse_call(p, opnd, &n));
    } else if (!ptx_is(p, ';')) {
        do {
            if (n == PTX_MAX_OPERANDS)
                return ptx_fail(p, &p->t, "more than %d operands", PTX_MAX_OPERANDS);
            TRY(parse_opnd(p, &opnd[n]));
            n++;
        } while (ptx_accept(p, ','));
    }
    if (!ptx_is(p, ';'))
        return ptx_expected(p, n ? "',' or ';'" : "an operand or ';'");
    ptx_next(p);
    i->opnd = keep_opnds(p, opnd, n);
    i->n_opnd = (uint16_t)n;
    return 0;
}

static int parse_guard(struct ptx_parser *p, int32_t *guard, bool *neg)
{
    *neg = ptx_accept(p, '!');
    struct ptx_token at = p->t;
    if (at.kind != TOK_IDENT)
        return ptx_expected(p, "a predicate register");
    ptx_next(p);
    uint32_t v = ptx_scope_get(p, at.at, at.len);
    if (v == STRMAP_NONE || NAME_KIND(v) != NAME_REG || p->reg.p[NAME_INDEX(v)].type != PTX_T_PRED)
        return ptx_fail(p, &at, "guard '%.*s' is not a declared predicate register", (int)(at.len < 200 ? at.len : 200),
                        at.at);
    *guard = (int32_t)NAME_INDEX(v);
    return 0;
}

int ptx_parse_inst(struct ptx_parser *p)
{
    int32_t guard = -1;
    bool guard_neg = false;
    if (ptx_accept(p, '@'))
        TRY(parse_guard(p, &guard, &guard_neg));
    if (p->t.kind != TOK_IDENT || p->t.at[0] == '%')
        return ptx_expected(p, "an instruction");
    struct ptx_inst i;
    TRY(parse_form(p, &i));
    i.guard = guard;
    i.guard_neg = guard_neg;
    i.loc_line = p->loc_line;
    i.loc_file = p->loc_file;
    if (i.bad) {
        /* What weir does not know may have operands it cannot read; then it keeps the opcode alone. */
        struct ptx_parser_mark {
            struct ptx_lex lex;
            struct ptx_token t;
            size_t mention, open;
        } mark = {p->lex, p->t, p->mention.n, p->open.n};
        struct err *e = p->e;
        p->e = NULL;
        int rc = parse_operands(p, &i);
        p->e = e;
        if (rc < 0) {
            p->lex = mark.lex;
            p->t = mark.t;
            p->mention.n = mark.mention;
            p->open.n = mark.open;
            i.n_opnd = 0;
            i.opnd = NULL;
            TRY(ptx_skip_statement(p));
        }
    } else {
        TRY(parse_operands(p, &i));
    }
    if (p->reg.n > PTX_MAX_REGS)
        return ptx_fail(p, &p->t, "function has more than %d registers", PTX_MAX_REGS);
    i.nounroll = p->nounroll;
    p->nounroll = false;
    VEC_PUSH(&p->inst, i);
    return 0;
}
