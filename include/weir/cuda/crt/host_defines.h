/* Old place of host_defines.h. */
#include "../host_defines.h"
