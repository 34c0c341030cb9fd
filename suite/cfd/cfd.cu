/*
 * Finite-volume solver of the 3-D Euler equations on an unstructured grid.
 *
 * Origin: Rodinia 3.1, cfd (euler3d). One thread per element (a tetrahedron with four neighbors), 192 threads per
 * block, all arrays in structure-of-arrays order. Per iteration: a copy of the variables, the step factors, then three
 * Runge-Kutta steps of a flux kernel (gathers five variables of each neighbor by its number) and an update kernel.
 * Faces without a neighbor are walls (-1) or far field (-2); far-field values are in constant memory.
 * Input: cubes cut into six tetrahedra each (Kuhn's subdivision), a solid block inside, flow at Mach 1.2; elements are
 * numbered at random within windows of 768, as unstructured grids come. Original 97 thousand elements, 2000 iterations;
 * "paper" is 93 thousand elements, 5 iterations.
 */
#include "../common/suite.h"

#include <algorithm>
#include <vector>

enum { BLOCK = 192, FACES = 4, VARS = 5, RK = 3, WALL = -1, FAR_FIELD = -2 };
static const float GAMMA = 1.4f, SMOOTHING = 0.2f;

/* Density, momentum, energy of a cell, and what follows from them. */
struct cell {
    float density, m[3], energy;
    float v[3], speed2, pressure, sound;
};
/* Flux of a cell through unit areas: momentum (symmetric tensor) and energy, per axis. */
struct flux {
    float momentum[3][3], energy[3];
};
struct far_field {
    cell c;
    flux f;
};
__constant__ far_field far_c;

static __host__ __device__ inline cell cell_at(const float *vars, int i, int n)
{
    cell c;
    c.density = vars[i];
    for (int a = 0; a < 3; a++)
        c.m[a] = vars[i + (1 + a) * n];
    c.energy = vars[i + 4 * n];
    c.speed2 = 0;
    for (int a = 0; a < 3; a++) {
        c.v[a] = c.m[a] / c.density;
        c.speed2 += c.v[a] * c.v[a];
    }
    c.pressure = (GAMMA - 1.0f) * (c.energy - 0.5f * c.density * c.speed2);
    c.sound = sqrtf(GAMMA * c.pressure / c.density);
    return c;
}

static __host__ __device__ inline flux flux_of(const cell &c)
{
    flux f;
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++)
            f.momentum[a][b] = c.v[a] * c.m[b] + (a == b ? c.pressure : 0.0f);
        f.energy[a] = c.v[a] * (c.energy + c.pressure);
    }
    return f;
}

/* Adds half of both sides' fluxes through a face with this normal. */
static __host__ __device__ inline void through_face(float sum[VARS], const float normal[3], const cell &c,
                                                    const flux &f, const cell &o, const flux &g)
{
    for (int a = 0; a < 3; a++) {
        float half = 0.5f * normal[a];
        sum[0] += half * (o.m[a] + c.m[a]);
        sum[4] += half * (g.energy[a] + f.energy[a]);
        for (int b = 0; b < 3; b++)
            sum[1 + b] += half * (g.momentum[a][b] + f.momentum[a][b]);
    }
}

static __host__ __device__ inline void flux_element(int i, int n, const int *neighbor, const float *normals,
                                                    const float *vars, float *fluxes, const far_field &far)
{
    cell c = cell_at(vars, i, n);
    float speed = sqrtf(c.speed2);
    flux f = flux_of(c);
    float sum[VARS] = {};
#pragma unroll
    for (int j = 0; j < FACES; j++) {
        int o = neighbor[i + j * n];
        float normal[3], len2 = 0;
        for (int a = 0; a < 3; a++) {
            normal[a] = normals[i + (j + a * FACES) * n];
            len2 += normal[a] * normal[a];
        }
        if (o >= 0) {
            cell d = cell_at(vars, o, n);
            float viscosity = -sqrtf(len2) * SMOOTHING * 0.5f * (speed + sqrtf(d.speed2) + c.sound + d.sound);
            sum[0] += viscosity * (c.density - d.density);
            sum[4] += viscosity * (c.energy - d.energy);
            for (int a = 0; a < 3; a++)
                sum[1 + a] += viscosity * (c.m[a] - d.m[a]);
            through_face(sum, normal, c, f, d, flux_of(d));
        } else if (o == WALL) {
            for (int a = 0; a < 3; a++)
                sum[1 + a] += normal[a] * c.pressure;
        } else {
            through_face(sum, normal, c, f, far.c, far.f);
        }
    }
    for (int k = 0; k < VARS; k++)
        fluxes[i + k * n] = sum[k];
}

