// A failed assert().
// fails: assertion\.cu:8: .*assertion .threadIdx.x < 20. failed.*thread \(20,0,0\).*cudaErrorAssert
#include <cassert>
#include "fault.h"

__global__ void checked()
{
    assert(threadIdx.x < 20);
}

int main()
{
    checked<<<1, 32>>>();
    return finish();
}
