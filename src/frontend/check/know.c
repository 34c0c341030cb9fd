/*
 * What threads know of other threads: persistent trees.
 *
 * Knowledge is a map from CTAs to clocks, and it only grows. A release writes down what its thread knows, an acquire
 * joins it to what another thread knows; with a look-back scan of n CTAs the last one knows about all others. So the map is
 * a tree of which versions share what is equal: a release copies one path, and a join stops where both sides are the
 * same. Versions live until their launch ends. Beyond a limit nothing more is written down and everything counts as
 * known: races may be missed then, and the report says so.
 */
#include "check/state.h"

struct know {
    union {
        struct know *kid[FANOUT];
        struct known leaf[FANOUT];
    };
};

enum { CHUNK_BYTES = 1 << 20, PARTS_PER_WARP = 2 };
#define POOL_LIMIT (1ull << 30)

void *pool_take(struct pool *p, size_t bytes)
{
    bytes = (bytes + 15) & ~(size_t)15;
    if (bytes > CHUNK_BYTES)
        BUG("an object of %zu bytes", bytes);
    if (!p->chunk.n || p->at + bytes > CHUNK_BYTES) {
        VEC_PUSH(&p->chunk, xmalloc(CHUNK_BYTES));
        p->at = 0;
    }
    void *at = p->chunk.p[p->chunk.n - 1] + p->at;
    p->at += bytes;
    p->used += bytes;
    return memset(at, 0, bytes);
}

void pool_reset(struct pool *p)
{
    while (p->chunk.n > 1)
        free(p->chunk.p[--p->chunk.n]);
    p->at = p->used = 0;
}

static struct know *node_new(struct check *c, unsigned level)
{
    return pool_take(&c->pool, level ? sizeof(((struct know *)0)->kid) : sizeof(struct know));
}

/* ---- one CTA's entry ---- */

static bool part_within(const struct part *p, const struct known *k)
{
    if (p->clock <= k->all)
        return true;
    for (uint32_t i = 0; i < k->n; i++)
        if (k->part[i].warp == p->warp && !(p->mask & ~k->part[i].mask) && p->clock <= k->part[i].clock)
            return true;
    return false;
}

static bool within(const struct known *a, const struct known *b)
{
    if (a->all > b->all)
        return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (!part_within(&a->part[i], b))
            return false;
    return true;
}

/* Adds a part. Few are kept for a warp; what does not fit is joined to the last, which may know too much then. */
static void add_part(struct known *k, const struct part *p)
{
    if (part_within(p, k))
        return;
    uint32_t of_warp = 0, at = 0;
    for (uint32_t i = 0; i < k->n; i++) {
        struct part *q = &k->part[i];
        if (q->warp != p->warp)
            continue;
        if (!(q->mask & ~p->mask) && q->clock <= p->clock) {
            *q = *p;
            return;
        }
        of_warp++;
        at = i;
    }
    if (of_warp < PARTS_PER_WARP) {
        k->part[k->n++] = *p;
        return;
    }
    k->part[at].mask |= p->mask;
    if (k->part[at].clock < p->clock)
        k->part[at].clock = p->clock;
}

static struct known known_join(struct check *c, const struct known *a, const struct known *b)
{
    struct known k = {.all = a->all > b->all ? a->all : b->all};
    if (a->n + b->n)
        k.part = pool_take(&c->pool, (a->n + b->n) * sizeof *k.part);
    for (uint32_t i = 0; i < a->n; i++)
        add_part(&k, &a->part[i]);
    for (uint32_t i = 0; i < b->n; i++)
        add_part(&k, &b->part[i]);
    return k;
}

bool known_covers(const struct known *k, unsigned warp, unsigned lane, uint32_t clock)
{
    if (!k)
        return false;
    if (clock <= k->all)
        return true;
    for (uint32_t i = 0; i < k->n; i++)
        if (k->part[i].warp == warp && k->part[i].mask >> lane & 1 && clock <= k->part[i].clock)
            return true;
    return false;
}

