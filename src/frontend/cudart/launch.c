/*
 * Kernels: launches, their validation, and function attributes.
 *
 * A launch runs to its end before the call returns. A device fault is said at once and stays with the context, but it is the
 * next call that returns it, as on a GPU, which has not begun the kernel yet; with CUDA_LAUNCH_BLOCKING=1 it is the launch.
 */
#include "cudart/runtime.h"

#include "base/clock.h"
#include "base/demangle.h"

/* ---- building the operation ---- */

/* What cuLaunchKernel's `extra` holds: a packed parameter block. */
enum { EXTRA_END = 0, EXTRA_POINTER = 1, EXTRA_SIZE = 2 };

static cudaError_t copy_params(struct rt_op *op, void **args, void **extra)
{
    struct emu_kernel *k = op->kernel.func->kernel;
    const uint32_t n = op->kernel.func->info.n_param, bytes = emu_kernel_param_bytes(k);
    op->kernel.params = xcalloc(1, bytes + 1);
    op->kernel.arg = xcalloc(n + 1, sizeof(void *));
    const uint8_t *packed = NULL;
    size_t packed_bytes = 0;
    for (void **x = extra; x && !args && *x != (void *)EXTRA_END; x += 2) {
        if (*x == (void *)EXTRA_POINTER)
            packed = x[1];
        else if (*x == (void *)EXTRA_SIZE && x[1])
            packed_bytes = *(size_t *)x[1];
        else
            return cudaErrorInvalidValue;
    }
    if (packed)
        memcpy(op->kernel.params, packed, packed_bytes < bytes ? packed_bytes : bytes);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t offset, size;
        emu_kernel_param(k, i, &offset, &size);
        op->kernel.arg[i] = op->kernel.params + offset;
        if (packed)
            continue;
        if (!args || !args[i])
            return cudaErrorInvalidValue;
        memcpy(op->kernel.params + offset, args[i], size);
    }
    return cudaSuccess;
}

/* The limits that a launch must keep. CUDA 13 calls every impossible shape an invalid value, where
 * older runtimes said invalid configuration: measured (tests/diff/cudart_semantics.expected). */
static cudaError_t check(const struct rt_op *op)
{
    const struct rt_func *f = op->kernel.func;
    const struct device_props *p = &rt.props;
    const dim3 g = op->kernel.grid, b = op->kernel.block;
    if (!g.x || !g.y || !g.z || !b.x || !b.y || !b.z)
        return cudaErrorInvalidValue;
    if (g.x > INT32_MAX || g.y > 65535 || g.z > 65535)
        return cudaErrorInvalidValue;
    const uint64_t threads = (uint64_t)b.x * b.y * b.z;
    if (b.x > p->max_threads_per_block || b.y > p->max_threads_per_block || b.z > 64 ||
        threads > p->max_threads_per_block)
        return cudaErrorInvalidValue;
    if (f->info.max_threads_per_cta && threads > f->info.max_threads_per_cta)
        return cudaErrorInvalidValue;
    const uint64_t dynamic_limit = f->max_dynamic_smem >= 0 ? (uint64_t)f->max_dynamic_smem
                                   : p->smem_per_block > f->info.smem_static_bytes
                                       ? p->smem_per_block - f->info.smem_static_bytes
                                       : 0;
    if (op->kernel.smem_bytes > dynamic_limit)
        return cudaErrorInvalidValue;
    const uint64_t smem = op->kernel.smem_bytes + f->info.smem_static_bytes;
    const uint32_t fit = device_occupancy(p, (uint32_t)threads, f->info.regs_per_thread, smem, NULL);
    if (!fit)
        return cudaErrorLaunchOutOfResources;
    if (op->kernel.cooperative && (uint64_t)g.x * g.y * g.z > (uint64_t)fit * p->sm_count)
        return cudaErrorCooperativeLaunchTooLarge;
    uint32_t c[3];
    const cudaError_t e = cluster_of(f, op->kernel.cluster, c);
    if (!e && (g.x % c[0] || g.y % c[1] || g.z % c[2] || !device_clusters(p, fit, c[0] * c[1] * c[2])))
        return cudaErrorInvalidClusterSize;
    return e;
}

enum { CLUSTER_PORTABLE = 8, CLUSTER_MAX = 16 };

cudaError_t cluster_of(const struct rt_func *f, dim3 asked, uint32_t out[3])
{
    const uint32_t *own = f->info.cluster, want[3] = {asked.x, asked.y, asked.z};
    const bool asks = asked.x || asked.y || asked.z;
    for (unsigned d = 0; d < 3; d++) {
        out[d] = asks ? want[d] : own[0] ? own[d] : 1;
        if (!out[d] || out[d] > CLUSTER_MAX || (asks && own[0] && want[d] != own[d]))
            return cudaErrorInvalidClusterSize;
    }
    const uint32_t n = out[0] * out[1] * out[2];
    return n > (f->non_portable ? CLUSTER_MAX : CLUSTER_PORTABLE) ? cudaErrorInvalidClusterSize : cudaSuccess;
}

