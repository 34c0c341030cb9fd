/* See units.h. */
#include "transform/units.h"
#include "transform/forms.h"
#include "transform/profit.h"

#include <stdarg.h>
#include <stdio.h>

void notes_add(struct notes *notes, enum swcache_note_kind kind, unsigned offset, const char *format, ...)
{
    struct swcache_note n = {.kind = kind};
    va_list ap;
    va_start(ap, format);
    if (vasprintf(&n.text, format, ap) < 0)
        n.text = xstrdup("");
    va_end(ap);
    source_place(notes->source, offset, &n.line, &n.col);
    VEC_PUSH(&notes->note, n);
}

struct finder {
    unit_list *units;
    const struct pointers *p;
    struct calls *calls;
    const struct swcache_options *options;
    struct notes *notes;
    const char *kernel;
};

/* ---- the shape of a loop ---- */

struct refusal {
    const char *why;
    struct node *at;
};

static bool in_range(const struct node *n, const unsigned range[2])
{
    return n->begin >= range[0] && n->end <= range[1];
}

/* The parts of the head: where they are in the text, and which nodes they are. */
static struct refusal read_head(const struct source *s, struct unit *u)
{
    struct node *loop = u->loop, *last = loop->child;
    while (last && last->next)
        last = last->next;
    if (!last || !loop->in_file || source_in_macro(s, loop->begin))
        return (struct refusal){"is expanded from a macro", loop};
    unsigned keyword = loop->kind == CXCursor_ForStmt ? 3 : loop->kind == CXCursor_WhileStmt ? 5 : 2;
    unsigned open = source_skip_blank(s, loop->begin + keyword), close;
    if (loop->kind == CXCursor_DoStmt) {
        u->body_node = loop->child;
        u->cond_node = last;
        unsigned word = source_skip_blank(s, u->body_node->end);
        word = s->text[word] == ';' ? source_skip_blank(s, word + 1) : word;
        if (strncmp(s->text + word, "while", 5))
            return (struct refusal){"has a head that is not plain text", loop};
        u->body[0] = u->body_node->begin;
        u->body[1] = word;
        while (u->body[1] > u->body_node->end && strchr(" \t\r\n", s->text[u->body[1] - 1]))
            u->body[1]--;
        open = source_skip_blank(s, word + 5);
    } else {
        u->body_node = last;
    }
    if (s->text[open] != '(' || !(close = source_match(s, open)))
        return (struct refusal){"has a head that is not plain text", loop};
    if (loop->kind == CXCursor_ForStmt) {
        unsigned first = source_find(s, open + 1, close, ";"), second = source_find(s, first + 1, close, ";");
        if (second >= close)
            return (struct refusal){"has a head that is not plain text", loop};
        u->init[0] = source_skip_blank(s, open + 1);
        u->init[1] = first;
        u->cond[0] = source_skip_blank(s, first + 1);
        u->cond[1] = second;
        u->step[0] = source_skip_blank(s, second + 1);
        u->step[1] = close;
    } else {
        u->cond[0] = source_skip_blank(s, open + 1);
        u->cond[1] = close;
    }
    unsigned *part[] = {u->init, u->cond, u->step};
    for (int i = 0; i < 3; i++) {
        if (part[i][0] > part[i][1])
            part[i][0] = part[i][1];
        while (part[i][1] > part[i][0] && strchr(" \t\r\n", s->text[part[i][1] - 1]))
            part[i][1]--;
    }
    for (struct node *c = loop->child; c; c = c->next)
        if (c != u->body_node && in_range(c, u->cond) && u->cond[0] < u->cond[1]) {
            if (c->kind == CXCursor_VarDecl || c->kind == CXCursor_DeclStmt)
                return (struct refusal){"declares a variable in its condition", c};
            u->cond_node = c;
        }
    if (u->cond[0] < u->cond[1] && !u->cond_node)
        return (struct refusal){"has a head that is not plain text", loop};
    unsigned past = source_skip_blank(s, loop->end > close + 1 ? loop->end : close + 1);
    u->end = loop->end;
    if (loop->kind != CXCursor_DoStmt) {
        u->body[0] = u->body_node->begin;
        u->body[1] = u->body_node->end;
        if (!u->body_node->in_file || u->body[0] <= close || source_in_macro(s, u->body[0]))
            return (struct refusal){"has a body that is expanded from a macro", loop};
    }
    if (s->text[past] == ';' && u->body_node->kind != CXCursor_CompoundStmt)
        u->end = past + 1;
    else if (s->text[past] == ';' && loop->kind == CXCursor_DoStmt)
        u->end = past + 1;
    if (loop->kind != CXCursor_DoStmt)
        u->body[1] = u->end;
    return (struct refusal){0};
}

