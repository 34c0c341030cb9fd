/*
 * Inside the driver API: how its functions enter the runtime, with which they share the device, memory and every handle.
 *
 * The driver's functions are built on the runtime's. The differences: a call needs cuInit, and most need a current context;
 * the error is a CUresult; and the runtime's "last error" does not change.
 */
#ifndef WEIR_CUDART_DRIVER_H
#define WEIR_CUDART_DRIVER_H

#include "cudart/runtime.h"
#include "weir/cuda/cuda.h"

/* Where the plain name is a symbol of its own beside the newest revision, it must not mean that. */
#undef cuGetProcAddress
#undef cuDeviceGetUuid
#undef cuEventElapsedTime

#define PTR(address) ((void *)(uintptr_t)(address))

CUresult driver_result(cudaError_t);
/* Whether the driver is initialized; whether, in addition, a context is current in this thread. */
CUresult driver_started(void);
CUresult driver_ready(void);
/* driver_started, and that the device is there. */
CUresult driver_device(CUdevice);

/* The function that a plain name meant in a CUDA version; NULL when it has none, *newer when a later one has. */
void *driver_function(const char *name, int version, bool *newer);

/* Locks in any case; the result of driver_ready, or the device's error. */
CUresult driver_enter(void);
/* The same for functions that need no current context. */
CUresult driver_enter_anywhere(void);
CUresult driver_leave(CUresult);

/* Calls a function of the runtime without leaving the runtime's traces in the thread. */
#define DRIVER_CALL(ready, call)                                                                                       \
    ({                                                                                                                 \
        CUresult result_ = (ready);                                                                                    \
        if (!result_) {                                                                                                \
            const struct rt_thread before_ = rt_thread;                                                                \
            result_ = driver_result(call);                                                                             \
            rt_thread = before_;                                                                                       \
        }                                                                                                              \
        result_;                                                                                                       \
    })
/* A driver function that is one of the runtime's under another name. */
#define SAME(name, parameters, call)                                                                                   \
    API CUresult name parameters                                                                                       \
    {                                                                                                                  \
        return DRIVER_CALL(driver_ready(), call);                                                                      \
    }
/* The same, without a current context. */
#define SAME_ANYWHERE(name, parameters, call)                                                                          \
    API CUresult name parameters                                                                                       \
    {                                                                                                                  \
        return DRIVER_CALL(driver_started(), call);                                                                    \
    }

/* What JIT options ask for: the buffers for messages. */
struct jit_log {
    char *info, *error;
    size_t info_bytes, error_bytes;
    void **info_size, **error_size; /* where the number of bytes written goes */
};
struct jit_log driver_jit_log(unsigned n, const CUjit_option *options, void **values);
void driver_jit_say(const struct jit_log *, const struct err *why); /* NULL: all went well */

#endif
