/*
 * The runtime as a compiler's output sees it: this program registers PTX by hand, as nvcc and clang do, and calls
 * libcudart.so.13 like any CUDA program. Sections that lose the device or change its state run in a child process.
 */
#include "cudart/abi.h"
#include "cudart/driver.h"
#include "cudart/fatbin.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
void __cudaRegisterManagedVar(void **, void **, char *, const char *, int, size_t, int, int);
char __cudaInitModule(void **);
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, cudaStream_t);
cudaError_t __cudaPopCallConfiguration(dim3 *, dim3 *, size_t *, void *);
cudaError_t __cudaGetKernel(cudaKernel_t *, const void *);
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void **, size_t, cudaStream_t);
cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t);
cudaError_t cudaMalloc(void **, size_t);
cudaError_t cudaFree(void *);
cudaError_t cudaMemcpy(void *, const void *, size_t, int);
cudaError_t cudaMemcpyToSymbol(const void *, const void *, size_t, size_t, int);
cudaError_t cudaMemcpyFromSymbol(void *, const void *, size_t, size_t, int);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char *cudaGetErrorName(int);
const char *cudaGetErrorString(int);
cudaError_t cudaEventCreate(cudaEvent_t *);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t);
cudaError_t cudaEventElapsedTime(float *, cudaEvent_t, cudaEvent_t);
cudaError_t cudaStreamCreate(cudaStream_t *);
cudaError_t cudaStreamBeginCapture(cudaStream_t, int);
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t *);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *, cudaGraph_t, unsigned long long);
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *, int);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *, const void *);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *, int, size_t);
cudaError_t cudaLibraryLoadData(cudaLibrary_t *, const void *, int *, void **, unsigned, int *, void **, unsigned);
cudaError_t cudaLibraryGetKernel(cudaKernel_t *, cudaLibrary_t, const char *);
cudaError_t cudaLibraryUnload(cudaLibrary_t);
cudaError_t cudaIpcGetMemHandle(void *, void *);

/* ---- the device code ---- */
#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"
static const char main_ptx[] = HEAD
    ".visible .global .align 4 .u32 counter = 41;\n"
    ".visible .const .align 4 .u32 factor[2] = {2, 3};\n"
    ".visible .global .attribute(.managed) .align 4 .u32 shared_value = 17;\n"
    /* p[i] = v * factor[1] for i < n; counts launches */
    ".visible .entry fill(.param .u64 p, .param .u32 v, .param .u32 n)\n"
    "{\n"
    "  .reg .pred %p<3>; .reg .b32 %r<10>; .reg .b64 %rd<5>;\n"
    "  ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [v]; ld.param.u32 %r2, [n];\n"
    "  mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x;\n"
    "  mad.lo.s32 %r6, %r3, %r4, %r5;\n"
    "  setp.ne.u32 %p2, %r6, 0;\n"
    "  @%p2 bra SKIP;\n"
    "  atom.global.add.u32 %r9, [counter], 1;\n"
    "SKIP:\n"
    "  setp.ge.u32 %p1, %r6, %r2;\n"
    "  @%p1 bra DONE;\n"
    "  ld.const.u32 %r7, [factor+4];\n"
    "  mul.lo.u32 %r8, %r1, %r7;\n"
    "  mul.wide.u32 %rd2, %r6, 4;\n"
    "  add.u64 %rd3, %rd1, %rd2;\n"
    "  st.global.u32 [%rd3], %r8;\n"
    "DONE:\n"
    "  ret;\n"
    "}\n"
    ".visible .entry touch()\n"
    "{\n"
    "  .reg .b32 %r<3>;\n"
    "  ld.global.u32 %r1, [shared_value]; add.u32 %r2, %r1, 1; st.global.u32 [shared_value], %r2;\n"
    "  ret;\n"
    "}\n";
static const char defines_ptx[] = HEAD ".visible .global .align 4 .u32 elsewhere = 1000;\n";
static const char needs_ptx[] = HEAD
    ".extern .global .align 4 .u32 elsewhere;\n"
    ".visible .entry read_elsewhere(.param .u64 p)\n"
    "{\n"
    "  .reg .b32 %r<2>; .reg .b64 %rd<2>;\n"
    "  ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [elsewhere]; st.global.u32 [%rd1], %r1;\n"
    "  ret;\n"
    "}\n";