static bool is_shared_or_static(const struct node *decl)
{
    if (clang_Cursor_getStorageClass(decl->cursor) == CX_SC_Static ||
        clang_Cursor_getStorageClass(decl->cursor) == CX_SC_Extern)
        return true;
    for (const struct node *c = decl->child; c; c = c->next)
        if (c->kind == CXCursor_CUDASharedAttr || c->kind == CXCursor_CUDAConstantAttr)
            return true;
    return false;
}

/* The switch a label belongs to, the loop or switch a break leaves. */
static const struct node *program_arg_kind(const struct node *n)
{
    for (const struct node *u = n->parent; u; u = u->parent)
        if (u->kind == CXCursor_SwitchStmt ||
            (n->kind == CXCursor_BreakStmt && (node_is_loop(u) || u->kind == CXCursor_CXXForRangeStmt)))
            return u;
    return NULL;
}

/* What must not be inside, because two copies of it, or edits in it, could mean something else. */
static struct refusal check_inside(struct finder *f, struct unit *u)
{
    const struct source *s = f->p->source;
    struct node *loop = u->loop;
    for (struct node *n = loop; n; n = n->parent)
        if (n->kind == CXCursor_LambdaExpr || n->kind == CXCursor_StmtExpr)
            return (struct refusal){"is inside an expression", loop};
    if (source_has_directive(s, loop->begin, u->end))
        return (struct refusal){"has preprocessor directives inside", loop};
    for (struct node *n = loop; n; n = tree_next(loop, n)) {
        switch (n->kind) {
        case CXCursor_GCCAsmStmt:
        case CXCursor_MSAsmStmt:
            return (struct refusal){"has inline assembly", n};
        case CXCursor_LambdaExpr:
            return (struct refusal){"has a lambda, which may keep what it captured", n};
        case CXCursor_VarDecl:
            if (is_shared_or_static(n))
                return (struct refusal){"declares a variable that is not the thread's own", n};
            break;
        case CXCursor_CaseStmt:
        case CXCursor_DefaultStmt:
            if (!tree_inside(program_arg_kind(n), loop))
                return (struct refusal){"is entered through a case label", n};
            break;
        case CXCursor_BreakStmt:
            if (program_arg_kind(n) == loop) {
                if (source_in_macro(s, n->begin))
                    return (struct refusal){"is left by a macro", n};
                VEC_PUSH(&u->give_up, n);
            }
            break;
        case CXCursor_ReturnStmt:
            if (source_in_macro(s, n->begin))
                return (struct refusal){"is left by a macro", n};
            VEC_PUSH(&u->leave, n);
            break;
        case CXCursor_CallExpr: {
            unsigned effects = calls_effects(f->calls, n);
            if (effects & CALL_OPAQUE)
                return (struct refusal){"calls a function with unknown effects", n};
            if (effects & CALL_WARP)
                return (struct refusal){"has threads of a warp act together, which could be in different slices", n};
            if (effects & CALL_BLOCK) {
                /* A vote in front of each turn keeps the block together, if all of the block comes by. */
                const char *name = node_callee(f->p->source, n);
                if (n->parent != u->body_node || strncmp(name, "weir_syncthreads", 16))
                    return (struct refusal){"has a barrier that threads could meet in different slices", n};
                u->has_barrier = true;
            }
            if (effects & CALL_ORDERS)
                VEC_PUSH(&u->order, n);
            break;
        }
        case CXCursor_CXXThrowExpr:
        case CXCursor_CXXNewExpr:
        case CXCursor_CXXDeleteExpr:
            return (struct refusal){"allocates memory or throws", n};
        default:
            break;
        }
    }
    return (struct refusal){0};
}

