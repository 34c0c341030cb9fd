/*
 * A DRAM channel: bounded queue, FR-FCFS, open page.
 *
 * Source: Rixner et al. for FR-FCFS; GPGPU-Sim for what is bound when: each bank works on one request at a time, chosen
 * as the oldest that hits the open row, else the oldest; a request stays with its bank until all of its bursts are
 * issued. Banks are served from a rotating start; column commands go before row commands on the one command bus.
 * The channel sleeps until the first cycle in which any bank's next command is legal, or until a request arrives.
 *
 * States of a request: in a client's port -> in a bank's list -> the bank's current request -> read: back to the client
 * after cl + data + fixed latency; write: freed when its last burst has been issued.
 * Not modelled: refresh; a separate write queue (reads and writes compete by age and row).
 */
#include "dram/bank.h"

struct dram_stats {
    uint64_t reads, writes, read_bursts, write_bursts, read_bytes, write_bytes;
    uint64_t row_hits, row_misses, row_conflicts, activates, precharges;
    uint64_t data_cycles;   /* data bus in use */
    uint64_t active_cycles; /* at least one request waiting or in service */
    uint64_t bank_cycles;   /* sum over banks of cycles with a current request */
    uint64_t blp_cycles;    /* cycles in which at least one bank has one */
    uint64_t cycles;        /* all DRAM cycles up to the last reading */
    uint64_t queue_cycles;  /* sum over time of requests in the queue */
    uint64_t full_cycles;   /* a request waited in a port because the queue was full */
};

struct dram_slot {
    req_id req;
    uint32_t row;
    uint64_t since;
    uint16_t next;   /* in its bank's list, or the free list */
    uint16_t bursts; /* still to be issued */
    uint8_t client, bank, write;
};
#define SLOT_NONE UINT16_MAX

struct dram_bank {
    uint16_t head, tail, cur;
};

struct dram {
    struct comp comp;
    struct req *req;
    struct dram_timing timing;
    struct dram_cfg cfg;
    struct dram_env env;
    struct port *in; /* one per client */
    struct port **out;
    struct dram_slot *slot;
    struct dram_bank bank[DRAM_MAX_BANK];
    uint64_t cur_banks; /* banks with a current request */
    uint16_t free;
    uint32_t used;
    uint32_t next_bank, next_client;
    uint32_t burst_bytes;
    uint64_t counted_to; /* interval counters are up to date to the start of this cycle */
    bool was_full;
    struct dram_stats stats;
};

/* Adds the interval since the last change to the counters that measure time. */
static void count_to(struct dram *d, uint64_t now)
{
    uint64_t n = now - d->counted_to;
    if (!n)
        return;
    uint32_t banks = (uint32_t)__builtin_popcountll(d->cur_banks);
    d->counted_to = now;
    d->stats.cycles += n;
    d->stats.queue_cycles += n * d->used;
    if (d->used)
        d->stats.active_cycles += n;
    if (banks) {
        d->stats.blp_cycles += n;
        d->stats.bank_cycles += n * banks;
    }
    if (d->was_full)
        d->stats.full_cycles += n;
}

static void take_request(struct dram *d, uint32_t client, uint64_t now)
{
    struct msg m = port_pop(&d->in[client]);
    struct req *r = &d->req[m.req];
    struct addr_place place;
    addrmap_place(d->env.map, r->addr + (uint64_t)(__builtin_ctz(r->sectors | 0x80u) & 7) * 32, &place);
    uint32_t bank = place.bank & (d->cfg.banks - 1);
    uint16_t s = d->free;
    struct dram_slot *x = &d->slot[s];
    d->free = x->next;
    d->used++;
    uint32_t bytes = net_bytes(m.info);
    *x = (struct dram_slot){.req = m.req,
                            .row = place.row,
                            .since = now,
                            .next = SLOT_NONE,
                            .bursts = (uint16_t)((bytes + d->burst_bytes - 1) / d->burst_bytes),
                            .client = (uint8_t)client,
                            .bank = (uint8_t)bank,
                            .write = req_is_write(r)};
    struct dram_bank *b = &d->bank[bank];
    if (b->head == SLOT_NONE)
        b->head = s;
    else
        d->slot[b->tail].next = s;
    b->tail = s;
    if (x->write) {
        d->stats.writes++;
        d->stats.write_bytes += bytes;
    } else {
        d->stats.reads++;
        d->stats.read_bytes += bytes;
    }
}

