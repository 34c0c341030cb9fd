/*
 * Reads what the program did from a .wt file: its journal of events, launches and chunks, and its origin.
 *
 * Nothing of it is believed: numbers are checked against the tables they point into, and room is made for what is there,
 * not for what the file says is there.
 */
#include "trace/reader.h"

#include "base/text.h"
#include "trace/table.h"

/*
 * zstd makes thousands of equal records into a few bytes, and the reader makes each into an entry of its own again. So
 * that a small file cannot ask for all memory, the number of entries is in proportion to its bytes. A recording of an
 * empty kernel, which must be readable, has 400 CTAs for each byte; an entry takes 32 bytes.
 */
enum { ENTRIES_FREE = 64 << 10, ENTRIES_PER_BYTE = 640 };

static size_t entries_max(const struct trace_file *f)
{
    return ENTRIES_FREE + f->n_bytes * ENTRIES_PER_BYTE;
}

/* What the next event depends on. */
static bool journal_order(struct trace_file *f, struct byte_reader *r, struct trace_event *ev)
{
    const int64_t priority = unzigzag(get_var(r));
    const uint64_t n = get_var(r);
    f->n_after += n;
    if (r->bad || f->n_after > entries_max(f) || n > TRACE_AFTER_MAX || n > reader_left(r) ||
        priority != (int8_t)priority)
        return false;
    uint64_t *after = arena_alloc(f->arena, (n + 1) * sizeof *after);
    ev->priority = (int8_t)priority;
    ev->n_after = (uint32_t)n;
    ev->after = after;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t back = get_var(r);
        if (r->bad || !back || back > f->event.n)
            return false;
        after[i] = f->event.n - back;
    }
    return true;
}

/* The launch whose end this one need not wait for. */
static bool journal_primary(const struct trace_file *f, struct byte_reader *r, struct trace_event *ev)
{
    const uint64_t back = get_var(r);
    if (r->bad || !back || back > f->event.n || ev->kind != TRACE_EV_LAUNCH)
        return false;
    ev->primary = f->event.n - back;
    bool waits = !ev->ordered && back == 1;
    for (uint32_t i = 0; i < ev->n_after; i++)
        waits |= ev->after[i] == ev->primary;
    return waits && f->event.p[ev->primary].kind == TRACE_EV_LAUNCH;
}

static const char *journal_event(struct trace_file *f, struct byte_reader *r, struct journal_state *s)
{
    struct trace_event ev = {0};
    const uint8_t kind = (uint8_t)get_le(r, 1);
    ev.ordered = f->format >= 5 && kind & JRN_EVENT_ORDERED;
    ev.early = f->format >= 6 && kind & JRN_EVENT_EARLY;
    ev.kind = kind & ~((ev.ordered ? JRN_EVENT_ORDERED : 0) | (ev.early ? JRN_EVENT_EARLY : 0));
    ev.stream = get_var32(r);
    ev.index = get_var32(r);
    ev.address = get_var(r);
    ev.address2 = get_var(r);
    ev.bytes = get_var(r);
    if (ev.kind >= (f->format < 5 ? TRACE_EV_WAIT : TRACE_EV_COUNT))
        return "an event of unknown kind";
    if (ev.ordered && !journal_order(f, r, &ev))
        return "an event depends on what is not before it";
    if (ev.early && !journal_primary(f, r, &ev))
        return "a launch overlaps what it does not depend on";
    if (!trace_event_is_possible(&ev))
        return "a copy of more bytes, or at a higher address, than any memory has";
    if (ev.kind == TRACE_EV_LAUNCH && ev.index != s->announced++)
        return "launches are not announced in order";
    if (f->event.n >= entries_max(f))
        return "more events than a file of its size can have";
    s->ordered += ev.ordered;
    VEC_PUSH(&f->event, ev);
    return NULL;
}

