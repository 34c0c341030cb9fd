/*
 * Reads machine files and assignments into the components' structs; see config.h for what is accepted.
 *
 * inih splits lines into section, key and value; it does not tell line numbers in Debian's build, so the reader that
 * feeds it lines counts them. Each value is parsed where it is met, so the first fault in reading order is the one
 * reported, or all are (cfg_load_all). Cross checks run at the end, on the resolved values.
 */
#include "engine/config.h"

#include "base/infile.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "base/renamed.h"
#include "base/text.h"
#include "engine/config_find.h"
#include "engine/config_value.h"
#include "engine/policy_registry.h"

#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

enum { MAX_BASES = 8 };

struct origin {
    const char *file; /* NULL = default; "" = --set; else the name of the file */
    int line;
    uint16_t layer; /* 0 = default, 1.. = files from the innermost base outward, UINT16_MAX = --set or --with */
};

struct block { /* one section's values */
    const char *name;
    const struct cfg_field *field;
    unsigned n_field;
    char *values;
    struct origin *origin;
    const struct policy_kind *kind; /* parameters of a policy: its kind and index; NULL = an ordinary section */
    unsigned policy;
    const struct policy_info *info;
    bool chosen_by_file; /* parameters of a policy that the machine's file chooses, whatever --with says */
};

struct cfg {
    const struct cfg_schema *schema;
    struct arena *arena;
    char *machine;
    struct block *block;
    unsigned n_block;
    cfg_tell *tell; /* every fault goes there; NULL = the first one ends the reading */
    void *tell_ctx;
    unsigned told;
};

static unsigned count_fields(const struct cfg_field *f)
{
    unsigned n = 0;
    while (f[n].key)
        n++;
    return n;
}

static void init_block(struct cfg *c, struct block *b, const char *name, const struct cfg_field *field, size_t bytes)
{
    b->name = name;
    b->field = field;
    b->n_field = count_fields(field);
    b->values = arena_alloc64(c->arena, bytes ? bytes : 1);
    b->origin = arena_alloc(c->arena, (b->n_field + 1) * sizeof *b->origin);
    for (unsigned i = 0; i < b->n_field; i++) {
        char msg[256], hint[256];
        if (cfg_value_parse(c->schema, &field[i], field[i].def, b->values, msg, sizeof msg, hint, sizeof hint))
            BUG("default of %s.%s: %s; %s", name, field[i].key, msg, hint);
    }
}

static struct cfg *cfg_new(const struct cfg_schema *s)
{
    struct cfg *c = xcalloc(1, sizeof *c);
    c->schema = s;
    c->arena = arena_new();
    unsigned n = s->n_section;
    for (unsigned i = 0; i < s->n_kind; i++)
        n += s->kind[i]->n;
    c->block = arena_alloc(c->arena, n * sizeof *c->block);
    for (unsigned i = 0; i < s->n_section; i++)
        init_block(c, &c->block[c->n_block++], s->section[i]->name, s->section[i]->field, s->section[i]->bytes);
    for (unsigned i = 0; i < s->n_kind; i++)
        for (unsigned j = 0; j < s->kind[i]->n; j++) {
            const struct policy_info *info = s->kind[i]->policy[j];
            if (!info->params)
                continue;
            struct block *b = &c->block[c->n_block++];
            init_block(c, b, info->name, info->params, info->params_bytes);
            b->kind = s->kind[i];
            b->policy = j;
            b->info = info;
        }
    return c;
}

void cfg_free(struct cfg *c)
{
    if (!c)
        return;
    arena_free(c->arena);
    free(c);
}

static struct block *find_block(const struct cfg *c, const char *name, size_t n)
{
    for (unsigned i = 0; i < c->n_block; i++)
        if (strlen(c->block[i].name) == n && !strncmp(c->block[i].name, name, n))
            return &c->block[i];
    return NULL;
}

/* Both halves of a policy of two kinds are called the same: their parameters are one section. */
static struct block *find_next(const struct cfg *c, const struct block *b)
{
    for (const struct block *end = c->block + c->n_block, *x = b + 1; x < end; x++)
        if (!strcmp(x->name, b->name))
            return c->block + (x - c->block);
    return NULL;
}

static int find_field(const struct block *b, const char *key)
{
    for (unsigned i = 0; i < b->n_field; i++)
        if (!strcmp(b->field[i].key, key))
            return (int)i;
    return -1;
}

