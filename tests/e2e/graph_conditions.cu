// Conditional nodes of graphs: IF with and without a second body, WHILE, SWITCH, one within another, values at launch.
#include "check.h"

__global__ void set(cudaGraphConditionalHandle h, unsigned value) { cudaGraphSetConditional(h, value); }
__global__ void from_memory(cudaGraphConditionalHandle h, const unsigned *value) { cudaGraphSetConditional(h, *value); }
__global__ void add(int *p, int what) { *p += what; }
__global__ void count_down(cudaGraphConditionalHandle h, int *left) { cudaGraphSetConditional(h, --*left > 0); }

static cudaGraphNode_t add_kernel(cudaGraph_t g, cudaGraphNode_t after, void *f, void **args)
{
    cudaGraphNode_t n;
    cudaGraphNodeParams p = {cudaGraphNodeTypeKernel};
    p.kernel.func = f;
    p.kernel.gridDim = p.kernel.blockDim = dim3(1);
    p.kernel.kernelParams = args;
    CUDA(cudaGraphAddNode(&n, g, after ? &after : NULL, NULL, after ? 1 : 0, &p));
    return n;
}
static cudaGraphNode_t add_condition(cudaGraph_t g, cudaGraphNode_t after, cudaGraphConditionalHandle h, cudaGraphConditionalNodeType type,
                                     unsigned size, cudaGraph_t *body)
{
    cudaGraphNode_t n;
    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
    p.conditional.handle = h;
    p.conditional.type = type;
    p.conditional.size = size;
    CUDA(cudaGraphAddNode(&n, g, after ? &after : NULL, NULL, after ? 1 : 0, &p));
    for (unsigned i = 0; i < size; i++)
        body[i] = p.conditional.phGraph_out[i];
    return n;
}
static void add_to(cudaGraph_t g, int *p, int what)
{
    void *args[] = {&p, &what};
    add_kernel(g, NULL, (void *)add, args);
}
static void launch(cudaGraph_t g, int times)
{
    cudaGraphExec_t x;
    CUDA(cudaGraphInstantiate(&x, g, 0));
    for (int i = 0; i < times; i++)
        CUDA(cudaGraphLaunch(x, 0));
    RAN();
    CUDA(cudaGraphExecDestroy(x));
}

int main()
{
    dev<int> d(std::vector<int>{0, 0});
    int *sum = d, *left = sum + 1;
    auto reset = [&](int n) { d.put({0, n}); };
    cudaGraph_t g, body[4], inner;
    cudaGraphConditionalHandle h, h2;

    // IF: set by a kernel before it, else-body where it is 0.
    dev<unsigned> value(std::vector<unsigned>{1});
    CUDA(cudaGraphCreate(&g, 0));
    CUDA(cudaGraphConditionalHandleCreate(&h, g));
    const unsigned *at = value;
    void *read[] = {&h, &at};
    cudaGraphNode_t first = add_kernel(g, NULL, (void *)from_memory, read);
    cudaGraphNode_t node = add_condition(g, first, h, cudaGraphCondTypeIf, 2, body);
    add_to(body[0], sum, 1);
    add_to(body[1], sum, 100);
    cudaGraphNodeType type;
    CUDA(cudaGraphNodeGetType(node, &type));
    CHECK(type == cudaGraphNodeTypeConditional);
    CHECK(cudaGraphDestroy(body[0]) == cudaErrorInvalidValue); // the node's
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    reset(0);
    launch(g, 3);
    CHECK(d.get()[0] == 3);
    value.put({0});
    launch(g, 2);
    CHECK(d.get()[0] == 203);
    CUDA(cudaGraphDestroy(g));

    // WHILE, its body captured from a stream, in a clone of the graph; 5 rounds for each launch that begins with 1.
    CUDA(cudaGraphCreate(&g, 0));
    CUDA(cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault));
    add_condition(g, NULL, h, cudaGraphCondTypeWhile, 1, body);
    cudaStream_t s;
    CUDA(cudaStreamCreate(&s));
    CUDA(cudaStreamBeginCaptureToGraph(s, body[0], NULL, NULL, 0, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, s>>>(sum, 10);
    count_down<<<1, 1, 0, s>>>(h, left);
    CUDA(cudaStreamEndCapture(s, NULL)); // the graph is known
    reset(5);
    cudaGraph_t clone;
    CUDA(cudaGraphClone(&clone, g));
    CUDA(cudaGraphDestroy(g));
    launch(clone, 1);
    CHECK(d.get()[0] == 50);
    launch(clone, 2); // nothing is left: one round each
    CHECK(d.get()[0] == 70);
    CUDA(cudaGraphDestroy(clone));

    // Without a value at launch it keeps the last one: the second launch does nothing.
    CUDA(cudaGraphCreate(&g, 0));
    CUDA(cudaGraphConditionalHandleCreate(&h, g, 1));
    add_condition(g, NULL, h, cudaGraphCondTypeWhile, 1, body);
    void *down[] = {&h, &left};
    add_to(body[0], sum, 1);
    add_kernel(body[0], NULL, (void *)count_down, down);
    reset(4);
    launch(g, 2);
    CHECK(d.get()[0] == 4);
    CUDA(cudaGraphDestroy(g));

    // SWITCH within IF; a value without a body runs none.
    for (unsigned v : {0u, 2u, 7u}) {
        CUDA(cudaGraphCreate(&g, 0));
        CUDA(cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault));
        add_condition(g, NULL, h, cudaGraphCondTypeIf, 1, &inner);
        CUDA(cudaGraphConditionalHandleCreate(&h2, inner, 9, cudaGraphCondAssignDefault));
        void *args[] = {&h2, &v};
        first = add_kernel(inner, NULL, (void *)set, args);
        add_condition(inner, first, h2, cudaGraphCondTypeSwitch, 4, body);
        for (int i = 0; i < 4; i++)
            add_to(body[i], sum, 1 << i);
        reset(0);
        launch(g, 1);
        CHECK(d.get()[0] == (v < 4 ? 1 << v : 0));
        CUDA(cudaGraphDestroy(g));
    }

    // What a body may not have.
    CUDA(cudaGraphCreate(&g, 0));
    CUDA(cudaGraphConditionalHandleCreate(&h, g));
    add_condition(g, NULL, h, cudaGraphCondTypeIf, 1, body);
    cudaGraphNodeParams p = {cudaGraphNodeTypeHost};
    p.host.fn = [](void *) {};
    CUDA(cudaGraphAddNode(&node, body[0], NULL, NULL, 0, &p));
    cudaGraphExec_t x;
    CHECK(cudaGraphInstantiate(&x, g, 0) == cudaErrorNotSupported);
    CHECK(cudaGetLastError() == cudaErrorNotSupported);
    CUDA(cudaGraphDestroy(g));
    return check_result();
}