static const char *journal_launch(struct trace_file *f, struct byte_reader *r, struct journal_state *s)
{
    struct launch_entry e = {.first_chunk = f->chunk.n};
    struct trace_launch *l = &e.launch;
    l->kernel = get_var32(r);
    for (int i = 0; i < 3; i++)
        l->grid[i] = get_var32(r);
    for (int i = 0; i < 3; i++)
        l->block[i] = get_var32(r);
    l->smem_dynamic_bytes = get_var32(r);
    l->stream = get_var32(r);
    l->cooperative = (uint8_t)get_le(r, 1);
    if (f->format >= 4)
        l->cluster_ctas = (uint8_t)get_le(r, 1);
    if (r->bad)
        return NULL;
    if (l->kernel >= f->kernel.n)
        return "a launch names a kernel that is not in the file";
    if (l->cooperative > 1)
        return "a launch is neither cooperative nor not";
    if (l->cluster_ctas > TRACE_CLUSTER_MAX || (l->cluster_ctas && trace_ctas(l) % l->cluster_ctas))
        return "a launch's clusters have too many CTAs, or its grid is no multiple of them";
    if (s->in_launch)
        return "a launch begins before the previous one ended";
    if (f->launch.n >= entries_max(f))
        return "more launches than a file of its size can have";
    s->in_launch = true;
    s->prev_cta = 0;
    VEC_PUSH(&f->launch, e);
    return launch_check(l);
}

static const char *journal_chunk(struct trace_file *f, struct byte_reader *r, struct journal_state *s)
{
    struct chunk_entry c = {0};
    c.cta = s->prev_cta + (uint64_t)unzigzag(get_var(r));
    uint32_t seq_last = get_var32(r);
    c.seq = seq_last >> 1;
    c.last = seq_last & 1;
    uint32_t skip = get_var32(r);
    c.bytes = get_var32(r);
    c.n_inst = get_var(r);
    if (r->bad)
        return NULL;
    if (!s->in_launch)
        return "a chunk outside a launch";
    if (f->chunk.n >= entries_max(f))
        return "more chunks than a file of its size can have";
    struct launch_entry *l = &f->launch.p[f->launch.n - 1];
    if (c.cta >= trace_ctas(&l->launch))
        return "a chunk of a CTA outside its grid";
    s->prev_cta = c.cta;
    s->prev_block += skip;
    s->at = skip ? 0 : s->at;
    if (s->prev_block >= f->block.n)
        return "a chunk in a block that is not in the file";
    c.block = (uint32_t)s->prev_block;
    c.at = s->at;
    if (c.bytes > f->block.p[c.block].raw - c.at)
        return "a chunk that is longer than its block";
    s->at += c.bytes;
    if (c.bytes < 1 + trace_warps_per_cta(&l->launch))
        return "a chunk that is too short for the lengths of its warps";
    /* Each run of instructions has at least one byte and no more instructions than the kernel. */
    if (c.n_inst > (uint64_t)c.bytes * f->kernel.p[l->launch.kernel]->n_inst)
        return "a chunk with more instructions than it can hold";
    if (__builtin_add_overflow(s->insts, c.n_inst, &s->insts))
        return "more instructions than can be counted";
    l->n_inst += c.n_inst;
    l->n_chunk++;
    VEC_PUSH(&f->chunk, c);
    return NULL;
}

const char *journal_read(struct trace_file *f, struct byte_reader *r, struct journal_state *s)
{
    const char *why = NULL;
    const uint8_t *start = r->p;
    while (!why && !r->bad && reader_left(r)) {
        uint64_t kind = get_le(r, 1);
        if (!f->program) {
            size_t n = 0;
            const char *text = kind == JRN_PROGRAM ? get_str(r, &n) : NULL;
            if (!text)
                return "the journal does not start with the program";
            f->program = text_plain(xstrndup(text, n));
            f->program_bytes = (size_t)((const uint8_t *)text + n - start);
        } else if (kind == JRN_EVENT) {
            why = journal_event(f, r, s);
        } else if (kind == JRN_LAUNCH) {
            why = journal_launch(f, r, s);
        } else if (kind == JRN_CHUNK) {
            why = journal_chunk(f, r, s);
        } else if (kind != JRN_LAUNCH_END) {
            why = "a record of unknown kind";
        } else if (!s->in_launch) {
            why = "a launch ends that has not begun";
        } else {
            f->launch.p[f->launch.n - 1].ended = true;
            s->in_launch = false;
        }
    }
    return r->bad ? "the journal ends in the middle of a record" : why;
}

const char *origin_read(struct trace_file *f, struct byte_reader *r)
{
    size_t weir_bytes = 0, machine_bytes = 0;
    const char *weir = get_str(r, &weir_bytes), *machine = get_str(r, &machine_bytes);
    if (!weir || !machine || reader_left(r))
        return "the origin is no version and machine";
    if (f->weir)
        return "there is more than one origin";
    f->weir = text_plain(xstrndup(weir, weir_bytes));
    f->machine = text_plain(xstrndup(machine, machine_bytes));
    return NULL;
}