/* The block of section.key and the key's index in it; NULL when there is none. */
static struct block *find_key(const struct cfg *c, const char *section, size_t n, const char *key, int *index)
{
    for (struct block *b = find_block(c, section, n); b; b = find_next(c, b))
        if ((*index = find_field(b, key)) >= 0)
            return b;
    return NULL;
}

const void *cfg_section(const struct cfg *c, const char *section)
{
    const struct block *b = find_block(c, section, strlen(section));
    if (!b)
        BUG("no section %s in the schema", section);
    return b->values;
}

const void *cfg_policy_params(const struct cfg *c, const char *kind, unsigned index)
{
    for (unsigned i = 0; i < c->n_block; i++)
        if (c->block[i].kind && !strcmp(c->block[i].kind->name, kind) && c->block[i].policy == index)
            return c->block[i].values;
    return NULL;
}

const char *cfg_machine(const struct cfg *c)
{
    return c->machine;
}

/* ---- faults with their place ---- */

static int fault_at(const struct origin *o, struct err *e, const char *key, const char *text, const char *msg,
                    const char *hint)
{
    if (o->file && *o->file)
        err_at(e, o->file, o->line, 0, "%s=%s: %s", key, text, msg);
    else
        err_set(e, "--set %s=%s: %s", key, text, msg);
    if (*hint)
        err_hint(e, "%s", hint);
    return -1;
}

const char *cfg_last_set(const struct cfg *c, const char *const *keys, unsigned n)
{
    const char *last = keys[0];
    int last_layer = -1;
    for (unsigned k = 0; k < n; k++) {
        const char *dot = strchr(keys[k], '.');
        int i = -1;
        const struct block *b = dot ? find_key(c, keys[k], (size_t)(dot - keys[k]), dot + 1, &i) : NULL;
        if (b && b->origin[i].layer > last_layer) {
            last_layer = b->origin[i].layer;
            last = keys[k];
        }
    }
    return last;
}

