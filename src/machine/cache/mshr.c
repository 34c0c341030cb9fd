/* Builds the MSHR file and frees entries. */
#include "cache/mshr.h"

void mshr_init(struct mshr *m, struct arena *arena, uint32_t cap, uint32_t max_merge)
{
    uint32_t n_bucket = 1;
    while (n_bucket < 2 * cap)
        n_bucket *= 2;
    *m = (struct mshr){.e = arena_alloc64(arena, (cap + 1) * sizeof *m->e),
                       .bucket = arena_alloc64(arena, n_bucket * sizeof *m->bucket),
                       .bucket_mask = n_bucket - 1,
                       .cap = cap,
                       .max_merge = max_merge};
    for (uint32_t i = 0; i < n_bucket; i++)
        m->bucket[i] = MSHR_NONE;
    for (uint32_t i = 0; i < cap; i++)
        m->e[i].hnext = i + 1 < cap ? i + 1 : MSHR_NONE;
    m->free = cap ? 0 : MSHR_NONE;
}

void mshr_remove(struct mshr *m, uint32_t i)
{
    uint32_t *link = &m->bucket[mshr_bucket(m, m->e[i].line)];
    while (*link != i)
        link = &m->e[*link].hnext;
    *link = m->e[i].hnext;
    m->e[i].hnext = m->free;
    m->free = i;
    m->used--;
}
