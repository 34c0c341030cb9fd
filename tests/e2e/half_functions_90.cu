// Half precision and bfloat16 on an architecture that has instructions of its own for them.
// flags: -arch=compute_90
#include "half_functions.h"
