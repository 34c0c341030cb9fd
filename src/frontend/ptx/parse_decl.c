/*
 * Declarations: registers, variables with initializers, parameters. Source: PTX ISA 9.0, sections 5.1 to 5.4 and 7.1.
 */
#include "ptx/parse.h"

enum { MAX_DIMS = 8, MAX_ALIGN = 1 << 16, MAX_PARAM_BYTES = 1 << 24 };

/* What is written between the state space and the names. */
struct attrs {
    uint8_t type, vec;
    uint32_t align; /* 0 = natural */
    bool managed;
};

static bool dot_word(struct ptx_parser *p, struct ptx_word *w)
{
    *w = p->t.kind == TOK_DOT ? ptx_names_suffix(&p->names, p->t.at + 1, p->t.len - 1) : (struct ptx_word){0};
    return w->kind != PTX_WORD_NONE;
}

static int parse_align(struct ptx_parser *p, uint32_t *align)
{
    struct ptx_token at = p->t;
    uint64_t v;
    TRY(ptx_parse_uint(p, MAX_ALIGN, &v));
    if (v == 0 || (v & (v - 1)))
        return ptx_fail(p, &at, "alignment must be a power of two");
    *align = (uint32_t)v;
    return 0;
}

/* .attribute(.managed), .attribute(.unified(1, 2)) */
static int parse_attribute(struct ptx_parser *p, bool *managed)
{
    TRY(ptx_expect(p, '('));
    for (unsigned depth = 1; depth > 0; ptx_next(p)) {
        if (p->t.kind == TOK_EOF || p->t.kind == TOK_BAD)
            return ptx_expected(p, "')'");
        if (ptx_is_dot(p, ".managed"))
            *managed = true;
        depth += ptx_is(p, '(');
        depth -= ptx_is(p, ')');
    }
    return 0;
}

static int parse_attrs(struct ptx_parser *p, struct attrs *a)
{
    *a = (struct attrs){.vec = 1};
    struct ptx_word w;
    while (p->t.kind == TOK_DOT) {
        if (ptx_is_dot(p, ".align")) {
            ptx_next(p);
            TRY(parse_align(p, &a->align));
        } else if (ptx_is_dot(p, ".attribute")) {
            ptx_next(p);
            TRY(parse_attribute(p, &a->managed));
        } else if (ptx_is_dot(p, ".ptr")) {
            /* .ptr .global .align 4: about what the pointer points to */
            ptx_next(p);
            if (dot_word(p, &w) && w.kind == PTX_WORD_SPACE)
                ptx_next(p);
            if (ptx_is_dot(p, ".align")) {
                uint32_t pointee_align;
                ptx_next(p);
                TRY(parse_align(p, &pointee_align));
            }
        } else if (dot_word(p, &w) && w.kind == PTX_WORD_TYPE) {
            a->type = w.value;
            ptx_next(p);
        } else if (w.kind == PTX_WORD_VEC) {
            a->vec = w.value;
            ptx_next(p);
        } else {
            return ptx_expected(p, "a type");
        }
    }
    return a->type ? 0 : ptx_expected(p, "a type");
}

/* ---- registers ---- */

static int declare_vreg(struct ptx_parser *p, const struct ptx_token *name, const struct attrs *a)
{
    struct ptx_vreg v = {(uint32_t)p->reg.n, a->vec};
    for (uint32_t k = 0; k < v.n; k++) {
        char buf[160];
        int n = snprintf(buf, sizeof buf, "%.*s.%c", (int)(name->len < 150 ? name->len : 150), name->at, "xyzwefgh"[k]);
        ptx_new_reg(p, buf, (size_t)n, (enum ptx_type)a->type);
    }
    VEC_PUSH(&p->vreg, v);
    return ptx_scope_put(p, name, NAME(NAME_VREG, p->vreg.n - 1));
}

