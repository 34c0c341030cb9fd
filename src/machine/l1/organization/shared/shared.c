/* Shared: only the home's L1 may hold a line, and replies carry whole lines; with the parts that its variants share. */
#include "l1/organization/shared/shared.h"

#include "l1/l1_config.h"

#include <stdlib.h>
#include <string.h>

int shared_init(void *st, const void *params, struct l1_host *host, struct err *e)
{
    struct shared_map *m = st;
    (void)params;
    enum { MOST = sizeof m->hops / sizeof *m->hops };
    if (host->n_sm > MOST)
        return err_set(e, "%u SMs: shared L1s are for at most %u", host->n_sm, (unsigned)MOST);
    m->host = host;
    while (1u << m->tag_shift < host->tags->n_set)
        m->tag_shift++;
    while (m->core_mask + 1 < host->n_sm)
        m->core_mask = 2 * m->core_mask + 1;
    for (uint32_t i = 0; i < host->n_sm; i++)
        m->hops[i] = (uint16_t)(i == host->sm ? 0 : l1_hops_to_sm(host, i));
    return 0;
}

enum l1_route shared_route(void *st, const struct req *r, uint64_t line, uint32_t set, uint32_t *home)
{
    (void)set;
    if (r->space != REQ_SP_GLOBAL)
        return L1_ROUTE_LOCAL;
    *home = shared_home(st, line);
    return L1_ROUTE_REMOTE;
}

enum l1_route shared_route_nearest(void *st, const struct req *r, uint64_t line, uint32_t set, uint32_t *home)
{
    const struct shared_map *m = st;
    enum l1_route to = shared_route(st, r, line, set, home);
    if (to == L1_ROUTE_REMOTE && l1_hops_to_l2(m->host, r->addr) < m->hops[*home])
        return L1_ROUTE_L2;
    return to;
}

uint32_t shared_chunk(void *st, const struct req *r)
{
    (void)st;
    return sector_count(r->sectors) * SECTOR_BYTES;
}

static void find_sms(void *ctx, const struct cfg_value *v)
{
    if (!strcmp(v->key, "machine.sms"))
        *(uint32_t *)ctx = (uint32_t)strtoul(v->text, NULL, 10);
}

unsigned shared_cost(const struct cfg *c, const void *params, struct policy_cost out[POLICY_COSTS])
{
    (void)params;
    const struct l1_cache_config *l1 = cfg_section(c, "l1");
    uint32_t sms = 1, bits = 0;
    cfg_each(c, find_sms, &sms);
    while (1u << bits < sms)
        bits++;
    out[0] = (struct policy_cost){"requesters",
                                  "requesting SM, per MSHR merge slot",
                                  bits,
                                  l1->mshrs * l1->max_merges,
                                  .reads = "l1.remote_requests",
                                  .writes = "l1.remote_requests"};
    return 1;
}

const struct l1_organization l1_organization_shared = {
    .info = {.name = "shared",
             .doc = "One copy of a line across all L1s: each SM caches a slice of the addresses and serves it to all. "
                    "Shared of Ibrahim et al., PACT 2020.",
             SHARED_COST},
    .state_bytes = sizeof(struct shared_map),
    .remote = true,
    .init = shared_init,
    .route = shared_route};