static const char broken_ptx[] = HEAD ".visible .entry broken(\n";

/* What a compiler puts into the program: a wrapper, stubs whose addresses name kernels, shadows of variables. */
static struct fatbin_wrapper wrappers[8];
static char fill, touch, read_elsewhere, broken, cubin_only, never_registered;
static int counter, factor[2], elsewhere;
static unsigned *shared_value;
static void **main_module;

static void **register_module(int slot, const void *data)
{
    wrappers[slot] = (struct fatbin_wrapper){FATBIN_WRAPPER_MAGIC, 1, data, NULL};
    return __cudaRegisterFatBinary(&wrappers[slot]);
}

static void add_kernel(void **module, const char *stub, const char *name)
{
    __cudaRegisterFunction(module, stub, NULL, name, -1, NULL, NULL, NULL, NULL, NULL);
}

/* An empty-handed container: one entry with machine code. */
static uint8_t cubin_container[16 + 0x40 + 8];
static void make_cubin_container(void)
{
    const uint32_t magic = FATBIN_MAGIC, header = 0x40, arch = 86;
    const uint64_t entries = 0x48, payload = 8;
    memcpy(cubin_container, &magic, 4);
    cubin_container[4] = 1, cubin_container[6] = 16;
    memcpy(cubin_container + 8, &entries, 8);
    cubin_container[16] = FATBIN_CUBIN;
    memcpy(cubin_container + 16 + 4, &header, 4);
    memcpy(cubin_container + 16 + 8, &payload, 8);
    memcpy(cubin_container + 16 + 0x1c, &arch, 4);
}

__attribute__((constructor)) static void register_everything(void)
{
    main_module = register_module(0, main_ptx);
    add_kernel(main_module, &fill, "fill");
    add_kernel(main_module, &touch, "touch");
    __cudaRegisterVar(main_module, (char *)&counter, NULL, "counter", 0, 4, 0, 0);
    __cudaRegisterVar(main_module, (char *)factor, NULL, "factor", 0, 8, 1, 0);
    __cudaRegisterManagedVar(main_module, (void **)&shared_value, NULL, "shared_value", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(main_module);
    add_kernel(register_module(1, needs_ptx), &read_elsewhere, "read_elsewhere");
    __cudaRegisterVar(register_module(2, defines_ptx), (char *)&elsewhere, NULL, "elsewhere", 0, 4, 0, 0);
    make_cubin_container();
    add_kernel(register_module(3, cubin_container), &cubin_only, "cubin_only");
}

static const dim3 one = {1, 1, 1};

/* Runs fn in a child; its standard error goes to text. Returns the child's exit status. */
static int in_child(void (*fn)(void), char *text, size_t room)
{
    int pipe_fd[2];
    assert_int_equal(pipe(pipe_fd), 0);
    fflush(NULL);
    pid_t pid = fork();
    if (!pid) {
        dup2(pipe_fd[1], 2);
        fn();
        _exit(0);
    }
    close(pipe_fd[1]);
    size_t n = 0;
    for (ssize_t got; n + 1 < room && (got = read(pipe_fd[0], text + n, room - 1 - n)) > 0;)
        n += (size_t)got;
    text[n] = '\0';
    close(pipe_fd[0]);
    int status;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

#define CHILD_CHECK(condition)                                                                                         \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                                    \
            _exit(9);                                                                                                  \
        }                                                                                                              \
    } while (0)

/* ---- tests: before the first CUDA call, the context does not exist and children start fresh ---- */
static void every_function_of_the_real_library_is_there(void **state)
{
    (void)state;
    static const char *const name[] = {
#define OURS(function) #function,
#define STUB(function) #function,
#include "cudart/api.def"
    };
    const size_t n = sizeof name / sizeof *name;
    void *lib = dlopen("libcudart.so.13", RTLD_NOW | RTLD_NOLOAD);
    assert_non_null(lib);
    assert_int_equal(n, 422);
    for (size_t i = 0; i < n; i++)
        if (!dlsym(lib, name[i]))
            fail_msg("%s is missing", name[i]);
    dlclose(lib);
}

