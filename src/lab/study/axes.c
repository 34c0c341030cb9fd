/* See axes.h. */
#include "study/axes.h"

#include "base/out_of_memory.h"
#include "base/nearest.h"
#include "engine/config.h"
#include "gpu/gpu.h"
#include "gpu/gpu_config.h"

#include <ctype.h>
#include <math.h>

enum { MOST_VALUES = 1000, MOST_VARIANTS = 10000 };

static int fault(struct inifile_place at, struct err *e, const char *what, const char *hint)
{
    if (at.file)
        err_at(e, at.file, at.line, 0, "%s", what);
    else
        err_set(e, "%s", what);
    return hint ? err_hint(e, "%s", hint) : -1;
}

/* ---- values ---- */

/* "8..64*2": numbers with one unit, from, to and a step that multiplies or adds. */
static int add_range(struct plan_axis *a, const char *word, struct inifile_place at, struct err *e)
{
    char what[200], *end;
    snprintf(what, sizeof what, "%s: '%.100s' is not a range", a->key ? a->key : "sweep", word);
    const char *dots = strstr(word, "..");
    char first[64]; /* apart, since "2." is a number, too */
    snprintf(first, sizeof first, "%.*s", (int)(dots - word), word);
    const double from = strtod(first, &end);
    const char *unit = end;
    const int unit_n = (int)strlen(unit);
    const double to = strtod(dots + 2, &end);
    char *op = end + strcspn(end, "*+"), *last;
    const double step = *op ? strtod(op + 1, &last) : 0;
    if (unit == first || end == dots + 2 || !*op || last == op + 1 || *last)
        return fault(at, e, what,
                     "write it as 8..64*2 (doubled each time) or 8..64+8, with units as in 16KiB..128KiB*2");
    if (op - end != unit_n || strncmp(unit, end, (size_t)unit_n))
        return fault(at, e, what, "its bounds have different units");
    if (from > to || (*op == '*' ? !(step > 1 && from > 0) : !(step > 0)))
        return fault(at, e, what, "it is not finite");
    unsigned n = 0;
    for (double v = from; v <= to * (1 + 1e-12); v = *op == '*' ? v * step : from + step * n) {
        char text[64];
        snprintf(text, sizeof text, "%.12g%.*s", v, unit_n, unit);
        VEC_PUSH(&a->value.word, xstrdup(text));
        if (++n > MOST_VALUES)
            return fault(at, e, what, "it has more than 1000 values");
    }
    return 0;
}

/* Is the key's value a text, which may hold blanks, as l1.carveouts = 8 16 32? */
static bool is_text(const char *key)
{
    const struct cfg_schema *s = gpu_schema();
    const size_t n = strcspn(key, ".");
    for (unsigned i = 0; i < s->n_section; i++)
        for (const struct cfg_field *f = s->section[i]->field; f->key; f++)
            if (strlen(s->section[i]->name) == n && !strncmp(s->section[i]->name, key, n) && key[n] &&
                !strcmp(f->key, key + n + 1))
                return f->type == CFG_TEXT;
    return false;
}

/* At commas only, without the blanks around a value and the quotes that enclose it. */
static void split_texts(struct inifile_words *words, const char *values)
{
    for (const char *w = values; *w; w += *w == ',') {
        w += strspn(w, " \t");
        size_t n = strcspn(w, ",");
        const char *next = w + n;
        while (n && strchr(" \t", w[n - 1]))
            n--;
        const bool in_quotes = n > 1 && (*w == '"' || *w == '\'') && w[n - 1] == *w;
        if (n)
            VEC_PUSH(&words->word, xstrndup(w + in_quotes, n - 2 * in_quotes));
        w = next;
    }
}

static int add_values(struct plan_axis *a, const char *values, struct inifile_place at, struct err *e)
{
    struct inifile_words words = {0};
    if (a->kind == PLAN_AXIS_SET && is_text(a->key))
        split_texts(&words, values);
    else
        inifile_split(&words, values);
    int status = 0;
    for (size_t i = 0; i < words.word.n && !status; i++) {
        const char *w = words.word.p[i];
        if (a->kind == PLAN_AXIS_SET && isdigit((unsigned char)*w) && strstr(w, ".."))
            status = add_range(a, w, at, e);
        else
            VEC_PUSH(&a->value.word, xstrdup(w));
    }
    inifile_free_words(&words);
    return status;
}

