// Conway's game of life on a torus, tiles with halos in shared memory, a glider that comes back.
#include "check.h"

const int T = 16;

__global__ void step(const unsigned char *in, unsigned char *out, int w, int h)
{
    __shared__ unsigned char s[T + 2][T + 2];
    for (int k = threadIdx.y * T + threadIdx.x; k < (T + 2) * (T + 2); k += T * T) {
        int x = blockIdx.x * T + k % (T + 2) - 1, y = blockIdx.y * T + k / (T + 2) - 1;
        s[k / (T + 2)][k % (T + 2)] = in[(y + h) % h * w + (x + w) % w];
    }
    __syncthreads();
    int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y, n = 0;
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++)
            n += s[threadIdx.y + dy][threadIdx.x + dx];
    bool alive = s[threadIdx.y + 1][threadIdx.x + 1];
    if (x < w && y < h)
        out[y * w + x] = alive ? n == 3 || n == 4 : n == 3;
}

int main()
{
    const int w = 32, h = 32;
    std::vector<unsigned char> glider(w * h);
    const int cells[5][2] = {{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}};
    for (auto &c : cells)
        glider[c[1] * w + c[0]] = 1;
    dev<unsigned char> a(glider), b(w * h);
    unsigned char *from = a, *to = b;
    // A glider moves one cell diagonally in four steps: round the torus in 4 * 32.
    for (int s = 0; s < 4 * w; s++) {
        step<<<dim3(w / T, h / T), dim3(T, T)>>>(from, to, w, h);
        std::swap(from, to);
    }
    RAN();
    check_equal("glider", a.get(), glider);
    return check_result();
}