static __host__ __device__ inline float step_of(int i, int n, const float *vars, const float *volume)
{
    cell c = cell_at(vars, i, n);
    return 0.5f / (sqrtf(volume[i]) * (sqrtf(c.speed2) + c.sound));
}

static __host__ __device__ inline void update_element(int i, int n, int rk, const float *old, float *vars,
                                                      const float *step, const float *fluxes)
{
    float factor = step[i] / (float)(RK + 1 - rk);
    for (int k = 0; k < VARS; k++)
        vars[i + k * n] = old[i + k * n] + factor * fluxes[i + k * n];
}

__global__ void initialize(int n, float *vars)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    vars[i] = far_c.c.density;
    for (int a = 0; a < 3; a++)
        vars[i + (1 + a) * n] = far_c.c.m[a];
    vars[i + 4 * n] = far_c.c.energy;
}
__global__ void step_factors(int n, const float *vars, const float *volume, float *step)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    step[i] = step_of(i, n, vars, volume);
}
__global__ void compute_flux(int n, const int *neighbor, const float *normals, const float *vars, float *fluxes)
{
    flux_element(blockIdx.x * BLOCK + threadIdx.x, n, neighbor, normals, vars, fluxes, far_c);
}
__global__ void update(int rk, int n, const float *old, float *vars, const float *step, const float *fluxes)
{
    update_element(blockIdx.x * BLOCK + threadIdx.x, n, rk, old, vars, step, fluxes);
}

struct mesh {
    int n; /* elements, padded to whole blocks by copies of the last one */
    std::vector<int> neighbor;
    std::vector<float> normal, volume;
};

