/* Old name: the texture types are in driver_types.h. */
#include "driver_types.h"