int ptx_parse_reg_decl(struct ptx_parser *p)
{
    struct attrs a;
    TRY(parse_attrs(p, &a));
    do {
        struct ptx_token name = p->t;
        if (name.kind != TOK_IDENT)
            return ptx_expected(p, "a register name");
        ptx_next(p);
        if (ptx_accept(p, '<')) {
            uint64_t count;
            if (p->t.kind != TOK_INT)
                return ptx_expected(p, "the number of registers");
            count = p->t.u;
            if (count > UINT32_MAX)
                return ptx_fail(p, &p->t, "too many registers");
            ptx_next(p);
            TRY(ptx_expect(p, '>'));
            struct ptx_range r = {name.at, name.len, (uint32_t)count, a.type};
            struct ptx_scope *s = &p->scope[p->n_scope - 1];
            VEC_PUSH(&s->range, r);
        } else if (a.vec > 1) {
            TRY(declare_vreg(p, &name, &a));
        } else {
            uint32_t index = ptx_new_reg(p, name.at, name.len, (enum ptx_type)a.type);
            TRY(ptx_scope_put(p, &name, NAME(NAME_REG, index)));
        }
    } while (ptx_accept(p, ','));
    return ptx_expect(p, ';');
}

/* ---- initializers ---- */

struct init {
    struct ptx_parser *p;
    VEC(uint8_t) bytes;
    VEC(struct ptx_init_ref) ref;
    unsigned n_dim;                /* the element itself included when it is a vector */
    uint64_t stride[MAX_DIMS + 1]; /* bytes of one item at each depth of braces; stride[n_dim] = one scalar */
    uint8_t type;
    uint64_t limit; /* bytes of the variable; UINT64_MAX = as many as there are */
};

static int init_room(struct init *x, const struct ptx_token *at, uint64_t offset, uint64_t n)
{
    if (offset + n > x->limit)
        return ptx_fail(x->p, at, "more initial values than elements");
    if (x->p->init_bytes + offset + n > PTX_MAX_INIT_BYTES)
        return ptx_fail(x->p, at, "more than %d MiB of initialized data", PTX_MAX_INIT_BYTES >> 20);
    if (offset + n > x->bytes.n) {
        VEC_RESERVE(&x->bytes, offset + n);
        memset(x->bytes.p + x->bytes.n, 0, (size_t)(offset + n - x->bytes.n));
        x->bytes.n = (size_t)(offset + n);
    }
    return 0;
}

/* sym, sym+4, generic(sym)+4: the parser is at the name. */
static int parse_init_symbol(struct init *x, struct ptx_init_ref *ref)
{
    struct ptx_parser *p = x->p;
    struct ptx_token name = p->t;
    ptx_next(p);
    if (name.len == 7 && !memcmp(name.at, "generic", 7) && ptx_accept(p, '(')) {
        ref->generic = 1;
        name = p->t;
        if (name.kind != TOK_IDENT)
            return ptx_expected(p, "a variable or function");
        ptx_next(p);
        TRY(ptx_expect(p, ')'));
    }
    ref->sym = ptx_mention(p, &name);
    if (ptx_is(p, '+') || ptx_is(p, '-')) {
        struct ptx_token at = p->t;
        struct ptx_const c;
        ptx_accept(p, '+');
        TRY(ptx_parse_const(p, &c));
        if (c.is_float)
            return ptx_fail(p, &at, "expected an integer offset");
        ref->addend = c.imm;
    }
    return 0;
}

static int store_const(struct init *x, const struct ptx_token *at, uint64_t offset, const struct ptx_const *c)
{
    uint64_t v = (uint64_t)c->imm;
    unsigned n = ptx_type_bytes((enum ptx_type)x->type);
    bool float_type = x->type == PTX_T_F32 || x->type == PTX_T_F64;
    if (float_type && !(c->is_float && c->float_bytes == n)) {
        double f = c->is_float ? c->f : (double)c->imm;
        float narrow = (float)f;
        if (n == 4) {
            uint32_t bits;
            memcpy(&bits, &narrow, 4);
            v = bits;
        } else {
            memcpy(&v, &f, 8);
        }
    } else if (!float_type && c->is_float && c->float_bytes != n) {
        return ptx_fail(x->p, at, "initial value has another width than its element");
    }
    for (unsigned k = 0; k < n && k < 8; k++)
        x->bytes.p[offset + k] = (uint8_t)(v >> 8 * k);
    return 0;
}

