/* Chunks by CTA, with a count of the warps that still need each; see streams.h. */
#include "gpu/streams.h"

#include "base/err.h"
#include "base/mem.h"

struct held {
    struct held *next;
    uint32_t seq, n_warp, left; /* left: warps that have not gone beyond it */
    bool last;
    size_t size;
    uint32_t *end;
    uint8_t *bytes;
};

struct stream_cta {
    struct stream_cta *next;
    uint64_t cta;
    struct held *first, *tail; /* in order of seq */
    uint32_t end_seq;          /* number of chunks, when `ended` */
    bool ended;                /* the last chunk has been seen */
};

static struct stream_cta **place(struct streams *s, uint64_t cta)
{
    struct stream_cta **at = &s->bucket[(cta * 0x9e3779b97f4a7c15ull) >> 54];
    while (*at && (*at)->cta != cta)
        at = &(*at)->next;
    return at;
}

static void drop(struct streams *s, struct held *h)
{
    s->bytes -= h->size;
    free(h->end);
    free(h->bytes);
    free(h);
}

static void drop_cta(struct streams *s, struct stream_cta **at)
{
    struct stream_cta *c = *at;
    for (struct held *h = c->first, *next; h; h = next) {
        next = h->next;
        drop(s, h);
    }
    *at = c->next;
    free(c);
}

void streams_put(struct streams *s, const struct stream_chunk *k)
{
    struct stream_cta **at = place(s, k->cta);
    if (!*at) {
        *at = xcalloc(1, sizeof **at);
        (*at)->cta = k->cta;
    }
    struct stream_cta *c = *at;
    struct held *h = xcalloc(1, sizeof *h);
    size_t n = k->n_warp ? k->end[k->n_warp - 1] : 0;
    h->seq = k->seq;
    h->n_warp = h->left = k->n_warp;
    h->last = k->last;
    h->end = xmalloc((k->n_warp + 1) * sizeof *h->end);
    memcpy(h->end, k->end, k->n_warp * sizeof *h->end);
    h->bytes = xmalloc(n + 1);
    memcpy(h->bytes, k->bytes, n);
    h->size = n + k->n_warp * sizeof *h->end + sizeof *h;
    s->bytes += h->size;
    s->peak_bytes = s->bytes > s->peak_bytes ? s->bytes : s->peak_bytes;
    if (c->tail)
        c->tail->next = h;
    else
        c->first = h;
    c->tail = h;
    if (k->last) {
        c->ended = true;
        c->end_seq = k->seq + 1;
    }
}

static struct held *find(struct stream_cta *c, uint32_t seq)
{
    struct held *h = c ? c->first : NULL;
    while (h && h->seq != seq)
        h = h->next;
    return h;
}

bool streams_has(struct streams *s, uint64_t cta, uint32_t seq)
{
    return find(*place(s, cta), seq);
}

bool streams_ended(struct streams *s, uint64_t cta, uint32_t seq)
{
    const struct stream_cta *c = *place(s, cta);
    return c && c->ended && seq >= c->end_seq;
}

/* A warp is done with chunk `seq`. Chunks go in order, since a warp asks in order, but not the chain's first always. */
static void let_go(struct streams *s, struct stream_cta *c, uint32_t seq)
{
    struct held *before = NULL, *h = c->first;
    while (h && h->seq != seq) {
        before = h;
        h = h->next;
    }
    if (!h || --h->left)
        return;
    if (before)
        before->next = h->next;
    else
        c->first = h->next;
    if (c->tail == h)
        c->tail = before;
    drop(s, h);
    pthread_cond_broadcast(&s->changed);
}

static int piece(void *ctx, uint64_t cta, uint32_t warp, uint32_t seq, const uint8_t **bytes, size_t *n)
{
    struct streams *s = ctx;
    int status = 1;
    pthread_mutex_lock(&s->lock);
    struct stream_cta *c = *place(s, cta);
    if (seq && c)
        let_go(s, c, seq - 1);
    struct held *h = find(c, seq);
    if (!h) {
        status = c && c->ended && seq >= c->end_seq ? 0 : s->fetch(s->ctx, s, cta, seq);
        h = status == 1 ? find(*place(s, cta), seq) : NULL;
        if (status == 1 && !h)
            BUG("chunk %u of CTA %llu is missing", seq, (unsigned long long)cta);
    }
    if (h) {
        if (warp >= h->n_warp) {
            status = 0;
        } else {
            uint32_t from = warp ? h->end[warp - 1] : 0;
            *bytes = h->bytes + from;
            *n = h->end[warp] - from;
        }
    }
    pthread_mutex_unlock(&s->lock);
    return status;
}

static void cta_done(void *ctx, uint64_t cta)
{
    struct streams *s = ctx;
    pthread_mutex_lock(&s->lock);
    struct stream_cta **at = place(s, cta);
    if (*at) {
        drop_cta(s, at);
        pthread_cond_broadcast(&s->changed);
    }
    pthread_mutex_unlock(&s->lock);
}

void streams_init(struct streams *s, int (*fetch)(void *ctx, struct streams *, uint64_t cta, uint32_t seq), void *ctx)
{
    memset(s, 0, sizeof *s);
    s->sm = (struct sm_streams){.ctx = s, .piece = piece, .cta_done = cta_done};
    s->fetch = fetch;
    s->ctx = ctx;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
}

void streams_clear(struct streams *s)
{
    pthread_mutex_lock(&s->lock);
    for (unsigned i = 0; i < sizeof s->bucket / sizeof *s->bucket; i++)
        while (s->bucket[i])
            drop_cta(s, &s->bucket[i]);
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

void streams_destroy(struct streams *s)
{
    streams_clear(s);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->changed);
}
