/*
 * The classifier of locality.h.
 *
 * Three flat tables, all of one launch: lines of the infinite L1s by (SM, line), how many L1s hold each line, and which
 * warps have executed which load (a bitmap per load). A line's type is final only at the end of the launch, so its
 * reuse distances wait in a histogram of its own, taken from a pool at its second use; a line that has been used by its
 * own warp and by others is inter+intra for good and gives its histogram back at once.
 */
#include "cache/locality.h"

#include "base/mem.h"
#include "cache/tags.h"

#define LINE_BYTES   128
#define DEF_BYTES    (16u << 10)
#define DEF_WAYS     4
#define DEF_LINES    (16u << 20)
#define NO_HISTOGRAM UINT32_MAX

const char *const locality_type_name[LOCALITY_TYPE_COUNT] = {
#define X(name, text, doc) text,
    LOCALITY_TYPES(X)
#undef X
};
const char *const locality_count_name[LOCALITY_COUNT_BINS] = {"1", "2", "3-4", "5-8", "9-16", "17-32", "33-64", ">64"};

/* ---- an index over an array of records whose first member is a 64-bit key ---- */
struct index {
    uint32_t *slot; /* record number + 1; 0 = free */
    unsigned bits;  /* 2^bits slots */
};
#define INDEX_MIN_BITS 10

static void index_reset(struct index *x, unsigned bits)
{
    if (bits != x->bits) {
        free(x->slot);
        x->slot = xcalloc((size_t)1 << bits, sizeof *x->slot);
        x->bits = bits;
        return;
    }
    memset(x->slot, 0, sizeof *x->slot << bits);
}

/* The slot that names the key's record, or the free one where it belongs. Records are `bytes` apart. */
static inline uint32_t *index_at(const struct index *x, const void *record, size_t bytes, uint64_t key)
{
    const size_t mask = ((size_t)1 << x->bits) - 1;
    for (size_t i = (key * 0x9e3779b97f4a7c15ull) >> (64 - x->bits);; i = (i + 1) & mask) {
        uint32_t *s = &x->slot[i];
        if (!*s || *(const uint64_t *)((const char *)record + (size_t)(*s - 1) * bytes) == key)
            return s;
    }
}

/* Before a record is added to n others: keeps a third of the slots free. */
static void index_make_room(struct index *x, const void *record, size_t bytes, size_t n)
{
    if (n + 1 <= ((size_t)2 << x->bits) / 3)
        return;
    index_reset(x, x->bits + 1);
    for (size_t i = 0; i < n; i++)
        *index_at(x, record, bytes, *(const uint64_t *)((const char *)record + i * bytes)) = (uint32_t)i + 1;
}

/* For the next launch: empty, and no larger than the last one made use of. */
static void index_clear(struct index *x, size_t n_used)
{
    unsigned bits = INDEX_MIN_BITS;
    while (n_used > ((size_t)1 << bits) / 2 && bits < x->bits)
        bits++;
    index_reset(x, bits);
}

/* ---- the classifier ---- */
struct line {
    uint64_t key;        /* line number << 16 | SM */
    uint64_t last;       /* the SM's access clock at the last use */
    uint32_t warp, load; /* that brought it in */
    uint32_t uses, own_uses;
    uint32_t histogram;
};
struct holders { /* of one line, all SMs */
    uint64_t key;
    uint32_t infinite, finite; /* L1s that have it now */
};
struct histogram {
    uint32_t bin[LOCALITY_DISTANCE_BINS];
};
struct kernel {
    struct locality_load *load;
    uint32_t n_load;
};
struct bitmap {
    uint64_t *word;
    size_t n;
};
struct finite {
    struct tags tags;
    uint32_t *uses, *load; /* of each entry: its uses since it was fetched, and the load that fetched it */
};

struct locality {
    uint32_t n_sm, max_lines;
    struct arena *arena;
    struct finite *finite; /* by SM */
    uint64_t *clock;       /* accesses so far, by SM */
    VEC(struct kernel) kernel;
    /* of the launch */
    uint32_t current;
    bool open;
    struct index line_index, holders_index;
    VEC(struct line) line;
    VEC(struct holders) holders;
    VEC(struct histogram) histogram;
    VEC(uint32_t) unused; /* histograms */
    struct bitmap *seen;  /* by load: warps that have executed it */
    uint32_t n_seen;
};

