// Templates that ask what a type has by overloads with an ellipsis, which are declared for the device and never called.
#include "check.h"

template <class T> __host__ __device__ char has_type(...);
template <class T> __host__ __device__ double has_type(typename T::type *);
struct with {
    typedef int type;
};

template <class T> __device__ char test_size(...) { return 0; }

__global__ void ask(int *out)
{
    out[0] = sizeof has_type<with>(0) == sizeof(double);
    out[1] = sizeof has_type<int>(0) == sizeof(double);
    out[2] = sizeof(test_size<int>(1, 2));
}

int main()
{
    dev<int> out(3);
    ask<<<1, 1>>>(out);
    RAN();
    check_equal("asked", out.get(), std::vector<int>{1, 0, 1});
    return check_result();
}
