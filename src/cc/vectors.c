/*
 * float4 and similar vectors are loaded and stored whole, as nvcc does it.
 *
 * clang copies a structure by its bytes (llvm.memcpy) and then loads the parts that are used: of "float4 v = p[i];
 * v.x + v.y + v.z" two loads remain, where nvcc has one of 16 bytes, and the L1 would count twice as many accesses as a
 * GPU's. So the copies of aligned structures of 8 and 16 bytes become loads and stores of vectors before clang
 * optimizes: a vector whose parts are taken out stays one load. It has the structure's own type of elements, so that
 * taking one out is free.
 *
 * What this file reads is LLVM's text as clang writes it before any pass. Lines that look otherwise stay as they are.
 */
#include "cc/cc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct piece {
    const char *p;
    size_t n;
};

/* "ptr addrspace(3) align 16 %7" */
struct place {
    struct piece type, value;
    unsigned align;
};

struct copy {
    struct piece indent, debug; /* debug: ", !dbg !29" */
    struct place to, from;
    unsigned bytes;
};

static bool starts(const char *line, const char *word)
{
    return !strncmp(line, word, strlen(word));
}

/* An argument of a call: up to the comma or bracket that ends it, over those inside it. */
static struct piece argument(const char *at)
{
    int depth = 0;
    const char *c = at;
    for (; *c && *c != '\n'; c++) {
        if (!depth && (*c == ',' || *c == ')'))
            break;
        depth += (*c == '(' || *c == '{' || *c == '[') - (*c == ')' || *c == '}' || *c == ']');
    }
    return (struct piece){at, (size_t)(c - at)};
}

static bool read_place(struct piece a, struct place *out)
{
    static const char word[] = " align ";
    const char *at = memmem(a.p, a.n, word, strlen(word));
    char *end;
    if (!starts(a.p, "ptr") || !at || at > a.p + strlen("ptr addrspace(999)"))
        return false;
    out->type = (struct piece){a.p, (size_t)(at - a.p)};
    out->align = (unsigned)strtoul(at + strlen(word), &end, 10);
    out->value = (struct piece){end + 1, (size_t)(a.p + a.n - end - 1)};
    return *end == ' ' && end + 1 < a.p + a.n;
}

/* "  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %6, ptr align 16 %11, i64 16, i1 false), !dbg !27" */
static bool is_copy(const char *line, struct copy *c)
{
    static const char call[] = "call void @llvm.memcpy.", debug[] = ", !dbg !";
    struct place *const places[] = {&c->to, &c->from};
    const char *at = line + strspn(line, " ");
    c->indent = (struct piece){line, (size_t)(at - line)};
    if (!starts(at, call) || !(at = strchr(at, '(')))
        return false;
    at++;
    for (int i = 0; i < 2; i++) {
        const struct piece a = argument(at);
        if (!read_place(a, places[i]) || !starts(a.p + a.n, ", "))
            return false;
        at = a.p + a.n + 2;
    }
    c->bytes = starts(at, "i64 16, i1 false)") ? 16 : starts(at, "i64 8, i1 false)") ? 8 : 0;
    if (!c->bytes || c->to.align < c->bytes || c->from.align < c->bytes)
        return false;
    at = strchr(at, ')') + 1;
    c->debug = (struct piece){at, starts(at, debug) ? strlen(debug) + strspn(at + strlen(debug), "0123456789") : 0};
    return true;
}

/* Elements of "%struct.float4 = type { float, float, float, float }", if all are the same number and fill the vector.
 */
static bool elements(const char *text, struct piece type, unsigned bytes, char out[32])
{
    static const struct {
        const char *name;
        unsigned bytes;
    } numbers[] = {{"float", 4}, {"i32", 4}, {"double", 8}, {"i64", 8}, {"i16", 2}, {"half", 2}};
    char head[160];
    snprintf(head, sizeof head, "\n%.*s = type { ", (int)type.n, type.p);
    const char *at = type.p[0] == '%' && type.n < 120 ? strstr(text, head) : NULL;
    if (!at)
        return false;
    at += strlen(head);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const size_t n = strlen(numbers[i].name);
        unsigned count = 0;
        const char *c = at;
        while (!strncmp(c, numbers[i].name, n) && (c[n] == ',' || c[n] == ' ')) {
            count++;
            c += n + (c[n] == ',' ? 2 : 1);
        }
        if (*c == '}' && count >= 2 && count <= 4 && count * numbers[i].bytes == bytes) {
            snprintf(out, 32, "<%u x %s>", count, numbers[i].name);
            return true;
        }
    }
    return false;
}

/* The vector for what a local variable holds: "  %6 = alloca %struct.float4, align 16" in its function. Words of four
 * bytes where the copy is between other places. */
static void vector_of(const char *text, const char *function, const struct copy *c, char out[32])
{
    const struct piece values[] = {c->to.value, c->from.value};
    for (int i = 0; i < 2; i++) {
        char head[160];
        snprintf(head, sizeof head, "\n  %.*s = alloca ", (int)values[i].n, values[i].p);
        const char *at = values[i].p[0] == '%' && values[i].n < 100
                             ? memmem(function, (size_t)(c->indent.p - function), head, strlen(head))
                             : NULL;
        if (!at)
            continue;
        at += strlen(head);
        if (elements(text, (struct piece){at, strcspn(at, ",\n")}, c->bytes, out))
            return;
    }
    snprintf(out, 32, "<%u x i32>", c->bytes / 4);
}

#define PIECE(x) (int)(x).n, (x).p

unsigned cc_whole_vectors(char **text, size_t *bytes)
{
    VEC(char) out = {0};
    const char *function = *text;
    unsigned n = 0;
    for (const char *line = *text; *line;) {
        const size_t len = strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n');
        struct copy c;
        char vector[32];
        if (starts(line, "define "))
            function = line;
        VEC_RESERVE(&out, out.n + 2 * len + 256);
        if (is_copy(line, &c)) {
            vector_of(*text, function, &c, vector);
            out.n +=
                (size_t)sprintf(out.p + out.n, "%.*s%%weir.%u = load %s, %.*s %.*s, align %u%.*s\n", PIECE(c.indent), n,
                                vector, PIECE(c.from.type), PIECE(c.from.value), c.bytes, PIECE(c.debug));
            out.n +=
                (size_t)sprintf(out.p + out.n, "%.*sstore %s %%weir.%u, %.*s %.*s, align %u%.*s\n", PIECE(c.indent),
                                vector, n, PIECE(c.to.type), PIECE(c.to.value), c.bytes, PIECE(c.debug));
            n++;
        } else {
            memcpy(out.p + out.n, line, len);
            out.n += len;
        }
        line += len;
    }
    VEC_PUSH(&out, 0);
    free(*text);
    *text = out.p;
    *bytes = out.n - 1;
    return n;
}
