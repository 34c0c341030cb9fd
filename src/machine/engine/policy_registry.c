/* Policies by name. */
#include "engine/policy_registry.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int policy_find(const struct policy_kind *k, const char *name)
{
    for (unsigned i = 0; i < k->n; i++)
        if (!strcmp(k->policy[i]->name, name))
            return (int)i;
    return -1;
}

void policy_add(struct policy_kind *k, const struct policy_info *p)
{
    const struct policy_info **all = xmalloc((k->n + 1) * sizeof *all);
    memcpy(all, k->policy, k->n * sizeof *all);
    all[k->n++] = p;
    if (k->added)
        free((void *)k->policy);
    k->policy = all;
    k->added = true;
}

static void (*at_fault)(void);

void policy_at_fault(void (*f)(void))
{
    at_fault = f;
}

_Noreturn void policy_fault(const struct policy_info *p, const char *fmt, ...)
{
    va_list ap;
    fflush(stdout);
    fprintf(stderr, "weir: error in policy '%s': ", p->name);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputs("; fix the policy\n", stderr);
    if (at_fault)
        at_fault();
    for (;;)
        syscall(SYS_exit_group, 2);
}

static uint64_t digest(uint64_t h, const unsigned char *p, size_t bytes)
{
    for (; bytes >= sizeof h; bytes -= sizeof h, p += sizeof h) {
        uint64_t word;
        memcpy(&word, p, sizeof word);
        h = (h ^ word) * 0x9e3779b97f4a7c15ull;
        h ^= h >> 29;
    }
    for (; bytes; bytes--, p++)
        h = (h ^ *p) * 0x9e3779b97f4a7c15ull;
    return h;
}

uint64_t policy_digest(const struct policy_memory *m)
{
    return digest(digest(1, m->state, m->state_bytes), m->line, m->line_bytes);
}

_Noreturn void policy_not_pure(const struct policy_info *p, const char *hook)
{
    policy_fault(p, "%s must neither change state nor answer the same question differently", hook);
}

int policy_hook_failed(const struct policy_info *p, const char *hook, struct err *e)
{
    if (e && !e->msg[0])
        err_set(e, "%s of policy '%s' failed without an error message", hook, p->name);
    return -1;
}

const char *policy_title(const char *kind, char out[POLICY_TITLE])
{
    const bool of_cache = kind[0] == 'l' && kind[1] && kind[2] == '-';
    if (of_cache)
        snprintf(out, POLICY_TITLE, "L%c %s", kind[1], kind + 3);
    else
        snprintf(out, POLICY_TITLE, "%s", kind);
    return out;
}
