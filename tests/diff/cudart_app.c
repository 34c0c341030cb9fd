/*
 * A CUDA program that needs no compiler for CUDA: it registers PTX by hand. Several kernels, blocks of several warps,
 * loops, divergence, shared memory, atomics and copies, so that its streams are not trivial.
 *   cudart_app          computes and checks; exit status 0, or 1 when a result is wrong
 *   cudart_app exit N   exits with status N after a kernel
 *   cudart_app fault    a kernel stores out of bounds; the program does not look
 *   cudart_app abort    dies by a signal after a kernel
 *   cudart_app fork     after its kernels, a forked child tries CUDA and leaves through exit
 *   cudart_app stuck    a barrier that not all warps of a CTA can reach, behind much work of other CTAs
 *   cudart_app END      after its kernels, leaves in one of the ways of struct ending
 */
#include "cudart/abi.h"
#include "cudart/fatbin.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t);
cudaError_t cudaMalloc(void **, size_t);
cudaError_t cudaMemcpy(void *, const void *, size_t, int);
cudaError_t cudaMemset(void *, int, size_t);
cudaError_t cudaDeviceSynchronize(void);

static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    /* out[i] = sum of in[i], in[i + stride], ... : i % 7 + 1 terms, so warps diverge */
    ".visible .entry gather(.param .u64 in, .param .u64 out, .param .u32 n, .param .u32 stride)\n"
    "{\n"
    "  .reg .pred %p<3>; .reg .b32 %r<16>; .reg .b64 %rd<8>;\n"
    "  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [stride];\n"
    "  mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x; mad.lo.s32 %r6, %r3, %r4, %r5;\n"
    "  setp.ge.u32 %p1, %r6, %r1;\n"
    "  @%p1 bra DONE;\n"
    "  rem.u32 %r7, %r6, 7; add.u32 %r7, %r7, 1; mov.u32 %r8, 0; mov.u32 %r9, %r6;\n"
    "LOOP:\n"
    "  rem.u32 %r10, %r9, %r1; mul.wide.u32 %rd3, %r10, 4; add.u64 %rd4, %rd1, %rd3;\n"
    "  ld.global.u32 %r11, [%rd4]; add.u32 %r8, %r8, %r11; add.u32 %r9, %r9, %r2;\n"
    "  sub.u32 %r7, %r7, 1; setp.ne.u32 %p2, %r7, 0;\n"
    "  @%p2 bra LOOP;\n"
    "  mul.wide.u32 %rd5, %r6, 4; add.u64 %rd6, %rd2, %rd5; st.global.u32 [%rd6], %r8;\n"
    "DONE:\n"
    "  ret;\n"
    "}\n"
    /* *total += sum over the block, through shared memory */
    ".visible .entry total(.param .u64 in, .param .u64 sum, .param .u32 n)\n"
    "{\n"
    "  .shared .align 4 .u32 acc;\n"
    "  .reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %rd<6>;\n"
    "  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [sum]; ld.param.u32 %r1, [n];\n"
    "  mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x; mad.lo.s32 %r6, %r3, %r4, %r5;\n"
    "  setp.ne.u32 %p1, %r5, 0;\n"
    "  @%p1 bra START;\n"
    "  mov.u32 %r7, 0; st.shared.u32 [acc], %r7;\n"
    "START:\n"
    "  bar.sync 0;\n"
    "  setp.ge.u32 %p2, %r6, %r1;\n"
    "  @%p2 bra ADDED;\n"
    "  mul.wide.u32 %rd3, %r6, 4; add.u64 %rd4, %rd1, %rd3; ld.global.u32 %r8, [%rd4];\n"
    "  mov.u32 %r9, acc; atom.shared.add.u32 %r10, [%r9], %r8;\n"
    "ADDED:\n"
    "  bar.sync 0;\n"
    "  @%p1 bra DONE;\n"
    "  ld.shared.u32 %r11, [acc]; red.global.add.u32 [%rd2], %r11;\n"
    "DONE:\n"
    "  ret;\n"
    "}\n"
    /* the last CTA's first warp leaves; the second waits at a barrier for all 64 threads, which never come */
    ".visible .entry stuck(.param .u64 in, .param .u32 n)\n"
    "{\n"
    "  .reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %rd<6>;\n"
    "  ld.param.u64 %rd1, [in]; ld.param.u32 %r1, [n];\n"
    "  mov.u32 %r3, %ctaid.x; mov.u32 %r4, %nctaid.x; mov.u32 %r5, %tid.x; sub.u32 %r4, %r4, 1;\n"
    "  setp.eq.u32 %p1, %r3, %r4;\n"
    "  @%p1 bra LAST;\n"
    "  mov.u32 %r6, 0;\n"
    "LOOP:\n"
    "  mad.lo.u32 %r7, %r6, 4099, %r5; mad.lo.u32 %r7, %r3, 977, %r7; rem.u32 %r7, %r7, %r1;\n"
    "  mul.wide.u32 %rd3, %r7, 4; add.u64 %rd4, %rd1, %rd3; ld.global.u32 %r8, [%rd4]; add.u32 %r6, %r6, 1;\n"
    "  setp.lt.u32 %p2, %r6, 400;\n"
    "  @%p2 bra LOOP;\n"
    "  ret;\n"
    "LAST:\n"
    "  setp.lt.u32 %p3, %r5, 32;\n"
    "  @%p3 bra HALF;\n"
    "  barrier.sync 1, 96;\n"
    "HALF:\n"
    "  barrier.sync 2, 96;\n"
    "  ret;\n"
    "}\n";

