/*
 * Reads a .wt file: the whole index and journal at opening, blocks of chunks as they are asked for.
 *
 * Nothing of the file is believed: frames must tile it without a gap, every length is checked against what is there,
 * and numbers are checked against the tables they point into, so what the accessors give is always consistent. Room is
 * made for what is there, not for what the file says is there; and a recording must be whole: all CTAs of all launches
 * with all their chunks, each launch ended and announced by one event.
 */
#include "trace/reader.h"

#include "base/out_of_memory.h"
#include "base/infile.h"
#include "base/text.h"
#include "trace/table.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* Tables of kernels do not compress as well; what is unpacked of them must be in proportion to what is stored. */
enum { TABLE_FREE_BYTES = 256 << 10, TABLE_RATIO = 256 };

/* Totals that the index states, to be compared with what was found. */
struct totals {
    uint64_t kernels, launches, events, chunks, insts, ordered;
};

/* A launch's chunks; of one that has none, nothing may be asked. */
static struct chunk_entry *launch_chunks(const struct trace_file *f, const struct launch_entry *l)
{
    return l->n_chunk ? f->chunk.p + l->first_chunk : NULL;
}

/*
 * n bytes of the file, until the next call; NULL when they cannot be read. It is not mapped, because a process that
 * truncates a mapped file ends its readers with a signal.
 */
static const uint8_t *file_part(struct trace_file *f, uint64_t offset, size_t n, struct err *e)
{
    if (f->fd < 0)
        return f->bytes + offset;
    VEC_RESERVE(&f->from_file, n + 1);
    for (size_t at = 0; at < n;) {
        const ssize_t got = pread(f->fd, f->from_file.p + at, n - at, (off_t)(offset + at));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            err_offset(e, f->name, offset + at, "cannot read: %s", strerror(errno));
            return NULL;
        }
        if (!got) {
            err_offset(e, f->name, offset + at, "the recording became shorter while it was read");
            err_hint(e, "copy or record it again, and leave it alone until weir has ended");
            return NULL;
        }
        at += (size_t)got;
    }
    return f->from_file.p;
}

static int unpack(struct trace_file *f, const struct frame *fr, uint8_t *out, struct err *e)
{
    const uint8_t *stored = file_part(f, fr->offset, fr->stored, e);
    return stored ? frame_unpack(f->z, stored, fr, out, f->name, e) : -1;
}

