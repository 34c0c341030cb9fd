/* Parses the text of Accel-Sim's kernel traces. */
#include "import/accelsim.h"

#include "base/mem.h"

#include <inttypes.h>
#include <limits.h>

struct reader {
    struct lines *lines;
    const struct accelsim_visitor *to;
    struct accelsim_kernel kernel;
    char *name;
    char *line;
    uint32_t announced, seen; /* instructions of the current warp */
    uint32_t warp;
    bool in_cta, numbered, in_warp; /* numbered: the current CTA's 'thread block =' has been read */
    struct accelsim_inst inst;
    struct err *e;
};

#define WRONG(r, ...) lines_err((r)->lines, (r)->e, __VA_ARGS__)

/* ---- words ---- */

/* The next word of the line, terminated by a zero; NULL = the line has no more. */
static char *word(char **at)
{
    char *p = *at + strspn(*at, " \t");
    if (!*p)
        return NULL;
    char *end = p + strcspn(p, " \t");
    *at = *end ? end + 1 : end;
    *end = '\0';
    return p;
}

/* Like strtoull, but accepts neither a sign nor anything after the number. */
static bool whole(const char *text, int base, uint64_t most, uint64_t *v)
{
    uint64_t n = 0;
    if (base == 16 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
        text += 2;
    if (!*text)
        return false;
    for (; *text; text++) {
        unsigned digit = *text >= '0' && *text <= '9'   ? (unsigned)(*text - '0')
                         : *text >= 'a' && *text <= 'f' ? (unsigned)(*text - 'a' + 10)
                         : *text >= 'A' && *text <= 'F' ? (unsigned)(*text - 'A' + 10)
                                                        : 16;
        if (digit >= (unsigned)base || __builtin_mul_overflow(n, (uint64_t)base, &n) ||
            __builtin_add_overflow(n, (uint64_t)digit, &n) || n > most)
            return false;
    }
    *v = n;
    return true;
}

/* Reads the number that must come next in the line; `what` names it in messages. */
static int number(struct reader *r, char **at, int base, uint64_t most, const char *what, uint64_t *v)
{
    const char *w = word(at);
    if (!w)
        return WRONG(r, "the line ends before the %s", what);
    if (!whole(w, base, most, v))
        return WRONG(r, "'%.40s' is not a %s", w, what);
    return 0;
}

static int signed_number(struct reader *r, char **at, const char *what, int64_t *v)
{
    const char *w = word(at);
    uint64_t n;
    if (!w)
        return WRONG(r, "the line ends before the %s", what);
    if (!whole(w + (*w == '-'), 10, INT64_MAX, &n))
        return WRONG(r, "'%.40s' is not a %s", w, what);
    *v = *w == '-' ? -(int64_t)n : (int64_t)n;
    return 0;
}

/* ---- registers ---- */

static int registers(struct reader *r, char **at, unsigned most, const char *what, unsigned *n, uint16_t *reg)
{
    static const struct {
        const char *prefix;
        uint16_t first, count, none; /* register `none` is constant, so no instruction waits for it */
    } kind[] = {{"UR", ACCELSIM_UNIFORM, 64, 63},
                {"UP", ACCELSIM_PREDICATE + 8, 8, 7},
                {"R", 0, 256, 255},
                {"P", ACCELSIM_PREDICATE, 8, 7}};
    uint64_t count, v;
    if (number(r, at, 10, most, what, &count))
        return -1;
    *n = (unsigned)count;
    for (unsigned i = 0; i < count; i++) {
        const char *w = word(at);
        unsigned k = 0;
        if (!w)
            return WRONG(r, "the line names %u of %u registers", i, (unsigned)count);
        while (k < sizeof kind / sizeof *kind && strncmp(w, kind[k].prefix, strlen(kind[k].prefix)) != 0)
            k++;
        if (k == sizeof kind / sizeof *kind || !whole(w + strlen(kind[k].prefix), 10, (uint64_t)kind[k].count - 1, &v))
            return WRONG(r, "'%.40s' is not a register", w);
        reg[i] = v == kind[k].none ? ACCELSIM_NO_REGISTER : (uint16_t)(kind[k].first + v);
    }
    return 0;
}

/* ---- addresses ---- */

static int addresses(struct reader *r, char **at, struct accelsim_inst *i)
{
    uint64_t how, a = 0;
    int64_t step = 0;
    if (number(r, at, 10, 2, "form of addresses (0, 1 or 2)", &how))
        return -1;
    if (how && number(r, at, 16, UINT64_MAX, "address", &a))
        return -1;
    if (how == 1 && signed_number(r, at, "stride", &step))
        return -1;
    unsigned previous = UINT_MAX;
    for (uint32_t left = i->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        if (how == 0 && number(r, at, 16, UINT64_MAX, "address", &a))
            return -1;
        if (how == 1 && previous != UINT_MAX) {
            if (lane != previous + 1)
                return WRONG(r, "strided addresses need contiguous lanes; the mask is %08x", i->mask);
            a += (uint64_t)step;
        }
        if (how == 2 && previous != UINT_MAX) {
            if (signed_number(r, at, "difference of addresses", &step))
                return -1;
            a += (uint64_t)step;
        }
        i->addr[lane] = a;
        previous = lane;
    }
    i->addresses = true;
    return 0;
}

/* ---- instructions ---- */

static int instruction(struct reader *r)
{
    struct accelsim_inst *i = &r->inst;
    char *at = r->line;
    uint64_t v;
    if (!r->in_warp)
        return WRONG(r, "an instruction is outside any warp");
    if (r->seen == r->announced)
        return WRONG(r, "warp %u has more than its declared %u instructions", r->warp, r->announced);
    r->seen++;
    for (int k = 0; k < 4 && r->kernel.tracer_version < 3; k++) /* thread block and warp, repeated in every line */
        if (number(r, &at, 10, UINT32_MAX, "thread block", &v))
            return -1;
    i->line = 0;
    if (r->kernel.line_numbers) {
        if (number(r, &at, 10, UINT32_MAX, "line number", &v))
            return -1;
        i->line = (uint32_t)v;
    }
    if (number(r, &at, 16, UINT32_MAX, "pc", &v))
        return -1;
    i->pc = (uint32_t)v;
    if (number(r, &at, 16, UINT32_MAX, "mask", &v))
        return -1;
    i->mask = (uint32_t)v;
    if (registers(r, &at, ACCELSIM_DSTS, "number of results", &i->n_dst, i->dst))
        return -1;
    i->opcode = word(&at);
    if (!i->opcode || *i->opcode < 'A' || *i->opcode > 'Z')
        return WRONG(r, "no opcode after the results");
    if (registers(r, &at, ACCELSIM_SRCS, "number of sources", &i->n_src, i->src) ||
        number(r, &at, 10, 64, "width of the access", &v))
        return -1;
    i->addresses = false;
    if (v && addresses(r, &at, i))
        return -1;
    /* Later tracers append immediates, which weir ignores. */
    for (const char *w = word(&at); w; w = word(&at))
        if (!strncmp(w, "0x", 2) && i->addresses)
            return WRONG(r, "there are more addresses than lanes in the mask %08x", i->mask);
    return r->to->inst(r->to->ctx, i, r->e);
}

/* ---- the header: lines "-key = value" ---- */

static int dimensions(struct reader *r, const char *value, uint32_t d[3])
{
    char tail;
    if (sscanf(value, " (%" SCNu32 ",%" SCNu32 ",%" SCNu32 ") %c", &d[0], &d[1], &d[2], &tail) != 3)
        return WRONG(r, "'%.60s' is not (x,y,z)", value);
    return 0;
}

static int header_number(struct reader *r, const char *value, int base, uint64_t most, uint64_t *v)
{
    if (!whole(value, base, most, v))
        return WRONG(r, "'%.60s' is not a number that fits here", value);
    return 0;
}

static int header_line(struct reader *r)
{
    struct accelsim_kernel *k = &r->kernel;
    char *value = strstr(r->line, " = ");
    if (!value)
        return WRONG(r, "the header has '%.60s' where '-key = value' must be", r->line);
    *value = '\0';
    value += 3;
    value += strspn(value, " \t");
    const char *key = r->line + 1;
    uint64_t v = 0;
    if (!strcmp(key, "kernel name")) {
        free(r->name);
        k->name = r->name = xstrdup(value);
        return 0;
    }
    if (!strcmp(key, "grid dim"))
        return dimensions(r, value, k->grid);
    if (!strcmp(key, "block dim"))
        return dimensions(r, value, k->block);

    static const struct {
        const char *key;
        int base;
    } numbers[] = {
        {"shmem", 10},          {"nregs", 10},           {"binary version", 10},  {"accelsim tracer version", 10},
        {"cuda stream id", 10}, {"enable lineinfo", 10}, {"shmem base_addr", 16}, {"local mem base_addr", 16}};
    unsigned which = 0;
    while (which < sizeof numbers / sizeof *numbers && strcmp(key, numbers[which].key) != 0)
        which++;
    if (which == sizeof numbers / sizeof *numbers)
        return 0; /* kernel id, version of NVBit, keys that later tracers add: weir ignores them */
    if (header_number(r, value, numbers[which].base, which < 4 ? UINT32_MAX : UINT64_MAX, &v))
        return -1;
    switch (which) {
    case 0:
        k->shared_bytes = (uint32_t)v;
        break;
    case 1:
        k->registers = (uint32_t)v;
        break;
    case 2:
        k->binary_version = (uint32_t)v;
        break;
    case 3:
        k->tracer_version = (uint32_t)v;
        break;
    case 4:
        k->stream = v;
        break;
    case 5:
        k->line_numbers = v != 0;
        break;
    case 6:
        k->shared_base = v;
        break;
    default:
        k->local_base = v;
    }
    return 0;
}

static int header_end(struct reader *r)
{
    const struct accelsim_kernel *k = &r->kernel;
    uint64_t ctas = 1, threads = 1;
    if (!k->name || !*k->name)
        return WRONG(r, "the header has no '-kernel name'");
    for (int i = 0; i < 3; i++) {
        if (!k->grid[i] || !k->block[i])
            return WRONG(r, "the header has no '-%s dim', or an empty one", k->grid[i] ? "block" : "grid");
        if (__builtin_mul_overflow(ctas, (uint64_t)k->grid[i], &ctas) || ctas > UINT32_MAX)
            return WRONG(r, "the grid has too many thread blocks");
        if (k->block[i] > 1024 || (threads *= k->block[i]) > 1024)
            return WRONG(r, "a thread block has more than 1024 threads");
    }
    return r->to->kernel(r->to->ctx, k, r->e);
}

/* ---- thread blocks ---- */

static int warp_end(struct reader *r)
{
    if (r->in_warp && r->seen < r->announced)
        return WRONG(r, "warp %u has %u of its declared %u instructions", r->warp, r->seen, r->announced);
    r->in_warp = false;
    return 0;
}

static int cta_line(struct reader *r)
{
    const uint32_t *g = r->kernel.grid;
    uint32_t at[3];
    char tail;
    if (sscanf(r->line, "thread block = %" SCNu32 ",%" SCNu32 ",%" SCNu32 " %c", &at[0], &at[1], &at[2], &tail) != 3)
        return WRONG(r, "'%.60s' is not 'thread block = x,y,z'", r->line);
    if (r->numbered)
        return WRONG(r, "a second 'thread block =' in one thread block");
    r->numbered = true;
    if (at[0] >= g[0] || at[1] >= g[1] || at[2] >= g[2])
        return WRONG(r, "thread block (%u,%u,%u) is outside the grid (%u,%u,%u)", at[0], at[1], at[2], g[0], g[1],
                     g[2]);
    return r->to->cta(r->to->ctx, ((uint64_t)at[2] * g[1] + at[1]) * g[0] + at[0], r->e);
}

static int warp_line(struct reader *r)
{
    const uint32_t *b = r->kernel.block;
    char tail;
    if (warp_end(r))
        return -1;
    if (sscanf(r->line, "warp = %" SCNu32 " %c", &r->warp, &tail) != 1)
        return WRONG(r, "'%.60s' is not 'warp = n'", r->line);
    if (r->warp >= (b[0] * b[1] * b[2] + TRACE_WARP_SIZE - 1) / TRACE_WARP_SIZE)
        return WRONG(r, "warp %u is outside the thread block (%u,%u,%u)", r->warp, b[0], b[1], b[2]);
    r->in_warp = true;
    r->announced = r->seen = 0;
    return r->to->warp(r->to->ctx, r->warp, r->e);
}

static int insts_line(struct reader *r)
{
    char tail;
    if (!r->in_warp || r->seen || sscanf(r->line, "insts = %" SCNu32 " %c", &r->announced, &tail) != 1)
        return WRONG(r, "'insts = n' must follow 'warp = n'");
    return 0;
}

static bool begins(const char *line, const char *with)
{
    return !strncmp(line, with, strlen(with));
}

/* A line after the header. */
static int body_line(struct reader *r)
{
    if (begins(r->line, "#BEGIN_TB")) {
        if (r->in_cta)
            return WRONG(r, "a thread block begins before the previous one ended");
        r->in_cta = true;
        r->numbered = false;
        return 0;
    }
    if (!r->in_cta) {
        if (*r->line == '#')
            return 0; /* a comment */
        WRONG(r, "'%.40s' is outside any thread block", r->line);
        return err_hint(r->e,
                        "traces must be grouped by thread block: run Accel-Sim's post-traces-processing and name "
                        "kernelslist.g");
    }
    if (r->numbered && begins(r->line, "#END_TB")) {
        r->in_cta = false;
        return warp_end(r) || r->to->cta_end(r->to->ctx, r->e) ? -1 : 0;
    }
    if (begins(r->line, "thread block"))
        return cta_line(r);
    if (!r->numbered)
        return WRONG(r, "'thread block = x,y,z' must follow #BEGIN_TB");
    if (begins(r->line, "warp"))
        return warp_line(r);
    if (begins(r->line, "insts"))
        return insts_line(r);
    return instruction(r);
}

int accelsim_read(struct lines *lines, const struct accelsim_visitor *to, struct err *e)
{
    struct reader r = {.lines = lines, .to = to, .e = e, .kernel = {.tracer_version = 3}};
    bool header = true;
    int rc = 0, got = 0;
    while (!rc && (got = lines_next(lines, &r.line, e)) > 0) {
        if (!*r.line)
            continue;
        if (header && *r.line == '-') {
            rc = header_line(&r);
            continue;
        }
        if (header) {
            header = false;
            rc = header_end(&r);
        }
        if (!rc)
            rc = body_line(&r);
    }
    if (!rc && !got && header)
        rc = WRONG(&r, "the file has no thread block");
    if (!rc && !got && r.in_cta)
        rc = WRONG(&r, "the file ends inside a thread block: it is truncated");
    free(r.name);
    return rc || got < 0 ? -1 : 0;
}
