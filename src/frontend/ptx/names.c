/* See names.h. The tables are the .def files; types and spaces are few and are listed here. */
#include "ptx/names.h"

static const char *const op_names[PTX_OP_COUNT] = {
    [PTX_OP_UNKNOWN] = "?",
#define X(e, t) [PTX_##e] = t,
#include "ptx/opcodes.def"
#undef X
};

static const char *const mod_names[PTX_M_COUNT] = {
    [PTX_M_NONE] = "",
#define X(e, t) [PTX_M_##e] = t,
#include "ptx/mods.def"
#undef X
};
_Static_assert(PTX_M_COUNT <= 256, "ptx_inst.mod and modset have room for 256 suffixes");

static const char *const sreg_names[PTX_SR_COUNT] = {
#define X(e, t, ty) [PTX_SR_##e] = t,
#include "ptx/sregs.def"
#undef X
};

static const struct {
    const char *name;
    uint8_t bytes;
} types[PTX_T_COUNT] = {
    [PTX_T_NONE] = {"", 0},           [PTX_T_B8] = {"b8", 1},
    [PTX_T_B16] = {"b16", 2},         [PTX_T_B32] = {"b32", 4},
    [PTX_T_B64] = {"b64", 8},         [PTX_T_B128] = {"b128", 16},
    [PTX_T_U8] = {"u8", 1},           [PTX_T_U16] = {"u16", 2},
    [PTX_T_U32] = {"u32", 4},         [PTX_T_U64] = {"u64", 8},
    [PTX_T_S8] = {"s8", 1},           [PTX_T_S16] = {"s16", 2},
    [PTX_T_S32] = {"s32", 4},         [PTX_T_S64] = {"s64", 8},
    [PTX_T_F16] = {"f16", 2},         [PTX_T_F16X2] = {"f16x2", 4},
    [PTX_T_BF16] = {"bf16", 2},       [PTX_T_BF16X2] = {"bf16x2", 4},
    [PTX_T_TF32] = {"tf32", 4},       [PTX_T_F32] = {"f32", 4},
    [PTX_T_F64] = {"f64", 8},         [PTX_T_E4M3] = {"e4m3", 1},
    [PTX_T_E5M2] = {"e5m2", 1},       [PTX_T_E4M3X2] = {"e4m3x2", 2},
    [PTX_T_E5M2X2] = {"e5m2x2", 2},   [PTX_T_U4] = {"u4", 0},
    [PTX_T_S4] = {"s4", 0},           [PTX_T_B1] = {"b1", 0},
    [PTX_T_U16X2] = {"u16x2", 4},     [PTX_T_S16X2] = {"s16x2", 4},
    [PTX_T_F32X2] = {"f32x2", 8},     [PTX_T_PRED] = {"pred", 0},
    [PTX_T_TEXREF] = {"texref", 8},   [PTX_T_SAMPLERREF] = {"samplerref", 8},
    [PTX_T_SURFREF] = {"surfref", 8},
};

static const struct {
    const char *name;
    uint8_t space;
} spaces[] = {
    {"reg", PTX_S_REG},
    {"global", PTX_S_GLOBAL},
    {"shared", PTX_S_SHARED},
    {"shared::cta", PTX_S_SHARED},
    {"shared::cluster", PTX_S_SHARED_CLUSTER},
    {"local", PTX_S_LOCAL},
    {"const", PTX_S_CONST},
    {"param", PTX_S_PARAM},
    {"param::entry", PTX_S_PARAM},
    {"param::func", PTX_S_PARAM},
    {"tex", PTX_S_TEX},
};

unsigned ptx_type_bytes(enum ptx_type t)
{
    return types[t].bytes;
}

const char *ptx_type_name(enum ptx_type t)
{
    return types[t].name;
}

const char *ptx_mod_name(enum ptx_mod m)
{
    return mod_names[m];
}

const char *ptx_sreg_name(enum ptx_sreg r)
{
    return sreg_names[r];
}

bool ptx_sreg_is_numbered(enum ptx_sreg r)
{
    return r == PTX_SR_ENVREG;
}

const char *ptx_space_name(enum ptx_space space)
{
    if (space == PTX_S_SHARED_CLUSTER)
        return "shared::cluster";
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
        if (spaces[i].space == space)
            return spaces[i].name;
    return "";
}

static void put_suffix(struct ptx_names *n, const char *name, enum ptx_word_kind kind, unsigned value)
{
    strmap_put(&n->suffix, name, strlen(name), (uint32_t)kind << 8 | value);
}

void ptx_names_init(struct ptx_names *n)
{
    *n = (struct ptx_names){0};
    for (unsigned i = PTX_OP_UNKNOWN + 1; i < PTX_OP_COUNT; i++)
        strmap_put(&n->op, op_names[i], strlen(op_names[i]), i);
    for (unsigned i = 0; i < PTX_SR_COUNT; i++)
        strmap_put(&n->sreg, sreg_names[i], strlen(sreg_names[i]), i);
    /* Types last: as a suffix, ".b1" is the one-bit type of mma; the byte selector of that name belongs to operands. */
    for (unsigned i = PTX_M_NONE + 1; i < PTX_M_COUNT; i++)
        put_suffix(n, mod_names[i], PTX_WORD_MOD, i);
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
        put_suffix(n, spaces[i].name, PTX_WORD_SPACE, spaces[i].space);
    put_suffix(n, "v2", PTX_WORD_VEC, 2);
    put_suffix(n, "v4", PTX_WORD_VEC, 4);
    put_suffix(n, "v8", PTX_WORD_VEC, 8);
    for (unsigned i = PTX_T_NONE + 1; i < PTX_T_COUNT; i++)
        put_suffix(n, types[i].name, PTX_WORD_TYPE, i);
}

void ptx_names_free(struct ptx_names *n)
{
    strmap_free(&n->op);
    strmap_free(&n->suffix);
    strmap_free(&n->sreg);
}

enum ptx_op ptx_names_op(const struct ptx_names *n, const char *s, size_t len)
{
    uint32_t v = strmap_get(&n->op, s, len);
    return v == STRMAP_NONE ? PTX_OP_UNKNOWN : (enum ptx_op)v;
}

struct ptx_word ptx_names_suffix(const struct ptx_names *n, const char *s, size_t len)
{
    uint32_t v = strmap_get(&n->suffix, s, len);
    if (v == STRMAP_NONE)
        return (struct ptx_word){PTX_WORD_NONE, 0};
    return (struct ptx_word){(uint8_t)(v >> 8), (uint8_t)v};
}

int ptx_names_sreg(const struct ptx_names *n, const char *s, size_t len, uint32_t *number)
{
    *number = 0;
    uint32_t v = strmap_get(&n->sreg, s, len);
    if (v != STRMAP_NONE && !ptx_sreg_is_numbered((enum ptx_sreg)v))
        return (int)v;
    /* %envreg<32>: a stem with a number. */
    size_t stem = len;
    uint32_t value = 0, scale = 1;
    while (stem > 1 && s[stem - 1] >= '0' && s[stem - 1] <= '9' && len - stem < 2) {
        value += (uint32_t)(s[--stem] - '0') * scale;
        scale *= 10;
    }
    if (stem == len)
        return -1;
    v = strmap_get(&n->sreg, s, stem);
    if (v == STRMAP_NONE || !ptx_sreg_is_numbered((enum ptx_sreg)v) || value >= 32)
        return -1;
    *number = value;
    return (int)v;
}
