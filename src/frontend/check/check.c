/* The checker's life: options, launches, CTAs. */
#include "check/state.h"

#include "base/infile.h"

#include <stdio.h>

enum { MOST_SUPPRESSIONS_BYTES = 1 << 20 };
#define SHADOW_BYTES (8ull << 30)

/* ---- options ---- */

static const char *const tool_name[] = {"memcheck", "racecheck", "initcheck", "synccheck", "leakcheck"};

unsigned check_tools_of(const char *words, char **wrong)
{
    unsigned tools = 0;
    *wrong = NULL;
    for (const char *w = words; *w;) {
        const size_t n = strcspn(w, ",");
        unsigned bit = 0;
        for (unsigned i = 0; i < sizeof tool_name / sizeof *tool_name; i++)
            if (strlen(tool_name[i]) == n && !strncmp(tool_name[i], w, n))
                bit = 1u << i;
        if (!bit) {
            *wrong = xstrndup(w, n);
            return 0;
        }
        tools |= bit;
        w += n + (w[n] == ',');
    }
    return tools;
}

/* A line: CLASS TEXT; a finding of this class (or *) that names the text anywhere is not reported. */
static int read_suppressions(struct check *c, struct err *e)
{
    FILE *f = infile_open(c->opts.suppress, MOST_SUPPRESSIONS_BYTES, e);
    char line[1024];
    if (!f)
        return -1;
    for (unsigned n = 1; fgets(line, sizeof line, f); n++) {
        line[strcspn(line, "\r\n")] = '\0';
        char *class = line + strspn(line, " \t");
        if (!*class || *class == '#')
            continue;
        char *rest = class + strcspn(class, " \t");
        if (*rest)
            *rest++ = '\0';
        rest += strspn(rest, " \t");
        bool known = !strcmp(class, "*");
        for (unsigned i = 0; i < N_CLASS; i++)
            known |= !strcmp(class, class_word[i]);
        if (!known) {
            err_at(e, c->opts.suppress, (int)n, 0, "there is no class '%s' of findings", class);
            err_hint(e, "a line is a class, as the report names it, or *, and a text that the finding has");
            fclose(f);
            return -1;
        }
        VEC_PUSH(&c->suppress, (struct rule){xstrdup(class), xstrdup(rest)});
    }
    fclose(f);
    return 0;
}

/* ---- CTAs ---- */

static struct ccta *ccta_new(const struct emu_cta *cta)
{
    struct ccta *a = xcalloc(1, sizeof *a);
    a->n_warp = cta->n_warp;
    a->n_page = cta->smem_bytes / PAGE_BYTES + 1;
    a->warp = xcalloc(a->n_warp, sizeof *a->warp);
    a->smem = xcalloc(a->n_page, sizeof *a->smem);
    return a;
}

static void ccta_free(struct check *c, struct ccta *a)
{
    for (uint32_t i = 0; i < a->n_warp; i++) {
        struct cwarp *w = &a->warp[i];
        free(w->mark_room[0]);
        free(w->mark_room[1]);
        free(w->pair_room);
        free(w->local_init);
        free(w->undefined);
        VEC_FREE(&w->copies.v);
    }
    free(a->proxy);
    free(a->async);
    free(a->object);
    free(a->log);
    for (uint32_t i = 0; i < a->n_page; i++)
        page_drop(c, &a->smem[i]);
    free(a->warp);
    free(a->smem);
    free(a);
}

/* All is forgotten but the memory that can be used again. */
static void warp_clear(struct cwarp *w, uint32_t frame_bytes)
{
    if (w->local_init)
        memset(w->local_init, 0, (size_t)(frame_bytes + 63) / 64 * EMU_LANES * 8);
    if (w->any_undefined)
        memset(w->undefined, 0, w->n_undefined * sizeof *w->undefined);
    w->copies.v.n = 0;
    *w = (struct cwarp){.mark_room = {w->mark_room[0], w->mark_room[1]},
                        .pair_room = w->pair_room,
                        .copies = w->copies,
                        .local_init = w->local_init,
                        .undefined = w->undefined,
                        .n_undefined = w->n_undefined};
    w->copies.group = 0;
}