/* The six orders of the axes: tetrahedron p of a cube runs from corner (0,0,0) along axes p[0], p[1], p[2]. */
static const int KUHN[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
static int kuhn(int a, int b, int c)
{
    for (int p = 0; p < 6; p++)
        if (KUHN[p][0] == a && KUHN[p][1] == b && KUHN[p][2] == c)
            return p;
    abort();
}

static mesh make_mesh(int side)
{
    const float h = 0.1f;
    int solid_low = side * 2 / 5, solid_high = side * 3 / 5;
    auto solid = [&](const int at[3]) {
        bool inside = true;
        for (int a = 0; a < 3; a++)
            inside = inside && at[a] >= solid_low && at[a] < solid_high;
        return inside;
    };
    /* Numbers of the elements: in the order of the cubes, then shuffled within windows. */
    std::vector<int> number((size_t)side * side * side * 6, -1), order;
    for (int i = 0; i < (int)number.size(); i++) {
        int cube = i / 6, at[3] = {cube % side, cube / side % side, cube / side / side};
        if (!solid(at))
            order.push_back(i);
    }
    suite_rng r(277);
    const int window = 768, count = (int)order.size();
    for (int i = 0; i < count; i++) {
        int end = std::min(i / window * window + window, count);
        std::swap(order[i], order[i + (int)r.below(end - i)]);
    }
    for (int k = 0; k < count; k++)
        number[order[k]] = k;

    mesh m;
    m.n = (count + BLOCK - 1) / BLOCK * BLOCK;
    m.neighbor.resize((size_t)m.n * FACES);
    m.normal.resize((size_t)m.n * FACES * 3);
    m.volume.assign(m.n, h * h * h / 6);
    for (int k = 0; k < m.n; k++) {
        int i = order[std::min(k, count - 1)], cube = i / 6;
        const int *p = KUHN[i % 6];
        int at[3] = {cube % side, cube / side % side, cube / side / side};
        for (int j = 0; j < FACES; j++) {
            /* Faces: beyond corner 0, between two of the cube's own tetrahedra (twice), before the last corner. */
            int to[3] = {at[0], at[1], at[2]}, q = 0;
            float nx[3] = {0, 0, 0};
            if (j == 0) {
                to[p[0]]++;
                q = kuhn(p[1], p[2], p[0]);
                nx[p[0]] = 1;
            } else if (j == 3) {
                to[p[2]]--;
                q = kuhn(p[2], p[0], p[1]);
                nx[p[2]] = -1;
            } else {
                q = j == 1 ? kuhn(p[1], p[0], p[2]) : kuhn(p[0], p[2], p[1]);
                nx[p[j - 1]] = -1;
                nx[p[j]] = 1;
            }
            bool outside = false;
            for (int a = 0; a < 3; a++)
                outside = outside || to[a] < 0 || to[a] >= side;
            int other = ((to[2] * side + to[1]) * side + to[0]) * 6 + q;
            m.neighbor[k + j * m.n] = outside ? FAR_FIELD : solid(to) ? WALL : number[other];
            for (int a = 0; a < 3; a++) /* pointing inward, as the original's sign convention has it */
                m.normal[k + (size_t)(j + a * FACES) * m.n] = -nx[a] * h * h / 2;
        }
    }
    return m;
}

static far_field mach(float number)
{
    far_field f;
    float speed = number * sqrtf(GAMMA * 1.0f / 1.4f);
    float vars[VARS] = {1.4f, 1.4f * speed, 0, 0, 1.4f * 0.5f * speed * speed + 1.0f / (GAMMA - 1.0f)};
    f.c = cell_at(vars, 0, 1);
    f.f = flux_of(f.c);
    return f;
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int iterations = suite_pick(size, 1, 2, 5);
    mesh m = make_mesh(suite_pick(size, 5, 15, 25));
    far_field far = mach(1.2f);
    int n = m.n, blocks = n / BLOCK;
    size_t all = (size_t)n * VARS;
    SUITE_CUDA(cudaMemcpyToSymbol(far_c, &far, sizeof far));
    int *d_neighbor = suite_to_device(m.neighbor.data(), m.neighbor.size());
    float *d_normal = suite_to_device(m.normal.data(), m.normal.size()),
          *d_volume = suite_to_device(m.volume.data(), n), *d_vars = suite_device<float>(all),
          *d_old = suite_device<float>(all), *d_flux = suite_device<float>(all), *d_step = suite_device<float>(n);
    initialize<<<blocks, BLOCK>>>(n, d_vars);
    SUITE_LAUNCHED();
    for (int it = 0; it < iterations; it++) {
        SUITE_CUDA(cudaMemcpy(d_old, d_vars, all * sizeof(float), cudaMemcpyDeviceToDevice));
        step_factors<<<blocks, BLOCK>>>(n, d_vars, d_volume, d_step);
        for (int rk = 0; rk < RK; rk++) {
            compute_flux<<<blocks, BLOCK>>>(n, d_neighbor, d_normal, d_vars, d_flux);
            update<<<blocks, BLOCK>>>(rk, n, d_old, d_vars, d_step, d_flux);
        }
        SUITE_LAUNCHED();
    }
    std::vector<float> got(all), vars(all), old, fluxes(all), step(n);
    suite_to_host(got.data(), d_vars, all);

    for (int i = 0; i < n; i++) {
        vars[i] = far.c.density;
        for (int a = 0; a < 3; a++)
            vars[i + (size_t)(1 + a) * n] = far.c.m[a];
        vars[i + (size_t)4 * n] = far.c.energy;
    }
    for (int it = 0; it < iterations; it++) {
        old = vars;
        for (int i = 0; i < n; i++)
            step[i] = step_of(i, n, vars.data(), m.volume.data());
        for (int rk = 0; rk < RK; rk++) {
            for (int i = 0; i < n; i++)
                flux_element(i, n, m.neighbor.data(), m.normal.data(), vars.data(), fluxes.data(), far);
            for (int i = 0; i < n; i++)
                update_element(i, n, rk, old.data(), vars.data(), step.data(), fluxes.data());
        }
    }
    return suite_done("cfd", argc, argv, suite_diff("variable", got.data(), vars.data(), all, 1e-3, 1e-4));
}