static void every_driver_function_is_found_by_its_name(void **state)
{
    (void)state;
    static const struct {
        const char *name, *symbol;
        int since;
    } driver[] = {
#define DRIVER(plain, exported, version) {#plain, #exported, version},
#include "cudart/driver.def"
    };
    __typeof__(cuGetProcAddress_v2) *find = (__typeof__(find))(uintptr_t)dlsym(RTLD_DEFAULT, "cuGetProcAddress_v2");
    assert_non_null(find);
    for (size_t i = 0; i < sizeof driver / sizeof *driver; i++) {
        void *at = NULL, *exported = dlsym(RTLD_DEFAULT, driver[i].symbol);
        CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
        if (!exported)
            fail_msg("%s is missing", driver[i].symbol);
        if (find(driver[i].name, &at, driver[i].since, 0, &status) || status || at != exported)
            fail_msg("%s of version %d is not %s", driver[i].name, driver[i].since, driver[i].symbol);
    }
}

static void fault_sections(void)
{
    uint64_t bad = 0x10;
    uint32_t v = 1, n = 1;
    void *args[] = {&bad, &v, &n}, *p;
    CHILD_CHECK(cudaLaunchKernel(&fill, one, one, args, 0, NULL) == cudaSuccess);
    CHILD_CHECK(cudaPeekAtLastError() == cudaErrorIllegalAddress);
    CHILD_CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
    CHILD_CHECK(cudaGetLastError() == cudaSuccess); /* cleared, but the device stays lost */
    CHILD_CHECK(cudaMalloc(&p, 4) == cudaErrorIllegalAddress);
    CHILD_CHECK(cudaDeviceReset() == cudaErrorIllegalAddress);
    CHILD_CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
}
static void blocking_section(void)
{
    uint64_t bad = 0x10;
    uint32_t v = 1, n = 1;
    void *args[] = {&bad, &v, &n};
    setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
    CHILD_CHECK(cudaLaunchKernel(&fill, one, one, args, 0, NULL) == cudaErrorIllegalAddress);
}
static void a_fault_is_told_and_loses_the_device(void **state)
{
    (void)state;
    char text[4096];
    assert_int_equal(in_child(fault_sections, text, sizeof text), 0);
    assert_non_null(strstr(text, "weir: illegal address in kernel fill"));
    assert_non_null(strstr(text, "st.global.u32"));
    assert_non_null(strstr(text, "CTA (0,0,0)"));
    assert_int_equal(in_child(blocking_section, text, sizeof text), 0);
}

static void unsupported_section(void)
{
    char handle[64], data[64];
    CHILD_CHECK(cudaIpcGetMemHandle(handle, data) == cudaErrorNotSupported);
    CHILD_CHECK(cudaIpcGetMemHandle(handle, data) == cudaErrorNotSupported);
    CHILD_CHECK(cudaGetLastError() == cudaErrorNotSupported);
}
static void an_unsupported_call_says_its_name_once(void **state)
{
    (void)state;
    char text[4096];
    assert_int_equal(in_child(unsupported_section, text, sizeof text), 0);
    const char *first = strstr(text, "weir: cudaIpcGetMemHandle is not supported");
    assert_non_null(first);
    assert_null(strstr(first + strlen("weir: cuda"), "cudaIpc"));
}

static void code_sections(void)
{
    CHILD_CHECK(cudaLaunchKernel(&cubin_only, one, one, NULL, 0, NULL) == cudaErrorNoKernelImageForDevice);
    CHILD_CHECK(cudaLaunchKernel(&never_registered, one, one, NULL, 0, NULL) == cudaErrorInvalidDeviceFunction);
    add_kernel(register_module(4, broken_ptx), &broken, "broken");
    CHILD_CHECK(cudaLaunchKernel(&broken, one, one, NULL, 0, NULL) == cudaErrorInvalidPtx);
    CHILD_CHECK(cudaGetLastError() == cudaErrorInvalidPtx);
    CHILD_CHECK(cudaDeviceSynchronize() == cudaSuccess); /* none of these is sticky */
}
static void code_that_cannot_run_is_told_at_the_launch(void **state)
{
    (void)state;
    char text[4096];
    assert_int_equal(in_child(code_sections, text, sizeof text), 0);
    assert_non_null(strstr(text, "machine code for sm_86 but no PTX; embed PTX"));
    assert_non_null(strstr(text, ".ptx:")); /* the syntax error has a place */
}

