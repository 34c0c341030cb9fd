/*
 * Everything libcudart.so.13 exports and weir does not implement: graphics and EGL interoperability, processes that
 * share memory, external semaphores, logs. api.def lists them; each returns cudaErrorNotSupported and says so once.
 * Arguments are left where the caller put them, which the C calling convention allows.
 */
#include "cudart/runtime.h"

#define OURS(name)
#define STUB(name)                                                                                                     \
    API cudaError_t name(void)                                                                                         \
    {                                                                                                                  \
        return rt_unsupported(#name);                                                                                  \
    }
#include "cudart/api.def"
