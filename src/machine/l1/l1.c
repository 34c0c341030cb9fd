/*
 * Builds and connects an L1 unit; kernel boundaries, invariants and the deadlock report.
 */
#include "l1/l1_priv.h"

#include "engine/waits.h"

static const char *const cache_name[L1_COUNT] = {"data", "const", "tex"};

/*
 * Prefetches: each request for one, local or from another SM, was dropped, issued, forwarded or still waits; each
 * issued one was useful, late or unused, or is still marked in the tags or in an MSHR.
 */
static int check_prefetches(const struct l1 *l1, const struct l1_cache *c, struct err *e)
{
    const struct l1_stats *s = &c->stats;
    uint64_t asked = s->prefetch_requested + s->prefetch_from_remote_sms;
    uint64_t ended = s->prefetch_queue_full + s->prefetch_redundant + s->prefetch_no_resource +
                     s->prefetch_policy_rejected + s->prefetch_canceled + s->prefetch_overtaken + s->prefetch_to_home +
                     s->prefetch_issued + ring_count(&l1->prefetch);
    if (asked != ended)
        return err_set(e, "%s: %lu prefetches requested, but %lu issued, dropped or waiting", l1->comp.name,
                       (unsigned long)asked, (unsigned long)ended);
    uint64_t marked = 0;
    for (uint32_t i = 0; i < tags_entries(&c->tags); i++)
        marked += c->tags.line[i] != TAG_NONE && c->tags.flags[i] & TAG_F_PREFETCHED;
    for (uint32_t i = 0; i < c->mshr.cap; i++)
        marked += c->mshr.e[i].prefetched;
    if (s->prefetch_issued != s->prefetch_timely + s->prefetch_late + s->prefetch_unused + marked)
        return err_set(e, "%s: %lu prefetches issued, but %lu useful + %lu late + %lu unused + %lu undecided",
                       l1->comp.name, (unsigned long)s->prefetch_issued, (unsigned long)s->prefetch_timely,
                       (unsigned long)s->prefetch_late, (unsigned long)s->prefetch_unused, (unsigned long)marked);
    return 0;
}

static int check_cache(const struct l1 *l1, const struct l1_cache *c, bool drained, struct err *e)
{
    const struct l1_stats *s = &c->stats;
    const char *name = l1->comp.name, *cache = cache_name[c->which];
    /* Requests from this and other SMs must equal the outcomes. An order policy may still hold some of them. */
    uint64_t came = c->in.sent - port_count(&c->in) + s->remote_requests, held = 0;
    if (c->which == L1_DATA && l1->order.policy)
        held = order_count(&l1->order);
    if (s->accesses + held != came)
        return err_set(e,
                       "%s %s cache: %lu requests taken, but %lu hits + %lu misses + %lu merges + %lu bypasses + %lu "
                       "atomics + %lu remote, %lu held",
                       name, cache, (unsigned long)came, (unsigned long)s->hits, (unsigned long)s->misses,
                       (unsigned long)s->merges, (unsigned long)s->bypasses, (unsigned long)s->atomics,
                       (unsigned long)s->forwarded, (unsigned long)held);
    if (s->accesses != s->hits + s->misses + s->merges + s->bypasses + s->atomics + s->forwarded)
        return err_set(e, "%s %s cache: an outcome that no counter shows", name, cache);
    if (drained && (c->mshr.used || !ring_empty(&c->to_l2.id) || !port_empty(&c->in)))
        return err_set(e, "%s %s cache: %u MSHRs, %u queued misses, %u waiting accesses left", name, cache,
                       c->mshr.used, ring_count(&c->to_l2.id), port_count(&c->in));
    return c->which == L1_DATA ? check_prefetches(l1, c, e) : 0;
}

