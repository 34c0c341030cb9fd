/*
 * Loads plugins; see plugin.h.
 *
 * Everything about a plugin that weir relies on is checked before its policies are registered: the version of the
 * interface, the sizes of the structs both sides use, the kinds, names, texts, defaults and places of values. After
 * that a plugin's policy is like any other; what its hooks answer is checked where it is used (policy_fault).
 */
#include "gpu/plugin.h"

#include "base/infile.h"
#include "base/mem.h"
#include "engine/config_value.h"
#include "gpu/gpu_config.h"
#include "gpu/result.h"
#include "sm/sm_config.h"

#define WEIR_PLUGIN_HOST
#include "weir/plugin.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <unistd.h>

struct plugin {
    char *path;
    char identity[20]; /* FNV-1a of its bytes */
    const struct weir_plugin *is;
};

/* The process's: code is loaded once, however many machines use it. */
static VEC(struct plugin) loaded;

static const struct weir_functions functions = {
#define X(result, name, params, args) .name = name,
#define V(name, params, args)         .name = name,
    WEIR_FUNCTIONS(X, V)
#undef X
#undef V
        .err_set = err_set,
    .err_hint = err_hint,
    .cfg_fault = cfg_fault,
    .bug_at = bug_at,
};

static int identify(struct plugin *p, struct err *e)
{
    FILE *f = infile_open(p->path, INFILE_ANY_SIZE, e);
    if (!f)
        return -1;
    uint64_t h = 0xcbf29ce484222325ull;
    for (int c; (c = getc(f)) != EOF;)
        h = (h ^ (unsigned char)c) * 0x100000001b3ull;
    bool bad = ferror(f);
    fclose(f);
    if (bad)
        return err_at(e, p->path, 0, 0, "cannot read: %s", strerror(EIO));
    snprintf(p->identity, sizeof p->identity, "%016" PRIx64, h);
    return 0;
}

/* ---- what must be right before anything of it is used ---- */

static int rebuild(struct err *e)
{
    return err_hint(e, "build it again with this weir: weir plugin build FILE.c");
}

static int check_interface(const struct plugin *p, struct err *e)
{
    static const uint32_t ours[] = WEIR_STRUCT_BYTES;
#define NAME(name) #name,
    static const char *const name[] = {WEIR_SHARED_STRUCTS(NAME)};
#undef NAME
    enum { N = sizeof ours / sizeof *ours };
    if (p->is->version != WEIR_PLUGIN_VERSION) {
        err_at(e, p->path, 0, 0, "uses plugin interface version %u; this weir has version %d", p->is->version,
               WEIR_PLUGIN_VERSION);
        return rebuild(e);
    }
    if (p->is->bytes != sizeof *p->is || p->is->n_struct != N) {
        err_at(e, p->path, 0, 0, "was compiled against headers of another weir");
        return rebuild(e);
    }
    for (unsigned i = 0; i < N; i++)
        if (p->is->struct_bytes[i] != ours[i]) {
            err_at(e, p->path, 0, 0, "was compiled against other headers: its struct %s has %u bytes, this weir's %u",
                   name[i], p->is->struct_bytes[i], ours[i]);
            return rebuild(e);
        }
    return 0;
}

/* ---- its policies ---- */

static bool is_word(const char *s)
{
    return s && *s && strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_-") == strlen(s);
}

bool plugin_name_taken(const char *name)
{
    return !strcmp(name, "baseline") || !strcmp(name, "energy");
}

/* Names of statistics, parameters and columns that two policies of one name both have. */
static const char *shared_name(const struct policy_info *a, const struct policy_info *b)
{
    for (const struct cfg_field *f = a->params; f && f->key; f++)
        for (const struct cfg_field *g = b->params; g && g->key; g++)
            if (!strcmp(f->key, g->key))
                return f->key;
    for (const struct stat_def *f = a->stats; f && f->name; f++)
        for (const struct stat_def *g = b->stats; g && g->name; g++)
            if (!strcmp(f->name, g->name))
                return f->name;
    for (const struct load_column *f = a->load_columns; f && f->name; f++)
        for (const struct load_column *g = b->load_columns; g && g->name; g++)
            if (!strcmp(f->name, g->name))
                return f->name;
    return NULL;
}

static const struct policy_kind *kind_named(const char *name)
{
    const struct cfg_schema *s = gpu_schema();
    for (unsigned i = 0; i < s->n_kind; i++)
        if (name && !strcmp(s->kind[i]->name, name))
            return s->kind[i];
    return NULL;
}

