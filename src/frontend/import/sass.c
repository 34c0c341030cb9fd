/* SASS by name. The table is sorted by name, because sass_find uses bsearch. */
#include "import/sass.h"

#include <stdlib.h>
#include <string.h>

#define N TRACE_SP_NONE

static const struct sass_op ops[] = {
    {"ATOM", TRACE_ATOM, TRACE_SP_GENERIC, 0},
    {"ATOMG", TRACE_ATOM, TRACE_SP_GLOBAL, 0},
    {"ATOMS", TRACE_ATOM, TRACE_SP_SHARED, 0},
    {"B2R", TRACE_MOVE, N, 0},
    {"BAR", TRACE_BARRIER, N, 0},
    {"BFE", TRACE_INT_ADD, N, 0},
    {"BFI", TRACE_INT_ADD, N, 0},
    {"BMMA", TRACE_TENSOR, N, 0},
    {"BMOV", TRACE_MOVE, N, 0},
    {"BMSK", TRACE_INT_ADD, N, 0},
    {"BPT", TRACE_NOP, N, 0},
    {"BRA", TRACE_BRANCH, N, SASS_JUMP},
    {"BREAK", TRACE_MOVE, N, 0},
    {"BREV", TRACE_CVT, N, 0},
    {"BRK", TRACE_BRANCH, N, 0},
    {"BRX", TRACE_BRANCH, N, SASS_JUMP},
    {"BRXU", TRACE_BRANCH, N, SASS_JUMP},
    {"BSSY", TRACE_MOVE, N, 0},
    {"BSYNC", TRACE_MOVE, N, 0},
    {"CAL", TRACE_CALL, N, 0},
    {"CALL", TRACE_CALL, N, 0},
    {"CCTL", TRACE_NOP, N, 0},
    {"CCTLL", TRACE_NOP, N, 0},
    {"CCTLT", TRACE_NOP, N, 0},
    {"CONT", TRACE_BRANCH, N, SASS_JUMP},
    {"CS2R", TRACE_MOVE, N, 0},
    {"CSMTEST", TRACE_MOVE, N, 0},
    {"DADD", TRACE_DP_ADD, N, SASS_PAIRS},
    {"DEPBAR", TRACE_FENCE, N, SASS_WAIT},
    {"DFMA", TRACE_DP_MAD, N, SASS_PAIRS},
    {"DMMA", TRACE_TENSOR, N, SASS_PAIRS},
    {"DMNMX", TRACE_DP_MINMAX, N, SASS_PAIRS},
    {"DMUL", TRACE_DP_MUL, N, SASS_PAIRS},
    {"DSET", TRACE_DP_ADD, N, SASS_PAIRS},
    {"DSETP", TRACE_DP_ADD, N, SASS_PAIRS},
    {"ERRBAR", TRACE_NOP, N, 0},
    {"EXIT", TRACE_EXIT, N, 0},
    {"F2F", TRACE_CVT, N, 0},
    {"F2FP", TRACE_CVT, N, 0},
    {"F2I", TRACE_CVT, N, 0},
    {"F2IP", TRACE_CVT, N, 0},
    {"FADD", TRACE_FP_ADD, N, 0},
    {"FADD32I", TRACE_FP_ADD, N, 0},
    {"FCHK", TRACE_SFU, N, 0},
    {"FCMP", TRACE_FP_ADD, N, 0},
    {"FFMA", TRACE_FP_MAD, N, 0},
    {"FFMA32I", TRACE_FP_MAD, N, 0},
    {"FLO", TRACE_CVT, N, 0},
    {"FMNMX", TRACE_FP_MINMAX, N, 0},
    {"FMUL", TRACE_FP_MUL, N, 0},
    {"FMUL32I", TRACE_FP_MUL, N, 0},
    {"FRND", TRACE_CVT, N, 0},
    {"FSEL", TRACE_MOVE, N, 0},
    {"FSET", TRACE_FP_ADD, N, 0},
    {"FSETP", TRACE_FP_ADD, N, 0},
    {"FSWZADD", TRACE_FP_ADD, N, 0},
    {"GETLMEMBASE", TRACE_MOVE, N, 0},
    {"HADD2", TRACE_FP_ADD, N, 0},
    {"HADD2_32I", TRACE_FP_ADD, N, 0},
    {"HFMA2", TRACE_FP_MAD, N, 0},
    {"HFMA2_32I", TRACE_FP_MAD, N, 0},
    {"HGMMA", TRACE_TENSOR, N, 0},
    {"HMMA", TRACE_TENSOR, N, 0},
    {"HMNMX2", TRACE_FP_MINMAX, N, 0},
    {"HMUL2", TRACE_FP_MUL, N, 0},
    {"HMUL2_32I", TRACE_FP_MUL, N, 0},
    {"HSET2", TRACE_FP_ADD, N, 0},
    {"HSETP2", TRACE_FP_ADD, N, 0},
    {"I2F", TRACE_CVT, N, 0},
    {"I2FP", TRACE_CVT, N, 0},
    {"I2I", TRACE_CVT, N, 0},
    {"I2IP", TRACE_CVT, N, 0},
    {"IABS", TRACE_INT_MINMAX, N, 0},
    {"IADD", TRACE_INT_ADD, N, 0},
    {"IADD3", TRACE_INT_ADD, N, 0},
    {"IADD32I", TRACE_INT_ADD, N, 0},
    {"ICMP", TRACE_INT_ADD, N, 0},
    {"IDP", TRACE_INT_MAD, N, 0},
    {"IDP4A", TRACE_INT_MAD, N, 0},
    {"IGMMA", TRACE_TENSOR, N, 0},
    {"IMAD", TRACE_INT_MAD, N, 0},
    {"IMMA", TRACE_TENSOR, N, 0},
    {"IMNMX", TRACE_INT_MINMAX, N, 0},
    {"IMUL", TRACE_INT_MUL, N, 0},
    {"IMUL32I", TRACE_INT_MUL, N, 0},
    {"ISCADD", TRACE_INT_ADD, N, 0},
    {"ISCADD32I", TRACE_INT_ADD, N, 0},
    {"ISET", TRACE_INT_ADD, N, 0},
    {"ISETP", TRACE_INT_ADD, N, 0},
    {"JCAL", TRACE_CALL, N, 0},
    {"JMP", TRACE_BRANCH, N, SASS_JUMP},
    {"JMX", TRACE_BRANCH, N, SASS_JUMP},
    {"JMXU", TRACE_BRANCH, N, SASS_JUMP},
    {"KILL", TRACE_EXIT, N, 0},
    {"LD", TRACE_LOAD, TRACE_SP_GENERIC, 0},
    {"LDC", TRACE_LOAD, TRACE_SP_CONST, 0},
    {"LDG", TRACE_LOAD, TRACE_SP_GLOBAL, 0},
    {"LDGDEPBAR", TRACE_NOP, N, SASS_COMMIT},
    {"LDGSTS", TRACE_LOAD, TRACE_SP_GLOBAL, SASS_COPY},
    {"LDL", TRACE_LOAD, TRACE_SP_LOCAL, 0},
    {"LDS", TRACE_LOAD, TRACE_SP_SHARED, 0},
    {"LDSM", TRACE_LOAD, TRACE_SP_SHARED, 0},
    {"LEA", TRACE_INT_ADD, N, 0},
    {"LEPC", TRACE_MOVE, N, 0},
    {"LOP", TRACE_INT_ADD, N, 0},
    {"LOP3", TRACE_INT_ADD, N, 0},
    {"LOP32I", TRACE_INT_ADD, N, 0},
    {"MATCH", TRACE_WARP, N, 0},
    {"MEMBAR", TRACE_FENCE, N, 0},
    {"MOV", TRACE_MOVE, N, 0},
    {"MOV32I", TRACE_MOVE, N, 0},
    {"MOVM", TRACE_WARP, N, 0},
    {"MUFU", TRACE_SFU, N, 0},
    {"NANOSLEEP", TRACE_SLEEP, N, 0},
    {"NOP", TRACE_NOP, N, 0},
    {"P2R", TRACE_MOVE, N, 0},
    {"PBK", TRACE_MOVE, N, 0},
    {"PCNT", TRACE_MOVE, N, 0},
    {"PLOP3", TRACE_MOVE, N, 0},
    {"PMTRIG", TRACE_NOP, N, 0},
    {"POPC", TRACE_CVT, N, 0},
    {"PRET", TRACE_MOVE, N, 0},
    {"PRMT", TRACE_INT_ADD, N, 0},
    {"PSET", TRACE_MOVE, N, 0},
    {"PSETP", TRACE_MOVE, N, 0},
    {"QSPC", TRACE_MOVE, N, 0},
    {"R2B", TRACE_MOVE, N, 0},
    {"R2P", TRACE_MOVE, N, 0},
    {"R2UR", TRACE_MOVE, N, 0},
    {"RED", TRACE_RED, TRACE_SP_GLOBAL, 0},
    {"REDG", TRACE_RED, TRACE_SP_GLOBAL, 0},
    {"REDS", TRACE_RED, TRACE_SP_SHARED, 0},
    {"REDUX", TRACE_WARP, N, 0},
    {"RET", TRACE_RET, N, 0},
    {"RPCMOV", TRACE_MOVE, N, 0},
    {"RRO", TRACE_SFU, N, 0},
    {"RTT", TRACE_RET, N, 0},
    {"S2R", TRACE_MOVE, N, 0},
    {"S2UR", TRACE_MOVE, N, 0},
    {"SEL", TRACE_MOVE, N, 0},
    {"SETCTAID", TRACE_NOP, N, 0},
    {"SETLMEMBASE", TRACE_NOP, N, 0},
    {"SGXT", TRACE_INT_ADD, N, 0},
    {"SHF", TRACE_INT_ADD, N, 0},
    {"SHFL", TRACE_WARP, N, 0},
    {"SHL", TRACE_INT_ADD, N, 0},
    {"SHR", TRACE_INT_ADD, N, 0},
    {"SSY", TRACE_MOVE, N, 0},
    {"ST", TRACE_STORE, TRACE_SP_GENERIC, 0},
    {"STG", TRACE_STORE, TRACE_SP_GLOBAL, 0},
    {"STL", TRACE_STORE, TRACE_SP_LOCAL, 0},
    {"STS", TRACE_STORE, TRACE_SP_SHARED, 0},
    {"STSM", TRACE_STORE, TRACE_SP_SHARED, 0},
    {"SUATOM", TRACE_SFU, N, SASS_NOT_TRACED},
    {"SULD", TRACE_SFU, N, SASS_NOT_TRACED},
    {"SUQUERY", TRACE_SFU, N, 0},
    {"SURED", TRACE_SFU, N, SASS_NOT_TRACED},
    {"SUST", TRACE_SFU, N, SASS_NOT_TRACED},
    {"SYNC", TRACE_MOVE, N, 0},
    {"TEX", TRACE_SFU, N, SASS_NOT_TRACED},
    {"TEXS", TRACE_SFU, N, SASS_NOT_TRACED},
    {"TLD", TRACE_SFU, N, SASS_NOT_TRACED},
    {"TLD4", TRACE_SFU, N, SASS_NOT_TRACED},
    {"TLD4S", TRACE_SFU, N, SASS_NOT_TRACED},
    {"TLDS", TRACE_SFU, N, SASS_NOT_TRACED},
    {"TMML", TRACE_SFU, N, SASS_NOT_TRACED},
    {"TXD", TRACE_SFU, N, SASS_NOT_TRACED},
    {"TXQ", TRACE_SFU, N, 0},
    {"UBLKCP", TRACE_MOVE, N, SASS_NOT_TRACED},
    {"UBMSK", TRACE_INT_ADD, N, 0},
    {"UBREV", TRACE_INT_ADD, N, 0},
    {"UCLEA", TRACE_INT_ADD, N, 0},
    {"UF2FP", TRACE_CVT, N, 0},
    {"UFLO", TRACE_INT_ADD, N, 0},
    {"UIADD3", TRACE_INT_ADD, N, 0},
    {"UIMAD", TRACE_INT_MAD, N, 0},
    {"UISETP", TRACE_INT_ADD, N, 0},
    {"ULDC", TRACE_LOAD, TRACE_SP_CONST, 0},
    {"ULEA", TRACE_INT_ADD, N, 0},
    {"ULOP", TRACE_INT_ADD, N, 0},
    {"ULOP3", TRACE_INT_ADD, N, 0},
    {"ULOP32I", TRACE_INT_ADD, N, 0},
    {"UMOV", TRACE_MOVE, N, 0},
    {"UP2UR", TRACE_MOVE, N, 0},
    {"UPLOP3", TRACE_MOVE, N, 0},
    {"UPOPC", TRACE_INT_ADD, N, 0},
    {"UPRMT", TRACE_INT_ADD, N, 0},
    {"UPSETP", TRACE_MOVE, N, 0},
    {"UR2UP", TRACE_MOVE, N, 0},
    {"USEL", TRACE_MOVE, N, 0},
    {"USGXT", TRACE_INT_ADD, N, 0},
    {"USHF", TRACE_INT_ADD, N, 0},
    {"USHL", TRACE_INT_ADD, N, 0},
    {"USHR", TRACE_INT_ADD, N, 0},
    {"UTMALDG", TRACE_MOVE, N, SASS_NOT_TRACED},
    {"UTMAPF", TRACE_MOVE, N, SASS_NOT_TRACED},
    {"UTMAREDG", TRACE_MOVE, N, SASS_NOT_TRACED},
    {"UTMASTG", TRACE_MOVE, N, SASS_NOT_TRACED},
    {"VABSDIFF", TRACE_INT_ADD, N, 0},
    {"VABSDIFF4", TRACE_INT_ADD, N, 0},
    {"VIADD", TRACE_INT_ADD, N, 0},
    {"VIADDMNMX", TRACE_INT_MINMAX, N, 0},
    {"VIMNMX", TRACE_INT_MINMAX, N, 0},
    {"VOTE", TRACE_WARP, N, 0},
    {"VOTEU", TRACE_WARP, N, 0},
    {"VOTE_VTG", TRACE_WARP, N, 0},
    {"WARPGROUP", TRACE_FENCE, N, 0},
    {"WARPSYNC", TRACE_WARP, N, 0},
    {"XMAD", TRACE_INT_MAD, N, 0},
    {"YIELD", TRACE_NOP, N, 0},
};