static int l1_check(const struct comp *comp, bool drained, struct err *e)
{
    const struct l1 *l1 = (const struct l1 *)comp;
    for (uint32_t i = 0; i < L1_COUNT; i++)
        if (l1->cache[i] && check_cache(l1, l1->cache[i], drained, e))
            return -1;
    struct err why;
    err_clear(&why);
    const struct l1_management *m = l1->management.hooks;
    if (m && m->check && m->check(l1->management.st, &why)) {
        policy_hook_failed(&m->info, "check", &why);
        err_set(e, "%s, %s: %s", comp->name, m->info.name, why.msg);
        return err_hint(e, "this is a bug of the policy '%s'", m->info.name);
    }
    if (drained && l1->in_flight)
        return err_set(e, "%s: %lu requests were not returned to the SM", comp->name, (unsigned long)l1->in_flight);
    return 0;
}

static void ring_waits(struct waits *w, const struct ring *r, const struct port *full, const char *why)
{
    for (uint32_t i = r->head; i != r->tail; i++)
        waits_for_room(w, NULL, r->slot[i & r->mask], full, why);
}

/* A request that needs an entry, a merge slot or a way waits for the reply to one that has them. */
static void line_waits(const struct l1_cache *c, struct waits *w, const struct port *at, req_id id)
{
    uint32_t m = mshr_any(&c->mshr);
    if (m != MSHR_NONE)
        waits_for_request(w, at, id, c->mshr.e[m].head, "an MSHR entry, a merge slot or a way: the reply to another");
}

static void cache_waits(const struct l1 *l1, const struct l1_cache *c, struct waits *w)
{
    ring_waits(w, &c->to_l2.id, l1->net.to_l2, "the network to the L2");
    for (uint32_t b = 0; b <= c->mshr.bucket_mask; b++)
        for (uint32_t m = c->mshr.bucket[b]; m != MSHR_NONE; m = c->mshr.e[m].hnext)
            for (req_id id = l1->req[c->mshr.e[m].head].next; id != REQ_NONE; id = l1->req[id].next)
                waits_for_request(w, NULL, id, c->mshr.e[m].head, "a line already requested");
    req_id id = port_oldest(&c->in);
    if (id == REQ_NONE)
        return;
    if (c->blocked != L1_STALL_MISS_QUEUE_FULL - L1_ACCEPTED_COUNT)
        line_waits(c, w, &c->in, id);
    else if (l1->req[id].flags & REQ_F_REMOTE)
        waits_for_room(w, &c->in, id, l1->net.to_home, "the network to the home SM");
    else
        waits_for_room(w, &c->in, id, l1->net.to_l2, "the network to the L2");
}

static void l1_waits(const struct comp *comp, struct waits *w)
{
    const struct l1 *l1 = (const struct l1 *)comp;
    const struct l1_cache *data = l1->cache[L1_DATA];
    for (uint32_t i = 0; i < L1_COUNT; i++)
        if (l1->cache[i])
            cache_waits(l1, l1->cache[i], w);
    if (data && l1->order.policy)
        for (uint32_t s = l1->order.oldest; s != ORDER_NONE; s = l1->order.slot[s].age_next)
            line_waits(data, w, NULL, l1->order.slot[s].req);
    if (!data || !l1->net.to_home)
        return;
    ring_waits(w, &l1->to_home.id, l1->net.to_home, "the network to the home SM");
    ring_waits(w, &l1->remote_reply, l1->net.to_requester, "the network to the SM that asked");
    req_id id = port_oldest(&l1->request_in);
    if (id == REQ_NONE)
        return;
    if (l1->remote_inside == l1->remote_reply.cap)
        waits_for_room(w, &l1->request_in, id, l1->net.to_requester, "replies to leave for other SMs");
    else if (ring_free(&data->to_l2.id) == 0)
        waits_for_room(w, &l1->request_in, id, l1->net.to_l2, "the network to the L2");
    else
        line_waits(data, w, &l1->request_in, id);
}

/*
 * For an organization with a cost-free network between SMs: the cycles that a request spends in the ports to another
 * L1 and back are subtracted from the latency to the tags, and local hits are delayed by the same number.
 */
enum { IDEAL_ROUND_TRIP = 6 };