static size_t value_bytes(enum cfg_type type)
{
    switch (type) {
    case CFG_BYTES:
    case CFG_FREQ:
        return sizeof(uint64_t);
    case CFG_BOOL:
        return sizeof(bool);
    case CFG_TEXT:
        return sizeof(const char *);
    default:
        return sizeof(uint32_t);
    }
}

static int check_params(const char *file, const struct policy_info *p, struct err *e)
{
    for (const struct cfg_field *f = p->params; f && f->key; f++) {
        if (!f->unit || !f->def || !f->doc)
            return err_at(e, file, 0, 0, "the parameter %s.%s has no unit, default or description", p->name, f->key);
        if ((unsigned)f->type > CFG_TEXT || (f->type == CFG_ENUM && !f->choices) ||
            (f->type == CFG_POLICY && !kind_named(f->choices)))
            return err_at(e, file, 0, 0, "the parameter %s.%s has no type, or no choices", p->name, f->key);
        if (f->offset + value_bytes(f->type) > p->params_bytes) {
            err_at(e, file, 0, 0, "the parameter %s.%s is outside the %zu bytes of params_bytes", p->name, f->key,
                   p->params_bytes);
            return err_hint(e, "set params_bytes to the size of the struct of parameters");
        }
        for (const struct cfg_field *g = p->params; g != f; g++)
            if (!strcmp(f->key, g->key))
                return err_at(e, file, 0, 0, "duplicate parameter %s.%s", p->name, f->key);
        char msg[256] = "", hint[256] = "";
        void *values = xcalloc(1, p->params_bytes);
        int bad = cfg_value_parse(gpu_schema(), f, f->def, values, msg, sizeof msg, hint, sizeof hint);
        free(values);
        if (bad) {
            err_at(e, file, 0, 0, "the default of the parameter %s.%s: %s", p->name, f->key, msg);
            return *hint ? err_hint(e, "%s", hint) : -1;
        }
    }
    return 0;
}

/* `state_bytes` of the policy's struct bound the offsets of its counters. */
static int check_stats(const char *file, const struct policy_info *p, size_t state_bytes, struct err *e)
{
    for (const struct stat_def *d = p->stats; d && d->name; d++) {
        if (!d->unit || !d->doc)
            return err_at(e, file, 0, 0, "the statistic %s.%s has no unit or description", p->name, d->name);
        if (strlen(p->name) + strlen(d->name) > 64)
            return err_at(e, file, 0, 0, "the name of the statistic %s.%s is longer than 64 characters", p->name,
                          d->name);
        for (const struct stat_def *g = p->stats; g != d; g++)
            if (!strcmp(d->name, g->name))
                return err_at(e, file, 0, 0, "duplicate statistic %s.%s", p->name, d->name);
        if ((unsigned)d->kind > STAT_HIST || (d->kind == STAT_RATIO && (!d->num || !d->den)) ||
            (d->kind == STAT_HIST && (!d->bound || !d->n_bound)))
            return err_at(e, file, 0, 0,
                          "the statistic %s.%s is not complete: a ratio has two sums, a histogram bounds", p->name,
                          d->name);
        size_t counters = d->kind == STAT_RATIO ? 0 : d->kind == STAT_HIST ? d->n_bound + 1u : 1;
        if (counters && (d->offset > state_bytes || counters > (state_bytes - d->offset) / sizeof(uint64_t))) {
            err_at(e, file, 0, 0, "the statistic %s.%s is outside the %zu bytes of state_bytes", p->name, d->name,
                   state_bytes);
            return err_hint(e, "set state_bytes to the size of the struct of the policy's state");
        }
    }
    return 0;
}

static int check_columns(const char *file, const struct policy_info *p, struct err *e)
{
    unsigned columns = 0, texts = 0;
    for (const struct load_column *c = p->load_columns; c && c->name; c++) {
        columns++;
        texts += c->combine == LOAD_TEXT;
        if (!c->unit || !c->doc)
            return err_at(e, file, 0, 0, "the column %s of %s has no unit or description", c->name, p->name);
    }
    if (columns > LOAD_COLUMNS || texts > LOAD_TEXTS || !p->load_columns != !p->report_loads)
        return err_at(e, file, 0, 0, "%s: load columns need report_loads; at most %d columns, %d of them text", p->name,
                      LOAD_COLUMNS, LOAD_TEXTS);
    return 0;
}

