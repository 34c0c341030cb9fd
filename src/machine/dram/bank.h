/*
 * The DRAM timing rules of one channel: when a command may be issued, independent of scheduling.
 *
 * Every rule has the form "command B not before t(A) + delay", so the state is, per bank, the first cycle in which
 * each command would be legal, and per bank group and channel the same for rules across banks. A command is legal from
 * the maximum of these on; issuing a command raises them. dram_config.h lists the rules.
 */
#ifndef WEIR_DRAM_BANK_H
#define WEIR_DRAM_BANK_H

#include "dram/dram_config.h"

enum dram_cmd { DRAM_ACT, DRAM_PRE, DRAM_READ, DRAM_WRITE, DRAM_CMD_COUNT };

#define DRAM_NO_ROW   UINT32_MAX
#define DRAM_MAX_BANK 64

struct dram_timing {
    uint32_t n_bank;
    uint8_t group[DRAM_MAX_BANK]; /* of each bank */
    uint32_t beat;                /* cycles the data of one burst occupy the bus */
    struct dram_config p;
    uint64_t bank_ok[DRAM_MAX_BANK][DRAM_CMD_COUNT];
    uint64_t group_ok[DRAM_MAX_BANK][DRAM_CMD_COUNT]; /* by group; only READ and WRITE are used */
    uint64_t chan_ok[DRAM_CMD_COUNT];
    uint64_t act_at[4]; /* the last four activates, for faw */
    uint32_t act_next;
    uint32_t row[DRAM_MAX_BANK]; /* open row or DRAM_NO_ROW */
};

void dram_timing_init(struct dram_timing *, const struct dram_config *);
/* First cycle in which timing allows the command for the bank (the row must match as well). */
static inline uint64_t dram_legal_at(const struct dram_timing *t, uint32_t bank, enum dram_cmd cmd)
{
    uint64_t at = t->bank_ok[bank][cmd];
    if (t->chan_ok[cmd] > at)
        at = t->chan_ok[cmd];
    if (cmd >= DRAM_READ && t->group_ok[t->group[bank]][cmd] > at)
        at = t->group_ok[t->group[bank]][cmd];
    return at;
}
/* Issues it; BUG() when it is not legal now. `row` is used by DRAM_ACT. */
void dram_issue(struct dram_timing *, uint32_t bank, enum dram_cmd, uint32_t row, uint64_t now);

#endif