/* ---- opening ---- */
static int chunk_order(const void *a, const void *b)
{
    const struct chunk_entry *x = a, *y = b;
    if (x->cta != y->cta)
        return x->cta < y->cta ? -1 : 1;
    return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* Whether a launch has all it should: every CTA's chunks 0, 1, 2, ... to its last. They are sorted. */
static int check_whole(const struct trace_file *f, uint32_t index, struct err *e)
{
    const struct launch_entry *l = &f->launch.p[index];
    const struct chunk_entry *c = launch_chunks(f, l);
    uint64_t whole = 0;
    for (size_t i = 0; i < l->n_chunk; i++)
        whole += c[i].last;
    if (l->ended && whole == trace_ctas(&l->launch))
        return 0;
    err_at(e, f->name, 0, 0, "the recording is incomplete: launch %u of kernel %.100s holds %llu of %llu CTAs%s", index,
           f->kernel.p[l->launch.kernel]->name, (unsigned long long)whole, (unsigned long long)trace_ctas(&l->launch),
           l->ended ? "" : " and has not ended");
    return err_hint(e, "the program failed while it was recorded; record it again");
}

/* Sorts a launch's chunks by CTA and checks that each CTA's are 0, 1, 2, ... */
static const char *order_chunks(struct trace_file *f, const struct launch_entry *l)
{
    struct chunk_entry *c = launch_chunks(f, l);
    bool sorted = true;
    for (size_t i = 1; sorted && i < l->n_chunk; i++)
        sorted = chunk_order(&c[i - 1], &c[i]) < 0;
    if (!sorted)
        qsort(c, l->n_chunk, sizeof *c, chunk_order);
    for (size_t i = 0; i < l->n_chunk; i++) {
        bool first = i == 0 || c[i - 1].cta != c[i].cta;
        if (c[i].seq != (first ? 0 : c[i - 1].seq + 1))
            return "a CTA's chunks are not numbered one after the other";
        if (!first && c[i - 1].last)
            return "a CTA continues after its last chunk";
    }
    return NULL;
}

static int read_index(struct trace_file *f, const struct frame *index, const uint8_t *raw, frame_vec *frames,
                      struct totals *t, struct err *e)
{
    struct byte_reader r = {raw, raw + index->raw, false};
    uint64_t n = get_var(&r), at = HEADER_BYTES;
    for (uint64_t i = 0; i < n && !r.bad; i++) {
        struct frame fr = {.offset = at};
        fr.kind = (uint8_t)get_le(&r, 1);
        fr.stored = get_var32(&r);
        fr.raw = get_var32(&r);
        if (r.bad || fr.kind >= FRAME_INDEX || fr.stored < FRAME_HEAD_BYTES || fr.raw > FRAME_MAX_RAW ||
            fr.stored > index->offset - at ||
            (fr.kind == FRAME_KERNEL && fr.raw > TABLE_FREE_BYTES + (uint64_t)fr.stored * TABLE_RATIO))
            return err_offset(e, f->name, index->offset, "the index names an impossible frame; the file is corrupt");
        at += fr.stored;
        VEC_PUSH(frames, fr);
    }
    t->kernels = get_var(&r);
    t->launches = get_var(&r);
    t->events = get_var(&r);
    t->chunks = get_var(&r);
    t->insts = get_var(&r);
    t->ordered = f->format < 5 ? 0 : get_var(&r);
    if (r.bad || reader_left(&r) || at != index->offset)
        return err_offset(e, f->name, index->offset, "the index does not describe the file; the file is corrupt");
    return 0;
}

static int read_frames(struct trace_file *f, const frame_vec *frames, const struct totals *t, struct err *e)
{
    byte_vec raw = {0};
    struct journal_state state = {0};
    const char *why = NULL;
    int rc = 0;
    for (size_t i = 0; i < frames->n; i++) {
        if (frames->p[i].kind != FRAME_ORIGIN)
            VEC_PUSH(&f->part, frames->p[i]);
        if (frames->p[i].kind == FRAME_BLOCK) {
            VEC_PUSH(&f->block, frames->p[i]);
            f->stream_bytes += frames->p[i].stored;
        }
    }
    /* Kernels first: launches in the journal point at them. */
    for (unsigned kind = FRAME_KERNEL; !rc && kind <= FRAME_ORIGIN; kind++)
        for (size_t i = 0; !rc && i < frames->n; i++) {
            const struct frame *fr = &frames->p[i];
            if (fr->kind != kind)
                continue;
            VEC_RESERVE(&raw, fr->raw + 1u);
            rc = unpack(f, fr, raw.p, e);
            if (rc)
                break;
            struct byte_reader r = {raw.p, raw.p + fr->raw, false};
            if (kind == FRAME_KERNEL) {
                struct trace_kernel *k = arena_alloc(f->arena, sizeof *k);
                why = table_get(&r, f->arena, k);
                VEC_PUSH(&f->kernel, k);
            } else {
                why = kind == FRAME_JOURNAL ? journal_read(f, &r, &state) : origin_read(f, &r);
            }
            if (why)
                rc = err_offset(e, f->name, fr->offset, "%s; the file is corrupt", why);
        }
    VEC_FREE(&raw);
    if (rc)
        return rc;
    if (!f->program)
        why = "the journal does not start with the program";
    else if ((f->format >= 3) != (f->weir != NULL))
        why = "the format and the origin contradict each other";
    for (size_t i = 0; !why && i < f->launch.n; i++)
        why = order_chunks(f, &f->launch.p[i]);
    if (!why && state.announced != f->launch.n)
        why = "not every launch is announced by an event";
    if (!why && (t->kernels != f->kernel.n || t->launches != f->launch.n || t->events != f->event.n ||
                 t->chunks != f->chunk.n || t->insts != state.insts || t->ordered != state.ordered))
        why = "the journal does not hold what the index counts";
    if (why)
        return err_offset(e, f->name, HEADER_BYTES, "%s; the file is corrupt", why);
    for (size_t i = 0; !rc && i < f->launch.n; i++)
        rc = check_whole(f, (uint32_t)i, e);
    return rc;
}

static int read_header(struct trace_file *f, struct err *e)
{
    const size_t n = f->n_bytes < HEADER_BYTES ? f->n_bytes : HEADER_BYTES;
    const uint8_t *head = file_part(f, 0, n, e);
    if (!head)
        return -1;
    struct byte_reader r = {head, head + n, false};
    const uint8_t *magic = get_bytes(&r, sizeof file_magic);
    if (!magic || memcmp(magic, file_magic, sizeof file_magic)) {
        err_offset(e, f->name, 0, "this is not a weir recording");
        return magic && !memcmp(magic, "\177ELF", 4)
                   ? err_hint(e, "record a program first: weir record -o FILE.wt PROGRAM")
                   : -1;
    }
    uint32_t version = (uint32_t)get_le(&r, 4), flags = (uint32_t)get_le(&r, 4);
    if (r.bad) {
        err_offset(e, f->name, f->n_bytes, "the recording is truncated in its header");
        return err_hint(e, "record it again");
    }
    if (version > TRACE_VERSION) {
        err_offset(e, f->name, 8, "the recording has format %u, this weir reads up to %d", version, TRACE_VERSION);
        return err_hint(e, "use the newer weir that wrote it, or record it again");
    }
    if (!version)
        return err_offset(e, f->name, 8, "the recording has format %u, which is unknown", version);
    f->format = version;
    if (flags)
        return err_offset(e, f->name, 12, "the recording uses features 0x%x, which this weir does not know", flags);
    return 0;
}

/* Finds the index through the footer. */
static int read_footer(struct trace_file *f, struct frame *index, struct err *e)
{
    const bool room = f->n_bytes >= HEADER_BYTES + FOOTER_BYTES;
    const uint8_t *at = room ? file_part(f, f->n_bytes - FOOTER_BYTES, FOOTER_BYTES, e) : NULL;
    if (room && !at)
        return -1;
    if (!room || memcmp(at + 24, footer_magic, sizeof footer_magic)) {
        err_offset(e, f->name, f->n_bytes, "the recording is truncated: its end is missing");
        return err_hint(e, "record it again; was the disk full or the program killed?");
    }
    struct byte_reader r = {at, at + FOOTER_BYTES, false};
    uint64_t offset = get_le(&r, 8), total = get_le(&r, 8);
    uint32_t raw = (uint32_t)get_le(&r, 4), crc = (uint32_t)get_le(&r, 4);
    uint64_t footer_at = f->n_bytes - FOOTER_BYTES;
    if (crc != crc32_of(0, at, 20))
        return err_offset(e, f->name, footer_at, "the footer's checksum differs; the file is corrupt");
    if (total != f->n_bytes) {
        err_offset(e, f->name, footer_at, "the recording should have %llu bytes and has %zu", (unsigned long long)total,
                   f->n_bytes);
        return err_hint(e, "a part of it is missing; copy or record it again");
    }
    if (offset < HEADER_BYTES || offset > footer_at || footer_at - offset < FRAME_HEAD_BYTES ||
        footer_at - offset > UINT32_MAX || raw > FRAME_MAX_RAW || raw > f->n_bytes + 64)
        return err_offset(e, f->name, footer_at, "the footer names an impossible index; the file is corrupt");
    *index = (struct frame){offset, (uint32_t)(footer_at - offset), raw, FRAME_INDEX};
    return 0;
}

static int read_all(struct trace_file *f, struct err *e)
{
    struct frame index;
    struct totals totals = {0};
    frame_vec frames = {0};
    if (read_header(f, e) || read_footer(f, &index, e))
        return -1;
    uint8_t *raw = xmalloc(index.raw + 1u);
    int rc = unpack(f, &index, raw, e);
    if (!rc)
        rc = read_index(f, &index, raw, &frames, &totals, e);
    if (!rc)
        rc = read_frames(f, &frames, &totals, e);
    free(raw);
    VEC_FREE(&frames);
    return rc;
}

static struct trace_file *open_bytes(int fd, const void *bytes, size_t n, const char *name, struct err *e)
{
    struct trace_file *f = xcalloc(1, sizeof *f);
    f->name = xstrdup(name);
    f->fd = fd;
    f->bytes = bytes;
    f->n_bytes = n;
    f->arena = arena_new();
    f->z = ZSTD_createDCtx();
    if (!f->z)
        out_of_memory(0);
    if (read_all(f, e)) {
        trace_close(f);
        return NULL;
    }
    return f;
}

struct trace_file *trace_open_mem(const void *bytes, size_t n, const char *name, struct err *e)
{
    return open_bytes(-1, bytes, n, name, e);
}

struct trace_file *trace_open(const char *path, struct err *e)
{
    const int fd = infile_fd(path, INFILE_ANY_SIZE, e);
    struct stat st;
    if (fd < 0)
        return NULL;
    if (fstat(fd, &st) || !st.st_size) {
        err_at(e, path, 0, 0, "the file is empty");
        close(fd);
        return NULL;
    }
    return open_bytes(fd, NULL, (size_t)st.st_size, path, e);
}

void trace_close(struct trace_file *f)
{
    if (!f)
        return;
    for (int i = 0; i < CACHE_BLOCKS; i++)
        free(f->cache[i].p);
    ZSTD_freeDCtx(f->z);
    arena_free(f->arena);
    VEC_FREE(&f->part);
    VEC_FREE(&f->block);
    VEC_FREE(&f->kernel);
    VEC_FREE(&f->launch);
    VEC_FREE(&f->event);
    VEC_FREE(&f->chunk);
    VEC_FREE(&f->from_file);
    if (f->fd >= 0)
        close(f->fd);
    free(f->program);
    free(f->weir);
    free(f->machine);
    free(f->name);
    free(f);
}

/* ---- accessors ---- */
uint32_t trace_format(const struct trace_file *f)
{
    return f->format;
}

struct trace_origin trace_get_origin(const struct trace_file *f)
{
    return (struct trace_origin){f->weir ? f->weir : "", f->machine ? f->machine : ""};
}

int trace_each_part(struct trace_file *f, void (*fn)(void *ctx, const void *bytes, size_t n), void *ctx, struct err *e)
{
    for (size_t i = 0; i < f->part.n; i++) {
        const struct frame *fr = &f->part.p[i];
        const uint8_t *stored = fr->kind != FRAME_JOURNAL ? file_part(f, fr->offset, fr->stored, e) : NULL;
        if (!stored && fr->kind != FRAME_JOURNAL)
            return -1;
        if (stored)
            fn(ctx, stored, fr->stored);
    }
    /* The journal as it was before it was cut into frames: how long the command line is decides where. */
    byte_vec raw = {0};
    size_t skip = f->program_bytes;
    int rc = 0;
    for (size_t i = 0; i < f->part.n && !rc; i++) {
        const struct frame *fr = &f->part.p[i];
        const size_t cut = skip < fr->raw ? skip : fr->raw;
        if (fr->kind != FRAME_JOURNAL)
            continue;
        VEC_RESERVE(&raw, fr->raw + 1u);
        rc = unpack(f, fr, raw.p, e);
        if (!rc)
            fn(ctx, raw.p + cut, fr->raw - cut);
        skip -= cut;
    }
    VEC_FREE(&raw);
    return rc;
}

const char *trace_program(const struct trace_file *f)
{
    return f->program;
}
uint32_t trace_n_kernels(const struct trace_file *f)
{
    return (uint32_t)f->kernel.n;
}
const struct trace_kernel *trace_get_kernel(const struct trace_file *f, uint32_t i)
{
    return f->kernel.p[i];
}
uint32_t trace_n_launches(const struct trace_file *f)
{
    return (uint32_t)f->launch.n;
}
const struct trace_launch *trace_get_launch(const struct trace_file *f, uint32_t i)
{
    return &f->launch.p[i].launch;
}
uint64_t trace_n_events(const struct trace_file *f)
{
    return f->event.n;
}
const struct trace_event *trace_get_event(const struct trace_file *f, uint64_t i)
{
    return &f->event.p[i];
}
uint64_t trace_launch_insts(const struct trace_file *f, uint32_t launch)
{
    return f->launch.p[launch].n_inst;
}
uint64_t trace_stream_bytes(const struct trace_file *f)
{
    return f->stream_bytes;
}

uint64_t trace_launch_bytes(const struct trace_file *f, uint32_t launch)
{
    const struct launch_entry *l = &f->launch.p[launch];
    double bytes = 0;
    for (size_t i = 0; i < l->n_chunk; i++) {
        const struct chunk_entry *c = &f->chunk.p[l->first_chunk + i];
        const struct frame *b = &f->block.p[c->block];
        bytes += b->raw ? (double)c->bytes * b->stored / b->raw : 0;
    }
    return (uint64_t)(bytes + 0.5);
}

uint64_t trace_launch_unpacked_bytes(const struct trace_file *f, uint32_t launch)
{
    const struct launch_entry *l = &f->launch.p[launch];
    uint64_t bytes = 0;
    for (size_t i = 0; i < l->n_chunk; i++)
        bytes += f->chunk.p[l->first_chunk + i].bytes;
    return bytes;
}

/* ---- chunks ---- */

/* First chunk of the launch whose CTA is not below `cta`: an index from the launch's first chunk. */
static size_t cta_begin(const struct trace_file *f, const struct launch_entry *l, uint64_t cta)
{
    const struct chunk_entry *c = launch_chunks(f, l);
    size_t low = 0, high = l->n_chunk;
    if (cta < l->n_chunk && c[cta].cta == cta && c[cta].seq == 0)
        return (size_t)cta; /* one chunk for each CTA so far: the common case */
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (c[mid].cta < cta)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

uint32_t trace_cta_chunks(const struct trace_file *f, uint32_t launch, uint64_t cta)
{
    const struct launch_entry *l = &f->launch.p[launch];
    const struct chunk_entry *c = launch_chunks(f, l);
    size_t i = cta_begin(f, l, cta), end = i;
    while (end < l->n_chunk && c[end].cta == cta)
        end++;
    return (uint32_t)(end - i);
}

void trace_insts_before(const struct trace_file *f, uint32_t launch, uint64_t *out)
{
    const struct launch_entry *l = &f->launch.p[launch];
    const struct chunk_entry *c = launch_chunks(f, l);
    const uint64_t n = trace_ctas(&l->launch);
    size_t i = 0;
    out[0] = 0;
    for (uint64_t cta = 0; cta < n; cta++) {
        out[cta + 1] = out[cta];
        for (; i < l->n_chunk && c[i].cta == cta; i++)
            out[cta + 1] += c[i].n_inst;
    }
}

uint64_t trace_next_cta(const struct trace_file *f, uint32_t launch, uint64_t from)
{
    const struct launch_entry *l = &f->launch.p[launch];
    size_t i = cta_begin(f, l, from);
    return i < l->n_chunk ? f->chunk.p[l->first_chunk + i].cta : UINT64_MAX;
}

static void cache_drop(struct trace_file *f, struct cached_block *b)
{
    f->cache_bytes -= b->bytes;
    free(b->p);
    *b = (struct cached_block){0};
}

static struct cached_block *cache_oldest(struct trace_file *f)
{
    struct cached_block *oldest = NULL;
    for (int i = 0; i < CACHE_BLOCKS; i++)
        if (f->cache[i].p && (!oldest || f->cache[i].used < oldest->used))
            oldest = &f->cache[i];
    return oldest;
}

/* The unpacked bytes of a block, from the cache or the file; NULL on error. */
static const uint8_t *block_get(struct trace_file *f, uint32_t block, struct err *e)
{
    struct cached_block *slot = NULL;
    for (int i = 0; i < CACHE_BLOCKS; i++) {
        struct cached_block *b = &f->cache[i];
        if (b->p && b->block == block) {
            b->used = ++f->clock;
            return b->p;
        }
        if (!b->p)
            slot = b;
    }
    const struct frame *fr = &f->block.p[block];
    uint8_t *p = xmalloc(fr->raw + 1u);
    if (unpack(f, fr, p, e)) {
        free(p);
        return NULL;
    }
    struct cached_block *old;
    while ((old = cache_oldest(f)) && (!slot || f->cache_bytes + fr->raw > CACHE_BYTES)) {
        cache_drop(f, old);
        slot = old;
    }
    *slot = (struct cached_block){p, block, fr->raw, ++f->clock};
    f->cache_bytes += fr->raw;
    return p;
}

void stream_buf_free(struct stream_buf *b)
{
    free(b->p);
    *b = (struct stream_buf){0};
}

int trace_read_chunk(struct trace_file *f, uint32_t launch, uint64_t cta, uint32_t seq, struct stream_buf *buf,
                     struct stream_chunk *out, struct err *e)
{
    if (launch >= f->launch.n)
        return err_set(e, "%s: launch %u does not exist", f->name, launch);
    const struct launch_entry *l = &f->launch.p[launch];
    const struct chunk_entry *chunks = launch_chunks(f, l);
    size_t at = cta_begin(f, l, cta);
    if (at + seq >= l->n_chunk || chunks[at + seq].cta != cta)
        return err_set(e, "%s: launch %u has no chunk %u of CTA %llu", f->name, launch, seq, (unsigned long long)cta);
    const struct chunk_entry *c = &chunks[at + seq];
    const uint8_t *block = block_get(f, c->block, e);
    if (!block)
        return -1;

    struct byte_reader r = {block + c->at, block + c->at + c->bytes, false};
    uint32_t n_warp = get_var32(&r);
    if (r.bad || n_warp != trace_warps_per_cta(&l->launch))
        return err_offset(e, f->name, f->block.p[c->block].offset, "a chunk has %u warps; the file is corrupt", n_warp);
    size_t want = n_warp * sizeof(uint32_t) + c->bytes;
    if (want > buf->cap) {
        buf->p = xrealloc(buf->p, want);
        buf->cap = want;
    }
    uint32_t *end = (uint32_t *)(void *)buf->p;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n_warp; i++) {
        sum += get_var32(&r);
        end[i] = (uint32_t)sum;
    }
    if (r.bad || sum != reader_left(&r))
        return err_offset(e, f->name, f->block.p[c->block].offset,
                          "a chunk's pieces do not add up to it; the file is corrupt");
    uint8_t *bytes = buf->p + n_warp * sizeof(uint32_t);
    memcpy(bytes, r.p, (size_t)sum);
    bool more = at + seq + 1 < l->n_chunk && chunks[at + seq + 1].cta == cta;
    *out = (struct stream_chunk){cta, seq, !more, n_warp, c->n_inst, end, bytes};
    return 0;
}
