// Included by a quoted name that only a folder of -I leads to: searched for spaced launches, too.
#pragma once

static void launch_by_path(int *p, int n)
{
    add << <1, n>> >(p, 1);
}
