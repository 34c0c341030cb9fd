/* Building a port; everything that happens while simulating is in the header. */
#include "engine/port.h"

void port_init(struct port *p, struct engine *eng, struct comp *consumer, uint32_t cap, uint32_t latency,
               const char *name)
{
    if (cap == 0 || latency == 0)
        BUG("port %s: capacity %u, latency %u", name, cap, latency);
    uint32_t n = 1;
    while (n < cap)
        n *= 2;
    *p = (struct port){
        .slot = arena_alloc64(eng->arena, (size_t)n * sizeof *p->slot),
        .mask = n - 1,
        .cap = cap,
        .popped_at = UINT64_MAX,
        .latency = latency,
        .eng = eng,
        .consumer = consumer,
        .sender = consumer,
        .name = name,
    };
    p->front = p->slot;
}
