/*
 * The error codes of the runtime's graphs, as cudart_errors.cu has those of the rest. Most functions about nodes come in
 * sets, one per kind of node, and the same mistakes are made with each.
 */
#include "cudart_errors.h"

__global__ void store(int *p, int v)
{
    *p = v;
}
__device__ int var[4];

static const cudaGraph_t bad_graph = (cudaGraph_t)other;
static const cudaGraphNode_t bad_node = (cudaGraphNode_t)other;
static const cudaGraphExec_t bad_exec = (cudaGraphExec_t)other;
static const cudaEvent_t bad_event = (cudaEvent_t)other;
static const cudaStream_t bad_stream = (cudaStream_t)other;

static void CUDART_CB call(void *) {}

static int *p = NULL, v = 1;
static void *args[] = {&p, &v};

static cudaKernelNodeParams kernel_params()
{
    cudaKernelNodeParams k = {};
    k.func = (void *)store;
    k.gridDim = k.blockDim = dim3(1);
    k.kernelParams = args;
    p = (int *)dev;
    return k;
}

static cudaMemcpy3DParms copy_params()
{
    cudaMemcpy3DParms c = {};
    c.srcPtr = make_cudaPitchedPtr(host, 16, 16, 1);
    c.dstPtr = make_cudaPitchedPtr(dev, 16, 16, 1);
    c.extent = make_cudaExtent(16, 1, 1);
    c.kind = H2D;
    return c;
}

static cudaMemsetParams memset_params()
{
    cudaMemsetParams m = {};
    m.dst = dev;
    m.elementSize = 4;
    m.width = 4;
    m.height = 1;
    return m;
}

static cudaMemAllocNodeParams alloc_params()
{
    cudaMemAllocNodeParams a = {};
    a.poolProps.allocType = cudaMemAllocationTypePinned;
    a.poolProps.location.type = cudaMemLocationTypeDevice;
    a.bytesize = 64;
    return a;
}

/* The mistakes that every cudaGraphAdd...Node can be given: no result, no graph, dependencies that are none. */
#define ADD(function, ...)                                                                                             \
    D(VALUE, function(NULL, g, NULL, 0, __VA_ARGS__));                                                                 \
    D(VALUE, function(&n, bad_graph, NULL, 0, __VA_ARGS__));                                                           \
    D(VALUE, function(&n, g, NULL, 1, __VA_ARGS__));                                                                   \
    D(VALUE, function(&n, g, &bad_node, 1, __VA_ARGS__))