static struct fatbin_wrapper wrapper = {FATBIN_WRAPPER_MAGIC, 1, ptx, NULL};
static char gather, total, stuck;

__attribute__((constructor)) static void register_kernels(void)
{
    void **m = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(m, &gather, NULL, "gather", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(m, &total, NULL, "total", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(m, &stuck, NULL, "stuck", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFatBinaryEnd(m);
}

enum { N = 10000, STRIDES = 3 };
static uint32_t host[N], got[N];

static int compute(void)
{
    void *in, *out, *sum;
    uint32_t n = N, sum_host = 0;
    for (uint32_t i = 0; i < N; i++)
        host[i] = i * 2654435761u >> 20;
    if (cudaMalloc(&in, sizeof host) || cudaMalloc(&out, sizeof host) || cudaMalloc(&sum, 4))
        return 1;
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    const dim3 grid = {(N + 191) / 192, 1, 1}, block = {192, 1, 1};
    for (uint32_t k = 0; k < STRIDES; k++) {
        uint32_t stride = 1 + 97 * k, want = 0;
        void *gather_args[] = {&in, &out, &n, &stride}, *total_args[] = {&out, &sum, &n};
        cudaMemset(sum, 0, 4);
        if (cudaLaunchKernel(&gather, grid, block, gather_args, 0, NULL) ||
            cudaLaunchKernel(&total, grid, block, total_args, 0, NULL))
            return 1;
        cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
        cudaMemcpy(&sum_host, sum, 4, cudaMemcpyDeviceToHost);
        for (uint32_t i = 0; i < N; i++) {
            uint32_t s = 0;
            for (uint32_t t = 0; t < i % 7 + 1; t++)
                s += host[(i + t * stride) % N];
            if (got[i] != s) {
                printf("stride %u: out[%u] is %u, not %u\n", stride, i, got[i], s);
                return 1;
            }
            want += s;
        }
        if (sum_host != want) {
            printf("stride %u: the sum is %u, not %u\n", stride, sum_host, want);
            return 1;
        }
    }
    puts("right");
    return 0;
}

static void *compute_later(void *unused)
{
    (void)unused;
    usleep(300000); /* main is gone by then */
    compute();
    return NULL;
}

static void leave_from_thread(void)
{
    pthread_t t;
    pthread_create(&t, NULL, compute_later, NULL);
    pthread_exit(NULL);
}

/* A child of vfork borrows the parent's memory; how it leaves is no end of the program. */
static void borrow_memory(void)
{
    const pid_t pid = vfork();
    if (!pid) {
        execl("/nonexistent/program", "program", (char *)NULL);
        _exit(3);
    }
    int status;
    waitpid(pid, &status, 0);
    printf("child %d\n", WEXITSTATUS(status));
    exit(compute());
}

static void wait_for_signal(void)
{
    puts("waiting");
    fflush(stdout);
    for (;;)
        sleep(1);
}

static void exec_fails(void)
{
    execlp("nonexistent-program", "x", (char *)NULL);
    exit(compute()); /* CUDA still works */
}

static void use_driver(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    int (*init)(unsigned) = driver ? (int (*)(unsigned))(size_t)dlsym(driver, "cuInit") : NULL;
    printf("driver %d\n", init ? init(0) : -1);
    exit(compute());
}

/* A limit of the size of files stands for a full disk. */
static void full_disk(void)
{
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){4096, 4096});
}

/* At its end while the machine still has most of its work before it. */
static void end_early(void)
{
    void *p;
    uint32_t n = 3000000, stride = 1;
    cudaMalloc(&p, 4ul * n);
    void *args[] = {&p, &p, &n, &stride};
    cudaLaunchKernel(&gather, (dim3){n / 64, 1, 1}, (dim3){64, 1, 1}, args, 0, NULL);
    puts("waiting");
    fflush(stdout);
    exit(0);
}

static void left_exit(void)
{
    _exit(0);
}
static void left_Exit(void)
{
    _Exit(0);
}
static void left_quick(void)
{
    quick_exit(0);
}
static void left_exec(void)
{
    execl("/bin/echo", "echo", "another", "program", (char *)NULL);
}
static void left_execlp(void)
{
    execlp("echo", "echo", "another", "program", (char *)NULL);
}
static void left_execle(void)
{
    execle("/bin/echo", "echo", "another", "program", (char *)NULL, environ);
}
static void left_syscall(void)
{
    syscall(SYS_exit_group, 0);
}
static void left_no_environment(void)
{
    clearenv();
}

static const struct ending {
    const char *name;
    void (*leave)(void);
} endings[] = {
    {"_exit", left_exit},          {"_Exit", left_Exit},
    {"quick_exit", left_quick},    {"execl", left_exec},
    {"execlp", left_execlp},       {"execle", left_execle},
    {"syscall", left_syscall},     {"clearenv", left_no_environment},
    {"thread", leave_from_thread}, {"vfork", borrow_memory},
    {"wait", wait_for_signal},     {"no-exec", exec_fails},
    {"driver", use_driver},        {"full-disk", full_disk},
    {"early", end_early},
};

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    if (!strcmp(mode, "fault")) {
        void *p;
        uint32_t n = 2 * N, stride = 1;
        cudaMalloc(&p, 4 * N);
        void *args[] = {&p, &p, &n, &stride};
        cudaLaunchKernel(&gather, (dim3){2 * N / 32, 1, 1}, (dim3){32, 1, 1}, args, 0, NULL);
        return 0;
    }
    if (!strcmp(mode, "stuck")) {
        void *p;
        uint32_t n = 1 << 20;
        cudaMalloc(&p, 4ul * n);
        void *args[] = {&p, &n};
        cudaLaunchKernel(&stuck, (dim3){2000, 1, 1}, (dim3){64, 1, 1}, args, 0, NULL);
        return 0;
    }
    if (!strcmp(mode, "early-clearenv"))
        clearenv();
    if (!strcmp(mode, "closefrom"))
        closefrom(3);
    int wrong = compute();
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (!strcmp(mode, endings[i].name)) {
            fflush(stdout);
            endings[i].leave();
        }
    if (!strcmp(mode, "exit") && argc > 2)
        return atoi(argv[2]);
    if (!strcmp(mode, "abort"))
        abort();
    if (!strcmp(mode, "fork")) {
        void *p;
        fflush(stdout);
        if (!fork())
            exit(cudaMalloc(&p, 4) == cudaErrorInitializationError ? 5 : 6);
        int status;
        wait(&status);
        printf("child %d\n", WEXITSTATUS(status));
    }
    return wrong;
}
