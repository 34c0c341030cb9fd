/*
 * The timing rules: which commands each command delays, and for how long.
 *
 * Source: the parameter lists of GPGPU-Sim's GDDR5 configurations and of the papers' tables; delays that combine
 * parameters (write to read, write to precharge, read to write) follow from when the data occupy the bus. Not
 * modeled: refresh, power-down, per-device ranks.
 */
#include "dram/bank.h"

static void not_before(uint64_t *slot, uint64_t t)
{
    if (*slot < t)
        *slot = t;
}

void dram_timing_init(struct dram_timing *t, const struct dram_config *p)
{
    *t = (struct dram_timing){.n_bank = p->banks, .p = *p};
    t->beat = (p->burst + p->data_rate - 1) / p->data_rate;
    for (uint32_t b = 0; b < p->banks; b++)
        t->group[b] = (uint8_t)(p->group_by == DRAM_GROUP_LOW ? b % p->bank_groups : b / (p->banks / p->bank_groups));
    for (uint32_t b = 0; b < DRAM_MAX_BANK; b++)
        t->row[b] = DRAM_NO_ROW;
}

void dram_issue(struct dram_timing *t, uint32_t bank, enum dram_cmd cmd, uint32_t row, uint64_t now)
{
    const struct dram_config *p = &t->p;
    if (now < dram_legal_at(t, bank, cmd))
        BUG("DRAM command %d to bank %u at %lu, legal at %lu", (int)cmd, bank, (unsigned long)now,
            (unsigned long)dram_legal_at(t, bank, cmd));
    uint64_t *ok = t->bank_ok[bank], *group = t->group_ok[t->group[bank]];
    uint64_t data_end;
    switch (cmd) {
    case DRAM_ACT:
        t->row[bank] = row;
        not_before(&ok[DRAM_READ], now + p->rcd);
        not_before(&ok[DRAM_WRITE], now + p->rcdwr);
        not_before(&ok[DRAM_PRE], now + p->ras);
        not_before(&ok[DRAM_ACT], now + p->rc);
        not_before(&t->chan_ok[DRAM_ACT], now + p->rrd);
        if (p->faw) {
            t->act_at[t->act_next++ & 3] = now;
            if (t->act_next >= 4) /* the next slot holds the fourth-last activate */
                not_before(&t->chan_ok[DRAM_ACT], t->act_at[t->act_next & 3] + p->faw);
        }
        break;
    case DRAM_PRE:
        t->row[bank] = DRAM_NO_ROW;
        not_before(&ok[DRAM_ACT], now + p->rp);
        break;
    case DRAM_READ:
        data_end = now + p->cl + t->beat;
        not_before(&t->chan_ok[DRAM_READ], now + p->ccd);
        not_before(&group[DRAM_READ], now + p->ccdl);
        /* The write's data may not start before the read's have left and the bus has turned. */
        not_before(&t->chan_ok[DRAM_WRITE], data_end + p->rtw > p->wl ? data_end + p->rtw - p->wl : 0);
        not_before(&ok[DRAM_PRE], now + p->rtpl);
        break;
    case DRAM_WRITE:
        data_end = now + p->wl + t->beat;
        not_before(&t->chan_ok[DRAM_WRITE], now + p->ccd);
        not_before(&group[DRAM_WRITE], now + p->ccdl);
        not_before(&t->chan_ok[DRAM_READ], data_end + p->cdlr);
        not_before(&ok[DRAM_PRE], data_end + p->wr);
        break;
    default:
        BUG("DRAM command %d", (int)cmd);
    }
}
