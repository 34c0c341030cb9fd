/* See mem.h. */
#include "base/mem.h"
#include "base/err.h"
#include "base/out_of_memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static void (*at_exhaustion)(void);

void at_out_of_memory(void (*f)(void))
{
    at_exhaustion = f;
}

/* Neither exit() nor _exit(): what they start in the CUDA runtime would need memory, too. */
_Noreturn void out_of_memory(size_t bytes)
{
    if (at_exhaustion)
        at_exhaustion();
    fflush(stdout);
    fprintf(stderr,
            "weir: out of memory (requested %zu bytes); increase the memory limit or simulate a smaller input\n",
            bytes);
    for (;;)
        syscall(SYS_exit_group, 2);
}

void *xmalloc(size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);
    if (!p)
        out_of_memory(bytes);
    return p;
}

void *xcalloc(size_t n, size_t bytes)
{
    void *p = calloc(n ? n : 1, bytes ? bytes : 1);
    if (!p)
        out_of_memory(__builtin_mul_overflow(n, bytes, &n) ? SIZE_MAX : n);
    return p;
}

void *xrealloc(void *p, size_t bytes)
{
    p = realloc(p, bytes ? bytes : 1);
    if (!p)
        out_of_memory(bytes);
    return p;
}

void *xreallocarray(void *p, size_t n, size_t bytes)
{
    if (__builtin_mul_overflow(n, bytes, &bytes))
        out_of_memory(SIZE_MAX);
    return xrealloc(p, bytes);
}

char *xstrndup(const char *s, size_t n)
{
    char *p = xmalloc(n + 1);
    memcpy(p, s, n);
    p[n] = 0;
    return p;
}

char *xasprintf(const char *format, ...)
{
    char *text;
    va_list ap;
    va_start(ap, format);
    const int n = vasprintf(&text, format, ap);
    va_end(ap);
    if (n < 0)
        out_of_memory(strlen(format));
    return text;
}

char *xstrdup(const char *s)
{
    return xstrndup(s, strlen(s));
}

void *xaligned(size_t bytes)
{
    if (bytes > SIZE_MAX - 63)
        out_of_memory(bytes);
    size_t rounded = (bytes + 63) & ~(size_t)63;
    void *p = aligned_alloc(64, rounded ? rounded : 64);
    if (!p)
        out_of_memory(bytes);
    memset(p, 0, rounded ? rounded : 64);
    return p;
}

/* Each block is twice as large as the one before, between these. */
enum { ARENA_BLOCK = 64 * 1024, ARENA_BLOCK_MAX = 16 * 1024 * 1024 };

struct arena_block {
    struct arena_block *next;
    void *memory;      /* what was allocated, for free() */
    size_t used, size; /* of data, which starts 64 bytes behind this header */
};

struct arena {
    struct arena_block *head;
    int sealed;
};

struct arena *arena_new(void)
{
    return xcalloc(1, sizeof(struct arena));
}

void arena_free(struct arena *a)
{
    if (!a)
        return;
    for (struct arena_block *b = a->head, *next; b; b = next) {
        next = b->next;
        free(b->memory);
    }
    free(a);
}

static void *arena_take(struct arena *a, size_t bytes, size_t align)
{
    if (a->sealed)
        BUG("allocation of %zu bytes in a sealed arena", bytes);
    struct arena_block *b = a->head;
    size_t at = b ? (b->used + align - 1) & ~(align - 1) : 0;
    if (!b || at + bytes > b->size) {
        size_t next = !b ? ARENA_BLOCK : b->size < ARENA_BLOCK_MAX / 2 ? 2 * b->size : ARENA_BLOCK_MAX;
        size_t size = bytes > next ? bytes : next;
        if (size > SIZE_MAX - 128)
            out_of_memory(size);
        /* calloc takes large blocks from the system as they are, which is zeroed, and clears small ones: a machine's
         * tables are a hundred megabytes, most of which a short run never touches. */
        void *memory = xcalloc(1, size + 128);
        b = (struct arena_block *)(((uintptr_t)memory + 63) & ~(uintptr_t)63);
        b->memory = memory;
        b->size = size;
        b->next = a->head;
        a->head = b;
        at = 0;
    }
    b->used = at + bytes;
    return (char *)b + 64 + at;
}

void *arena_alloc(struct arena *a, size_t bytes)
{
    return arena_take(a, bytes, 16);
}

void *arena_alloc64(struct arena *a, size_t bytes)
{
    return arena_take(a, bytes, 64);
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
    char *p = arena_take(a, n + 1, 1);
    memcpy(p, s, n);
    p[n] = 0;
    return p;
}

void arena_seal(struct arena *a)
{
    a->sealed = 1;
}

static uint32_t strmap_hash(const char *s, size_t n)
{
    uint32_t h = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)s[i]) * 16777619u;
    return h;
}

static size_t strmap_find(const struct strmap *m, const char *key, size_t len)
{
    size_t i = strmap_hash(key, len) & (m->cap - 1);
    while (m->slot[i].key && (m->slot[i].len != len || memcmp(m->slot[i].key, key, len) != 0))
        i = (i + 1) & (m->cap - 1);
    return i;
}

uint32_t strmap_get(const struct strmap *m, const char *key, size_t len)
{
    if (!m->cap)
        return STRMAP_NONE;
    size_t i = strmap_find(m, key, len);
    return m->slot[i].key ? m->slot[i].value : STRMAP_NONE;
}

void strmap_put(struct strmap *m, const char *key, size_t len, uint32_t value)
{
    if (m->n * 2 >= m->cap) {
        struct strmap bigger = {.cap = m->cap ? m->cap * 2 : 16};
        bigger.slot = xcalloc(bigger.cap, sizeof *bigger.slot);
        for (size_t i = 0; i < m->cap; i++)
            if (m->slot[i].key)
                strmap_put(&bigger, m->slot[i].key, m->slot[i].len, m->slot[i].value);
        free(m->slot);
        *m = bigger;
    }
    size_t i = strmap_find(m, key, len);
    if (!m->slot[i].key)
        m->n++;
    m->slot[i] = (struct strmap_slot){key, (uint32_t)len, value};
}

void strmap_free(struct strmap *m)
{
    free(m->slot);
    memset(m, 0, sizeof *m);
}
