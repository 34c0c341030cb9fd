/*
 * The rules of APCM's tables (Koo et al., ISCA 2017, sections 4.2 and 5.1); see apcm.h.
 *
 * Not modeled: the tables' ports and latencies. They are looked up in parallel with the L1's tags.
 */
#include "l1/management/apcm/apcm.h"

#include <stddef.h>

const char *const apcm_type_name[APCM_TYPES] = {"streaming", "inter-warp", "intra-warp", "inter+intra"};
const char *const apcm_method_name[APCM_METHODS] = {"normal", "bypass", "protect"};

enum apcm_type apcm_classify(uint32_t accesses, uint32_t own)
{
    if (accesses <= 1)
        return APCM_STREAMING;
    if (own <= 1)
        return APCM_INTER;
    return own >= accesses ? APCM_INTRA : APCM_MIXED;
}

enum apcm_method apcm_method_of(enum apcm_type type)
{
    return type == APCM_STREAMING ? APCM_BYPASS : type == APCM_INTRA ? APCM_PROTECT : APCM_NORMAL;
}

uint8_t apcm_lat_id(struct apcm_lat *t, uint32_t pc)
{
    uint32_t id = t->n; /* where a new one would go */
    for (uint32_t i = t->n; i-- > 0;) {
        if (t->of[i] != t->kernel) {
            if (t->n == t->cap)
                id = i;
        } else if (t->pc[i] == pc) {
            return (uint8_t)i;
        }
    }
    if (id == t->cap)
        return APCM_NONE;
    t->pc[id] = pc;
    t->of[id] = t->kernel;
    t->n += id == t->n;
    t->given++;
    return (uint8_t)id;
}

static struct apcm_mta_entry *set_of(struct apcm_mta *t, uint64_t line)
{
    return &t->e[(line & (t->sets - 1)) * t->ways];
}

struct apcm_mta_entry *apcm_mta_find(struct apcm_mta *t, uint64_t line)
{
    struct apcm_mta_entry *set = set_of(t, line);
    for (uint32_t w = 0; w < t->ways; w++)
        if (set[w].valid && set[w].line == line)
            return &set[w];
    return NULL;
}

void apcm_mta_hit(struct apcm_mta *t, struct apcm_mta_entry *e, bool own, uint8_t id)
{
    /* Both counts saturate together: one that continued alone would make a shared line look like the warp's own. */
    if (e->accesses < t->max) {
        e->accesses++;
        e->own += own;
    }
    if (own) {
        e->last = id;
        e->used = ++t->stamp;
    }
}

struct apcm_mta_entry *apcm_mta_place(struct apcm_mta *t, uint64_t line)
{
    struct apcm_mta_entry *set = set_of(t, line), *oldest = set;
    for (uint32_t w = 0; w < t->ways; w++) {
        if (!set[w].valid)
            return &set[w];
        if (set[w].used < oldest->used)
            oldest = &set[w];
    }
    return oldest;
}

void apcm_mta_fill(struct apcm_mta *t, struct apcm_mta_entry *e, uint64_t line, uint8_t id, uint32_t accesses)
{
    *e = (struct apcm_mta_entry){.line = line,
                                 .used = ++t->stamp,
                                 .accesses = (uint16_t)(accesses < t->max ? accesses : t->max),
                                 .own = 1,
                                 .first = id,
                                 .last = APCM_NONE,
                                 .valid = true};
}

bool apcm_cait_update(struct apcm_cait_entry *cait, const struct apcm_mta_entry *m, uint64_t now)
{
    struct apcm_cait_entry *c = &cait[m->first];
    if (c->valid && m->accesses <= c->accesses)
        return false;
    enum apcm_type type = apcm_classify(m->accesses, m->own);
    uint8_t method = (uint8_t)apcm_method_of(type);
    if (!c->valid) {
        c->decided_at = c->changed_at = now;
        c->first_type = (uint8_t)type;
    } else if (c->method != method) {
        c->changed_at = now;
    }
    c->valid = true;
    c->method = method;
    c->type = (uint8_t)type;
    c->last = m->last == APCM_NONE ? m->first : m->last;
    c->accesses = m->accesses;
    c->own = m->own;
    c->writes++;
    return true;
}
