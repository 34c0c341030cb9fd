/* Four warps; slot 2 is the oldest. */
#include "loads_first.c"

#include <assert.h>

int main(void)
{
    const uint64_t age[64] = {7, 5, 1, 9};
    struct loads_first s = {0};
    struct sched_view v = {.issuable = 0xf, .loads = 0, .age = age};
    assert(pick(&s, &v) == 2); /* no loads: the oldest */
    v.loads = 0xb;
    assert(pick(&s, &v) == 1); /* the oldest of those that load */
    v.issuable = 0x4;
    assert(pick(&s, &v) == 2); /* the loads cannot issue */
    assert(s.loads == 1 && s.others == 2);
    return 0;
}