static struct plan_axis *axis_of(struct plan *p, enum plan_axis_kind kind, const char *key, struct inifile_place at)
{
    for (size_t i = 0; i < p->sweep.n; i++)
        if (p->sweep.p[i].kind == kind && (!key || !strcmp(p->sweep.p[i].key, key)))
            return &p->sweep.p[i];
    VEC_PUSH(&p->sweep, (struct plan_axis){.kind = kind, .key = key ? xstrdup(key) : NULL, .at = at});
    return &p->sweep.p[p->sweep.n - 1];
}

int axes_add(struct plan *p, enum plan_axis_kind kind, const char *key, const char *values, struct inifile_place at,
             struct err *e)
{
    struct plan_axis *a = axis_of(p, kind, key, at);
    const size_t old = a->value.word.n;
    if (kind == PLAN_AXIS_WITH)
        VEC_PUSH(&a->value.word, xstrdup(values));
    else if (add_values(a, values, at, e))
        return -1;
    while (a->value_at.n < a->value.word.n)
        VEC_PUSH(&a->value_at, at);
    return a->value.word.n > old ? 0 : fault(at, e, "no value given", "write KEY: VALUE VALUE ...");
}

int axes_read(struct plan *p, const struct inifile_item *i, struct err *e)
{
    static const char *const keys[] = {"machine", "with", "set"};
    const struct inifile_place at = INIFILE_PLACE(i);
    if (!strcmp(i->key, "machine"))
        return axes_add(p, PLAN_AXIS_MACHINE, NULL, i->value, at, e);
    if (!strcmp(i->key, "with"))
        return axes_add(p, PLAN_AXIS_WITH, NULL, i->value, at, e);
    if (!strcmp(i->key, "set")) {
        const char *colon = strchr(i->value, ':');
        size_t n = colon ? (size_t)(colon - i->value) : 0;
        while (n && isspace((unsigned char)i->value[n - 1]))
            n--;
        if (!n)
            return err_at(e, i->file, i->line, 0, "set = %s: write it as KEY: VALUE VALUE ...", i->value);
        char *key = xstrndup(i->value, n);
        const int status = axes_add(p, PLAN_AXIS_SET, key, colon + 1, at, e);
        free(key);
        return status;
    }
    err_at(e, i->file, i->line, 0, "there is no key '%s' in [sweep]", i->key);
    return err_hint_nearest(e, i->key, keys, 3, "keys are machine, with and set");
}

/* ---- variants ---- */

/* Appends a coordinate to a name: "gtx480, apcm, l1.size=16KiB"; labels leave out the parameter's section. */
static void append(char *text, size_t bytes, const char *key, const char *value)
{
    const size_t at = strlen(text);
    if (at < bytes)
        snprintf(text + at, bytes - at, "%s%s%s%s", at ? " " : "", key, *key ? "=" : "", value);
}

static char *assignment(const struct plan_axis *a, size_t choice)
{
    return xasprintf("%s=%s", a->key, a->value.word.p[choice]);
}

/* A combination; left[i]: it does without the axis. */
static void add_variant(struct plan *p, const size_t *choice, const bool *left)
{
    char name[512] = "", label[512] = "";
    struct plan_variant v = {0};
    for (size_t i = 0; i < p->sweep.n; i++) {
        const struct plan_axis *a = &p->sweep.p[i];
        const char *value = a->value.word.p[choice[i]];
        const struct inifile_place at = a->value_at.p[choice[i]];
        VEC_PUSH(&v.choice, left[i] ? PLAN_WITHOUT : choice[i]);
        if (left[i])
            continue;
        if (a->kind == PLAN_AXIS_MACHINE) {
            v.machine = plan_machine(p, value, at);
            v.machine_at = at;
        } else if (a->kind == PLAN_AXIS_WITH) {
            v.with = strcmp(value, "baseline") ? xstrdup(value) : NULL;
            v.with_at = at;
        } else {
            VEC_PUSH(&v.set.word, assignment(a, choice[i]));
            v.set.at = at;
        }
        v.at = at;
        const char *dot = a->key ? strrchr(a->key, '.') : NULL;
        if (a->value.word.n > 1) { /* what does not vary needs no name */
            append(name, sizeof name, a->key ? a->key : "", value);
            append(label, sizeof label, a->key ? dot ? dot + 1 : a->key : "", value);
        }
    }
    v.label = xstrdup(*label ? label : v.with ? v.with : "machine");
    v.name = xstrdup(*name ? name : v.label);
    VEC_PUSH(&p->variant, v);
    VEC_PUSH(&p->variants.word, xstrdup(v.name));
}

