/*
 * Inside the runtime: the one context of the process, and what its parts offer each other.
 *
 * weir's runtime is eager: an operation runs when it is submitted, in the calling thread, so streams are in order by
 * construction and synchronizing is free; when it would have run is the machine's business (order.c). Every asynchronous call becomes a `struct rt_op` that op_submit either runs
 * at once or, while its stream is being captured, stores as a graph node.
 *
 * Locking: one lock. API functions take it by rt_enter and give it back by rt_leave; everything else declared here
 * expects it held. It is released only around callbacks into the program.
 */
#ifndef WEIR_CUDART_RT_H
#define WEIR_CUDART_RT_H

#include "base/bits.h"
#include "base/err.h"
#include "base/mem.h"
#include "check/check.h"
#include "cudart/abi.h"
#include "cudart/fatbin.h"
#include "cudart/run_link.h"
#include "emu/emu.h"
#include "emu/tex.h"
#include "trace/device.h"

#include <pthread.h>
#include <stdbool.h>

/* Exported functions are marked; everything else stays inside the library. */
#define API __attribute__((visibility("default")))

/* ---- handles ---- */
enum rt_kind {
    RT_NONE,
    RT_STREAM,
    RT_EVENT,
    RT_ARRAY,
    RT_MIPMAP,
    RT_GRAPH,
    RT_NODE,
    RT_EXEC,
    RT_POOL,
    RT_MODULE,
    RT_FUNC,
    RT_VAR,
    RT_USER_OBJECT,
    RT_GRAPH_MEM,
    RT_CONDITION,
    RT_MEM,
    RT_CONTEXT,
    RT_LINK,
};
/* Pointer -> (kind, value). Programs hand in whatever they like, so a handle is looked up before it is followed. */
struct ptrmap {
    struct ptrmap_slot {
        const void *key;
        void *value;
        uint8_t kind;
    } * slot;
    size_t n, cap; /* n counts deleted slots, too */
};
void *ptrmap_get(const struct ptrmap *, const void *key, enum rt_kind);
void ptrmap_put(struct ptrmap *, const void *key, enum rt_kind, void *value);
void ptrmap_drop(struct ptrmap *, const void *key, enum rt_kind);

/* ---- device code ---- */
struct rt_module {
    const void *wrapper; /* what was registered; NULL for a library */
    char *library;       /* code given to cudaLibraryLoadData, copied */
    size_t library_bytes;
    struct emu_module *emu; /* NULL until first use; linked modules share one */
    unsigned first_ptx;     /* where its PTX modules begin in the unit */
    bool tried;             /* its PTX was read; `status` and `why` tell what is wrong */
    cudaError_t status;
    struct err why;
    VEC(struct fatbin_pick) part; /* read, not yet loaded */
    struct fatbin_pick passed;    /* what was there that cannot run */
    VEC(struct rt_func *) func;
    VEC(struct rt_var *) var;
};
struct rt_func {
    struct rt_module *module;
    const void *host;          /* the stub whose address the program uses */
    char *name;                /* in PTX */
    struct emu_kernel *kernel; /* NULL until first use */
    struct emu_kernel_info info;
    int max_dynamic_smem, carveout; /* cudaFuncSetAttribute; -1 = default */
    bool non_portable;              /* clusters of more than 8 CTAs are allowed */
    int cache_config;
    struct report_kernel *stats;
};
struct rt_var {
    struct rt_module *module;
    const void *host;
    void **managed; /* __managed__: the program's pointer to fill */
    char *name;
    size_t bytes;
    bool constant, initialized;
};
/* Loads the module's code if it was not yet. Prints what is wrong, once. */
cudaError_t module_load(struct rt_module *);
struct rt_module *module_new(const void *wrapper);
/* Gives managed variables that live in the program's own memory their initial values. */
void module_init_managed(struct rt_module *);
void module_free(struct rt_module *);
struct rt_func *module_add_func(struct rt_module *, const void *host, const char *name);

/* Code that a program loads itself. `code` becomes the module's; *why, where wanted, gets what is wrong with it. */
cudaError_t library_open(struct rt_module **, char *code, size_t bytes, struct err *why);
char *library_copy(const void *code, size_t *bytes);
struct rt_module *library_find(cudaLibrary_t);
cudaError_t library_kernel(struct rt_module *, const char *name, struct rt_func **);
/* The form in which cuLinkComplete hands out PTX of several files (driver_link.c): its size, or 0 when it is none. */
size_t linked_bytes(const void *code);
const char *linked_next(const void *code, const char *after); /* the texts one by one, from after == NULL on */

