extern __device__ int library_bias, library_calls;
extern __device__ int library_table[4];
extern __device__ int library_mix(int a, int b);
extern __device__ int library_twice(int a);
int library_count();