/* One element: a constant, an address, or one byte of an address: 0xff00(sym). */
static int parse_init_scalar(struct init *x, uint64_t offset)
{
    struct ptx_parser *p = x->p;
    struct ptx_token at = p->t;
    unsigned n = ptx_type_bytes((enum ptx_type)x->type);
    TRY(init_room(x, &at, offset, n));
    struct ptx_init_ref ref = {.offset = offset, .sym = -1, .bytes = (uint8_t)n};
    if (at.kind == TOK_IDENT && !(at.len == 7 && !memcmp(at.at, "WARP_SZ", 7))) {
        TRY(parse_init_symbol(x, &ref));
        if (n != 4 && n != 8)
            return ptx_fail(p, &at, "an address needs a 32- or 64-bit element");
        VEC_PUSH(&x->ref, ref);
        return 0;
    }
    struct ptx_const c;
    TRY(ptx_parse_const(p, &c));
    if (!ptx_is(p, '('))
        return store_const(x, &at, offset, &c);
    ptx_next(p);
    uint64_t mask = (uint64_t)c.imm;
    if (c.is_float || mask == 0 || mask >> __builtin_ctzll(mask) != 0xff || __builtin_ctzll(mask) % 8 || n != 1)
        return ptx_fail(p, &at, "expected a mask of one byte, such as 0xff00, and 8-bit elements");
    ref.shift = (uint8_t)__builtin_ctzll(mask);
    if (p->t.kind != TOK_IDENT)
        return ptx_expected(p, "a variable or function");
    TRY(parse_init_symbol(x, &ref));
    VEC_PUSH(&x->ref, ref);
    return ptx_expect(p, ')');
}

static int parse_init_string(struct init *x, uint64_t offset)
{
    struct ptx_parser *p = x->p;
    struct ptx_token at = p->t;
    uint64_t n = 0;
    for (uint32_t k = 0; k < at.len; k++) {
        char c = at.at[k];
        if (c == '\\' && k + 1 < at.len) {
            static const char from[] = "ntr0\\\"'", to[] = "\n\t\r\0\\\"'";
            const char *esc = strchr(from, at.at[++k]);
            c = esc && *esc ? to[esc - from] : at.at[k];
        }
        TRY(init_room(x, &at, offset + n, 1));
        x->bytes.p[offset + n++] = (uint8_t)c;
    }
    if (x->limit == UINT64_MAX) /* an array without size holds the terminator too */
        TRY(init_room(x, &at, offset + n, 1));
    ptx_next(p);
    return 0;
}

/* Items of one pair of braces, from `offset`; stride[depth] apart where they are braced themselves. */
static int parse_init_list(struct init *x, unsigned depth, uint64_t offset)
{
    struct ptx_parser *p = x->p;
    if (depth > PTX_MAX_INIT_DEPTH)
        return ptx_fail(p, &p->t, "initializer is nested deeper than %d", PTX_MAX_INIT_DEPTH);
    TRY(ptx_expect(p, '{'));
    while (!ptx_is(p, '}')) {
        unsigned level = depth < x->n_dim ? depth : x->n_dim;
        if (ptx_is(p, '{')) {
            TRY(parse_init_list(x, depth + 1, offset));
            offset += x->stride[level];
        } else {
            TRY(parse_init_scalar(x, offset));
            offset += x->stride[x->n_dim];
        }
        if (!ptx_accept(p, ','))
            break;
    }
    return ptx_is(p, '}') ? (ptx_next(p), 0) : ptx_expected(p, "',' or '}'");
}

