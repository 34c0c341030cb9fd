// A null pointer, with an offset.
// fails: at address 0x14: the address is a null pointer.*null_pointer\.cu:9.*cudaErrorIllegalAddress
#include "fault.h"

struct thing {
    int pad[5], value;
};

__global__ void touch(thing *t) { t->value++; }

int main()
{
    touch<<<1, 1>>>(NULL);
    return finish();
}