struct locality *locality_new(const struct locality_config *c, struct err *e)
{
    if (!c->n_sm || c->n_sm > UINT16_MAX) {
        err_set(e, "locality: %u SMs; 1 to %u are possible", c->n_sm, UINT16_MAX);
        return NULL;
    }
    const uint32_t bytes = c->finite_bytes ? c->finite_bytes : DEF_BYTES;
    const uint32_t ways = c->finite_way ? c->finite_way : DEF_WAYS;
    struct locality *l = xcalloc(1, sizeof *l);
    l->n_sm = c->n_sm;
    l->max_lines = c->max_lines ? c->max_lines : DEF_LINES;
    l->arena = arena_new();
    l->clock = arena_alloc(l->arena, c->n_sm * sizeof *l->clock);
    l->finite = arena_alloc(l->arena, c->n_sm * sizeof *l->finite);
    const uint32_t sets = bytes / LINE_BYTES / ways;
    for (uint32_t i = 0; i < c->n_sm; i++) {
        struct finite *f = &l->finite[i];
        if (tags_init(&f->tags, l->arena, sets, ways, LINE_BYTES, sets == 32 || sets == 64 ? SET_FERMI : SET_XOR, e)) {
            locality_free(l);
            return NULL;
        }
        f->uses = arena_alloc(l->arena, tags_entries(&f->tags) * sizeof *f->uses);
        f->load = arena_alloc(l->arena, tags_entries(&f->tags) * sizeof *f->load);
    }
    index_reset(&l->line_index, INDEX_MIN_BITS);
    index_reset(&l->holders_index, INDEX_MIN_BITS);
    return l;
}

void locality_free(struct locality *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->kernel.n; i++)
        free(l->kernel.p[i].load);
    for (uint32_t i = 0; i < l->n_seen; i++)
        free(l->seen[i].word);
    free(l->seen);
    free(l->line_index.slot);
    free(l->holders_index.slot);
    VEC_FREE(&l->kernel);
    VEC_FREE(&l->line);
    VEC_FREE(&l->holders);
    VEC_FREE(&l->histogram);
    VEC_FREE(&l->unused);
    arena_free(l->arena);
    free(l);
}

void locality_launch_begin(struct locality *l, uint32_t kernel, uint32_t n_load)
{
    if (l->open)
        BUG("locality: launches overlap");
    while (l->kernel.n <= kernel)
        VEC_PUSH(&l->kernel, (struct kernel){0});
    struct kernel *k = &l->kernel.p[kernel];
    if (k->n_load < n_load) {
        k->load = xrealloc(k->load, n_load * sizeof *k->load);
        memset(k->load + k->n_load, 0, (n_load - k->n_load) * sizeof *k->load);
        k->n_load = n_load;
    }
    if (l->n_seen < n_load) {
        l->seen = xrealloc(l->seen, n_load * sizeof *l->seen);
        memset(l->seen + l->n_seen, 0, (n_load - l->n_seen) * sizeof *l->seen);
        l->n_seen = n_load;
    }
    l->current = kernel;
    l->open = true;
}

/* Sets the warp's bit; was it set before? */
static inline bool bitmap_test_and_set(struct bitmap *b, uint32_t i)
{
    const size_t w = i / 64;
    if (w >= b->n) {
        const size_t n = w + 1 > 2 * b->n ? w + 1 : 2 * b->n;
        b->word = xrealloc(b->word, n * sizeof *b->word);
        memset(b->word + b->n, 0, (n - b->n) * sizeof *b->word);
        b->n = n;
    }
    const uint64_t bit = 1ull << i % 64;
    const bool was = b->word[w] & bit;
    b->word[w] |= bit;
    return was;
}

/* 1 -> 0, 2 -> 1, 3..4 -> 2, 5..8 -> 3 and so on. */
static inline unsigned count_bin(uint32_t uses)
{
    const unsigned b = uses < 2 ? 0 : 32 - (unsigned)__builtin_clz(uses - 1);
    return b < LOCALITY_COUNT_BINS ? b : LOCALITY_COUNT_BINS - 1;
}

static inline unsigned distance_bin(uint64_t accesses)
{
    const unsigned b = 63 - (unsigned)__builtin_clzll(accesses);
    return b < LOCALITY_DISTANCE_BINS ? b : LOCALITY_DISTANCE_BINS - 1;
}

