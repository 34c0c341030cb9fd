/*
 * The lexer. Source: PTX ISA 9.0, section 4 (source format, comments, statements, identifiers, constants).
 *
 * PTX is free-form; a word that starts with a dot is one token, because that is how opcodes, types and directives are
 * spelled. Left out: preprocessor lines, which no compiler leaves in its output.
 */
#include "ptx/lex.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

void ptx_lex_init(struct ptx_lex *l, const char *text, size_t n)
{
    *l = (struct ptx_lex){.p = text, .end = text + n, .line_start = text, .line = 1};
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_alpha(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool ptx_lex_is_word(char c)
{
    return is_alpha(c) || is_digit(c) || c == '_' || c == '$';
}

/* The byte `ahead` places on, or NUL past the end (NUL bytes of the text are never part of a token). */
static char peek(const struct ptx_lex *l, size_t ahead)
{
    return (size_t)(l->end - l->p) > ahead ? l->p[ahead] : '\0';
}

static void newline(struct ptx_lex *l)
{
    l->line++;
    l->line_start = l->p;
}

static void place(const struct ptx_lex *l, struct ptx_token *t)
{
    *t = (struct ptx_token){.at = l->p, .line = l->line, .col = (uint32_t)(l->p - l->line_start) + 1};
}

/* Skips blanks and comments and notes where the token starts. Returns false at a comment that never ends. */
static bool skip_blank(struct ptx_lex *l, struct ptx_token *t)
{
    while (l->p < l->end) {
        char c = *l->p;
        if (c == '\n') {
            l->p++;
            newline(l);
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
            l->p++;
        } else if (c == '/' && peek(l, 1) == '/') {
            const char *nl = memchr(l->p, '\n', (size_t)(l->end - l->p));
            l->p = nl ? nl : l->end;
        } else if (c == '/' && peek(l, 1) == '*') {
            place(l, t);
            l->p += 2;
            for (;; l->p++) {
                if (l->p >= l->end)
                    return false;
                if (*l->p == '*' && peek(l, 1) == '/')
                    break;
                if (*l->p == '\n') {
                    l->line++;
                    l->line_start = l->p + 1;
                }
            }
            l->p += 2;
        } else {
            break;
        }
    }
    place(l, t);
    return true;
}

static void bad(struct ptx_lex *l, struct ptx_token *t, const char *why)
{
    t->kind = TOK_BAD;
    l->why = why;
}

static int hex_value(char c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* 0f3F800000 and 0d3FF0000000000000: exactly 8 or 16 hexadecimal digits. */
static void lex_hex_float(struct ptx_lex *l, struct ptx_token *t, unsigned digits)
{
    uint64_t bits = 0;
    l->p += 2;
    for (unsigned i = 0; i < digits; i++, l->p++) {
        int v = hex_value(peek(l, 0));
        if (v < 0) {
            bad(l, t, digits == 8 ? "0f needs 8 hexadecimal digits" : "0d needs 16 hexadecimal digits");
            return;
        }
        bits = bits << 4 | (unsigned)v;
    }
    t->kind = TOK_FLOAT;
    t->u = bits;
    if (digits == 8) {
        uint32_t narrow = (uint32_t)bits;
        float f;
        memcpy(&f, &narrow, sizeof f);
        t->f = f;
        t->float_bytes = 4;
    } else {
        memcpy(&t->f, &bits, sizeof t->f);
        t->float_bytes = 8;
    }
}

/* Decimal point or exponent. The text is copied because strtod wants an end, and read in the C locale because the
 * program that weir lives in may have set another. */
static void lex_decimal_float(struct ptx_lex *l, struct ptx_token *t)
{
    char buf[128];
    size_t n = 0;
    const char *p = l->p;
    for (; p < l->end && (is_digit(*p) || *p == '.'); p++)
        if (n < sizeof buf - 8)
            buf[n++] = *p;
    if (p < l->end && (*p == 'e' || *p == 'E')) {
        const char *q = p + 1;
        if (q < l->end && (*q == '+' || *q == '-'))
            q++;
        if (q < l->end && is_digit(*q)) {
            for (; p < q; p++)
                buf[n++] = *p;
            for (; p < l->end && is_digit(*p); p++)
                if (n < sizeof buf - 1)
                    buf[n++] = *p;
        }
    }
    buf[n] = '\0';
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    char *stop;
    t->f = strtod_l(buf, &stop, c_locale);
    freelocale(c_locale);
    if (stop != buf + n) {
        bad(l, t, "malformed number");
        return;
    }
    l->p = p;
    t->kind = TOK_FLOAT;
    t->float_bytes = 8;
    memcpy(&t->u, &t->f, sizeof t->u);
}

static void lex_number(struct ptx_lex *l, struct ptx_token *t)
{
    char second = peek(l, 1);
    if (*l->p == '0' && (second == 'f' || second == 'F')) {
        lex_hex_float(l, t, 8);
        return;
    }
    if (*l->p == '0' && (second == 'd' || second == 'D')) {
        lex_hex_float(l, t, 16);
        return;
    }
    unsigned base = 10;
    if (*l->p == '0' && (second == 'x' || second == 'X')) {
        base = 16;
        l->p += 2;
    } else if (*l->p == '0' && (second == 'b' || second == 'B')) {
        base = 2;
        l->p += 2;
    } else {
        const char *p = l->p;
        while (p < l->end && is_digit(*p))
            p++;
        if (p < l->end && (*p == '.' || *p == 'e' || *p == 'E')) {
            lex_decimal_float(l, t);
            return;
        }
        if (*l->p == '0')
            base = 8;
    }
    uint64_t v = 0;
    const char *first = l->p;
    for (; l->p < l->end; l->p++) {
        int d = hex_value(*l->p);
        if (d < 0 || (unsigned)d >= base)
            break;
        if (__builtin_mul_overflow(v, (uint64_t)base, &v) || __builtin_add_overflow(v, (uint64_t)d, &v)) {
            bad(l, t, "integer does not fit in 64 bits");
            return;
        }
    }
    if (l->p == first) {
        bad(l, t, "number without digits");
        return;
    }
    if (peek(l, 0) == 'U' || peek(l, 0) == 'u')
        l->p++;
    if (ptx_lex_is_word(peek(l, 0))) {
        bad(l, t, base == 8 ? "digit is not octal" : "malformed number");
        return;
    }
    t->kind = TOK_INT;
    t->u = v;
}

static void lex_string(struct ptx_lex *l, struct ptx_token *t)
{
    l->p++;
    t->at = l->p;
    while (l->p < l->end && *l->p != '"' && *l->p != '\n') {
        if (*l->p == '\\' && peek(l, 1) != '\n' && l->end - l->p > 1)
            l->p++;
        l->p++;
    }
    if (peek(l, 0) != '"') {
        bad(l, t, "string without closing quote");
        return;
    }
    t->kind = TOK_STRING;
    t->len = (uint32_t)(l->p - t->at);
    l->p++;
}

static void lex_dot(struct ptx_lex *l, struct ptx_token *t)
{
    l->p++;
    const char *first = l->p;
    for (;;) {
        while (ptx_lex_is_word(peek(l, 0)))
            l->p++;
        if (peek(l, 0) != ':' || peek(l, 1) != ':' || !ptx_lex_is_word(peek(l, 2)))
            break;
        l->p += 2;
    }
    if (l->p == first)
        bad(l, t, "a lone '.'");
    else
        t->kind = TOK_DOT;
}

void ptx_lex_next(struct ptx_lex *l, struct ptx_token *t)
{
    if (!skip_blank(l, t)) {
        bad(l, t, "comment without end");
        return;
    }
    if (l->p >= l->end)
        return;
    char c = *l->p;
    if (is_alpha(c) || c == '_' || c == '$' || (c == '%' && ptx_lex_is_word(peek(l, 1)) && !is_digit(peek(l, 1)))) {
        do
            l->p++;
        while (ptx_lex_is_word(peek(l, 0)));
        t->kind = TOK_IDENT;
    } else if (c == '.') {
        lex_dot(l, t);
    } else if (is_digit(c)) {
        lex_number(l, t);
    } else if (c == '"') {
        lex_string(l, t);
        return;
    } else if (c != '\0' && strchr("@!,;:{}[]()<>+-*/%=|&^~?", c)) {
        l->p++;
        t->kind = TOK_PUNCT;
        t->punct = c;
    } else {
        l->p++;
        bad(l, t, "unexpected character");
    }
    if (l->p == t->at) /* consume it in any case: callers that skip bad text rely on it */
        l->p++;
    t->len = (uint32_t)(l->p - t->at);
}