/* Evaluating it once more, right after it was false, changes nothing. */
static bool is_repeatable(struct finder *f, const struct node *root)
{
    for (const struct node *n = root; n; n = tree_next(root, n)) {
        struct node *target;
        if (node_writes(f->p->source, n, &target))
            return false;
        if (n->kind == CXCursor_CallExpr && calls_effects(f->calls, n))
            return false;
        if (n->kind == CXCursor_CallExpr && !strncmp(node_callee(f->p->source, n), "clock", 5))
            return false;
    }
    return true;
}

/* ---- fences ---- */

static struct node *statement_of(struct node *n)
{
    while (n->parent && !kind_is_statement(n->kind) && !kind_is_statement(n->parent->kind))
        n = n->parent;
    return n;
}

/* Flushes stand before the statement that has the fence; nothing else in it may go through the cache. */
static struct refusal place_fences(struct finder *f, struct unit *u)
{
    const struct source *s = f->p->source;
    for (size_t i = 0; i < u->order.n; i++) {
        struct node *call = u->order.p[i], *st = statement_of(call), *outer = st->parent;
        /* A fence inside the condition of an if: before the if. */
        if (outer && outer->kind == CXCursor_IfStmt && st == outer->child)
            st = outer, outer = st->parent;
        bool plain =
            outer && (outer->kind == CXCursor_CompoundStmt || outer->kind == CXCursor_IfStmt || outer == u->loop ||
                      node_is_loop(outer) || outer->kind == CXCursor_CaseStmt || outer->kind == CXCursor_DefaultStmt);
        /* In the head of a loop it runs more often than the text before the loop. */
        if (outer && node_is_loop(outer) && (st->next || outer->kind == CXCursor_DoStmt) &&
            st->kind != CXCursor_CompoundStmt)
            plain = false;
        if (!plain || tree_inside(u->loop, st))
            return (struct refusal){"has a fence or a barrier inside an expression", call};
        const char *macro = source_macro_at(s, st->begin);
        if (macro && strncmp(macro, "__syncthreads", 13))
            return (struct refusal){"has a fence or a barrier inside a macro", call};
        struct node *scope = st->kind == CXCursor_IfStmt ? st->child : st;
        for (size_t k = 0; k < u->access.n; k++)
            if (tree_inside(u->access.p[k]->at, scope))
                return (struct refusal){"has a fence or a barrier in one expression with an access", call};
        u->order.p[i] = st;
    }
    /* Two barriers in one statement need one flush. */
    size_t kept = 0;
    for (size_t i = 0; i < u->order.n; i++)
        if (!kept || u->order.p[kept - 1] != u->order.p[i])
            u->order.p[kept++] = u->order.p[i];
    u->order.n = kept;
    return (struct refusal){0};
}

/* ---- structures ---- */

/* An atomic of CUDA on shared memory. */
static bool is_own_atomic(const struct pointers *p, const struct node *call)
{
    CXCursor callee = clang_getCursorReferenced(call->cursor);
    if (strncmp(node_callee(p->source, call), "atomic", 6) ||
        !clang_Location_isInSystemHeader(clang_getCursorLocation(callee)))
        return false;
    for (const struct node *c = call->child; c; c = c->next)
        if (node_argument(call, c) == 0) {
            struct bases b = pointers_pointed(p, c);
            return b.own && !b.unknown && !b.structures;
        }
    return false;
}

/* Does the loop write memory that is not the thread's own or shared? Then what it reads without __restrict__ may be
 * what it wrote. */
static struct node *memory_write(const struct pointers *p, struct calls *calls, struct node *loop)
{
    for (struct node *n = loop; n; n = tree_next(loop, n)) {
        struct node *target;
        if (n->kind == CXCursor_CallExpr && calls_effects(calls, n) & CALL_WRITES && !is_own_atomic(p, n))
            return n;
        if (node_writes(p->source, n, &target)) {
            struct bases b = pointers_written(p, target);
            char op[4];
            node_operator(p->source, n, op);
            if ((b.structures || b.unknown) && (op[0] || n->kind == CXCursor_CallExpr))
                return n;
        }
    }
    return NULL;
}