static void managed_section(void)
{
    CHILD_CHECK(__cudaInitModule(main_module));
    CHILD_CHECK(shared_value && *shared_value == 17);
    *shared_value = 20;
    CHILD_CHECK(cudaLaunchKernel(&touch, one, one, NULL, 0, NULL) == cudaSuccess);
    CHILD_CHECK(*shared_value == 21);
}
static void a_managed_variable_is_shared(void **state)
{
    (void)state;
    char text[4096];
    assert_int_equal(in_child(managed_section, text, sizeof text), 0);
}

static void reset_section(void)
{
    int v = 5;
    void *p;
    CHILD_CHECK(cudaMalloc(&p, 64) == cudaSuccess);
    CHILD_CHECK(cudaMemcpyToSymbol(&counter, &v, 4, 0, cudaMemcpyHostToDevice) == cudaSuccess);
    CHILD_CHECK(cudaDeviceReset() == cudaSuccess);
    CHILD_CHECK(cudaFree(p) == cudaErrorInvalidValue); /* gone with the reset */
    CHILD_CHECK(cudaMemcpyFromSymbol(&v, &counter, 4, 0, cudaMemcpyDeviceToHost) == cudaSuccess);
    CHILD_CHECK(v == 41); /* initialized again */
}
static void reset_starts_afresh(void **state)
{
    (void)state;
    char text[4096];
    assert_int_equal(in_child(reset_section, text, sizeof text), 0);
}

/* ---- tests in this process ---- */
static void names_and_texts_of_errors(void **state)
{
    (void)state;
    assert_string_equal(cudaGetErrorName(700), "cudaErrorIllegalAddress");
    assert_string_equal(cudaGetErrorString(700), "an illegal memory access was encountered");
    assert_string_equal(cudaGetErrorName(0), "cudaSuccess");
    assert_string_equal(cudaGetErrorName(-1), "unrecognized error code");
    assert_string_equal(cudaGetErrorString(4242), "unrecognized error code");
}

static void a_kernel_runs_both_ways(void **state)
{
    (void)state;
    enum { N = 1000 };
    uint32_t host[N + 1], v = 7, n = N;
    void *d;
    assert_int_equal(cudaMalloc(&d, sizeof host), cudaSuccess);
    void *args[] = {&d, &v, &n};
    /* clang: push, pop, launch by stub */
    dim3 grid, block;
    size_t smem;
    cudaStream_t stream;
    assert_int_equal(__cudaPushCallConfiguration((dim3){8, 1, 1}, (dim3){128, 1, 1}, 0, NULL), 0);
    assert_int_equal(__cudaPopCallConfiguration(&grid, &block, &smem, &stream), cudaSuccess);
    assert_int_equal(cudaLaunchKernel(&fill, grid, block, args, smem, stream), cudaSuccess);
    assert_int_equal(__cudaPopCallConfiguration(&grid, &block, &smem, &stream), cudaErrorMissingConfiguration);
    assert_int_equal(cudaGetLastError(), cudaErrorMissingConfiguration);
    memset(host, 0xff, sizeof host);
    assert_int_equal(cudaMemcpy(host, d, N * 4, cudaMemcpyDeviceToHost), cudaSuccess);
    for (int i = 0; i < N; i++)
        assert_int_equal(host[i], 21);
    assert_int_equal(host[N], 0xffffffff);
    /* nvcc 13: launch by handle; and the constant changes what it computes */
    cudaKernel_t handle;
    const int five = 5;
    assert_int_equal(__cudaGetKernel(&handle, &fill), cudaSuccess);
    assert_int_equal(__cudaGetKernel(&handle, &never_registered), cudaErrorInvalidDeviceFunction);
    assert_int_equal(__cudaGetKernel(&handle, &fill), cudaSuccess);
    assert_int_equal(cudaMemcpyToSymbol(factor, &five, 4, 4, cudaMemcpyHostToDevice), cudaSuccess);
    assert_int_equal(__cudaLaunchKernel(handle, (dim3){8, 1, 1}, (dim3){128, 1, 1}, args, 0, NULL), cudaSuccess);
    assert_int_equal(cudaMemcpy(host, d, N * 4, cudaMemcpyDeviceToHost), cudaSuccess);
    assert_int_equal(host[N - 1], 35);
    int launches;
    assert_int_equal(cudaMemcpyFromSymbol(&launches, &counter, 4, 0, cudaMemcpyDeviceToHost), cudaSuccess);
    assert_int_equal(launches, 43);
    assert_int_equal(cudaFree(d), cudaSuccess);
}

