/*
 * A DRAM channel: bounded queue, FR-FCFS, open page; or several pseudo channels (JEDEC's HBM), each with these.
 *
 * Source: Rixner et al. for FR-FCFS; GPGPU-Sim for when a request is selected: each bank works on one request at a
 * time, the oldest that hits the open row, else the oldest. A request stays with its bank until all of its bursts are
 * issued. Banks are served round robin; column commands have priority over row commands on the single command bus. The
 * channel sleeps until the first cycle in which any bank's next command is legal, or until a request arrives.
 *
 * Three rules of GPGPU-Sim 3.2.2 (dram.cc, l2cache.cc) are keys: the first bank from a rotating start with any legal
 * command has the bus, and one bank per cycle takes its next request (dram.commands = rotate); the fixed latency is a
 * FIFO before the scheduler, which takes one request per cycle (dram.latency_at = request); requests in service take no
 * place in the queue (dram.queue_holds = waiting).
 *
 * States of a request: in a client's port -> [in the fixed latency] -> in a bank's list -> the bank's current request
 * -> read: back to the client after cl + data [+ fixed latency]; write: freed when its last burst has been issued.
 * Not modeled: refresh; a separate write queue (reads and writes compete by age and row); that two pseudo channels of
 * HBM share their command buses, which two bursts a command leave idle half of the time.
 */
#include "dram/dram_priv.h"

#include "engine/waits.h"

/*
 * Adds the interval since the last change to the counters that measure time. Called before what they depend on changes:
 * requests in the queue, banks in service, a request waiting for the queue.
 */
static void count_to(struct dram *d, struct dram_pseudo *p, uint64_t now)
{
    uint64_t n = now - p->counted_to;
    if (!n)
        return;
    uint32_t banks = p->n_busy;
    uint64_t from = p->counted_to;
    p->counted_to = now;
    d->stats.cycles += n;
    d->stats.queue_cycles += n * p->used;
    if (p->used)
        d->stats.active_cycles += n;
    else if (p->data_until > from)
        d->stats.active_cycles += (p->data_until < now ? p->data_until : now) - from;
    if (banks) {
        d->stats.blp_cycles += n;
        d->stats.bank_cycles += n * banks;
    }
    if (p->was_full)
        d->stats.queue_full_cycles += n;
}

/* What the bank's current request needs next; keeps the sets of banks by command. */
static void set_command(const struct dram *d, struct dram_pseudo *p, uint32_t bank)
{
    struct dram_bank *b = &p->bank[bank];
    uint64_t bit = 1ull << bank;
    uint8_t old = b->cmd;
    if (old < DRAM_CMD_COUNT)
        p->wants[old] &= ~bit;
    if (old <= DRAM_PRE) { /* which banks remain, and when could they? */
        p->row_at[old] = NEVER;
        for (uint64_t m = p->wants[old]; m; m &= m - 1) {
            uint64_t at = p->timing.bank_ok[__builtin_ctzll(m)][old];
            p->row_at[old] = at < p->row_at[old] ? at : p->row_at[old];
        }
    }
    b->cmd = DRAM_CMD_COUNT;
    if (b->cur == SLOT_NONE)
        return;
    const struct dram_slot *x = &d->slot[b->cur];
    uint32_t open = p->timing.row[bank];
    b->cmd = open == x->row ? (x->write ? DRAM_WRITE : DRAM_READ) : open == DRAM_NO_ROW ? DRAM_ACT : DRAM_PRE;
    p->wants[b->cmd] |= bit;
    if (b->cmd <= DRAM_PRE && p->timing.bank_ok[bank][b->cmd] < p->row_at[b->cmd])
        p->row_at[b->cmd] = p->timing.bank_ok[bank][b->cmd];
}

