// NVTX by both names: nothing happens, and nothing is missing.
// only: clang
// flags: -lnvToolsExt
#include "check.h"

#include <cstdint>
#include <cuda_device_runtime_api.h>
#include <nvToolsExt.h>
#include <nvtx3/nvToolsExt.h>

__global__ void nothing() {}

int main()
{
    nvtxEventAttributes_t e = {};
    e.version = NVTX_VERSION;
    e.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    e.messageType = NVTX_MESSAGE_TYPE_ASCII;
    e.message.ascii = "range";
    nvtxRangePushEx(&e);
    nvtxRangePush("inner");
    nothing<<<1, 1>>>();
    RAN();
    CHECK(nvtxRangePop() == NVTX_NO_PUSH_POP_TRACKING);
    nvtxRangePop();
    nvtxRangeEnd(nvtxRangeStart("other"));
    nvtxMark("end");
    return check_result();
}
