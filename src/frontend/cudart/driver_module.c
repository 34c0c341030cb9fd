/*
 * Modules, libraries, kernels and functions of the driver API. A CUmodule is a CUlibrary is a cudaLibrary_t, and a
 * CUfunction a CUkernel: each is the runtime's record. So what was loaded by one API launches by the other.
 */
#include "base/infile.h"
#include "cudart/driver.h"

cudaError_t cudaLibraryUnload(cudaLibrary_t);
cudaError_t cudaLibraryGetKernel(cudaKernel_t *, cudaLibrary_t, const char *);
cudaError_t cudaLibraryGetGlobal(void **, size_t *, cudaLibrary_t, const char *);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *, const void *);
cudaError_t cudaFuncSetAttribute(const void *, enum cudaFuncAttribute, int);
cudaError_t cudaFuncSetCacheConfig(const void *, int);
cudaError_t cudaFuncSetSharedMemConfig(const void *, int);
cudaError_t cudaFuncGetName(const char **, const void *);
cudaError_t cudaFuncGetParamInfo(const void *, size_t, size_t *, size_t *);
cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t, void *);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *, const void *, int, size_t, unsigned);
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *, const void *, int, int);
cudaError_t cudaOccupancyMaxPotentialClusterSize(int *, const void *, const cudaLaunchConfig_t *);
cudaError_t cudaOccupancyMaxActiveClusters(int *, const void *, const cudaLaunchConfig_t *);

/* ---- what the JIT has to say ---- */
struct jit_log driver_jit_log(unsigned n, const CUjit_option *options, void **values)
{
    struct jit_log log = {0};
    for (unsigned i = 0; options && values && i < n; i++)
        switch (options[i]) {
        case CU_JIT_INFO_LOG_BUFFER:
            log.info = values[i];
            break;
        case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES: /* in: the buffer's size; out: what was written */
            log.info_bytes = (size_t)(uintptr_t)values[i];
            log.info_size = &values[i];
            break;
        case CU_JIT_ERROR_LOG_BUFFER:
            log.error = values[i];
            break;
        case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
            log.error_bytes = (size_t)(uintptr_t)values[i];
            log.error_size = &values[i];
            break;
        case CU_JIT_WALL_TIME:
            memset(&values[i], 0, sizeof(float));
            break;
        default: /* how machine code is made and kept: there is none */
            break;
        }
    return log;
}

void driver_jit_say(const struct jit_log *log, const struct err *why)
{
    size_t n = 0;
    if (log->info && log->info_bytes)
        *log->info = '\0';
    if (log->info_size)
        *log->info_size = NULL;
    if (log->error && log->error_bytes) {
        const int want = why ? snprintf(log->error, log->error_bytes, "%s\n", why->msg) : (*log->error = '\0', 0);
        n = (size_t)want < log->error_bytes ? (size_t)want : log->error_bytes - 1;
    }
    if (log->error_size)
        *log->error_size = PTR(n);
}

/* ---- loading ---- */
static CUresult load(struct rt_module **out, char *code, size_t bytes, const struct jit_log *log)
{
    struct err why;
    err_clear(&why);
    const cudaError_t e = library_open(out, code, bytes, &why);
    driver_jit_say(log, e ? &why : NULL);
    return driver_result(e);
}

static CUresult load_data(struct rt_module **out, const void *image, unsigned n, const CUjit_option *options,
                          void **values)
{
    CUresult r = driver_enter();
    if (!r && (!out || !image))
        r = CUDA_ERROR_INVALID_VALUE;
    if (!r) {
        const struct jit_log log = driver_jit_log(n, options, values);
        size_t bytes;
        char *code = library_copy(image, &bytes);
        r = load(out, code, bytes, &log);
    }
    return driver_leave(r);
}

static CUresult load_file(struct rt_module **out, const char *path, unsigned n, const CUjit_option *options,
                          void **values)
{
    CUresult r = driver_enter();
    if (!r && (!out || !path))
        r = CUDA_ERROR_INVALID_VALUE;
    if (!r) {
        const struct jit_log log = driver_jit_log(n, options, values);
        size_t bytes;
        char *code = infile_bytes(path, &bytes);
        r = code ? load(out, code, bytes, &log) : CUDA_ERROR_FILE_NOT_FOUND;
    }
    return driver_leave(r);
}

API CUresult cuModuleLoad(CUmodule *module, const char *path)
{
    return load_file(module, path, 0, NULL, NULL);
}

API CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    return load_data(module, image, 0, NULL, NULL);
}

API CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned n, CUjit_option *options, void **values)
{
    return load_data(module, image, n, options, values);
}

API CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image)
{
    return load_data(module, image, 0, NULL, NULL);
}

/* Libraries are loaded for no context in particular, but nothing here depends on that. */
API CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *options, void **values, unsigned n,
                               CUlibraryOption *library_options, void **library_values, unsigned n_library)
{
    (void)library_options, (void)library_values, (void)n_library;
    return load_data(library, code, n, options, values);
}

API CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *path, CUjit_option *options, void **values,
                                   unsigned n, CUlibraryOption *library_options, void **library_values,
                                   unsigned n_library)
{
    (void)library_options, (void)library_values, (void)n_library;
    return load_file(library, path, n, options, values);
}

SAME(cuModuleUnload, (CUmodule m), cudaLibraryUnload(m))
SAME(cuLibraryUnload, (CUlibrary l), cudaLibraryUnload(l))

/* ---- what is in them ---- */
SAME(cuModuleGetFunction, (CUfunction * f, CUmodule m, const char *name), cudaLibraryGetKernel(f, m, name))
SAME(cuLibraryGetKernel, (CUkernel * k, CUlibrary l, const char *name), cudaLibraryGetKernel((CUfunction *)k, l, name))
SAME(cuModuleGetGlobal_v2, (CUdeviceptr * p, size_t *n, CUmodule m, const char *name),
     cudaLibraryGetGlobal((void **)p, n, m, name))
SAME(cuLibraryGetGlobal, (CUdeviceptr * p, size_t *n, CUlibrary l, const char *name),
     cudaLibraryGetGlobal((void **)p, n, l, name))
SAME(cuLibraryGetManaged, (CUdeviceptr * p, size_t *n, CUlibrary l, const char *name),
     cudaLibraryGetGlobal((void **)p, n, l, name))

/* A handle that stands for another one's record: checked, then handed on. */
#define HANDLE_OF(function, out_type, in_type, lookup)                                                                 \
    API CUresult function(out_type *out, in_type in)                                                                   \
    {                                                                                                                  \
        CUresult r = driver_enter();                                                                                   \
        if (!r)                                                                                                        \
            r = !out ? CUDA_ERROR_INVALID_VALUE : (lookup) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;                 \
        if (!r)                                                                                                        \
            *out = (lookup);                                                                                           \
        return driver_leave(r);                                                                                        \
    }
static struct rt_func *find_func(const struct rt_func *f)
{
    return ptrmap_get(&rt.handle, f, RT_FUNC);
}
HANDLE_OF(cuLibraryGetModule, CUmodule, CUlibrary, library_find(in))
HANDLE_OF(cuKernelGetFunction, CUfunction, CUkernel, find_func(in))
HANDLE_OF(cuFuncGetModule, CUmodule, CUfunction, find_func(in) ? find_func(in)->module : NULL)

/* ---- attributes ---- */
API CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function)
{
    struct cudaFuncAttributes a;
    CUresult r = value && attribute >= 0 && attribute < CU_FUNC_ATTRIBUTE_MAX
                     ? DRIVER_CALL(driver_ready(), cudaFuncGetAttributes(&a, function))
                     : CUDA_ERROR_INVALID_VALUE;
    if (r)
        return r;
    const int all[CU_FUNC_ATTRIBUTE_MAX] = {
        [CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK] = a.maxThreadsPerBlock,
        [CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES] = (int)a.sharedSizeBytes,
        [CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES] = (int)a.constSizeBytes,
        [CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES] = (int)a.localSizeBytes,
        [CU_FUNC_ATTRIBUTE_NUM_REGS] = a.numRegs,
        [CU_FUNC_ATTRIBUTE_PTX_VERSION] = a.ptxVersion,
        [CU_FUNC_ATTRIBUTE_BINARY_VERSION] = a.binaryVersion,
        [CU_FUNC_ATTRIBUTE_CACHE_MODE_CA] = a.cacheModeCA,
        [CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES] = a.maxDynamicSharedSizeBytes,
        [CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT] = a.preferredShmemCarveout,
        [CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET] = a.clusterDimMustBeSet,
        [CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH] = a.requiredClusterWidth,
        [CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT] = a.requiredClusterHeight,
        [CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH] = a.requiredClusterDepth,
        [CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED] = a.nonPortableClusterSizeAllowed,
        [CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE] = a.clusterSchedulingPolicyPreference,
    };
    *value = all[attribute];
    return CUDA_SUCCESS;
}

API CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel, CUdevice device)
{
    return device ? CUDA_ERROR_INVALID_DEVICE : cuFuncGetAttribute(value, attribute, (CUfunction)kernel);
}

SAME(cuFuncSetAttribute, (CUfunction f, CUfunction_attribute a, int value),
     cudaFuncSetAttribute(f, (enum cudaFuncAttribute)a, value))
SAME(cuKernelSetAttribute, (CUfunction_attribute a, int value, CUkernel k, CUdevice device),
     device ? cudaErrorInvalidDevice : cudaFuncSetAttribute(k, (enum cudaFuncAttribute)a, value))
SAME(cuFuncSetCacheConfig, (CUfunction f, CUfunc_cache c), cudaFuncSetCacheConfig(f, (int)c))
SAME(cuKernelSetCacheConfig, (CUkernel k, CUfunc_cache c, CUdevice device),
     device ? cudaErrorInvalidDevice : cudaFuncSetCacheConfig(k, (int)c))
