/* Launches from the device are not simulated; the name exists for programs that include it. */
#include "cuda_runtime.h"