static void separately_registered_modules_are_linked(void **state)
{
    (void)state;
    int host = 0;
    const int value = 2000;
    void *d;
    assert_int_equal(cudaMalloc(&d, 4), cudaSuccess);
    void *args[] = {&d};
    assert_int_equal(cudaLaunchKernel(&read_elsewhere, one, one, args, 0, NULL), cudaSuccess);
    assert_int_equal(cudaMemcpy(&host, d, 4, cudaMemcpyDeviceToHost), cudaSuccess);
    assert_int_equal(host, 1000);
    assert_int_equal(cudaMemcpyToSymbol(&elsewhere, &value, 4, 0, cudaMemcpyHostToDevice), cudaSuccess);
    assert_int_equal(cudaLaunchKernel(&read_elsewhere, one, one, args, 0, NULL), cudaSuccess);
    assert_int_equal(cudaMemcpy(&host, d, 4, cudaMemcpyDeviceToHost), cudaSuccess);
    assert_int_equal(host, 2000);
    cudaFree(d);
}

static void a_captured_graph_runs_when_launched(void **state)
{
    (void)state;
    uint32_t host[4] = {0}, v = 1, n = 4;
    void *d;
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t x;
    assert_int_equal(cudaMalloc(&d, 16), cudaSuccess);
    assert_int_equal(cudaMemcpy(d, host, 16, cudaMemcpyHostToDevice), cudaSuccess);
    void *args[] = {&d, &v, &n};
    assert_int_equal(cudaStreamCreate(&s), cudaSuccess);
    assert_int_equal(cudaStreamBeginCapture(s, 2), cudaSuccess);
    assert_int_equal(cudaLaunchKernel(&fill, one, (dim3){4, 1, 1}, args, 0, s), cudaSuccess);
    v = 99; /* the argument was copied */
    assert_int_equal(cudaStreamEndCapture(s, &g), cudaSuccess);
    assert_int_equal(cudaGraphInstantiate(&x, g, 0), cudaSuccess);
    assert_int_equal(cudaMemcpy(host, d, 16, cudaMemcpyDeviceToHost), cudaSuccess);
    assert_int_equal(host[3], 0);
    assert_int_equal(cudaGraphLaunch(x, s), cudaSuccess);
    assert_int_equal(cudaMemcpy(host, d, 16, cudaMemcpyDeviceToHost), cudaSuccess);
    assert_int_equal(host[3], 5);
    cudaFree(d);
}

static void event_times_are_simulated(void **state)
{
    (void)state;
    cudaEvent_t a, b;
    float ms[2];
    uint32_t v = 1, n = 1 << 16;
    void *d;
    assert_int_equal(cudaMalloc(&d, n * 4), cudaSuccess);
    void *args[] = {&d, &v, &n};
    assert_int_equal(cudaEventCreate(&a), cudaSuccess);
    assert_int_equal(cudaEventCreate(&b), cudaSuccess);
    for (int i = 0; i < 2; i++) {
        cudaEventRecord(a, NULL);
        assert_int_equal(cudaLaunchKernel(&fill, (dim3){512, 1, 1}, (dim3){128, 1, 1}, args, 0, NULL), cudaSuccess);
        cudaEventRecord(b, NULL);
        assert_int_equal(cudaEventElapsedTime(&ms[i], a, b), cudaSuccess);
    }
    assert_true(ms[0] > 0);
    assert_true(ms[0] == ms[1]); /* the same work takes the same time, whatever the host does */
    cudaFree(d);
}

