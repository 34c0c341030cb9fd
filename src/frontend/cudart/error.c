/* Errors: names, texts, and the two ways to ask for the last one. */
#include "cudart/runtime.h"

static const struct {
    int code;
    const char *name, *text;
} table[] = {
#define X(value, name, text) {value, #name, text},
#include "cudart/errors.def"
#undef X
};

API const char *cudaGetErrorName(cudaError_t e)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].code == (int)e)
            return table[i].name;
    return "unrecognized error code";
}

API const char *cudaGetErrorString(cudaError_t e)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].code == (int)e)
            return table[i].text;
    return "unrecognized error code";
}

/* Also on a lost device the last error is cleared by asking for it; the next call that needs the device sets it again.
 */
static cudaError_t last_error(bool clear)
{
    rt_enter_any();
    cudaError_t e = rt_thread.last_error;
    if (clear)
        rt_thread.last_error = cudaSuccess;
    return rt_leave_quietly(e);
}

API cudaError_t cudaGetLastError(void)
{
    return last_error(true);
}

API cudaError_t cudaPeekAtLastError(void)
{
    return last_error(false);
}