/* Compares a name, up to its first dot, with an opcode. */
static int by_name(const void *name, const void *op)
{
    const char *a = name, *b = ((const struct sass_op *)op)->name;
    size_t n = strcspn(a, ".");
    int order = strncmp(a, b, n);
    return order ? order : -(b[n] != '\0');
}

const struct sass_op *sass_find(const char *name)
{
    return bsearch(name, ops, sizeof ops / sizeof *ops, sizeof *ops, by_name);
}

bool sass_has(const char *name, const char *part)
{
    const size_t n = strlen(part);
    for (const char *at = strchr(name, '.'); at; at = strchr(at + 1, '.'))
        if (!strncmp(at + 1, part, n) && (at[1 + n] == '.' || !at[1 + n]))
            return true;
    return false;
}

unsigned sass_class(const struct sass_op *o, const char *name)
{
    return o->cls == TRACE_INT_MAD && sass_has(name, "MOV") ? TRACE_MOVE : o->cls;
}

/* The number of bits that a modifier states ("64", "U8", "S16", "F64"); 0 = none. */
static unsigned bits_of(const char *part)
{
    char *end;
    if (*part && strchr("USFB", *part))
        part++;
    unsigned long bits = *part >= '1' && *part <= '9' ? strtoul(part, &end, 10) : 0;
    return bits >= 8 && bits <= 128 && !(bits & (bits - 1)) && (*end == '.' || !*end) ? (unsigned)bits : 0;
}

