/*
 * Forward 5/3 wavelet transform of a color image (the reversible transform of JPEG 2000).
 *
 * Origin: Rodinia 3.1, dwt2d. A first kernel splits interleaved RGB bytes into three integer planes (256 threads per
 * block, words through shared memory). Then per plane and level one kernel: a block owns a strip of W columns (W
 * threads, 192, 128 or 64 by image width) and slides a window of 8 rows down it. Each thread loads its column (three
 * threads also a column beyond the edge), lifts it vertically in shared memory, then all threads lift the rows; even
 * and odd columns lie apart in the buffer. Results go to four bands stored one after the other; the low band is copied
 * back as the next level's input. Only blocks at the right or bottom edge mirror. Simplified: even image sizes only.
 * Original 192 x 192 or 1024 x 1024, 3 levels; "paper" is 1024 x 1024.
 */
#include "../common/suite.h"

#include <vector>

enum { COMPONENT_THREADS = 256, WINDOW = 8, ROWS = WINDOW + 3, LEVELS = 3 };

/* Words in, bytes out of shared memory; the input is padded to whole blocks. */
__global__ void components(int *r, int *g, int *b, const unsigned *rgb, int pixels)
{
    __shared__ unsigned s[3 * COMPONENT_THREADS / 4];
    int t = threadIdx.x, i = blockIdx.x * COMPONENT_THREADS + t;
    if (t < 3 * COMPONENT_THREADS / 4)
        s[t] = rgb[blockIdx.x * (3 * COMPONENT_THREADS / 4) + t];
    __syncthreads();
    const unsigned char *byte = (const unsigned char *)s + 3 * t;
    if (i < pixels) {
        r[i] = byte[0] - 128;
        g[i] = byte[1] - 128;
        b[i] = byte[2] - 128;
    }
}

/* The two lifting steps: odd samples from even neighbors, then even samples from odd ones. */
static __host__ __device__ inline void predict(int before, int &odd, int after)
{
    odd -= (before + after) / 2;
}
static __host__ __device__ inline void update(int before, int &even, int after)
{
    even += (before + after + 2) / 4;
}
static __host__ __device__ inline int mirror(int i, int n)
{
    return i < 0 ? -i : i >= n ? 2 * n - 2 - i : i;
}

/* Where sample (x, y) goes: bands low-low, high-low, low-high, high-high, each row by row. */
static __host__ __device__ inline int band_index(int x, int y, int w, int h)
{
    int quarter = (w / 2) * (h / 2);
    return (y & 1) * 2 * quarter + (x & 1) * quarter + y / 2 * (w / 2) + x / 2;
}

/*
 * The sliding window: columns -2 to W, even ones (-2, 0, ... W) apart from odd ones (-1, 1, ... W - 1), so that an odd
 * sample k lies between even samples k and k + 1. Rows of both have one length, so a step over several rows is one flat
 * loop; what it computes beyond the ends of rows is never used.
 */
template <int W> struct window {
    enum { ROW = W / 2 + 2 };
    int even[ROWS * ROW], odd[ROWS * ROW];
    __device__ int *column(int c) { return c & 1 ? odd + (c + 1) / 2 : even + (c + 2) / 2; }
};

/* One thread's column: where it reads next, and the last three samples, not yet lifted. */
template <bool EDGE> struct column_reader {
    const int *in;
    int at, step, end, last[3];

    __device__ int next()
    {
        int v = in[at];
        at += step;
        if (EDGE && at >= end) { /* below the last row: back up */
            at -= 2 * step;
            step = -step;
        }
        return v;
    }
    __device__ void start(const int *input, int w, int h, int column, int first)
    {
        int x = mirror(column, w);
        in = input;
        step = w;
        end = x + w * h;
        if (first == 0) { /* rows -2 and -1 are rows 2 and 1 */
            at = x;
            last[2] = next();
            last[1] = next();
            last[0] = next();
            at = x + w;
        } else {
            at = x + w * (first - 2);
            for (int k = 0; k < 3; k++)
                last[k] = next();
        }
    }
    template <int ROW> __device__ void load_and_lift(int *column)
    {
        for (int k = 0; k < 3; k++)
            column[k * ROW] = last[k];
        for (int k = 3; k < ROWS; k++)
            column[k * ROW] = next();
        for (int k = 0; k < 3; k++)
            last[k] = column[(WINDOW + k) * ROW];
        for (int k = 1; k < ROWS - 1; k += 2)
            predict(column[(k - 1) * ROW], column[k * ROW], column[(k + 1) * ROW]);
        for (int k = 2; k < ROWS - 2; k += 2)
            update(column[(k - 1) * ROW], column[k * ROW], column[(k + 1) * ROW]);
    }
};