static struct l1_cache *cache_new(struct l1 *l1, enum l1_which which, const struct l1_cache_config *cfg, bool ideal,
                                  struct err *e)
{
    struct engine *eng = l1->comp.eng;
    if (cfg->size % (cfg->line * cfg->assoc)) {
        err_set(e, "%lu bytes / (%lu-byte lines x %u ways) is not a whole number of sets", (unsigned long)cfg->size,
                (unsigned long)cfg->line, cfg->assoc);
        return NULL;
    }
    struct l1_cache *c = arena_alloc64(eng->arena, sizeof *c);
    c->cfg = *cfg;
    c->which = (uint8_t)which;
    c->blocked = -1;
    c->sectored = cfg->fill == L1_FILL_SECTOR;
    c->on_fill = cfg->allocate == L1_ALLOCATE_ON_FILL;
    uint32_t sets = (uint32_t)(cfg->size / (cfg->line * cfg->assoc));
    if (tags_init(&c->tags, eng->arena, sets, cfg->assoc, (uint32_t)cfg->line, (enum set_hash)cfg->set_hash, e))
        return NULL;
    if (cfg->write_global == L1_WRITE_ALLOCATE || cfg->write_local == L1_WRITE_ALLOCATE)
        c->words = arena_alloc64(eng->arena, tags_entries(&c->tags) * sizeof *c->words);
    mshr_init(&c->mshr, eng->arena, cfg->mshrs, cfg->max_merges);
    l1_send_queue_init(&c->to_l2, eng->arena, cfg->miss_queue);
    /* The pipeline to the tags holds one access per port and stage. */
    uint32_t tag_latency = cfg->tag_latency ? cfg->tag_latency : 1;
    if (ideal)
        tag_latency = tag_latency > IDEAL_ROUND_TRIP ? tag_latency - IDEAL_ROUND_TRIP : 1;
    uint32_t hit = cfg->latency > tag_latency ? cfg->latency - tag_latency : 1;
    c->hit_extra = hit - 1;
    port_init(&c->in, eng, &l1->comp, tag_latency * cfg->ports + 1, tag_latency, cache_name[which]);
    port_watch(&c->in, &l1->mail, L1_MAIL_IN << which);
    return c;
}

/* A policy without hooks counts as none: the plain access path is used. */
static bool any_hook(const void *policy, size_t from, size_t bytes)
{
    const unsigned char *p = (const unsigned char *)policy;
    for (size_t i = from; i < bytes; i++)
        if (p[i])
            return true;
    return false;
}
#define HAS_HOOKS(p) any_hook(p, offsetof(__typeof__(*(p)), state_bytes), sizeof *(p))

static void *policy_state(struct l1 *l1, struct l1_host *h, size_t state_bytes, size_t line_bytes)
{
    struct l1_cache *c = l1->cache[L1_DATA];
    *h = (struct l1_host){.l1 = l1,
                          .tags = &c->tags,
                          .sm = l1->env.sm,
                          .n_sm = l1->env.n_sm,
                          .n_warp = l1->env.n_warp,
                          .n_cta = l1->env.n_cta,
                          .line_size = 1u << c->tags.line_shift,
                          .hit_latency = c->cfg.latency};
    if (line_bytes)
        h->line_state = arena_alloc64(l1->comp.eng->arena, line_bytes * tags_entries(&c->tags));
    return arena_alloc64(l1->comp.eng->arena, state_bytes ? state_bytes : 1);
}

static uint32_t set_of(const void *cache, uint64_t addr)
{
    const struct tags *t = &((const struct l1_cache *)cache)->tags;
    return tags_set(t, addr >> t->line_shift);
}