/* Gives a bank its next request: the oldest that hits the open row, else the oldest. */
static void choose(struct dram *d, uint32_t bank, uint64_t now)
{
    struct dram_bank *b = &d->bank[bank];
    uint32_t open = d->timing.row[bank];
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
    b->cur = pick;
    d->cur_banks |= 1ull << bank;
    if (open == d->slot[pick].row)
        d->stats.row_hits++;
    else if (open == DRAM_NO_ROW)
        d->stats.row_misses++;
    else
        d->stats.row_conflicts++;
}

static enum dram_cmd next_command(const struct dram *d, uint32_t bank)
{
    const struct dram_slot *x = &d->slot[d->bank[bank].cur];
    uint32_t open = d->timing.row[bank];
    if (open == x->row)
        return x->write ? DRAM_WRITE : DRAM_READ;
    return open == DRAM_NO_ROW ? DRAM_ACT : DRAM_PRE;
}

static void issue(struct dram *d, uint32_t bank, enum dram_cmd cmd, uint64_t now)
{
    struct dram_bank *b = &d->bank[bank];
    struct dram_slot *x = &d->slot[b->cur];
    dram_issue(&d->timing, bank, cmd, x->row, now);
    if (cmd == DRAM_ACT) {
        d->stats.activates++;
        return;
    }
    if (cmd == DRAM_PRE) {
        d->stats.precharges++;
        return;
    }
    d->stats.data_cycles += d->timing.beat;
    if (x->write)
        d->stats.write_bursts++;
    else
        d->stats.read_bursts++;
    if (--x->bursts)
        return;
    if (x->write) {
        req_release(&d->comp.eng->pool, x->req);
    } else {
        /* Data are complete cl + beat cycles from now: that time is DRAM cycles, the fixed latency L2 cycles. */
        struct port *out = d->out[x->client];
        const struct engine_queue *q = &d->comp.eng->queue[d->comp.queue];
        const struct engine_queue *lq = &d->comp.eng->queue[out->consumer->queue];
        uint64_t at = (now + d->cfg.cl + d->timing.beat) * q->period;
        uint64_t ready = at / lq->period + 1 + d->cfg.latency; /* first L2 edge strictly after, then the latency */
        uint64_t base = lq->cyc + out->latency;
        port_send_later(out, x->req, net_info(d->req[x->req].bytes, d->req[x->req].sectors),
                        ready > base ? ready - base : 0);
    }
    x->next = d->free;
    d->free = b->cur;
    b->cur = SLOT_NONE;
    d->used--;
    d->cur_banks &= ~(1ull << bank);
}

