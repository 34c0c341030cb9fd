/*
 * What a person calls the array that an access reads: the name of the kernel's parameter, as written in the source
 * only, or of the variable.
 *
 * The source is searched for the kernel's definition, "__global__ ... name(", without a parser: a name that macros make
 * is not found, and the parameter then has its number.
 */
#include "profile/profile.h"

#include "base/demangle.h"

#include <ctype.h>
#include <math.h>

enum { SIGNATURE = 2048 };

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* From "__global__" in line `at` up to the body: the lines joined, comments at their ends left out. */
static void signature_of(const struct profile_source *s, size_t at, char out[SIGNATURE])
{
    size_t n = 0;
    for (; at < s->line.n && n + 2 < SIGNATURE; at++) {
        const char *line = s->line.p[at], *comment = strstr(line, "//");
        const size_t end = comment ? (size_t)(comment - line) : strlen(line);
        for (size_t k = 0; k < end && n + 2 < SIGNATURE; k++) {
            if (line[k] == '{' || line[k] == ';')
                goto done;
            out[n++] = line[k];
        }
        out[n++] = ' ';
    }
done:
    out[n] = 0;
}

/* Behind the parenthesis of "name(", the name standing alone; NULL: it is not there. */
static const char *parameters_of(const char *signature, const char *name)
{
    const size_t len = strlen(name);
    for (const char *at = strstr(signature, name); at; at = strstr(at + 1, name)) {
        const char *behind = at + len + strspn(at + len, " \t");
        if (*behind == '(' && (at == signature || !is_word(at[-1])))
            return behind + 1;
    }
    return NULL;
}

/* The name of parameter `index`: the last word before a comma, a default or an array's bounds. */
static bool parameter_name(const char *list, unsigned index, char *out, size_t bytes)
{
    unsigned n = 0;
    int depth = 0;
    const char *last = NULL, *end = NULL;
    bool ended = false;
    for (const char *c = list; *c; c++) {
        const bool over = !depth && (*c == ',' || *c == ')');
        if (over && n == index)
            break;
        if (over && *c == ')')
            return false;
        if (over) {
            n++;
            last = NULL;
            ended = false;
            continue;
        }
        depth += *c == '(' || *c == '<' || *c == '[';
        depth -= *c == ')' || *c == '>' || *c == ']';
        ended |= *c == '=' || *c == '[';
        if (!ended && !depth && is_word(*c) && (c == list || !is_word(c[-1])))
            last = c;
        if (last && !ended && is_word(*c) && (c == last || is_word(c[-1])))
            end = c + 1;
    }
    if (!last || n != index || isdigit((unsigned char)*last))
        return false;
    snprintf(out, bytes, "%.*s", (int)(end - last), last);
    return true;
}

/* Whether some source defines the kernel, and what it calls the parameter. */
static bool find_parameter(const struct profile *p, const struct profile_kernel *k, unsigned index, char *out,
                           size_t bytes)
{
    char signature[SIGNATURE];
    const char *colon = strrchr(k->brief, ':'), *name = colon ? colon + 1 : k->brief;
    for (size_t i = 0; i < p->source.n; i++)
        for (size_t line = 0; line < p->source.p[i].line.n; line++) {
            if (!strstr(p->source.p[i].line.p[line], "__global__"))
                continue;
            signature_of(&p->source.p[i], line, signature);
            const char *list = parameters_of(signature, name);
            if (list && parameter_name(list, index, out, bytes))
                return true;
        }
    return false;
}

static void name_pointer(const struct profile *p, struct profile_access *a)
{
    if (a->variable) {
        char full[256];
        demangle(a->variable, full, sizeof full);
        const char *colon = strrchr(full, ':');
        snprintf(a->pointer, sizeof a->pointer, "%.63s", colon ? colon + 1 : full);
    } else if (a->argument >= 0 &&
               !find_parameter(p, &p->kernel.p[a->kernel], (unsigned)a->argument, a->pointer, sizeof a->pointer)) {
        snprintf(a->pointer, sizeof a->pointer, "parameter %d", a->argument + 1);
    }
}

void profile_name_pointers(struct profile *p)
{
    for (size_t i = 0; i < p->access.n; i++)
        name_pointer(p, &p->access.p[i]);
}

void profile_pointer(const struct profile_access *a, char out[PROFILE_POINTER])
{
    if (!*a->pointer)
        snprintf(out, PROFILE_POINTER, "–");
    else if (a->copies > 1)
        snprintf(out, PROFILE_POINTER, "%s %+.0f … %+.0f (%u copies)", a->pointer, a->offset, a->last_offset,
                 a->copies);
    else if (a->offset != 0)
        snprintf(out, PROFILE_POINTER, "%s %+.0f", a->pointer, a->offset);
    else
        snprintf(out, PROFILE_POINTER, "%s", a->pointer);
}

/* Copies of one access that the compiler unrolled: the same in all but the constant part of the address. */
static bool is_copy(const struct profile_access *a, const struct profile_access *b)
{
    return *a->pointer && a->line == b->line && a->kernel == b->kernel && !strcmp(a->inst, b->inst) &&
           !strcmp(a->pointer, b->pointer) && a->executions == b->executions && a->lanes == b->lanes;
}

static void add_copy(struct profile_access *sum, const struct profile_access *a)
{
    const double answered = sum->answered + a->answered;
    sum->copies++;
    sum->offset = fmin(sum->offset, a->offset);
    sum->last_offset = fmax(sum->last_offset, a->offset);
    sum->pc = a->pc < sum->pc ? a->pc : sum->pc;
    sum->ptx_line = a->ptx_line < sum->ptx_line ? a->ptx_line : sum->ptx_line;
    sum->executions += a->executions;
    sum->lanes += a->lanes;
    sum->lines += a->lines;
    sum->sectors += a->sectors;
    for (int k = 0; k < SERVED_COUNT; k++) {
        const double served = sum->served[k] + a->served[k];
        if (served > 0)
            sum->latency[k] = (sum->latency[k] * sum->served[k] + a->latency[k] * a->served[k]) / served;
        sum->served[k] = served;
    }
    if (answered > 0)
        sum->mean_latency = (sum->mean_latency * sum->answered + a->mean_latency * a->answered) / answered;
    sum->answered = answered;
    sum->cost += a->cost;
}

/* The table is short enough to look through it for each access. */
struct profile_access *profile_group_copies(const struct profile *p, size_t *n)
{
    struct profile_access *group = xmalloc((p->access.n + 1) * sizeof *group);
    const struct profile_access **first = xmalloc((p->access.n + 1) * sizeof *first);
    *n = 0;
    for (size_t i = 0; i < p->access.n; i++) {
        size_t k = 0;
        while (k < *n && !is_copy(first[k], &p->access.p[i]))
            k++;
        if (k < *n)
            add_copy(&group[k], &p->access.p[i]);
        else {
            first[*n] = &p->access.p[i];
            group[*n] = p->access.p[i];
            group[*n].copies = 1;
            group[(*n)++].last_offset = p->access.p[i].offset;
        }
    }
    free(first);
    return group;
}