#define FILL_SLOT(slot, kind, line_bytes)                                                                              \
    do {                                                                                                               \
        (slot).hooks = cfg->kind;                                                                                      \
        c->hooked |= HAS_HOOKS((slot).hooks);                                                                          \
        (slot).st = policy_state(l1, &(slot).host, (slot).hooks->state_bytes, line_bytes);                             \
        err_clear(e);                                                                                                  \
        if ((slot).hooks->init && (slot).hooks->init((slot).st, cfg->kind##_params, &(slot).host, e))                  \
            return policy_hook_failed(&(slot).hooks->info, "init", e);                                                 \
    } while (0)

static int policies_new(struct l1 *l1, const struct l1_setup *cfg, struct err *e)
{
    struct l1_cache *c = l1->cache[L1_DATA];
    if (!c)
        return 0;
    FILL_SLOT(l1->management, management, cfg->management->line_state_bytes);
    FILL_SLOT(l1->organization, organization, 0);
    FILL_SLOT(l1->prefetcher, prefetcher, 0);
    if (cfg->order->pick) {
        c->hooked = true;
        struct order_host host = {.arena = l1->comp.eng->arena,
                                  .map = l1->env.map,
                                  .at = ORDER_AT_L1,
                                  .index = l1->env.sm,
                                  .line_size = 1u << c->tags.line_shift,
                                  .n_set = c->tags.n_set,
                                  .n_sm = l1->env.n_sm,
                                  .n_warp = l1->env.n_warp,
                                  .n_cta = l1->env.n_cta,
                                  .cache = c,
                                  .set_of = set_of};
        if (order_init(&l1->order, cfg->order, cfg->order_params, &host, l1->req, e))
            return -1;
    }
    c->hooked |= l1->env.observer != NULL;
    if (l1_hooked(c))
        l1->comp.tick = l1_tick_hooked;
    const struct l1_cache_config *k = &c->cfg;
    if (HAS_HOOKS(l1->prefetcher.hooks))
        c->prefetched_at = arena_alloc64(l1->comp.eng->arena, tags_entries(&c->tags) * sizeof *c->prefetched_at);
    ring_init(&l1->prefetch, l1->comp.eng->arena, k->prefetch_queue ? k->prefetch_queue : 1);
    l1->prefetch_slot = arena_alloc64(l1->comp.eng->arena, (l1->prefetch.mask + 1) * sizeof *l1->prefetch_slot);
    l1_send_queue_init(&l1->to_home, l1->comp.eng->arena, k->miss_queue);
    return 0;
}

struct l1 *l1_new(struct engine *eng, const struct l1_setup *cfg, const struct l1_env *env, const char *name,
                  struct err *e)
{
    struct l1 *l1 = arena_alloc64(eng->arena, sizeof *l1);
    l1->comp = (struct comp){.tick = l1_tick_plain, .sync = l1_sync, .waits = l1_waits, .check = l1_check};
    l1->env = *env;
    l1->epoch_at = NEVER;
    l1->comp.together = env->observer != NULL;
    engine_add(eng, &l1->comp, CLK_CORE, name);
    l1->req = eng->requests.req;
    for (uint32_t i = 0; i < L1_COUNT; i++) {
        if (!cfg->cache[i] || !cfg->cache[i]->enabled)
            continue;
        l1->cache[i] = cache_new(l1, (enum l1_which)i, cfg->cache[i], i == L1_DATA && cfg->organization->ideal, e);
        if (!l1->cache[i])
            return NULL;
    }
    if (l1->cache[L1_DATA])
        l1_stores_init(l1, cfg->cache[L1_DATA]);
    if (policies_new(l1, cfg, e))
        return NULL;
    port_init(&l1->events, eng, &l1->comp, 4 * (env->n_warp + env->n_cta) + 64, 1, "events");
    const struct l1_cache_config *data = cfg->cache[L1_DATA];
    port_init(&l1->reply_in, eng, &l1->comp, data && data->reply_queue ? data->reply_queue : 8, 1, "l1 replies");
    port_init(&l1->home_reply_in, eng, &l1->comp, 8, 1, "l1 replies of other SMs");
    port_init(&l1->request_in, eng, &l1->comp, 8, 1, "l1 requests of other SMs");
    port_watch(&l1->events, &l1->mail, L1_MAIL_EVENT);
    port_watch(&l1->reply_in, &l1->mail, L1_MAIL_REPLY);
    port_watch(&l1->home_reply_in, &l1->mail, L1_MAIL_HOME_REPLY);
    port_watch(&l1->request_in, &l1->mail, L1_MAIL_REQUEST);
    ring_init(&l1->remote_reply, eng->arena, env->max_requests ? env->max_requests : 64);
    return l1;
}

uint32_t l1_max_own_requests(const struct l1_setup *cfg)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < L1_COUNT; i++) /* a prefetch holds an MSHR entry */
        if (cfg->cache[i] && cfg->cache[i]->enabled)
            n += cfg->cache[i]->mshrs + cfg->cache[i]->miss_queue;
    return n + 256; /* write-backs in flight to the L2: as many as the network and the ingress queue hold */
}