static uint64_t dram_tick(struct comp *comp, uint64_t now)
{
    struct dram *d = (struct dram *)comp;
    count_to(d, now);
    /* One request per cycle enters the queue. */
    for (uint32_t k = 0; k < d->env.n_client && d->used < d->cfg.queue; k++) {
        uint32_t c = d->next_client + k < d->env.n_client ? d->next_client + k : d->next_client + k - d->env.n_client;
        if (!port_peek(&d->in[c], now))
            continue;
        take_request(d, c, now);
        d->next_client = c + 1 < d->env.n_client ? c + 1 : 0;
        break;
    }
    for (uint32_t b = 0; b < d->cfg.banks; b++)
        if (d->bank[b].head != SLOT_NONE && d->bank[b].cur == SLOT_NONE)
            choose(d, b, now);

    /* The first legal command from the rotating start, columns before rows; and when the next one will be legal. */
    uint64_t soonest = NEVER;
    int column = -1, row = -1;
    uint64_t low = d->cur_banks & ((1ull << d->next_bank) - 1), high = d->cur_banks & ~low;
    for (int half = 0; half < 2; half++) {
        for (uint64_t m = half ? low : high; m; m &= m - 1) {
            uint32_t b = (uint32_t)__builtin_ctzll(m);
            enum dram_cmd cmd = next_command(d, b);
            uint64_t at = dram_legal_at(&d->timing, b, cmd);
            if (at > now) {
                soonest = at < soonest ? at : soonest;
                continue;
            }
            if (cmd >= DRAM_READ) {
                if (column >= 0 || (cmd == DRAM_READ && !port_can_send(d->out[d->slot[d->bank[b].cur].client])))
                    continue; /* no room for the reply: the client's pop wakes us */
                column = (int)b;
            } else if (row < 0) {
                row = (int)b;
            }
        }
    }
    bool issued = column >= 0 || row >= 0;
    if (column >= 0) {
        issue(d, (uint32_t)column, next_command(d, (uint32_t)column), now);
        d->next_bank = ((uint32_t)column + 1) & (d->cfg.banks - 1);
    }
    if (row >= 0 && (column < 0 || d->cfg.dual_command))
        issue(d, (uint32_t)row, next_command(d, (uint32_t)row), now);
    d->was_full = false;
    if (d->used == d->cfg.queue)
        for (uint32_t c = 0; c < d->env.n_client; c++)
            d->was_full |= port_peek(&d->in[c], now) != NULL;
    if (issued)
        return now + 1;
    uint64_t want = soonest;
    if (d->used < d->cfg.queue)
        for (uint32_t c = 0; c < d->env.n_client; c++) {
            uint64_t at = port_next_ready(&d->in[c]);
            if (at != NEVER) {
                at = at > now ? at : now + 1;
                want = at < want ? at : want;
            }
        }
    return want;
}

static void dram_sync(struct comp *comp, uint64_t now)
{
    count_to((struct dram *)comp, now + 1);
}

bool dram_drained(const struct dram *d)
{
    for (uint32_t c = 0; c < d->env.n_client; c++)
        if (!port_empty(&d->in[c]))
            return false;
    return d->used == 0;
}

static int dram_check(const struct comp *comp, bool drained, struct err *e)
{
    const struct dram *d = (const struct dram *)comp;
    const struct dram_stats *s = &d->stats;
    uint64_t waiting = d->used - (uint32_t)__builtin_popcountll(d->cur_banks);
    if (s->reads + s->writes != s->row_hits + s->row_misses + s->row_conflicts + waiting)
        return err_set(e, "%s: %lu requests, but %lu row hits + %lu misses + %lu conflicts + %lu waiting", comp->name,
                       (unsigned long)(s->reads + s->writes), (unsigned long)s->row_hits, (unsigned long)s->row_misses,
                       (unsigned long)s->row_conflicts, (unsigned long)waiting);
    if (drained && !dram_drained(d))
        return err_set(e, "%s: %u requests left", comp->name, d->used);
    return 0;
}

static void dram_dump(const struct comp *comp, FILE *out)
{
    const struct dram *d = (const struct dram *)comp;
    fprintf(out, "%s: %u/%u requests queued", comp->name, d->used, d->cfg.queue);
    for (uint32_t c = 0; c < d->env.n_client; c++)
        if (!port_empty(&d->in[c]) || !port_can_send(d->out[c]))
            fprintf(out, "; client %u: %u waiting%s", c, port_count(&d->in[c]),
                    port_can_send(d->out[c]) ? "" : ", does not take replies");
    fprintf(out, "\n");
}

