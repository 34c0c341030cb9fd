/*
 * PTX text to tokens. Safe on any bytes: it never reads past the end and every byte it cannot place is a TOK_BAD.
 */
#ifndef WEIR_PTX_LEX_H
#define WEIR_PTX_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ptx_tok {
    TOK_EOF,
    TOK_IDENT,  /* add, %r1, $L__BB0_2, _ */
    TOK_DOT,    /* .word, also .2d and .L1::evict_last; the text includes the dot */
    TOK_INT,    /* u holds the value */
    TOK_FLOAT,  /* f, u (bits) and float_bytes */
    TOK_STRING, /* text without the quotes, escapes untouched */
    TOK_PUNCT,  /* punct */
    TOK_BAD,    /* lexer.why tells */
};

struct ptx_token {
    uint8_t kind;        /* enum ptx_tok */
    char punct;          /* PUNCT only; 0 otherwise */
    uint8_t float_bytes; /* FLOAT: 4 for 0f..., else 8 */
    uint32_t len;
    const char *at; /* in the text */
    uint32_t line, col;
    uint64_t u;
    double f;
};

struct ptx_lex {
    const char *p, *end;
    const char *line_start;
    uint32_t line;
    const char *why; /* of the last TOK_BAD */
};

void ptx_lex_init(struct ptx_lex *, const char *text, size_t n);
void ptx_lex_next(struct ptx_lex *, struct ptx_token *out);
/* Whether `c` is allowed inside an identifier. */
bool ptx_lex_is_word(char c);

#endif
