// Votes, ballots, matches, lane masks and the active mask.
#include "check.h"

__global__ void votes(unsigned *out)
{
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned *o = out + warp * 32 * 10 + lane;
    bool p = warp == 0 ? lane % 3 == 0 : warp == 1;
    o[0 * 32] = __ballot_sync(0xffffffff, p);
    o[1 * 32] = __any_sync(0xffffffff, p);
    o[2 * 32] = __all_sync(0xffffffff, p);
    o[3 * 32] = __match_any_sync(0xffffffff, lane / 5);
    int all;
    o[4 * 32] = __match_all_sync(0xffffffff, warp * 1000ull, &all);
    o[5 * 32] = all;
    o[6 * 32] = __match_all_sync(0xffffffff, lane, &all);
    o[7 * 32] = all;
    o[8 * 32] = 0;
    if (lane < 10)
        o[8 * 32] = __activemask();
    unsigned below;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    o[9 * 32] = below;
}

__global__ void leader(int *total)
{
    // One atomic per warp: the lowest active lane adds for all.
    if (threadIdx.x % 4 != 1) {
        unsigned active = __activemask();
        int first = __ffs(active) - 1;
        if ((int)(threadIdx.x % 32) == first)
            atomicAdd(total, __popc(active));
    }
}

int main()
{
    dev<unsigned> out(3 * 32 * 10);
    votes<<<1, 96>>>(out);
    RAN();
    std::vector<unsigned> want(3 * 32 * 10);
    for (unsigned warp = 0; warp < 3; warp++)
        for (unsigned lane = 0; lane < 32; lane++) {
            unsigned *o = &want[warp * 320 + lane], ballot = 0, same = 0;
            for (unsigned l = 0; l < 32; l++) {
                if (warp == 0 ? l % 3 == 0 : warp == 1)
                    ballot |= 1u << l;
                if (l / 5 == lane / 5)
                    same |= 1u << l;
            }
            o[0] = ballot;
            o[32] = ballot != 0;
            o[64] = ballot == 0xffffffff;
            o[96] = same;
            o[128] = 0xffffffff;
            o[160] = 1;
            o[192] = 0;
            o[224] = 0;
            o[256] = lane < 10 ? 0x3ff : 0;
            o[288] = (1u << lane) - 1;
        }
    check_equal("votes", out.get(), want);
    dev<int> total(1);
    total.fill(0);
    leader<<<5, 128>>>(total);
    RAN();
    CHECK(total.get()[0] == 5 * 128 * 3 / 4);
    return check_result();
}
