/* See carveout.h. */
#include "gpu/carveout.h"

#include <stdlib.h>

int carve_outs_parse(struct carveouts *c, const char *list, struct err *e)
{
    c->n = 0;
    for (const char *at = list; *at;) {
        char *end;
        unsigned long kib = strtoul(at, &end, 10);
        if (end == at || kib > 4096 || (c->n && kib <= c->kib[c->n - 1]) || (*end && *end != ' ')) {
            err_set(e, "'%.60s' is not an ascending list of sizes in KiB", list);
            return err_hint(e, "write it like \"8 16 32 64\"");
        }
        if (c->n == CARVE_OUTS)
            return err_set(e, "more than %d sizes given", CARVE_OUTS);
        c->kib[c->n++] = (uint32_t)kib;
        for (at = end; *at == ' '; at++)
            ;
    }
    return c->n == 1 && !c->kib[0] ? err_set(e, "0 is the only size that shared memory can have") : 0;
}

uint64_t carveout(const struct carveouts *c, uint64_t smem_bytes, uint32_t per_sm, uint32_t reserved, uint32_t unit)
{
    if (!c->n)
        return 0;
    const uint64_t generous = 132 << 10, least = 32 << 10;
    uint64_t need = per_sm * ((smem_bytes + reserved + unit - 1) / unit * unit), want;
    if (smem_bytes)
        want = 2 * need <= generous ? 2 * need : need > generous ? need : generous;
    else
        want = 4 * need < least ? 4 * need : least;
    for (unsigned i = 0; i < c->n; i++)
        if ((uint64_t)c->kib[i] << 10 >= want)
            return (uint64_t)c->kib[i] << 10;
    return (uint64_t)c->kib[c->n - 1] << 10;
}