/* A product that no grid has where it does not fit. */
static uint32_t times(uint32_t a, uint32_t b)
{
    uint32_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT32_MAX : product;
}

cudaError_t kernel_op(struct rt_op *op, const void *func, dim3 grid, dim3 block, void **args, void **extra, size_t smem,
                      const struct launch_attributes *a)
{
    *op = (struct rt_op){.kind = OP_KERNEL};
    cudaError_t e = func_find(func, &op->kernel.func);
    if (e)
        return e;
    const struct emu_kernel_info *info = &op->kernel.func->info;
    if (info->blocks_are_clusters) { /* __block_size__: the launch counts clusters, and the kernel knows its threads */
        grid =
            (dim3){times(grid.x, info->cluster[0]), times(grid.y, info->cluster[1]), times(grid.z, info->cluster[2])};
        block = (dim3){info->threads[0], info->threads[1], info->threads[2]};
    }
    op->kernel.grid = grid;
    op->kernel.block = block;
    op->kernel.smem_bytes = smem;
    op->kernel.cooperative = a->cooperative;
    op->kernel.early = a->early;
    op->kernel.cluster = a->cluster;
    e = check(op);
    return e ? e : copy_params(op, args, extra);
}

/* ---- running it ---- */

static cudaError_t fault_code(enum emu_fault_kind kind)
{
    switch (kind) {
    case EMU_FAULT_ILLEGAL_ADDRESS:
        return cudaErrorIllegalAddress;
    case EMU_FAULT_MISALIGNED:
        return cudaErrorMisalignedAddress;
    case EMU_FAULT_RUNAWAY:
    case EMU_FAULT_DEADLOCK:
        return cudaErrorLaunchTimeout;
    case EMU_FAULT_ASSERT:
        return cudaErrorAssert;
    case EMU_FAULT_STACK:
        return cudaErrorHardwareStackError;
    case EMU_FAULT_ILLEGAL_INSTRUCTION:
        return cudaErrorIllegalInstruction;
    case EMU_FAULT_UNSUPPORTED:
        return cudaErrorNotSupported;
    case EMU_FAULT_SINK:
        return cudaErrorUnknown;
    default: /* a barrier that cannot complete, a trap */
        return cudaErrorLaunchFailure;
    }
}

/* The kernel's line in the report; kernels beyond the table share its last line. */
static struct report_kernel *stats_of(struct rt_func *f)
{
    struct report_slot *s = rt.slot;
    if (!f->stats && s->n_kernel == REPORT_KERNELS) {
        f->stats = &s->kernel[REPORT_KERNELS - 1];
        snprintf(f->stats->name, REPORT_NAME_BYTES, "(all others)");
    }
    if (!f->stats) {
        f->stats = &s->kernel[s->n_kernel];
        demangle_short(f->name, f->stats->name, REPORT_NAME_BYTES);
        s->n_kernel++;
    }
    return f->stats;
}

/*
 * Without a timing model a launch takes a fixed time, plus one cycle for each warp instruction of an SM when all SMs
 * share them evenly.
 */
enum { LAUNCH_PS = 2000000 };

static void account(struct rt_func *f, const struct emu_stats *before, uint64_t ns)
{
    const struct emu_stats *now = emu_get_stats(rt.emu);
    const uint64_t insts = now->warp_insts - before->warp_insts;
    struct report_kernel *k = stats_of(f);
    struct report_slot *s = rt.slot;
    k->launches++;
    k->ctas += now->ctas - before->ctas;
    k->warp_insts += insts;
    k->host_ns += ns;
    s->launches = now->launches;
    s->ctas = now->ctas;
    s->warp_insts = now->warp_insts;
    s->thread_insts = now->thread_insts;
    s->host_ns += ns;
    if (timing_on())
        return;
    const uint64_t cycles = (insts + rt.props.sm_count - 1) / rt.props.sm_count;
    rt_advance_ps(LAUNCH_PS + cycles * 1000000000u / rt.props.clock_khz);
}