/* Every access of the loop to memory that is not its own belongs to one structure: what AliasSafe needs. */
static struct node *stray_access(struct finder *f, struct node *loop)
{
    for (struct node *n = loop; n; n = tree_next(loop, n)) {
        if (n->kind == CXCursor_CallExpr && calls_effects(f->calls, n) & CALL_WRITES) {
            struct node *target;
            if (!is_own_atomic(f->p, n) && !node_writes(f->p->source, n, &target))
                return n;
        }
        if (n->kind != CXCursor_ArraySubscriptExpr && n->kind != CXCursor_MemberRefExpr &&
            n->kind != CXCursor_UnaryOperator)
            continue;
        if (n->kind == CXCursor_UnaryOperator) {
            char op[4];
            node_operator(f->p->source, n, op);
            if (strcmp(op, "*"))
                continue;
        }
        struct bases b = pointers_written(f->p, n);
        if (b.unknown && n->kind == CXCursor_MemberRefExpr && n->child &&
            !type_is_pointer(clang_getCursorType(n->child->cursor)))
            continue; /* threadIdx.x and values of functions */
        if (b.unknown || (b.structures && bases_structure(b) < 0))
            return n;
    }
    return NULL;
}

struct use {
    unsigned loads, stores, atomics, gains;
    const char *no_gain;
    const struct access *first, *bad, *first_store;
};

static unsigned line_of(const struct source *s, unsigned offset)
{
    unsigned line, col;
    source_place(s, offset, &line, &col);
    return line;
}

/* An atomic that stands alone, whose arguments can be named twice and use no element of the structure. */
static bool can_flush_before(struct finder *f, const struct access *a, const struct node *loop)
{
    struct node *target;
    if (!node_is_discarded(a->site) || source_in_macro(f->p->source, a->site->begin) || !a->site->in_file ||
        !a->site->parent || a->site->parent->kind != CXCursor_CompoundStmt)
        return false;
    for (const struct node *n = a->site; n; n = tree_next(a->site, n))
        if (n != a->site && (n->kind == CXCursor_CallExpr || node_writes(f->p->source, n, &target)))
            return false;
    for (size_t i = 0; i < f->p->access.n; i++) {
        const struct access *b = &f->p->access.p[i];
        if (b != a && b->structure == a->structure && tree_inside(b->at, a->site))
            return false;
    }
    return tree_inside(a->site, loop);
}

static struct use look_at(struct finder *f, unsigned structure, struct node *loop)
{
    struct use use = {0};
    unsigned sites = 0;
    for (size_t i = 0; i < f->p->access.n; i++)
        sites += f->p->access.p[i].structure == structure && tree_inside(f->p->access.p[i].at, loop);
    for (size_t i = 0; i < f->p->access.n; i++) {
        const struct access *a = &f->p->access.p[i];
        if (a->structure != structure || !tree_inside(a->at, loop))
            continue;
        use.first = use.first ? use.first : a;
        use.atomics += a->kind == ACCESS_ATOMIC;
        use.loads += a->kind == ACCESS_LOAD || a->kind == ACCESS_LDG;
        bool stores = a->kind == ACCESS_STORE || a->kind == ACCESS_UPDATE;
        use.stores += stores;
        if (stores && !use.first_store)
            use.first_store = a;
        if (!a->whole && !use.bad)
            use.bad = a;
        if (a->whole && a->kind != ACCESS_ATOMIC) {
            const char *why = profit_refused(f->p, a, loop, sites == 1);
            if (!why)
                use.gains++;
            else
                use.no_gain = use.no_gain ? use.no_gain : why;
        }
    }
    return use;
}

#define SAY(...)                                                                                                       \
    do {                                                                                                               \
        notes_add(f->notes, SWCACHE_LEFT_ALONE, use.first->at->begin, __VA_ARGS__);                                    \
        return false;                                                                                                  \
    } while (0)

