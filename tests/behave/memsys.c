/* The memory system between mock SMs: see memsys.h. */
#include "memsys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static const struct cfg_section *const sections[] = {&l1_cfg_section,  &const_cfg_section, &tex_cfg_section,
                                                     &noc_cfg_section, &l2_cfg_section,    &dram_cfg_section};

static void take_back(struct mock_sm *s, struct port *p, uint64_t now)
{
    while (port_peek(p, now)) {
        req_id id = port_pop(p).req;
        struct req *r = &s->comp.eng->requests.req[id];
        if (s->landing && s->script) {
            s->landing[r->token].back = now;
            s->landing[r->token].served = r->served;
        }
        if (s->landed)
            s->landed(s->source_ctx, s->index, r);
        s->latency_sum += now - r->created_at;
        s->last_back = now;
        s->back++;
        req_release(engine_pool(&s->comp), id);
    }
}

static bool refill(struct mock_sm *s)
{
    if (s->have_next)
        return true;
    if (s->done)
        return false;
    if (s->script) {
        s->have_next = s->sent < s->n_script;
        if (s->have_next)
            s->next = s->script[s->sent];
    } else {
        s->next = (struct shot){0};
        s->have_next = s->source && s->source(s->source_ctx, s->index, s->sent, &s->next);
    }
    s->done = !s->have_next;
    return s->have_next;
}

static void send(struct mock_sm *s, struct port *p, uint64_t now)
{
    const struct shot *x = &s->next;
    req_id id = req_alloc(engine_pool(&s->comp));
    uint8_t sectors = x->sectors ? x->sectors : 15;
    uint32_t words = 0;
    for (uint32_t i = 0; i < 4; i++)
        if (sectors >> i & 1)
            words |= 0xffu << 8 * i;
    if (x->words)
        words = x->words;
    s->comp.eng->requests.req[id] = (struct req){.addr = x->addr & ~127ull,
                                                 .created_at = now,
                                                 .token = (uint32_t)s->sent,
                                                 .pc = x->pc,
                                                 .words = words,
                                                 .sm = (uint16_t)s->index,
                                                 .warp = x->warp,
                                                 .cta = x->cta,
                                                 .bytes = (uint16_t)(4 * __builtin_popcount(words)),
                                                 .flags = x->flags,
                                                 .kind = x->kind,
                                                 .space = x->space ? x->space : REQ_SP_GLOBAL,
                                                 .loop = x->loop,
                                                 .policy_tag = x->policy_tag,
                                                 .sectors = sectors,
                                                 .nth = x->nth,
                                                 .n_lines = x->n_lines ? x->n_lines : 1};
    if (s->landing && s->script)
        s->landing[s->sent] = (struct landing){.sent = now};
    port_send(p, id, 0);
    s->sent++;
    s->have_next = false;
}

static uint64_t mock_sm_tick(struct comp *comp, uint64_t now)
{
    struct mock_sm *s = (struct mock_sm *)comp;
    take_back(s, &s->hit, now);
    take_back(s, &s->fill, now);
    while (port_peek(&s->event, now))
        s->events_seen[event_kind(port_pop(&s->event).info)]++;
    uint64_t want = NEVER;
    uint32_t sent = 0;
    while (refill(s)) {
        if (s->next.at > now) {
            want = s->next.at;
            break;
        }
        struct port *p = s->to_l1[s->next.space == REQ_SP_CONST ? L1_CONST
                                  : s->next.space == REQ_SP_TEX ? L1_TEX
                                                                : L1_DATA];
        if (s->sent - s->back >= s->max_outstanding || !port_can_send(p))
            break; /* a reply or a freed slot wakes us */
        if (sent++ == s->per_cycle) {
            want = now + 1;
            break;
        }
        send(s, p, now);
    }
    uint64_t at = port_next_ready(&s->hit);
    if (at < want)
        want = at;
    at = port_next_ready(&s->fill);
    return at < want ? at : want;
}

static uint32_t hops(const void *ctx, uint32_t from, uint32_t to)
{
    return fabric_hops((const struct fabric *)ctx, from, to);
}

static char *name_of(struct arena *a, const char *what, uint32_t i)
{
    char text[64];
    int n = snprintf(text, sizeof text, "%s.%u", what, i);
    return arena_strndup(a, text, (size_t)n);
}

#define MUST(x)                                                                                                        \
    do {                                                                                                               \
        if (!(x)) {                                                                                                    \
            err_print(&e, stderr);                                                                                     \
            fail_msg("%s", e.msg);                                                                                     \
        }                                                                                                              \
    } while (0)