template <int W, bool EDGE>
static __device__ void transform(window<W> &win, const int *in, int *out, int w, int h, int steps)
{
    enum { ROW = window<W>::ROW, FIRST = 2 * ROW, END = (2 + WINDOW) * ROW };
    int t = threadIdx.x, x0 = blockIdx.x * W, y = blockIdx.y * WINDOW * steps;
    column_reader<EDGE> mine, beyond;
    mine.start(in, w, h, x0 + t, y);
    int beyond_at = t == 0 ? W : t - 3; /* columns W, -2, -1 */
    if (t < 3)
        beyond.start(in, w, h, x0 + beyond_at, y);
    /* The column this thread writes, even ones first, and where its even and odd rows go. */
    int column = t < W / 2 ? 2 * t : 2 * t - W + 1, low = band_index(x0 + column, y, w, h),
        to_high = 2 * (w / 2) * (h / 2);
    const int *result = win.column(column) + FIRST;
    for (int step = 0; step < steps; step++) {
        mine.template load_and_lift<ROW>(win.column(t));
        if (t < 3)
            beyond.template load_and_lift<ROW>(win.column(beyond_at));
        __syncthreads();
        for (int i = FIRST + t; i < END; i += W)
            predict(win.even[i], win.odd[i], win.even[i + 1]);
        __syncthreads();
        for (int i = FIRST + t; i < END; i += W)
            update(win.odd[i - 1], win.even[i], win.odd[i]);
        __syncthreads();
        for (int k = 0; k < WINDOW; k += 2, y += 2, low += w / 2)
            if (!EDGE || (x0 + column < w && y < h)) {
                out[low] = result[k * ROW];
                out[low + to_high] = result[(k + 1) * ROW];
            }
        __syncthreads();
    }
}

template <int W> __global__ void forward(const int *in, int *out, int w, int h, int steps)
{
    __shared__ window<W> win;
    bool edge = (int)(blockIdx.x + 1) * W + 1 >= w || (int)(blockIdx.y + 1) * WINDOW * steps + 1 >= h;
    if (edge)
        transform<W, true>(win, in, out, w, h, steps);
    else
        transform<W, false>(win, in, out, w, h, steps);
}

template <int W> static void launch(const int *in, int *out, int w, int h)
{
    int steps = (h + 15 * WINDOW - 1) / (15 * WINDOW);
    forward<W><<<dim3((w + W - 1) / W, (h + WINDOW * steps - 1) / (WINDOW * steps)), W>>>(in, out, w, h, steps);
    SUITE_LAUNCHED();
}

/* Lifts one row or column of the reference. */
static void lift(std::vector<int> &v)
{
    int n = (int)v.size();
    for (int i = 1; i < n; i += 2)
        predict(v[i - 1], v[i], v[mirror(i + 1, n)]);
    for (int i = 0; i < n; i += 2)
        update(v[mirror(i - 1, n)], v[i], v[i + 1]);
}
static void host_level(std::vector<int> &plane, int w, int h)
{
    std::vector<int> line(h), image(plane.begin(), plane.begin() + (size_t)w * h);
    for (int x = 0; x < w; x++) {
        for (int y = 0; y < h; y++)
            line[y] = image[(size_t)y * w + x];
        lift(line);
        for (int y = 0; y < h; y++)
            image[(size_t)y * w + x] = line[y];
    }
    for (int y = 0; y < h; y++) {
        line.assign(image.begin() + (size_t)y * w, image.begin() + (size_t)(y + 1) * w);
        lift(line);
        for (int x = 0; x < w; x++)
            plane[band_index(x, y, w, h)] = line[x];
    }
}

int main(int argc, char **argv)
{
    int side = suite_pick(suite_parse_size(argc, argv), 192, 576, 1024), n = side * side;
    std::vector<unsigned char> rgb((size_t)3 * n);
    suite_rng r(331);
    for (int i = 0; i < n; i++) /* smooth shading, edges, a little noise */
        for (int c = 0; c < 3; c++) {
            int x = i % side, y = i / side,
                v = (x * (c + 1) + y) / 8 % 160 + ((x / 40 + y / 56) % 2 ? 60 : 0) + (int)r.below(12);
            rgb[(size_t)3 * i + c] = (unsigned char)v;
        }
    int blocks = (n + COMPONENT_THREADS - 1) / COMPONENT_THREADS;
    rgb.resize((size_t)3 * blocks * COMPONENT_THREADS);
    unsigned char *d_rgb = suite_to_device(rgb.data(), rgb.size());
    int *plane[3], *d_out = suite_device<int>(n);
    for (int *&p : plane)
        p = suite_device<int>(n);
    components<<<blocks, COMPONENT_THREADS>>>(plane[0], plane[1], plane[2], (const unsigned *)d_rgb, n);
    SUITE_LAUNCHED();
    size_t bad = 0;
    for (int c = 0; c < 3; c++) {
        std::vector<int> got(n), expect(n);
        for (int i = 0; i < n; i++)
            expect[i] = rgb[(size_t)3 * i + c] - 128;
        for (int level = 0, w = side, h = side; level < LEVELS; level++, w /= 2, h /= 2) {
            if (w >= 960)
                launch<192>(plane[c], d_out, w, h);
            else if (w >= 480)
                launch<128>(plane[c], d_out, w, h);
            else
                launch<64>(plane[c], d_out, w, h);
            SUITE_CUDA(cudaMemcpy(plane[c], d_out, (size_t)(w / 2) * (h / 2) * sizeof(int), cudaMemcpyDeviceToDevice));
            host_level(expect, w, h);
        }
        suite_to_host(got.data(), d_out, n);
        bad += suite_diff_exact("coefficient", got.data(), expect.data(), n);
    }
    return suite_done("dwt2d", argc, argv, bad);
}