/* Gives a bank its next request: the oldest that hits the open row, else the oldest. */
static void choose(struct dram *d, struct dram_pseudo *p, uint32_t bank, uint64_t now)
{
    struct dram_bank *b = &p->bank[bank];
    uint32_t open = p->timing.row[bank];
    uint16_t pick = b->head, before = SLOT_NONE;
    bool aged = d->cfg.age_cap && now - d->slot[b->head].since > d->cfg.age_cap;
    if (open != DRAM_NO_ROW && d->cfg.scheduler == DRAM_FRFCFS && !aged) {
        uint16_t prev = SLOT_NONE;
        for (uint16_t s = b->head; s != SLOT_NONE; prev = s, s = d->slot[s].next) {
            if (d->slot[s].row == open) {
                pick = s;
                before = prev;
                break;
            }
        }
    }
    uint16_t after = d->slot[pick].next;
    if (before == SLOT_NONE)
        b->head = after;
    else
        d->slot[before].next = after;
    if (b->tail == pick)
        b->tail = before;
    count_to(d, p, now);
    b->cur = pick;
    p->n_busy++;
    set_command(d, p, bank);
    /* Its first burst may miss the row; the others hit it. */
    p->waiting -= d->slot[pick].pieces;
    d->stats.row_hits += d->slot[pick].pieces - 1u;
    if (open == d->slot[pick].row)
        d->stats.row_hits++;
    else if (open == DRAM_NO_ROW)
        d->stats.row_misses++;
    else
        d->stats.row_conflicts++;
}

/* A bank with waiting requests may have its next one: now, or at its turn (dram.commands = rotate). */
static void offer(struct dram *d, struct dram_pseudo *p, uint32_t bank, uint64_t now)
{
    if (d->cfg.commands == DRAM_ROTATE)
        p->unassigned |= 1ull << bank;
    else
        choose(d, p, bank, now);
}

/* The address of a request's first sector. The low bits of the bank are the pseudo channel. */
static struct addr_place place_of(const struct dram *d, req_id id)
{
    const struct req *r = &d->req[id];
    struct addr_place place;
    addrmap_place(d->env.map, r->addr + (uint64_t)(__builtin_ctz(r->sectors | 0x80u) & 7) * 32, &place);
    return place;
}

/* The same of the request at the head of a client's port. */
static const struct addr_place *place_of_head(struct dram *d, uint32_t client, req_id id)
{
    struct dram_head *h = &d->head[client];
    if (h->req != id)
        *h = (struct dram_head){id, place_of(d, id)};
    return &h->place;
}

static struct dram_pseudo *pseudo_at(const struct dram *d, const struct addr_place *place)
{
    return &d->pseudo[place->bank & ((1u << d->pseudo_shift) - 1)];
}

static void take_request(struct dram *d, uint32_t client, struct msg m, const struct addr_place *place, uint64_t now)
{
    struct req *r = &d->req[m.req];
    struct dram_pseudo *p = pseudo_at(d, place);
    const uint32_t bank = place->bank >> d->pseudo_shift;
    uint16_t s = d->free;
    struct dram_slot *x = &d->slot[s];
    d->free = x->next;
    uint32_t bytes = net_bytes(m.info), pieces = net_pieces(m.info);
    count_to(d, p, now);
    p->used += pieces;
    p->waiting += pieces;
    *x = (struct dram_slot){.req = m.req,
                            .row = place->row,
                            .since = now,
                            .next = SLOT_NONE,
                            .bursts = (uint16_t)((bytes + d->burst_bytes - 1) / d->burst_bytes * pieces),
                            .pieces = (uint8_t)pieces,
                            .client = (uint8_t)client,
                            .bank = (uint8_t)bank,
                            .write = req_is_write(r)};
    struct dram_bank *b = &p->bank[bank];
    if (b->head == SLOT_NONE)
        b->head = s;
    else
        d->slot[b->tail].next = s;
    b->tail = s;
    if (x->write) {
        d->stats.writes += pieces;
        d->stats.write_bytes += bytes * pieces;
    } else {
        d->stats.reads += pieces;
        d->stats.read_bytes += bytes * pieces;
    }
    p->wake = now;
    if (b->cur == SLOT_NONE)
        offer(d, p, bank, now);
}