/* ---- parameters of policies ---- */

/* Can it be a parameter of a policy? Others are of sections that every machine has. */
static bool may_be_of_policy(const char *key)
{
    const struct cfg_schema *s = gpu_schema();
    const size_t n = strcspn(key, ".");
    for (unsigned i = 0; i < s->n_section; i++)
        if (strlen(s->section[i]->name) == n && !strncmp(s->section[i]->name, key, n))
            return false;
    return true;
}

/* Which axes are of policies that this combination has not chosen. */
static void find_unused(const struct plan *p, const size_t *choice, bool *unused)
{
    char *machine = xstrdup(p->machine ? p->machine : GPU_DEFAULT);
    const char *with = NULL;
    VEC(char *) set = {0};
    VEC(size_t) axis = {0};
    for (size_t i = 0; i < p->sweep.n; i++) {
        const struct plan_axis *a = &p->sweep.p[i];
        const char *value = a->value.word.p[choice[i]];
        unused[i] = false;
        if (a->kind == PLAN_AXIS_MACHINE) {
            free(machine);
            machine = plan_machine(p, value, a->value_at.p[choice[i]]);
        } else if (a->kind == PLAN_AXIS_WITH) {
            with = strcmp(value, "baseline") ? value : NULL;
        } else {
            VEC_PUSH(&set, assignment(a, choice[i]));
            VEC_PUSH(&axis, i);
        }
    }
    bool *of_set = xcalloc(set.n + 1, sizeof *of_set);
    cfg_mark_unused(gpu_schema(), machine, (const char *const *)set.p, (unsigned)set.n, with, of_set);
    for (size_t i = 0; i < set.n; i++) {
        unused[axis.p[i]] = of_set[i];
        free(set.p[i]);
    }
    VEC_FREE(&set);
    VEC_FREE(&axis);
    free(of_set);
    free(machine);
}

static void next_choice(const struct plan *p, size_t *choice)
{
    for (size_t k = p->sweep.n; k-- > 0 && ++choice[k] == p->sweep.p[k].value.word.n;)
        choice[k] = 0;
}

/*
 * Which combinations do without which axes, [combination * axes + axis]: those of policies that they have not chosen,
 * as long as any combination has. What none has is left to be refused with the others' faults.
 */
static bool *find_left(const struct plan *p, size_t all)
{
    const size_t n = p->sweep.n;
    bool *left = xcalloc(all * n + 1, sizeof *left), asked = false;
    for (size_t i = 0; i < n && !asked; i++)
        asked = p->sweep.p[i].kind == PLAN_AXIS_SET && may_be_of_policy(p->sweep.p[i].key);
    if (!asked)
        return left;
    size_t *choice = xcalloc(n + 1, sizeof *choice);
    bool *used = xcalloc(n + 1, sizeof *used);
    for (size_t i = 0; i < all; i++, next_choice(p, choice)) {
        find_unused(p, choice, left + i * n);
        for (size_t k = 0; k < n; k++)
            used[k] |= !left[i * n + k];
    }
    for (size_t i = 0; i < all * n; i++)
        left[i] &= used[i % n];
    free(choice);
    free(used);
    return left;
}

/* `normalize` may say "first", or a label as the table shows it where one variant only has it. */
static void name_divisor(struct plan *p)
{
    const char *found = NULL;
    if (!p->normalize || plan_find(p, p->normalize))
        return;
    if (!strcmp(p->normalize, "first"))
        found = p->variants.word.p[0];
    else
        for (size_t i = 0; i < p->variant.n; i++)
            if (!strcmp(p->variant.p[i].label, p->normalize))
                found = found ? "" : p->variant.p[i].name;
    if (!found || !*found)
        return;
    free(p->normalize);
    p->normalize = xstrdup(found);
}

/* ---- normalized within groups ---- */

static const char *axis_name(const struct plan_axis *a)
{
    return a->kind == PLAN_AXIS_MACHINE ? "machine" : a->kind == PLAN_AXIS_WITH ? "with" : a->key;
}

/* The combination that differs from `v` in one axis only, where it has that value. What an axis is of a policy that the
 * other has not chosen, the other does without. */
