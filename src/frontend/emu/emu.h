/*
 * The functional emulator: executes PTX kernels warp by warp and emits what they did.
 *
 * It is the whole GPU minus time: memory, modules, kernels. It knows nothing of cycles. cudart/ drives it for
 * CUDA programs; tests drive it directly. One `struct emu` is one device; it is used from one thread at a time.
 *
 * Device memory lives in this process: a device address is the host address of the byte. All of it comes from one
 * range reserved at a fixed address, so addresses, and with them all results, are the same in every run. Shared and
 * local memory are windows at addresses no host can have, so generic pointers resolve without a lookup.
 */
#ifndef WEIR_EMU_EMU_H
#define WEIR_EMU_EMU_H

#include "base/err.h"
#include "ptx/ir.h"
#include "trace/kernel.h"
#include "trace/stream.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define EMU_HEAP_BASE     0x200000000000ull     /* device heap: cudaMalloc, managed, pinned, module variables */
#define EMU_SHARED_WINDOW 0x0100000000000000ull /* generic address of shared byte 0 */
#define EMU_LOCAL_WINDOW  0x0200000000000000ull /* generic address of a thread's local byte 0 */
#define EMU_CONST_WINDOW  0x0300000000000000ull /* generic address of constant-bank byte 0 (cvta.const) */
#define EMU_PARAM_WINDOW  0x0400000000000000ull /* generic address of kernel-parameter byte 0 (cvta.param) */
#define EMU_FUNC_WINDOW   0x0500000000000000ull /* address of a function: window + 16 * index */
#define EMU_WINDOW_MASK   0xff00000000000000ull

struct emu;
struct emu_fault;
struct emu_watch;

struct emu_opts {
    uint64_t heap_bytes;     /* device memory that cudaMalloc can give; 0 = 16 GiB */
    uint64_t max_warp_insts; /* per launch; 0 = no limit (--max-insn) */
    uint64_t stack_bytes;    /* cudaLimitStackSize; 0 = 1024. Only kernels that recurse or call indirectly need it */
    uint64_t malloc_bytes;   /* device malloc heap, cudaLimitMallocHeapSize; 0 = 8 MiB */
    uint32_t sm_count;       /* resident CTAs for kernels that wait on each other, %nsmid; 0 = 16 */
    uint32_t ctas_per_sm;    /* 0 = 8 */
    uint32_t arch;           /* highest PTX target to run and what cudart reports: 90 */
    FILE *printf_out;        /* device printf; NULL = stdout */
    const struct emu_watch *watch;            /* watch.h; NULL = no observer */
    void (*remark)(const struct emu_fault *); /* receives what is not a fault; NULL = not wanted */
    uint64_t *progress;                       /* receives emu_stats.warp_insts after every CTA; NULL = not wanted */
};

struct emu *emu_new(const struct emu_opts *, struct err *);
void emu_free(struct emu *);
struct emu_opts *emu_options(struct emu *); /* limits may change between launches */

/* ---- memory ---- */
enum emu_mem_kind {
    EMU_MEM_DEVICE,     /* cudaMalloc */
    EMU_MEM_MANAGED,    /* cudaMallocManaged, __managed__ */
    EMU_MEM_PINNED,     /* cudaMallocHost */
    EMU_MEM_REGISTERED, /* cudaHostRegister: the program's own memory */
    EMU_MEM_MODULE,     /* .global and .const variables */
    EMU_MEM_ARRAY,      /* CUDA arrays behind textures and surfaces */
    EMU_MEM_HEAP,       /* device malloc */
    EMU_MEM_MAPPED,     /* cuMemMap */
};
struct emu_alloc {
    uint64_t addr, bytes;
    uint8_t kind;     /* enum emu_mem_kind */
    uint8_t freed;    /* in emu_mem_nearest: a freed allocation that used to be here */
    uint32_t serial;  /* 1, 2, ... in order of allocation */
    const char *name; /* module variables: their name; NULL otherwise */
};
/* Returns 0 and sets *addr (aligned to 512), or -1 when the heap is exhausted. The caller handles bytes == 0. */
int emu_mem_alloc(struct emu *, uint64_t bytes, enum emu_mem_kind, uint64_t *addr);
int emu_mem_register(struct emu *, void *host, uint64_t bytes); /* -1: overlaps something known */
/* Frees (or unregisters) the allocation that starts at addr; -1 when none does or its kind differs. */
int emu_mem_free(struct emu *, uint64_t addr, enum emu_mem_kind);
/* The live allocation holding [addr, addr + bytes), or NULL. */
const struct emu_alloc *emu_mem_find(const struct emu *, uint64_t addr, uint64_t bytes);
/* The allocation, live or freed, nearest to addr; for messages. NULL when there never was one. */
const struct emu_alloc *emu_mem_nearest(const struct emu *, uint64_t addr);
uint64_t emu_mem_free_bytes(const struct emu *);
/*
 * Virtual memory, whose pages the caller maps: addresses kept from other allocations, a multiple of EMU_MEM_GRAIN and of
 * the alignment, a power of two (0: there are none left), and given back by the block that they are in; a range of them becomes an allocation, and all that begin in a range end; device memory that
 * they use.
 */
#define EMU_MEM_GRAIN (2ull << 20)
struct emu_block {
    uint64_t addr, bytes;
};
uint64_t emu_mem_reserve(struct emu *, uint64_t bytes, uint64_t alignment, struct emu_block *);
void emu_mem_unreserve(struct emu *, const struct emu_block *);
void emu_mem_expose(struct emu *, uint64_t addr, uint64_t bytes);
void emu_mem_hide(struct emu *, uint64_t addr, uint64_t bytes);
bool emu_mem_charge(struct emu *, uint64_t bytes); /* false: there is not so much left */
void emu_mem_discharge(struct emu *, uint64_t bytes);
/* Whether a byte of the range is kept for device memory, allocated or not. */
bool emu_mem_is_reserved(const struct emu *, uint64_t addr, uint64_t bytes);