struct port *l1_in(struct l1 *l1, enum l1_which which)
{
    return l1->cache[which] ? &l1->cache[which]->in : NULL;
}
struct port *l1_events(struct l1 *l1)
{
    return &l1->events;
}
struct port *l1_reply_in(struct l1 *l1)
{
    return &l1->reply_in;
}
struct port *l1_home_reply_in(struct l1 *l1)
{
    return &l1->home_reply_in;
}
struct port *l1_request_in(struct l1 *l1)
{
    return &l1->request_in;
}

uint32_t l1_wanted_events(const struct l1 *l1)
{
    if (!l1->cache[L1_DATA] || !l1_hooked(l1->cache[L1_DATA]))
        return 0;
    return l1->management.hooks->events | l1->prefetcher.hooks->events;
}

void l1_connect_sm(struct l1 *l1, struct port *hit, struct port *fill, struct port *event)
{
    l1->hit = hit;
    l1->fill = fill;
    l1->event = event;
    port_connect(hit, &l1->comp);
    port_connect(fill, &l1->comp);
    if (event)
        port_connect(event, &l1->comp);
}

void l1_connect_net(struct l1 *l1, const struct l1_net *net)
{
    l1->net = *net;
    port_connect(net->to_l2, &l1->comp);
    if (net->to_home)
        port_connect(net->to_home, &l1->comp);
    if (net->to_requester)
        port_connect(net->to_requester, &l1->comp);
}

void l1_set_kernel(struct l1 *l1, uint32_t kernel)
{
    l1->management.host.kernel = l1->organization.host.kernel = l1->prefetcher.host.kernel = kernel;
}

void l1_kernel_begin(struct l1 *l1, uint32_t launch_index)
{
    if (!l1->cache[L1_DATA])
        return;
    if (l1->env.observer && l1->env.sm == 0)
        l1_observe_kernel(l1->env.observer);
    if (l1->management.hooks->on_kernel)
        l1->management.hooks->on_kernel(l1->management.st, launch_index);
    if (l1->organization.hooks->on_kernel)
        l1->organization.hooks->on_kernel(l1->organization.st, launch_index);
    if (l1->prefetcher.hooks->on_kernel)
        l1->prefetcher.hooks->on_kernel(l1->prefetcher.st, launch_index);
    if (l1->order.policy)
        order_kernel(&l1->order, launch_index);
    if (l1->management.hooks->on_epoch) {
        l1->epoch_at = engine_cycle(l1->comp.eng, CLK_CORE) + 1;
        engine_wake(&l1->comp, l1->epoch_at);
    }
}

void l1_carve_out(struct l1 *l1, uint64_t bytes)
{
    struct l1_cache *c = l1->cache[L1_DATA];
    if (!c)
        return;
    struct tags *t = &c->tags;
    uint64_t way = (uint64_t)t->n_set << t->line_shift, taken = (bytes + way - 1) / way;
    t->n_live = taken < t->n_way ? t->n_way - (uint32_t)taken : 1;
}

bool l1_is_hooked(const struct l1 *l1)
{
    const struct l1_cache *data = l1->cache[L1_DATA];
    return data && (l1_hooked(data) || l1->order.policy);
}

static void kernel_end(struct l1 *l1, bool others_run)
{
    l1->epoch_at = NEVER;
    if (l1->cache[L1_DATA])
        l1->cache[L1_DATA]->stats.prefetch_canceled += ring_count(&l1->prefetch);
    l1->prefetch.head = l1->prefetch.tail;
    for (uint32_t i = 0; i < L1_COUNT; i++) {
        struct l1_cache *c = l1->cache[i];
        if (!c || !c->cfg.flush || c->tags.stamp == c->empty_at)
            continue;
        c->empty_at = c->tags.stamp;
        for (uint32_t k = 0; k < tags_entries(&c->tags); k++) {
            if (c->tags.line[k] == TAG_NONE)
                continue;
            if (c->tags.pending[k] || (others_run && c->tags.dirty[k])) {
                c->empty_at = NEVER;
                continue;
            }
            c->stats.flushed++;
            if (c->tags.flags[k] & TAG_F_PREFETCHED)
                c->stats.prefetch_unused++;
            if (i == L1_DATA && l1->env.observer && c->tags.valid[k])
                l1_observe_copy(l1->env.observer, c->tags.line[k], false, engine_cycle(l1->comp.eng, CLK_CORE));
            tags_drop(&c->tags, k);
        }
    }
}

