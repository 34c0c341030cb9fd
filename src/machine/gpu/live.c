/*
 * The machine's thread and the queue to it; see live.h.
 *
 * Two queues in one: commands (launches, events) in program order, and chunks, which go into the launch's own store as
 * they come. The machine's thread submits the commands as work (work.h). When it meets one that all further work depends
 * on, it runs until that is done; so what the program submits later finds the machine in the same state as in a replay,
 * which knows all work beforehand. A launch that the next one may overlap is run with that one, or before whatever else
 * comes, or when the program asks for a time. What the machine cannot begin yet waits in memory. A kernel's table is
 * copied at its first launch, since the program may unload its module while the machine still simulates.
 */
#include "gpu/live.h"

#include "base/mem.h"
#include "engine/policy_registry.h"
#include "gpu/streams.h"
#include "gpu/work.h"

#include <stdatomic.h>
#include <string.h>

#define AHEAD_BYTES (64ull << 20)

struct command {
    struct command *next;
    bool is_launch;
    struct trace_event event;
    const struct trace_kernel *kernel;
    struct trace_launch launch;
    uint32_t index;
    bool fed; /* launch_end was received: no more chunks */
    bool given_up, floor;
    bool held; /* of such a launch: it is run when the next event is known */
    struct streams streams;
};

struct gpu_live {
    struct gpu *gpu;
    struct stream_sink sink;
    pthread_t thread;
    pthread_mutex_t lock; /* of the queue; a launch's chunks are under its streams' own lock */
    pthread_cond_t changed;
    struct command *first, *last; /* the first is being worked on */
    struct command *filling;      /* the launch the emulator is in */
    VEC(struct command *) launch; /* that the machine is in or will be; of its thread */
    uint64_t n_event;             /* events so far; of the program's thread */
    bool closing, joined;
    bool draining;                                               /* the program waits for all work */
    bool holds;                                                  /* a launch that has been submitted is not run */
    uint64_t held;                                               /* its number */
    atomic_bool giving_up;                                       /* some launch is given up */
    int (*poll)(void *ctx, uint64_t cycle, uint64_t warp_insts); /* of the options; may be NULL */
    void *poll_ctx;
    enum gpu_end status;
    struct err err;
    bool idle;
    struct command *announced; /* the launch whose event has come */
    struct gpu_source source;
    VEC(struct trace_kernel *) kernel; /* our copies, by trace_launch.kernel */
    struct arena *arena;
};

/* ---- the machine's side ---- */

/* Waits for the emulator to bring the chunk; s->lock is held. */
static int wait_for_chunk(void *ctx, struct streams *s, uint64_t cta, uint32_t seq)
{
    struct command *c = ctx;
    s->starving++;
    pthread_cond_broadcast(&s->changed);
    for (;;) {
        if (streams_has(s, cta, seq)) {
            s->starving--;
            return 1;
        }
        if (c->fed || streams_ended(s, cta, seq)) {
            s->starving--;
            return c->fed && !streams_ended(s, cta, seq) ? -1 : 0;
        }
        pthread_cond_wait(&s->changed, &s->lock);
    }
}

/* In the machine's thread. The flag spares a lock in the usual case. */
static bool is_given_up(struct gpu_live *l, struct command *c)
{
    if (!atomic_load(&l->giving_up))
        return false;
    pthread_mutex_lock(&c->streams.lock);
    const bool yes = c->given_up;
    pthread_mutex_unlock(&c->streams.lock);
    return yes;
}

static int poll(void *ctx, uint64_t cycle, uint64_t warp_insts)
{
    struct gpu_live *l = ctx;
    bool over = false;
    for (size_t i = 0; i < l->launch.n; i++)
        over |= is_given_up(l, l->launch.p[i]);
    return over || (l->poll && l->poll(l->poll_ctx, cycle, warp_insts));
}

static void free_command(struct command *c)
{
    if (c->is_launch)
        streams_destroy(&c->streams);
    free(c);
}

