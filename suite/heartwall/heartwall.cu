/*
 * Tracking of points on the walls of a beating heart through ultrasound frames.
 *
 * Origin: Rodinia 3.1, heartwall. One launch per frame, one block of 256 threads per point; the whole algorithm is one
 * kernel of phases separated by barriers. The first frame gives each point its template. In each further frame a block
 * copies the area around its point, convolves it with the rotated template (template in shared memory, area in global
 * memory), gets sums and squared sums under all positions of the template from padded vertical and horizontal
 * cumulative sums (five passes through global arrays each), turns them into normalized correlations, keeps those near
 * the last position with a mask, and finds the largest. Every few frames template and point are updated. All arrays are
 * column by column; their addresses and the sizes are in constant memory. Input: smooth random tissue that drifts, with
 * speckle. Original 51 points, template 51 x 51, area 81 x 81, 104 frames of 609 x 590; "paper" is 51 points, template
 * 27 x 27, area 45 x 45 and the first two frames.
 */
#include "../common/suite.h"

#include <vector>

enum { THREADS = 256, MAX_POINTS = 51, MAX_TEMPLATE = 51, MAX_SIDE = 131 };
static const float ALPHA = 0.87f;

struct shape {
    int t, s;          /* sides of template and area, both odd */
    int c, padded;     /* sides of all positions of the one on the other, and of the padded area */
    int mask;          /* side of the window of allowed moves */
    int rows;          /* of a frame */
    int frames, batch; /* templates are renewed every `batch` frames */
};
struct point {
    float *tmpl, *area, *conv, *cumv, *cumv_sel, *cumh, *cumh_sel, *sum, *sqr, *sqr_sum, *tmpl_sqr, *near, *result;
    int *row, *col;             /* where the template was taken */
    int *track_row, *track_col; /* one per frame */
};
__constant__ shape g;
__constant__ point points[MAX_POINTS];

/* Runs f(i) for i below n, spread over the block, and waits for all. */
template <class F> static __device__ inline void each(int n, F f)
{
    for (int i = threadIdx.x; i < n; i += THREADS)
        f(i);
    __syncthreads();
}

/* out = sums of `in` (the area) under the template at each position. */
static __device__ void window_sums(const point &p, const float *in, float *out)
{
    int n = g.padded, t = g.t, s = g.s, c = g.c;
    each(n * n, [&](int i) {
        int row = i % n - t, col = i / n - t;
        bool inside = row >= 0 && row < s && col >= 0 && col < s;
        p.cumv[i] = inside ? in[col * s + row] : 0.0f;
    });
    each(n, [&](int col) {
        float sum = 0;
        for (int i = col * n; i < (col + 1) * n; i++)
            sum = p.cumv[i] += sum;
    });
    each(c * n, [&](int i) { p.cumv_sel[i] = p.cumv[i / c * n + i % c + t]; });
    each(c * n, [&](int i) { p.cumh[i] = p.cumv[i / c * n + i % c]; });
    each(c * n, [&](int i) { p.cumh[i] = p.cumv_sel[i] - p.cumh[i]; });
    each(c, [&](int row) {
        float sum = 0;
        for (int i = row; i < c * n; i += c)
            sum = p.cumh[i] += sum;
    });
    each(c * c, [&](int i) { p.cumh_sel[i] = p.cumh[i + t * c]; });
    each(c * c, [&](int i) { out[i] = p.cumh[i]; });
    each(c * c, [&](int i) { out[i] = p.cumh_sel[i] - out[i]; });
}

/* The frame's pixel i of a square of this side around the point. */
static __device__ inline float around(const float *frame, const point &p, int side, int i)
{
    return frame[(*p.col - side / 2 + i / side) * g.rows + *p.row - side / 2 + i % side];
}