void l1_kernel_end(struct l1 *l1)
{
    kernel_end(l1, false);
}

void l1_kernel_end_beside(struct l1 *l1)
{
    kernel_end(l1, true);
}

bool l1_drained(const struct l1 *l1)
{
    if (l1->in_flight || !port_empty(&l1->reply_in) || !port_empty(&l1->home_reply_in) ||
        !port_empty(&l1->request_in) || !ring_empty(&l1->remote_reply) || !ring_empty(&l1->to_home.id))
        return false;
    for (uint32_t i = 0; i < L1_COUNT; i++) {
        const struct l1_cache *c = l1->cache[i];
        if (c && (c->mshr.used || !ring_empty(&c->to_l2.id) || !port_empty(&c->in)))
            return false;
    }
    return true;
}

void l1_each_policy(const struct l1 *l1, policy_visit *fn, void *ctx)
{
    if (!l1->cache[L1_DATA])
        return;
    fn(ctx, &l1->management.hooks->info, l1->management.st);
    fn(ctx, &l1->organization.hooks->info, l1->organization.st);
    fn(ctx, &l1->prefetcher.hooks->info, l1->prefetcher.st);
    if (l1->order.policy)
        fn(ctx, &l1->order.policy->info, l1->order.st);
}

/* ---- functions for policies ---- */
void l1_notify_sm(struct l1_host *h, enum event kind, uint32_t slot, uint32_t argument)
{
    if (h->l1->event && port_can_send(h->l1->event))
        port_send(h->l1->event, argument, event_info(kind, slot));
}

bool l1_prefetch(struct l1_host *h, uint64_t addr, uint32_t pc, uint32_t warp, uint32_t cta)
{
    struct l1 *l1 = h->l1;
    struct l1_stats *s = &l1->cache[L1_DATA]->stats;
    s->prefetch_requested++;
    if (ring_free(&l1->prefetch) == 0) {
        s->prefetch_queue_full++;
        return false;
    }
    uint32_t slot = l1->prefetch.tail & l1->prefetch.mask;
    l1->prefetch_slot[slot] = (struct prefetch_request){addr, pc, (uint16_t)warp, (uint16_t)cta};
    ring_push(&l1->prefetch, slot);
    engine_wake(&l1->comp, 0);
    return true;
}

void l1_prefetch_overtaken(struct l1_host *h, uint32_t pc, uint32_t warp)
{
    struct l1 *l1 = h->l1;
    struct ring *q = &l1->prefetch;
    uint32_t kept = q->head;
    for (uint32_t i = q->head; i != q->tail; i++) {
        const struct prefetch_request p = l1->prefetch_slot[i & q->mask];
        if (p.pc == pc && p.warp == warp)
            continue;
        l1->prefetch_slot[kept++ & q->mask] = p; /* an entry's index is its place in the ring */
    }
    l1->cache[L1_DATA]->stats.prefetch_overtaken += q->tail - kept;
    q->tail = kept;
}

uint64_t l1_now(const struct l1_host *h)
{
    return engine_cycle(h->l1->comp.eng, CLK_CORE);
}

uint32_t l1_hops_to_sm(const struct l1_host *h, uint32_t sm)
{
    const struct l1_env *v = &h->l1->env;
    return v->hops ? v->hops(v->hops_ctx, v->sm_node[v->sm], v->sm_node[sm]) : 0;
}

uint32_t l1_hops_to_l2(const struct l1_host *h, uint64_t addr)
{
    const struct l1_env *v = &h->l1->env;
    const uint32_t slice = addrmap_request_slice(v->map, addr, v->sm);
    return v->hops ? v->hops(v->hops_ctx, v->sm_node[v->sm], v->slice_node[slice]) : 0;
}