static void cta_begin(void *ctx, struct emu_cta *cta)
{
    struct check *c = ctx;
    cta->watched = NULL;
    if (!c->on)
        return;
    struct ccta *a = c->spare;
    if (a)
        c->spare = a->next;
    else
        a = ccta_new(cta);
    const uint32_t frame_bytes = c->grid->prog->func[0].frame_bytes;
    for (uint32_t i = 0; i < a->n_warp; i++)
        warp_clear(&a->warp[i], frame_bytes);
    *a = (struct ccta){.cta = cta,
                       .warp = a->warp,
                       .smem = a->smem,
                       .n_page = a->n_page,
                       .n_warp = a->n_warp,
                       .proxy = a->proxy,
                       .proxy_bytes = a->proxy_bytes,
                       .async = a->async,
                       .object = a->object,
                       .object_words = a->object_words,
                       .log = a->log,
                       .part_shift = quiet_shift(cta->smem_bytes)};
    proxy_clear(a);
    async_clear(a);
    a->index = cta->index;
    a->stamp_cta = cta->index < CTA_MAX ? (uint32_t)cta->index + 1 : 0;
    a->clock = 1;
    a->owner = c->next_owner++;
    cta->watched = a;
    if (!c->initing)
        return;
    for (uint32_t i = 0; i < a->n_page; i++)
        memset(a->smem[i].init, 0, sizeof a->smem[i].init);
    /* What cooperative groups keep there is theirs. */
    const uint32_t own = c->grid->prog->smem_static + c->grid->launch.smem_dynamic_bytes;
    for (uint32_t at = own; at < cta->smem_bytes; at++)
        a->smem[at / PAGE_BYTES].init[at % PAGE_BYTES / 64] |= 1ull << at % 64;
}

static void cta_end(void *ctx, struct emu_cta *cta)
{
    struct check *c = ctx;
    struct ccta *a = cta->watched;
    if (!a)
        return;
    async_end(c, a);
    cta->watched = NULL;
    a->next = c->spare;
    c->spare = a;
}

/* ---- launches ---- */

static void launch_begin(void *ctx, struct emu_grid *g)
{
    struct check *c = ctx;
    c->grid = g;
    c->code = g->prog->watched;
    c->on = c->code && c->code->wanted;
    c->racing = c->on && c->opts.tools & CHECK_RACE;
    c->initing = c->on && c->opts.tools & CHECK_INIT;
    c->syncing = c->on && c->opts.tools & CHECK_SYNC;
    if (!c->on)
        return;
    c->launch = host_launch(c);
    c->launch->code = c->code;
    memcpy(c->launch->block, g->launch.block, sizeof g->launch.block);
    memcpy(c->launch->grid, g->launch.grid, sizeof g->launch.grid);
    c->published = false;
    c->known_serial++;
    roots_launch(c, g);
    for (c->levels = 0; g->n_cta * (c->code->proxies ? N_ENGINE : 1) >> (c->levels + 1) * FANOUT_BITS; c->levels++)
        ;
}

static void launch_end(void *ctx, struct emu_grid *g)
{
    struct check *c = ctx;
    (void)g;
    while (c->spare) {
        struct ccta *a = c->spare;
        c->spare = a->next;
        ccta_free(c, a);
    }
    pool_reset(&c->pool);
    if (c->n_var) {
        memset(c->var.p, 0, c->var.cap * sizeof *c->var.p);
        c->n_var = 0;
    }
    c->overlap.n = 0;
    c->cluster.n = 0;
    c->on = c->racing = c->initing = c->syncing = false;
    c->grid = NULL;
}

static void access_of(void *ctx, struct emu_warp *w, const struct emu_inst *in, uint32_t mask, enum ptx_space space,
                      const uint64_t addr[EMU_LANES], uint32_t bytes)
{
    struct check *c = ctx;
    struct emu_warp_run *r = emu_run_of(w);
    if (c->on)
        site_access(c, r, in, mask, space, addr, bytes);
}

static void move(void *ctx, struct emu_warp *w, const struct emu_inst *in, int lane, uint64_t to, uint64_t from,
                 uint64_t bytes)
{
    struct check *c = ctx;
    if (w && c->on)
        site_move(c, emu_run_of(w), in, (unsigned)lane, to, from, bytes);
    else if (c->opts.tools & CHECK_INIT && !(to & EMU_WINDOW_MASK) && !(from & EMU_WINDOW_MASK))
        host_define(c, to, from, bytes);
}