cudaError_t kernel_run(const struct rt_op *op, uint32_t stream_id)
{
    struct rt_func *f = op->kernel.func;
    const struct emu_launch launch = {
        .grid = {op->kernel.grid.x, op->kernel.grid.y, op->kernel.grid.z},
        .block = {op->kernel.block.x, op->kernel.block.y, op->kernel.block.z},
        .smem_dynamic_bytes = (uint32_t)op->kernel.smem_bytes,
        .stream = stream_id,
        .cooperative = op->kernel.cooperative,
        .cluster = {op->kernel.cluster.x, op->kernel.cluster.y, op->kernel.cluster.z},
        .params = op->kernel.params,
    };
    struct emu_fault fault = {0};
    const struct emu_stats before = *emu_get_stats(rt.emu);
    const uint64_t start = clock_ns();
    int bad = emu_launch(rt.emu, f->kernel, &launch, rt.sink, &fault);
    account(f, &before, clock_ns() - start);
    if (!bad)
        return cudaSuccess;
    if (fault.kind == EMU_FAULT_SINK)
        timing_on_sink_error();
    fflush(stdout);
    if (rt.check && fault.kind != EMU_FAULT_SINK)
        check_fault(rt.check, &fault);
    else if (fault.kind != EMU_FAULT_SINK || !timing_on()) /* the machine has its own words for it, at the end */
        emu_fault_print(&fault, stderr);
    if (fault.kind != EMU_FAULT_SINK) {
        rt.faulted = true;
        timing_abandon_kernel();
    }
    return rt_poison(fault_code(fault.kind));
}

/* ---- API ---- */
static const struct launch_attributes plain, cooperative = {.cooperative = true};

static bool is_blocking(void)
{
    const char *asked = getenv("CUDA_LAUNCH_BLOCKING");
    return asked && !strcmp(asked, "1");
}

cudaError_t kernel_launch(const void *func, dim3 grid, dim3 block, void **args, void **extra, size_t smem,
                          cudaStream_t stream, const struct launch_attributes *a)
{
    struct rt_op op = {0};
    cudaError_t e = rt_enter();
    if (!e)
        e = kernel_op(&op, func, grid, block, args, extra, smem, a);
    if (!e) {
        e = op_submit(stream, &op);
        if (e && rt.faulted && !is_blocking()) {
            rt_thread.last_error = e;
            e = cudaSuccess;
        }
    }
    op_release(&op);
    return rt_leave(e);
}

API cudaError_t cudaLaunchKernel(const void *func, dim3 grid, dim3 block, void **args, size_t smem, cudaStream_t stream)
{
    return kernel_launch(func, grid, block, args, NULL, smem, stream, &plain);
}

API cudaError_t __cudaLaunchKernel(cudaKernel_t func, dim3 grid, dim3 block, void **args, size_t smem,
                                   cudaStream_t stream)
{
    return kernel_launch(func, grid, block, args, NULL, smem, stream, &plain);
}

API cudaError_t cudaLaunchCooperativeKernel(const void *func, dim3 grid, dim3 block, void **args, size_t smem,
                                            cudaStream_t stream)
{
    return kernel_launch(func, grid, block, args, NULL, smem, stream, &cooperative);
}

cudaError_t kernel_launch_config(const cudaLaunchConfig_t *c, const void *func, void **args, void **extra)
{
    if (!c || (c->numAttrs && !c->attrs)) {
        rt_enter();
        return rt_leave(cudaErrorInvalidValue);
    }
    struct launch_attributes a = plain;
    for (unsigned i = 0; i < c->numAttrs; i++) {
        const union cudaLaunchAttributeValue *v = &c->attrs[i].val;
        if (c->attrs[i].id == cudaLaunchAttributeCooperative)
            a.cooperative = v->cooperative != 0;
        if (c->attrs[i].id == cudaLaunchAttributeClusterDimension)
            a.cluster = (dim3){v->clusterDim.x, v->clusterDim.y, v->clusterDim.z};
        if (c->attrs[i].id == cudaLaunchAttributeProgrammaticStreamSerialization)
            a.early = v->programmaticStreamSerializationAllowed != 0;
    }
    return kernel_launch(func, c->gridDim, c->blockDim, args, extra, c->dynamicSmemBytes, c->stream, &a);
}

API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *func, void **args)
{
    return kernel_launch_config(c, func, args, NULL);
}

API cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *out, const void *func)
{
    struct rt_func *f;
    cudaError_t e = rt_enter();
    if (!e)
        e = out ? func_find(func, &f) : cudaErrorInvalidValue;
    if (!e) {
        const struct emu_kernel_info *k = &f->info;
        const uint32_t regs = k->regs_per_thread ? k->regs_per_thread : 1;
        uint32_t by_regs = rt.props.regs_per_block / (regs * 32) * 32;
        uint32_t threads = rt.props.max_threads_per_block;
        if (k->max_threads_per_cta && k->max_threads_per_cta < threads)
            threads = k->max_threads_per_cta;
        const int dynamic = (int)rt.props.smem_per_block - (int)k->smem_static_bytes;
        *out = (struct cudaFuncAttributes){
            .sharedSizeBytes = k->smem_static_bytes,
            .constSizeBytes = k->const_bytes,
            .localSizeBytes = k->local_bytes_per_thread,
            .maxThreadsPerBlock = (int)(threads < by_regs ? threads : by_regs),
            .numRegs = (int)k->regs_per_thread,
            .ptxVersion = (int)k->ptx_version,
            .binaryVersion = (int)k->binary_version,
            .maxDynamicSharedSizeBytes = f->max_dynamic_smem >= 0 ? f->max_dynamic_smem : dynamic,
            .preferredShmemCarveout = f->carveout,
            .clusterDimMustBeSet = k->cluster[0] != 0,
            .requiredClusterWidth = (int)k->cluster[0],
            .requiredClusterHeight = (int)k->cluster[1],
            .requiredClusterDepth = (int)k->cluster[2],
            .nonPortableClusterSizeAllowed = f->non_portable,
        };
    }
    return rt_leave(e);
}

static cudaError_t set_attribute(const void *func, enum cudaFuncAttribute attr, int value)
{
    struct rt_func *f;
    cudaError_t e = rt_enter();
    if (!e)
        e = func_find(func, &f);
    if (!e) {
        switch (attr) {
        case cudaFuncAttributeMaxDynamicSharedMemorySize:
            if (value < 0 || (uint64_t)value + f->info.smem_static_bytes > rt.props.smem_per_block_optin)
                e = cudaErrorInvalidValue;
            else
                f->max_dynamic_smem = value;
            break;
        case cudaFuncAttributePreferredSharedMemoryCarveout:
            if (value < -1 || value > 100)
                e = cudaErrorInvalidValue;
            else
                f->carveout = value;
            break;
        case cudaFuncAttributeNonPortableClusterSizeAllowed:
            f->non_portable = value != 0;
            break;
        default: /* other clusters than the kernel declares are asked for at the launch; hints about their placement */
            if (attr < cudaFuncAttributeMaxDynamicSharedMemorySize ||
                attr > cudaFuncAttributeClusterSchedulingPolicyPreference)
                e = cudaErrorInvalidValue;
        }
    }
    return rt_leave(e);
}

API cudaError_t cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value)
{
    return set_attribute(func, attr, value);
}

API cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attr, int value, int device)
{
    if (device) {
        rt_enter_any();
        return rt_leave(cudaErrorInvalidDevice);
    }
    return set_attribute(kernel, attr, value);
}

API cudaError_t cudaFuncSetCacheConfig(const void *func, int config)
{
    struct rt_func *f;
    cudaError_t e = rt_enter();
    if (!e)
        e = func_find(func, &f);
    if (!e && (config < 0 || config > 3))
        e = cudaErrorInvalidValue;
    if (!e)
        f->cache_config = config;
    return rt_leave(e);
}

API cudaError_t cudaFuncSetSharedMemConfig(const void *func, int config)
{
    struct rt_func *f;
    cudaError_t e = rt_enter();
    if (!e)
        e = func_find(func, &f);
    if (!e && (config < 0 || config > 2))
        e = cudaErrorInvalidValue;
    return rt_leave(e);
}

API cudaError_t cudaFuncGetName(const char **out, const void *func)
{
    struct rt_func *f;
    cudaError_t e = rt_enter();
    if (!e)
        e = out ? func_find(func, &f) : cudaErrorInvalidValue;
    if (!e)
        *out = f->name;
    return rt_leave(e);
}

API cudaError_t cudaFuncGetParamInfo(const void *func, size_t index, size_t *offset, size_t *bytes)
{
    struct rt_func *f;
    uint32_t at, n;
    cudaError_t e = rt_enter();
    if (!e)
        e = func_find(func, &f);
    if (!e && (index >= f->info.n_param || emu_kernel_param(f->kernel, (uint32_t)index, &at, &n)))
        e = cudaErrorInvalidValue;
    if (!e && offset)
        *offset = at;
    if (!e && bytes)
        *bytes = n;
    return rt_leave(e);
}

static cudaError_t get_kernel(cudaKernel_t *out, const void *symbol)
{
    struct rt_func *f;
    cudaError_t e = rt_enter();
    if (!e)
        e = out ? func_find(symbol, &f) : cudaErrorInvalidValue;
    if (!e)
        *out = f;
    return rt_leave(e);
}

API cudaError_t cudaGetKernel(cudaKernel_t *out, const void *symbol)
{
    return get_kernel(out, symbol);
}

API cudaError_t cudaGetFuncBySymbol(cudaFunction_t *out, const void *symbol)
{
    return get_kernel(out, symbol);
}
