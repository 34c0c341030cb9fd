/*
 * Inside the parser: its state, and what its files offer each other.
 *
 *   parse.c       the module: tokens, directives
 *   parse_func.c  functions: signatures, statements of a body
 *   parse_decl.c  registers, variables, parameters, initializers
 *   parse_inst.c  instructions and operands
 *   parse_expr.c  constants and constant expressions
 *   scope.c       names in { } scopes, labels and other forward references
 *   link.c        forward references, once the whole module is known
 *
 * Every function that can meet a syntax error returns 0, or -1 with *p->e filled.
 */
#ifndef WEIR_PTX_PARSE_H
#define WEIR_PTX_PARSE_H

#include "ptx/ir.h"
#include "ptx/lex.h"
#include "ptx/names.h"

/* Hard limits: an input that exceeds one gets an error. They are far above what compilers emit. */
enum {
    PTX_MAX_TEXT_BYTES = 1 << 30,
    PTX_MAX_SCOPES = 64,
    PTX_MAX_EXPR_DEPTH = 64,
    PTX_MAX_INIT_DEPTH = 16,
    PTX_MAX_OPERANDS = 24,
    PTX_MAX_LIST = 1024,            /* elements of {..} or (..) */
    PTX_MAX_REGS = 1 << 20,         /* of one function */
    PTX_MAX_INIT_BYTES = 256 << 20, /* initialized data of one module */
};
#define PTX_MAX_VAR_BYTES (1ull << 40)

#define TRY(x)                                                                                                         \
    do {                                                                                                               \
        if ((x) < 0)                                                                                                   \
            return -1;                                                                                                 \
    } while (0)

/* What a name in a { } scope stands for; packed with its index into a strmap value. */
enum ptx_name_kind { NAME_REG, NAME_VREG, NAME_VAR, NAME_PARAM, NAME_LABEL };
#define NAME(kind, index) ((uint32_t)(kind) << 28 | (uint32_t)(index))
#define NAME_KIND(v)      ((enum ptx_name_kind)((v) >> 28))
#define NAME_INDEX(v)     ((v)&0x0fffffff)

/* .reg .b32 %r<12>: registers come into being when they are mentioned. */
struct ptx_range {
    const char *stem;
    uint32_t len, count;
    uint8_t type;
};

struct ptx_vreg { /* .reg .v4 .f32 v: n consecutive registers */
    uint32_t first, n;
};

/*
 * A mention of a name that is not a register or variable in scope: a label, or something of the module. Until the
 * module is complete, `sym` of the operand (target, initializer) that mentions it is PTX_MENTION(index).
 */
struct ptx_mention {
    const char *name;
    uint32_t len, line, col;
    int32_t label; /* in its function, once found; -1 = not a label */
    int32_t sym;   /* in the module, once found; -1 = none */
};
#define PTX_MENTION(index)     (-2 - (int32_t)(index))
#define PTX_IS_MENTION(sym)    ((sym) <= -2)
#define PTX_MENTION_INDEX(sym) ((uint32_t)(-2 - (sym)))

struct ptx_scope {
    struct strmap names;
    VEC(struct ptx_range) range;
    size_t open_from; /* unresolved mentions of this scope start here in parser.open */
};

struct ptx_alias { /* .alias name, target; */
    struct ptx_token name, target;
};

struct ptx_const {
    bool is_float;
    uint8_t float_bytes;
    int64_t imm; /* integer, or the float's bits */
    double f;
};

struct ptx_parser {
    struct ptx_lex lex;
    struct ptx_token t; /* the current token */
    struct ptx_module *m;
    struct arena *arena;
    struct err *e;
    struct ptx_names names;

    VEC(struct ptx_var) var;
    VEC(struct ptx_func) func;
    struct strmap symbol; /* module-level names -> PTX_SYM(VAR or FUNC, index) */
    VEC(const char *) file;
    VEC(uint32_t) file_number; /* of each file, as .loc names it */
    VEC(struct ptx_mention) mention;
    VEC(struct ptx_inst) form; /* decoded opcode words, so that each distinct one is decoded once */
    struct strmap form_of;     /* opcode word -> index in form */
    uint64_t init_bytes;
    VEC(struct ptx_alias) alias;