struct dram *dram_new(struct engine *eng, const struct dram_config *config, const struct dram_env *env,
                      const char *name, struct err *e)
{
    const struct dram_cfg *cfg = config->cfg;
    if (cfg->banks > DRAM_MAX_BANK || cfg->banks & (cfg->banks - 1) || cfg->banks % cfg->bank_groups) {
        err_set(e, "%u banks in %u groups: a power of two up to %d, divided by the groups, is needed", cfg->banks,
                cfg->bank_groups, DRAM_MAX_BANK);
        return NULL;
    }
    if (env->map->n_bank < cfg->banks) {
        err_set(e, "the address mapping names %u banks, the DRAM has %u", env->map->n_bank, cfg->banks);
        return NULL;
    }
    struct dram *d = arena_alloc64(eng->arena, sizeof *d);
    d->comp = (struct comp){.tick = dram_tick, .sync = dram_sync, .dump = dram_dump, .check = dram_check};
    d->cfg = *cfg;
    d->env = *env;
    d->burst_bytes = dram_burst_bytes(cfg);
    engine_add(eng, &d->comp, CLK_DRAM, name);
    d->req = eng->pool.req;
    dram_timing_init(&d->timing, cfg);
    d->in = arena_alloc64(eng->arena, env->n_client * sizeof *d->in);
    d->out = arena_alloc64(eng->arena, env->n_client * sizeof *d->out);
    for (uint32_t c = 0; c < env->n_client; c++)
        port_init(&d->in[c], eng, &d->comp, config->input_queue, 1, "dram requests");
    d->slot = arena_alloc64(eng->arena, cfg->queue * sizeof *d->slot);
    for (uint32_t i = 0; i < cfg->queue; i++)
        d->slot[i].next = (uint16_t)(i + 1 < cfg->queue ? i + 1 : SLOT_NONE);
    for (uint32_t b = 0; b < DRAM_MAX_BANK; b++)
        d->bank[b] = (struct dram_bank){SLOT_NONE, SLOT_NONE, SLOT_NONE};
    return d;
}

struct comp *dram_comp(struct dram *d)
{
    return &d->comp;
}
struct port *dram_in(struct dram *d, uint32_t client)
{
    return &d->in[client];
}

void dram_connect(struct dram *d, uint32_t client, struct port *fill)
{
    d->out[client] = fill;
    port_connect(fill, &d->comp);
}

uint32_t dram_bus_bits(const struct dram_cfg *c)
{
    return 8 * c->bus_bytes * c->chips;
}
uint32_t dram_burst_bytes(const struct dram_cfg *c)
{
    return c->bus_bytes * c->chips * c->burst;
}
uint32_t dram_max_own_requests(const struct dram_config *c)
{
    return c->cfg->queue;
}

/* ---- tables ---- */
#define T                        struct dram_cfg
#define TIMING(member, def, doc) CFG_ROW(T, member, CFG_INT, "cycles", def, 0, 1000, NULL, doc)
static const struct cfg_field fields[] = {
    CFG_ROW(T, bus_bytes, CFG_INT, "bytes", "4", 1, 64, NULL, "data bus of one device"),
    CFG_ROW(T, chips, CFG_INT, "devices", "2", 1, 16, NULL, "devices side by side in a channel"),
    CFG_ROW(T, burst, CFG_INT, "transfers", "8", 1, 64, NULL, "transfers per column command"),
    CFG_ROW(T, data_rate, CFG_INT, "transfers", "4", 1, 16, NULL, "transfers per command-clock cycle (DDR 2, GDDR5 4)"),
    CFG_ROW(T, banks, CFG_INT, "banks", "16", 1, DRAM_MAX_BANK, NULL, "banks of a channel"),
    CFG_ROW(T, bank_groups, CFG_INT, "groups", "4", 1, 32, NULL, "bank groups of a channel"),
    CFG_ROW(T, queue, CFG_INT, "requests", "64", 1, 4096, NULL, "requests the scheduler chooses from"),
    CFG_ROW(T, latency, CFG_INT, "cycles", "100", 0, 1000, NULL, "fixed latency of controller and wires, in L2 cycles"),
    CFG_ROW(T, age_cap, CFG_INT, "cycles", "0", 0, 1u << 30, NULL,
            "FR-FCFS: a request older than this goes first; 0 = never"),
    CFG_ROW(T, dual_command, CFG_BOOL, "", "no", 0, 1, NULL, "a row and a column command can share a cycle"),
    CFG_ROW(T, scheduler, CFG_ENUM, "", "frfcfs", 0, 0, "frfcfs fcfs", "which request a bank serves next"),
    TIMING(ccd, "2", "column to column, different bank groups (tCCDS)"),
    TIMING(ccdl, "3", "column to column, same bank group (tCCDL)"),
    TIMING(rrd, "6", "activate to activate, different banks (tRRD)"),
    TIMING(rcd, "12", "activate to read (tRCD)"),
    TIMING(rcdwr, "7", "activate to write (tRCDWR)"),
    TIMING(ras, "28", "activate to precharge (tRAS)"),
    TIMING(rp, "12", "precharge to activate (tRP)"),
    TIMING(rc, "40", "activate to activate, same bank (tRC)"),
    TIMING(cl, "12", "read to first data (tCL)"),
    TIMING(wl, "4", "write to first data (tWL)"),
    TIMING(cdlr, "5", "end of write data to read (tCDLR)"),
    TIMING(wr, "12", "end of write data to precharge (tWR)"),
    TIMING(rtpl, "2", "read to precharge (tRTPL)"),
    TIMING(faw, "0", "no more than four activates in this window (tFAW); 0 = no limit"),
    TIMING(rtw, "2", "turning the data bus from read to write"),
    CFG_END};

