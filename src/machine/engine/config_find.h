/* Where machine files and energy files are. */
#ifndef WEIR_ENGINE_CONFIG_FIND_H
#define WEIR_ENGINE_CONFIG_FIND_H

#include "base/err.h"

/*
 * Path of the machine file for `name`: a path itself when it has a slash or ends in .ini, else <name>.ini beside the
 * file `from` (may be NULL) or in the config folders.
 */
int cfg_find_machine(const char *name, const char *from, char *path, size_t bytes, struct err *);

/* The same for a file of energy coefficients: a path, or a name in the folder energy beside weir's machine files. */
int cfg_find_energy(const char *name, char *path, size_t bytes, struct err *);

#endif
