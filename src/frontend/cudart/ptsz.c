/*
 * The _ptsz and _ptds entry points: what programs built with -default-stream per-thread call. The same functions, with
 * stream 0 meaning the thread's own stream.
 */
#include "cudart/runtime.h"

static cudaStream_t own(cudaStream_t s)
{
    return s ? s : CUDA_STREAM_PER_THREAD;
}

/* X(function, suffix, parameters, arguments); */
#define FUNCTIONS(X)                                                                                                   \
    X(__cudaLaunchKernel, ptsz, (cudaKernel_t f, dim3 g, dim3 b, void **a, size_t n, cudaStream_t s),                  \
      (f, g, b, a, n, own(s)))                                                                                         \
    X(cudaLaunchKernel, ptsz, (const void *f, dim3 g, dim3 b, void **a, size_t n, cudaStream_t s),                     \
      (f, g, b, a, n, own(s)))                                                                                         \
    X(cudaLaunchCooperativeKernel, ptsz, (const void *f, dim3 g, dim3 b, void **a, size_t n, cudaStream_t s),          \
      (f, g, b, a, n, own(s)))                                                                                         \
    X(cudaLaunchHostFunc, ptsz, (cudaStream_t s, cudaHostFn_t f, void *u), (own(s), f, u))                             \
    X(cudaEventRecord, ptsz, (cudaEvent_t e, cudaStream_t s), (e, own(s)))                                             \
    X(cudaEventRecordWithFlags, ptsz, (cudaEvent_t e, cudaStream_t s, unsigned f), (e, own(s), f))                     \
    X(cudaFreeAsync, ptsz, (void *p, cudaStream_t s), (p, own(s)))                                                     \
    X(cudaMallocAsync, ptsz, (void **p, size_t n, cudaStream_t s), (p, n, own(s)))                                     \
    X(cudaMallocFromPoolAsync, ptsz, (void **p, size_t n, cudaMemPool_t m, cudaStream_t s), (p, n, m, own(s)))         \
    X(cudaGraphLaunch, ptsz, (cudaGraphExec_t x, cudaStream_t s), (x, own(s)))                                         \
    X(cudaGraphUpload, ptsz, (cudaGraphExec_t x, cudaStream_t s), (x, own(s)))                                         \
    X(cudaGraphInstantiateWithParams, ptsz, (cudaGraphExec_t * x, cudaGraph_t g, cudaGraphInstantiateParams * p),      \
      (x, g, p))                                                                                                       \
    X(cudaMemPrefetchAsync, ptsz, (const void *p, size_t n, struct cudaMemLocation l, unsigned f, cudaStream_t s),     \
      (p, n, l, f, own(s)))                                                                                            \
    X(cudaMemcpyAsync, ptsz, (void *d, const void *s, size_t n, int k, cudaStream_t t), (d, s, n, k, own(t)))          \
    X(cudaMemcpy, ptds, (void *d, const void *s, size_t n, int k), (d, s, n, k))                                       \
    X(cudaMemcpy2DAsync, ptsz,                                                                                         \
      (void *d, size_t dp, const void *s, size_t sp, size_t w, size_t h, int k, cudaStream_t t),                       \
      (d, dp, s, sp, w, h, k, own(t)))                                                                                 \
    X(cudaMemcpy2D, ptds, (void *d, size_t dp, const void *s, size_t sp, size_t w, size_t h, int k),                   \
      (d, dp, s, sp, w, h, k))                                                                                         \
    X(cudaMemcpy2DToArrayAsync, ptsz,                                                                                  \
      (cudaArray_t d, size_t x, size_t y, const void *s, size_t p, size_t w, size_t h, int k, cudaStream_t t),         \
      (d, x, y, s, p, w, h, k, own(t)))                                                                                \
    X(cudaMemcpy2DToArray, ptds,                                                                                       \
      (cudaArray_t d, size_t x, size_t y, const void *s, size_t p, size_t w, size_t h, int k),                         \
      (d, x, y, s, p, w, h, k))                                                                                        \
    X(cudaMemcpy2DFromArrayAsync, ptsz,                                                                                \
      (void *d, size_t p, cudaArray_t s, size_t x, size_t y, size_t w, size_t h, int k, cudaStream_t t),               \
      (d, p, s, x, y, w, h, k, own(t)))                                                                                \
    X(cudaMemcpy2DFromArray, ptds, (void *d, size_t p, cudaArray_t s, size_t x, size_t y, size_t w, size_t h, int k),  \
      (d, p, s, x, y, w, h, k))                                                                                        \
    X(cudaMemcpy2DArrayToArray, ptds,                                                                                  \
      (cudaArray_t d, size_t dx, size_t dy, cudaArray_t s, size_t sx, size_t sy, size_t w, size_t h, int k),           \
      (d, dx, dy, s, sx, sy, w, h, k))                                                                                 \
    X(cudaMemcpyToArrayAsync, ptsz,                                                                                    \
      (cudaArray_t d, size_t x, size_t y, const void *s, size_t n, int k, cudaStream_t t), (d, x, y, s, n, k, own(t))) \
    X(cudaMemcpyToArray, ptds, (cudaArray_t d, size_t x, size_t y, const void *s, size_t n, int k),                    \
      (d, x, y, s, n, k))                                                                                              \
    X(cudaMemcpyFromArrayAsync, ptsz, (void *d, cudaArray_t s, size_t x, size_t y, size_t n, int k, cudaStream_t t),   \
      (d, s, x, y, n, k, own(t)))                                                                                      \
    X(cudaMemcpyFromArray, ptds, (void *d, cudaArray_t s, size_t x, size_t y, size_t n, int k), (d, s, x, y, n, k))    \
    X(cudaMemcpyArrayToArray, ptds,                                                                                    \
      (cudaArray_t d, size_t dx, size_t dy, cudaArray_t s, size_t sx, size_t sy, size_t n, int k),                     \
      (d, dx, dy, s, sx, sy, n, k))                                                                                    \
    X(cudaMemcpy3DAsync, ptsz, (const struct cudaMemcpy3DParms *p, cudaStream_t s), (p, own(s)))                       \
    X(cudaMemcpy3D, ptds, (const struct cudaMemcpy3DParms *p), (p))                                                    \
    X(cudaMemcpy3DPeerAsync, ptsz, (const struct cudaMemcpy3DPeerParms *p, cudaStream_t s), (p, own(s)))               \
    X(cudaMemcpy3DPeer, ptds, (const struct cudaMemcpy3DPeerParms *p), (p))                                            \
    X(cudaMemcpyBatchAsync, ptsz,                                                                                      \
      (void *const *d, const void *const *s, const size_t *n, size_t c, void *a, size_t *i, size_t m, cudaStream_t t), \
      (d, s, n, c, a, i, m, own(t)))                                                                                   \
    X(cudaMemcpyToSymbolAsync, ptsz, (const void *y, const void *s, size_t n, size_t o, int k, cudaStream_t t),        \
      (y, s, n, o, k, own(t)))                                                                                         \
    X(cudaMemcpyToSymbol, ptds, (const void *y, const void *s, size_t n, size_t o, int k), (y, s, n, o, k))            \
    X(cudaMemcpyFromSymbolAsync, ptsz, (void *d, const void *y, size_t n, size_t o, int k, cudaStream_t t),            \
      (d, y, n, o, k, own(t)))                                                                                         \
    X(cudaMemcpyFromSymbol, ptds, (void *d, const void *y, size_t n, size_t o, int k), (d, y, n, o, k))                \
    X(cudaMemsetAsync, ptsz, (void *p, int v, size_t n, cudaStream_t s), (p, v, n, own(s)))                            \
    X(cudaMemset, ptds, (void *p, int v, size_t n), (p, v, n))                                                         \
    X(cudaMemset2DAsync, ptsz, (void *p, size_t q, int v, size_t w, size_t h, cudaStream_t s),                         \
      (p, q, v, w, h, own(s)))                                                                                         \
    X(cudaMemset2D, ptds, (void *p, size_t q, int v, size_t w, size_t h), (p, q, v, w, h))                             \
    X(cudaMemset3DAsync, ptsz, (struct cudaPitchedPtr p, int v, struct cudaExtent n, cudaStream_t s),                  \
      (p, v, n, own(s)))                                                                                               \
    X(cudaMemset3D, ptds, (struct cudaPitchedPtr p, int v, struct cudaExtent n), (p, v, n))                            \
    X(cudaStreamAddCallback, ptsz, (cudaStream_t s, cudaStreamCallback_t c, void *u, unsigned f), (own(s), c, u, f))   \
    X(cudaStreamAttachMemAsync, ptsz, (cudaStream_t s, void *p, size_t n, unsigned f), (own(s), p, n, f))              \
    X(cudaStreamBeginCapture, ptsz, (cudaStream_t s, int m), (own(s), m))                                              \
    X(cudaStreamBeginCaptureToGraph, ptsz,                                                                             \
      (cudaStream_t s, cudaGraph_t g, const cudaGraphNode_t *d, const cudaGraphEdgeData *e, size_t n, int m),          \
      (own(s), g, d, e, n, m))                                                                                         \
    X(cudaStreamEndCapture, ptsz, (cudaStream_t s, cudaGraph_t * g), (own(s), g))                                      \
    X(cudaStreamIsCapturing, ptsz, (cudaStream_t s, int *o), (own(s), o))                                              \
    X(cudaStreamGetCaptureInfo, ptsz,                                                                                  \
      (cudaStream_t s, int *o, unsigned long long *i, cudaGraph_t *g, const cudaGraphNode_t **d,                       \
       const cudaGraphEdgeData **e, size_t *n),                                                                        \
      (own(s), o, i, g, d, e, n))                                                                                      \
    X(cudaStreamUpdateCaptureDependencies, ptsz,                                                                       \
      (cudaStream_t s, cudaGraphNode_t * d, const cudaGraphEdgeData *e, size_t n, unsigned f), (own(s), d, e, n, f))   \
    X(cudaStreamCopyAttributes, ptsz, (cudaStream_t d, cudaStream_t s), (own(d), own(s)))                              \
    X(cudaStreamGetAttribute, ptsz, (cudaStream_t s, int a, union cudaLaunchAttributeValue *o), (own(s), a, o))        \
    X(cudaStreamSetAttribute, ptsz, (cudaStream_t s, int a, const union cudaLaunchAttributeValue *v), (own(s), a, v))  \
    X(cudaStreamGetDevice, ptsz, (cudaStream_t s, int *o), (own(s), o))                                                \
    X(cudaStreamGetFlags, ptsz, (cudaStream_t s, unsigned *o), (own(s), o))                                            \
    X(cudaStreamGetId, ptsz, (cudaStream_t s, unsigned long long *o), (own(s), o))                                     \
    X(cudaStreamGetPriority, ptsz, (cudaStream_t s, int *o), (own(s), o))                                              \
    X(cudaStreamQuery, ptsz, (cudaStream_t s), (own(s)))                                                               \
    X(cudaStreamSynchronize, ptsz, (cudaStream_t s), (own(s)))                                                         \
    X(cudaStreamWaitEvent, ptsz, (cudaStream_t s, cudaEvent_t e, unsigned f), (own(s), e, f))

#define X(function, suffix, parameters, arguments)                                                                     \
    cudaError_t function parameters;                                                                                   \
    API cudaError_t function##_##suffix parameters                                                                     \
    {                                                                                                                  \
        return function arguments;                                                                                     \
    }
FUNCTIONS(X)
#undef X

/* Three that do not fit: the stream is inside a structure, or there is none. */
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *, const void *, void **);
API cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *c, const void *f, void **a)
{
    if (!c)
        return cudaLaunchKernelExC(c, f, a);
    cudaLaunchConfig_t copy = *c;
    copy.stream = own(c->stream);
    return cudaLaunchKernelExC(&copy, f, a);
}

cudaError_t cudaGetDriverEntryPoint(const char *, void **, unsigned long long, int *);
API cudaError_t cudaGetDriverEntryPoint_ptsz(const char *n, void **f, unsigned long long g, int *s)
{
    return cudaGetDriverEntryPoint(n, f, g, s);
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *, void **, unsigned, unsigned long long, int *);
API cudaError_t cudaGetDriverEntryPointByVersion_ptsz(const char *n, void **f, unsigned v, unsigned long long g, int *s)
{
    return cudaGetDriverEntryPointByVersion(n, f, v, g, s);
}