/* The emulator is through with the launch; its chunks are no longer wanted. */
static void swallow(struct command *c)
{
    pthread_mutex_lock(&c->streams.lock);
    c->streams.starving++;
    pthread_cond_broadcast(&c->streams.changed);
    while (!c->fed)
        pthread_cond_wait(&c->streams.changed, &c->streams.lock);
    pthread_mutex_unlock(&c->streams.lock);
}

static struct command *launch_of(struct gpu_live *l, uint32_t index)
{
    size_t i = 0;
    while (l->launch.p[i]->index != index)
        i++;
    return l->launch.p[i];
}

static const struct sm_streams *open_launch(void *ctx, uint32_t index)
{
    struct command *c = launch_of(ctx, index);
    return is_given_up(ctx, c) ? NULL : &c->streams.sm;
}

static void close_launch(void *ctx, uint32_t index)
{
    struct gpu_live *l = ctx;
    struct command *c = launch_of(l, index);
    size_t i = 0;
    while (l->launch.p[i] != c)
        i++;
    l->launch.p[i] = l->launch.p[--l->launch.n];
    swallow(c);
    free_command(c);
}

/* Runs until `work` is done. */
static void run_until(struct gpu_live *l, uint64_t work)
{
    struct err e;
    err_clear(&e);
    if (l->status != GPU_DONE)
        return;
    const enum gpu_end end = gpu_run_until(l->gpu, work, &e);
    if (end == GPU_DONE)
        return;
    if (end == GPU_FAILED && !*e.msg)
        err_set(&e, "the program ended during kernel %s", l->launch.n ? l->launch.p[0]->kernel->name : "");
    pthread_mutex_lock(&l->lock);
    l->err = e;
    l->status = end;
    pthread_mutex_unlock(&l->lock);
}

static void run_held(struct gpu_live *l)
{
    l->holds = false;
    run_until(l, l->held);
}

/* Does what can be done of the command. The launch may be over, and the command freed, when it returns. */
static void work(struct gpu_live *l, struct command *c)
{
    const bool floor = c->floor, held = c->held;
    if (l->holds && !c->event.early)
        run_held(l);
    if (c->is_launch)
        VEC_PUSH(&l->launch, c);
    if (l->status != GPU_DONE) {
        if (c->is_launch)
            swallow(c); /* freed at the end */
        return;
    }
    const struct gpu_source *source = c->is_launch ? &l->source : NULL;
    const uint64_t work = gpu_submit(l->gpu, &c->event, c->kernel, c->is_launch ? &c->launch : NULL, source);
    l->holds = floor && held;
    l->held = work;
    if (floor && !held)
        run_until(l, work);
    for (size_t i = 0; i < l->launch.n && l->status != GPU_DONE; i++)
        swallow(l->launch.p[i]);
}

static void *machine_thread(void *arg)
{
    struct gpu_live *l = arg;
    pthread_mutex_lock(&l->lock);
    for (;;) {
        while (!l->first && !l->closing && !(l->draining && l->holds)) {
            l->idle = true;
            pthread_cond_broadcast(&l->changed);
            pthread_cond_wait(&l->changed, &l->lock);
        }
        l->idle = false;
        struct command *c = l->first;
        if (!c && l->closing)
            break;
        if (!c) {
            pthread_mutex_unlock(&l->lock);
            run_held(l);
            pthread_mutex_lock(&l->lock);
            continue;
        }
        l->first = c->next; /* a launch is freed when the machine is through with it */
        if (!l->first)
            l->last = NULL;
        pthread_mutex_unlock(&l->lock);
        const bool is_launch = c->is_launch;
        work(l, c);
        if (!is_launch)
            free_command(c);
        pthread_mutex_lock(&l->lock);
        pthread_cond_broadcast(&l->changed);
    }
    pthread_mutex_unlock(&l->lock);
    run_until(l, UINT64_MAX);
    pthread_mutex_lock(&l->lock);
    l->idle = true;
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->lock);
    return NULL;
}

