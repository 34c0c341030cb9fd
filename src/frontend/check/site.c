/*
 * The instructions that are observed: what each means for memory, and the handlers placed in front of the
 * emulator's own.
 */
#include "check/state.h"

#include "base/demangle.h"
#include "emu/op_lane.h"

static struct check *check_of(const struct emu_warp *w)
{
    return w->emu->opts.watch->ctx;
}

static const struct site *site_of(const struct emu_warp_run *r, const struct emu_inst *in)
{
    const struct code *k = r->prog->watched;
    return &k->site[emu_pc_of(r, in)];
}

const struct site *site_at(const struct emu_warp_run *r, const struct emu_inst *in)
{
    return site_of(r, in);
}

/* ---- accesses ---- */

struct lanes { /* of one space */
    enum ptx_space space;
    struct ccta *home; /* of shared memory: whose it is; NULL: no running CTA's */
    uint32_t mask;
    uint64_t addr[EMU_LANES];
};
enum { OFFSET_MASK = (1 << EMU_RANK_AT) - 1 };

static enum ptx_space space_at(uint64_t addr)
{
    switch (addr & EMU_WINDOW_MASK) {
    case EMU_SHARED_WINDOW:
        return PTX_S_SHARED;
    case EMU_LOCAL_WINDOW:
        return PTX_S_LOCAL;
    case EMU_CONST_WINDOW:
    case EMU_PARAM_WINDOW:
        return PTX_S_CONST;
    }
    return PTX_S_GLOBAL;
}

/* The lanes of the first space, and of the first CTA's shared memory, that `left` has. */
static void split(const struct emu_warp_run *r, const uint64_t *addr, enum ptx_space space, uint32_t *left,
                  struct lanes *out)
{
    const bool generic = space == PTX_S_GENERIC || space == PTX_S_NONE;
    const unsigned first = (unsigned)__builtin_ctz(*left);
    out->mask = 0;
    out->space = generic ? space_at(addr[first]) : space == PTX_S_SHARED_CLUSTER ? PTX_S_SHARED : space;
    out->home = ccta_of(r);
    for (int l = 0; l < EMU_LANES; l++)
        out->addr[l] = generic && out->space != PTX_S_GLOBAL ? addr[l] & ~EMU_WINDOW_MASK : addr[l];
    for (uint32_t m = *left; m; m &= m - 1)
        if (!generic || space_at(addr[__builtin_ctz(m)]) == out->space)
            out->mask |= m & -m;
    if (out->space == PTX_S_SHARED) {
        const struct emu_cluster *k = r->w.cta->cluster;
        const bool ranks = k->n > 1;
        const uint32_t rank = (uint32_t)addr[first] >> EMU_RANK_AT;
        if (ranks && space != PTX_S_SHARED) {
            out->home = rank < k->n ? k->cta[rank]->watched : NULL;
            for (uint32_t m = out->mask; m; m &= m - 1)
                if ((uint32_t)addr[__builtin_ctz(m)] >> EMU_RANK_AT != rank)
                    out->mask &= ~(m & -m);
        }
        for (int l = 0; l < EMU_LANES; l++)
            out->addr[l] = ranks ? out->addr[l] & OFFSET_MASK : (uint32_t)out->addr[l];
    }
    *left &= ~out->mask;
}

static void addresses(const struct emu_warp_run *r, const struct emu_inst *in, uint64_t *a)
{
    const struct emu_opnd *o = &in->src[0];
    const void *row = emu_src(&r->w, o);
    uint64_t off = in->imm;
    if (in->aux[EMU_AUX_FLAGS] & EMU_AUXF_FRAME)
        off += r->frame->local_base;
    if (o->lane == EMU_LANE_64)
        for (int l = 0; l < EMU_LANES; l++)
            a[l] = ((const uint64_t *)row)[l] + off;
    else
        for (int l = 0; l < EMU_LANES; l++)
            a[l] = (uint32_t)(((const uint32_t *)row)[l] + (uint32_t)off);
    if (in->aux[EMU_AUX_SPACE] == PTX_S_SHARED) /* an address of shared memory has 32 bits */
        for (int l = 0; l < EMU_LANES; l++)
            a[l] = (uint32_t)a[l];
}