/* Function by host stub or by kernel handle, loaded and analyzed; cudaErrorInvalidDeviceFunction when unknown. */
cudaError_t func_find(const void *func, struct rt_func **out);
/* A __device__ or __constant__ variable by its host shadow. */
cudaError_t symbol_find(const void *symbol, uint64_t *addr, size_t *bytes);

/* ---- operations ---- */
enum rt_op_kind {
    OP_EMPTY,
    OP_KERNEL,
    OP_COPY,
    OP_MEMSET,
    OP_HOST,
    OP_EVENT_RECORD,
    OP_EVENT_WAIT,
    OP_ALLOC,
    OP_FREE,
    OP_GRAPH,
    OP_CONDITIONAL,
};
struct rt_graph_mem { /* memory of an allocation node; shared by the node's copies */
    uint64_t addr, bytes;
    unsigned refs;
    bool live; /* allocated by a run and not freed since */
};
struct rt_condition; /* condition.c */
struct rt_op {
    enum rt_op_kind kind;
    union {
        struct {
            struct rt_func *func;
            dim3 grid, block;
            size_t smem_bytes;
            bool cooperative;
            bool early;      /* it need not wait for the end of the kernel before it */
            dim3 cluster;    /* 0, 0, 0: as the kernel declares */
            uint8_t *params; /* the parameter block */
            void **arg;      /* one pointer into it per parameter */
        } kernel;
        struct cudaMemcpy3DParms copy; /* any copy: a linear one has height and depth 1 */
        struct {
            struct cudaPitchedPtr dst;
            uint32_t value;
            uint32_t elem_bytes;      /* 1, 2, 4 */
            struct cudaExtent extent; /* width in elements */
        } memset;
        struct {
            cudaHostFn_t fn;
            void *user;
        } host;
        struct rt_event *event;
        struct rt_graph_mem *alloc;
        uint64_t free_addr;
        struct rt_graph *graph; /* a clone that the operation owns */
        struct {
            struct rt_condition *on;
            enum cudaGraphConditionalNodeType type;
            unsigned bodies;
            struct rt_graph **body; /* the operation owns them */
        } conditional;
    };
};
struct rt_graph_mem *graph_mem_new(uint64_t addr, uint64_t bytes);
/* Memory of an allocation node is freed: it stays for the next run. False when it is not such memory. */
bool graph_mem_freed(uint64_t addr);
/* Runs the operation on the stream, or captures a copy of it. */
cudaError_t op_submit(cudaStream_t, const struct rt_op *);
cudaError_t op_run(const struct rt_op *, uint32_t stream_id);
void op_copy(struct rt_op *dst, const struct rt_op *src);
void op_release(struct rt_op *);

struct launch_attributes {   /* those that change something */
    bool cooperative, early; /* as in struct rt_op */
    dim3 cluster;
};
/* Fills a kernel operation from CUDA's argument pointers; the caller releases it. */
cudaError_t kernel_op(struct rt_op *, const void *func, dim3 grid, dim3 block, void **args, void **extra, size_t smem,
                      const struct launch_attributes *);
/* CTAs of a cluster when a launch asks for `asked` (0, 0, 0: nothing): the kernel's own declaration takes precedence. */
cudaError_t cluster_of(const struct rt_func *, dim3 asked, uint32_t out[3]);
/* A launch from beginning to end, as both APIs mean it; `extra` is cuLaunchKernel's. */
cudaError_t kernel_launch(const void *func, dim3 grid, dim3 block, void **args, void **extra, size_t smem, cudaStream_t,
                          const struct launch_attributes *);
cudaError_t kernel_launch_config(const cudaLaunchConfig_t *, const void *func, void **args, void **extra);
cudaError_t kernel_run(const struct rt_op *, uint32_t stream_id);
struct box { /* in bytes, rows and slices */
    size_t width, height, depth;
};
/* Bytes from the first to behind the last one of a box with something in it; SIZE_MAX where that is too much. */
static inline size_t box_span(const struct box *n, size_t row_step, size_t slice_step)
{
    return sat_add(sat_add(sat_mul(n->depth - 1, slice_step), sat_mul(n->height - 1, row_step)), n->width);
}
cudaError_t copy_run(const struct cudaMemcpy3DParms *, uint32_t stream_id);
cudaError_t copy_check(const struct cudaMemcpy3DParms *);
struct rt_op copy_op_1d(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind);
cudaError_t copy_op_symbol(struct rt_op *, const void *symbol, const void *ptr, size_t bytes, size_t offset,
                           enum cudaMemcpyKind, bool to_symbol);
