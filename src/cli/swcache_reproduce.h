/* weir reproduce swcache; argv[0] = "swcache". */
#ifndef WEIR_CLI_SWCACHE_REPRODUCE_H
#define WEIR_CLI_SWCACHE_REPRODUCE_H

int swcache_reproduce(int argc, char **argv);

#endif
