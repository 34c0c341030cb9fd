/* What the files of separate_own.cu know of each other. */
__device__ int own_mix(int x);
void other_fill(int *out, int n);
int other_count();