static void issue(struct dram *d, struct dram_pseudo *p, uint32_t bank, enum dram_cmd cmd, uint64_t now)
{
    struct dram_bank *b = &p->bank[bank];
    struct dram_slot *x = &d->slot[b->cur];
    dram_issue(&p->timing, bank, cmd, x->row, now);
    if (cmd == DRAM_ACT || cmd == DRAM_PRE) {
        d->stats.activates += cmd == DRAM_ACT;
        d->stats.precharges += cmd == DRAM_PRE;
        set_command(d, p, bank);
        return;
    }
    d->stats.data_cycles += p->timing.beat;
    b->bursts++;
    p->data_until = now + p->timing.beat;
    if (x->write)
        d->stats.write_bursts++;
    else
        d->stats.read_bursts++;
    if (--x->bursts)
        return;
    if (x->write) {
        req_release(engine_pool(&d->comp), x->req);
    } else {
        /* Data are complete cl + beat cycles from now: that time is DRAM cycles, the fixed latency L2 cycles. */
        struct port *out = d->out[x->client];
        uint64_t extra = engine_convert(&d->comp, d->cfg.cl + p->timing.beat, out->consumer) +
                         (d->cfg.latency_at == DRAM_AFTER ? d->cfg.latency : 0);
        port_send_later(out, x->req, net_info(d->req[x->req].bytes, d->req[x->req].sectors), extra);
    }
    x->next = d->free;
    d->free = b->cur;
    count_to(d, p, now);
    b->cur = SLOT_NONE;
    p->used -= x->pieces;
    d->held--;
    p->n_busy--;
    set_command(d, p, bank);
    if (b->head != SLOT_NONE)
        offer(d, p, bank, now);
}

/* A read needs room for its reply; the client's pop wakes us. */
static bool reply_room(const struct dram *d, const struct dram_pseudo *p, uint32_t bank)
{
    return p->bank[bank].cmd != DRAM_READ || port_can_send(d->out[d->slot[p->bank[bank].cur].client]);
}

/* The bank of `set`, which is not empty, that is first from the rotating start. */
static uint32_t first_bank(const struct dram_pseudo *p, uint64_t set)
{
    uint64_t high = set & ~((1ull << p->next_bank) - 1);
    return (uint32_t)__builtin_ctzll(high ? high : set);
}

/* The first bank of `set`, from the rotating start, whose command is legal now; -1 = none. */
static int first_legal(const struct dram *d, const struct dram_pseudo *p, uint64_t set, uint64_t now)
{
    uint64_t low = set & ((1ull << p->next_bank) - 1), high = set & ~low;
    for (int half = 0; half < 2; half++) {
        for (uint64_t m = half ? low : high; m; m &= m - 1) {
            uint32_t b = (uint32_t)__builtin_ctzll(m);
            if (dram_legal_at(&p->timing, b, (enum dram_cmd)p->bank[b].cmd) <= now && reply_room(d, p, b))
                return (int)b;
        }
    }
    return -1;
}