static void adding()
{
    cudaGraph_t g, child;
    cudaGraphNode_t n;
    cudaEvent_t ev;
    cudaKernelNodeParams k = kernel_params(), k2 = k;
    cudaMemcpy3DParms c = copy_params(), c2 = c;
    cudaMemsetParams m = memset_params(), m2 = m;
    cudaMemAllocNodeParams a = alloc_params();
    cudaHostNodeParams h = {call, NULL}, none = {};
    cudaGraphNodeParams any = {}, any2 = {};
    any.type = cudaGraphNodeTypeHost;
    any.host.fn = call;
    cudaEventCreate(&ev);

    D(VALUE, cudaGraphCreate(NULL, 0));
    D(VALUE, cudaGraphCreate(&g, 1));
    cudaGraphCreate(&g, 0);
    cudaGraphCreate(&child, 0);
    ADD(cudaGraphAddKernelNode, &k);
    D(VALUE, cudaGraphAddKernelNode(&n, g, NULL, 0, NULL));
    D(cudaErrorInvalidDeviceFunction, (k2.func = other, cudaGraphAddKernelNode(&n, g, NULL, 0, &k2)));
    D(VALUE, (k2 = k, k2.blockDim = dim3(1 << 20), cudaGraphAddKernelNode(&n, g, NULL, 0, &k2)));
    D(VALUE, (k2 = k, k2.kernelParams = NULL, cudaGraphAddKernelNode(&n, g, NULL, 0, &k2)));
    ADD(cudaGraphAddMemcpyNode, &c);
    D(VALUE, cudaGraphAddMemcpyNode(&n, g, NULL, 0, NULL));
    D(VALUE, (c2.extent.width = N + 1, cudaGraphAddMemcpyNode(&n, g, NULL, 0, &c2)));
    E(DIRECTION, (c2 = c, c2.kind = NOWHERE, cudaGraphAddMemcpyNode(&n, g, NULL, 0, &c2)));
    ADD(cudaGraphAddMemcpyNode1D, dev, host, 16, H2D);
    D(VALUE, cudaGraphAddMemcpyNode1D(&n, g, NULL, 0, NULL, host, 16, H2D));
    E(DIRECTION, cudaGraphAddMemcpyNode1D(&n, g, NULL, 0, dev, host, 16, NOWHERE));
    ADD(cudaGraphAddMemcpyNodeToSymbol, var, host, 16, 0, H2D);
    D(VALUE, cudaGraphAddMemcpyNodeToSymbol(&n, g, NULL, 0, var, host, 16, 4, H2D));
    E(SYMBOL, cudaGraphAddMemcpyNodeToSymbol(&n, g, NULL, 0, &not_a_symbol, host, 4, 0, H2D));
    ADD(cudaGraphAddMemcpyNodeFromSymbol, host, var, 16, 0, D2H);
    D(VALUE, cudaGraphAddMemcpyNodeFromSymbol(&n, g, NULL, 0, host, var, 16, SIZE_MAX, D2H));
    E(SYMBOL, cudaGraphAddMemcpyNodeFromSymbol(&n, g, NULL, 0, host, &not_a_symbol, 4, 0, D2H));
    ADD(cudaGraphAddMemsetNode, &m);
    D(VALUE, cudaGraphAddMemsetNode(&n, g, NULL, 0, NULL));
    D(VALUE, (m2.elementSize = 3, cudaGraphAddMemsetNode(&n, g, NULL, 0, &m2)));
    D(VALUE, (m2 = m, m2.width = N, cudaGraphAddMemsetNode(&n, g, NULL, 0, &m2)));
    D(VALUE, (m2 = m, m2.dst = NULL, cudaGraphAddMemsetNode(&n, g, NULL, 0, &m2)));
    ADD(cudaGraphAddHostNode, &h);
    D(VALUE, cudaGraphAddHostNode(&n, g, NULL, 0, NULL));
    D(VALUE, cudaGraphAddHostNode(&n, g, NULL, 0, &none));
    ADD(cudaGraphAddChildGraphNode, child);
    D(VALUE, cudaGraphAddChildGraphNode(&n, g, NULL, 0, bad_graph));
    D(VALUE, cudaGraphAddEmptyNode(NULL, g, NULL, 0));
    D(VALUE, cudaGraphAddEmptyNode(&n, bad_graph, NULL, 0));
    D(VALUE, cudaGraphAddEmptyNode(&n, g, &bad_node, 1));
    ADD(cudaGraphAddEventRecordNode, ev);
    E(HANDLE, cudaGraphAddEventRecordNode(&n, g, NULL, 0, bad_event));
    ADD(cudaGraphAddEventWaitNode, ev);
    E(HANDLE, cudaGraphAddEventWaitNode(&n, g, NULL, 0, bad_event));
    ADD(cudaGraphAddMemAllocNode, &a);
    D(VALUE, cudaGraphAddMemAllocNode(&n, g, NULL, 0, NULL));
    D(VALUE, (a = alloc_params(), a.bytesize = 0, cudaGraphAddMemAllocNode(&n, g, NULL, 0, &a)));
    D(MEMORY, (a = alloc_params(), a.bytesize = HUGE_BYTES, cudaGraphAddMemAllocNode(&n, g, NULL, 0, &a)));
    D(VALUE, (a = alloc_params(), a.poolProps.location.id = 7, cudaGraphAddMemAllocNode(&n, g, NULL, 0, &a)));
    D(VALUE, (a = alloc_params(), a.poolProps.allocType = (cudaMemAllocationType)77,
              cudaGraphAddMemAllocNode(&n, g, NULL, 0, &a)));
    D(cudaErrorNotSupported, (a = alloc_params(), a.poolProps.handleTypes = cudaMemHandleTypePosixFileDescriptor,
                              cudaGraphAddMemAllocNode(&n, g, NULL, 0, &a)));
    ADD(cudaGraphAddMemFreeNode, dev);
    D(VALUE, cudaGraphAddMemFreeNode(&n, g, NULL, 0, host));
    D(VALUE, cudaGraphAddNode(NULL, g, NULL, NULL, 0, &any));
    D(VALUE, cudaGraphAddNode(&n, bad_graph, NULL, NULL, 0, &any));
    D(VALUE, cudaGraphAddNode(&n, g, NULL, NULL, 0, NULL));
    D(VALUE, cudaGraphAddNode(&n, g, &bad_node, NULL, 1, &any));
    any2.type = cudaGraphNodeTypeKernel;
    any2.kernel.func = other;
    D(cudaErrorInvalidDeviceFunction, cudaGraphAddNode(&n, g, NULL, NULL, 0, &any2));
    any2.type = cudaGraphNodeTypeConditional;
    D(VALUE, cudaGraphAddNode(&n, g, NULL, NULL, 0, &any2)); /* no such handle */
    cudaGraphConditionalHandle condition;
    D(VALUE, cudaGraphConditionalHandleCreate(NULL, g, 0, 0));
    D(VALUE, cudaGraphConditionalHandleCreate(&condition, bad_graph, 0, 0));
    D(VALUE, cudaGraphConditionalHandleCreate(&condition, g, 0, 2));
    D(OK, cudaGraphConditionalHandleCreate(&condition, g, 0, 0));
    any2.conditional.handle = condition;
    any2.conditional.type = cudaGraphCondTypeWhile;
    D(VALUE, (any2.conditional.size = 0, cudaGraphAddNode(&n, g, NULL, NULL, 0, &any2)));
    D(VALUE, (any2.conditional.size = 2, cudaGraphAddNode(&n, g, NULL, NULL, 0, &any2)));
    D(cudaErrorNotSupported, (any2.type = cudaGraphNodeTypeExtSemaphoreWait, cudaGraphAddNode(&n, g, NULL, NULL, 0, &any2)));
    D(VALUE, (any2.type = (cudaGraphNodeType)99, cudaGraphAddNode(&n, g, NULL, NULL, 0, &any2)));
    size_t nodes = 1;
    D(OK, (cudaGraphGetNodes(g, NULL, &nodes), nodes ? VALUE : OK)); /* no mistake left a node behind */
    D(OK, cudaGraphDestroy(child));
    D(OK, cudaGraphDestroy(g));
    D(VALUE, cudaGraphDestroy(g));
    cudaEventDestroy(ev);
}

