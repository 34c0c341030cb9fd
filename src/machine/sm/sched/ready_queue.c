/* The ready queue of two-level scheduling; see sched/ready_queue.h. */
#include "sm/sched/ready_queue.h"

#include "sm/sched/pick.h"

static bool is_full(const struct ready_queue *q)
{
    return (uint32_t)__builtin_popcountll(q->queue) >= q->capacity;
}

static void promote(struct ready_queue *q, unsigned warp)
{
    q->pending &= ~(1ull << warp);
    q->queue |= 1ull << warp;
    q->entered[warp] = q->seq++;
    q->promotions++;
}

/* The warp of `set`, which is not empty, that has been pending longest. */
static unsigned first_of(const struct ready_queue *q, uint64_t set)
{
    unsigned first = (unsigned)__builtin_ctzll(set);
    while (set &= set - 1) {
        unsigned w = (unsigned)__builtin_ctzll(set);
        first = q->since[w] < q->since[first] ? w : first;
    }
    return first;
}

static void refill(struct ready_queue *q)
{
    while (!is_full(q)) {
        uint64_t able = q->pending & ~q->asleep, leading = able & q->leading;
        if (!able)
            return;
        promote(q, first_of(q, leading ? leading : able));
    }
}

/*
 * Makes room in a full queue: the trailing warp that entered last becomes pending, or a leading warp if there is no
 * other. Returns that warp.
 */
static unsigned push_out(struct ready_queue *q)
{
    uint64_t trailing = q->queue & ~q->leading, set = trailing ? trailing : q->queue;
    unsigned last = (unsigned)__builtin_ctzll(set);
    while (set &= set - 1) {
        unsigned w = (unsigned)__builtin_ctzll(set);
        last = q->entered[w] > q->entered[last] ? w : last;
    }
    q->queue &= ~(1ull << last);
    q->pending |= 1ull << last;
    q->demotions++;
    return last;
}

void ready_queue_warp_start(struct ready_queue *q, unsigned warp, bool leading)
{
    uint64_t bit = 1ull << warp;
    q->asleep &= ~bit;
    q->leading = leading ? q->leading | bit : q->leading & ~bit;
    q->pending |= bit;
    q->since[warp] = q->seq++;
    if (leading && is_full(q) && q->queue & ~q->leading) {
        push_out(q);
        promote(q, warp);
    }
    refill(q);
}

void ready_queue_wait(struct ready_queue *q, unsigned warp, enum warp_wait why)
{
    uint64_t bit = 1ull << warp;
    bool is_long = sched_is_long_wait(why);
    q->asleep = is_long ? q->asleep | bit : q->asleep & ~bit;
    if (is_long && q->queue & bit) {
        q->queue &= ~bit;
        q->pending |= bit;
        q->since[warp] = q->seq++;
        q->demotions++;
    }
    refill(q);
}

void ready_queue_finish(struct ready_queue *q, unsigned warp)
{
    q->queue &= ~(1ull << warp);
    q->pending &= ~(1ull << warp);
    refill(q);
}

bool ready_queue_wake(struct ready_queue *q, unsigned warp)
{
    if (!((q->pending & ~q->asleep) >> warp & 1))
        return false;
    if (is_full(q))
        q->since[push_out(q)] = q->seq++;
    promote(q, warp);
    return true;
}