__global__ void track(const float *frame, int number)
{
    __shared__ float rotated[MAX_TEMPLATE * MAX_TEMPLATE], part[MAX_TEMPLATE], sqr_part[MAX_TEMPLATE];
    __shared__ float total, sqr_total, deviation, best[MAX_SIDE];
    __shared__ int best_at[MAX_SIDE];
    const point &p = points[blockIdx.x];
    int tx = threadIdx.x, t = g.t, s = g.s, c = g.c, n = t * t, center = t / 2 + s / 2;
    if (number == 0) {
        if (tx == 0) {
            p.track_row[0] = *p.row;
            p.track_col[0] = *p.col;
        }
        each(n, [&](int i) { p.tmpl[i] = around(frame, p, t, i); });
        return;
    }
    each(s * s, [&](int i) { p.area[i] = around(frame, p, s, i); });
    each(n, [&](int i) { rotated[i] = p.tmpl[n - 1 - i]; });
    each(c * c, [&](int i) {
        int row = i % c, col = i / c;
        int row0 = max(0, row - s + 1), row1 = min(t - 1, row), col0 = max(0, col - s + 1), col1 = min(t - 1, col);
        float sum = 0;
        for (int y = col0; y <= col1; y++)
            for (int x = row0; x <= row1; x++)
                sum += rotated[y * t + x] * p.area[(col - y) * s + row - x];
        p.conv[i] = sum;
    });
    window_sums(p, p.area, p.sum);
    each(s * s, [&](int i) { p.sqr[i] = p.area[i] * p.area[i]; });
    window_sums(p, p.sqr, p.sqr_sum);
    each(c * c, [&](int i) { p.sqr_sum[i] = sqrtf(fmaxf(p.sqr_sum[i] - p.sum[i] * p.sum[i] / n, 0.0f)); });
    each(n, [&](int i) { p.tmpl_sqr[i] = p.tmpl[i] * p.tmpl[i]; });
    each(t, [&](int col) {
        float sum = 0;
        for (int i = 0; i < t; i++)
            sum += p.tmpl[col * t + i];
        part[col] = sum;
    });
    each(t, [&](int row) {
        float sum = 0;
        for (int i = 0; i < t; i++)
            sum += p.tmpl_sqr[row + t * i];
        sqr_part[row] = sum;
    });
    if (tx == 0) {
        total = 0;
        for (int i = 0; i < t; i++)
            total += part[i];
    } else if (tx == 1) {
        sqr_total = 0;
        for (int i = 0; i < t; i++)
            sqr_total += sqr_part[i];
    }
    __syncthreads();
    if (tx == 0) {
        float mean = total / n;
        deviation = sqrtf((float)(n - 1)) * sqrtf(sqr_total / n - mean * mean);
    }
    __syncthreads();
    each(c * c, [&](int i) { p.sqr_sum[i] *= deviation; });
    each(c * c, [&](int i) { p.conv[i] -= p.sum[i] * total / n; });
    each(c * c, [&](int i) { p.sqr_sum[i] = p.conv[i] / p.sqr_sum[i]; });
    /* One spot at the last position, widened to the window of allowed moves by another convolution. */
    int last = (center + p.track_col[number - 1] - *p.col) * c + center + p.track_row[number - 1] - *p.row;
    each(c * c, [&](int i) { p.near[i] = i == last ? 1.0f : 0.0f; });
    each(c * c, [&](int i) {
        int row = i % c + g.mask / 2, col = i / c + g.mask / 2;
        int row0 = max(0, row - g.mask + 1), row1 = min(c - 1, row), col0 = max(0, col - g.mask + 1),
            col1 = min(c - 1, col);
        float sum = 0;
        for (int y = col0; y <= col1; y++)
            for (int x = row0; x <= row1; x++)
                sum += p.near[y * c + x];
        p.result[i] = p.sqr_sum[i] * sum;
    });
    each(c, [&](int col) {
        float largest = 0;
        int at = 0;
        for (int i = col * c; i < (col + 1) * c; i++)
            if (fabsf(p.result[i]) > largest) {
                largest = fabsf(p.result[i]);
                at = i;
            }
        best[col] = largest;
        best_at[col] = at;
    });
    if (tx == 0) {
        float largest = 0;
        int at = 0;
        for (int i = 0; i < c; i++)
            if (best[i] > largest) {
                largest = best[i];
                at = best_at[i];
            }
        p.track_row[number] = *p.row + at % c - center;
        p.track_col[number] = *p.col + at / c - center;
    }
    __syncthreads();
    if (number % g.batch == 0) {
        if (tx == 0) {
            *p.row = p.track_row[number];
            *p.col = p.track_col[number];
        }
        __syncthreads();
        each(n, [&](int i) { p.tmpl[i] = ALPHA * p.tmpl[i] + (1 - ALPHA) * around(frame, p, t, i); });
    }
}

/* Tissue: random values on a coarse lattice, interpolated; it moves by (2, 1) pixels a frame, and glitters. */
struct tissue {
    enum { CELL = 6 };
    int side;
    std::vector<float> value;
    explicit tissue(int size) : side(size / CELL + 8), value((size_t)side * side)
    {
        suite_rng r(349);
        for (float &v : value)
            v = r.range(0.2f, 0.8f);
    }
    std::vector<float> frame(int rows, int cols, int number) const
    {
        suite_rng r(353 + number);
        std::vector<float> f((size_t)rows * cols);
        for (int col = 0; col < cols; col++)
            for (int row = 0; row < rows; row++) {
                int y = row + 16 - 2 * number, x = col + 16 - number, iy = y / CELL, ix = x / CELL;
                float fy = (float)(y % CELL) / CELL, fx = (float)(x % CELL) / CELL;
                const float *v = &value[(size_t)ix * side + iy];
                f[(size_t)col * rows + row] = (v[0] * (1 - fy) + v[1] * fy) * (1 - fx) +
                                              (v[side] * (1 - fy) + v[side + 1] * fy) * fx + r.range(0, 0.05f);
            }
        return f;
    }
};

