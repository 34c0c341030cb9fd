/*
 * What a PTX module says, as data: the parser's output and the emulator's input.
 *
 * Names are resolved (registers, variables, labels, functions are indices), nothing is lowered: one ptx_inst is one
 * PTX instruction, because weir counts and times PTX instructions. An instruction or suffix that weir does not know
 * is kept with `bad` set to the reason and is reported only if a kernel that reaches it is launched.
 * All memory belongs to the module's arena.
 */
#ifndef WEIR_PTX_IR_H
#define WEIR_PTX_IR_H

#include "base/err.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

enum ptx_op {
    PTX_OP_UNKNOWN,
#define X(e, t) PTX_##e,
#include "ptx/opcodes.def"
#undef X
    PTX_OP_COUNT
};

enum ptx_mod {
    PTX_M_NONE,
#define X(e, t) PTX_M_##e,
#include "ptx/mods.def"
#undef X
    PTX_M_COUNT
};

enum ptx_sreg {
#define X(e, t, ty) PTX_SR_##e,
#include "ptx/sregs.def"
#undef X
    PTX_SR_COUNT
};

enum ptx_type {
    PTX_T_NONE,
    PTX_T_B8,
    PTX_T_B16,
    PTX_T_B32,
    PTX_T_B64,
    PTX_T_B128,
    PTX_T_U8,
    PTX_T_U16,
    PTX_T_U32,
    PTX_T_U64,
    PTX_T_S8,
    PTX_T_S16,
    PTX_T_S32,
    PTX_T_S64,
    PTX_T_F16,
    PTX_T_F16X2,
    PTX_T_BF16,
    PTX_T_BF16X2,
    PTX_T_TF32,
    PTX_T_F32,
    PTX_T_F64,
    PTX_T_E4M3,
    PTX_T_E5M2,
    PTX_T_E4M3X2,
    PTX_T_E5M2X2,
    PTX_T_U4,
    PTX_T_S4,
    PTX_T_B1,
    PTX_T_U16X2,
    PTX_T_S16X2,
    PTX_T_F32X2,
    PTX_T_PRED,
    PTX_T_TEXREF,
    PTX_T_SAMPLERREF,
    PTX_T_SURFREF,
    PTX_T_COUNT
};
unsigned ptx_type_bytes(enum ptx_type);   /* 0 for PRED and sub-byte types */
const char *ptx_type_name(enum ptx_type); /* "f32" */

enum ptx_space {
    PTX_S_NONE,
    PTX_S_REG,
    PTX_S_GENERIC,
    PTX_S_GLOBAL,
    PTX_S_SHARED,
    PTX_S_LOCAL,
    PTX_S_CONST,
    PTX_S_PARAM,
    PTX_S_TEX,
    PTX_S_SHARED_CLUSTER
};

/* ---- operands ---- */
enum ptx_opnd_kind {
    PTX_O_NONE,
    PTX_O_REG,     /* reg; `neg` for !p */
    PTX_O_SREG,    /* sreg (imm = number of %envreg) */
    PTX_O_IMM,     /* imm: integer bits, or float bits when is_float (then f64 value in `f`) */
    PTX_O_SYM,     /* address of a variable or function: sym (+ imm bytes) */
    PTX_O_ADDR,    /* [base + imm]: base is a register (reg >= 0), a symbol (sym >= 0) or neither ([imm]) */
    PTX_O_LABEL,   /* label: index into func.label */
    PTX_O_VEC,     /* {a, b, ...}: n elements at elem */
    PTX_O_SINK,    /* _ */
    PTX_O_PAIR,    /* d|p: elem[0], elem[1] */
    PTX_O_TEXADDR, /* [tex, {coords}] or [tex, sampler, {coords}]: elem[0..n-1] */
    /*
     * call: (a, b, c). A call always has opnd[0] = LIST of results (n may be 0), opnd[1] = SYM or REG called, opnd[2] =
     * LIST of arguments (n may be 0); an indirect one may have opnd[3] = LABEL of its prototype or targets. Elements
     * are SYM (a .param variable), REG or IMM.
     */
    PTX_O_LIST,
};

struct ptx_opnd {
    uint8_t kind;        /* enum ptx_opnd_kind */
    uint8_t neg;         /* REG of type pred: complemented; other REG/IMM: arithmetic minus is folded into imm */
    uint8_t is_float;    /* IMM written as 0f, 0d or with a decimal point */
    uint8_t float_bytes; /* IMM is_float: 4 (0f…), 8 (0d… and decimal) */
    uint8_t sreg;        /* enum ptx_sreg */
    uint8_t sel;         /* REG of a video instruction: byte or half selector, enum ptx_mod (a.b0); 0 = none */
    uint16_t n;          /* VEC, PAIR, TEXADDR, LIST: elements */
    int32_t reg;         /* index into func.reg; -1 = none */
    int32_t sym;         /* encoded symbol, see ptx_sym_*; -1 = none */
    int32_t label;
    int64_t imm;
    double f;
    struct ptx_opnd *elem;
};