/* May this structure be cached in the loop, and will it gain? */
static bool accept(struct finder *f, unsigned structure, struct unit *u, struct use use, struct node *write)
{
    const struct structure *st = &f->p->structure[structure];
    const struct source *s = f->p->source;
    const char *name = st->param->name;
    if (use.loads + use.stores == 0)
        return false; /* atomics alone are as before */
    if (st->is_volatile)
        SAY("%s: '%s' is volatile; not cached", f->kernel, name);
    if (!st->is_restrict && write && !u->alias_safe)
        SAY("%s: '%s' has no __restrict__ and the loop writes memory in line %u; not cached (use --alias-safe)",
            f->kernel, name, line_of(s, write->begin));
    for (size_t i = 0; i < f->p->escape.n; i++) {
        const struct escape *e = &f->p->escape.p[i];
        if (e->structure == structure && !(st->is_const && e->keeps_const && use.stores == 0 && !u->alias_safe))
            SAY("%s: '%s' is not cached: %s in line %u", f->kernel, name, e->why, line_of(s, e->at->begin));
    }
    if (u->alias_safe && use.bad)
        SAY("%s: '%s' is not cached: its access in line %u %s", f->kernel, name, line_of(s, use.bad->at->begin),
            use.bad->why_not);
    if (use.stores && use.bad)
        SAY("%s: '%s' is written, and its access in line %u %s; not cached", f->kernel, name,
            line_of(s, use.bad->at->begin), use.bad->why_not);
    if (use.atomics)
        for (size_t i = 0; i < f->p->access.n; i++) {
            const struct access *a = &f->p->access.p[i];
            if (a->structure == structure && a->kind == ACCESS_ATOMIC && tree_inside(a->at, u->loop) &&
                !can_flush_before(f, a, u->loop))
                SAY("%s: '%s' is not cached: line %u uses it in an atomic inside an expression", f->kernel, name,
                    line_of(s, a->at->begin));
        }
    if (!use.gains && !f->options->keep_all) {
        if (use.bad)
            SAY("%s: '%s' is not cached: its access in line %u %s", f->kernel, name, line_of(s, use.bad->at->begin),
                use.bad->why_not);
        SAY("%s: '%s' is not cached: %s", f->kernel, name, use.no_gain);
    }
    return true;
}

/* A read-only structure's accesses that gain nothing stay plain; so does all that cannot be rewritten. */
static void collect_accesses(struct finder *f, struct unit *u)
{
    for (size_t i = 0; i < f->p->access.n; i++) {
        const struct access *a = &f->p->access.p[i];
        if (!(u->cached >> a->structure & 1) || !tree_inside(a->at, u->loop))
            continue;
        if (a->kind == ACCESS_ATOMIC) {
            VEC_PUSH(&u->atomic, a);
            continue;
        }
        bool must = (u->written >> a->structure & 1) || u->alias_safe;
        if (a->whole && (must || f->options->keep_all || !profit_refused(f->p, a, u->loop, false)))
            VEC_PUSH(&u->access, a);
    }
}

/* Two expansions of a macro's argument are one place in the text: they must be treated alike. */
static struct refusal check_places(const struct unit *u)
{
    for (size_t i = 0; i < u->access.n; i++)
        for (size_t k = 0; k < i; k++) {
            const struct access *a = u->access.p[i], *b = u->access.p[k];
            if (a->at->begin == b->at->begin && a->at->end == b->at->end &&
                (a->structure != b->structure || (a->kind == ACCESS_LOAD) != (b->kind == ACCESS_LOAD)))
                return (struct refusal){"has a macro whose argument is both read and written", a->at};
        }
    return (struct refusal){0};
}

static void free_unit(struct unit *u)
{
    VEC_FREE(&u->access);
    VEC_FREE(&u->atomic);
    VEC_FREE(&u->order);
    VEC_FREE(&u->leave);
    VEC_FREE(&u->give_up);
    VEC_FREE(&u->go_on);
    scan_free(&u->scan);
    nest_free(&u->nest);
    VEC_FREE(&u->kept);
}