/* ---- modules ---- */
struct emu_module;
/*
 * Loads PTX modules as one unit: .extern names of one resolve to .visible ones of another (the linked case); a plain
 * program passes one. Takes ownership of the ptx_modules. Variables are placed and initialized. Unresolved names are
 * an error only when a kernel that needs them is launched.
 */
struct emu_module *emu_module_load(struct emu *, struct ptx_module **ptx, unsigned n, struct err *);
void emu_module_unload(struct emu *, struct emu_module *);
/* Module variable: address and size; -1 when there is none of that name. */
int emu_module_var(const struct emu_module *, const char *name, uint64_t *addr, uint64_t *bytes);

struct emu_kernel;
struct emu_kernel *emu_module_kernel(struct emu_module *, const char *name); /* NULL when absent */
/*
 * The same where several linked PTX modules may use a name, each for its own static variable or kernel: modules are
 * searched from number `first` on, the earlier ones last.
 */
int emu_module_var_from(const struct emu_module *, unsigned first, const char *name, uint64_t *addr, uint64_t *bytes);
struct emu_kernel *emu_module_kernel_from(struct emu_module *, unsigned first, const char *name);
struct emu_kernel_info {
    const char *name;
    uint32_t regs_per_thread;
    uint32_t smem_static_bytes, const_bytes, local_bytes_per_thread;
    uint32_t max_threads_per_cta; /* 0 = not bounded by the kernel */
    uint32_t cluster[3];          /* .reqnctapercluster; 0, 0, 0 = none */
    uint32_t threads[3];          /* .reqntid, likewise */
    bool blocks_are_clusters;     /* a program's launches count clusters */
    uint32_t n_param;
    uint32_t ptx_version, binary_version; /* 10 * major + minor: 90, 75 ... */
};
/* Analyses the kernel on first use; fails when its code cannot be analyzed. */
int emu_kernel_info(struct emu_kernel *, struct emu_kernel_info *, struct err *);
/* Offset and size of parameter i in the parameter block. */
int emu_kernel_param(struct emu_kernel *, uint32_t i, uint32_t *offset, uint32_t *bytes);
uint32_t emu_kernel_param_bytes(struct emu_kernel *);
/* Static table for the machine; built on first use, lives as long as the module. */
const struct trace_kernel *emu_kernel_trace(struct emu_kernel *, struct err *);

/* True for a function that device code may call and that the emulator itself serves: vprintf, malloc, ... */
bool emu_has_builtin(const char *function);

/* ---- launches ---- */
enum emu_fault_kind {
    EMU_FAULT_NONE,
    EMU_FAULT_UNSUPPORTED,     /* the kernel contains an instruction or a name weir cannot run */
    EMU_FAULT_ILLEGAL_ADDRESS, /* out of bounds, freed or never allocated */
    EMU_FAULT_MISALIGNED,
    EMU_FAULT_BARRIER,             /* a barrier that can never complete */
    EMU_FAULT_RUNAWAY,             /* --max-insn reached */
    EMU_FAULT_DEADLOCK,            /* every warp waits */
    EMU_FAULT_TRAP,                /* trap instruction */
    EMU_FAULT_ASSERT,              /* device-side assert */
    EMU_FAULT_STACK,               /* local memory or call depth exhausted */
    EMU_FAULT_ILLEGAL_INSTRUCTION, /* e.g. call through a bad function pointer, bad texture handle */
    EMU_FAULT_UNDEFINED,           /* not a fault: only luck makes it work on a GPU */
    EMU_FAULT_POLLING,             /* not a fault: it may wait for what cannot come */
    EMU_FAULT_SINK,                /* the stream sink refused: its own error tells */
};
struct emu_fault {
    uint8_t kind;     /* enum emu_fault_kind */
    char kernel[256]; /* demangled when possible */
    char ptx_file[128];
    uint32_t ptx_line, ptx_col;
    char src_file[256]; /* "" = no line info */
    uint32_t src_line;
    bool has_thread;
    uint32_t cta[3], thread[3];
    char inst[96];  /* text of the instruction */
    char text[768]; /* one sentence: what happened, address, nearest allocation */
};
/* Prints a fault as weir reports it (several lines, each starting "weir: "). */
void emu_fault_print(const struct emu_fault *, FILE *);

struct emu_launch {
    uint32_t grid[3], block[3];
    uint32_t smem_dynamic_bytes;
    uint32_t stream;
    bool cooperative;
    uint32_t cluster[3]; /* CTAs of a cluster; 0, 0, 0: as the kernel declares, else one */
    const void *params;  /* the whole parameter block, emu_kernel_param_bytes long */
};
struct emu_stats { /* of all launches so far */
    uint64_t launches, ctas, warp_insts, thread_insts;
    uint64_t mixed_space_accesses; /* generic accesses whose lanes went to several spaces */
};
/*
 * Runs the launch to its end. Returns 0; or -1 with *fault filled. A kernel with an unsupported instruction fails
 * before its first instruction. `sink` may be NULL. Child launches (dynamic parallelism) run after their parent, as
 * launches of their own.
 */
int emu_launch(struct emu *, struct emu_kernel *, const struct emu_launch *, const struct stream_sink *sink,
               struct emu_fault *fault);
const struct emu_stats *emu_get_stats(const struct emu *);

/* ---- textures and surfaces: see tex.h ---- */

#endif