static bool checked(enum ptx_space s)
{
    return s == PTX_S_GLOBAL || s == PTX_S_SHARED;
}

/* Of a generic address: global when all lanes' are, what is most frequent; GENERIC when they must be looked at. */
static enum ptx_space common_space(const struct emu_warp_run *r, const uint64_t *addr, uint32_t mask,
                                   enum ptx_space space)
{
    if (space == PTX_S_SHARED || space == PTX_S_SHARED_CLUSTER)
        return r->w.cta->cluster->n > 1 ? PTX_S_GENERIC : PTX_S_SHARED;
    if (space != PTX_S_GENERIC && space != PTX_S_NONE)
        return space;
    uint64_t any = 0;
    for (uint32_t m = mask; m; m &= m - 1)
        any |= addr[__builtin_ctz(m)];
    return any & EMU_WINDOW_MASK ? PTX_S_GENERIC : PTX_S_GLOBAL;
}

static enum shape shape_of(const uint64_t *addr, uint32_t mask, uint32_t bytes)
{
    const uint64_t span = addr[31] - addr[0], step = span ? bytes : 0;
    if (mask != ~0u || span != 31 * step)
        return SHAPE_OTHER;
    uint64_t apart = addr[0] & (bytes - 1);
    for (unsigned l = 0; l < EMU_LANES; l++)
        apart |= addr[l] ^ (addr[0] + l * step);
    return apart ? SHAPE_OTHER : span ? SHAPE_NEIGHBORS : SHAPE_SAME;
}

static void look_in(struct check *c, struct emu_warp_run *r, const struct site *x, enum access access, uint32_t mask,
                    enum ptx_space space, const uint64_t *addr, uint32_t bytes)
{
    const enum shape shape = shape_of(addr, mask, bytes);
    bool quiet = false, defined = false;
    if (space == PTX_S_SHARED && access == ACCESS_READ && c->home == ccta_of(r) && x->kind == SITE_LOAD)
        quiet = quiet_read(r, c, x, mask, addr, bytes, shape, &defined);
    if (c->racing && checked(space) && !quiet)
        race_access(c, r, x, access, mask, space, addr, bytes, shape);
    if (c->racing && c->code->proxies && space == PTX_S_SHARED && access != ACCESS_READ && c->home == ccta_of(r))
        proxy_store(r, x, mask, addr, bytes);
    if (c->syncing && c->code->mbarriers && space == PTX_S_SHARED && access == ACCESS_WRITE && x->kind != SITE_MBARRIER)
        async_store(c, r, x, mask, addr, bytes);
    if (c->initing && access != ACCESS_WRITE && !defined)
        init_read(c, r, x, mask, space, addr, bytes, shape);
    if (c->initing && access != ACCESS_READ)
        init_write(c, r, x, mask, space, addr, bytes, shape);
}

static void look(struct check *c, struct emu_warp_run *r, const struct site *x, enum access access, uint32_t mask,
                 enum ptx_space space, const uint64_t *addr, uint32_t bytes)
{
    const enum ptx_space common = common_space(r, addr, mask, space);
    c->home = ccta_of(r);
    if (common != PTX_S_GENERIC) {
        look_in(c, r, x, access, mask, common, addr, bytes);
        return;
    }
    struct lanes n;
    while (mask) {
        split(r, addr, space, &mask, &n);
        c->home = n.home;
        if (n.home)
            look_in(c, r, x, access, n.mask, n.space, n.addr, bytes);
    }
}

/* What a strong access says to other threads, and hears. */
static void talk(struct check *c, struct emu_warp_run *r, const struct site *x, bool hears, bool says, uint32_t mask,
                 enum ptx_space space, const uint64_t *addr)
{
    if (!c->racing || !x->strong || (!c->published && !x->release && !(c->code->sets && c->code->polls)))
        return;
    struct lanes n;
    while (mask) {
        split(r, addr, space, &mask, &n);
        if (!checked(n.space) || !n.home)
            continue;
        c->home = n.home;
        for (uint32_t m = n.mask; m; m &= m - 1) {
            const unsigned l = (unsigned)__builtin_ctz(m);
            if (hears)
                sync_observe(c, r, x, l, n.space, n.addr[l]);
            if (says)
                sync_publish(c, r, x, l, n.space, n.addr[l], x->kind == SITE_STORE);
        }
    }
}