bool units_is_written(const struct pointers *p, struct calls *calls, unsigned structure)
{
    for (size_t i = 0; i < p->access.n; i++) {
        const struct access *a = &p->access.p[i];
        if (a->structure == structure && a->kind != ACCESS_LOAD && a->kind != ACCESS_LDG)
            return true;
    }
    for (size_t i = 0; i < p->escape.n; i++)
        if (p->escape.p[i].structure == structure && !p->escape.p[i].keeps_const)
            return true;
    return !p->structure[structure].is_restrict && memory_write(p, calls, p->function);
}

/* How many loops inside the unit's are around the structure's accesses, at most. */
static int depth_of(struct finder *f, unsigned structure, const struct node *loop)
{
    int most = 0;
    for (size_t i = 0; i < f->p->access.n; i++) {
        const struct access *a = &f->p->access.p[i];
        int depth = 0;
        if (a->structure != structure || !tree_inside(a->at, loop))
            continue;
        for (const struct node *n = a->at; n != loop; n = n->parent)
            depth += node_is_loop(n);
        most = depth > most ? depth : most;
    }
    return most;
}

/* Two loops further in, others are used so much more often that a line of this one is not worth its registers. */
static void drop_rare(struct finder *f, struct unit *u)
{
    int most = 0;
    for (unsigned k = 0; k < f->p->n_structure; k++)
        if (u->cached >> k & 1 && depth_of(f, k, u->loop) > most)
            most = depth_of(f, k, u->loop);
    for (unsigned k = 0; k < f->p->n_structure; k++)
        if (u->cached >> k & 1 && depth_of(f, k, u->loop) + 2 <= most) {
            notes_add(f->notes, SWCACHE_LEFT_ALONE, look_at(f, k, u->loop).first->at->begin,
                      "%s: '%s' is not cached: loops inside use others far more often", f->kernel,
                      f->p->structure[k].param->name);
            u->cached &= ~(1u << k);
            u->written &= ~(1u << k);
        }
}

/* Functions that get a pointer into what is cached read it themselves. */
static void note_elsewhere(struct finder *f, const struct unit *u)
{
    for (size_t i = 0; i < f->p->escape.n; i++) {
        const struct escape *e = &f->p->escape.p[i];
        if (u->cached >> e->structure & 1 && e->at->kind == CXCursor_CallExpr && tree_inside(e->at, u->loop))
            notes_add(f->notes, SWCACHE_LEFT_ALONE, e->at->begin,
                      "%s: '%s' goes to the function '%s', whose accesses stay as they are", f->kernel,
                      f->p->structure[e->structure].param->name, node_callee(f->p->source, e->at));
    }
}

static struct refusal try_unit(struct finder *f, struct unit *u)
{
    struct refusal r = read_head(f->p->source, u);
    if (r.why || (r = check_inside(f, u)).why)
        return r;
    u->cond_changes = u->cond_node && !is_repeatable(f, u->cond_node);
    struct node *write = memory_write(f->p, f->calls, u->loop);
    if (f->options->alias_safe && write) {
        struct node *stray = stray_access(f, u->loop);
        u->alias_safe = !stray;
        if (stray)
            notes_add(
                f->notes, SWCACHE_LEFT_ALONE, stray->begin,
                "%s: not all memory that the loop uses is reached through the kernel's pointers; pointers without "
                "__restrict__ are not cached",
                f->kernel);
    }
    bool any = false;
    for (unsigned k = 0; k < f->p->n_structure; k++) {
        struct use use = look_at(f, k, u->loop);
        any = any || use.first;
        if (!use.first || !accept(f, k, u, use, write))
            continue;
        u->cached |= 1u << k;
        u->written |= units_is_written(f->p, f->calls, k) ? 1u << k : 0;
    }
    /* With aliases, what is not cached must still ask the lines; so all structures of the loop take part. */
    if (u->alias_safe && u->cached)
        for (unsigned k = 0; k < f->p->n_structure; k++) {
            struct use use = look_at(f, k, u->loop);
            if (!use.first || u->cached >> k & 1)
                continue;
            if (use.bad || f->p->structure[k].is_volatile)
                return (struct refusal){"has an access that cannot go through an alias-safe cache", use.first->at};
            u->cached |= 1u << k;
            u->written |= units_is_written(f->p, f->calls, k) ? 1u << k : 0;
        }
    if (!u->cached)
        return (struct refusal){any ? "" : NULL, u->loop};
    if (!u->alias_safe && !f->options->keep_all)
        drop_rare(f, u);
    collect_accesses(f, u);
    if (!u->access.n)
        return (struct refusal){"", u->loop};
    r = check_places(u);
    if (!r.why)
        r = place_fences(f, u);
    if (!r.why) {
        forms_choose(u, f->p, f->calls, f->options);
        note_elsewhere(f, u);
    }
    return r;
}

