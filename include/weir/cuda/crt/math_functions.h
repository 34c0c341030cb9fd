/* Old place of device math. */
#include "../cuda_runtime.h"