/* Do all lanes read the allocation that the instruction knows? */
static bool all_known(struct check *c, const struct site *x, const uint64_t *a, uint32_t mask)
{
    if (x->known_serial != c->known_serial || (x->undefinings != c->undefinings && c->initing))
        return false;
    const uint64_t lo = x->known.lo, span = x->known.hi - lo;
    uint64_t out = 0;
    if (mask == ~0u)
        for (unsigned l = 0; l < EMU_LANES; l++)
            out |= (span - 1 - (a[l] - lo)) | (a[l] - lo);
    else
        for (uint32_t m = mask; m; m &= m - 1)
            out |= (span - 1 - (a[__builtin_ctz(m)] - lo)) | (a[__builtin_ctz(m)] - lo);
    return !(out >> 63) && span;
}

/* What has to be looked for where lanes read global memory. */
static void narrow_down(struct check *c, struct site *x, const uint64_t *a, uint32_t mask, bool *racing, bool *initing)
{
    bool known = all_known(c, x, a, mask);
    if (!known) {
        roots_know(c, x, a[__builtin_ctz(mask)]);
        known = all_known(c, x, a, mask);
    }
    *racing &= !(known && x->read_only);
    *initing &= !(known && x->defined);
}

static void look_for(struct check *c, struct emu_warp_run *r, const struct site *x, uint32_t mask, enum ptx_space space,
                     const uint64_t *a, uint32_t bytes, bool racing, bool initing)
{
    const bool was_racing = c->racing, was_initing = c->initing;
    c->racing = racing;
    c->initing = initing;
    look(c, r, x, ACCESS_READ, mask, space, a, bytes);
    c->racing = was_racing;
    c->initing = was_initing;
}

static void on_load(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    struct emu_warp_run *r = emu_run_of(w);
    struct check *c = check_of(w);
    struct site *x = (struct site *)site_of(r, in);
    uint64_t a[EMU_LANES];
    addresses(r, in, a); /* a result may replace its address */
    x->fn(w, in, mask);
    if (!c->on || r->stop)
        return;
    bool racing = c->racing, initing = c->initing;
    if (x->space == PTX_S_GLOBAL ||
        (x->space != PTX_S_SHARED && x->space != PTX_S_LOCAL && !(a[__builtin_ctz(mask)] & EMU_WINDOW_MASK))) {
        narrow_down(c, x, a, mask, &racing, &initing);
        if (!racing && !initing)
            return;
    }
    talk(c, r, x, true, false, mask, x->space, a);
    if (racing == c->racing && initing == c->initing) {
        look(c, r, x, ACCESS_READ, mask, x->space, a, x->bytes);
        return;
    }
    look_for(c, r, x, mask, x->space, a, x->bytes, racing, initing);
}

static void on_store(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    struct emu_warp_run *r = emu_run_of(w);
    struct check *c = check_of(w);
    const struct site *x = site_of(r, in);
    if (c->on) { /* first, while the old value is there */
        uint64_t a[EMU_LANES];
        addresses(r, in, a);
        look(c, r, x, ACCESS_WRITE, mask, x->space, a, x->bytes);
        talk(c, r, x, false, true, mask, x->space, a);
    }
    x->fn(w, in, mask);
}

static void on_atomic(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    struct emu_warp_run *r = emu_run_of(w);
    struct check *c = check_of(w);
    const struct site *x = site_of(r, in);
    uint64_t a[EMU_LANES];
    addresses(r, in, a);
    x->fn(w, in, mask);
    if (!c->on || r->stop)
        return;
    look(c, r, x, ACCESS_ATOMIC, mask, x->space, a, x->bytes);
    talk(c, r, x, true, true, mask, x->space, a);
}