static int check_dram(const struct cfg *c, const void *values, struct err *e)
{
    const T *v = (const T *)values;
    if (v->banks & (v->banks - 1))
        return cfg_fault(c, "dram.banks", e, "%u banks: not a power of two", v->banks);
    if (v->banks % v->bank_groups || v->bank_groups & (v->bank_groups - 1))
        return cfg_fault(c, "dram.bank_groups", e, "%u banks cannot be divided into %u groups", v->banks,
                         v->bank_groups);
    if (v->rc < v->ras)
        return cfg_fault(c, "dram.rc", e, "tRC = %u is less than tRAS = %u", v->rc, v->ras);
    if (v->ccd == 0 || v->ccd * v->data_rate < v->burst) {
        cfg_fault(c, "dram.ccd", e, "tCCD = %u cycles are too few for a burst of %u at %u transfers per cycle", v->ccd,
                  v->burst, v->data_rate);
        return err_hint(e, "at least %u", (v->burst + v->data_rate - 1) / v->data_rate);
    }
    return 0;
}
const struct cfg_section dram_cfg_section = {"dram", "a DRAM channel", fields, sizeof(T), check_dram};
#undef T

#define S struct dram_stats
static const struct stat_def stat_defs[] = {
    STAT_ROW(S, reads, "requests", "read requests"),
    STAT_ROW(S, writes, "requests", "write requests"),
    STAT_ROW(S, read_bursts, "bursts", "read commands"),
    STAT_ROW(S, write_bursts, "bursts", "write commands"),
    STAT_ROW(S, read_bytes, "bytes", "bytes asked for by reads"),
    STAT_ROW(S, write_bytes, "bytes", "bytes written"),
    STAT_ROW(S, row_hits, "requests", "requests that found their row open"),
    STAT_ROW(S, row_misses, "requests", "requests that found no row open"),
    STAT_ROW(S, row_conflicts, "requests", "requests that found another row open"),
    STAT_ROW(S, activates, "commands", "rows opened"),
    STAT_ROW(S, precharges, "commands", "rows closed"),
    STAT_ROW(S, data_cycles, "cycles", "DRAM cycles in which the data bus was used"),
    STAT_ROW(S, active_cycles, "cycles", "DRAM cycles with a request waiting or in service"),
    STAT_ROW(S, bank_cycles, "cycles", "sum over banks of DRAM cycles with a request in service"),
    STAT_ROW(S, blp_cycles, "cycles", "DRAM cycles in which at least one bank had a request in service"),
    STAT_ROW(S, cycles, "cycles", "DRAM cycles, summed over channels"),
    STAT_ROW(S, queue_cycles, "cycles", "sum over time of requests in the queue"),
    STAT_ROW(S, full_cycles, "cycles", "DRAM cycles in which a request waited for the queue"),
    STAT_QUOTIENT("efficiency", "", "dram.data_cycles", "dram.active_cycles", "data cycles / cycles with requests"),
    STAT_QUOTIENT("utilisation", "", "dram.data_cycles", "dram.cycles", "data cycles / all cycles"),
    STAT_QUOTIENT("blp", "banks", "dram.bank_cycles", "dram.blp_cycles", "banks in service while any is"),
    STAT_QUOTIENT("row_hit_rate", "", "dram.row_hits", "dram.row_hits+dram.row_misses+dram.row_conflicts",
                  "row hits / requests"),
    STAT_END};
#undef S

void dram_register_stats(struct dram *d, struct stats *s)
{
    stats_add(s, "dram", stat_defs, &d->stats);
}