static int parse_init(struct init *x, struct ptx_var *v)
{
    struct ptx_parser *p = x->p;
    if (p->t.kind == TOK_STRING && ptx_type_bytes((enum ptx_type)x->type) == 1)
        TRY(parse_init_string(x, 0));
    else if (ptx_is(p, '{'))
        TRY(parse_init_list(x, 1, 0));
    else
        TRY(parse_init_scalar(x, 0));
    if (x->limit == UINT64_MAX) {
        uint64_t item = x->stride[1 < x->n_dim ? 1 : x->n_dim];
        if (item == 0)
            return ptx_fail(p, &p->t, "an array without size needs elements of some size");
        v->bytes = (x->bytes.n + item - 1) / item * item;
        v->unsized = false;
    }
    p->init_bytes += v->bytes;
    if (p->init_bytes > PTX_MAX_INIT_BYTES)
        return ptx_fail(p, &p->t, "more than %d MiB of initialized data", PTX_MAX_INIT_BYTES >> 20);
    uint8_t *init = arena_alloc(p->arena, v->bytes);
    if (x->bytes.n)
        memcpy(init, x->bytes.p, x->bytes.n);
    v->init = init;
    if (x->ref.n) {
        struct ptx_init_ref *ref = arena_alloc(p->arena, x->ref.n * sizeof *ref);
        memcpy(ref, x->ref.p, x->ref.n * sizeof *ref);
        v->ref = ref;
        v->n_ref = (uint32_t)x->ref.n;
    }
    return 0;
}

/* ---- variables ---- */

/* [4][8] or []; dim[0] = 0 means without size. */
static int parse_dims(struct ptx_parser *p, uint64_t dim[MAX_DIMS], unsigned *n_dim, bool *unsized)
{
    *n_dim = 0;
    *unsized = false;
    while (ptx_accept(p, '[')) {
        if (*n_dim == MAX_DIMS)
            return ptx_fail(p, &p->t, "array has more than %d dimensions", MAX_DIMS);
        dim[*n_dim] = 0;
        if (ptx_is(p, ']') && *n_dim == 0)
            *unsized = true;
        else
            TRY(ptx_parse_uint(p, PTX_MAX_VAR_BYTES, &dim[*n_dim]));
        (*n_dim)++;
        TRY(ptx_expect(p, ']'));
    }
    return 0;
}

/* strides[k] = bytes of one item inside k pairs of brackets. Returns the whole size; UINT64_MAX = too large. */
static uint64_t array_bytes(const uint64_t *dim, unsigned n_dim, uint64_t elem, uint64_t *stride)
{
    stride[n_dim] = elem;
    for (unsigned k = n_dim; k-- > 0;)
        if (__builtin_mul_overflow(stride[k + 1], dim[k], &stride[k]) || stride[k] > PTX_MAX_VAR_BYTES)
            return UINT64_MAX;
    return stride[0];
}

/* Puts a finished variable where its scope says. A second declaration of a module's variable completes an extern one.
 */
static int place_var(struct ptx_parser *p, const struct ptx_token *name, const struct ptx_var *v)
{
    if (p->in_body) {
        TRY(ptx_scope_put(p, name, NAME(NAME_VAR, p->local.n)));
        VEC_PUSH(&p->local, *v);
        return 0;
    }
    uint32_t known = strmap_get(&p->symbol, name->at, name->len);
    if (known == STRMAP_NONE) {
        strmap_put(&p->symbol, name->at, name->len, (uint32_t)PTX_SYM(PTX_SYM_VAR, p->var.n));
        VEC_PUSH(&p->var, *v);
        return 0;
    }
    struct ptx_var *old = PTX_SYM_KIND((int32_t)known) == PTX_SYM_VAR ? &p->var.p[PTX_SYM_INDEX((int32_t)known)] : NULL;
    if (!old || (old->linkage != PTX_L_EXTERN && v->linkage != PTX_L_EXTERN))
        return ptx_fail(p, name, "'%s' is already declared", v->name);
    if (v->linkage != PTX_L_EXTERN)
        *old = *v;
    return 0;
}