    /* Of the function being parsed. */
    bool in_body;
    VEC(struct ptx_reg) reg;
    VEC(struct ptx_vreg) vreg;
    VEC(struct ptx_var) local;
    VEC(struct ptx_label) label;
    VEC(struct ptx_inst) inst;
    bool nounroll;      /* a pragma says it of the next instruction */
    VEC(uint32_t) open; /* mentions whose label was not seen yet */
    struct ptx_scope scope[PTX_MAX_SCOPES];
    unsigned n_scope;
    unsigned nesting; /* of vectors and addresses in the operand being read */
    uint32_t loc_line;
    uint16_t loc_file; /* .loc's own number while parsing; an index into module.file at the end */
};

/* ---- tokens ---- */
void ptx_next(struct ptx_parser *);
/* Fails at the current token: "expected <what>, found <token>". */
int ptx_expected(struct ptx_parser *, const char *what);
int ptx_fail(struct ptx_parser *, const struct ptx_token *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static inline bool ptx_is(const struct ptx_parser *p, char punct)
{
    return p->t.punct == punct;
}
bool ptx_is_dot(const struct ptx_parser *, const char *word); /* ".word" */
bool ptx_accept(struct ptx_parser *, char punct);
int ptx_expect(struct ptx_parser *, char punct);
/* Skips to the next ';' outside braces and past it; fails at the end of the text. */
int ptx_skip_statement(struct ptx_parser *);
/* Skips a { } block with all it holds; the current token is '{'. */
int ptx_skip_block(struct ptx_parser *);

/* Copies a list of the parser's into the module's arena. */
void *ptx_keep(struct ptx_parser *, const void *list, size_t n, size_t bytes);
#define PTX_KEEP(p, vec) ptx_keep(p, (vec)->p, (vec)->n, sizeof *(vec)->p)

/* ---- parse.c ---- */
/* Handles a directive that is legal inside and outside of functions. Returns 1 when it was one. */
int ptx_parse_common_directive(struct ptx_parser *);
int ptx_parse_pragma(struct ptx_parser *);
/* The state space of a variable's declaration at the current token; PTX_S_NONE = it is none. */
enum ptx_space ptx_variable_space(struct ptx_parser *);

/* ---- parse_func.c ---- */
int ptx_parse_func(struct ptx_parser *, enum ptx_linkage, bool is_entry); /* behind .func or .entry */

/* ---- parse_expr.c ---- */
int ptx_parse_const(struct ptx_parser *, struct ptx_const *);
int ptx_parse_uint(struct ptx_parser *, uint64_t max, uint64_t *out); /* an integer constant in 0..max */

/* ---- parse_decl.c ---- */
int ptx_parse_reg_decl(struct ptx_parser *); /* after .reg */
/* After the state space of a variable; linkage and space are known. */
int ptx_parse_var_decl(struct ptx_parser *, enum ptx_space, enum ptx_linkage, bool managed);
/* The parenthesized list of a function's parameters (or returns); appends to *list. */
typedef VEC(struct ptx_param) ptx_param_vec;
int ptx_parse_params(struct ptx_parser *, ptx_param_vec *list, uint32_t *block_bytes);

/* ---- parse_inst.c ---- */
int ptx_parse_inst(struct ptx_parser *); /* with its guard, up to and past ';' */

/* ---- scope.c ---- */
int ptx_scope_open(struct ptx_parser *);
void ptx_scope_close(struct ptx_parser *);
void ptx_scope_drop_all(struct ptx_parser *);
/* Declares a name in the innermost scope; fails when it has it already. */
int ptx_scope_put(struct ptx_parser *, const struct ptx_token *name, uint32_t value);
/* Looks a register, variable or parameter up from the inside out; STRMAP_NONE = not known here. */
uint32_t ptx_scope_get(struct ptx_parser *, const char *name, uint32_t len);
uint32_t ptx_new_reg(struct ptx_parser *, const char *name, size_t len, enum ptx_type); /* returns its index */
/* Notes a mention and returns what to store meanwhile. */
int32_t ptx_mention(struct ptx_parser *, const struct ptx_token *name);
/* ---- link.c: replaces every mention by the label or symbol it means ---- */
int ptx_link(struct ptx_parser *);

#endif