static size_t state_bytes_of(const struct policy_kind *kind, const struct policy_info *p)
{
    const void *policy = p; /* the first member of its struct */
    return kind == &sm_sched_kind          ? ((const struct sm_sched *)policy)->state_bytes
           : kind == &l1_management_kind   ? ((const struct l1_management *)policy)->state_bytes
           : kind == &l1_organization_kind ? ((const struct l1_organization *)policy)->state_bytes
           : kind == &l1_prefetcher_kind   ? ((const struct l1_prefetcher *)policy)->state_bytes
                                           : ((const struct order_policy *)policy)->state_bytes;
}

static int check_policy(const char *file, const struct weir_plugin_policy *x, struct err *e)
{
    const struct cfg_schema *s = gpu_schema();
    const struct policy_info *p = x->info;
    const struct policy_kind *kind = kind_named(x->kind);
    if (!kind) {
        err_at(e, file, 0, 0, "there is no kind of policy '%s'", x->kind ? x->kind : "");
        return err_hint(e, "'weir list policies' lists the kinds");
    }
    if (!is_word(p->name) || !p->doc || !*p->doc)
        return err_at(e, file, 0, 0, "a %s has no name in small letters, digits, _ and -, or no text", kind->name);
    if (policy_find(kind, p->name) >= 0) {
        err_at(e, file, 0, 0, "a policy '%s' of kind %s already exists", p->name, kind->name);
        return err_hint(e, "choose another name");
    }
    if (plugin_name_taken(p->name)) {
        err_at(e, file, 0, 0, "'%s' is reserved and cannot be a policy's name", p->name);
        return err_hint(e, "choose another name, for example my_%s", p->name);
    }
    for (unsigned i = 0; i < s->n_section; i++)
        if (!strcmp(s->section[i]->name, p->name))
            return err_at(e, file, 0, 0, "the policy '%s' has the name of a section of the configuration", p->name);
    for (unsigned i = 0; i < s->n_kind; i++) {
        int other = policy_find(s->kind[i], p->name);
        const char *both = other >= 0 ? shared_name(p, s->kind[i]->policy[other]) : NULL;
        if (both)
            return err_at(e, file, 0, 0, "%s.%s is already used by the %s '%s'", p->name, both, s->kind[i]->name,
                          p->name);
    }
    if (kind == &sm_sched_kind && !((const struct sm_sched *)(const void *)p)->pick)
        return err_at(e, file, 0, 0, "the scheduler '%s' has no pick", p->name);
    if (kind == &l1_order_kind || kind == &l2_order_kind) {
        const struct order_policy *o = (const struct order_policy *)(const void *)p;
        if (!o->init || !o->enqueue || !o->pick || !o->on_accept)
            return err_at(e, file, 0, 0, "the %s '%s' needs init, enqueue, pick and on_accept", kind->name, p->name);
    }
    if (!WEIR_HOOKS && kind != &sm_sched_kind)
        return err_at(e, file, 0, 0, "this weir is built without hooks (-Dhooks=false): only schedulers can be added");
    return check_params(file, p, e) || check_stats(file, p, state_bytes_of(kind, p), e) || check_columns(file, p, e)
               ? -1
               : 0;
}

/* A name that a ratio is made of, and whether there is such a statistic. */
struct term {
    const char *name;
    size_t len;
    bool known;
};

static void look_for_term(void *ctx, const struct stat_doc *s)
{
    struct term *t = ctx;
    size_t n = strlen(s->name);
    if (s->kind == STAT_RATIO || strncmp(t->name, s->name, n))
        return;
    char bucket[STAT_BUCKET] = "";
    unsigned b = 0;
    do {
        if (s->kind == STAT_HIST)
            stat_bucket_name(s->def, b, bucket);
        t->known |= t->len == n + strlen(bucket) && !strncmp(t->name + n, bucket, strlen(bucket));
    } while (s->kind == STAT_HIST && b++ < s->def->n_bound);
}

/* After all its policies were added: their ratios may be of statistics of each other, and of any machine's. */
static int check_ratios(const char *file, const struct policy_info *p, struct err *e)
{
    for (const struct stat_def *d = p->stats; d && d->name; d++)
        for (unsigned side = 0; d->kind == STAT_RATIO && side < 2; side++)
            for (const char *at = side ? d->den : d->num; *at;) {
                struct term t = {at, strcspn(at, "+-"), false};
                if (result_each_stat(look_for_term, &t, e))
                    return -1;
                if (!t.known) {
                    err_at(e, file, 0, 0, "the statistic %s.%s is a ratio of '%.*s', and there is no such count",
                           p->name, d->name, (int)t.len, t.name);
                    return err_hint(
                        e,
                        "a ratio is of sums of full names without blanks, \"l1.hits+%s.x\"; 'weir list statistics' "
                        "lists them",
                        p->name);
                }
                at += t.len;
                at += *at != 0;
            }
    return 0;
}

