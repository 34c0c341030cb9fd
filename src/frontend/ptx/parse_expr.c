/*
 * Constants and constant expressions. Source: PTX ISA 9.0, section 4.5.
 *
 * Integers are 64 bits wide and wrap; the signedness rules of the manual only matter to division, right shift and
 * comparison, which are done signed. Left out: comparisons, && || and ?:, which no compiler emits.
 */
#include "ptx/parse.h"

struct expr {
    struct ptx_parser *p;
    unsigned depth;
};

static int parse_binary(struct expr *x, unsigned min_level, struct ptx_const *out);

static int want_int(struct expr *x, const struct ptx_token *at, const struct ptx_const *c)
{
    return c->is_float ? ptx_fail(x->p, at, "this operator needs integers") : 0;
}

static int parse_unary(struct expr *x, struct ptx_const *out)
{
    struct ptx_parser *p = x->p;
    struct ptx_token at = p->t;
    if (++x->depth > PTX_MAX_EXPR_DEPTH)
        return ptx_fail(p, &at, "expression is nested deeper than %d", PTX_MAX_EXPR_DEPTH);
    *out = (struct ptx_const){0};
    if (at.kind == TOK_INT) {
        out->imm = (int64_t)at.u;
        ptx_next(p);
    } else if (at.kind == TOK_FLOAT) {
        *out = (struct ptx_const){true, at.float_bytes, (int64_t)at.u, at.f};
        ptx_next(p);
    } else if (at.kind == TOK_IDENT && at.len == 7 && !memcmp(at.at, "WARP_SZ", 7)) {
        out->imm = 32;
        ptx_next(p);
    } else if (ptx_accept(p, '-')) {
        TRY(parse_unary(x, out));
        if (out->is_float) {
            out->f = -out->f;
            out->imm = (int64_t)((uint64_t)out->imm ^ 1ull << (out->float_bytes * 8 - 1));
        } else {
            out->imm = (int64_t) - (uint64_t)out->imm;
        }
    } else if (ptx_accept(p, '+')) {
        TRY(parse_unary(x, out));
    } else if (ptx_accept(p, '~')) {
        TRY(parse_unary(x, out));
        TRY(want_int(x, &at, out));
        out->imm = ~out->imm;
    } else if (ptx_accept(p, '!')) {
        TRY(parse_unary(x, out));
        TRY(want_int(x, &at, out));
        out->imm = !out->imm;
    } else if (ptx_accept(p, '(')) {
        if (ptx_is_dot(p, ".s64") || ptx_is_dot(p, ".u64")) { /* a cast changes only the signedness */
            ptx_next(p);
            TRY(ptx_expect(p, ')'));
            TRY(parse_unary(x, out));
        } else {
            TRY(parse_binary(x, 0, out));
            TRY(ptx_expect(p, ')'));
        }
    } else {
        return ptx_expected(p, "a constant");
    }
    x->depth--;
    return 0;
}

/* The binary operator at the current token and how tightly it binds; 0 = none. '<' stands for <<, '>' for >>. */
static char binary_op(struct ptx_parser *p, unsigned *level)
{
    static const struct {
        char op;
        uint8_t level;
    } ops[] = {{'|', 1}, {'^', 2}, {'&', 3}, {'<', 4}, {'>', 4}, {'+', 5}, {'-', 5}, {'*', 6}, {'/', 6}, {'%', 6}};
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        if (!ptx_is(p, ops[i].op))
            continue;
        bool is_shift = ops[i].op == '<' || ops[i].op == '>';
        if (is_shift && (p->lex.p >= p->lex.end || *p->lex.p != ops[i].op))
            return 0;
        *level = ops[i].level;
        return ops[i].op;
    }
    return 0;
}

static int apply(struct expr *x, const struct ptx_token *at, char op, struct ptx_const *a, const struct ptx_const *b)
{
    TRY(want_int(x, at, a));
    TRY(want_int(x, at, b));
    uint64_t u = (uint64_t)a->imm, v = (uint64_t)b->imm;
    switch (op) {
    case '|':
        u |= v;
        break;
    case '^':
        u ^= v;
        break;
    case '&':
        u &= v;
        break;
    case '<':
        u = v < 64 ? u << v : 0;
        break;
    case '>':
        u = (uint64_t)(a->imm >> (v < 64 ? v : 63));
        break;
    case '+':
        u += v;
        break;
    case '-':
        u -= v;
        break;
    case '*':
        u *= v;
        break;
    default:
        if (v == 0)
            return ptx_fail(x->p, at, "division by zero");
        if (v == UINT64_MAX) /* INT64_MIN / -1 has no value in C */
            u = op == '/' ? -u : 0;
        else
            u = (uint64_t)(op == '/' ? a->imm / b->imm : a->imm % b->imm);
    }
    a->imm = (int64_t)u;
    return 0;
}

static int parse_binary(struct expr *x, unsigned min_level, struct ptx_const *out)
{
    TRY(parse_unary(x, out));
    for (;;) {
        unsigned level;
        struct ptx_token at = x->p->t;
        char op = binary_op(x->p, &level);
        if (!op || level < min_level)
            return 0;
        ptx_next(x->p);
        if (op == '<' || op == '>')
            ptx_next(x->p);
        struct ptx_const rhs;
        if (++x->depth > PTX_MAX_EXPR_DEPTH)
            return ptx_fail(x->p, &at, "expression is nested deeper than %d", PTX_MAX_EXPR_DEPTH);
        TRY(parse_binary(x, level + 1, &rhs));
        x->depth--;
        TRY(apply(x, &at, op, out, &rhs));
    }
}

int ptx_parse_const(struct ptx_parser *p, struct ptx_const *out)
{
    struct expr x = {.p = p};
    return parse_binary(&x, 0, out);
}

int ptx_parse_uint(struct ptx_parser *p, uint64_t max, uint64_t *out)
{
    struct ptx_token at = p->t;
    struct ptx_const c;
    TRY(ptx_parse_const(p, &c));
    if (c.is_float || (uint64_t)c.imm > max)
        return ptx_fail(p, &at, "expected an integer from 0 to %llu", (unsigned long long)max);
    *out = (uint64_t)c.imm;
    return 0;
}