cudaError_t memset_run(const struct rt_op *, uint32_t stream_id);
cudaError_t memset_op(struct rt_op *, const struct cudaMemsetParams *);

/* ---- streams and events ---- */
struct order { /* events of the trace that must be done before something begins */
    VEC(uint64_t) on;
};
struct rt_capture; /* graph.c */
struct rt_stream {
    uint32_t id; /* 0 = the default stream; in traces */
    unsigned flags;
    int priority;
    bool per_thread;
    struct order last;          /* its last work, beyond what all work waits for */
    uint64_t opened1;           /* order_opened() of its last operation */
    struct rt_capture *capture; /* NULL = not capturing */
    VEC(struct rt_node *) deps; /* capturing: what the next node depends on */
};
struct rt_event {
    unsigned flags;
    bool recorded;
    bool waited;         /* by the host, since */
    struct order after;  /* it is done when these are, and ... */
    uint64_t time_ps;    /* ... the time that no machine counts has passed */
    uint64_t capture_id; /* recorded last while capturing; 0 = not */
    VEC(struct rt_node *) deps;
};
/* The stream behind a handle; default streams included. NULL when the handle is bad. */
struct rt_stream *stream_find(cudaStream_t);
struct rt_event *event_find(cudaEvent_t);
/* cudaSuccess, or why the stream may not be synchronized or used now. */
cudaError_t stream_usable_for_sync(struct rt_stream *);

/* ---- order.c: what work waits for, for the machine's time ---- */
void order_open(void); /* behind rt.sink */
bool order_is_on(void);
void order_turn_on(void); /* from now on not everything waits for all before it */
void order_stream_new(struct rt_stream *);
void order_stream_gone(struct rt_stream *);
void order_forget_streams(void);
/* Around each operation of a stream. */
void order_begin(const struct rt_stream *, const struct rt_op *);
void order_end(struct rt_stream *);
void order_record(struct rt_event *);                         /* within an operation */
void order_wait(struct rt_stream *, const struct rt_event *); /* NULL: within an operation */
uint64_t order_event_ps(const struct rt_event *);             /* when it was done; the host must have waited for it */
/* Around each operation, of a graph, too. The launch that the last one was, plus one, if one that depends on it may
 * begin before its end; else 0. Given back, the next one is such a launch. */
uint64_t order_opened(void);
void order_overlap(uint64_t opened);
/* What the present operation waits for, as a graph and calls of the program's functions take and change it. */
struct order order_take(void);
void order_put(struct order);
void order_add(struct order *, const struct order *);
/* The host waits: for a stream, or for all (NULL); for an event. */
void host_waits(struct rt_stream *);
/* In time only: what the stream has done is not ordered before what the host does next. */
void host_passes_time(struct rt_stream *);
void host_waits_event(struct rt_event *);

/* ---- capture ---- */
cudaError_t capture_op(struct rt_stream *, const struct rt_op *);
cudaError_t capture_record(struct rt_stream *, struct rt_event *);
cudaError_t capture_wait(struct rt_stream *, struct rt_event *);
void capture_invalidate(struct rt_stream *);
void capture_forget_stream(struct rt_stream *);
bool capture_active_on_blocking_stream(void);
void capture_invalidate_blocking(void);                 /* all captures that the above finds */
bool capture_invalidate_event(const struct rt_event *); /* false: its capture has ended */
void capture_forget_all(void);