/* The mistakes that every getter of a node's parameters can be given: no node, another kind of node, no result. */
#define GET(function, node, out)                                                                                       \
    D(VALUE, function(bad_node, out));                                                                                 \
    D(VALUE, function(node == empty ? kernel : empty, out));                                                           \
    D(VALUE, function(node, NULL))
/* The same for setters, in a graph and in its executable form. */
#define SET(function, node, ...)                                                                                       \
    D(VALUE, function(bad_node, __VA_ARGS__));                                                                         \
    D(VALUE, function(empty, __VA_ARGS__));                                                                            \
    D(OK, function(node, __VA_ARGS__))
#define SET_EXEC(function, node, ...)                                                                                  \
    D(VALUE, function(bad_exec, node, __VA_ARGS__));                                                                   \
    D(VALUE, function(x, bad_node, __VA_ARGS__));                                                                      \
    D(VALUE, function(x, empty, __VA_ARGS__));                                                                         \
    D(OK, function(x, node, __VA_ARGS__))

static void nodes()
{
    cudaGraph_t g, child, got_graph;
    cudaGraphExec_t x;
    cudaGraphNode_t empty, kernel, copy, set, host_node, child_node, record, wait, alloc, release, list[4];
    cudaEvent_t ev, got_event;
    cudaKernelNodeParams k = kernel_params(), k_got;
    cudaMemcpy3DParms c = copy_params(), c_got;
    cudaMemsetParams m = memset_params(), m_got;
    cudaHostNodeParams h = {call, NULL}, h_got, h_none = {};
    cudaMemAllocNodeParams a = alloc_params(), a_got;
    cudaGraphNodeParams any = {}, any_bad = {};
    cudaKernelNodeAttrValue value = {};
    cudaGraphNodeType type;
    void *freed;
    size_t count = 4;
    unsigned enabled;
    cudaEventCreate(&ev);
    cudaGraphCreate(&g, 0);
    cudaGraphCreate(&child, 0);
    cudaGraphAddEmptyNode(&empty, g, NULL, 0);
    cudaGraphAddKernelNode(&kernel, g, NULL, 0, &k);
    cudaGraphAddMemcpyNode(&copy, g, NULL, 0, &c);
    cudaGraphAddMemsetNode(&set, g, NULL, 0, &m);
    cudaGraphAddHostNode(&host_node, g, NULL, 0, &h);
    cudaGraphAddChildGraphNode(&child_node, g, NULL, 0, child);
    cudaGraphAddEventRecordNode(&record, g, NULL, 0, ev);
    cudaGraphAddEventWaitNode(&wait, g, NULL, 0, ev);
    cudaGraphAddMemAllocNode(&alloc, g, NULL, 0, &a);
    cudaGraphAddMemFreeNode(&release, g, &alloc, 1, a.dptr);
    D(OK, cudaGraphInstantiate(&x, g, 0));

    GET(cudaGraphKernelNodeGetParams, kernel, &k_got);
    GET(cudaGraphMemcpyNodeGetParams, copy, &c_got);
    GET(cudaGraphMemsetNodeGetParams, set, &m_got);
    GET(cudaGraphHostNodeGetParams, host_node, &h_got);
    GET(cudaGraphChildGraphNodeGetGraph, child_node, &got_graph);
    GET(cudaGraphEventRecordNodeGetEvent, record, &got_event);
    GET(cudaGraphEventWaitNodeGetEvent, wait, &got_event);
    GET(cudaGraphMemAllocNodeGetParams, alloc, &a_got);
    GET(cudaGraphMemFreeNodeGetParams, release, &freed);
    D(VALUE, cudaGraphNodeGetType(bad_node, &type));
    D(VALUE, cudaGraphNodeGetType(kernel, NULL));

    SET(cudaGraphKernelNodeSetParams, kernel, &k);
    D(VALUE, cudaGraphKernelNodeSetParams(kernel, NULL));
    SET(cudaGraphMemcpyNodeSetParams, copy, &c);
    D(VALUE, cudaGraphMemcpyNodeSetParams(copy, NULL));
    SET(cudaGraphMemcpyNodeSetParams1D, copy, dev, host, 16, H2D);
    D(VALUE, cudaGraphMemcpyNodeSetParams1D(copy, dev, host, N + 1, H2D));
    SET(cudaGraphMemcpyNodeSetParamsToSymbol, copy, var, host, 16, 0, H2D);
    D(VALUE, cudaGraphMemcpyNodeSetParamsToSymbol(copy, var, host, 16, 4, H2D));
    SET(cudaGraphMemcpyNodeSetParamsFromSymbol, copy, host, var, 16, 0, D2H);
    D(VALUE, cudaGraphMemcpyNodeSetParamsFromSymbol(copy, host, var, 20, 0, D2H));
    SET(cudaGraphMemsetNodeSetParams, set, &m);
    D(VALUE, cudaGraphMemsetNodeSetParams(set, NULL));
    SET(cudaGraphHostNodeSetParams, host_node, &h);
    D(VALUE, cudaGraphHostNodeSetParams(host_node, &h_none));
    SET(cudaGraphEventRecordNodeSetEvent, record, ev);
    E(HANDLE, cudaGraphEventRecordNodeSetEvent(record, bad_event));
    SET(cudaGraphEventWaitNodeSetEvent, wait, ev);
    E(HANDLE, cudaGraphEventWaitNodeSetEvent(wait, bad_event));
    any.type = cudaGraphNodeTypeHost;
    any.host.fn = call;
    any_bad.type = cudaGraphNodeTypeKernel;
    any_bad.kernel.func = other;
    D(OK, cudaGraphNodeSetParams(host_node, &any));
    D(VALUE, cudaGraphNodeSetParams(bad_node, &any));
    D(VALUE, cudaGraphNodeSetParams(kernel, &any)); /* another kind */
    D(VALUE, cudaGraphNodeSetParams(kernel, NULL));
    D(cudaErrorInvalidDeviceFunction, cudaGraphNodeSetParams(kernel, &any_bad));
    D(cudaErrorNotSupported, (any_bad.type = cudaGraphNodeTypeExtSemaphoreWait, cudaGraphNodeSetParams(kernel, &any_bad)));

    SET_EXEC(cudaGraphExecKernelNodeSetParams, kernel, &k);
    D(VALUE, cudaGraphExecKernelNodeSetParams(x, kernel, NULL));
    SET_EXEC(cudaGraphExecMemcpyNodeSetParams, copy, &c);
    SET_EXEC(cudaGraphExecMemcpyNodeSetParams1D, copy, dev, host, 16, H2D);
    SET_EXEC(cudaGraphExecMemcpyNodeSetParamsToSymbol, copy, var, host, 16, 0, H2D);
    SET_EXEC(cudaGraphExecMemcpyNodeSetParamsFromSymbol, copy, host, var, 16, 0, D2H);
    SET_EXEC(cudaGraphExecMemsetNodeSetParams, set, &m);
    SET_EXEC(cudaGraphExecHostNodeSetParams, host_node, &h);
    SET_EXEC(cudaGraphExecChildGraphNodeSetParams, child_node, child);
    D(VALUE, cudaGraphExecChildGraphNodeSetParams(x, child_node, bad_graph));
    SET_EXEC(cudaGraphExecEventRecordNodeSetEvent, record, ev);
    SET_EXEC(cudaGraphExecEventWaitNodeSetEvent, wait, ev);
    D(VALUE, cudaGraphExecNodeSetParams(bad_exec, host_node, &any));
    D(VALUE, cudaGraphExecNodeSetParams(x, kernel, &any));
    D(cudaErrorNotSupported, cudaGraphExecNodeSetParams(x, kernel, &any_bad));
    D(cudaErrorInvalidDeviceFunction,
      (any_bad.type = cudaGraphNodeTypeKernel, cudaGraphExecNodeSetParams(x, kernel, &any_bad)));

    D(VALUE, cudaGraphNodeSetEnabled(bad_exec, kernel, 0));
    D(VALUE, cudaGraphNodeSetEnabled(x, bad_node, 0));
    D(VALUE, cudaGraphNodeSetEnabled(x, host_node, 0)); /* only kernels, copies and memsets */
    D(VALUE, cudaGraphNodeGetEnabled(bad_exec, kernel, &enabled));
    D(VALUE, cudaGraphNodeGetEnabled(x, kernel, NULL));
    D(VALUE, cudaGraphKernelNodeGetAttribute(kernel, cudaLaunchAttributeCooperative, NULL));
    D(VALUE, cudaGraphKernelNodeGetAttribute(kernel, (cudaLaunchAttributeID)999, &value));
    D(VALUE, cudaGraphKernelNodeGetAttribute(copy, cudaLaunchAttributeCooperative, &value));
    D(VALUE, cudaGraphKernelNodeSetAttribute(kernel, cudaLaunchAttributeCooperative, NULL));
    D(VALUE, cudaGraphKernelNodeSetAttribute(kernel, (cudaLaunchAttributeID)999, &value));
    D(VALUE, cudaGraphKernelNodeSetAttribute(copy, cudaLaunchAttributeCooperative, &value));
    E(VALUE, cudaGraphKernelNodeCopyAttributes(kernel, copy));
    E(VALUE, cudaGraphKernelNodeCopyAttributes(bad_node, kernel));

    D(VALUE, cudaGraphNodeGetDependencies(bad_node, list, NULL, &count));
    D(VALUE, cudaGraphNodeGetDependencies(release, list, NULL, NULL));
    D(VALUE, cudaGraphNodeGetDependentNodes(bad_node, list, NULL, &count));
    D(VALUE, cudaGraphNodeGetDependentNodes(alloc, list, NULL, NULL));
    D(OK, cudaGraphExecDestroy(x));
    D(VALUE, cudaGraphExecDestroy(x));
    cudaGraphDestroy(g);
    cudaGraphDestroy(child);
    cudaEventDestroy(ev);
}