/* A symbol is one of four things; `sym` packs kind and index. */
enum ptx_sym_kind { PTX_SYM_VAR, PTX_SYM_FUNC, PTX_SYM_LOCALVAR, PTX_SYM_PARAM };
#define PTX_SYM(kind, index) (((int32_t)(kind) << 28) | (int32_t)(index))
#define PTX_SYM_KIND(sym)    ((enum ptx_sym_kind)((sym) >> 28))
#define PTX_SYM_INDEX(sym)   ((sym)&0x0fffffff)
/* VAR: module.var; FUNC: module.func; LOCALVAR: func.var; PARAM: func.param (inputs first, then returns) */

struct ptx_inst {
    uint16_t op;             /* enum ptx_op */
    uint8_t n_type, type[4]; /* type suffixes in order: cvt.f32.s32 -> F32, S32 */
    uint8_t space;           /* enum ptx_space: .global etc. PTX_S_NONE when absent (then generic for ld/st/atom) */
    uint8_t space2;          /* second one (cp.async.shared.global) */
    uint8_t vec;             /* 1, 2, 4, 8 */
    uint8_t n_mod;
    uint8_t mod[14];     /* other suffixes in order, enum ptx_mod */
    uint16_t wg_n, wg_k; /* wgmma's shape .m64nNkK; 0 = none */
    uint64_t modset[4];  /* the same as a set */
    int32_t guard;       /* register index of the guard predicate; -1 = none */
    bool guard_neg;
    bool nounroll; /* .pragma "nounroll" precedes it: the loop that it begins is not to be unrolled */
    uint16_t n_opnd;
    struct ptx_opnd *opnd; /* destination(s) first, as written */
    uint32_t line, col;    /* in the PTX text, 1-based */
    uint32_t loc_line;     /* CUDA line from .loc; 0 = none */
    uint16_t loc_file;     /* index into module.file; 0xffff = none */
    const char *text;      /* opcode with suffixes, as written: "setp.lt.and.f32" */
    const char *bad;       /* NULL, or why this instruction cannot be executed */
};

static inline bool ptx_has(const struct ptx_inst *i, enum ptx_mod m)
{
    return i->modset[m >> 6] >> (m & 63) & 1;
}

/* ---- declarations ---- */
struct ptx_reg {
    const char *name; /* "%r12"; scoped duplicates are separate entries */
    uint8_t type;     /* enum ptx_type: width is what matters */
    /* Filled by ptx_analyze: physical placement, from live ranges. */
    uint16_t row; /* general register: first 32-bit row; 64-bit ones take two (even start), 128-bit four.
                     pred: predicate number */
};

struct ptx_init_ref { /* an initializer that is the address of a symbol */
    uint64_t offset;  /* bytes from the variable's start */
    int32_t sym;
    int64_t addend;
    uint8_t bytes;   /* 4 or 8; 1 with mask(): see shift */
    uint8_t shift;   /* mask(0xff00, sym): right shift in bits */
    uint8_t generic; /* generic(sym) */
};

struct ptx_var {
    const char *name;
    uint8_t space;   /* enum ptx_space */
    uint8_t type;    /* element type */
    uint8_t vec;     /* 1, 2, 4 */
    uint8_t linkage; /* enum ptx_linkage */
    bool unsized;    /* extern .shared x[] */
    bool managed;    /* .attribute(.managed) */
    uint32_t align;
    uint64_t bytes;
    const uint8_t *init; /* NULL = zero; `bytes` long */
    uint32_t n_ref;
    const struct ptx_init_ref *ref;
    uint32_t line;
    uint64_t place; /* set by a loader: the host address where it lives and has its value already; 0 = anywhere */
};

enum ptx_linkage { PTX_L_NONE, PTX_L_EXTERN, PTX_L_VISIBLE, PTX_L_WEAK, PTX_L_COMMON };

struct ptx_param {
    const char *name;
    uint8_t type;   /* element type */
    uint8_t in_reg; /* .reg parameter of a .func: `reg` is its register */
    int32_t reg;
    uint32_t align;
    uint32_t bytes;  /* whole parameter */
    uint32_t offset; /* from the start of the parameter block (inputs) or return block (returns) */
};