/* The correlation of a template with the area around (row, col), at position `at`, straight from its definition. */
static double correlation(const shape &h, const std::vector<float> &tmpl, const std::vector<float> &frame, int row,
                          int col, int at)
{
    int n = h.t * h.t;
    double dot = 0, sum = 0, sqr = 0, t_sum = 0, t_sqr = 0;
    for (int i = 0; i < n; i++) {
        int y = at % h.c - (h.t - 1) + i % h.t, x = at / h.c - (h.t - 1) + i / h.t;
        double v = 0, t = tmpl[i];
        if (y >= 0 && y < h.s && x >= 0 && x < h.s)
            v = frame[(size_t)(col - h.s / 2 + x) * h.rows + row - h.s / 2 + y];
        dot += t * v;
        sum += v;
        sqr += v * v;
        t_sum += t;
        t_sqr += t * t;
    }
    return (dot - sum * t_sum / n) /
           (sqrt(sqr - sum * sum / n) * sqrt(n - 1.0) * sqrt(t_sqr / n - t_sum * t_sum / n / n));
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    shape h;
    h.t = suite_pick(size, 9, 21, 27);
    h.s = suite_pick(size, 21, 33, 45);
    h.mask = suite_pick(size, 6, 6, 10);
    h.frames = suite_pick(size, 4, 3, 2);
    h.batch = suite_pick(size, 2, 2, 10);
    h.c = h.t + h.s - 1;
    h.padded = h.s + 2 * h.t;
    int n_points = suite_pick<int>(size, 4, 8, MAX_POINTS), side = suite_pick(size, 96, 160, 600),
        around = h.s / 2 + 16;
    h.rows = side;
    tissue body(side);
    size_t n = (size_t)h.t * h.t, area = (size_t)h.s * h.s, all = (size_t)h.c * h.c,
           padded = (size_t)h.padded * h.padded, strip = (size_t)h.c * h.padded;
    suite_rng r(359);
    std::vector<int> row(n_points), col(n_points);
    std::vector<point> p(n_points);
    for (int k = 0; k < n_points; k++) {
        row[k] = around + (int)r.below(side - 2 * around);
        col[k] = around + (int)r.below(side - 2 * around);
        p[k] = {suite_device<float>(n),      suite_device<float>(area),   suite_device<float>(all),
                suite_device<float>(padded), suite_device<float>(strip),  suite_device<float>(strip),
                suite_device<float>(all),    suite_device<float>(all),    suite_device<float>(area),
                suite_device<float>(all),    suite_device<float>(n),      suite_device<float>(all),
                suite_device<float>(all),    suite_to_device(&row[k], 1), suite_to_device(&col[k], 1),
                suite_device<int>(h.frames), suite_device<int>(h.frames)};
    }
    SUITE_CUDA(cudaMemcpyToSymbol(g, &h, sizeof h));
    SUITE_CUDA(cudaMemcpyToSymbol(points, p.data(), n_points * sizeof(point)));

    size_t bad = 0;
    float *d_frame = suite_device<float>((size_t)side * side);
    std::vector<std::vector<float>> tmpl(n_points, std::vector<float>(n));
    std::vector<int> last_row = row, last_col = col;
    for (int f = 0; f < h.frames; f++) {
        std::vector<float> frame = body.frame(side, side, f);
        SUITE_CUDA(cudaMemcpy(d_frame, frame.data(), frame.size() * sizeof(float), cudaMemcpyHostToDevice));
        track<<<n_points, THREADS>>>(d_frame, f);
        SUITE_LAUNCHED();
        for (int k = 0; k < n_points; k++) {
            int got_row, got_col, center = h.t / 2 + h.s / 2;
            suite_to_host(&got_row, p[k].track_row + f, 1);
            suite_to_host(&got_col, p[k].track_col + f, 1);
            if (f > 0) {
                std::vector<float> result(all);
                suite_to_host(result.data(), p[k].result, all);
                double best = 0, chosen = -1;
                for (int i = 0; i < (int)all; i++) {
                    int dy = i % h.c - center + row[k] - last_row[k], dx = i / h.c - center + col[k] - last_col[k];
                    bool allowed = dy >= -h.mask / 2 && dy < h.mask / 2 && dx >= -h.mask / 2 && dx < h.mask / 2;
                    double expect = allowed ? correlation(h, tmpl[k], frame, row[k], col[k], i) : 0;
                    bad += !(fabs(result[i] - expect) <= 5e-3);
                    best = fmax(best, fabs(expect));
                    if (i == (center + got_col - col[k]) * h.c + center + got_row - row[k])
                        chosen = fabs(expect);
                }
                bad += !(chosen >= best - 5e-3);
            }
            if (f > 0 && f % h.batch == 0) {
                row[k] = got_row;
                col[k] = got_col;
            }
            if (f % h.batch == 0)
                for (size_t i = 0; i < n; i++) {
                    float now =
                        frame[(size_t)(col[k] - h.t / 2 + (int)i / h.t) * side + row[k] - h.t / 2 + (int)i % h.t];
                    tmpl[k][i] = f ? ALPHA * tmpl[k][i] + (1 - ALPHA) * now : now;
                }
            last_row[k] = got_row;
            last_col[k] = got_col;
        }
    }
    return suite_done("heartwall", argc, argv, bad);
}