/* ---- the emulator's side ---- */

static int enqueue(struct gpu_live *l, struct command *c)
{
    pthread_mutex_lock(&l->lock);
    int status = l->status == GPU_DONE ? 0 : -1;
    if (l->last)
        l->last->next = c;
    else
        l->first = c;
    l->last = c;
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->lock);
    return status;
}

/* The event of a launch waits for its command. */
static int on_event(void *ctx, const struct trace_event *ev)
{
    struct gpu_live *l = ctx;
    struct command *c = xcalloc(1, sizeof *c + ev->n_after * sizeof *ev->after);
    c->event = *ev;
    c->floor = ev->floor || !ev->ordered;
    c->held = ev->lets_begin;
    if (ev->n_after)
        c->event.after = memcpy(c + 1, ev->after, ev->n_after * sizeof *ev->after);
    l->n_event++;
    if (ev->kind != TRACE_EV_LAUNCH)
        return enqueue(l, c);
    l->announced = c;
    return 0;
}

static const void *keep(struct arena *a, const void *p, size_t bytes)
{
    void *q = arena_alloc(a, bytes ? bytes : 1);
    if (bytes)
        memcpy(q, p, bytes);
    return q;
}

static const struct trace_kernel *copy_kernel(struct gpu_live *l, const struct trace_kernel *k, uint32_t index)
{
    while (l->kernel.n <= index)
        VEC_PUSH(&l->kernel, NULL);
    if (l->kernel.p[index])
        return l->kernel.p[index];
    struct arena *a = l->arena;
    struct trace_kernel *c = arena_alloc(a, sizeof *c);
    *c = *k;
    c->name = arena_strndup(a, k->name, strlen(k->name));
    c->inst = keep(a, k->inst, k->n_inst * sizeof *k->inst);
    c->reg = keep(a, k->reg, k->n_reg_entries * sizeof *k->reg);
    c->loop = keep(a, k->loop, k->n_loop * sizeof *k->loop);
    c->str = keep(a, k->str, k->n_str);
    const char **file = arena_alloc(a, (k->n_file + 1) * sizeof *file);
    for (uint32_t i = 0; i < k->n_file; i++)
        file[i] = arena_strndup(a, k->file[i], strlen(k->file[i]));
    c->file = file;
    if (k->code) {
        struct trace_code *code = arena_alloc(a, sizeof *code);
        *code = *k->code;
        code->op = keep(a, code->op, code->n_op * sizeof *code->op);
        code->reg = keep(a, code->reg, code->n_reg_entries * sizeof *code->reg);
        code->region = keep(a, code->region, code->n_region * sizeof *code->region);
        c->code = code;
    }
    l->kernel.p[index] = c;
    return c;
}

static int on_launch_begin(void *ctx, const struct trace_kernel *k, const struct trace_launch *launch, uint32_t index)
{
    struct gpu_live *l = ctx;
    struct command *c = l->announced;
    l->announced = NULL;
    c->is_launch = true;
    c->kernel = copy_kernel(l, k, launch->kernel);
    c->launch = *launch;
    c->index = index;
    streams_init(&c->streams, wait_for_chunk, c);
    l->filling = c;
    return enqueue(l, c);
}

static int on_chunk(void *ctx, uint32_t index, const struct stream_chunk *k)
{
    struct gpu_live *l = ctx;
    struct command *c = l->filling;
    (void)index;
    pthread_mutex_lock(&l->lock);
    int status = l->status == GPU_DONE ? 0 : -1;
    pthread_mutex_unlock(&l->lock);
    if (status)
        return status;
    pthread_mutex_lock(&c->streams.lock);
    while (c->floor && !c->held && c->streams.bytes > AHEAD_BYTES && !c->streams.starving)
        pthread_cond_wait(&c->streams.changed, &c->streams.lock);
    streams_put(&c->streams, k);
    pthread_cond_broadcast(&c->streams.changed);
    pthread_mutex_unlock(&c->streams.lock);
    return 0;
}

