/* See renamed.h. */
#include "base/renamed.h"

#include <stdio.h>
#include <string.h>

static const struct {
    enum renamed_kind kind;
    const char *old, *now;
} names[] = {
#define RENAMED(kind_, old_, now_) {RENAMED_##kind_, old_, now_},
#include "base/renamed.def"
#undef RENAMED
};
enum { NAMES = sizeof names / sizeof *names };

/* What follows `old` in `name` where it is `old`, or a bucket of the histogram `old`; otherwise NULL. */
static const char *bucket_after(const char *name, const char *old, enum renamed_kind kind)
{
    const size_t n = strlen(old);
    if (strncmp(name, old, n))
        return NULL;
    const char *rest = name + n;
    if (!*rest)
        return rest;
    return kind == RENAMED_STATISTIC && (!strncmp(rest, ".le_", 4) || !strncmp(rest, ".above_", 7)) ? rest : NULL;
}

bool renamed_hint(unsigned kinds, const char *name, char *out, size_t bytes)
{
    for (unsigned i = 0; i < NAMES; i++) {
        const char *rest = names[i].kind & kinds ? bucket_after(name, names[i].old, names[i].kind) : NULL;
        if (rest) {
            snprintf(out, bytes, "renamed: %s is now %s%s", name, names[i].now, rest);
            return true;
        }
    }
    return false;
}

bool err_hint_renamed(struct err *e, unsigned kinds, const char *name)
{
    char hint[sizeof e->hint];
    if (!renamed_hint(kinds, name, hint, sizeof hint))
        return false;
    err_hint(e, "%s", hint);
    return true;
}

void renamed_each(void (*fn)(void *ctx, enum renamed_kind, const char *old, const char *now), void *ctx)
{
    for (unsigned i = 0; i < NAMES; i++)
        fn(ctx, names[i].kind, names[i].old, names[i].now);
}
