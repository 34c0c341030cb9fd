/*
 * Copies to and from arrays in the older forms: offsets and widths in bytes, and the 1-D forms that run on from row to
 * row.
 */
#include "cudart/runtime.h"

/* A byte offset or width of an array must fall on elements. */
static bool in_elements(const struct rt_array *a, size_t *bytes)
{
    if (*bytes % a->elem_bytes)
        return false;
    *bytes /= a->elem_bytes;
    return true;
}

struct rect { /* in bytes and rows, as the API gives it */
    size_t x, y, width, height;
};

static cudaError_t rect_to_array(cudaArray_t handle, struct rect r, const void *src, size_t pitch,
                                 enum cudaMemcpyKind kind, cudaStream_t stream)
{
    const struct rt_array *a = array_find(handle);
    if (!a)
        return cudaErrorInvalidResourceHandle;
    if (r.height > 1 && r.width > pitch)
        return cudaErrorInvalidPitchValue;
    size_t width = r.width;
    if (!in_elements(a, &r.x) || !in_elements(a, &width))
        return cudaErrorInvalidValue;
    const struct rt_op op = {.kind = OP_COPY,
                             .copy = {.dstArray = handle,
                                      .dstPos = {r.x, r.y, 0},
                                      .srcPtr = {(void *)(uintptr_t)src, pitch, r.width, r.height},
                                      .extent = {width, r.height, 1},
                                      .kind = kind}};
    return op_submit(stream, &op);
}

static cudaError_t rect_from_array(void *dst, size_t pitch, cudaArray_t handle, struct rect r, enum cudaMemcpyKind kind,
                                   cudaStream_t stream)
{
    const struct rt_array *a = array_find(handle);
    if (!a)
        return cudaErrorInvalidResourceHandle;
    if (r.height > 1 && r.width > pitch)
        return cudaErrorInvalidPitchValue;
    size_t width = r.width;
    if (!in_elements(a, &r.x) || !in_elements(a, &width))
        return cudaErrorInvalidValue;
    const struct rt_op op = {.kind = OP_COPY,
                             .copy = {.srcArray = handle,
                                      .srcPos = {r.x, r.y, 0},
                                      .dstPtr = {dst, pitch, r.width, r.height},
                                      .extent = {width, r.height, 1},
                                      .kind = kind}};
    return op_submit(stream, &op);
}

API cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch,
                                         size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    cudaError_t e = rt_enter();
    if (!e)
        e = rect_to_array(dst, (struct rect){x, y, width, height}, src, pitch, kind, stream);
    return rt_leave(e);
}

API cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch, size_t width,
                                    size_t height, enum cudaMemcpyKind kind)
{
    return cudaMemcpy2DToArrayAsync(dst, x, y, src, pitch, width, height, kind, NULL);
}

API cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t pitch, cudaArray_t src, size_t x, size_t y, size_t width,
                                           size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    cudaError_t e = rt_enter();
    if (!e)
        e = rect_from_array(dst, pitch, src, (struct rect){x, y, width, height}, kind, stream);
    return rt_leave(e);
}

API cudaError_t cudaMemcpy2DFromArray(void *dst, size_t pitch, cudaArray_t src, size_t x, size_t y, size_t width,
                                      size_t height, enum cudaMemcpyKind kind)
{
    return cudaMemcpy2DFromArrayAsync(dst, pitch, src, x, y, width, height, kind, NULL);
}

API cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t dst_x, size_t dst_y, cudaArray_t src, size_t src_x,
                                         size_t src_y, size_t width, size_t height, enum cudaMemcpyKind kind)
{
    cudaError_t e = rt_enter();
    const struct rt_array *d = e ? NULL : array_find(dst), *s = e ? NULL : array_find(src);
    if (!e && (!d || !s))
        e = cudaErrorInvalidResourceHandle;
    if (!e && (!in_elements(d, &dst_x) || !in_elements(s, &src_x) || !in_elements(d, &width)))
        e = cudaErrorInvalidValue;
    if (!e) {
        const struct rt_op op = {.kind = OP_COPY,
                                 .copy = {.srcArray = src,
                                          .srcPos = {src_x, src_y, 0},
                                          .dstArray = dst,
                                          .dstPos = {dst_x, dst_y, 0},
                                          .extent = {width, height, 1},
                                          .kind = kind}};
        e = op_submit(NULL, &op);
    }
    return rt_leave(e);
}

