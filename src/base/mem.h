/*
 * Memory helpers: allocation that does not fail, and growable arrays.
 *
 * weir treats running out of host memory as fatal: there is nothing useful a simulator can do then. So xmalloc and
 * friends never return NULL: they say so and end the process with status 2. A growable array is three fields (pointer,
 * count, capacity) grown by VEC_PUSH.
 */
#ifndef WEIR_BASE_MEM_H
#define WEIR_BASE_MEM_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *xmalloc(size_t bytes);
void *xcalloc(size_t n, size_t bytes);
void *xrealloc(void *p, size_t bytes);
void *xreallocarray(void *p, size_t n, size_t bytes);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
/* Zeroed, aligned to 64 bytes (cache line and widest vector); free() releases it. */
void *xaligned(size_t bytes);

/* struct { VEC(int) v; } then VEC_PUSH(&s.v, 3); s.v.p[i]; s.v.n; VEC_FREE(&s.v) */
#define VEC(T)                                                                                                         \
    struct {                                                                                                           \
        T *p;                                                                                                          \
        size_t n, cap;                                                                                                 \
    }
#define VEC_RESERVE(v, want)                                                                                           \
    do {                                                                                                               \
        size_t want_ = (want);                                                                                         \
        if (want_ > (v)->cap) {                                                                                        \
            size_t cap_ = (v)->cap ? (v)->cap * 2 : 8;                                                                 \
            while (cap_ < want_)                                                                                       \
                cap_ *= 2;                                                                                             \
            (v)->p = xreallocarray((v)->p, cap_, sizeof *(v)->p);                                                      \
            (v)->cap = cap_;                                                                                           \
        }                                                                                                              \
    } while (0)
#define VEC_PUSH(v, ...)                                                                                               \
    do {                                                                                                               \
        VEC_RESERVE(v, (v)->n + 1);                                                                                    \
        (v)->p[(v)->n++] = (__VA_ARGS__);                                                                              \
    } while (0)
#define VEC_FREE(v)                                                                                                    \
    do {                                                                                                               \
        free((v)->p);                                                                                                  \
        (v)->p = NULL;                                                                                                 \
        (v)->n = (v)->cap = 0;                                                                                         \
    } while (0)

/* The same with what its elements point to. */
#define VEC_FREE_ALL(v)                                                                                                \
    do {                                                                                                               \
        for (size_t i_ = 0; i_ < (v)->n; i_++)                                                                         \
            free((v)->p[i_]);                                                                                          \
        VEC_FREE(v);                                                                                                   \
    } while (0)

/*
 * Arena: many small objects with one lifetime (a parsed module, a built machine). Freed as a whole. After
 * arena_seal(), an allocation is a BUG: "no allocation while simulating" is checked, not hoped for.
 */
struct arena;
struct arena *arena_new(void);
void arena_free(struct arena *a);
void *arena_alloc(struct arena *a, size_t bytes);   /* zeroed, 16-byte aligned */
void *arena_alloc64(struct arena *a, size_t bytes); /* zeroed, 64-byte aligned */
char *arena_strndup(struct arena *a, const char *s, size_t n);
void arena_seal(struct arena *a);

/* String -> 32-bit value, open addressing; keys are not copied and must outlive the map. */
struct strmap {
    struct strmap_slot {
        const char *key;
        uint32_t len, value;
    } * slot;
    size_t n, cap;
};
#define STRMAP_NONE UINT32_MAX
uint32_t strmap_get(const struct strmap *m, const char *key, size_t len);       /* STRMAP_NONE when absent */
void strmap_put(struct strmap *m, const char *key, size_t len, uint32_t value); /* replaces */
void strmap_free(struct strmap *m);

#endif