int cfg_fault(const struct cfg *c, const char *key, struct err *e, const char *fmt, ...)
{
    char msg[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    const char *dot = strchr(key, '.');
    int i = -1;
    const struct block *b = dot ? find_key(c, key, (size_t)(dot - key), dot + 1, &i) : NULL;
    if (!b)
        BUG("cfg_fault names no key: %s", key);
    char text[128];
    cfg_value_print(c->schema, &b->field[i], b->values, text, sizeof text);
    const struct origin *o = &b->origin[i];
    if (o->file)
        return fault_at(o, e, key, text, msg, "");
    return err_set(e, "machine %s: %s=%s (the default): %s", c->machine, key, text, msg);
}

/* With cfg_load_all, which reports every fault, a fault does not end the reading. Returns the status that remains. */
static int go_on(struct cfg *c, int status, struct err *e)
{
    if (!status || !c->tell)
        return status;
    c->tell(c->tell_ctx, e);
    c->told++;
    err_clear(e);
    return 0;
}

/* ---- one assignment ---- */

static int unknown_section(const struct cfg *c, const struct origin *o, const char *section, struct err *e)
{
    const char *names[128];
    unsigned n = 0;
    for (unsigned i = 0; i < c->n_block && n < 128; i++)
        names[n++] = c->block[i].name;
    const char *near = nearest_name(section, names, n);
    if (o->file && *o->file)
        err_at(e, o->file, o->line, 0, "there is no section [%s]", section);
    else
        err_set(e, "--set: there is no section '%s'", section);
    return near ? err_hint(e, "did you mean '%s'?", near)
                : err_hint(e, "'weir config show' lists all sections and keys");
}

static int unknown_key(const struct cfg *c, const struct block *b, const struct origin *o, const char *key,
                       struct err *e)
{
    const char *names[256];
    unsigned n = 0;
    for (const struct block *x = b; x; x = find_next(c, x))
        for (unsigned i = 0; i < x->n_field && n < 256; i++)
            names[n++] = x->field[i].key;
    const char *near = nearest_name(key, names, n);
    if (o->file && *o->file)
        err_at(e, o->file, o->line, 0, "there is no key '%s' in [%s]", key, b->name);
    else
        err_set(e, "--set: there is no key '%s.%s'", b->name, key);
    char full[128];
    snprintf(full, sizeof full, "%s.%s", b->name, key);
    if (err_hint_renamed(e, RENAMED_PARAMETER, full))
        return -1;
    return near ? err_hint(e, "did you mean '%s.%s'?", b->name, near)
                : err_hint(e, "'weir config show' lists all sections and keys");
}

static int assign(struct cfg *c, const char *section, const char *key, const char *text, const struct origin *o,
                  struct err *e)
{
    int i = -1;
    struct block *b = find_key(c, section, strlen(section), key, &i), *any = find_block(c, section, strlen(section));
    if (!any)
        return unknown_section(c, o, section, e);
    if (!b)
        return unknown_key(c, any, o, key, e);
    if (b->origin[i].file && b->origin[i].layer == o->layer && o->layer != UINT16_MAX)
        return err_at(e, o->file, o->line, 0, "%s.%s is given twice, first in line %d", section, key,
                      b->origin[i].line);
    char msg[256], hint[256], full[128];
    char *kept = arena_strndup(c->arena, text, strlen(text));
    if (cfg_value_parse(c->schema, &b->field[i], kept, b->values, msg, sizeof msg, hint, sizeof hint)) {
        snprintf(full, sizeof full, "%s.%s=%s", section, key, text);
        renamed_hint(RENAMED_VALUE, full, hint, sizeof hint);
        snprintf(full, sizeof full, "%s.%s", section, key);
        return fault_at(o, e, full, text, msg, hint);
    }
    b->origin[i] = *o;
    return 0;
}

/* ---- files ---- */

struct reader {
    struct cfg *c;
    const char *text; /* what is left to read */
    const char *path; /* as shown in messages; kept in the arena */
    int line;
    uint16_t layer;
    unsigned depth;
    bool began; /* a value has been seen: `base =` is too late */
    bool failed;
    struct err *e;
};

static int load_machine(struct cfg *c, const char *name, const char *from, unsigned depth, uint16_t *layer,
                        struct err *e);

/* Gives inih one line and counts it. A line that inih would cut in two is refused here. */
static char *next_line(char *out, int room, void *stream)
{
    struct reader *r = stream;
    if (!*r->text || r->failed)
        return NULL;
    r->line++;
    size_t n = strcspn(r->text, "\n");
    if ((int)n + 2 > room) {
        err_at(r->e, r->path, r->line, 0, "the line is longer than %d characters", room - 3);
        r->failed = true;
        return NULL;
    }
    memcpy(out, r->text, n);
    out[n] = '\n';
    out[n + 1] = 0;
    r->text += n;
    r->text += *r->text == '\n';
    if (text_has_control(out)) {
        err_at(r->e, r->path, r->line, 0, "there is a control character in this line");
        r->failed = true;
        return NULL;
    }
    /* A comment may also follow a value after " #"; inih itself knows only " ;". */
    for (char *p = out; *p; p++)
        if (*p == '#' && (p == out || p[-1] == ' ' || p[-1] == '\t')) {
            p[0] = '\n';
            p[1] = 0;
            break;
        }
    if (out[strspn(out, " \t")] == '[' && !strchr(out, ']')) {
        err_at(r->e, r->path, r->line, 0, "a section's name ends with ]");
        r->failed = true;
        return NULL;
    }
    return out;
}

static int take(void *user, const char *section, const char *key, const char *value)
{
    struct reader *r = user;
    if (r->failed)
        return 1;
    struct origin o = {.file = r->path, .line = r->line, .layer = r->layer};
    if (!*section) {
        if (strcmp(key, "base")) {
            err_at(r->e, r->path, r->line, 0, "'%s' precedes the first [section]", key);
            err_hint(r->e, "only 'base = MACHINE' may");
        } else if (r->began) {
            err_at(r->e, r->path, r->line, 0, "'base' must come first and only once");
        } else {
            r->began = true;
            if (load_machine(r->c, value, r->path, r->depth + 1, &r->layer, r->e) == 0) {
                r->layer++;
                return 1;
            }
            if (!*r->e->file) {
                const char *hint = strdupa(r->e->hint);
                err_at(r->e, r->path, r->line, 0, "base=%s: %s", value, strdupa(r->e->msg));
                err_hint(r->e, "%s", hint);
            }
        }
        r->failed = true;
        return 1;
    }
    r->began = true;
    if (go_on(r->c, assign(r->c, section, key, value, &o, r->e), r->e))
        r->failed = true;
    return 1;
}

static int load_text(struct cfg *c, const char *path, const char *text, unsigned depth, uint16_t *layer, struct err *e)
{
    struct reader r = {
        .c = c, .text = text, .path = arena_strndup(c->arena, path, strlen(path)), .depth = depth, .e = e};
    r.layer = 1;
    int bad = ini_parse_stream(next_line, &r, take, &r);
    *layer = r.layer;
    if (r.failed)
        return -1;
    if (bad) {
        err_at(e, r.path, bad, 0, "expected '[section]' or 'key = value'");
        return -1;
    }
    return 0;
}

static int load_machine(struct cfg *c, const char *name, const char *from, unsigned depth, uint16_t *layer,
                        struct err *e)
{
    if (depth > MAX_BASES)
        return err_set(e, "more than %d nested base files; is there a cycle?", MAX_BASES);
    char path[4096];
    if (cfg_find_machine(name, from, path, sizeof path, e))
        return -1;
    char *text = infile_text(path, 1 << 20, e);
    if (!text)
        return -1;
    int status = load_text(c, path, text, depth, layer, e);
    free(text);
    return status;
}

/* ---- the command line's part ---- */

static int apply_set(struct cfg *c, const char *assignment, struct err *e)
{
    static const struct origin from_set = {.file = "", .layer = UINT16_MAX};
    const char *eq = strchr(assignment, '='), *dot = strchr(assignment, '.');
    if (!eq || !dot || dot > eq) {
        err_set(e, "--set %s: %s", assignment, eq ? "the key has no section" : "expected key=value");
        return err_hint(e, "write it like --set l1.size=32KiB");
    }
    char *section = xstrndup(assignment, (size_t)(dot - assignment));
    char *key = xstrndup(dot + 1, (size_t)(eq - dot - 1));
    for (size_t n = strlen(key); n && key[n - 1] == ' '; n--)
        key[n - 1] = 0;
    eq++;
    int status = assign(c, section, key, eq + strspn(eq, " "), &from_set, e);
    free(section);
    free(key);
    return status;
}

/* ---- --with ---- */

/* Chooses `name` in one kind. chosen[i]: the name that --with has given kind i before, or NULL. */
static int choose(struct cfg *c, unsigned i, const char *name, const char **chosen, struct err *e)
{
    static const struct origin from_with = {.file = "", .layer = UINT16_MAX};
    const struct policy_kind *k = c->schema->kind[i];
    if (chosen[i]) {
        err_set(e, "--with: '%s' and '%s' are both of kind %s; a machine has one policy of each kind", chosen[i], name,
                k->name);
        return err_hint(e, "remove one, or name the kind, as in --with %s=%s", k->name, name);
    }
    chosen[i] = name;
    const char *dot = strchr(k->key, '.');
    char section[64];
    snprintf(section, sizeof section, "%.*s", (int)(dot - k->key), k->key);
    return assign(c, section, dot + 1, name, &from_with, e);
}

static int no_policy(const char *name, const struct policy_kind *const *kind, unsigned n_kind, struct err *e)
{
    const char *names[256] = {NULL};
    unsigned n = 0;
    for (unsigned i = 0; i < n_kind; i++)
        for (unsigned j = 0; j < kind[i]->n && n < 256; j++)
            names[n++] = kind[i]->policy[j]->name;
    const char *near = nearest_name(name, names, n);
    if (n_kind == 1)
        err_set(e, "--with: there is no policy '%s' of kind %s", name, kind[0]->name);
    else
        err_set(e, "--with: there is no policy '%s'", name);
    if (near)
        return err_hint(e, "did you mean '%s'?", near);
    /* A plug-in beside the caller is the likely reason. */
    char file[80];
    snprintf(file, sizeof file, "%.64s.so", name);
    if (!access(file, R_OK))
        return err_hint(e, "load it with --plugin ./%s", file);
    snprintf(file, sizeof file, "%.64s.c", name);
    if (!access(file, R_OK))
        return err_hint(e, "build it with 'weir plugin build %s' and load it with --plugin ./%.64s.so", file, name);
    return err_hint(e, "'weir list policies' shows what is built in; a plug-in's policy needs --plugin FILE.so");
}

/* "kind=name": the policy of that kind alone. */
static int with_kind(struct cfg *c, char *word, char *eq, const char **chosen, struct err *e)
{
    const struct cfg_schema *s = c->schema;
    const char *kinds[64];
    *eq = 0;
    for (unsigned i = 0; i < s->n_kind && i < 64; i++) {
        kinds[i] = s->kind[i]->name;
        if (strcmp(kinds[i], word))
            continue;
        return policy_find(s->kind[i], eq + 1) < 0 ? no_policy(eq + 1, &s->kind[i], 1, e)
                                                   : choose(c, i, eq + 1, chosen, e);
    }
    const char *near = nearest_name(word, kinds, s->n_kind < 64 ? s->n_kind : 64);
    err_set(e, "--with %s=%s: there is no kind of policy '%s'", word, eq + 1, word);
    if (err_hint_renamed(e, RENAMED_KIND, word))
        return -1;
    return near ? err_hint(e, "did you mean '%s'?", near) : err_hint(e, "see 'weir list policies'");
}

/* "name": in every kind that has it, so that a mechanism of two halves is chosen by one word. */
static int with_name(struct cfg *c, const char *name, const char **chosen, struct err *e)
{
    const struct cfg_schema *s = c->schema;
    bool found = false;
    for (unsigned i = 0; i < s->n_kind; i++) {
        if (policy_find(s->kind[i], name) < 0)
            continue;
        found = true;
        if (choose(c, i, name, chosen, e))
            return -1;
    }
    return found ? 0 : no_policy(name, s->kind, s->n_kind, e);
}

static int apply_with(struct cfg *c, const char *with, struct err *e)
{
    const char **chosen = xcalloc(c->schema->n_kind + 1, sizeof *chosen);
    char *list = xstrdup(with);
    int status = 0;
    if (!with[strspn(with, ", ")]) {
        err_set(e, "--with: no policy given");
        status = err_hint(e, "see 'weir list policies'");
    }
    for (char *save = NULL, *word = strtok_r(list, ", ", &save); word && !status; word = strtok_r(NULL, ", ", &save)) {
        char *eq = strchr(word, '=');
        status = eq ? with_kind(c, word, eq, chosen, e) : with_name(c, word, chosen, e);
    }
    free(list);
    free(chosen);
    return status;
}

static unsigned chosen_policy(const struct cfg *c, const struct policy_kind *k)
{
    const char *dot = strchr(k->key, '.');
    int i = -1;
    const struct block *b = find_key(c, k->key, (size_t)(dot - k->key), dot + 1, &i);
    if (!b)
        BUG("the schema has no key %s", k->key);
    return *(const uint32_t *)(b->values + b->field[i].offset);
}

const char *cfg_chosen(const struct cfg *c, const char *kind)
{
    for (unsigned i = 0; i < c->schema->n_kind; i++)
        if (!strcmp(c->schema->kind[i]->name, kind))
            return c->schema->kind[i]->policy[chosen_policy(c, c->schema->kind[i])]->name;
    return NULL;
}

static bool policy_is_chosen(const struct cfg *c, const struct block *b)
{
    return chosen_policy(c, b->kind) == b->policy;
}

static int check_all(struct cfg *c, uint16_t top_layer, struct err *e)
{
    for (unsigned i = 0; i < c->n_block; i++) {
        struct block *b = &c->block[i];
        if (!b->kind || policy_is_chosen(c, b))
            continue;
        for (unsigned j = 0; j < b->n_field; j++) {
            const struct origin *o = &b->origin[j];
            /* A file may size what it chooses itself: --with another policy leaves that unused. */
            if (!o->file || o->layer < top_layer || (b->chosen_by_file && o->layer != UINT16_MAX))
                continue;
            char key[128], text[96], msg[256], hint[256];
            snprintf(key, sizeof key, "%s.%s", b->name, b->field[j].key);
            cfg_value_print(c->schema, &b->field[j], b->values, text, sizeof text);
            snprintf(msg, sizeof msg, "parameter of the %s policy %s, which is not selected", b->kind->name, b->name);
            snprintf(hint, sizeof hint, "select it with --with %s or %s = %s, or remove the parameter", b->name,
                     b->kind->key, b->name);
            if (go_on(c, fault_at(o, e, key, text, msg, hint), e))
                return -1;
        }
    }
    for (unsigned i = 0; i < c->schema->n_section; i++)
        if (c->schema->section[i]->check && go_on(c, c->schema->section[i]->check(c, c->block[i].values, e), e))
            return -1;
    for (unsigned i = 0; i < c->schema->n_kind; i++) {
        const struct policy_kind *k = c->schema->kind[i];
        unsigned chosen = chosen_policy(c, k);
        err_clear(e);
        if (k->policy[chosen]->check && k->policy[chosen]->check(c, cfg_policy_params(c, k->name, chosen), e) &&
            go_on(c, policy_hook_failed(k->policy[chosen], "check", e), e))
            return -1;
    }
    return 0;
}

static struct cfg *finish(struct cfg *c, int status, uint16_t layer, const char *const *set, unsigned n_set,
                          const char *with, struct err *e)
{
    for (unsigned i = 0; i < c->n_block && !status; i++)
        c->block[i].chosen_by_file = c->block[i].kind && policy_is_chosen(c, &c->block[i]);
    if (!status && with)
        status = go_on(c, apply_with(c, with, e), e);
    for (unsigned i = 0; i < n_set && !status; i++)
        status = go_on(c, apply_set(c, set[i], e), e);
    if (!status)
        status = check_all(c, layer, e);
    go_on(c, status, e);
    if (status || c->told) {
        cfg_free(c);
        return NULL;
    }
    return c;
}

static void name_machine(struct cfg *c, const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *base = slash ? slash + 1 : name;
    c->machine = arena_strndup(c->arena, base, strlen(base) - (text_ends_in(base, ".ini") ? 4 : 0));
}

static struct cfg *load(const struct cfg_schema *s, const char *name, const char *const *set, unsigned n_set,
                        const char *with, cfg_tell *tell, void *ctx, struct err *e)
{
    err_clear(e);
    struct cfg *c = cfg_new(s);
    c->tell = tell;
    c->tell_ctx = ctx;
    name_machine(c, name);
    uint16_t layer = 0;
    int status = load_machine(c, name, NULL, 0, &layer, e);
    return finish(c, status, layer, set, n_set, with, e);
}

struct cfg *cfg_load(const struct cfg_schema *s, const char *name, const char *const *set, unsigned n_set,
                     const char *with, struct err *e)
{
    struct err own;
    return load(s, name, set, n_set, with, NULL, NULL, e ? e : &own);
}

struct cfg *cfg_load_all(const struct cfg_schema *s, const char *name, const char *const *set, unsigned n_set,
                         const char *with, cfg_tell *tell, void *ctx)
{
    struct err e;
    return load(s, name, set, n_set, with, tell, ctx, &e);
}

void cfg_mark_unused(const struct cfg_schema *s, const char *name, const char *const *set, unsigned n_set,
                     const char *with, bool *unused)
{
    struct err e;
    struct cfg *c = cfg_new(s);
    uint16_t layer = 0;
    bool known = !load_machine(c, name, NULL, 0, &layer, &e) && (!with || !apply_with(c, with, &e));
    for (unsigned i = 0; i < n_set && known; i++)
        apply_set(c, set[i], &e); /* it may choose a policy; what is wrong with it is for cfg_load to say */
    for (unsigned i = 0; i < n_set; i++) {
        const size_t section = strcspn(set[i], "."), n = strcspn(set[i], "=");
        char *key = section < n ? xstrndup(set[i] + section + 1, n - section - 1) : xstrdup("");
        int at;
        const struct block *b = find_key(c, set[i], section, key, &at);
        unused[i] = known && b && b->kind && !policy_is_chosen(c, b);
        free(key);
    }
    cfg_free(c);
}

struct cfg *cfg_load_text(const struct cfg_schema *s, const char *file, const char *text, const char *const *set,
                          unsigned n_set, const char *with, struct err *e)
{
    struct err own;
    e = e ? e : &own;
    err_clear(e);
    struct cfg *c = cfg_new(s);
    name_machine(c, file);
    uint16_t layer = 0;
    int status = load_text(c, file, text, 0, &layer, e);
    return finish(c, status, layer, set, n_set, with, e);
}

void cfg_each(const struct cfg *c, void (*fn)(void *ctx, const struct cfg_value *), void *ctx)
{
    for (unsigned i = 0; i < c->n_block; i++) {
        const struct block *b = &c->block[i];
        if (b->kind && !policy_is_chosen(c, b))
            continue;
        for (unsigned j = 0; j < b->n_field; j++) {
            const struct origin *o = &b->origin[j];
            struct cfg_value v = {.field = &b->field[j], .section = b->name, .is_default = !o->file};
            snprintf(v.key, sizeof v.key, "%s.%s", b->name, b->field[j].key);
            cfg_value_print(c->schema, v.field, b->values, v.text, sizeof v.text);
            const char *slash = o->file ? strrchr(o->file, '/') : NULL;
            if (!o->file)
                snprintf(v.origin, sizeof v.origin, "default");
            else if (!*o->file)
                snprintf(v.origin, sizeof v.origin, "command line");
            else
                snprintf(v.origin, sizeof v.origin, "%s:%d", slash ? slash + 1 : o->file, o->line);
            fn(ctx, &v);
        }
    }
}
