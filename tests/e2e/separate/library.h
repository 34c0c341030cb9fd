extern __device__ int library_bias, library_calls;
extern __device__ int library_table[4];
extern __device__ int library_mix(int a, int b);
int library_count();