static void on_mbarrier(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    struct emu_warp_run *r = emu_run_of(w);
    struct check *c = check_of(w);
    const struct site *x = site_of(r, in);
    uint64_t a[EMU_LANES];
    for (int l = 0; l < EMU_LANES; l++)
        a[l] = emu_lane_address(w, in, l);
    x->fn(w, in, mask);
    if (!c->on || r->stop)
        return;
    if (in->ptx->op == PTX_CP && c->racing)
        race_wait_copies(c, r, 0, true);
    const bool starts = ptx_has(in->ptx, PTX_M_INIT) || ptx_has(in->ptx, PTX_M_INVAL);
    look(c, r, x, starts ? ACCESS_WRITE : ACCESS_ATOMIC, mask, x->space, a, 8);
    if (starts) {
        struct lanes n;
        for (uint32_t left = mask; left;) {
            split(r, a, x->space, &left, &n);
            c->home = n.home;
            for (uint32_t m = n.home && n.space == PTX_S_SHARED ? n.mask : 0; m; m &= m - 1) {
                const unsigned l = (unsigned)__builtin_ctz(m);
                async_object(c, r, x, l, (uint32_t)n.addr[l], ptx_has(in->ptx, PTX_M_INIT));
            }
        }
    }
    if (!c->racing)
        return;
    if (x->acquire) {
        mask &= w->pred[in->dst[0].off];
        if (mask)
            talk(c, r, x, true, false, mask, x->space, a);
        return;
    }
    if (!starts)
        talk(c, r, x, false, x->release, mask, x->space, a);
    struct lanes n;
    while (mask) {
        split(r, a, x->space, &mask, &n);
        for (uint32_t m = n.home && n.space == PTX_S_SHARED ? n.mask : 0; m; m &= m - 1) {
            c->home = n.home;
            sync_phase(c, (uint32_t)n.addr[__builtin_ctz(m)], starts);
        }
    }
}

static void on_group(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    struct emu_warp_run *r = emu_run_of(w);
    struct check *c = check_of(w);
    site_of(r, in)->fn(w, in, mask);
    if (c->on && c->racing)
        async_group(c, r, in->ptx, mask);
}

static void on_async_copy(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    struct emu_warp_run *r = emu_run_of(w);
    struct check *c = check_of(w);
    const struct site *x = site_of(r, in);
    const uint32_t bytes = x->bytes;
    uint64_t to[EMU_LANES], from[EMU_LANES];
    uint32_t reads = mask;
    for (int l = 0; l < EMU_LANES; l++) { /* operands as emu_cp_async takes them */
        to[l] = (uint32_t)(emu_lane_value(w, &in->src[0], l) + (uint64_t)(int64_t)(int32_t)in->imm);
        from[l] = emu_lane_value(w, &in->src[1], l) + (uint64_t)((int64_t)in->imm >> 32);
        if (in->src[2].lane && emu_lane_value(w, &in->src[2], l) < bytes)
            reads &= ~(1u << l);
    }
    if (in->src[3].lane)
        reads &= ~emu_src_pred(w, &in->src[3]);
    x->fn(w, in, mask);
    if (!c->on || r->stop)
        return;
    if (reads)
        look(c, r, x, ACCESS_READ, reads, PTX_S_GLOBAL, from, bytes);
    look(c, r, x, ACCESS_WRITE, mask, PTX_S_SHARED, to, bytes);
    if (!c->racing)
        return;
    struct copies *q = &ccta_of(r)->warp[w->index].copies;
    struct pending p = {.group = q->group, .mask = mask, .bytes = bytes};
    for (int l = 0; l < EMU_LANES; l++)
        p.to[l] = (uint32_t)to[l];
    VEC_PUSH(&q->v, p);
}

static void on_wait(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    struct emu_warp_run *r = emu_run_of(w);
    struct check *c = check_of(w);
    const struct site *x = site_of(r, in);
    x->fn(w, in, mask);
    if (!c->on || !c->racing)
        return;
    struct copies *q = &ccta_of(r)->warp[w->index].copies;
    if (ptx_has(in->ptx, PTX_M_COMMIT_GROUP)) {
        q->group++;
    } else if (ptx_has(in->ptx, PTX_M_WAIT_ALL)) {
        race_wait_copies(c, r, 0, true);
    } else {
        race_wait_copies(c, r, in->ptx->n_opnd ? (uint32_t)in->ptx->opnd[0].imm : 0, false);
    }
}

