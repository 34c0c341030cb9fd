/* See demangle.h. */
#include "base/demangle.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void demangle(const char *mangled, char *out, size_t cap)
{
    /* C has no demangler; the C++ runtime, where it is installed, has. Looked up each time: it is called rarely. */
    if (strncmp(mangled, "_Z", 2) == 0) {
        void *lib = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
        char *(*cxa)(const char *, char *, size_t *, int *) = NULL;
        if (lib) {
            void *sym = dlsym(lib, "__cxa_demangle");
            memcpy(&cxa, &sym, sizeof cxa);
        }
        int status = -1;
        char *plain = cxa ? cxa(mangled, NULL, NULL, &status) : NULL;
        if (plain && status == 0) {
            snprintf(out, cap, "%s", plain);
            free(plain);
            dlclose(lib);
            return;
        }
        free(plain);
        if (lib)
            dlclose(lib);
    }
    snprintf(out, cap, "%s", mangled);
}

void demangle_short(const char *mangled, char *out, size_t cap)
{
    char full[1024];
    demangle(mangled, full, sizeof full);
    size_t n = 0;
    int depth = 0;
    for (const char *p = full; *p && n + 1 < cap; p++) {
        if (*p == '(' && !depth && strncmp(p, "(anonymous namespace)", 21))
            break;
        depth += *p == '<';
        if (*p == ' ' && !depth)
            n = 0; /* the return type ends here */
        else if (!depth)
            out[n++] = *p;
        depth -= *p == '>';
    }
    out[n] = '\0';
}

void demangle_fit(const char *mangled, char *out, size_t width)
{
    char full[1024];
    demangle(mangled, full, sizeof full);
    const char *begin = full, *name = full, *end = full;
    int depth = 0;
    for (; *end; end++) {
        if (*end == '(' && !depth && strncmp(end, "(anonymous namespace)", 21))
            break;
        if (*end == '(')
            end += 20; /* its blank ends no return type */
        depth += *end == '<';
        depth -= *end == '>';
        if (*end == ' ' && !depth)
            begin = name = end + 1;
        else if (*end == ':' && !depth)
            name = end + 1;
    }
    if ((size_t)(end - begin) > width)
        begin = name;
    const size_t len = (size_t)(end - begin);
    if (len <= width || width < 5) {
        snprintf(out, width + 1, "%.*s", (int)len, begin);
        return;
    }
    const size_t tail = (width - 2) / 2, head = width - 2 - tail;
    snprintf(out, width + 1, "%.*s..%.*s", (int)head, begin, (int)tail, end - tail);
}
