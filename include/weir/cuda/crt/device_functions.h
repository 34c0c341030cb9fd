/* Old place of the device functions. */
#include "../cuda_runtime.h"