struct ptx_label {
    const char *name;
    uint32_t pc;         /* instruction it precedes; may equal n_inst */
    uint32_t n_target;   /* .branchtargets / .calltargets: list; 0 for a code label */
    int32_t *target;     /* branchtargets: labels; calltargets: symbols */
    const char *proto;   /* .callprototype: its text between the directive and ';'; NULL otherwise */
    bool is_calltargets; /* which of the two lists `target` is */
    bool noreturn;       /* .callprototype with .noreturn */
};

/* ---- analysis results ---- */
struct ptx_block {
    uint32_t first, last; /* pcs, last inclusive */
    uint32_t n_succ, n_pred;
    uint32_t *succ, *pred; /* block numbers; the exit block is number func.n_block (virtual) */
    uint32_t ipdom;        /* immediate post-dominator block; func.n_block = function exit */
    uint16_t loop;         /* innermost loop + 1; 0 = none */
};
struct ptx_loop {
    uint16_t parent, depth; /* as in trace_loop */
    uint32_t header;        /* block */
};

struct ptx_func {
    const char *name;
    bool is_entry, has_body, noreturn;
    uint8_t linkage;
    uint32_t n_param, n_ret; /* func.param: n_param inputs then n_ret returns */
    struct ptx_param *param;
    uint32_t param_bytes, ret_bytes;
    uint32_t n_reg; /* registers that the body mentions, in order of first mention */
    struct ptx_reg *reg;
    uint32_t n_var; /* variables declared in the body: .shared, .local, .param (call arguments), ... */
    struct ptx_var *var;
    uint32_t n_label;
    struct ptx_label *label;
    uint32_t n_inst;
    struct ptx_inst *inst;
    uint32_t maxntid[3], reqntid[3], minnctapersm, maxnreg; /* 0 = not given */
    uint32_t reqcluster[3], maxclusterrank;                 /* .reqnctapercluster, .maxclusterrank; 0 = not given */
    bool explicit_cluster;                                  /* .explicitcluster */
    bool blocks_are_clusters;                               /* .blocksareclusters: the grid counts clusters */
    uint32_t line;
    uint32_t assembled_regs; /* per thread, by machine code that came with the PTX; 0 = none. Set by the loader */

    /* Filled by ptx_analyze. */
    bool analyzed;
    uint32_t n_block;
    struct ptx_block *block;
    uint32_t *inst_block; /* block of each pc */
    uint32_t *reconv_pc;  /* per pc: for a branch, first pc of the immediate post-dominator, or n_inst for the exit */
    uint32_t n_loop;
    struct ptx_loop *loop;
    uint8_t *addr_from_load; /* per pc: 1 when its address depends on loaded data */
    uint32_t n_row;          /* 32-bit register rows in use */
    uint32_t n_pred_row;     /* predicates in use */
    uint32_t max_live;       /* registers live at once, 32-bit units: the occupancy estimate, before rounding */
    uint32_t load_batch;     /* 32-bit results of the loads that one straight piece of code can have in flight */
};

struct ptx_module {
    struct arena *arena;
    const char *name; /* for messages: "vecadd.cu" or the entry's name */
    unsigned version_major, version_minor, target_sm;
    uint32_t n_var, n_func, n_file;
    struct ptx_var *var;
    struct ptx_func *func;
    const char **file;     /* .file table, by index of first appearance; ptx_inst.loc_file points here */
    uint32_t maxrregcount; /* from the fat binary's option string; 0 = none. Set by the loader */
};

/*
 * Parses one module from text (need not be NUL-terminated; trailing NULs are ignored). Returns NULL and fills *e with
 * file, line and column on a syntax error, an unresolved name or a limit. `name` is copied.
 */
struct ptx_module *ptx_parse(const char *text, size_t n, const char *name, struct err *e);
void ptx_module_free(struct ptx_module *);

/* Control-flow graph, post-dominators, loops, live ranges and register rows, address dependence. Idempotent. */
int ptx_analyze(struct ptx_module *, struct ptx_func *, struct err *);

/* Registers per thread for occupancy: the assembler's; else max_live with ptxas-like overhead, at most .maxnreg / maxrregcount. */
uint32_t ptx_regs_per_thread(const struct ptx_module *, const struct ptx_func *);

int32_t ptx_find_func(const struct ptx_module *, const char *name); /* -1 = none */
int32_t ptx_find_var(const struct ptx_module *, const char *name);

/* Prints a module back as PTX text that parses to the same module (tests, `weir ptx dump`). */
void ptx_print(const struct ptx_module *, FILE *);

/* Timing class of an instruction: enum trace_class of trace/kernel.h. */
unsigned ptx_class(const struct ptx_inst *);
/* What an instruction of class MBARRIER does: enum trace_mbarrier. */
unsigned ptx_mbarrier(const struct ptx_inst *);
/* Whether the number or the count of an instruction of class BARRIER is a run-time value. */
bool ptx_barrier_varies(const struct ptx_inst *);

#endif
