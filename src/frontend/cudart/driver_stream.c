/* Streams, events, capture and the launch of graphs in the driver API. */
#include "cudart/driver.h"

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *, unsigned, int);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamQuery(cudaStream_t);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned);
cudaError_t cudaStreamAddCallback(cudaStream_t, cudaStreamCallback_t, void *, unsigned);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void *, size_t, unsigned);
cudaError_t cudaStreamGetPriority(cudaStream_t, int *);
cudaError_t cudaStreamGetFlags(cudaStream_t, unsigned *);
cudaError_t cudaStreamGetId(cudaStream_t, unsigned long long *);
cudaError_t cudaStreamBeginCapture(cudaStream_t, int);
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t *);
cudaError_t cudaStreamIsCapturing(cudaStream_t, int *);
cudaError_t cudaThreadExchangeStreamCaptureMode(int *);
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *, cudaGraph_t, unsigned long long);
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t);
cudaError_t cudaGraphDestroy(cudaGraph_t);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *, unsigned);
cudaError_t cudaEventRecordWithFlags(cudaEvent_t, cudaStream_t, unsigned);
cudaError_t cudaEventQuery(cudaEvent_t);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float *, cudaEvent_t, cudaEvent_t);
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);

SAME(cuStreamCreate, (CUstream * s, unsigned flags), cudaStreamCreateWithPriority(s, flags, 0))
SAME(cuStreamCreateWithPriority, (CUstream * s, unsigned flags, int priority),
     cudaStreamCreateWithPriority(s, flags, priority))
SAME(cuStreamDestroy_v2, (CUstream s), cudaStreamDestroy(s))
SAME(cuStreamQuery, (CUstream s), cudaStreamQuery(s))
SAME(cuStreamSynchronize, (CUstream s), cudaStreamSynchronize(s))
SAME(cuStreamWaitEvent, (CUstream s, CUevent e, unsigned flags), cudaStreamWaitEvent(s, e, flags))
SAME(cuStreamAddCallback, (CUstream s, CUstreamCallback fn, void *user, unsigned flags),
     cudaStreamAddCallback(s, (cudaStreamCallback_t)(void *)fn, user, flags)) /* the codes agree: it gets 0 */
SAME(cuStreamAttachMemAsync, (CUstream s, CUdeviceptr p, size_t n, unsigned flags),
     cudaStreamAttachMemAsync(s, PTR(p), n, flags))
SAME(cuStreamGetPriority, (CUstream s, int *priority), cudaStreamGetPriority(s, priority))
SAME(cuStreamGetFlags, (CUstream s, unsigned *flags), cudaStreamGetFlags(s, flags))
SAME(cuStreamGetId, (CUstream s, unsigned long long *id), cudaStreamGetId(s, id))

/* Enumerations cross the boundary as int, which they are on x86-64. */
SAME(cuStreamBeginCapture_v2, (CUstream s, CUstreamCaptureMode mode), cudaStreamBeginCapture(s, (int)mode))
SAME(cuStreamEndCapture, (CUstream s, CUgraph *graph), cudaStreamEndCapture(s, graph))
SAME(cuStreamIsCapturing, (CUstream s, CUstreamCaptureStatus *status), cudaStreamIsCapturing(s, (int *)status))
SAME(cuThreadExchangeStreamCaptureMode, (CUstreamCaptureMode * mode), cudaThreadExchangeStreamCaptureMode((int *)mode))
SAME(cuGraphInstantiateWithFlags, (CUgraphExec * exec, CUgraph graph, unsigned long long flags),
     cudaGraphInstantiateWithFlags(exec, graph, flags))
SAME(cuGraphLaunch, (CUgraphExec exec, CUstream s), cudaGraphLaunch(exec, s))
SAME(cuGraphExecDestroy, (CUgraphExec exec), cudaGraphExecDestroy(exec))
SAME(cuGraphDestroy, (CUgraph graph), cudaGraphDestroy(graph))

SAME(cuEventCreate, (CUevent * e, unsigned flags), cudaEventCreateWithFlags(e, flags))
SAME(cuEventRecord, (CUevent e, CUstream s), cudaEventRecordWithFlags(e, s, 0))
SAME(cuEventRecordWithFlags, (CUevent e, CUstream s, unsigned flags), cudaEventRecordWithFlags(e, s, flags))
SAME(cuEventQuery, (CUevent e), cudaEventQuery(e))
SAME(cuEventSynchronize, (CUevent e), cudaEventSynchronize(e))
SAME(cuEventDestroy_v2, (CUevent e), cudaEventDestroy(e))
SAME(cuEventElapsedTime, (float *ms, CUevent start, CUevent end), cudaEventElapsedTime(ms, start, end))
SAME(cuEventElapsedTime_v2, (float *ms, CUevent start, CUevent end), cudaEventElapsedTime(ms, start, end))
SAME(cuProfilerStart, (void), cudaProfilerStart())
SAME(cuProfilerStop, (void), cudaProfilerStop())