/* ---- graphs ---- */
struct rt_node {
    struct rt_graph *graph;
    struct rt_op op;
    VEC(struct rt_node *) deps;
    struct order done;       /* while the graph runs: what those that depend on it wait for */
    bool last;               /* none does */
    uint64_t opened1;        /* order_opened() behind it */
    uint64_t serial, origin; /* origin: serial of the node it was cloned from; 0 = none */
    bool enabled;
};
struct rt_kept { /* references to a user object that a graph holds */
    struct rt_user_object *object;
    unsigned refs;
};
struct rt_graph {
    VEC(struct rt_node *) node;
    VEC(struct rt_kept) object;
    VEC(struct rt_condition *) condition; /* made for this graph */
    struct rt_node *owner;                /* the node it is a child graph of, or NULL */
};
struct rt_exec {
    struct rt_graph *graph; /* private clone in topological order */
    unsigned long long flags;
};
struct rt_user_object {
    cudaHostFn_t destroy;
    void *ptr;
    unsigned refs;
};
struct rt_graph *graph_new(void);
void graph_free(struct rt_graph *);
struct rt_graph *graph_clone(const struct rt_graph *);
/* Adds a node that owns a copy of the operation. */
cudaError_t graph_add(struct rt_graph *, const struct rt_op *, struct rt_node *const *deps, size_t n_dep,
                      struct rt_node **out);
bool graph_sort(struct rt_graph *); /* topological, stable; false = it has a cycle */
cudaError_t graph_run(struct rt_graph *, uint32_t stream_id);
void graph_keep(struct rt_graph *, struct rt_user_object *, unsigned refs); /* the object's own count is the caller's */
void user_object_release(struct rt_user_object *, unsigned count);

/* ---- condition.c: conditional nodes ---- */
struct rt_condition *condition_keep(struct rt_condition *);
void condition_release(struct rt_condition *);
cudaError_t condition_op(struct rt_op *, const struct cudaConditionalNodeParams *);
cudaError_t condition_run(const struct rt_op *, uint32_t stream_id);
/* Before a launch: values that its conditions begin with. */
void graph_set_conditions(const struct rt_graph *);
/* Bodies have only nodes that CUDA allows in them. */
cudaError_t graph_check_bodies(const struct rt_graph *);
/* The graphs within an operation, which their node owns. */
struct op_graphs {
    struct rt_graph **p;
    unsigned n;
};
struct op_graphs op_graphs(const struct rt_op *);
void op_own_graphs(struct rt_node *);

/* ---- memory ---- */
struct rt_array {
    struct cudaChannelFormatDesc desc;
    struct cudaExtent extent; /* as given: 0 = dimension absent */
    unsigned flags;
    uint32_t elem_bytes;
    uint64_t addr;
    uint64_t row_bytes, slice_bytes;
    struct rt_mipmap *level_of; /* belongs to a mipmapped array */
};
struct rt_mipmap {
    uint32_t n_level;
    struct rt_array *level[16];
};
struct rt_mem {   /* an allocation of the program: what cudaDeviceReset frees */
    uint8_t kind; /* enum emu_mem_kind */
};
void texture_forget_all(void);
struct rt_array *array_find(cudaArray_t);
/* Channels of equal width, one, two or four of them: the element's bytes; 0 when CUDA refuses the format. */
uint32_t array_element_bytes(const struct cudaChannelFormatDesc *);
size_t array_height(const struct rt_array *); /* 1 for a 1-D array */
size_t array_depth(const struct rt_array *);  /* layers or faces included; 1 when there is none */
cudaError_t mem_alloc(void **out, size_t bytes, enum emu_mem_kind);
/* Frees the allocation that starts at addr; false when there is none of that kind. */
bool mem_free(uint64_t addr, enum emu_mem_kind);
/* The allocation that contains a pointer, host memory known to CUDA included. */
const struct emu_alloc *mem_find(const void *p, size_t bytes);
bool mem_is_device(const void *p);                 /* known to the device and not host memory */
bool mem_host_mapped(const void *p, size_t bytes); /* the program has memory there, whatever its protection */
cudaError_t mem_location(const struct cudaMemLocation *);
cudaError_t pool_check(const struct cudaMemPoolProps *);
cudaError_t pool_alloc(struct rt_pool *, void **out, size_t bytes);
void pool_forget_all(void);
void virtual_forget_all(void);
void pool_note_free(uint64_t addr); /* an allocation was freed; nothing when it belongs to no pool */
/* Frees a device allocation, wherever it came from; cudaErrorInvalidValue when it is none. */
cudaError_t mem_free_device(uint64_t addr);
/* Complains about a range that a copy or memset may not touch. */
cudaError_t mem_bad_range(const char *what, const void *p, size_t bytes);