struct memsys *memsys_new(const struct memsys_config *config)
{
    struct memsys *m = xcalloc(1, sizeof *m);
    struct err e = {0};
    m->c = *config;
    static const struct policy_kind *const kinds[] = {&l1_management_kind, &l1_organization_kind, &l1_prefetcher_kind,
                                                      &l1_order_kind, &l2_order_kind};
    static const struct cfg_schema schema = {sections, 6, kinds, 5};
    m->cfg = cfg_load_text(&schema, "test.ini", config->config ? config->config : "", NULL, 0, NULL, &e);
    MUST(m->cfg);
    m->l1_config = l1_setup_of(m->cfg);
    if (config->management)
        m->l1_config.management = config->management, m->l1_config.management_params = config->policy_params;
    if (config->organization)
        m->l1_config.organization = config->organization, m->l1_config.organization_params = config->policy_params;
    if (config->prefetcher)
        m->l1_config.prefetcher = config->prefetcher, m->l1_config.prefetcher_params = config->policy_params;
    if (config->order)
        m->l1_config.order = config->order, m->l1_config.order_params = config->policy_params;
    m->l2_config.cfg = cfg_section(m->cfg, "l2");
    const struct l1_management *management = m->l1_config.management;
    m->l2_config.bypass_on_stall =
        management->l2_bypass_on_stall && management->l2_bypass_on_stall(m->l1_config.management_params);
    m->l2_config.order = config->l2_order;
    m->l2_config.order_params = cfg_policy_params(m->cfg, "l2-order", m->l2_config.cfg->order);
    m->dram_config = (struct dram_setup){cfg_section(m->cfg, "dram"), l2_dram_port_slots(m->l2_config.cfg)};
    m->noc_config.cfg = cfg_section(m->cfg, "noc");

    uint32_t n_sm = config->n_sm, n_slice = config->n_channel * config->slices;
    uint32_t outstanding = (uint32_t)(config->max_outstanding ? config->max_outstanding : 512);
    m->arena = arena_new();
    struct engine_config ec = {.khz = {config->core_khz, config->noc_khz, config->l2_khz, config->dram_khz},
                               .tick_all = config->tick_all,
                               .reverse = config->reverse,
                               .threads = config->threads,
                               .deadlock_cycles = 100000,
                               .max_requests = n_sm * (outstanding + l1_max_own_requests(&m->l1_config)) +
                                               n_slice * l2_max_own_requests(&m->l2_config) +
                                               config->n_channel * dram_max_own_requests(&m->dram_config)};
    m->eng = engine_new(m->arena, &ec, &e);
    MUST(m->eng);
    MUST(addrmap_init(&m->map, config->map ? config->map : "RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS", 256, config->n_channel,
                      config->slices, false, false, &e) == 0);
    m->map.n_partition = (uint8_t)m->l2_config.cfg->partitions;
    m->map.partition_of_sm = m->l2_config.cfg->partition_of == L2_PARTITION_OF_SM;
    struct fabric_env fenv = {n_sm, n_slice, &m->map, NULL, m->l1_config.organization->ideal};
    if (m->l1_config.organization->remote)
        fenv.core_to_core_for = m->l1_config.organization->info.name;
    m->fabric = fabric_new(m->eng, &m->noc_config, &fenv, &e);
    MUST(m->fabric);
    m->sm_node = arena_alloc(m->arena, n_sm * 2);
    m->slice_node = arena_alloc(m->arena, n_slice * 2);
    for (uint32_t i = 0; i < n_sm; i++)
        m->sm_node[i] = fabric_sm_node(i);
    for (uint32_t i = 0; i < n_slice; i++)
        m->slice_node[i] = fabric_slice_node(m->fabric, i);
    m->l1 = arena_alloc(m->arena, n_sm * sizeof *m->l1);
    m->sm = arena_alloc64(m->arena, n_sm * sizeof *m->sm);
    m->l2 = arena_alloc(m->arena, n_slice * sizeof *m->l2);
    m->dram = arena_alloc(m->arena, config->n_channel * sizeof *m->dram);
    m->stats = stats_new();
    struct l1_observer *observer = l1_config_observer(&m->l1_config, n_sm, m->arena, m->stats);
    for (uint32_t i = 0; i < n_sm; i++) {
        struct mock_sm *s = &m->sm[i];
        struct l1_env env = {i,          n_sm,    48,   8,         outstanding, m->slice_node,
                             m->sm_node, &m->map, hops, m->fabric, observer};
        m->l1[i] = l1_new(m->eng, &m->l1_config, &env, name_of(m->arena, "l1", i), &e);
        MUST(m->l1[i]);
        s->comp = (struct comp){.tick = mock_sm_tick};
        s->sys = m;
        s->index = i;
        s->max_outstanding = outstanding;
        s->per_cycle = 1;
        engine_add(m->eng, &s->comp, CLK_CORE, name_of(m->arena, "sm", i));
        port_init(&s->hit, m->eng, &s->comp, outstanding + 1, 1, "hit");
        port_init(&s->fill, m->eng, &s->comp, outstanding + 1, 1, "fill");
        port_init(&s->event, m->eng, &s->comp, 1024, 1, "event");
        l1_connect_sm(m->l1[i], &s->hit, &s->fill, &s->event);
        for (int k = 0; k < L1_COUNT; k++) {
            s->to_l1[k] = l1_in(m->l1[i], (enum l1_which)k);
            if (s->to_l1[k])
                port_connect(s->to_l1[k], &s->comp);
        }
        port_connect(l1_events(m->l1[i]), &s->comp);
        struct fabric_sm_out out = fabric_sm_out(m->fabric, i);
        l1_connect_net(m->l1[i], &(struct l1_net){out.to_l2, out.to_home, out.to_requester});
        fabric_connect_sm(
            m->fabric, i,
            &(struct fabric_sm_in){l1_reply_in(m->l1[i]), l1_home_reply_in(m->l1[i]), l1_request_in(m->l1[i])});
        l1_register_stats(m->l1[i], m->stats);
    }
    for (uint32_t ch = 0; ch < config->n_channel; ch++) {
        struct dram_env env = {ch, config->slices, &m->map};
        m->dram[ch] = dram_new(m->eng, &m->dram_config, &env, name_of(m->arena, "dram", ch), &e);
        MUST(m->dram[ch]);
        dram_register_stats(m->dram[ch], m->stats);
        for (uint32_t k = 0; k < config->slices; k++) {
            uint32_t i = ch * config->slices + k;
            struct l2_env l2env = {i, n_slice, n_sm, &m->map};
            m->l2[i] = l2_new(m->eng, &m->l2_config, &l2env, name_of(m->arena, "l2", i), &e);
            MUST(m->l2[i]);
            fabric_connect_slice(m->fabric, i, l2_in(m->l2[i]));
            l2_connect(m->l2[i], fabric_slice_out(m->fabric, i), dram_in(m->dram[ch], k));
            dram_connect(m->dram[ch], k, l2_fill_in(m->l2[i]));
            l2_register_stats(m->l2[i], m->stats);
        }
    }
    for (uint32_t i = 0; m->map.n_partition > 1 && i < n_slice / 2; i++)
        l2_connect_partitions(m->l2[i], m->l2[addrmap_counterpart(&m->map, i)]);
    fabric_register_stats(m->fabric, m->stats);
    m->values = xcalloc(stats_count(m->stats), sizeof *m->values);
    engine_start(m->eng);
    arena_seal(m->arena);
    for (uint32_t i = 0; i < n_sm; i++)
        l1_kernel_begin(m->l1[i], 0);
    return m;
}