static void a_library_is_loaded_at_run_time(void **state)
{
    (void)state;
    cudaLibrary_t lib;
    cudaKernel_t k;
    uint32_t host = 0, v = 4, n = 1;
    void *d;
    assert_int_equal(cudaMalloc(&d, 4), cudaSuccess);
    void *args[] = {&d, &v, &n};
    assert_int_equal(cudaLibraryLoadData(&lib, main_ptx, NULL, NULL, 0, NULL, NULL, 0), cudaSuccess);
    assert_int_equal(cudaLibraryGetKernel(&k, lib, "nothing"), cudaErrorSymbolNotFound);
    assert_int_equal(cudaLibraryGetKernel(&k, lib, "fill"), cudaSuccess);
    assert_int_equal(cudaLaunchKernel(k, one, one, args, 0, NULL), cudaSuccess);
    assert_int_equal(cudaMemcpy(&host, d, 4, cudaMemcpyDeviceToHost), cudaSuccess);
    assert_int_equal(host, 12); /* its own constants: 4 * 3 */
    assert_int_equal(cudaLibraryUnload(lib), cudaSuccess);
    assert_int_equal(cudaLibraryUnload(lib), cudaErrorInvalidValue);
    cudaGetLastError();
    cudaFree(d);
}

static void attributes_and_occupancy(void **state)
{
    (void)state;
    struct cudaDeviceProp p;
    struct cudaFuncAttributes f;
    int blocks;
    assert_int_equal(cudaGetDeviceProperties(&p, 0), cudaSuccess);
    assert_int_equal(p.warpSize, 32);
    assert_true(p.multiProcessorCount > 0 && p.totalGlobalMem > 0 && p.name[0]);
    assert_int_equal(cudaFuncGetAttributes(&f, &fill), cudaSuccess);
    assert_true(f.numRegs > 0 && f.maxThreadsPerBlock == 1024);
    assert_int_equal(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &fill, 1024, 0), cudaSuccess);
    assert_int_equal(blocks, p.maxThreadsPerMultiProcessor / 1024);
    assert_int_equal(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &fill, 32, p.sharedMemPerBlock),
                     cudaSuccess);
    assert_int_equal(blocks, p.sharedMemPerMultiprocessor / (p.sharedMemPerBlock + p.reservedSharedMemPerBlock));
}

static void many_allocations_come_and_go(void **state)
{
    (void)state;
    enum { N = 2000 };
    static void *p[N];
    uint32_t seed = 1;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < N; i++) {
            assert_int_equal(cudaMalloc(&p[i], 1 + (seed = seed * 1664525 + 1013904223) % 5000), cudaSuccess);
            assert_int_equal((uintptr_t)p[i] % 256, 0);
        }
        for (int i = 0; i < N; i++)
            assert_int_equal(cudaFree(p[(size_t)i * 7919 % N]), cudaSuccess);
        assert_int_equal(cudaFree(p[0]), cudaErrorInvalidValue);
    }
    cudaGetLastError();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_of_the_real_library_is_there),
        cmocka_unit_test(every_driver_function_is_found_by_its_name),
        cmocka_unit_test(a_fault_is_told_and_loses_the_device),
        cmocka_unit_test(an_unsupported_call_says_its_name_once),
        cmocka_unit_test(code_that_cannot_run_is_told_at_the_launch),
        cmocka_unit_test(a_managed_variable_is_shared),
        cmocka_unit_test(reset_starts_afresh),
        cmocka_unit_test(names_and_texts_of_errors),
        cmocka_unit_test(a_kernel_runs_both_ways),
        cmocka_unit_test(separately_registered_modules_are_linked),
        cmocka_unit_test(a_captured_graph_runs_when_launched),
        cmocka_unit_test(event_times_are_simulated),
        cmocka_unit_test(a_library_is_loaded_at_run_time),
        cmocka_unit_test(attributes_and_occupancy),
        cmocka_unit_test(many_allocations_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
