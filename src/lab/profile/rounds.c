/*
 * Launches that repeat: the layers of a network, the steps of a solver. A round is a sequence of 2 to 32 launches with the
 * same kernels and grids as the sequence before it; names of layers (NVTX ranges) are not known. What covers most launches
 * is taken first, of equals the shorter round.
 */
#include "profile/profile.h"

#include <string.h>

enum { LENGTH_MOST = 32, ROUNDS_MOST = 4, LAUNCHES_MOST = 100000, KINDS_MOST = 256 };

static bool same_launch(const json_t *a, const json_t *b)
{
    return json_equal(json_object_get(a, "kernel"), json_object_get(b, "kernel")) &&
           json_equal(json_object_get(a, "grid"), json_object_get(b, "grid"));
}

/* id[i]: the first launch that is the same as launch i; behind the first KINDS_MOST that differ, no other one. */
static void number_launches(const json_t *launches, unsigned n, unsigned *id)
{
    VEC(unsigned) kinds = {0};
    for (unsigned i = 0; i < n; i++) {
        const json_t *launch = json_array_get(launches, i);
        size_t k = 0;
        while (k < kinds.n && !same_launch(json_array_get(launches, kinds.p[k]), launch))
            k++;
        if (k == kinds.n && k < KINDS_MOST)
            VEC_PUSH(&kinds, i);
        id[i] = k < kinds.n ? kinds.p[k] : i;
    }
    VEC_FREE(&kinds);
}

/* The longest repetition with rounds of this length among launches that are not taken; 0 rounds: there is none. */
static struct profile_rounds longest(const unsigned *id, const bool *taken, unsigned n, unsigned length)
{
    struct profile_rounds best = {.length = length};
    unsigned run = 0; /* launches that equal the one `length` earlier */
    for (unsigned i = length; i <= n; i++) {
        if (i < n && !taken[i] && !taken[i - length] && id[i] == id[i - length]) {
            run++;
            continue;
        }
        const unsigned times = run / length + 1, first = i - run - length;
        bool mixed = false;
        for (unsigned j = 1; j < length; j++)
            mixed |= id[first + j] != id[first];
        if (times > 1 && mixed && times > best.times)
            best = (struct profile_rounds){.first = first, .length = length, .times = times};
        run = 0;
    }
    return best;
}

static void add(struct profile_part *to, const json_t *launch)
{
    to->cycles += profile_number(launch, "cycles");
    to->thread_insts += profile_number(launch, "thread_insts");
    to->dram_bytes += profile_number(launch, "dram.read_bytes") + profile_number(launch, "dram.write_bytes");
    to->l2_hits += profile_number(launch, "l2.hits");
    to->l2_accesses += profile_number(launch, "l2.accesses");
}

static const char *brief_of(const struct profile *p, const json_t *launch)
{
    const char *mangled = json_string_value(json_object_get(launch, "kernel"));
    for (size_t i = 0; mangled && i < p->kernel.n; i++)
        if (!strcmp(p->kernel.p[i].mangled, mangled))
            return p->kernel.p[i].brief;
    return "?";
}

void profile_find_rounds(struct profile *p)
{
    const json_t *launches = json_object_get(p->doc, "kernels");
    const unsigned n = (unsigned)json_array_size(launches);
    if (n < 4 || n > LAUNCHES_MOST)
        return;
    unsigned *id = xcalloc(n, sizeof *id);
    bool *taken = xcalloc(n, sizeof *taken);
    number_launches(launches, n, id);
    while (p->rounds.n < ROUNDS_MOST) {
        struct profile_rounds best = {0};
        for (unsigned length = 2; length <= LENGTH_MOST; length++) {
            const struct profile_rounds r = longest(id, taken, n, length);
            if (r.times * r.length > best.times * best.length)
                best = r;
        }
        if (!best.times)
            break;
        best.step = xcalloc(best.length, sizeof *best.step);
        best.round = xcalloc(best.times, sizeof *best.round);
        for (unsigned i = 0; i < best.length * best.times; i++) {
            const json_t *launch = json_array_get(launches, best.first + i);
            taken[best.first + i] = true;
            best.step[i % best.length].kernel = brief_of(p, launch);
            add(&best.step[i % best.length], launch);
            add(&best.round[i / best.length], launch);
            best.cycles += profile_number(launch, "cycles");
        }
        VEC_PUSH(&p->rounds, best);
    }
    free(taken);
    free(id);
}

void profile_free_rounds(struct profile *p)
{
    for (size_t i = 0; i < p->rounds.n; i++) {
        free(p->rounds.p[i].step);
        free(p->rounds.p[i].round);
    }
    VEC_FREE(&p->rounds);
}