/* No command can be legal before the cycle returned. */
static uint64_t next_legal(const struct dram *d, struct dram_pseudo *p, uint64_t now)
{
    const struct dram_timing *t = &p->timing;
    uint64_t soonest = p->row_at[DRAM_PRE];
    p->no_reply_room = false;
    if (p->wants[DRAM_ACT]) {
        uint64_t at = p->row_at[DRAM_ACT] > t->chan_ok[DRAM_ACT] ? p->row_at[DRAM_ACT] : t->chan_ok[DRAM_ACT];
        soonest = at < soonest ? at : soonest;
    }
    for (int c = DRAM_READ; c <= DRAM_WRITE; c++) {
        if (!p->wants[c])
            continue;
        if (t->chan_ok[c] > now + 1) { /* applies to all banks: no need to check them */
            soonest = t->chan_ok[c] < soonest ? t->chan_ok[c] : soonest;
            continue;
        }
        for (uint64_t m = p->wants[c]; m; m &= m - 1) {
            uint32_t b = (uint32_t)__builtin_ctzll(m);
            uint64_t at = dram_legal_at(t, b, (enum dram_cmd)c);
            if (at <= now + 1) {
                if (reply_room(d, p, b))
                    return now + 1;
                p->no_reply_room = true;
            } else if (at < soonest)
                soonest = at;
        }
    }
    return soonest > now ? soonest : now + 1;
}

/* A request larger than the whole queue enters when the queue is empty. */
static bool has_room(const struct dram *d, const struct dram_pseudo *p, const struct msg *m)
{
    uint32_t taken = d->cfg.queue_holds == DRAM_HOLDS_WAITING ? p->waiting : p->used;
    return p->used == 0 || taken + net_pieces(m->info) <= d->cfg.queue;
}

static bool is_delayed(const struct dram *d)
{
    return d->cfg.latency_at == DRAM_BEFORE;
}

/* May a request leave its client's port? With the latency in front it must also be one of those in flight. */
static bool may_leave(const struct dram *d, const struct dram_pseudo *p, const struct msg *m)
{
    return has_room(d, p, m) && (!is_delayed(d) || d->held < d->cfg.in_flight);
}

/* Has the queue room for a request at the end of the fixed latency? */
static bool can_enter(const struct dram *d, const struct dram_coming *x)
{
    return has_room(d, pseudo_at(d, &x->place), &x->m);
}

/* A client's oldest request leaves its port. */
static struct msg pop(struct dram *d, uint32_t client)
{
    d->head[client].req = REQ_NONE;
    d->held++;
    d->next_client = client + 1 < d->env.n_client ? client + 1 : 0;
    return port_pop(&d->in[client]);
}

/* One request of the fixed latency enters the queue, and one of the clients enters the latency, in turn. */
static void take_delayed(struct dram *d, uint64_t now)
{
    const struct dram_coming *first = &d->coming[d->coming_head];
    if (d->coming_n && first->ready <= now && can_enter(d, first)) {
        take_request(d, first->client, first->m, &first->place, now);
        d->coming_head = d->coming_head + 1 < d->cfg.in_flight ? d->coming_head + 1 : 0;
        d->coming_n--;
    }
    for (uint32_t k = 0; k < d->env.n_client; k++) {
        uint32_t c = d->next_client + k < d->env.n_client ? d->next_client + k : d->next_client + k - d->env.n_client;
        const struct msg *m = port_peek(&d->in[c], now);
        if (!m)
            continue;
        const struct addr_place place = *place_of_head(d, c, m->req);
        if (!may_leave(d, pseudo_at(d, &place), m))
            continue;
        uint32_t at = d->coming_head + d->coming_n;
        at -= at >= d->cfg.in_flight ? d->cfg.in_flight : 0;
        d->coming[at] = (struct dram_coming){pop(d, c), c, place, now + d->before_cycles};
        d->coming_n++;
        return;
    }
}

/*
 * Requests that are ready enter the queues, one client after the other. A pseudo channel that has no room for one takes
 * nothing from the others.
 */
static void take_requests(struct dram *d, uint64_t now)
{
    uint32_t closed = 0;
    for (uint32_t k = 0; k < d->env.n_client;) {
        uint32_t c = d->next_client + k < d->env.n_client ? d->next_client + k : d->next_client + k - d->env.n_client;
        const struct msg *m = port_peek(&d->in[c], now);
        if (!m) {
            k++;
            continue;
        }
        const struct addr_place *place = place_of_head(d, c, m->req);
        const struct dram_pseudo *p = pseudo_at(d, place);
        if (closed >> (p - d->pseudo) & 1 || !has_room(d, p, m)) {
            closed |= 1u << (p - d->pseudo);
            k++;
            continue;
        }
        take_request(d, c, pop(d, c), place, now);
        k = 0;
    }
}

