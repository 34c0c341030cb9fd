// The rules of the software cache, one by one: what a line holds, what it writes back, when it is off.
#define SWCACHE_ALWAYS 1
#include "check.h"
#include <swcache.cuh>

struct three {
    int a, b, c; // 12 bytes: crosses lines
    __host__ __device__ bool operator==(const three &o) const { return a == o.a && b == o.b && c == o.c; }
};
struct odd {
    char x[5];
    __host__ __device__ bool operator==(const odd &o) const
    {
        for (int k = 0; k < 5; k++)
            if (x[k] != o.x[k])
                return false;
        return true;
    }
};
__host__ __device__ inline bool operator==(const double2 &p, const double2 &q)
{
    return p.x == q.x && p.y == q.y;
}

/* Every thread copies its run of elements through a read-only and a read-write structure. */
template <class RO, class RW, class T> __global__ void copy(const T *in, T *out, int count, int per_thread, int *cached)
{
    int thread = blockIdx.x * blockDim.x * blockDim.y + threadIdx.y * blockDim.x + threadIdx.x;
    swcache::Cache<RO, RW> cache;
    cache.template within<0>(in, count * sizeof(T));
    cache.template within<1>(out, count * sizeof(T));
    cache.select();
    if (cache.complete())
        atomicAdd(cached, 1);
    for (int i = thread * per_thread; i < min((thread + 1) * per_thread, count); i++)
        cache.template store<1>(&out[i], cache.template load<0>(&in[i]));
    cache.flush();
}

/* Odd counts, bases off any line, blocks that are not whole warps. */
template <class RO, class RW, class T> static void copies()
{
    const int count = 997, offset = 3, per_thread = 7;
    std::vector<T> data(count + offset), none(count + offset);
    rng r(sizeof(T) * 100 + RO::line);
    for (auto &d : data)
        for (size_t k = 0; k < sizeof(T); k++)
            ((unsigned char *)&d)[k] = (unsigned char)(r.next() & 0x3f);
    memset((void *)none.data(), 0x55, none.size() * sizeof(T));
    dev<T> in(data), out(none);
    dev<int> cached(1);
    cached.fill(0);
    dim3 block(9, 5);
    int threads = (count + per_thread - 1) / per_thread, blocks = (threads + 44) / 45;
    copy<RO, RW, T><<<blocks, block, swcache::shared_bytes<swcache::Cache<RO, RW>>(copy<RO, RW, T>, block)>>>(
        in + offset, out + offset, count, per_thread, cached);
    RAN();
    CHECK(cached.get()[0] == blocks * 45);
    std::vector<T> got = out.get();
    bool same = true, untouched = true;
    for (int i = 0; i < count; i++)
        same = same && got[i + offset] == data[i + offset];
    for (int i = 0; i < offset; i++)
        untouched = untouched && got[i] == none[i];
    CHECK(same);
    CHECK(untouched);
}

template <int Line> static void line_size()
{
    using One = swcache::ReadOnlyLine<Line, 1>;
    using Window = swcache::ReadOnlyLine<Line, 2>;
    using RW = swcache::ReadWriteLine<Line>;
    copies<One, RW, char>();
    copies<Window, RW, char>();
    copies<Window, RW, short>();
    copies<Window, RW, float>();
    copies<One, RW, double>();
    copies<Window, RW, double2>();
    copies<Window, RW, three>();
    copies<One, RW, odd>();
}

/* Neighboring threads write alternate bytes of the same lines: nobody may lose a byte. */
__global__ void interleaved(unsigned char *bytes, int per_thread)
{
    swcache::Cache<swcache::ReadWriteLine<32>> cache;
    cache.within<0>(bytes, blockDim.x * per_thread);
    cache.select();
    for (int k = 0; k < per_thread; k++) {
        unsigned char *p = &bytes[k * blockDim.x + threadIdx.x];
        cache.ref<0>(p) = (unsigned char)(threadIdx.x + k);
        cache.ref<0>(p) += 1;
    }
    cache.flush();
}

