/* A load with a stride of two lines, and one without a regular stride. */
#include "stride.c"

#include <assert.h>

static uint64_t asked[8];
static unsigned n;

static bool note(struct l1_host *host, uint64_t addr, uint32_t pc, uint32_t warp, uint32_t cta)
{
    (void)host, (void)pc, (void)warp, (void)cta;
    asked[n++] = addr;
    return true;
}

int main(void)
{
    static struct stride s;
    static const struct weir_functions fake = {.l1_prefetch = note};
    struct l1_host host = {.line_size = 128};
    struct stride_params p = {.distance = 2};
    weir_functions_ = &fake;
    init(&s, &p, &host, NULL);
    static const uint64_t even[] = {10, 12, 14, 16}, odd[] = {50, 51, 53, 56};
    for (unsigned i = 0; i < 4; i++) {
        struct req r = {.pc = 7, .warp = 3}, q = {.pc = 8, .warp = 3};
        on_access(&s, &(struct l1_access){.req = &r, .line = even[i]});
        on_access(&s, &(struct l1_access){.req = &q, .line = odd[i]});
    }
    assert(n == 2 && asked[0] == (14 + 4) * 128 && asked[1] == (16 + 4) * 128);
    assert(s.asked == 2 && s.by_load[7] == 2);
    return 0;
}
