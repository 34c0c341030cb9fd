// The functions of half_functions.cu for an architecture that has instructions of its own for them; nvcc needs it for some.
// flags: -arch=compute_90
#include "half_functions.cu"