static void neighbors()
{
    const int threads = 77, per_thread = 40;
    dev<unsigned char> bytes(threads * per_thread);
    bytes.fill(9);
    interleaved<<<1, threads, swcache::shared_bytes(interleaved, threads, 1)>>>(bytes, per_thread);
    RAN();
    std::vector<unsigned char> want(threads * per_thread);
    for (int i = 0; i < threads * per_thread; i++)
        want[i] = (unsigned char)(i % threads + i / threads + 1);
    check_equal("alternate bytes", bytes.get(), want);
}

/* The built-in operators through a reference. */
__global__ void operators(int *v, int *results)
{
    swcache::Cache<swcache::ReadWrite> cache;
    cache.within<0>(v, blockDim.x * 4 * sizeof(int));
    cache.select();
    v += threadIdx.x * 4;
    int *r = results + threadIdx.x * 14, n = 0;
    r[n++] = cache.ref<0>(v) = 100;
    r[n++] = cache.ref<0>(v) += 7;
    r[n++] = cache.ref<0>(v) -= 3;
    r[n++] = cache.ref<0>(v) *= 5;
    r[n++] = cache.ref<0>(v) /= 3;
    r[n++] = cache.ref<0>(v) %= 100;
    r[n++] = cache.ref<0>(v) <<= 3;
    r[n++] = cache.ref<0>(v) >>= 1;
    r[n++] = cache.ref<0>(v) ^= 21;
    r[n++] = cache.ref<0>(v) |= 64;
    r[n++] = cache.ref<0>(v) &= 0x7e;
    r[n++] = cache.ref<0>(v)++;
    r[n++] = --cache.ref<0>(v);
    cache.ref<0>(v + 1) = cache.ref<0>(v);
    r[n++] = cache.ref<0>(v + 1);
    cache.flush();
}

static void operator_values()
{
    const int threads = 33;
    dev<int> v(threads * 4), results(threads * 14);
    v.fill(0);
    operators<<<1, threads, swcache::shared_bytes(operators, threads, 1)>>>(v, results);
    RAN();
    int x = 0, n = 0;
    std::vector<int> one(14), want;
    one[n++] = x = 100;
    one[n++] = x += 7;
    one[n++] = x -= 3;
    one[n++] = x *= 5;
    one[n++] = x /= 3;
    one[n++] = x %= 100;
    one[n++] = x <<= 3;
    one[n++] = x >>= 1;
    one[n++] = x ^= 21;
    one[n++] = x |= 64;
    one[n++] = x &= 0x7e;
    one[n++] = x++;
    one[n++] = --x;
    one[n++] = x;
    for (int t = 0; t < threads; t++)
        want.insert(want.end(), one.begin(), one.end());
    check_equal("operators", results.get(), want);
    std::vector<int> left = v.get();
    CHECK(left[0] == x && left[1] == x && left[2] == 0);
}

/* Two names for one array, one of them "read-only": each sees what went through the other. */
__global__ void aliased(const int *a, int *b, int *sums, int per_thread)
{
    swcache::Cache<swcache::AliasSafe, swcache::ReadOnly, swcache::ReadWrite> cache;
    cache.within<0>(a, blockDim.x * per_thread * sizeof(int));
    cache.within<1>(b, blockDim.x * per_thread * sizeof(int));
    cache.select();
    int first = threadIdx.x * per_thread, sum = 0;
    for (int k = 1; k < per_thread; k++) {
        sum += cache.load<0>(&a[first + k - 1]);
        cache.ref<1>(&b[first + k]) += cache.load<0>(&a[first + k - 1]);
    }
    sums[threadIdx.x] = sum;
    cache.flush();
}

static void aliases()
{
    const int threads = 40, per_thread = 23;
    std::vector<int> data(threads * per_thread), sums(threads);
    rng r(5);
    for (auto &d : data)
        d = (int)r.below(100);
    dev<int> array(data), dsums(threads);
    aliased<<<1, threads, swcache::shared_bytes(aliased, threads, 2)>>>(array, array, dsums, per_thread);
    RAN();
    for (int t = 0; t < threads; t++)
        for (int k = 1; k < per_thread; k++) {
            sums[t] += data[t * per_thread + k - 1];
            data[t * per_thread + k] += data[t * per_thread + k - 1];
        }
    check_equal("aliased array", array.get(), data);
    check_equal("aliased sums", dsums.get(), sums);
}