/* ---- which loop ---- */

static bool has_access(const struct finder *f, const struct node *loop)
{
    for (size_t i = 0; i < f->p->access.n; i++)
        if (tree_inside(f->p->access.p[i].at, loop) && f->p->access.p[i].kind != ACCESS_ATOMIC)
            return true;
    return false;
}

static void consider(struct finder *f, struct node *loop, struct node *outermost);

static bool consider_inner(struct finder *f, struct node *loop, struct node *outermost)
{
    bool any = false;
    for (struct node *n = loop->child ? loop->child : NULL; n;) {
        if (node_is_loop(n) && has_access(f, n)) {
            any = true;
            consider(f, n, outermost);
            /* Past all that is below it. */
            struct node *up = n;
            while (up != loop && !up->next)
                up = up->parent;
            n = up == loop ? NULL : up->next;
            continue;
        }
        n = tree_next(loop, n);
    }
    return any;
}

static bool has_inner(const struct finder *f, const struct node *loop)
{
    for (const struct node *n = loop; n; n = tree_next(loop, n))
        if (n != loop && node_is_loop(n) && has_access(f, n))
            return true;
    return false;
}

/* The next turn of a loop around it visits most of the scan's elements again: lines that stay are better. */
static bool visits_again(const struct finder *f, const struct scan *scan, const struct node *around)
{
    enum { FEW = 8 };
    long long by;
    for (struct node *n = scan->index; n; n = tree_next(scan->index, n))
        if (n->kind == CXCursor_DeclRefExpr && n->var && n->var != scan->v && var_changes(f->p, n->var, around) &&
            profit_growth(f->p, scan->index, n->var, &by) && by > -FEW && by < FEW)
            return true;
    return false;
}

/* A loop inside `loop` is a scan of a structure that nothing else in `loop` reads. Of elements that are as large as
 * words, a line that stays is better: it serves loops that come by again. */
static bool has_inner_scan(struct finder *f, struct node *loop, struct node *outermost)
{
    bool found = false;
    for (struct node *n = loop; n && !found; n = tree_next(loop, n)) {
        if (n == loop || !node_is_loop(n) || !has_access(f, n))
            continue;
        struct unit u = {.loop = n, .outermost = outermost};
        size_t n_note = f->notes->note.n;
        found = !try_unit(f, &u).why &&
                (u.form == FORM_NEST || (u.form == FORM_SCAN && !u.scan.limited && !scan_is_short(&u) &&
                                         scan_element_bytes(&u.scan) < 4 && !visits_again(f, &u.scan, loop)));
        unsigned structure = u.form == FORM_NEST ? u.nest.structure : u.scan.structure;
        while (f->notes->note.n > n_note)
            free(f->notes->note.p[--f->notes->note.n].text);
        for (size_t i = 0; i < f->p->access.n && found; i++) {
            const struct access *a = &f->p->access.p[i];
            found = a->structure != structure || !tree_inside(a->at, loop) || tree_inside(a->at, n);
        }
        free_unit(&u);
    }
    return found;
}

