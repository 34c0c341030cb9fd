/*
 * The one context of the process: made at the first CUDA call, finished when the process ends (process_exit.c).
 *
 * Options come from `weir run` through the environment (run_link.h); without them the library works alone, functionally,
 * which is what a program gets that is started with LD_LIBRARY_PATH by hand.
 */
#include "cudart/runtime.h"

#include "base/out_of_memory.h"
#include "trace/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct rt rt = {.lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP, .next_serial = 1};
_Thread_local struct rt_thread rt_thread;

void rt_message(const char *fmt, ...)
{
    char line[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    fflush(stdout); /* the program's own words come before ours */
    fprintf(stderr, "weir: %s\n", line);
}

/* The parent's report; NULL = the process is on its own. */
static struct report *shared;

void rt_map_report(void)
{
    const char *text = rt_option(REPORT_ENV_FD);
    struct stat st;
    int fd = text ? atoi(text) : -1;
    if (fd < 0 || fstat(fd, &st) || (size_t)st.st_size < sizeof(struct report))
        return;
    struct report *r = mmap(NULL, sizeof *r, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (r == MAP_FAILED)
        out_of_memory(sizeof *r);
    if (r->version == REPORT_VERSION && r->bytes == sizeof *r)
        shared = r;
    else
        munmap(r, sizeof *r);
}

/* Takes a slot of the report; a process on its own keeps a private one. */
static void open_report(void)
{
    static struct report_slot spare;
    rt.slot = &spare;
    rt.report = shared;
    if (!shared)
        return;
    unsigned k = atomic_fetch_add(&shared->n_slot, 1);
    if (k < REPORT_SLOTS)
        rt.slot = &shared->slot[k];
    rt.slot->pid = (uint32_t)getpid();
}

void rt_bad_input(const struct err *e)
{
    fflush(stdout);
    err_print(e, stderr);
    if (rt.report)
        atomic_fetch_add(&rt.report->bad_input, 1);
}

/* What cannot be simulated as asked is not run at all: the program would only print what a lost device makes of it. */
static cudaError_t refuse(const struct err *e)
{
    rt_bad_input(e);
    if (rt.report)
        rt_leave_process(127);
    return cudaErrorInitializationError;
}

static const char default_machine[] = "gtx480"; /* of what is timed or recorded */

/* The machine's name, or its file's without the folder, and what was set: "gtx480 machine.sms=4". */
static char *seen_machine(void)
{
    const char *gpu = rt_option(REPORT_ENV_GPU), *set = rt_option(REPORT_ENV_SET),
               *slash = gpu ? strrchr(gpu, '/') : NULL;
    char *machine = xasprintf("%s%s%s",
                              !gpu    ? default_machine
                              : slash ? slash + 1
                                      : gpu,
                              set && *set ? " " : "", set ? set : "");
    for (char *c = machine; *c; c++)
        *c = *c == REPORT_BETWEEN ? ' ' : *c;
    return machine;
}

static cudaError_t open_sink(void)
{
    const char *mode = rt_option(REPORT_ENV_MODE);
    struct err e;
    err_clear(&e);
    if (!mode || !strcmp(mode, "functional"))
        return cudaSuccess;
    if (!strcmp(mode, "record")) {
        const char *path = rt_option(REPORT_ENV_TRACE), *program = rt_option(REPORT_ENV_PROGRAM);
        if (rt.report && rt.slot != &rt.report->slot[0]) {
            rt_message("a second process of this run uses CUDA; only the first one is recorded");
            return cudaSuccess;
        }
        char *machine = seen_machine();
        rt.writer = trace_writer_open(path ? path : "", program ? program : "",
                                      &(struct trace_origin){WEIR_VERSION, machine}, &e);
        free(machine);
        if (!rt.writer)
            return refuse(&e);
        rt.sink = trace_writer_sink(rt.writer);
        return cudaSuccess;
    }
    if (!strcmp(mode, "timing"))
        return timing_open(&e) ? refuse(&e) : cudaSuccess;
    err_set(&e, "%s=%s: unknown mode", REPORT_ENV_MODE, mode);
    return refuse(&e);
}

/* As with CUDA, a context does not survive fork; the parent's files and threads are none of the child's business. */
static void in_forked_child(void)
{
    rt.lock = (pthread_mutex_t)PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    rt.forked = true;
}

/* Warnings of the emulator about code that continues. Polling is nothing wrong in itself, so it is no finding. */
static void show_remark(const struct emu_fault *f)
{
    fflush(stdout);
    if (rt.check && f->kind != EMU_FAULT_POLLING)
        check_fault(rt.check, f);
    else
        emu_fault_print(f, stderr);
}

static cudaError_t start(void)
{
    struct err e;
    err_clear(&e);
    rt.pid = getpid();
    pthread_atfork(NULL, NULL, in_forked_child);
    open_report();
    const char *mode = rt_option(REPORT_ENV_MODE);
    /* What only executes sees the largest machine; what is timed sees the one that times it. */
    if (timing_props(mode && strcmp(mode, "functional") ? default_machine : "h200", &e))
        return refuse(&e);
    if (checking_open(&e))
        return refuse(&e);
    const char *max = rt_option(REPORT_ENV_MAX_INSN);
    const struct emu_opts opts = {
        .heap_bytes = rt.props.global_bytes,
        .max_warp_insts = max ? strtoull(max, NULL, 10) : 0,
        .sm_count = rt.props.sm_count,
        .ctas_per_sm = rt.props.max_ctas_per_sm,
        .arch = rt.props.cc_major * 10 + rt.props.cc_minor,
        .remark = show_remark,
        .watch = rt.check ? check_watch(rt.check) : NULL,
        .progress = &rt.slot->warp_insts,
    };
    rt.emu = emu_new(&opts, &e);
    if (!rt.emu)
        return refuse(&e);
    if (rt.check)
        check_attach(rt.check, rt.emu);
    rt.limit[cudaLimitStackSize] = 1024;
    rt.limit[cudaLimitPrintfFifoSize] = 8650752;
    rt.limit[cudaLimitMallocHeapSize] = 8 << 20;
    rt.limit[cudaLimitDevRuntimePendingLaunchCount] = 2048;
    rt.limit[cudaLimitMaxL2FetchGranularity] = 64;
    const cudaError_t status = open_sink();
    order_open();
    return status;
}

void rt_enter_any(void)
{
    pthread_mutex_lock(&rt.lock);
    if (!rt.ready && !rt.finished) {
        rt.ready = true;
        rt.init_status = start();
    }
}

cudaError_t rt_enter(void)
{
    rt_enter_any();
    rt_thread.uses_runtime = true;
    if (rt.finished)
        return cudaErrorCudartUnloading;
    if (rt.forked)
        return cudaErrorInitializationError;
    return rt.init_status ? rt.init_status : rt.sticky;
}

cudaError_t rt_leave(cudaError_t e)
{
    if (e)
        rt_thread.last_error = e;
    pthread_mutex_unlock(&rt.lock);
    return e;
}

cudaError_t rt_leave_quietly(cudaError_t e)
{
    pthread_mutex_unlock(&rt.lock);
    return e;
}

void rt_call_host(cudaHostFn_t fn, void *user)
{
    const struct order mine = order_take(); /* other threads may come in between */
    const int8_t priority = rt.priority;
    pthread_mutex_unlock(&rt.lock);
    fn(user);
    pthread_mutex_lock(&rt.lock);
    order_put(mine);
    order_overlap(0);
    rt.priority = priority;
}

cudaError_t rt_poison(cudaError_t e)
{
    if (!rt.sticky)
        rt.sticky = e;
    if (rt.report)
        atomic_fetch_add(&rt.report->faults, 1);
    return rt.sticky;
}

void rt_advance_ps(uint64_t ps)
{
    rt.now_ps += ps;
}

void rt_event(enum trace_event_kind kind, uint32_t stream_id, uint64_t address, uint64_t address2, uint64_t bytes)
{
    if (!rt.sink || !rt.sink->event)
        return;
    rt_send_event(&(struct trace_event){
        .kind = (uint8_t)kind, .stream = stream_id, .address = address, .address2 = address2, .bytes = bytes});
}

void rt_send_event(const struct trace_event *ev)
{
    if (rt.sink->event(rt.sink->ctx, ev)) {
        timing_on_sink_error();
        rt_poison(cudaErrorUnknown);
    }
}

cudaError_t rt_unsupported(const char *name)
{
    static struct strmap said;
    rt_enter_any();
    if (strmap_get(&said, name, strlen(name)) == STRMAP_NONE) {
        strmap_put(&said, name, strlen(name), 1);
        rt_message("%s is not supported and returns cudaErrorNotSupported", name);
    }
    return rt_leave(cudaErrorNotSupported);
}