/* ---- the tree ---- */

static struct know *join_at(struct check *c, struct know *a, struct know *b, unsigned level)
{
    if (a == b || !b)
        return a;
    if (!a)
        return b;
    struct know *n = NULL;
    bool is_b = true;
    if (level) {
        struct know *kid[FANOUT];
        bool is_a = true;
        for (int i = 0; i < FANOUT; i++) {
            kid[i] = join_at(c, a->kid[i], b->kid[i], level - 1);
            is_a &= kid[i] == a->kid[i];
            is_b &= kid[i] == b->kid[i];
        }
        if (is_a || is_b)
            return is_a ? a : b;
        n = node_new(c, level);
        memcpy(n->kid, kid, sizeof kid);
        return n;
    }
    for (int i = 0; i < FANOUT; i++) {
        if (within(&b->leaf[i], &a->leaf[i])) {
            is_b &= within(&a->leaf[i], &b->leaf[i]);
            continue;
        }
        if (!n) {
            n = node_new(c, 0);
            memcpy(n->leaf, a->leaf, sizeof n->leaf);
        }
        if (within(&a->leaf[i], &b->leaf[i])) {
            n->leaf[i] = b->leaf[i];
        } else {
            n->leaf[i] = known_join(c, &a->leaf[i], &b->leaf[i]);
            is_b = false;
        }
    }
    return !n ? a : is_b ? b : n;
}

static bool room(struct check *c)
{
    if (c->pool.used < POOL_LIMIT)
        return true;
    c->know_full = true;
    return false;
}

struct know *know_join(struct check *c, struct know *a, struct know *b)
{
    return room(c) ? join_at(c, a, b, c->levels) : a;
}

static struct know *put_at(struct check *c, struct know *n, unsigned level, uint64_t cta, const struct known *k)
{
    struct know *copy = node_new(c, level);
    if (level) {
        if (n)
            memcpy(copy->kid, n->kid, sizeof copy->kid);
        const unsigned i = (unsigned)(cta >> level * FANOUT_BITS) & (FANOUT - 1);
        copy->kid[i] = put_at(c, copy->kid[i], level - 1, cta, k);
        return copy;
    }
    if (n)
        memcpy(copy->leaf, n->leaf, sizeof copy->leaf);
    struct known *at = &copy->leaf[cta & (FANOUT - 1)];
    *at = known_join(c, at, k);
    return copy;
}

struct know *know_put(struct check *c, struct know *n, uint64_t cta, const struct known *k)
{
    const struct known *old = know_get(c, n, cta);
    if (!room(c) || (old && within(k, old)))
        return n;
    return put_at(c, n, c->levels, cta, k);
}

const struct known *know_get(const struct check *c, const struct know *n, uint64_t cta)
{
    for (unsigned level = c->levels; n && level; level--)
        n = n->kid[cta >> level * FANOUT_BITS & (FANOUT - 1)];
    return n ? &n->leaf[cta & (FANOUT - 1)] : NULL;
}

/* ---- the lanes of a warp ---- */

struct know *know_of(const struct know_set *s, unsigned lane)
{
    return s->lane ? s->lane[lane] : s->all;
}

void know_learn(struct check *c, struct know_set *s, uint32_t mask, uint32_t live, struct know *k)
{
    if (!k)
        return;
    if (!s->lane && !(live & ~mask)) {
        s->all = know_join(c, s->all, k);
        return;
    }
    if (!s->lane) {
        s->lane = pool_take(&c->pool, EMU_LANES * sizeof *s->lane);
        for (int l = 0; l < EMU_LANES; l++)
            s->lane[l] = s->all;
    }
    for (; mask; mask &= mask - 1) {
        struct know **at = &s->lane[__builtin_ctz(mask)];
        *at = know_join(c, *at, k);
    }
}
