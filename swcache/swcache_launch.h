/*
 * Launching kernels that use swcache.cuh: how much shared memory to ask for, and whether to use the cached kernel at
 * all. Host code only; included by swcache.cuh.
 */
#ifndef SWCACHE_LAUNCH_H
#define SWCACHE_LAUNCH_H

#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>

namespace swcache
{

namespace detail
{

struct Room {
    const void *kernel;
    int threads, device, most;
    size_t own_bytes, bytes;
};

/* The answer of shared_bytes(), asked of the driver. try_room(n): bytes per thread for the lines of n structures. */
template <class F>
size_t find_room(const void *kernel, int threads, int device, int structures, size_t own_bytes, F try_room)
{
    cudaFuncAttributes attributes;
    int most = 0, blocks = 0, blocks_without = 0;
    size_t first = (own_bytes + 127) / 128 * 128, whole_warps = (size_t)(threads + 31) / 32 * 32, found = own_bytes;
    bool known =
        cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess &&
        cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) == cudaSuccess &&
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_without, kernel, threads, own_bytes) == cudaSuccess;
    for (int n = known ? structures : 0; n > 0; n--) {
        size_t want = first + try_room(n) * whole_warps;
        if (want + attributes.sharedSizeBytes > (size_t)most)
            continue;
        if (want + attributes.sharedSizeBytes > 48 * 1024 &&
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)want) != cudaSuccess)
            continue;
        if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, want) == cudaSuccess &&
            blocks > 0 && blocks >= blocks_without) {
            found = want;
            break;
        }
    }
    cudaGetLastError(); /* a refused question is an answer, not an error of the program */
    return found;
}

template <class F> size_t remembered_room(const void *kernel, int threads, int structures, size_t own_bytes, F try_room)
{
    constexpr int kept = 16;
    static thread_local Room answers[kept];
    static thread_local int next;
    int device = 0, most = (int)try_room(structures);
    if (cudaGetDevice(&device) != cudaSuccess)
        return own_bytes;
    for (const Room &a : answers)
        if (a.kernel == kernel && a.threads == threads && a.device == device && a.most == most &&
            a.own_bytes == own_bytes)
            return a.bytes;
    size_t bytes = find_room(kernel, threads, device, structures, own_bytes, try_room);
    answers[next] = {kernel, threads, device, most, own_bytes, bytes};
    next = (next + 1) % kept;
    return bytes;
}

} /* namespace detail */

/*
 * The dynamic shared memory to launch with: the kernel's own, plus lines for as many of its structures as fit without
 * fewer blocks per multiprocessor than the kernel has without lines (the paper's CLN = free shared memory / threads /
 * line). The answer for a kernel, block and device is remembered. No lines where there is no room: the cache is then
 * off.
 */
template <class C, class... A> size_t shared_bytes(void (*kernel)(A...), dim3 block, size_t own_bytes = 0)
{
    return detail::remembered_room((const void *)kernel, (int)(block.x * block.y * block.z), C::structures, own_bytes,
                                   [](int n) { return (size_t)C::room(n); });
}

/* The same, for a kernel with this many structures of the default kinds. */
template <class... A> size_t shared_bytes(void (*kernel)(A...), dim3 block, int structures, size_t own_bytes = 0)
{
    return detail::remembered_room((const void *)kernel, (int)(block.x * block.y * block.z), structures, own_bytes,
                                   [](int n) { return (size_t)(n * SWCACHE_LINE_BYTES); });
}

/*
 * Chooses between a kernel and its cached twin by measuring both: no model knows what a cache costs a kernel in
 * registers, occupancy and instructions on the GPU at hand. One object per launch site, static. The first launches
 * alternate, the cached kernel first, so that a program that launches once gets it; they are timed with events, without
 * waiting for them; then the faster one is kept, and both are measured
 * again later, in case the data behave differently: after a thousand launches, or as many more as keep the cost of
 * measuring below one part in a hundred. Launches that are being captured into a graph use what is known.
 *
 * Both callables launch the same work into the stream. Not for use by several host threads at once.
 */
class Tuner
{
  public:
    template <class P, class C> void launch(cudaStream_t stream, P plain, C cached)
    {
        if (!SWCACHE_TUNE)
            return launch_cached(plain, cached);
        if (decided_ && ++launches_ < again_) { /* the usual case: nothing is timed */
            use_cached_ ? launch_cached(plain, cached) : plain();
            return;
        }
        if (decided_)
            restart();
        cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
        cudaStreamIsCapturing(stream, &capture);
        if (capture != cudaStreamCaptureStatusNone || !measuring()) {
            use_cached_ ? launch_cached(plain, cached) : plain();
            return;
        }
        bool timed = round_ >= 2 && started(); /* the first two load code */
        if (timed)
            cudaEventRecord(begin_[round_ - 2], stream);
        round_ % 2 ? plain() : launch_cached(plain, cached);
        if (timed)
            cudaEventRecord(end_[round_ - 2], stream);
        round_++;
    }

    /* Whether the cached kernel was found to be faster, as far as is known. */
    bool cached() const { return use_cached_; }

    Tuner() = default;
    Tuner(const Tuner &) = delete;
    Tuner &operator=(const Tuner &) = delete;

  private:
    static constexpr int timed_launches = 6;
    cudaEvent_t begin_[timed_launches], end_[timed_launches];
    bool events_ = false, decided_ = false, use_cached_ = true;
    int round_ = 0, launches_ = 0, again_ = 1000;

    /* A cached kernel may need more registers than the block's threads can have: then the plain one it is. */
    template <class P, class C> void launch_cached(P &plain, C &cached)
    {
        bool clean = cudaPeekAtLastError() == cudaSuccess;
        cached();
        if (clean && cudaPeekAtLastError() == cudaErrorLaunchOutOfResources) {
            cudaGetLastError();
            use_cached_ = false;
            decided_ = true;
            plain();
        }
    }

    bool started()
    {
        for (int k = 0; !events_ && k < timed_launches; k++)
            if (cudaEventCreate(&begin_[k]) != cudaSuccess || cudaEventCreate(&end_[k]) != cudaSuccess) {
                decided_ = true; /* nothing can be measured */
                return false;
            }
        events_ = true;
        return true;
    }

    /* True while launches alternate. Once all have ended, decides; until then the cached kernel is used. */
    bool measuring()
    {
        if (round_ < timed_launches + 2)
            return true;
        bool clean = cudaPeekAtLastError() == cudaSuccess;
        if (cudaEventQuery(end_[timed_launches - 1]) != cudaSuccess) {
            if (clean)
                cudaGetLastError(); /* "not ready" is no error of the program */
            return false;
        }
        float best[2] = {1e30f, 1e30f}; /* of the cached kernel, of the plain one */
        for (int k = 0; k < timed_launches; k++) {
            float ms = 0;
            if (cudaEventElapsedTime(&ms, begin_[k], end_[k]) == cudaSuccess && ms < best[k % 2])
                best[k % 2] = ms;
        }
        use_cached_ = best[0] < best[1];
        /* Half of the timed launches are of the slower kernel. */
        float ratio = use_cached_ ? best[1] / best[0] : best[0] / best[1], launches = timed_launches / 2 * 100 * ratio;
        again_ = launches < 1000 ? 1000 : launches < 1e6f ? (int)launches : 1000000;
        decided_ = true;
        return false;
    }

    void restart()
    {
        launches_ = 0;
        round_ = 2;
        decided_ = false;
    }
};

} /* namespace swcache */

#endif