static const struct plan_variant *sibling(const struct plan *p, const struct plan_variant *v, size_t axis, size_t value)
{
    for (size_t i = 0; i < p->variant.n; i++) {
        const struct plan_variant *w = &p->variant.p[i];
        bool same = w->choice.p[axis] == value;
        for (size_t k = 0; k < p->sweep.n && same; k++)
            same = k == axis || w->choice.p[k] == v->choice.p[k] || w->choice.p[k] == PLAN_WITHOUT;
        if (same)
            return w;
    }
    return NULL;
}

static void name_group(const struct plan *p, struct plan_variant *v, size_t axis)
{
    char panel[512] = "", within[512] = "";
    for (size_t k = 0; k < p->sweep.n; k++) {
        const struct plan_axis *a = &p->sweep.p[k];
        if (a->value.word.n < 2 || v->choice.p[k] == PLAN_WITHOUT)
            continue;
        const bool grouping = k != axis && (a->kind != PLAN_AXIS_SET || !may_be_of_policy(a->key));
        append(grouping ? panel : within, sizeof panel, a->key ? a->key : "", a->value.word.p[v->choice.p[k]]);
    }
    v->panel = *panel ? xstrdup(panel) : NULL;
    v->in_panel = xstrdup(within);
}

/* `normalize = with:baseline`: every combination is divided by the one that has this value and all else the same. False:
 * it is not written so. */
static bool normalize_within(struct plan *p, int *status, struct err *e)
{
    const char *colon = p->normalize ? strchr(p->normalize, ':') : NULL;
    size_t axis = 0, value = 0;
    const size_t n = colon ? (size_t)(colon - p->normalize) : 0;
    while (colon && axis < p->sweep.n &&
           (strlen(axis_name(&p->sweep.p[axis])) != n || strncmp(axis_name(&p->sweep.p[axis]), p->normalize, n)))
        axis++;
    if (!colon || axis == p->sweep.n)
        return false;
    const struct plan_axis *a = &p->sweep.p[axis];
    const char *wanted = colon + 1 + strspn(colon + 1, " ");
    while (value < a->value.word.n && strcmp(a->value.word.p[value], wanted))
        value++;
    char what[300], same[200] = "";
    snprintf(what, sizeof what, "normalize: the sweep has no %s '%.100s'", axis_name(a), wanted);
    if (value == a->value.word.n) {
        *status = fault(p->normalize_at, e, what, "name one of the values that the sweep lists");
        return true;
    }
    for (size_t i = 0; i < p->variant.n; i++) {
        struct plan_variant *v = &p->variant.p[i];
        const struct plan_variant *over = sibling(p, v, axis, value);
        v->over = over ? xstrdup(over->name) : NULL;
        v->over_at = p->normalize_at;
        name_group(p, v, axis);
    }
    for (size_t k = 0; k < p->sweep.n; k++)
        if (k != axis && p->sweep.p[k].value.word.n > 1 &&
            (p->sweep.p[k].kind != PLAN_AXIS_SET || !may_be_of_policy(p->sweep.p[k].key)))
            snprintf(same + strlen(same), sizeof same - strlen(same), "%s%s", *same ? " and " : " of the same ",
                     p->sweep.p[k].kind == PLAN_AXIS_WITH ? "policies" : axis_name(&p->sweep.p[k]));
    p->within = xasprintf("%s%s", wanted, same);
    free(p->normalize);
    p->normalize = NULL;
    return true;
}

int axes_expand(struct plan *p, struct err *e)
{
    size_t all = 1;
    for (size_t i = 0; i < p->sweep.n; i++) {
        all *= p->sweep.p[i].value.word.n;
        if (all > MOST_VARIANTS)
            return fault(p->sweep.p[i].at, e, "the sweep has more than 10000 combinations", "sweep over fewer values");
    }
    if (p->variant.n)
        return fault(p->sweep.p[0].at, e, "a plan has variants or a [sweep], not both",
                     "write the variants' values into the [sweep], or make two plans");
    size_t *choice = xcalloc(p->sweep.n + 1, sizeof *choice);
    bool *left = find_left(p, all);
    for (size_t i = 0; i < all; i++, next_choice(p, choice)) {
        bool again = false; /* the same machine as with the first value of an axis that it does without */
        for (size_t k = 0; k < p->sweep.n; k++)
            again |= left[i * p->sweep.n + k] && choice[k];
        if (!again)
            add_variant(p, choice, left + i * p->sweep.n);
    }
    free(left);
    free(choice);
    int status = 0;
    if (!normalize_within(p, &status, e))
        name_divisor(p);
    return status;
}
