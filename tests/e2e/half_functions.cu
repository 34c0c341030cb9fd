// Half precision and bfloat16 where most functions have no instruction; nvcc has some of them on newer architectures only.
// only: clang
#include "half_functions.h"
