// What must be left alone, and what is said about it. A line with "says" must have a note that fits.

struct record {
    int key;
    unsigned flag : 3, rest : 29;
};

struct visitor {
    int seen;
    __device__ void see(int v) { seen += v; }
};

__device__ int outside(const int *p, int i);
__device__ int changes(int *p, int i)
{
    return p[i]++;
}
__device__ int around(int n)
{
    return n > 0 ? around(n - 1) + 1 : 0;
}
__device__ int *pick(int *p);

__global__ void no_restrict(const char *text, int *out, int n)
{
    for (int i = 0; i < n; i++)
        out[threadIdx.x * n + i] = text[threadIdx.x * n + i]; // says: 'text' has no __restrict__ and the loop writes memory in line \d+
}

__global__ void jumps(const int *__restrict__ in, int *__restrict__ out, int n) // says: jumps: kernel not transformed: it jumps with goto
{
    for (int i = 0; i < n; i++) {
        if (in[threadIdx.x * n + i] == 7)
            goto done;
        out[threadIdx.x * n + i] = 1;
    }
done:;
}

__global__ void assembles(const int *__restrict__ in, int *__restrict__ out, int n)
{
    for (int i = 0; i < n; i++) {
        int v = in[threadIdx.x * n + i];
        asm volatile("add.s32 %0, %0, 1;" : "+r"(v)); // says: the loop in line \d+ is not transformed: it has inline assembly
        out[threadIdx.x * n + i] = v;
    }
}

__global__ void hides(const int *__restrict__ in, int *__restrict__ out, int n)
{
    for (int i = 0; i < n; i++)
        out[threadIdx.x * n + i] = outside(in, i); // says: calls a function with unknown effects
}

__global__ void escapes(int *__restrict__ both, int n)
{
    for (int i = 0; i < n; i++)
        both[threadIdx.x * n + i] += changes(both, i); // says: 'both' is not cached: its address is passed to a function in line \d+
}

__global__ void wanders(int *__restrict__ both, int *__restrict__ other, int n)
{
    int *p = n > 3 ? both : other;
    for (int i = 0; i < n; i++) {
        both[threadIdx.x * n + i] += 1; // says: 'both' is not cached: a pointer that may point into several structures
        p[threadIdx.x * n + i] ^= 2;
    }
}

__global__ void as_number(int *__restrict__ both, int n)
{
    size_t address = (size_t)both;
    for (int i = 0; i < n; i++) {
        both[threadIdx.x * n + i]++; // says: 'both' is not cached: its address is converted to a number
        *(int *)(address + 4 * i) += 1;
    }
}

__global__ void calls_itself(const int *__restrict__ in, int *__restrict__ out, int n)
{
    for (int i = 0; i < n; i++)
        out[threadIdx.x * n + i] = around(in[threadIdx.x * n + i]); // says: calls a function with unknown effects
}

__global__ void restless(volatile int *__restrict__ flags, int *__restrict__ out, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += flags[threadIdx.x * n + i]; // says: 'flags' is volatile
    out[threadIdx.x] = sum;
}

__global__ void captures(const int *__restrict__ in, int *__restrict__ out, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        auto add = [&](int v) { sum += v; }; // says: it has a lambda
        add(in[threadIdx.x * n + i]);
    }
    out[threadIdx.x] = sum;
}

__global__ void shares(const int *__restrict__ in, int *__restrict__ out, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        __shared__ int slot[64]; // says: declares a variable that is not the thread's own
        slot[threadIdx.x] = in[threadIdx.x * n + i];
        sum += slot[threadIdx.x];
    }
    out[threadIdx.x] = sum;
}

__global__ void bits(record *__restrict__ both, int n)
{
    for (int i = 0; i < n; i++) {
        both[threadIdx.x * n + i].key += 1; // says: 'both' is not cached: a bit-field of it is used
        both[threadIdx.x * n + i].flag++;
    }
}

__global__ void refers(int *__restrict__ both, int n)
{
    for (int i = 0; i < n; i++) {
        int &slot = both[threadIdx.x * n + i];
        slot += both[threadIdx.x * n + i]; // says: 'both' is not cached: a reference to it is taken in line \d+
    }
}

__global__ void visits(visitor *__restrict__ all, const int *__restrict__ in, int n)
{
    for (int i = 0; i < n; i++)
        all[threadIdx.x].see(in[0]); // says: 'in' is not cached: the same element in every iteration
}

__global__ void expects(const int *__restrict__ in, int *__restrict__ out, int n)
{
    for (int i = 0; i < n; i++)
        out[threadIdx.x * n + i] += __syncthreads_count(in[threadIdx.x * n + i]); // says: a fence or a barrier
}

__global__ void conditional(const int *__restrict__ in, int *__restrict__ out, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) // says: it has preprocessor directives inside
#ifdef NDEBUG
        sum += in[threadIdx.x * n + i];
#else
        sum -= in[threadIdx.x * n + i];
#endif
    out[threadIdx.x] = sum;
}

__global__ void duff(const int *__restrict__ in, int *__restrict__ out, int n)
{
    int i = 0, sum = 0;
    switch (n & 1) {
        for (; i < n; i++) {
        case 1: // says: is entered through a case label
            sum += in[threadIdx.x * n + i];
        case 0:
            sum++;
        }
    }
    out[threadIdx.x] = sum;
}

#define MAKE(name)                                                                                                     \
    __global__ void name(const int *__restrict__ in, int *__restrict__ out, int n)                                     \
    {                                                                                                                  \
        int sum = 0;                                                                                                   \
        for (int i = 0; i < n; i++)                                                                                    \
            sum += in[threadIdx.x * n + i];                                                                            \
        out[threadIdx.x] = sum;                                                                                        \
    }
MAKE(made) // says: made: kernel not transformed: it is expanded from a macro

__global__ void goes_on(const int *__restrict__ in, int *__restrict__ out, int n) // says: goes_on: kernel not transformed: a line of it ends in a backslash
{
    int sum = 0;
    for (int i = 0; i < \
                    n; i++)
        sum += in[threadIdx.x * n + i];
    out[threadIdx.x] = sum;
}
