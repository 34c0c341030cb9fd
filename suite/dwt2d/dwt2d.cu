/*
 * Forward 5/3 wavelet transform of a colour image (the reversible transform of JPEG 2000).
 *
 * Origin: Rodinia 3.1, dwt2d. A first kernel splits interleaved RGB bytes into three integer planes (256 threads per
 * block, bytes through shared memory). Then per plane and level one kernel: a block owns a strip of W columns (W
 * threads, 192, 128 or 64 by image width) and slides a window of 8 rows down it. Each thread loads its column (three
 * threads also a column beyond the edge), lifts it vertically in shared memory, then all threads lift the rows; even
 * and odd columns lie apart in the buffer. Results go to four bands stored one after the other; the low band is copied
 * back as the next level's input. Only blocks at the right or bottom edge mirror. Simplified: even image sizes only.
 * Original 192 x 192 or 1024 x 1024, 3 levels; "paper" is 1024 x 1024.
 */
#include "../common/suite.h"

#include <vector>

enum { COMPONENT_THREADS = 256, WINDOW = 8, ROWS = WINDOW + 3, LEVELS = 3 };

__global__ void components(int *r, int *g, int *b, const unsigned char *rgb, int pixels)
{
    __shared__ unsigned char s[3 * COMPONENT_THREADS];
    int t = threadIdx.x, first = blockIdx.x * COMPONENT_THREADS;
    for (int i = t; i < 3 * COMPONENT_THREADS && 3 * first + i < 3 * pixels; i += COMPONENT_THREADS)
        s[i] = rgb[3 * first + i];
    __syncthreads();
    if (first + t < pixels) {
        r[first + t] = s[3 * t] - 128;
        g[first + t] = s[3 * t + 1] - 128;
        b[first + t] = s[3 * t + 2] - 128;
    }
}

/* The two lifting steps: odd samples from even neighbours, then even samples from odd ones. */
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

template <int W> struct window {
    /* Columns -2 to W, even ones first; a stride that is odd keeps the two halves in different banks. */
    enum { HALF = W / 2 + 2, STRIDE = 2 * HALF + 1 };
    int s[ROWS * STRIDE];
    __device__ static int at(int column) { return (column + 2) / 2 + (column & 1) * HALF; }
    __device__ int &operator()(int row, int column) { return s[row * STRIDE + at(column)]; }
};

/* One thread's column: where it reads next, and the last three samples, not yet lifted. */
template <bool EDGE> struct column_reader {
    const int *in;
    int w, h, x, y, last[3];

    __device__ int next()
    {
        int row = EDGE ? mirror(y, h) : y;
        y++;
        return in[row * w + x];
    }
    __device__ void start(const int *input, int width, int height, int column, int first)
    {
        in = input;
        w = width;
        h = height;
        x = mirror(column, w);
        if (first == 0) { /* rows -2 and -1 are rows 2 and 1 */
            y = 0;
            last[2] = next();
            last[1] = next();
            last[0] = next();
            y = 1;
        } else {
            y = first - 2;
            for (int k = 0; k < 3; k++)
                last[k] = next();
        }
    }
    template <int W> __device__ void load_and_lift(window<W> &win, int column)
    {
        for (int k = 0; k < 3; k++)
            win(k, column) = last[k];
        for (int k = 3; k < ROWS; k++)
            win(k, column) = next();
        for (int k = 0; k < 3; k++)
            last[k] = win(WINDOW + k, column);
        for (int k = 1; k < ROWS - 1; k += 2)
            predict(win(k - 1, column), win(k, column), win(k + 1, column));
        for (int k = 2; k < ROWS - 2; k += 2)
            update(win(k - 1, column), win(k, column), win(k + 1, column));
    }
};

template <int W, bool EDGE>
static __device__ void transform(window<W> &win, const int *in, int *out, int w, int h, int steps)
{
    int t = threadIdx.x, x0 = blockIdx.x * W, y0 = blockIdx.y * WINDOW * steps;
    column_reader<EDGE> mine, beyond;
    mine.start(in, w, h, x0 + t, y0);
    int beyond_at = t == 0 ? W : t - 3; /* columns W, -2, -1 */
    if (t < 3)
        beyond.start(in, w, h, x0 + beyond_at, y0);
    int column = t < W / 2 ? 2 * t : 2 * t - W + 1; /* the column this thread writes: even ones first */
    for (int step = 0; step < steps; step++, y0 += WINDOW) {
        mine.load_and_lift(win, t);
        if (t < 3)
            beyond.load_and_lift(win, beyond_at);
        __syncthreads();
        for (int i = t; i < WINDOW * (W / 2 + 1); i += W) {
            int row = 2 + i / (W / 2 + 1), c = 2 * (i % (W / 2 + 1)) - 1;
            predict(win(row, c - 1), win(row, c), win(row, c + 1));
        }
        __syncthreads();
        for (int i = t; i < WINDOW * (W / 2); i += W) {
            int row = 2 + i / (W / 2), c = 2 * (i % (W / 2));
            update(win(row, c - 1), win(row, c), win(row, c + 1));
        }
        __syncthreads();
        for (int k = 0; k < WINDOW; k++)
            if (!EDGE || (x0 + column < w && y0 + k < h))
                out[band_index(x0 + column, y0 + k, w, h)] = win(2 + k, column);
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
    unsigned char *d_rgb = suite_to_device(rgb.data(), rgb.size());
    int *plane[3], *d_out = suite_device<int>(n);
    for (int *&p : plane)
        p = suite_device<int>(n);
    components<<<(n + COMPONENT_THREADS - 1) / COMPONENT_THREADS, COMPONENT_THREADS>>>(plane[0], plane[1], plane[2],
                                                                                       d_rgb, n);
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
