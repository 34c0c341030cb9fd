// printf from kernels: every conversion, one line per thread, in order within a thread.
// expect: thread 0 of block 0: 1 0x10 c 2.50 -7 text
// expect: thread 1 of block 1: 2 0x11 d 3.50 -8 text
// expect: 18446744073709551615 -9223372036854775808 1.234500e+03 100%
// expect: [   42] [42   ] [00042] [+42] [3.14] [0x2a]
// expect: first
// expect: second
#include "check.h"

__global__ void speak()
{
    int t = threadIdx.x, b = blockIdx.x;
    if (t == b)
        printf("thread %d of block %d: %u 0x%x %c %.2f %ld %s\n", t, b, t + 1, 16 + t, 'c' + t, 2.5 + t, -7L - t, "text");
}
__global__ void formats()
{
    printf("%llu %lld %e 100%%\n", 0xffffffffffffffffull, (long long)0x8000000000000000ull, 1234.5);
    printf("[%5d] [%-5d] [%05d] [%+d] [%.*f] [%#x]\n", 42, 42, 42, 42, 2, 3.14159, 42);
    printf("first\n");
    printf("second\n");
}

int main()
{
    speak<<<2, 2>>>();
    RAN();
    formats<<<1, 1>>>();
    RAN();
    return check_result();
}