unsigned sass_width(const struct sass_op *o, const char *name)
{
    if (!strncmp(o->name, "LDSM", 4) || !strncmp(o->name, "STSM", 4))
        return 16; /* each lane addresses a row of a matrix */
    for (const char *at = strchr(name, '.'); at; at = strchr(at + 1, '.'))
        if (bits_of(at + 1))
            return bits_of(at + 1) / 8;
    return 4;
}

unsigned sass_mem_flags(const struct sass_op *o, const char *name)
{
    unsigned flags = 0;
    bool atomic = o->cls == TRACE_ATOM || o->cls == TRACE_RED;
    if (o->space == TRACE_SP_GLOBAL || o->space == TRACE_SP_GENERIC) {
        if (sass_has(name, "STRONG") && !atomic && !sass_has(name, "SM") && !sass_has(name, "CTA"))
            flags |= TRACE_MEM_VOLATILE;
        flags |= sass_has(name, "CONSTANT") ? TRACE_MEM_NC : 0;
        flags |= sass_has(name, "BYPASS") ? TRACE_MEM_CG : 0;
        flags |= sass_has(name, "EF") ? TRACE_MEM_CS : 0;
    }
    flags |= o->flags & SASS_COPY ? TRACE_MEM_ASYNC : 0;
    return flags;
}

/* Registers of the result and of the three sources. HMMA.16816.F32 is a 16 x 8 x 16 product. */
static unsigned tensor_registers(const char *name, int k)
{
    unsigned wide = sass_has(name, "F32") || sass_has(name, "S32") ? 4 : 2;
    unsigned deep = sass_has(name, "16816") || sass_has(name, "16832") ? 2 : 1;
    return k == 0 ? 2 * deep : k == 1 ? deep : wide;
}

unsigned sass_registers(const struct sass_op *o, const char *name, int k)
{
    if (o->cls == TRACE_TENSOR && !(o->flags & SASS_PAIRS))
        return tensor_registers(name, k);
    if (o->flags & SASS_PAIRS)
        return 2;
    if (o->space == TRACE_SP_NONE)
        return k < 0 && sass_has(name, "WIDE") ? 2 : 1;
    if (k == 0 || o->flags & SASS_COPY) /* an address, which has 64 bits in global and generic space */
        return sass_has(name, "E") && (k > 0 || !(o->flags & SASS_COPY)) ? 2 : 1;
    return (sass_width(o, name) + 3) / 4;
}