/* flush_line before an atomic, fence before a flag: other threads see what was written, and the line forgets. */
__global__ void atomics(int *counters, int *copies)
{
    swcache::Cache<swcache::ReadWrite> cache;
    cache.within<0>(counters, blockDim.x * 2 * sizeof(int));
    cache.select();
    int *mine = &counters[threadIdx.x * 2];
    cache.ref<0>(mine) = 5;
    cache.ref<0>(mine + 1) = 7;
    cache.flush_line<0>(mine);
    atomicAdd(mine, 10);
    int after = cache.load<0>(mine); // memory's, not the old line's
    cache.ref<0>(mine) += 1;
    cache.fence();
    copies[threadIdx.x] = after * 1000 + ((volatile int *)mine)[0] * 10 + ((volatile int *)mine)[1];
}

static void fences_and_atomics()
{
    const int threads = 50;
    dev<int> counters(threads * 2), copies(threads);
    counters.fill(0);
    atomics<<<1, threads, swcache::shared_bytes(atomics, threads, 1)>>>(counters, copies);
    RAN();
    check_equal("after fences", copies.get(), std::vector<int>(threads, 15 * 1000 + 16 * 10 + 7));
}

/* Without shared memory, or with all of it in use, the cache is off and the result the same. */
__global__ void own_memory(const int *in, int *out, int per_thread, unsigned own_bytes, int *cached)
{
    extern __shared__ int mine[];
    for (unsigned k = threadIdx.x; k < own_bytes / 4; k += blockDim.x)
        mine[k] = 3;
    __syncthreads();
    swcache::Cache<swcache::ReadOnly, swcache::ReadWrite> cache(own_bytes);
    cache.within<0>(in, blockDim.x * per_thread * sizeof(int));
    cache.within<1>(out, blockDim.x * per_thread * sizeof(int));
    cache.select();
    atomicAdd(cached, cache.active());
    for (int k = 0; k < per_thread; k++) {
        int i = threadIdx.x * per_thread + k;
        cache.ref<1>(&out[i]) = cache.load<0>(&in[i]) + 1;
    }
    cache.flush();
    __syncthreads();
    for (unsigned k = threadIdx.x; k < own_bytes / 4; k += blockDim.x)
        if (mine[k] != 3)
            out[0] = -1;
}

static void room()
{
    const int threads = 64, per_thread = 50;
    std::vector<int> data(threads * per_thread), want;
    for (size_t i = 0; i < data.size(); i++)
        want.push_back((data[i] = (int)i * 7) + 1);
    dev<int> in(data), out(data.size()), cached(1);
    const size_t own = 1000;
    size_t launches[] = {swcache::shared_bytes(own_memory, threads, 2, own), own, 0};
    for (int k = 0; k < 3; k++) {
        out.fill(0);
        cached.fill(0);
        own_memory<<<1, threads, launches[k]>>>(in, out, per_thread, k < 2 ? (unsigned)own : 0u, cached);
        RAN();
        check_equal("with own memory", out.get(), want);
        CHECK(cached.get()[0] == (k == 0 ? threads : 0));
    }
}

/* A structure without bounds is not cached. */
__global__ void unbounded(const int *in, int *out)
{
    swcache::Cache<swcache::ReadOnly> cache;
    cache.select();
    out[threadIdx.x] = cache.load<0>(&in[threadIdx.x]) + 100 * cache.active();
}

static void without_bounds()
{
    std::vector<int> data(31);
    for (int i = 0; i < 31; i++)
        data[i] = i;
    dev<int> in(data), out(31);
    unbounded<<<1, 31, swcache::shared_bytes(unbounded, 31, 1)>>>(in, out);
    RAN();
    check_equal("without bounds", out.get(), data);
}

int main()
{
    line_size<4>();
    line_size<8>();
    line_size<16>();
    line_size<32>();
    line_size<64>();
    neighbors();
    operator_values();
    aliases();
    fences_and_atomics();
    room();
    without_bounds();
    return check_result();
}
