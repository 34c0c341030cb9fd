// An address that was never allocated.
// fails: invalid global write of 4 bytes at address 0x123456789abc.*wild_pointer\.cu:5.*cudaErrorIllegalAddress
#include "fault.h"

__global__ void scribble(unsigned long long address) { *(int *)address = 1; }

int main()
{
    scribble<<<1, 1>>>(0x123456789abcull);
    return finish();
}