/* dram.commands = rotate: one bank takes its next request, then the first bank with a legal command has the bus. */
static void command_rotating(struct dram *d, struct dram_pseudo *p, uint64_t set, uint64_t now)
{
    const uint32_t mask = d->cfg.banks - 1;
    if (p->unassigned) {
        uint32_t bank = first_bank(p, p->unassigned);
        p->unassigned &= ~(1ull << bank);
        p->next_bank = (p->next_bank + 1) & mask;
        choose(d, p, bank, now);
        set |= 1ull << bank;
    }
    int bank = set ? first_legal(d, p, set, now) : -1;
    if (bank < 0)
        return;
    enum dram_cmd cmd = (enum dram_cmd)p->bank[bank].cmd;
    issue(d, p, (uint32_t)bank, cmd, now);
    if (cmd <= DRAM_PRE)
        p->next_bank = ((uint32_t)bank + 1) & mask;
}

/* A column command if one is legal, else (or in addition, with two command buses) a row command. */
static void command_columns_first(struct dram *d, struct dram_pseudo *p, uint64_t columns, uint64_t rows, uint64_t now)
{
    int column = columns ? first_legal(d, p, columns, now) : -1;
    int row = rows && (column < 0 || d->cfg.dual_command) ? first_legal(d, p, rows, now) : -1;
    if (column >= 0) {
        issue(d, p, (uint32_t)column, (enum dram_cmd)p->bank[column].cmd, now);
        p->next_bank = ((uint32_t)column + 1) & (d->cfg.banks - 1);
    }
    if (row >= 0)
        issue(d, p, (uint32_t)row, (enum dram_cmd)p->bank[row].cmd, now);
}

/* One command cycle of a pseudo channel. */
static void command(struct dram *d, struct dram_pseudo *p, uint64_t now)
{
    uint64_t columns = 0, rows = 0;
    if (p->timing.chan_ok[DRAM_READ] <= now)
        columns |= p->wants[DRAM_READ];
    if (p->timing.chan_ok[DRAM_WRITE] <= now)
        columns |= p->wants[DRAM_WRITE];
    if (p->row_at[DRAM_PRE] <= now)
        rows |= p->wants[DRAM_PRE];
    if (p->row_at[DRAM_ACT] <= now && p->timing.chan_ok[DRAM_ACT] <= now)
        rows |= p->wants[DRAM_ACT];
    if (d->cfg.commands == DRAM_ROTATE)
        command_rotating(d, p, columns | rows, now);
    else
        command_columns_first(d, p, columns, rows, now);
    p->wake = p->unassigned ? now + 1 : next_legal(d, p, now);
}

static uint64_t dram_tick(struct comp *comp, uint64_t now)
{
    struct dram *d = (struct dram *)comp;
    if (is_delayed(d))
        take_delayed(d, now);
    else
        take_requests(d, now);
    uint64_t want = NEVER;
    for (struct dram_pseudo *p = d->pseudo; p < d->pseudo + d->cfg.pseudo_channels; p++) {
        if (p->wake <= now || p->no_reply_room)
            command(d, p, now);
        want = p->wake < want ? p->wake : want;
    }
    if (d->coming_n && can_enter(d, &d->coming[d->coming_head])) {
        uint64_t ready = d->coming[d->coming_head].ready;
        want = ready < want ? ready : want;
    }
    uint32_t full = 0;
    for (uint32_t c = 0; c < d->env.n_client; c++) {
        if (port_empty(&d->in[c]))
            continue;
        const struct msg *m = port_peek(&d->in[c], now);
        const struct dram_pseudo *p = m ? pseudo_at(d, place_of_head(d, c, m->req)) : NULL;
        if (!m)
            want = port_next_ready(&d->in[c]) < want ? port_next_ready(&d->in[c]) : want;
        else if (may_leave(d, p, m))
            want = now + 1;
        else
            full |= 1u << (p - d->pseudo); /* a column command frees an entry */
    }
    for (uint32_t k = 0; k < d->cfg.pseudo_channels; k++) {
        struct dram_pseudo *p = &d->pseudo[k];
        if ((full >> k & 1) != p->was_full) {
            count_to(d, p, now);
            p->was_full = full >> k & 1;
        }
    }
    return want > now ? want : now + 1;
}