static inline enum locality_type type_of(const struct line *x)
{
    return x->uses == 1             ? LOCALITY_STREAMING
           : x->own_uses == 1       ? LOCALITY_INTER
           : x->own_uses == x->uses ? LOCALITY_INTRA
                                    : LOCALITY_BOTH;
}

static struct holders *holders_of(struct locality *l, uint64_t line)
{
    uint32_t *s = index_at(&l->holders_index, l->holders.p, sizeof *l->holders.p, line);
    if (!*s) {
        index_make_room(&l->holders_index, l->holders.p, sizeof *l->holders.p, l->holders.n);
        s = index_at(&l->holders_index, l->holders.p, sizeof *l->holders.p, line);
        VEC_PUSH(&l->holders, (struct holders){.key = line});
        *s = (uint32_t)l->holders.n;
    }
    return &l->holders.p[*s - 1];
}

/* The waiting distances of a line go to the load that brought it. */
static void settle_distances(struct locality *l, struct line *x, enum locality_type type)
{
    struct histogram *h = &l->histogram.p[x->histogram];
    uint64_t *to = l->kernel.p[l->current].load[x->load].distance[type];
    for (int b = 0; b < LOCALITY_DISTANCE_BINS; b++)
        to[b] += h->bin[b];
    VEC_PUSH(&l->unused, x->histogram);
    x->histogram = NO_HISTOGRAM;
}

static void note_distance(struct locality *l, struct line *x, uint64_t accesses)
{
    const unsigned bin = distance_bin(accesses);
    if (type_of(x) == LOCALITY_BOTH) {
        if (x->histogram != NO_HISTOGRAM)
            settle_distances(l, x, LOCALITY_BOTH);
        l->kernel.p[l->current].load[x->load].distance[LOCALITY_BOTH][bin]++;
        return;
    }
    if (x->histogram == NO_HISTOGRAM) {
        if (l->unused.n) {
            x->histogram = l->unused.p[--l->unused.n];
        } else {
            x->histogram = (uint32_t)l->histogram.n;
            VEC_PUSH(&l->histogram, (struct histogram){{0}});
        }
        memset(&l->histogram.p[x->histogram], 0, sizeof *l->histogram.p);
    }
    l->histogram.p[x->histogram].bin[bin]++;
}

static void access_infinite(struct locality *l, uint32_t sm, uint32_t warp, uint32_t load, uint64_t line, uint64_t now)
{
    const uint64_t key = line << 16 | sm;
    uint32_t *s = index_at(&l->line_index, l->line.p, sizeof *l->line.p, key);
    if (*s) {
        struct line *x = &l->line.p[*s - 1];
        x->uses += x->uses < UINT32_MAX;
        x->own_uses += x->warp == warp && x->own_uses < UINT32_MAX;
        note_distance(l, x, now - x->last);
        x->last = now;
        return;
    }
    struct locality_load *r = &l->kernel.p[l->current].load[load];
    if (l->line.n >= l->max_lines) {
        r->untracked++;
        return;
    }
    index_make_room(&l->line_index, l->line.p, sizeof *l->line.p, l->line.n);
    s = index_at(&l->line_index, l->line.p, sizeof *l->line.p, key);
    VEC_PUSH(
        &l->line,
        (struct line){
            .key = key, .last = now, .warp = warp, .load = load, .uses = 1, .own_uses = 1, .histogram = NO_HISTOGRAM});
    *s = (uint32_t)l->line.n;
    r->replicated += holders_of(l, line)->infinite++ > 0;
}

/* The line in this entry leaves the finite L1. */
static void finite_evict(struct locality *l, struct finite *f, uint32_t entry)
{
    l->kernel.p[l->current].load[f->load[entry]].finite_count[count_bin(f->uses[entry])]++;
    holders_of(l, f->tags.line[entry])->finite--;
}

static void access_finite(struct locality *l, struct finite *f, uint32_t load, uint64_t line)
{
    const uint32_t set = tags_set(&f->tags, line);
    int32_t entry = tags_find(&f->tags, set, line);
    if (entry >= 0) {
        tags_touch(&f->tags, (uint32_t)entry);
        f->uses[entry]++;
        return;
    }
    struct locality_load *r = &l->kernel.p[l->current].load[load];
    entry = tags_victim_lru(&f->tags, set);
    if (f->tags.line[entry] != TAG_NONE)
        finite_evict(l, f, (uint32_t)entry);
    r->finite_misses++;
    r->finite_replicated += holders_of(l, line)->finite++ > 0;
    tags_place(&f->tags, (uint32_t)entry, line);
    f->uses[entry] = 1;
    f->load[entry] = load;
}