SAME(cuFuncSetSharedMemConfig, (CUfunction f, CUsharedconfig c), cudaFuncSetSharedMemConfig(f, (int)c))
SAME(cuFuncGetName, (const char **name, CUfunction f), cudaFuncGetName(name, f))
SAME(cuKernelGetName, (const char **name, CUkernel k), cudaFuncGetName(name, k))
SAME(cuFuncGetParamInfo, (CUfunction f, size_t i, size_t *offset, size_t *n), cudaFuncGetParamInfo(f, i, offset, n))
SAME(cuKernelGetParamInfo, (CUkernel k, size_t i, size_t *offset, size_t *n), cudaFuncGetParamInfo(k, i, offset, n))

/* ---- launches ---- */
SAME(cuLaunchKernel,
     (CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned smem,
      CUstream s, void **params, void **extra),
     kernel_launch(f, (dim3){gx, gy, gz}, (dim3){bx, by, bz}, params, extra, smem, s, &(struct launch_attributes){0}))
SAME(cuLaunchCooperativeKernel,
     (CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned smem,
      CUstream s, void **params),
     kernel_launch(f, (dim3){gx, gy, gz}, (dim3){bx, by, bz}, params, NULL, smem, s,
                   &(struct launch_attributes){.cooperative = true}))
SAME(cuLaunchHostFunc, (CUstream s, CUhostFn fn, void *user), cudaLaunchHostFunc(s, fn, user))

static cudaLaunchConfig_t config_of(const CUlaunchConfig *c)
{
    return (cudaLaunchConfig_t){.gridDim = {c->gridDimX, c->gridDimY, c->gridDimZ},
                                .blockDim = {c->blockDimX, c->blockDimY, c->blockDimZ},
                                .dynamicSmemBytes = c->sharedMemBytes,
                                .stream = c->hStream,
                                .attrs = (cudaLaunchAttribute *)c->attrs, /* which calls the value `val` */
                                .numAttrs = c->numAttrs};
}

#define WITH_CONFIG(function, parameters, call)                                                                        \
    API CUresult function parameters                                                                                   \
    {                                                                                                                  \
        if (!config)                                                                                                   \
            return CUDA_ERROR_INVALID_VALUE;                                                                           \
        const cudaLaunchConfig_t c = config_of(config);                                                                \
        return DRIVER_CALL(driver_ready(), call);                                                                      \
    }
WITH_CONFIG(cuLaunchKernelEx, (const CUlaunchConfig *config, CUfunction f, void **params, void **extra),
            kernel_launch_config(&c, f, params, extra))
WITH_CONFIG(cuOccupancyMaxPotentialClusterSize, (int *n, CUfunction f, const CUlaunchConfig *config),
            cudaOccupancyMaxPotentialClusterSize(n, f, &c))
WITH_CONFIG(cuOccupancyMaxActiveClusters, (int *n, CUfunction f, const CUlaunchConfig *config),
            cudaOccupancyMaxActiveClusters(n, f, &c))

/* ---- occupancy ---- */
SAME(cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *n, CUfunction f, int threads, size_t smem),
     cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(n, f, threads, smem, 0))
SAME(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
     (int *n, CUfunction f, int threads, size_t smem, unsigned flags),
     cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(n, f, threads, smem, flags))
SAME(cuOccupancyAvailableDynamicSMemPerBlock, (size_t * n, CUfunction f, int ctas, int threads),
     cudaOccupancyAvailableDynamicSMemPerBlock(n, f, ctas, threads))

/* The CTA size, in whole warps, with which most threads are resident; the larger one of equals. */
API CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *min_grid, int *threads, CUfunction function,
                                                       CUoccupancyB2DSize shared_of, size_t shared_bytes, int limit,
                                                       unsigned flags)
{
    int most, n, best = 0, sms = 0;
    CUresult r = min_grid && threads ? cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function)
                                     : CUDA_ERROR_INVALID_VALUE;
    if (!r)
        r = cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0);
    if (!r && limit > 0 && limit < most)
        most = limit;
    for (int t = (most + 31) / 32 * 32; !r && t > 0; t -= 32) {
        const int used = t < most ? t : most;
        r = cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&n, function, used,
                                                                 shared_of ? shared_of(used) : shared_bytes, flags);
        if (!r && n * used > best) {
            best = n * used;
            *threads = used;
            *min_grid = n * sms;
        }
    }
    return r;
}

API CUresult cuOccupancyMaxPotentialBlockSize(int *min_grid, int *threads, CUfunction function,
                                              CUoccupancyB2DSize shared_of, size_t shared_bytes, int limit)
{
    return cuOccupancyMaxPotentialBlockSizeWithFlags(min_grid, threads, function, shared_of, shared_bytes, limit, 0);
}