static int open_plugin(struct plugin *p, struct err *e)
{
    void *so = dlopen(p->path, RTLD_NOW | RTLD_LOCAL);
    if (!so) {
        const char *why = dlerror();
        size_t n = strlen(p->path); /* the loader begins with the path, too */
        if (why && !strncmp(why, p->path, n) && why[n] == ':')
            why += n + 1 + (why[n + 1] == ' ');
        err_at(e, p->path, 0, 0, "cannot be loaded: %s", why ? why : "no reason given");
        return err_hint(e, "a plugin is a shared object: weir plugin build FILE.c");
    }
    p->is = dlsym(so, "weir_plugin");
    if (p->is)
        return 0;
    dlclose(so);
    err_at(e, p->path, 0, 0, "is not a weir plugin: it does not export weir_plugin");
    return err_hint(e, "end the file with WEIR_PLUGIN(...); 'weir plugin new NAME' writes one");
}

int plugin_load(const char *path, struct err *e)
{
    char real[PATH_MAX];
    if (!realpath(path, real))
        return err_at(e, path, 0, 0, "cannot read: %s", strerror(errno));
    for (size_t i = 0; i < loaded.n; i++)
        if (!strcmp(loaded.p[i].path, real))
            return 0;
    struct plugin p = {.path = xstrdup(real)};
    int bad = identify(&p, e) || open_plugin(&p, e) || check_interface(&p, e);
    if (!bad)
        *p.is->functions = &functions;
    unsigned added = 0;
    for (unsigned i = 0; !bad && i < p.is->n_policy; i++) {
        bad = check_policy(p.path, &p.is->policy[i], e);
        if (!bad) {
            policy_add((struct policy_kind *)kind_named(p.is->policy[i].kind), p.is->policy[i].info);
            added++;
        }
    }
    for (unsigned i = 0; !bad && i < p.is->n_policy; i++)
        bad = check_ratios(p.path, p.is->policy[i].info, e);
    if (bad && !added) {
        free(p.path);
        return -1;
    }
    VEC_PUSH(&loaded, p);
    return bad ? -1 : 0;
}

/* ---- crashes ---- */

static char culprits[1024]; /* the sentence that reports a crash: a handler may not format one */

static void report_crash(int signal_number)
{
    (void)signal_number;
    ssize_t told = write(STDERR_FILENO, culprits, strlen(culprits));
    (void)told;
    /* SA_RESETHAND: what it was happens again, and the process ends as it would have. */
}

void plugin_suspects(char *out, size_t bytes)
{
    const char *before = "a fault of a plugin (";
    size_t n = 0;
    for (size_t i = 0; i < loaded.n && n < bytes; i++, before = ", ")
        n += (size_t)snprintf(out + n, bytes - n, "%s%s", before, strrchr(loaded.p[i].path, '/') + 1);
    if (n < bytes)
        snprintf(out + n, bytes - n, "%sa bug of weir", n ? ") or " : "");
}

void plugin_report_crashes(void)
{
    static char stack[1 << 16]; /* of its own: a crash may be the end of the stack */
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    if (!loaded.n)
        return;
    char who[sizeof culprits - 32];
    plugin_suspects(who, sizeof who);
    snprintf(culprits, sizeof culprits, "\nweir: crashed: %s\n", who);
    stack_t s = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&s, NULL);
    struct sigaction a = {.sa_handler = report_crash, .sa_flags = (int)SA_RESETHAND | SA_ONSTACK};
    for (unsigned i = 0; i < sizeof fatal / sizeof *fatal; i++)
        sigaction(fatal[i], &a, NULL);
}

unsigned plugin_count(void)
{
    return (unsigned)loaded.n;
}

const char *plugin_path(unsigned i)
{
    return loaded.p[i].path;
}

static const struct plugin *plugin_of(const struct policy_info *info)
{
    for (size_t i = 0; i < loaded.n; i++)
        for (unsigned k = 0; k < loaded.p[i].is->n_policy; k++)
            if (loaded.p[i].is->policy[k].info == info)
                return &loaded.p[i];
    return NULL;
}

const char *plugin_identity(const struct policy_info *info)
{
    const struct plugin *p = plugin_of(info);
    return p ? p->identity : NULL;
}

const char *plugin_file(const struct policy_info *info)
{
    const struct plugin *p = plugin_of(info);
    return p ? strrchr(p->path, '/') + 1 : NULL;
}