/* ---- the machine beside the program: defined in live/timing.c ---- */
int timing_props(const char *machine, struct err *); /* rt.props, of this machine when the user chose none */
int timing_open(struct err *);                       /* sets rt.sink */
bool timing_on(void);
uint64_t timing_done_ps(uint64_t event); /* when an event of the trace was done in the machine's time */
void timing_finish(void);
void timing_on_sink_error(void);  /* after EMU_FAULT_SINK; does not return when the user interrupted */
void timing_abandon_kernel(void); /* a kernel faulted: the machine need not finish it */
int timing_interrupted(void);     /* the signal by which the user ended the simulation; 0 = none */

/* ---- weir check: defined in checking.c; without it all of these do nothing ---- */
int checking_open(struct err *); /* sets rt.check when it was asked for */
void checking_op(const struct rt_stream *);
void checking_host_waits(const struct rt_stream *); /* NULL = for all of them */
void checking_copy(void *to, const void *from, size_t bytes, bool to_device, bool from_device);
/* The stream makes or ends memory; NULL: the operation that runs. */
void checking_span(const struct rt_stream *, uint64_t addr, uint64_t bytes, const char *call);
void checking_finish(void);

/* ---- the context ---- */
struct rt {
    pthread_mutex_t lock;
    pid_t pid; /* of the process that loaded the library; once there is a context, of the one that made it */
    bool ready, finished, forked;
    cudaError_t init_status;
    bool faulted;       /* a kernel did; already reported */
    cudaError_t sticky; /* the device is lost: every later call returns this */
    struct emu *emu;
    struct device_props props;
    const struct stream_sink *sink; /* NULL: functional */
    struct check *check;            /* NULL: nothing is checked */
    struct trace_writer *writer;
    struct ptrmap handle;
    struct ptrmap symbol; /* host stub or shadow -> rt_func, rt_var */
    struct rt_stream legacy;
    struct report *report;
    struct report_slot *slot;
    uint64_t now_ps; /* simulated time of what no machine times: without one, everything */
    int8_t priority; /* of the present operation's stream */
    enum { HOST_GOES_ON, HOST_WAITS_FOR_BUFFER, HOST_WAITS_FOR_DATA } host_wait; /* the present operation's */
    uint32_t n_stream;
    uint64_t next_serial; /* graph nodes, captures */
    unsigned device_flags;
    size_t limit[CUDA_LIMIT_COUNT];
    struct rt_pool *default_pool, *current_pool;
    VEC(struct rt_module *) module;
};
extern struct rt rt;

/* Locks and makes the context; the sticky error, if there is one. */
cudaError_t rt_enter(void);
/* The same without the check: for calls that work on a lost device. */
void rt_enter_any(void);
/* Notes the thread's last error and unlocks. */
cudaError_t rt_leave(cudaError_t);
/* Unlocks and returns without noting: cudaErrorNotReady and similar codes are no errors. */
cudaError_t rt_leave_quietly(cudaError_t);
/* Calls into the program with the lock released. */
void rt_call_host(cudaHostFn_t, void *user);
/* Marks the device as lost. Returns e. */
cudaError_t rt_poison(cudaError_t e);
void rt_advance_ps(uint64_t ps);
void rt_send_event(const struct trace_event *);
void rt_event(enum trace_event_kind, uint32_t stream_id, uint64_t address, uint64_t address2, uint64_t bytes);
/* An option of weir run (run_link.h) as it was when the program started; NULL = not given. */
const char *rt_option(const char *name);
/* Maps the report of weir run: before main, because a program may close all descriptors. */
void rt_map_report(void);
/* Writes what was simulated, once; later CUDA calls fail. */
void rt_finish(void);
/* Ends the process at once; nothing more is written. */
_Noreturn void rt_leave_process(int status);
/* Starts the thread that sees the ends that happen in other threads. */
void rt_start_watch(void);
/* Prints the error and tells weir run that the input was bad. */
void rt_bad_input(const struct err *);
/* "weir: ..." on stderr. */
void rt_message(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* cudaErrorNotSupported, and says the name the first time. */
cudaError_t rt_unsupported(const char *name);

/* What the runtime keeps of each thread. */
struct rt_thread {
    cudaError_t last_error;
    bool uses_runtime; /* has called it; for the driver: the primary context is current */
};
extern _Thread_local struct rt_thread rt_thread;

#endif