static void on_fence(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    struct emu_warp_run *r = emu_run_of(w);
    struct check *c = check_of(w);
    if (c->on && c->racing)
        sync_fence(c, r, mask, site_of(r, in)->scope);
}

static void on_proxy_fence(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    struct emu_warp_run *r = emu_run_of(w);
    const struct check *c = check_of(w);
    (void)in;
    if (c->on && c->racing && c->code->proxies)
        proxy_fence(r, mask);
}

static void on_sync(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    struct emu_warp_run *r = emu_run_of(w);
    struct check *c = check_of(w);
    if (c->on)
        sync_warp(c, r, in, mask);
    site_of(r, in)->fn(w, in, mask);
}

/* ---- what an instruction is ---- */

static unsigned scope_of(const struct ptx_inst *p)
{
    return ptx_has(p, PTX_M_CTA) ? STRONG_CTA : STRONG_GPU;
}

static void orders(struct site *x, const struct ptx_inst *p)
{
    x->acquire = ptx_has(p, PTX_M_ACQUIRE) || ptx_has(p, PTX_M_ACQ_REL);
    x->release = ptx_has(p, PTX_M_RELEASE) || ptx_has(p, PTX_M_ACQ_REL);
}

/* PTX calls these weak; but they meet in the L2, and programs pass status words on with them. */
static bool reaches_l2(const struct ptx_inst *p)
{
    return ptx_has(p, PTX_M_CG) || ptx_has(p, PTX_M_WT);
}

static emu_op_fn *memory_site(struct site *x, const struct emu_inst *in)
{
    const struct ptx_inst *p = in->ptx;
    x->space = in->aux[EMU_AUX_SPACE];
    x->bytes = (uint8_t)(in->aux[EMU_AUX_BYTES] * in->aux[EMU_AUX_VEC]);
    if (p->op == PTX_ATOM || p->op == PTX_RED) {
        x->kind = SITE_ATOMIC;
        x->strong = (uint8_t)scope_of(p);
        orders(x, p);
        return on_atomic;
    }
    x->is_volatile = ptx_has(p, PTX_M_VOLATILE) || ptx_has(p, PTX_M_CV);
    orders(x, p);
    if (x->is_volatile || reaches_l2(p) || x->acquire || x->release || ptx_has(p, PTX_M_RELAXED) ||
        ptx_has(p, PTX_M_MMIO))
        x->strong = (uint8_t)scope_of(p);
    x->kind = p->op == PTX_ST ? SITE_STORE : SITE_LOAD;
    return p->op == PTX_ST ? on_store : on_load;
}