static void consider(struct finder *f, struct node *loop, struct node *outermost)
{
    enum swcache_split split = f->options->split;
    bool inner = has_inner(f, loop);
    if (inner &&
        (split == SWCACHE_SPLIT_INNER ||
         (split == SWCACHE_SPLIT_AUTO && (profit_deals_out(f->p, loop) || has_inner_scan(f, loop, outermost))))) {
        consider_inner(f, loop, outermost);
        return;
    }
    struct unit u = {.loop = loop, .outermost = outermost};
    size_t n_note = f->notes->note.n;
    struct refusal r = try_unit(f, &u);
    if (!r.why && u.cached) {
        VEC_PUSH(f->units, u);
        return;
    }
    free_unit(&u);
    if (r.why && r.why[0])
        notes_add(f->notes, SWCACHE_LEFT_ALONE, r.at->begin, "%s: the loop in line %u is not transformed: it %s",
                  f->kernel, line_of(f->p->source, loop->begin), r.why);
    if (inner) {
        /* What was said about structures of this loop will be said again of the loops inside. */
        while (!(r.why && r.why[0]) && f->notes->note.n > n_note)
            free(f->notes->note.p[--f->notes->note.n].text);
        consider_inner(f, loop, outermost);
    }
}

/* A scan that only looks for its end, before a loop that does the work on the same structures: too short to watch. */
static void drop_scans(struct finder *f, size_t first)
{
    for (size_t i = first; i < f->units->n;) {
        struct unit *u = &f->units->p[i];
        struct node *target, *step = node_strip(u->body_node);
        bool steps = step->kind == CXCursor_UnaryOperator && node_writes(f->p->source, step, &target);
        bool body = step->kind != CXCursor_NullStmt && !steps, elsewhere = false;
        for (size_t k = 0; k < u->access.n; k++)
            body |= tree_inside(u->access.p[k]->at, u->body_node);
        for (size_t k = first; k < f->units->n; k++)
            elsewhere |= k != i && (f->units->p[k].cached & u->cached) == u->cached;
        if (body || !elsewhere || u->written || u->form == FORM_SCAN) {
            i++;
            continue;
        }
        notes_add(f->notes, SWCACHE_LEFT_ALONE, u->loop->begin,
                  "%s: the loop in line %u only searches; the kernel's other loop is the one to cache", f->kernel,
                  line_of(f->p->source, u->loop->begin));
        free_unit(u);
        memmove(u, u + 1, (f->units->n - i - 1) * sizeof *u);
        f->units->n--;
    }
}

void units_find(unit_list *units, const struct pointers *p, struct calls *calls, const struct swcache_options *options,
                struct notes *notes, const char *kernel)
{
    struct finder f = {units, p, calls, options, notes, kernel};
    size_t first = units->n;
    for (struct node *n = p->function; n;) {
        if (!node_is_loop(n)) {
            n = tree_next(p->function, n);
            continue;
        }
        if (has_access(&f, n))
            consider(&f, n, n);
        struct node *up = n;
        while (up != p->function && !up->next)
            up = up->parent;
        n = up == p->function ? NULL : up->next;
    }
    if (!options->keep_all)
        drop_scans(&f, first);
}

/* The sizes of a cache's lines in order, a bit each: 1 is a window. */
static uint64_t layout(const struct unit *u)
{
    uint64_t bits = 1;
    for (unsigned k = 0; k < MAX_STRUCTURES; k++)
        if (u->cached >> k & 1)
            bits = bits << 1 | (u->window >> k & 1);
    return bits;
}

void units_agree(unit_list *units)
{
    const struct unit *first = NULL;
    bool agree = true;
    for (size_t i = 0; i < units->n; i++)
        if (form_has_cache(units->p[i].form)) {
            first = first ? first : &units->p[i];
            agree &= layout(&units->p[i]) == layout(first);
        }
    for (size_t i = 0; i < units->n && !agree; i++) {
        units->p[i].window = 0;
        units->p[i].together = false;
    }
}

uint32_t unit_extents(const struct unit *u)
{
    return u->form != FORM_SCAN ? u->cached : u->scan.limited ? 1u << u->scan.structure : 0;
}

void units_free(unit_list *units)
{
    for (size_t i = 0; i < units->n; i++)
        free_unit(&units->p[i]);
    VEC_FREE(units);
}
