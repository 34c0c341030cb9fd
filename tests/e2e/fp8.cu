// Eight-bit floating point without instructions for it.
#include "fp8_check.h"
