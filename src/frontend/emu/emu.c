/*
 * The device: its options, and the table of texture and surface objects.
 */
#include "emu/state.h"

struct emu *emu_new(const struct emu_opts *opts, struct err *e)
{
    struct emu *emu = xcalloc(1, sizeof *emu);
    if (opts)
        emu->opts = *opts;
    struct emu_opts *o = &emu->opts;
    if (!o->heap_bytes)
        o->heap_bytes = 16ull << 30;
    if (!o->stack_bytes)
        o->stack_bytes = 1024;
    if (!o->malloc_bytes)
        o->malloc_bytes = 8u << 20;
    if (!o->sm_count)
        o->sm_count = 16;
    if (!o->ctas_per_sm)
        o->ctas_per_sm = 8;
    if (!o->arch)
        o->arch = 90;
    emu->heap = emu_heap_new(o->heap_bytes, e);
    if (!emu->heap) {
        free(emu);
        return NULL;
    }
    return emu;
}

void emu_free(struct emu *emu)
{
    if (!emu)
        return;
    while (emu->modules)
        emu_module_unload(emu, emu->modules);
    emu_launch_forget(emu, NULL);
    emu_tex_table_free(emu->tex);
    emu_heap_free(emu->heap);
    free(emu);
}

struct emu_opts *emu_options(struct emu *emu)
{
    return &emu->opts;
}

const struct emu_stats *emu_get_stats(const struct emu *emu)
{
    return &emu->stats;
}

/* ---- textures and surfaces ---- */

/* A handle is a tag and an index, so that a stray value is seldom taken for one. */
#define TEX_TAG      0x7e000000ull
#define TEX_TAG_MASK 0xffffffffff000000ull

struct emu_tex_table {
    VEC(struct emu_tex_desc *) object; /* NULL = destroyed */
};

static struct emu_tex_desc **tex_slot(const struct emu *emu, uint64_t handle)
{
    uint64_t index = (handle & ~TEX_TAG_MASK) - 1;
    if ((handle & TEX_TAG_MASK) != TEX_TAG || !emu->tex || index >= emu->tex->object.n)
        return NULL;
    return &emu->tex->object.p[index];
}

uint64_t emu_tex_create(struct emu *emu, const struct emu_tex_desc *d)
{
    if (!emu->tex)
        emu->tex = xcalloc(1, sizeof *emu->tex);
    struct emu_tex_desc *copy = xmalloc(sizeof *copy);
    *copy = *d;
    size_t index = 0;
    while (index < emu->tex->object.n && emu->tex->object.p[index])
        index++;
    if (index == emu->tex->object.n)
        VEC_PUSH(&emu->tex->object, copy);
    else
        emu->tex->object.p[index] = copy;
    return TEX_TAG | (index + 1);
}

uint64_t emu_surf_create(struct emu *emu, const struct emu_tex_desc *d)
{
    return emu_tex_create(emu, d);
}

const struct emu_tex_desc *emu_tex_get(const struct emu *emu, uint64_t handle)
{
    struct emu_tex_desc **slot = tex_slot(emu, handle);
    return slot ? *slot : NULL;
}

int emu_tex_destroy(struct emu *emu, uint64_t handle)
{
    struct emu_tex_desc **slot = tex_slot(emu, handle);
    if (!slot || !*slot)
        return -1;
    free(*slot);
    *slot = NULL;
    return 0;
}

void emu_tex_table_free(struct emu_tex_table *t)
{
    if (!t)
        return;
    VEC_FREE_ALL(&t->object);
    free(t);
}