static void heap(void *ctx, uint64_t addr, uint64_t bytes)
{
    struct check *c = ctx;
    shadow_forget(c, addr, bytes);
    if (c->opts.tools & CHECK_INIT)
        init_set(c, addr, bytes, false);
}

static bool async(void *ctx, struct emu_warp *w, const struct emu_inst *in, int lane, const struct emu_async *e)
{
    struct check *c = ctx;
    struct emu_warp_run *r = emu_run_of(w);
    return c->on && e->bytes && ccta_of(r) && async_access(c, r, site_at(r, in), (unsigned)lane, e);
}

static void define(void *ctx, struct emu_cta *to_cta, uint64_t to, struct emu_cta *from_cta, uint64_t from,
                   uint32_t bytes)
{
    struct check *c = ctx;
    if (c->initing && (!to_cta || to_cta->watched) && (!from_cta || from_cta->watched))
        init_define(c, to_cta ? to_cta->watched : NULL, to, from_cta ? from_cta->watched : NULL, from, bytes);
}

static void counted(void *ctx, struct emu_warp *w, struct emu_cta *cta, uint32_t mbarrier)
{
    struct check *c = ctx;
    (void)w;
    if (c->racing && cta->watched)
        async_counted(c, cta->watched, mbarrier);
}

/* ---- opening and closing ---- */

struct check *check_open(const struct check_opts *o, struct err *e)
{
    struct check *c = xcalloc(1, sizeof *c);
    c->opts = *o;
    c->shadow_limit = o->shadow_bytes ? o->shadow_bytes : SHADOW_BYTES;
    c->next_owner = 1;
    race_choose();
    c->watch = (struct emu_watch){
        .ctx = c,
        .decoded = site_decoded,
        .launch_begin = launch_begin,
        .launch_end = launch_end,
        .cta_begin = cta_begin,
        .cta_end = cta_end,
        .arrive = sync_arrive,
        .release = sync_release,
        .access = access_of,
        .heap = heap,
        .move = move,
        .async = async,
        .define = define,
        .counted = counted,
        .cluster = async_cluster,
        .cluster_complete = async_cluster_complete,
    };
    if (o->suppress && read_suppressions(c, e)) {
        check_close(c);
        return NULL;
    }
    if (o->kernel) {
        const int bad = regcomp(&c->kernel, o->kernel, REG_EXTENDED | REG_NOSUB);
        if (bad) {
            char why[128];
            regerror(bad, &c->kernel, why, sizeof why);
            err_set(e, "--kernel %s: %s", o->kernel, why);
            check_close(c);
            return NULL;
        }
        c->has_kernel = true;
    }
    return c;
}

const struct emu_watch *check_watch(const struct check *c)
{
    return &c->watch;
}

void check_attach(struct check *c, struct emu *emu)
{
    c->emu = emu;
}

void check_close(struct check *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->cap_top; i++) {
        for (size_t k = 0; c->top[i].page && k < SHADOW_TOP_PAGES; k++)
            if (c->top[i].page[k]) {
                page_drop(c, c->top[i].page[k]);
                free(c->top[i].page[k]);
            }
        free(c->top[i].page);
    }
    free(c->top);
    for (int f = 0; f < 3; f++) {
        VEC_FREE_ALL(&c->cells[f]);
    }
    pool_reset(&c->pool);
    VEC_FREE_ALL(&c->pool.chunk);
    free(c->var.p);
    for (size_t i = 0; i < c->codes.n; i++)
        site_free(c->codes.p[i]);
    VEC_FREE(&c->codes);
    VEC_FREE_ALL(&c->launches);
    for (size_t i = 0; i < c->suppress.n; i++) {
        free(c->suppress.p[i].class);
        free(c->suppress.p[i].rest);
    }
    VEC_FREE(&c->suppress);
    for (size_t i = 0; i < c->finding.n; i++) {
        free(c->finding.p[i].where);
        free(c->finding.p[i].text);
        free(c->finding.p[i].advice);
    }
    VEC_FREE(&c->finding);
    VEC_FREE_ALL(&c->kept);
    VEC_FREE(&c->cluster);
    VEC_FREE(&c->writable);
    host_free(c);
    if (c->has_kernel)
        regfree(&c->kernel);
    free(c);
}