/* The handler to put in front; NULL = none. */
static emu_op_fn *describe(struct site *x, const struct emu_inst *in)
{
    const struct ptx_inst *p = in->ptx;
    const unsigned kind = in->kind & EMU_K_MASK;
    if (kind == EMU_K_SYNC && in->target2 == EMU_SYNC_MEMBERS) {
        x->kind = SITE_SYNC;
        return on_sync;
    }
    switch (p->op) {
    case PTX_LD:
    case PTX_LDU:
    case PTX_ST:
    case PTX_ATOM:
    case PTX_RED:
        if (ptx_has(p, PTX_M_ASYNC) || (kind != EMU_K_MEM && kind != EMU_K_TICKET) ||
            in->aux[EMU_AUX_SPACE] == PTX_S_CONST || in->aux[EMU_AUX_SPACE] == PTX_S_PARAM)
            return NULL;
        return memory_site(x, in);
    case PTX_CP:
        if (ptx_has(p, PTX_M_BULK))
            return ptx_has(p, PTX_M_COMMIT_GROUP) || ptx_has(p, PTX_M_WAIT_GROUP) ? on_group : NULL;
        if (ptx_has(p, PTX_M_MBARRIER))
            break;
        if (kind != EMU_K_MEM) {
            x->kind = SITE_WAIT;
            return on_wait;
        }
        x->kind = SITE_ASYNC_COPY;
        x->bytes = in->aux[EMU_AUX_BYTES];
        return on_async_copy;
    case PTX_WGMMA:
        return ptx_has(p, PTX_M_COMMIT_GROUP) || ptx_has(p, PTX_M_WAIT_GROUP) ? on_group : NULL;
    case PTX_MBARRIER:
        if (kind != EMU_K_MEM && kind != EMU_K_WAIT)
            return NULL;
        break;
    case PTX_MEMBAR:
    case PTX_FENCE:
        if (ptx_has(p, PTX_M_PROXY))
            return ptx_has(p, PTX_M_ASYNC) ? on_proxy_fence : NULL;
        x->kind = SITE_FENCE;
        x->scope = (uint8_t)scope_of(p);
        return on_fence;
    default:
        return NULL;
    }
    x->kind = SITE_MBARRIER;
    x->space = in->aux[EMU_AUX_SPACE];
    x->bytes = 8;
    x->strong = ptx_has(p, PTX_M_INIT) ? WEAK : STRONG_GPU; /* its users must be ordered after its initialization */
    x->acquire = ptx_has(p, PTX_M_TEST_WAIT) || ptx_has(p, PTX_M_TRY_WAIT);
    x->release =
        p->op == PTX_CP || ((ptx_has(p, PTX_M_ARRIVE) || ptx_has(p, PTX_M_ARRIVE_DROP)) && !ptx_has(p, PTX_M_RELAXED));
    if (x->acquire && ptx_has(p, PTX_M_RELAXED))
        x->acquire = false;
    return on_mbarrier;
}

/* ---- loads whose results are only stored ---- */

static void mark_use(const struct ptx_opnd *o, uint8_t *used)
{
    if (o->reg >= 0 && (o->kind == PTX_O_REG || o->kind == PTX_O_ADDR))
        used[o->reg] = 1;
    for (unsigned k = 0; k < o->n && o->elem; k++)
        mark_use(&o->elem[k], used);
}

static bool passes(const struct ptx_opnd *o, const uint8_t *used)
{
    if (o->kind == PTX_O_REG)
        return !used[o->reg];
    bool all = o->kind == PTX_O_VEC;
    for (unsigned k = 0; all && k < o->n; k++)
        all = o->elem[k].kind == PTX_O_REG && !used[o->elem[k].reg];
    return all;
}

/* used[]: registers that anything but a plain load defines, or anything but a plain store takes. */
static void find_passing(struct code *k, const struct emu_prog *p)
{
    const struct ptx_func *f = p->func[0].ptx;
    uint8_t *used = xcalloc(f->n_reg + 1u, 1);
    for (uint32_t pc = 0; pc < f->n_inst; pc++) {
        const struct ptx_inst *in = &f->inst[pc];
        const bool ld = in->op == PTX_LD && k->site[pc].kind == SITE_LOAD && k->site[pc].fn;
        const bool st = in->op == PTX_ST && k->site[pc].kind == SITE_STORE && k->site[pc].fn;
        if (in->guard >= 0)
            used[in->guard] = 1;
        for (unsigned o = 0; o < in->n_opnd; o++)
            if (!(ld && o == 0) && !(st && o == 1))
                mark_use(&in->opnd[o], used);
    }
    for (uint32_t pc = 0; pc < f->n_inst; pc++) {
        struct site *x = &k->site[pc];
        if (x->fn && (x->kind == SITE_LOAD || x->kind == SITE_STORE))
            x->passes = passes(&f->inst[pc].opnd[x->kind == SITE_STORE], used);
    }
    free(used);
}

/* A copy of the name, one for each file. */
static const char *file_name(struct code *k, const char *name)
{
    for (size_t i = k->file.n; i-- > 0;)
        if (!strcmp(k->file.p[i], name))
            return k->file.p[i];
    VEC_PUSH(&k->file, xstrdup(name));
    return k->file.p[k->file.n - 1];
}

/* ---- the first read of a compare-and-swap loop, which the swap checks ---- */