/* ---- 1-D forms: the rest of the first row, whole rows, the start of the last row ---- */
struct strip {
    cudaArray_t array;
    const struct rt_array *a;
    size_t x, y; /* next byte of the array */
    size_t left;
};

static cudaError_t strip_open(struct strip *s, cudaArray_t array, size_t x, size_t y, size_t bytes)
{
    *s = (struct strip){.array = array, .a = array_find(array), .x = x, .y = y, .left = bytes};
    if (!s->a)
        return cudaErrorInvalidResourceHandle;
    const size_t row = s->a->extent.width * s->a->elem_bytes, rows = array_height(s->a);
    return x < row && y < rows && bytes <= (rows - y) * row - x ? cudaSuccess : cudaErrorInvalidValue;
}

static bool strip_next(struct strip *s, struct rect *r)
{
    const size_t row = s->a->extent.width * s->a->elem_bytes;
    if (!s->left)
        return false;
    size_t width = row - s->x < s->left ? row - s->x : s->left;
    size_t height = s->x == 0 && s->left >= row ? s->left / row : 1;
    *r = (struct rect){s->x, s->y, width, height};
    s->left -= width * height;
    s->y += height;
    s->x = 0;
    return true;
}

API cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src, size_t bytes,
                                       enum cudaMemcpyKind kind, cudaStream_t stream)
{
    struct strip s;
    struct rect r;
    const char *from = src;
    cudaError_t e = rt_enter();
    if (!e)
        e = strip_open(&s, dst, x, y, bytes);
    while (!e && strip_next(&s, &r)) {
        e = rect_to_array(dst, r, from, r.width, kind, stream);
        from += r.width * r.height;
    }
    return rt_leave(e);
}

API cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t bytes,
                                  enum cudaMemcpyKind kind)
{
    return cudaMemcpyToArrayAsync(dst, x, y, src, bytes, kind, NULL);
}

API cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_t src, size_t x, size_t y, size_t bytes,
                                         enum cudaMemcpyKind kind, cudaStream_t stream)
{
    struct strip s;
    struct rect r;
    char *to = dst;
    cudaError_t e = rt_enter();
    if (!e)
        e = strip_open(&s, src, x, y, bytes);
    while (!e && strip_next(&s, &r)) {
        e = rect_from_array(to, r.width, src, r, kind, stream);
        to += r.width * r.height;
    }
    return rt_leave(e);
}

API cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_t src, size_t x, size_t y, size_t bytes,
                                    enum cudaMemcpyKind kind)
{
    return cudaMemcpyFromArrayAsync(dst, src, x, y, bytes, kind, NULL);
}

API cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t dst_x, size_t dst_y, cudaArray_t src, size_t src_x,
                                       size_t src_y, size_t bytes, enum cudaMemcpyKind kind)
{
    struct strip s;
    cudaError_t e = rt_enter();
    if (!e && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        e = cudaErrorInvalidMemcpyDirection;
    if (!e)
        e = strip_open(&s, src, src_x, src_y, bytes); /* before as much memory is asked for */
    if (rt_leave(e))
        return e;
    void *middle = xmalloc(bytes + 1);
    e = cudaMemcpyFromArray(middle, src, src_x, src_y, bytes, cudaMemcpyDeviceToHost);
    if (!e)
        e = cudaMemcpyToArray(dst, dst_x, dst_y, middle, bytes, cudaMemcpyHostToDevice);
    free(middle);
    return e;
}
