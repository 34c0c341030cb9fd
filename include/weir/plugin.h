/*
 * Policies from outside weir's tree: one C file, compiled against these headers into a shared object, chosen by name.
 *
 *     weir plugin new mine --kind l1-management      # writes mine.c and its test
 *     weir plugin build mine.c                       # mine.so
 *     weir run --plugin ./mine.so --with mine ./app
 *
 * A policy in a plugin is the same struct of hooks as one in the tree (l1/policy.h, sm/sched/sched.h, cache/order.h);
 * the file ends with
 *
 *     WEIR_PLUGIN(WEIR_L1_MANAGEMENT(mine))          // several policies: separated by commas
 *
 * How it reaches weir: the machine runs inside the weir program or, in live runs, inside the CUDA program, so a plugin
 * uses no symbol of either. Whatever a policy may call comes through a table of function pointers that weir hands over
 * when it loads the plugin; this header defines functions of the same names that call through it.
 *
 * Left out: binary compatibility. The structs are weir's own, so a plugin belongs to the version of the interface it was
 * compiled against. weir checks the version and the sizes of the structs, refuses a plugin that differs and asks for it
 * to be built again.
 */
#ifndef WEIR_PLUGIN_H
#define WEIR_PLUGIN_H

#include "base/err.h"
#include "base/mem.h"
#include "cache/order.h"
#include "cache/tags.h"
#include "engine/policy_registry.h"
#include "l1/l1_config.h"
#include "l1/policy.h"
#include "l2/l2_config.h"
#include "sm/sched/pick.h"
#include "sm/sched/warp_limit.h"
#include "sm/sched/sched.h"

#include <stdarg.h>

/* Raised when a hook, a function or the meaning of one of them changes. */
#define WEIR_PLUGIN_VERSION 3

/*
 * What a policy may call: result, name, parameters, arguments. weir_void_ marks functions without a result. Functions
 * with a format are listed apart, because a table cannot forward their arguments.
 */
#define WEIR_FUNCTIONS(X, V)                                                                                           \
    X(uint64_t, l1_now, (const struct l1_host *h), (h))                                                                \
    V(l1_notify_sm, (struct l1_host * h, enum event k, uint32_t slot, uint32_t argument), (h, k, slot, argument))        \
    X(bool, l1_prefetch, (struct l1_host * h, uint64_t addr, uint32_t pc, uint32_t warp, uint32_t cta),                \
      (h, addr, pc, warp, cta))                                                                                        \
    X(uint32_t, l1_hops_to_sm, (const struct l1_host *h, uint32_t sm), (h, sm))                                        \
    X(uint32_t, l1_hops_to_l2, (const struct l1_host *h, uint64_t addr), (h, addr))                                    \
    X(const struct req *, order_req, (const struct order_host *h, uint32_t slot), (h, slot))                           \
    X(uint64_t, order_arrival, (const struct order_host *h, uint32_t slot), (h, slot))                                 \
    X(bool, order_ready, (const struct order_host *h, uint32_t slot), (h, slot))                                       \
    V(order_queue_push, (const struct order_host *h, struct order_queue *q, uint32_t slot), (h, q, slot))              \
    V(order_queue_remove, (const struct order_host *h, struct order_queue *q, uint32_t slot), (h, q, slot))            \
    X(uint32_t, order_queue_after, (const struct order_host *h, uint32_t slot), (h, slot))                              \
    X(int, sched_limit_pick, (void *st, const struct sched_view *v), (st, v))                                          \
    V(sched_limit_on_warp_start, (void *st, unsigned warp, unsigned cta, unsigned in_cta), (st, warp, cta, in_cta))        \
    V(sched_limit_on_issue, (void *st, unsigned warp), (st, warp))                                                     \
    V(sched_limit_on_wait, (void *st, unsigned warp, enum warp_wait why), (st, warp, why))                             \
    V(sched_limit_on_finish, (void *st, unsigned warp), (st, warp))                                                    \
    X(uint32_t, tags_set_hashed, (const struct tags *t, uint64_t line), (t, line))                                     \
    V(addrmap_place, (const struct addrmap *m, uint64_t addr, struct addr_place *out), (m, addr, out))                 \
    X(uint32_t, addrmap_slice, (const struct addrmap *m, uint64_t addr), (m, addr))                                    \
    X(uint64_t, addrmap_local, (const struct addrmap *m, uint64_t addr), (m, addr))                                    \
    X(void *, arena_alloc, (struct arena * a, size_t bytes), (a, bytes))                                               \
    X(void *, arena_alloc64, (struct arena * a, size_t bytes), (a, bytes))                                             \
    X(const void *, cfg_section, (const struct cfg *c, const char *section), (c, section))                             \
    X(const void *, cfg_policy_params, (const struct cfg *c, const char *kind, unsigned i), (c, kind, i))              \
    X(const char *, cfg_chosen, (const struct cfg *c, const char *kind), (c, kind))                                    \
    X(const char *, cfg_machine, (const struct cfg *c), (c))                                                           \
    V(cfg_each, (const struct cfg *c, void (*fn)(void *, const struct cfg_value *), void *ctx), (c, fn, ctx))          \
    V(err_clear, (struct err * e), (e))

