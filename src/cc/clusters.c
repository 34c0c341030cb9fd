/*
 * __cluster_dims__: the clusters that kernels declare, which clang cannot say in PTX.
 *
 * weir's headers make them annotations of the functions. clang keeps those, with the numbers that template arguments
 * give, in LLVM's text as it writes it before any pass, and drops them behind it:
 *
 *     @.str = private unnamed_addr constant [18 x i8] c"weir.cluster_dims\00", section "llvm.metadata"
 *     @.args = private unnamed_addr constant { i32, i32 } { i32 2, i32 1 }, section "llvm.metadata"
 *     @llvm.global.annotations = appending global [1 x ...] [{ ... } { ptr @kernel, ptr @.str, ptr @.str.1, i32 4, ptr @.args }]
 */
#include "base/out_of_memory.h"
#include "cc/cc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KERNEL, NAME, SOURCE, NUMBERS, SYMBOLS };

/* The line that defines a symbol ("@.str"); "" if none does. */
static const char *definition(const char *ir, const char *symbol)
{
    char *head = xasprintf("\n%s = ", symbol);
    const char *at = strstr(ir, head);
    free(head);
    return at ? at + 1 : "";
}

/* "{ i32, i32 } { i32 2, i32 1 }" of such a line as "2, 1, 1". */
static char *numbers(const char *line)
{
    unsigned dim[3] = {0, 1, 1};
    const char *end = line + strcspn(line, "\n"), *at = memmem(line, (size_t)(end - line), "} {", 3);
    at = at ? at + 2 : end;
    for (unsigned n = 0; n < 3 && at < end && *at != '}'; n++) {
        sscanf(at, "%*[{, ]i%*u %u", &dim[n]);
        at += 1 + strcspn(at + 1, ",}\n");
    }
    return xasprintf("%u, %u, %u", dim[0], dim[1], dim[2]);
}

/* An annotation at `at`: its symbols, one word each. Returns where it ends. */
static const char *read_annotation(const char *at, struct cc_list *symbols)
{
    for (; *at && *at != '\n' && *at != '}'; at += *at != '\n' && *at != '}') {
        const size_t len = *at == '@' ? strcspn(at, ",} )\n") : 0;
        if (len)
            cc_pushf(symbols, "%.*s", (int)len, at);
        at += len;
    }
    return at;
}

void cc_find_clusters(const char *ir, struct cc_list *out)
{
    static const char begins[] = "{ ptr @";
    const char *at = definition(ir, "@llvm.global.annotations"), *end = at + strcspn(at, "\n");
    while ((at = memmem(at, (size_t)(end - at), begins, strlen(begins)))) {
        struct cc_list symbol = {0};
        at = read_annotation(at, &symbol);
        const char *name = symbol.n == SYMBOLS ? definition(ir, symbol.p[NAME]) : "";
        if (memmem(name, strcspn(name, "\n"), "c\"weir.cluster_dims\\00\"", 23)) {
            cc_push(out, symbol.p[KERNEL] + 1);
            char *cluster = numbers(definition(ir, symbol.p[NUMBERS]));
            cc_push(out, cluster);
            free(cluster);
        }
        cc_list_free(&symbol);
    }
}

const char *cc_cluster_of(const struct cc_list *clusters, const char *kernel)
{
    for (size_t i = 0; i + 1 < clusters->n; i += 2)
        if (!strcmp(clusters->p[i], kernel))
            return clusters->p[i + 1];
    return NULL;
}
