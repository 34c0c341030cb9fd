/* Old name: the types are all in driver_types.h. */
#include "driver_types.h"