struct weir_functions {
#define WEIR_X(result, name, params, args) result(*name) params;
#define WEIR_V(name, params, args)         void(*name) params;
    WEIR_FUNCTIONS(WEIR_X, WEIR_V)
#undef WEIR_X
#undef WEIR_V
    int (*err_set)(struct err *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
    int (*err_hint)(struct err *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
    int (*cfg_fault)(const struct cfg *, const char *key, struct err *, const char *fmt, ...)
        __attribute__((format(printf, 4, 5)));
    void (*bug_at)(const char *file, int line, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
};

/* The structs that weir and a plugin share: both sides compare their sizes. */
#define WEIR_SHARED_STRUCTS(X)                                                                                         \
    X(policy_info) X(stat_def) X(cfg_field) X(load_column) X(load_value) X(req) X(tags) X(addrmap) X(l1_access)        \
    X(l1_host) X(l1_management) X(l1_organization) X(l1_prefetcher) X(order_policy) X(order_host) X(sm_sched)     \
    X(sched_geom) X(sched_view) X(sched_limit) X(l1_cache_config) X(err) X(weir_functions)

struct weir_plugin_policy {
    const char *kind; /* as in `weir list policies` */
    const struct policy_info *info;
};

/* What a plugin exports, under the name weir_plugin. Its first two members never change. */
struct weir_plugin {
    uint32_t version; /* WEIR_PLUGIN_VERSION of the headers it was compiled against */
    uint32_t bytes;   /* sizeof(struct weir_plugin) */
    const uint32_t *struct_bytes; /* of WEIR_SHARED_STRUCTS, in order */
    uint32_t n_struct;
    uint32_t n_policy;
    const struct weir_plugin_policy *policy;
    const struct weir_functions **functions; /* weir fills it before anything else of the plugin is used */
};

#define WEIR_SIZE_OF(name) (uint32_t)sizeof(struct name),
#define WEIR_STRUCT_BYTES                                                                                              \
    {                                                                                                                  \
        WEIR_SHARED_STRUCTS(WEIR_SIZE_OF)                                                                              \
    }

/* The kinds. A policy of another type than its kind's is an error of the compiler. */
#define WEIR_POLICY(kind, type, p)                                                                                     \
    {                                                                                                                  \
        kind, _Generic(&(p), const struct type * : &(p).info)                                                          \
    }
#define WEIR_SCHEDULER(p)       WEIR_POLICY("scheduler", sm_sched, p)
#define WEIR_L1_MANAGEMENT(p)   WEIR_POLICY("l1-management", l1_management, p)
#define WEIR_L1_ORGANIZATION(p) WEIR_POLICY("l1-organization", l1_organization, p)
#define WEIR_PREFETCHER(p)      WEIR_POLICY("prefetcher", l1_prefetcher, p)
#define WEIR_L1_ORDER(p)        WEIR_POLICY("l1-order", order_policy, p)
#define WEIR_L2_ORDER(p)        WEIR_POLICY("l2-order", order_policy, p)

#define WEIR_PLUGIN(...)                                                                                               \
    WEIR_FUNCTIONS(WEIR_FORWARD, WEIR_FORWARD_VOID)                                                                    \
    static const struct weir_plugin_policy weir_policies_[] = {__VA_ARGS__};                                           \
    static const uint32_t weir_struct_bytes_[] = WEIR_STRUCT_BYTES;                                                    \
    extern const struct weir_plugin weir_plugin;                                                                       \
    __attribute__((visibility("default"))) const struct weir_plugin weir_plugin = {                                    \
        .version = WEIR_PLUGIN_VERSION,                                                                                \
        .bytes = sizeof(struct weir_plugin),                                                                           \
        .struct_bytes = weir_struct_bytes_,                                                                            \
        .n_struct = sizeof weir_struct_bytes_ / sizeof *weir_struct_bytes_,                                            \
        .n_policy = sizeof weir_policies_ / sizeof *weir_policies_,                                                    \
        .policy = weir_policies_,                                                                                      \
        .functions = &weir_functions_,                                                                                 \
    };

/* ---- inside a plugin: weir's functions under their own names ---- */
#ifndef WEIR_PLUGIN_HOST
static const struct weir_functions *weir_functions_;

/* Hidden, so that a plugin never calls another's, nor what the program may export under the same name. */
#define WEIR_HIDDEN __attribute__((visibility("hidden")))
#define WEIR_FORWARD(result, name, params, args)                                                                       \
    WEIR_HIDDEN result name params                                                                                     \
    {                                                                                                                  \
        return weir_functions_->name args;                                                                             \
    }
#define WEIR_FORWARD_VOID(name, params, args)                                                                          \
    WEIR_HIDDEN void name params                                                                                       \
    {                                                                                                                  \
        weir_functions_->name args;                                                                                    \
    }

#define WEIR_FORMATTED(text, fmt)                                                                                      \
    char text[512];                                                                                                    \
    va_list args_;                                                                                                     \
    va_start(args_, fmt);                                                                                              \
    vsnprintf(text, sizeof text, fmt, args_);                                                                          \
    va_end(args_)

WEIR_HIDDEN int err_set(struct err *e, const char *fmt, ...)
{
    WEIR_FORMATTED(text, fmt);
    return weir_functions_->err_set(e, "%s", text);
}

WEIR_HIDDEN int err_hint(struct err *e, const char *fmt, ...)
{
    WEIR_FORMATTED(text, fmt);
    return weir_functions_->err_hint(e, "%s", text);
}

WEIR_HIDDEN int cfg_fault(const struct cfg *c, const char *key, struct err *e, const char *fmt, ...)
{
    WEIR_FORMATTED(text, fmt);
    return weir_functions_->cfg_fault(c, key, e, "%s", text);
}

WEIR_HIDDEN _Noreturn void bug_at(const char *file, int line, const char *fmt, ...)
{
    WEIR_FORMATTED(text, fmt);
    weir_functions_->bug_at(file, line, "%s", text);
    __builtin_unreachable();
}
#endif

#endif