/* The register that an address comes from, through conversions between spaces. */
static int32_t origin(const struct ptx_func *f, const uint32_t *def, int32_t reg)
{
    for (int hops = 0; reg >= 0 && hops < 8; hops++) {
        const uint32_t pc = def[reg];
        if (!pc || pc == UINT32_MAX)
            break;
        const struct ptx_inst *in = &f->inst[pc - 1];
        if ((in->op != PTX_CVTA && in->op != PTX_MOV) || in->n_opnd != 2 || in->opnd[1].kind != PTX_O_REG)
            break;
        reg = in->opnd[1].reg;
    }
    return reg;
}

static void find_guesses(struct code *k, const struct emu_func *fn)
{
    const struct ptx_func *f = fn->ptx;
    uint32_t *def = xcalloc(f->n_reg + 1u, sizeof *def); /* pc + 1; UINT32_MAX: several */
    for (uint32_t pc = 0; pc < f->n_inst; pc++)
        if (f->inst[pc].n_opnd && f->inst[pc].opnd[0].kind == PTX_O_REG) {
            uint32_t *d = &def[f->inst[pc].opnd[0].reg];
            *d = *d ? UINT32_MAX : pc + 1;
        }
    for (uint32_t c = 0; c < f->n_inst; c++) {
        const struct ptx_inst *cas = &f->inst[c];
        if (cas->op != PTX_ATOM || !ptx_has(cas, PTX_M_CAS) || cas->n_opnd < 2)
            continue;
        for (uint32_t pc = 0; pc < f->n_inst; pc++) {
            const struct ptx_inst *ld = &f->inst[pc];
            const struct ptx_opnd *a = &ld->opnd[1], *b = &cas->opnd[1];
            if (ld->op == PTX_LD && ld->n_opnd == 2 && a->kind == PTX_O_ADDR && a->imm == b->imm && a->sym == b->sym &&
                origin(f, def, a->reg) == origin(f, def, b->reg))
                k->site[fn->base_pc + pc].guesses = true;
        }
    }
    free(def);
}

/* Instructions whose accesses the emulator reports, because only it knows their addresses. */
static bool told(const struct ptx_inst *p)
{
    switch (p->op) {
    case PTX_WMMA:
    case PTX_LDMATRIX:
    case PTX_STMATRIX:
    case PTX_TEX:
    case PTX_TLD4:
    case PTX_SULD:
    case PTX_SUST:
    case PTX_SURED:
    case PTX_CALL:
        return true;
    default:
        return false;
    }
}

void site_decoded(void *ctx, struct emu_prog *p)
{
    struct check *c = ctx;
    struct code *k = xcalloc(1, sizeof *k);
    char name[512];
    demangle(p->func[0].ptx->name, name, sizeof name);
    k->kernel = xstrdup(name);
    k->wanted = !c->has_kernel || !regexec(&c->kernel, name, 0, NULL, 0) ||
                !regexec(&c->kernel, p->func[0].ptx->name, 0, NULL, 0);
    k->site = xcalloc(p->n_inst + 1u, sizeof *k->site);
    k->by_id = xcalloc(SITE_MAX + 1u, sizeof *k->by_id);
    p->watched = k;
    VEC_PUSH(&c->codes, k);
    for (uint32_t f = 0; f < p->n_func; f++) {
        const struct emu_func *fn = &p->func[f];
        const struct ptx_inst *place = NULL; /* the last that has a line: code merged out of several has none */
        for (uint32_t pc = fn->base_pc; pc < fn->base_pc + fn->ptx->n_inst; pc++) {
            struct emu_inst *in = &p->inst[pc];
            struct site *x = &k->site[pc];
            if (in->ptx->loc_line && in->ptx->loc_file < fn->module->n_file)
                place = in->ptx;
            x->in = in;
            x->file = file_name(k, place              ? fn->module->file[place->loc_file]
                                   : fn->module->name ? fn->module->name
                                                      : "");
            x->line = place ? place->loc_line : in->ptx->line;
            snprintf(x->text, sizeof x->text, "%s", in->ptx->text ? in->ptx->text : "");
            const bool bulk = in->ptx->op == PTX_WGMMA || (in->ptx->op == PTX_CP && ptx_has(in->ptx, PTX_M_BULK)) ||
                              ((in->ptx->op == PTX_ST || in->ptx->op == PTX_RED) && ptx_has(in->ptx, PTX_M_ASYNC));
            k->proxies |= bulk;
            k->mbarriers |= in->ptx->op == PTX_MBARRIER;
            emu_op_fn *front = k->wanted && (in->kind & EMU_K_MASK) != EMU_K_TRAP ? describe(x, in) : NULL;
            if (!front && !told(in->ptx) && !bulk)
                continue;
            if (in->ptx->op == PTX_SURED) {
                x->kind = SITE_ATOMIC;
                x->strong = STRONG_GPU;
            } else if (!front && bulk) {
                x->kind = SITE_BULK;
                x->strong = in->ptx->op == PTX_RED || ptx_has(in->ptx, PTX_M_REDUCE) ? STRONG_GPU : WEAK;
            }
            if (k->n_id < SITE_MAX)
                k->n_id++;
            x->id = (uint16_t)k->n_id;
            k->by_id[x->id] = x;
            if (!front)
                continue;
            x->fn = in->fn;
            in->fn = front;
            k->narrow |= x->strong == STRONG_CTA;
            k->narrow_fence |= x->kind == SITE_FENCE && x->scope == STRONG_CTA;
            k->talks |= x->strong != WEAK;
            k->sets |= x->strong && x->kind == SITE_STORE && x->space != PTX_S_SHARED;
            k->polls |= x->strong && x->kind == SITE_LOAD && x->space != PTX_S_SHARED;
        }
        find_guesses(k, fn);
    }
    find_passing(k, p);
    roots_find(k, p);
}