void memsys_free(struct memsys *m)
{
    engine_free(m->eng);
    arena_free(m->arena);
    stats_free(m->stats);
    cfg_free(m->cfg);
    free(m->values);
    free(m);
}

void memsys_script(struct memsys *m, uint32_t sm, const struct shot *shots, uint64_t n, struct landing *landing)
{
    m->sm[sm].script = shots;
    m->sm[sm].n_script = n;
    m->sm[sm].landing = landing;
}

void memsys_source(struct memsys *m, uint32_t sm, shot_source source, void *ctx)
{
    m->sm[sm].source = source;
    m->sm[sm].source_ctx = ctx;
}

static bool quiet(const struct memsys *m)
{
    for (uint32_t i = 0; i < m->c.n_sm; i++)
        if (!m->sm[i].done || m->sm[i].back != m->sm[i].sent || !l1_drained(m->l1[i]))
            return false;
    for (uint32_t i = 0; i < m->c.n_channel * m->c.slices; i++)
        if (!l2_drained(m->l2[i]))
            return false;
    for (uint32_t i = 0; i < m->c.n_channel; i++)
        if (!dram_drained(m->dram[i]))
            return false;
    return true;
}

uint64_t memsys_run(struct memsys *m)
{
    struct err e = {0};
    enum engine_end end;
    uint64_t until = engine_cycle(m->eng, CLK_CORE) / 10000 * 10000;
    do {
        until += 10000;
        end = engine_run(m->eng, until);
        if (end == ENGINE_DEADLOCK) {
            engine_report_deadlock(m->eng, stderr);
            fail_msg("deadlock");
        }
    } while (end == ENGINE_LIMIT && !quiet(m));
    engine_sync(m->eng);
    if (engine_check(m->eng, true, &e))
        fail_msg("%s", e.msg);
    stats_read(m->stats, m->values);
    uint64_t last = 0;
    for (uint32_t i = 0; i < m->c.n_sm; i++) {
        if (m->sm[i].back != m->sm[i].sent)
            fail_msg("SM %u: %lu sent, %lu back", i, (unsigned long)m->sm[i].sent, (unsigned long)m->sm[i].back);
        if (m->sm[i].last_back > last)
            last = m->sm[i].last_back;
    }
    return last;
}

void memsys_next_kernel(struct memsys *m)
{
    for (uint32_t i = 0; i < m->c.n_sm; i++)
        l1_kernel_end(m->l1[i]);
    for (uint32_t i = 0; i < m->c.n_sm; i++) {
        l1_kernel_begin(m->l1[i], 1);
        m->sm[i].done = false;
        engine_wake(&m->sm[i].comp, 0);
    }
}

uint64_t memsys_stat(struct memsys *m, const char *name)
{
    int i = stats_find(m->stats, name);
    if (i < 0)
        fail_msg("no counter %s", name);
    return m->values[i];
}