static void dram_sync(struct comp *comp, uint64_t now)
{
    struct dram *d = (struct dram *)comp;
    for (uint32_t k = 0; k < d->cfg.pseudo_channels; k++)
        count_to(d, &d->pseudo[k], now + 1);
}

bool dram_drained(const struct dram *d)
{
    for (uint32_t c = 0; c < d->env.n_client; c++)
        if (!port_empty(&d->in[c]))
            return false;
    return d->held == 0;
}

static int dram_check(const struct comp *comp, bool drained, struct err *e)
{
    const struct dram *d = (const struct dram *)comp;
    const struct dram_stats *s = &d->stats;
    uint64_t waiting = 0;
    for (uint32_t k = 0; k < d->cfg.pseudo_channels; k++)
        waiting += d->pseudo[k].waiting;
    if (s->reads + s->writes != s->row_hits + s->row_misses + s->row_conflicts + waiting)
        return err_set(e, "%s: %lu requests, but %lu row hits + %lu misses + %lu conflicts + %lu waiting", comp->name,
                       (unsigned long)(s->reads + s->writes), (unsigned long)s->row_hits, (unsigned long)s->row_misses,
                       (unsigned long)s->row_conflicts, (unsigned long)waiting);
    if (drained && !dram_drained(d))
        return err_set(e, "%s: %u requests left", comp->name, d->held);
    return 0;
}

/* A bank by its number in the address map. */
static const struct dram_bank *bank_at(const struct dram *d, uint32_t b)
{
    return &d->pseudo[b & ((1u << d->pseudo_shift) - 1)].bank[b >> d->pseudo_shift];
}

static void dram_waits(const struct comp *comp, struct waits *w)
{
    const struct dram *d = (const struct dram *)comp;
    for (uint32_t c = 0; c < d->env.n_client; c++)
        if (!port_empty(&d->in[c]))
            waits_for_comp(w, &d->in[c], port_oldest(&d->in[c]), comp, "a queue slot");
    for (uint32_t i = 0; i < d->coming_n; i++) {
        const struct dram_coming *x = &d->coming[(d->coming_head + i) % d->cfg.in_flight];
        if (can_enter(d, x))
            waits_for_else(w, NULL, x->m.req, "the fixed latency");
        else
            waits_for_comp(w, NULL, x->m.req, comp, "a queue slot");
    }
    for (uint32_t b = 0; b < d->cfg.banks << d->pseudo_shift; b++) {
        const struct dram_bank *bank = bank_at(d, b);
        if (bank->cur == SLOT_NONE)
            continue;
        const struct dram_slot *x = &d->slot[bank->cur];
        if (bank->cmd == DRAM_READ)
            waits_for_room(w, NULL, x->req, d->out[x->client], "its reply");
        else
            waits_for_else(w, NULL, x->req, "the bank's timing");
        for (uint16_t s = bank->head; s != SLOT_NONE; s = d->slot[s].next)
            waits_for_request(w, NULL, d->slot[s].req, x->req, "the bank");
    }
}

