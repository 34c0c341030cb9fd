/* The weir command. Each subcommand is a function in a file of its own; this file only finds it. */
#include "base/err.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    (void)argv;
    if (argc < 2) {
        puts("usage: weir COMMAND [ARGUMENTS]");
        return 2;
    }
    return 0;
}
