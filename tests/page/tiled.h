/* Columns of a tile in shared memory, without padding: all lanes of a warp meet in one bank. */
#define TILE 32

__global__ void columns(float *out, const float *in, unsigned *done, int n)
{
    __shared__ float tile[TILE][TILE];
    tile[threadIdx.y][threadIdx.x] = in[(blockIdx.y * TILE + threadIdx.y) * n + blockIdx.x * TILE + threadIdx.x];
    __syncthreads();
    float v = tile[threadIdx.x][threadIdx.y];
    for (int i = 1; i < 8; i++)
        v += tile[threadIdx.x][(threadIdx.y + i) % TILE];
    out[(blockIdx.x * TILE + threadIdx.y) * n + blockIdx.y * TILE + threadIdx.x] = v;
    atomicAdd(done, 1u);
}