struct dram *dram_new(struct engine *eng, const struct dram_setup *config, const struct dram_env *env, const char *name,
                      struct err *e)
{
    const struct dram_config *cfg = config->cfg;
    if (cfg->banks > DRAM_MAX_BANK || cfg->banks & (cfg->banks - 1) || cfg->banks % cfg->bank_groups) {
        err_set(e, "%u banks in %u groups: banks must be a power of two up to %d and a multiple of the groups",
                cfg->banks, cfg->bank_groups, DRAM_MAX_BANK);
        return NULL;
    }
    if (env->map->n_bank != cfg->banks * cfg->pseudo_channels) {
        err_set(e,
                "memory.address_map names %u banks (2 to the number of its Bs and Ls), but dram.banks x "
                "dram.pseudo_channels "
                "is %u",
                env->map->n_bank, cfg->banks * cfg->pseudo_channels);
        return NULL;
    }
    struct dram *d = arena_alloc64(eng->arena, sizeof *d);
    d->comp = (struct comp){.tick = dram_tick, .sync = dram_sync, .waits = dram_waits, .check = dram_check};
    d->cfg = *cfg;
    d->env = *env;
    d->burst_bytes = dram_burst_bytes(cfg);
    engine_add(eng, &d->comp, CLK_DRAM, name);
    d->req = eng->requests.req;
    d->pseudo_shift = (uint8_t)__builtin_ctz(cfg->pseudo_channels);
    d->pseudo = arena_alloc64(eng->arena, cfg->pseudo_channels * sizeof *d->pseudo);
    for (struct dram_pseudo *p = d->pseudo; p < d->pseudo + cfg->pseudo_channels; p++) {
        dram_timing_init(&p->timing, cfg);
        p->counted_to = 1; /* the first cycle of a clock */
        p->wake = p->row_at[DRAM_ACT] = p->row_at[DRAM_PRE] = NEVER;
        for (uint32_t b = 0; b < DRAM_MAX_BANK; b++)
            p->bank[b] = (struct dram_bank){SLOT_NONE, SLOT_NONE, SLOT_NONE, DRAM_CMD_COUNT, 0};
    }
    d->in = arena_alloc64(eng->arena, env->n_client * sizeof *d->in);
    d->out = arena_alloc64(eng->arena, env->n_client * sizeof *d->out);
    d->head = arena_alloc64(eng->arena, env->n_client * sizeof *d->head);
    for (uint32_t c = 0; c < env->n_client; c++)
        d->head[c].req = REQ_NONE;
    for (uint32_t c = 0; c < env->n_client; c++)
        port_init(&d->in[c], eng, &d->comp, config->input_queue, 1, "dram requests");
    uint32_t slots = (cfg->queue + (cfg->queue_holds == DRAM_HOLDS_WAITING ? cfg->banks : 0)) * cfg->pseudo_channels;
    d->slot = arena_alloc64(eng->arena, slots * sizeof *d->slot);
    for (uint32_t i = 0; i < slots; i++)
        d->slot[i].next = (uint16_t)(i + 1 < slots ? i + 1 : SLOT_NONE);
    if (is_delayed(d))
        d->coming = arena_alloc64(eng->arena, cfg->in_flight * sizeof *d->coming);
    return d;
}

uint32_t dram_bank_bursts(const struct dram *d, uint64_t *out)
{
    const uint32_t n = d->cfg.banks << d->pseudo_shift;
    for (uint32_t b = 0; out && b < n; b++)
        out[b] = bank_at(d, b)->bursts;
    return n;
}

struct port *dram_in(struct dram *d, uint32_t client)
{
    return &d->in[client];
}

void dram_connect(struct dram *d, uint32_t client, struct port *fill)
{
    d->out[client] = fill;
    port_connect(fill, &d->comp);
    const struct engine_queue *q = d->comp.eng->queue;
    uint64_t l2_period = q[fill->consumer->queue].period, period = q[d->comp.queue].period;
    d->before_cycles = (d->cfg.latency * l2_period + period - 1) / period;
}