int ptx_parse_var_decl(struct ptx_parser *p, enum ptx_space space, enum ptx_linkage linkage, bool managed)
{
    struct attrs a;
    TRY(parse_attrs(p, &a));
    unsigned scalar = ptx_type_bytes((enum ptx_type)a.type);
    if (!scalar)
        return ptx_fail(p, &p->t, "a variable cannot have type .%s", ptx_type_name((enum ptx_type)a.type));
    do {
        struct ptx_token name = p->t;
        if (name.kind != TOK_IDENT)
            return ptx_expected(p, "a variable name");
        ptx_next(p);
        struct ptx_var v = {
            .name = arena_strndup(p->arena, name.at, name.len),
            .space = (uint8_t)space,
            .type = a.type,
            .vec = a.vec,
            .linkage = (uint8_t)linkage,
            .managed = managed || a.managed,
            .align = a.align ? a.align : scalar * a.vec,
            .line = name.line,
        };
        uint64_t dim[MAX_DIMS];
        struct init x = {.p = p, .type = a.type};
        TRY(parse_dims(p, dim, &x.n_dim, &v.unsized));
        v.bytes = array_bytes(dim, x.n_dim, (uint64_t)scalar * a.vec, x.stride);
        if (v.bytes == UINT64_MAX)
            return ptx_fail(p, &name, "'%s' is too large", v.name);
        if (a.vec > 1 && x.n_dim < MAX_DIMS)
            x.stride[++x.n_dim] = scalar;
        if (ptx_accept(p, '=')) {
            x.limit = v.unsized ? UINT64_MAX : v.bytes;
            int rc = parse_init(&x, &v);
            VEC_FREE(&x.bytes);
            VEC_FREE(&x.ref);
            TRY(rc);
        }
        TRY(place_var(p, &name, &v));
    } while (ptx_accept(p, ','));
    return ptx_expect(p, ';');
}

/* ---- parameters ---- */

static int parse_param(struct ptx_parser *p, struct ptx_param *out)
{
    bool in_reg = ptx_is_dot(p, ".reg");
    if (!in_reg && !ptx_is_dot(p, ".param"))
        return ptx_expected(p, "'.param' or '.reg'");
    ptx_next(p);
    struct attrs a;
    TRY(parse_attrs(p, &a));
    struct ptx_token name = p->t;
    if (name.kind != TOK_IDENT)
        return ptx_expected(p, "a parameter name");
    ptx_next(p);
    uint64_t dim[MAX_DIMS], stride[MAX_DIMS + 1];
    unsigned n_dim;
    bool unsized;
    TRY(parse_dims(p, dim, &n_dim, &unsized));
    uint64_t elem = (uint64_t)ptx_type_bytes((enum ptx_type)a.type) * a.vec;
    uint64_t bytes = array_bytes(dim, n_dim, elem, stride);
    if (bytes > MAX_PARAM_BYTES)
        return ptx_fail(p, &name, "parameter is larger than %d bytes", MAX_PARAM_BYTES);
    if (in_reg && (n_dim || a.vec > 1))
        return ptx_fail(p, &name, "a .reg parameter is one register");
    *out = (struct ptx_param){
        .name = arena_strndup(p->arena, name.at, name.len),
        .type = a.type,
        .in_reg = in_reg,
        .reg = -1,
        .align = a.align ? a.align
                 : elem  ? (uint32_t)elem
                         : 1,
        .bytes = (uint32_t)bytes,
    };
    return 0;
}

int ptx_parse_params(struct ptx_parser *p, ptx_param_vec *list, uint32_t *block_bytes)
{
    TRY(ptx_expect(p, '('));
    *block_bytes = 0;
    if (ptx_accept(p, ')'))
        return 0;
    do {
        struct ptx_param param;
        struct ptx_token at = p->t;
        TRY(parse_param(p, &param));
        uint64_t offset = ((uint64_t)*block_bytes + param.align - 1) / param.align * param.align;
        if (offset + param.bytes > MAX_PARAM_BYTES)
            return ptx_fail(p, &at, "parameters take more than %d bytes", MAX_PARAM_BYTES);
        param.offset = (uint32_t)offset;
        *block_bytes = (uint32_t)(offset + param.bytes);
        VEC_PUSH(list, param);
    } while (ptx_accept(p, ','));
    return ptx_is(p, ')') ? (ptx_next(p), 0) : ptx_expected(p, "',' or ')'");
}
