/* Policies by name. */
#include "engine/registry.h"

#include <string.h>

int policy_find(const struct policy_kind *k, const char *name)
{
    for (unsigned i = 0; i < k->n; i++)
        if (!strcmp(k->policy[i]->name, name))
            return (int)i;
    return -1;
}