static int on_launch_end(void *ctx, uint32_t index)
{
    struct gpu_live *l = ctx;
    struct command *c = l->filling;
    (void)index;
    pthread_mutex_lock(&c->streams.lock);
    c->fed = true;
    pthread_cond_broadcast(&c->streams.changed);
    pthread_mutex_unlock(&c->streams.lock);
    l->filling = NULL;
    return 0;
}

/* ---- the program's side ---- */

void gpu_live_at_policy_fault(void (*f)(void))
{
    policy_at_fault(f);
}

struct gpu_live *gpu_live_open(const struct gpu_opts *o, struct err *e)
{
    struct gpu_live *l = xcalloc(1, sizeof *l);
    struct gpu_opts mine = *o;
    mine.poll = poll;
    mine.poll_ctx = l;
    l->poll = o->poll;
    l->poll_ctx = o->poll_ctx;
    l->gpu = gpu_new(&mine, e);
    if (!l->gpu) {
        free(l);
        return NULL;
    }
    l->arena = arena_new();
    l->source = (struct gpu_source){l, open_launch, close_launch};
    l->sink = (struct stream_sink){
        .ctx = l, .event = on_event, .launch_begin = on_launch_begin, .chunk = on_chunk, .launch_end = on_launch_end};
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->changed, NULL);
    if (pthread_create(&l->thread, NULL, machine_thread, l)) {
        err_set(e, "cannot start a thread for the machine");
        l->joined = true;
        gpu_live_close(l);
        return NULL;
    }
    return l;
}

struct stream_sink *gpu_live_sink(struct gpu_live *l)
{
    return &l->sink;
}

static void drain(struct gpu_live *l)
{
    pthread_mutex_lock(&l->lock);
    l->draining = true;
    pthread_cond_broadcast(&l->changed);
    while (!l->joined && (l->first || !l->idle || l->holds))
        pthread_cond_wait(&l->changed, &l->lock);
    l->draining = false;
    pthread_mutex_unlock(&l->lock);
}

uint64_t gpu_live_events(const struct gpu_live *l)
{
    return l->n_event;
}

uint64_t gpu_live_done_ps(struct gpu_live *l, uint64_t event)
{
    drain(l);
    return gpu_done_ps(l->gpu, event);
}

enum gpu_end gpu_live_status(struct gpu_live *l, struct err *e)
{
    pthread_mutex_lock(&l->lock);
    enum gpu_end status = l->status;
    if (status == GPU_FAILED && e)
        *e = l->err;
    pthread_mutex_unlock(&l->lock);
    return status;
}

void gpu_live_give_up(struct gpu_live *l)
{
    struct command *c = l->filling;
    if (!c)
        return;
    pthread_mutex_lock(&c->streams.lock);
    c->given_up = true;
    pthread_mutex_unlock(&c->streams.lock);
    atomic_store(&l->giving_up, true);
    on_launch_end(l, c->index);
}

static void stop(struct gpu_live *l)
{
    if (l->joined)
        return;
    gpu_live_give_up(l); /* the program ended in the middle of a launch */
    pthread_mutex_lock(&l->lock);
    l->closing = true;
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->lock);
    pthread_join(l->thread, NULL);
    l->joined = true;
}

struct gpu *gpu_live_finish(struct gpu_live *l)
{
    stop(l);
    return l->gpu;
}

void gpu_live_close(struct gpu_live *l)
{
    if (!l)
        return;
    stop(l);
    for (size_t i = 0; i < l->launch.n; i++)
        free_command(l->launch.p[i]);
    VEC_FREE(&l->launch);
    free(l->announced);
    gpu_free(l->gpu);
    arena_free(l->arena);
    VEC_FREE(&l->kernel);
    pthread_mutex_destroy(&l->lock);
    pthread_cond_destroy(&l->changed);
    free(l);
}
