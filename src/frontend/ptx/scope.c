/*
 * Names inside a function: { } scopes, registers that exist by range, labels and other forward references.
 *
 * Registers, variables and parameters are declared before use and are found at once. Any other name may be a label
 * declared later in the same scope or an outer one, or something of the module: such a mention waits,
 * is matched with the labels of each scope as that closes, and with the module's names at the very end (link.c).
 */
#include "ptx/parse.h"

int ptx_scope_open(struct ptx_parser *p)
{
    if (p->n_scope == PTX_MAX_SCOPES)
        return ptx_fail(p, &p->t, "scopes are nested deeper than %d", PTX_MAX_SCOPES);
    struct ptx_scope *s = &p->scope[p->n_scope++];
    memset(s, 0, sizeof *s);
    s->open_from = p->open.n;
    return 0;
}

static void scope_drop(struct ptx_parser *p)
{
    struct ptx_scope *s = &p->scope[--p->n_scope];
    strmap_free(&s->names);
    VEC_FREE(&s->range);
}

void ptx_scope_drop_all(struct ptx_parser *p)
{
    while (p->n_scope)
        scope_drop(p);
}

void ptx_scope_close(struct ptx_parser *p)
{
    struct ptx_scope *s = &p->scope[p->n_scope - 1];
    size_t kept = s->open_from;
    for (size_t i = s->open_from; i < p->open.n; i++) {
        struct ptx_mention *w = &p->mention.p[p->open.p[i]];
        uint32_t v = strmap_get(&s->names, w->name, w->len);
        if (v != STRMAP_NONE && NAME_KIND(v) == NAME_LABEL)
            w->label = (int32_t)NAME_INDEX(v);
        else
            p->open.p[kept++] = p->open.p[i];
    }
    p->open.n = kept;
    scope_drop(p);
    if (p->n_scope == 0) /* the function ends: what is left belongs to the module */
        p->open.n = 0;
}

int ptx_scope_put(struct ptx_parser *p, const struct ptx_token *name, uint32_t value)
{
    struct ptx_scope *s = &p->scope[p->n_scope - 1];
    if (strmap_get(&s->names, name->at, name->len) != STRMAP_NONE)
        return ptx_fail(p, name, "'%.*s' is already declared in this scope", (int)(name->len < 200 ? name->len : 200),
                        name->at);
    strmap_put(&s->names, name->at, name->len, value);
    return 0;
}

uint32_t ptx_new_reg(struct ptx_parser *p, const char *name, size_t len, enum ptx_type type)
{
    VEC_PUSH(&p->reg, (struct ptx_reg){.name = arena_strndup(p->arena, name, len), .type = (uint8_t)type});
    return (uint32_t)p->reg.n - 1;
}

/* Whether `name` is stem<i> with i < count, without leading zeros. */
static bool in_range(const struct ptx_range *r, const char *name, uint32_t len)
{
    if (len <= r->len || len > r->len + 10 || memcmp(name, r->stem, r->len) != 0)
        return false;
    if (name[r->len] == '0' && len > r->len + 1)
        return false;
    uint64_t v = 0;
    for (uint32_t i = r->len; i < len; i++) {
        if (name[i] < '0' || name[i] > '9')
            return false;
        v = v * 10 + (uint64_t)(name[i] - '0');
    }
    return v < r->count;
}

uint32_t ptx_scope_get(struct ptx_parser *p, const char *name, uint32_t len)
{
    for (unsigned i = p->n_scope; i-- > 0;) {
        struct ptx_scope *s = &p->scope[i];
        uint32_t v = strmap_get(&s->names, name, len);
        if (v != STRMAP_NONE && NAME_KIND(v) != NAME_LABEL)
            return v;
        for (size_t r = 0; r < s->range.n; r++) {
            if (!in_range(&s->range.p[r], name, len))
                continue;
            uint32_t index = ptx_new_reg(p, name, len, s->range.p[r].type);
            /* The key must outlive the scope: the copy in the arena does. */
            strmap_put(&s->names, p->reg.p[index].name, len, NAME(NAME_REG, index));
            return NAME(NAME_REG, index);
        }
    }
    return STRMAP_NONE;
}

int32_t ptx_mention(struct ptx_parser *p, const struct ptx_token *name)
{
    uint32_t index = (uint32_t)p->mention.n;
    VEC_PUSH(&p->mention, (struct ptx_mention){name->at, name->len, name->line, name->col, -1, -1});
    if (p->in_body)
        VEC_PUSH(&p->open, index);
    return PTX_MENTION(index);
}
