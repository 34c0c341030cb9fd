// Eight-bit floating point on an architecture that has instructions for it.
// flags: -arch=compute_90
#include "fp8_check.h"
