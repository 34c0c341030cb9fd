/* A set of four ways, access by access. */
#include "srrip.c"

#include <assert.h>

int main(void)
{
    uint8_t late[8] = {0};
    struct tags tags = {.n_set = 2, .n_way = 4};
    struct l1_host host = {.tags = &tags, .line_state = late};
    struct srrip s = {0};
    struct l1_access miss = {.set = 1, .entry = -1}, hit = {.set = 1, .entry = 5};
    init(&s, NULL, &host, NULL);
    for (uint32_t e = 4; e < 8; e++)
        on_fill(&s, NULL, e);
    on_hit(&s, &hit);
    assert(victim(&s, &miss, 0xf) == 0); /* all have the same prediction, except way 1, which was reused */
    assert(victim(&s, &miss, 0xe) == 2); /* way 0 is reserved: the next */
    on_evict(&s, 4, 0, false);
    assert(late[5] == 1 && late[6] == LATEST && late[0] == 0 && s.aged == 1); /* only its own set aged */
    on_fill(&s, NULL, 4);
    assert(victim(&s, &miss, 0xf) == 2); /* not the newly filled line */
    return 0;
}
