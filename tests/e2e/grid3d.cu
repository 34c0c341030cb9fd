// Three-dimensional grids and blocks: every thread writes its own coordinates.
#include "check.h"

struct where {
    unsigned short t[3], b[3];
};

__global__ void coordinates(where *out, unsigned *count)
{
    unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    unsigned i = block * (blockDim.x * blockDim.y * blockDim.z) + thread;
    where w = {{(unsigned short)threadIdx.x, (unsigned short)threadIdx.y, (unsigned short)threadIdx.z},
               {(unsigned short)blockIdx.x, (unsigned short)blockIdx.y, (unsigned short)blockIdx.z}};
    out[i] = w;
    atomicAdd(count, 1);
}

int main()
{
    const dim3 shapes[][2] = {{dim3(3, 4, 5), dim3(7, 3, 2)}, {dim3(1, 1, 9), dim3(1, 1, 33)}, {dim3(2, 7), dim3(5, 13)},
                              {dim3(17), dim3(1, 64, 3)}};
    for (const auto &s : shapes) {
        const dim3 g = s[0], b = s[1];
        size_t n = (size_t)g.x * g.y * g.z * b.x * b.y * b.z;
        dev<where> out(n);
        dev<unsigned> count(1);
        count.fill(0);
        coordinates<<<g, b>>>(out, count);
        RAN();
        CHECK(count.get()[0] == n);
        std::vector<where> want;
        for (unsigned bz = 0; bz < g.z; bz++)
            for (unsigned by = 0; by < g.y; by++)
                for (unsigned bx = 0; bx < g.x; bx++)
                    for (unsigned tz = 0; tz < b.z; tz++)
                        for (unsigned ty = 0; ty < b.y; ty++)
                            for (unsigned tx = 0; tx < b.x; tx++) {
                                where w = {{(unsigned short)tx, (unsigned short)ty, (unsigned short)tz},
                                           {(unsigned short)bx, (unsigned short)by, (unsigned short)bz}};
                                want.push_back(w);
                            }
        check_equal("coordinates", out.get(), want);
    }
    return check_result();
}