static void graphs()
{
    cudaGraph_t g, clone;
    cudaGraphExec_t x;
    cudaGraphNode_t a, b, found, list[4];
    cudaStream_t s;
    size_t n = 4;
    unsigned long long flags;
    cudaGraphExecUpdateResultInfo info;
    cudaGraphInstantiateParams params = {};
    cudaUserObject_t object;
    cudaStreamCreate(&s);
    cudaGraphCreate(&g, 0);
    cudaGraphAddEmptyNode(&a, g, NULL, 0);
    cudaGraphAddEmptyNode(&b, g, NULL, 0);

    D(VALUE, cudaGraphClone(NULL, g));
    D(VALUE, cudaGraphClone(&clone, bad_graph));
    cudaGraphClone(&clone, g);
    D(VALUE, cudaGraphNodeFindInClone(NULL, a, clone));
    D(VALUE, cudaGraphNodeFindInClone(&found, bad_node, clone));
    D(VALUE, cudaGraphNodeFindInClone(&found, a, bad_graph));
    D(VALUE, cudaGraphAddDependencies(bad_graph, &a, &b, NULL, 1));
    D(VALUE, cudaGraphAddDependencies(g, NULL, &b, NULL, 1));
    D(VALUE, cudaGraphAddDependencies(g, &a, NULL, NULL, 1));
    D(VALUE, cudaGraphAddDependencies(g, &a, &a, NULL, 1));
    D(VALUE, cudaGraphAddDependencies(clone, &a, &b, NULL, 1)); /* nodes of another graph */
    D(VALUE, cudaGraphRemoveDependencies(bad_graph, &a, &b, NULL, 1));
    D(VALUE, cudaGraphRemoveDependencies(g, NULL, &b, NULL, 1));
    D(VALUE, cudaGraphRemoveDependencies(g, &a, &b, NULL, 1)); /* there is none */
    D(VALUE, cudaGraphGetNodes(bad_graph, list, &n));
    D(VALUE, cudaGraphGetNodes(g, list, NULL));
    D(VALUE, cudaGraphGetRootNodes(bad_graph, list, &n));
    D(VALUE, cudaGraphGetRootNodes(g, list, NULL));
    D(VALUE, cudaGraphGetEdges(bad_graph, list, list, NULL, &n));
    D(VALUE, cudaGraphGetEdges(g, list, NULL, NULL, &n));
    D(VALUE, cudaGraphGetEdges(g, list, list, NULL, NULL));
    D(VALUE, cudaGraphDebugDotPrint(bad_graph, "/nowhere/g.dot", 0));
    D(VALUE, cudaGraphDebugDotPrint(g, NULL, 0));
    D(cudaErrorOperatingSystem, cudaGraphDebugDotPrint(g, "/nowhere/g.dot", 0));

    D(VALUE, cudaGraphInstantiate(NULL, g, 0));
    D(VALUE, cudaGraphInstantiate(&x, bad_graph, 0));
    D(VALUE, cudaGraphInstantiate(&x, g, 1 << 20));
    D(VALUE, cudaGraphInstantiateWithFlags(NULL, g, 0));
    D(VALUE, cudaGraphInstantiateWithFlags(&x, g, 1 << 20));
    D(VALUE, cudaGraphInstantiateWithParams(&x, g, NULL));
    D(VALUE, cudaGraphInstantiateWithParams(NULL, g, &params));
    D(OK, cudaGraphInstantiateWithParams(&x, g, &params));
    D(VALUE, cudaGraphExecGetFlags(bad_exec, &flags));
    D(VALUE, cudaGraphExecGetFlags(x, NULL));
    D(VALUE, cudaGraphLaunch(bad_exec, s));
    E(HANDLE, cudaGraphLaunch(x, bad_stream));
    D(VALUE, cudaGraphUpload(bad_exec, s));
    D(VALUE, cudaGraphUpload(x, bad_stream));
    E(VALUE, cudaGraphExecUpdate(bad_exec, g, &info));
    E(VALUE, cudaGraphExecUpdate(x, bad_graph, &info));
    D(VALUE, cudaGraphDestroyNode(bad_node));
    D(OK, cudaGraphDestroyNode(b));
    D(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(x, g, &info));

    D(VALUE, cudaUserObjectCreate(NULL, NULL, call, 1, cudaUserObjectNoDestructorSync));
    D(VALUE, cudaUserObjectCreate(&object, NULL, NULL, 1, cudaUserObjectNoDestructorSync));
    D(VALUE, cudaUserObjectCreate(&object, NULL, call, 0, cudaUserObjectNoDestructorSync));
    D(VALUE, cudaUserObjectCreate(&object, NULL, call, 1, 0));
    D(OK, cudaUserObjectCreate(&object, NULL, call, 1, cudaUserObjectNoDestructorSync));
    D(VALUE, cudaUserObjectRetain((cudaUserObject_t)other, 1));
    D(VALUE, cudaUserObjectRetain(object, 0));
    D(VALUE, cudaUserObjectRelease((cudaUserObject_t)other, 1));
    D(VALUE, cudaUserObjectRelease(object, 0));
    D(VALUE, cudaGraphRetainUserObject(bad_graph, object, 1, 0));
    D(VALUE, cudaGraphRetainUserObject(g, (cudaUserObject_t)other, 1, 0));
    D(VALUE, cudaGraphRetainUserObject(g, object, 0, 0));
    D(VALUE, cudaGraphRetainUserObject(g, object, 1, 99));
    D(VALUE, cudaGraphRetainUserObject(g, object, UINT32_MAX, 0));
    D(VALUE, cudaGraphReleaseUserObject(g, object, 1)); /* it has none */
    D(VALUE, cudaGraphReleaseUserObject(bad_graph, object, 1));
    cudaGraphExecDestroy(x);
    cudaGraphDestroy(clone);
    cudaGraphDestroy(g);
    cudaStreamDestroy(s);
}

int main()
{
    cudaMalloc(&dev, N);
    adding();
    nodes();
    graphs();
    return 0;
}