void locality_access(struct locality *l, uint32_t sm, uint32_t warp, uint32_t load, uint32_t lanes,
                     const uint64_t *line, unsigned n)
{
    struct kernel *k = &l->kernel.p[l->current];
    if (!l->open || sm >= l->n_sm || load >= k->n_load)
        BUG("locality: load %u of SM %u outside what was announced", load, sm);
    struct locality_load *r = &k->load[load];
    r->executions++;
    r->lanes += lanes;
    r->accesses += n;
    if (bitmap_test_and_set(&l->seen[load], warp))
        r->repeats++;
    else
        r->warps++;
    for (unsigned i = 0; i < n; i++) {
        access_infinite(l, sm, warp, load, line[i], ++l->clock[sm]);
        access_finite(l, &l->finite[sm], load, line[i]);
    }
}

void locality_launch_end(struct locality *l)
{
    struct kernel *k = &l->kernel.p[l->current];
    for (size_t i = 0; i < l->line.n; i++) {
        struct line *x = &l->line.p[i];
        struct locality_load *r = &k->load[x->load];
        const enum locality_type type = type_of(x);
        r->line[type]++;
        r->used[type] += x->uses;
        r->count[count_bin(x->uses)]++;
        if (x->histogram != NO_HISTOGRAM)
            settle_distances(l, x, type);
    }
    for (uint32_t s = 0; s < l->n_sm; s++) {
        struct finite *f = &l->finite[s];
        for (uint32_t e = 0; e < tags_entries(&f->tags); e++)
            if (f->tags.line[e] != TAG_NONE) {
                finite_evict(l, f, e);
                tags_drop(&f->tags, e);
            }
    }
    for (uint32_t i = 0; i < k->n_load; i++)
        if (l->seen[i].n)
            memset(l->seen[i].word, 0, l->seen[i].n * sizeof *l->seen[i].word);
    index_clear(&l->line_index, l->line.n);
    index_clear(&l->holders_index, l->holders.n);
    l->line.n = l->holders.n = l->histogram.n = l->unused.n = 0;
    l->open = false;
}

/* ---- results ---- */
uint32_t locality_n_kernels(const struct locality *l)
{
    return (uint32_t)l->kernel.n;
}

const struct locality_load *locality_loads(const struct locality *l, uint32_t kernel, uint32_t *n_load)
{
    *n_load = kernel < l->kernel.n ? l->kernel.p[kernel].n_load : 0;
    return kernel < l->kernel.n ? l->kernel.p[kernel].load : NULL;
}

void locality_add(struct locality_load *sum, const struct locality_load *x)
{
    /* Nothing but counters of one width. */
    _Static_assert(sizeof *x % sizeof(uint64_t) == 0, "locality_load holds only uint64_t");
    uint64_t *to = (uint64_t *)sum;
    const uint64_t *from = (const uint64_t *)x;
    for (size_t i = 0; i < sizeof *x / sizeof *to; i++)
        to[i] += from[i];
}

struct locality_load locality_sum(const struct locality *l, uint32_t kernel)
{
    struct locality_load sum = {0};
    for (uint32_t k = 0; k < l->kernel.n; k++)
        for (uint32_t i = 0; i < l->kernel.p[k].n_load && (kernel == UINT32_MAX || kernel == k); i++)
            locality_add(&sum, &l->kernel.p[k].load[i]);
    return sum;
}

enum locality_type locality_dominant(const struct locality_load *r)
{
    enum locality_type best = LOCALITY_STREAMING;
    for (int t = 0; t < LOCALITY_TYPE_COUNT; t++)
        if (r->line[t] > r->line[best])
            best = (enum locality_type)t;
    return best;
}

double locality_aps(const struct locality *l, uint32_t kernel)
{
    uint64_t dominant = 0, all = 0;
    for (uint32_t k = 0; k < l->kernel.n; k++)
        for (uint32_t i = 0; i < l->kernel.p[k].n_load && (kernel == UINT32_MAX || kernel == k); i++) {
            const struct locality_load *r = &l->kernel.p[k].load[i];
            dominant += r->line[locality_dominant(r)];
            all += locality_lines(r);
        }
    return all ? (double)dominant / (double)all : 0;
}