void site_free(struct code *k)
{
    free(k->kernel);
    free(k->site);
    free(k->by_id);
    VEC_FREE_ALL(&k->file);
    free(k);
}

void site_access(struct check *c, struct emu_warp_run *r, const struct emu_inst *in, uint32_t mask,
                 enum ptx_space space, const uint64_t *addr, uint32_t bytes)
{
    const struct ptx_inst *p = in->ptx;
    struct site *x = (struct site *)site_of(r, in);
    if (bytes & (bytes - 1) || bytes > 32)
        return;
    if (p->op == PTX_SURED) {
        look(c, r, x, ACCESS_ATOMIC, mask, space, addr, bytes);
    } else if (p->op == PTX_STMATRIX || p->op == PTX_SUST || (p->op == PTX_WMMA && ptx_has(p, PTX_M_STORE))) {
        look(c, r, x, ACCESS_WRITE, mask, space, addr, bytes);
    } else {
        bool racing = c->racing, initing = c->initing;
        if (space == PTX_S_GLOBAL)
            narrow_down(c, x, addr, mask, &racing, &initing);
        if (racing || initing)
            look_for(c, r, x, mask, space, addr, bytes, racing, initing);
    }
}

/* A copy or fill of one lane, in pieces of at most 4 bytes. What is copied is as defined as its source. */
static void piece_by_piece(struct check *c, struct emu_warp_run *r, const struct site *x, unsigned lane, uint64_t at,
                           uint64_t bytes, enum access access)
{
    uint64_t addr[EMU_LANES] = {0};
    const bool was_initing = c->initing;
    c->initing &= access == ACCESS_WRITE;
    for (const uint64_t end = at + bytes; at < end;) {
        const uint32_t n = at % 4 == 0 && end - at >= 4 ? 4 : 1;
        addr[lane] = at;
        look(c, r, x, access, 1u << lane, PTX_S_GENERIC, addr, n);
        at += n;
    }
    c->initing = was_initing;
}

void site_move(struct check *c, struct emu_warp_run *r, const struct emu_inst *in, unsigned lane, uint64_t to,
               uint64_t from, uint64_t bytes)
{
    const struct site *x = site_of(r, in);
    if (from)
        piece_by_piece(c, r, x, lane, from, bytes, ACCESS_READ);
    piece_by_piece(c, r, x, lane, to, bytes, ACCESS_WRITE);
    if (c->initing && from && space_at(to) == PTX_S_GLOBAL && space_at(from) == PTX_S_GLOBAL)
        init_define(c, NULL, to, NULL, from, (uint32_t)bytes);
}
