/*
 * What nvcc reads and clang does not.
 *
 * Launches written with a space inside, kernel << <grid, block>> >(...): code formatters of old put them into many
 * public programs; to clang `<<<` and `>>>` are single tokens. And alignas behind CUDA's words, __shared__ alignas(16)
 * float a[64], where clang reads an attribute out of place; C's _Alignas is allowed there. And dynamic shared memory
 * declared as a variable that is no array, extern __shared__ tile t; inside a function. And asm("mov.u32 %0, %laneid;" :
 * "=r"(lane)): clang wants %% before the name of a register. And launches from device code, which clang refuses: it says
 * where they are, and a second attempt finds calls of weir_launched there (weir_launch.h).
 *
 * The source and the files it includes by a quoted name, beside it or in a folder of -I, are searched for them.
 * Corrected copies go to the temporary folder, and a virtual-file overlay puts them where the originals are for the
 * compiler: names, lines and further includes stay what they were. Files included by <name> are not searched.
 */
#include "base/infile.h"
#include "base/out_of_memory.h"
#include "base/outfile.h"
#include "cc/cc.h"

#include <ctype.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
    VEC(char) c;
};

static void put(struct text *t, const char *s, size_t n)
{
    VEC_RESERVE(&t->c, t->c.n + n);
    memcpy(t->c.p + t->c.n, s, n);
    t->c.n += n;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_word(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Length of the comment, string or character literal at s; 0 = none starts here. `before`: the character before it. */
static size_t skip_length(const char *s, char before)
{
    if (s[0] == '/' && s[1] == '/')
        return strcspn(s, "\n");
    if (s[0] == '/' && s[1] == '*') {
        const char *end = strstr(s + 2, "*/");
        return end ? (size_t)(end + 2 - s) : strlen(s);
    }
    if (s[0] == 'R' && s[1] == '"' && !is_word(before)) {
        size_t tag = strcspn(s + 2, "(\n\"");
        if (s[2 + tag] != '(' || tag > 16)
            return 0;
        char close[20];
        int n = snprintf(close, sizeof close, ")%.*s\"", (int)tag, s + 2);
        const char *end = strstr(s + 2 + tag, close);
        return end ? (size_t)(end + n - s) : strlen(s);
    }
    if (s[0] != '"' && (s[0] != '\'' || is_word(before))) /* 1'000 is a number */
        return 0;
    size_t i = 1;
    while (s[i] && s[i] != s[0] && s[i] != '\n')
        i += s[i] == '\\' && s[i + 1] ? 2 : 1;
    return s[i] ? i + 1 : i;
}

/* Length of three `c` with white space between some of them; 0 = they are not there, or are adjacent already. */
static size_t spread_out(const char *s, char c)
{
    size_t i = 0;
    for (int found = 0; found < 3; i++) {
        if (s[i] == c)
            found++;
        else if (!is_space(s[i]))
            return 0;
    }
    return i > 3 ? i : 0;
}

/* Length of one of CUDA's words for variables, and the white space behind it, where alignas follows; 0 = it does not.
 */
static size_t before_alignas(const char *s, char before)
{
    static const char *const word[] = {"__shared__", "__device__", "__constant__"};
    for (size_t i = 0; i < sizeof word / sizeof *word && !is_word(before); i++) {
        size_t n = strlen(word[i]);
        if (strncmp(s, word[i], n) || !is_space(s[n]))
            continue;
        n += strspn(s + n, " \t\r\n");
        return !strncmp(s + n, "alignas", 7) && !is_word(s[n + 7]) ? n : 0;
    }
    return 0;
}

/* Whether one of the words is part of the text. */
static bool mentions(const char *s, size_t n, const char *const *word, size_t words)
{
    for (size_t i = 0; i < words; i++)
        if (memmem(s, n, word[i], strlen(word[i])))
            return true;
    return false;
}

/* Where the declarator at s ends: at its comma or semicolon; n: at the end of the declaration. */
static size_t declarator(const char *s, size_t at, size_t n)
{
    for (int depth = 0; at < n && (depth || s[at] != ','); at++)
        depth += (s[at] == '<') - (s[at] == '>');
    return at;
}

/* The name at the end of s[from..to), in *from and *to; false: there is none. */
static bool last_word(const char *s, size_t *from, size_t *to)
{
    const size_t least = *from;
    while (*to > least && is_space(s[*to - 1]))
        --*to;
    *from = *to;
    while (*from > least && is_word(s[*from - 1]))
        --*from;
    return *from < *to;
}

/*
 * The declaration of shared variables of libcu++ at s, "__shared__ cuda::barrier<S> a, b[2];": the variables without
 * their constructors, which CUDA does not run, in *out. Returns the length of what it replaces; 0 = it is none.
 */
static size_t unmade(const char *s, char before, struct text *out)
{
    static const char word[] = "__shared__";
    static const char *const types[] = {"barrier", "pipeline_shared_state", "semaphore", "latch", "atomic"};
    static const char *const others[] = {"extern", "static", "union", "struct", "class", "__attribute__", "alignas"};
    if (is_word(before) || strncmp(s, word, strlen(word)) || is_word(s[strlen(word)]))
        return 0;
    const size_t type = strlen(word), n = strcspn(s, ";={}()\"'#/\\"); /* nothing of this is in a plain one */
    size_t name = type, name_end = declarator(s, type, n), at = name_end;
    const char *dims = memchr(s + type, '[', name_end - type);
    name_end = dims ? (size_t)(dims - s) : name_end;
    if (s[n] != ';' || (at < n && memchr(s + at, '*', n - at)) || !last_word(s, &name, &name_end))
        return 0;
    const size_t len = name - type;
    if (!mentions(s + type, len, types, sizeof types / sizeof *types) ||
        mentions(s + type, len, others, sizeof others / sizeof *others))
        return 0;
    for (;;) {
        const size_t rest = name_end + strspn(s + name_end, " \t\r\n");
        char *made = xasprintf("%s weir_unmade<%.*s%.*s> %.*s_weir; auto &%.*s = %.*s_weir.it;", word, (int)len,
                               s + type, (int)(at - rest), s + rest, (int)(name_end - name), s + name,
                               (int)(name_end - name), s + name, (int)(name_end - name), s + name);
        put(out, made, strlen(made));
        free(made);
        if (at == n)
            return n + 1;
        name = at + 1;
        at = declarator(s, name, n);
        name_end = name + strcspn(s + name, "[,;");
        if (!last_word(s, &name, &name_end))
            return n + 1;
    }
}

/*
 * The declaration of dynamic shared memory that is no array at s, "extern __shared__ tile<T> t;": an array, and t as its
 * first element, in *out. Returns the length of what it replaces; 0 = it is none.
 */
static size_t dynamic_variable(const char *s, char before, struct text *out)
{
    static const char word[] = "extern", shared[] = "__shared__";
    size_t type = strlen(word) + strspn(s + strlen(word), is_word(s[strlen(word)]) ? "" : " \t\r\n");
    if (is_word(before) || strncmp(s, word, strlen(word)) || strncmp(s + type, shared, strlen(shared)))
        return 0;
    type += strlen(shared);
    const size_t n = strcspn(s, ";={}[\"'#/\\");
    if (s[n] != ';' || is_word(s[type]))
        return 0;
    for (size_t i = type, depth = 0; i < n; i++) {
        depth += (size_t)(s[i] == '<' || s[i] == '(') - (size_t)(s[i] == '>' || s[i] == ')');
        if (s[i] == ',' && !depth)
            return 0;
    }
    size_t name = type, end = n;
    if (!last_word(s, &name, &end) || type + strspn(s + type, " \t\r\n") == name)
        return 0;
    char *made = xasprintf("%.*s_weir[]; auto &%.*s = *%.*s_weir;", (int)end, s, (int)(end - name), s + name,
                           (int)(end - name), s + name);
    put(out, made, strlen(made));
    free(made);
    return n + 1;
}

/*
 * Assembly with operands at s, asm volatile("mov.u32 %0, %laneid;" : "=r"(lane)), up to its first colon, with a second %
 * where the name of a register has one only, in *out. Returns the length of what it replaces; 0 = none is missing.
 */
static size_t assembly(const char *s, char before, struct text *out)
{
    static const char *const words[] = {"__asm__", "__asm", "asm", "__volatile__", "volatile"};
    size_t i = 0;
    for (size_t w = 0; w < sizeof words / sizeof *words && !is_word(before); w++) {
        const size_t n = strlen(words[w]);
        if (strncmp(s + i, words[w], n) || is_word(s[i + n]) || (i > 0) != (w > 2))
            continue;
        i += n + strspn(s + i + n, " \t\r\n");
        w = w < 2 ? 2 : w;
    }
    if (i == 0 || s[i] != '(')
        return 0;
    size_t end = i + 1, missing = 0;
    for (size_t n; s[end] && s[end] != ':'; end += n) {
        n = skip_length(s + end, s[end - 1]);
        if (!n && !is_space(s[end]))
            return 0;
        n = n ? n : 1;
        for (size_t k = end; s[end] == '"' && k + 1 < end + n; k++) {
            missing += s[k] == '%' && is_word(s[k + 1]) && !isdigit((unsigned char)s[k + 1]);
            k += s[k] == '%' && s[k + 1] == '%';
        }
    }
    if (!missing || s[end] != ':')
        return 0;
    for (size_t k = 0; k < end; k++) {
        put(out, s + k, 1);
        if (s[k] != '%')
            continue;
        if (s[k + 1] == '%' || (is_word(s[k + 1]) && !isdigit((unsigned char)s[k + 1])))
            put(out, "%", 1);
        k += s[k + 1] == '%';
    }
    return end;
}

static size_t before_space(const char *s, size_t at)
{
    while (at > 0 && is_space(s[at - 1]))
        at--;
    return at;
}

/* Where the kernel of a launch begins in the text before its <<<: a name with its scopes and template arguments. */
static size_t kernel_begin(const char *s, size_t n)
{
    for (size_t at = n;;) {
        at = before_space(s, at);
        for (int angles = 0, parentheses = 0; at > 0 && (angles || parentheses || s[at - 1] == '>');) {
            const char c = s[--at];
            parentheses += (c == ')') - (c == '(');
            if (!parentheses)
                angles += (c == '>') - (c == '<');
        }
        at = before_space(s, at);
        while (at > 0 && is_word(s[at - 1]))
            at--;
        const size_t scope = before_space(s, at);
        if (scope < 2 || s[scope - 1] != ':' || s[scope - 2] != ':')
            return at;
        at = before_space(s, scope - 2);
        if (at == 0 || !(is_word(s[at - 1]) || s[at - 1] == '>'))
            return scope - 2;
    }
}

static unsigned lines_of(const char *s, size_t n)
{
    unsigned lines = 0;
    for (size_t i = 0; i < n; i++)
        lines += s[i] == '\n';
    return lines;
}

/* kernel<<<grid, block>>>(...) in device code, up to its <<<: the kernel at the end of *out becomes that of a call. */
static bool launch_from_device(struct text *out, const struct cc_places *places, const char *file)
{
    const size_t begin = kernel_begin(out->c.p, out->c.n), n = out->c.n - begin;
    const unsigned line = 1 + lines_of(out->c.p, begin), last = line + lines_of(out->c.p + begin, n);
    bool here = false;
    for (size_t i = 0; i < places->n && !here; i++)
        here = !strcmp(places->p[i].file, file) && places->p[i].line >= line && places->p[i].line <= last;
    if (!here)
        return false;
    char *kernel = xstrndup(out->c.p + begin, n);
    out->c.n = begin;
    put(out, "::weir_launched<decltype(&", 26);
    put(out, kernel, n);
    put(out, "), &", 4);
    for (size_t i = 0; i < n; i++) /* once more, in one line: those that follow stay what they were */
        kernel[i] = is_space(kernel[i]) ? ' ' : kernel[i];
    put(out, kernel, n);
    put(out, ">(", 2);
    free(kernel);
    return true;
}

/* The source as clang reads it, in *out. Returns how many places were mended. */
static unsigned mend(const char *s, const char *file, const struct cc_places *launches, struct text *out)
{
    unsigned mended = 0;
    int depth = 0, launch = -1; /* depth of parentheses; that of the launch whose configuration is open */
    bool from_device = false;   /* that launch */
    int braces = 0;
    for (size_t i = 0; s[i];) {
        size_t n = skip_length(s + i, i ? s[i - 1] : '\n');
        char c = s[i];
        if (n) {
            put(out, s + i, n);
        } else if (c == '_' && braces > 0 && (n = unmade(s + i, i ? s[i - 1] : '\n', out))) {
            mended++;
        } else if ((c == 'a' || c == '_') && (n = assembly(s + i, i ? s[i - 1] : '\n', out))) {
            mended++;
        } else if (c == 'e' && braces > 0 && (n = dynamic_variable(s + i, i ? s[i - 1] : '\n', out))) {
            mended++;
        } else if (c == '_' && (n = before_alignas(s + i, i ? s[i - 1] : '\n'))) {
            mended++;
            put(out, s + i, n);
            put(out, "_A", 2);
            n++; /* ... and lignas follows */
        } else if (c == '<' && s[i + 1] == '<' && (s[i + 2] == '<' || spread_out(s + i, '<'))) {
            n = s[i + 2] == '<' ? 3 : spread_out(s + i, '<');
            launch = depth;
            from_device = launch_from_device(out, launches, file);
            mended += n > 3 || from_device;
            if (!from_device)
                put(out, "<<<", 3);
            put(out, s + i + 2, n - 3); /* the white space, for its lines */
        } else if (c == '>' && launch == depth && s[i + 1] == '>' && s[i + 2] == '>') {
            n = 3;
            launch = -1;
            put(out, from_device ? ")" : s + i, from_device ? 1 : n);
        } else if (c == '>' && launch == depth && (n = spread_out(s + i, '>')) &&
                   s[i + n + strspn(s + i + n, " \t\r\n")] == '(') {
            mended++;
            launch = -1;
            put(out, from_device ? ")" : ">>>", from_device ? 1 : 3);
            for (size_t k = 0; k < n; k++)
                if (s[i + k] != '>')
                    put(out, s + i + k, 1);
        } else {
            n = 1;
            depth += (c == '(') - (c == ')');
            braces += (c == '{') - (c == '}');
            put(out, s + i, 1);
        }
        i += n;
    }
    return mended;
}

struct search {
    const char *folder;
    size_t index;                     /* of the input, for the names of copies */
    const struct cc_list *options;    /* those of -I are of interest */
    const struct cc_places *launches; /* from device code */
    json_t *roots, *seen;
};

/* Where the file that `from` includes as "name" is: beside it, else in the first folder of -I that has it. */
static bool find_included(const struct search *x, const char *from, const char *name, size_t length,
                          char full[PATH_MAX])
{
    char path[2 * PATH_MAX];
    snprintf(path, sizeof path, "%.*s/%.*s", (int)(strrchr(from, '/') - from), from, (int)length, name);
    for (size_t i = 0;; i++) {
        if (realpath(path, full))
            return true;
        while (i < x->options->n && strncmp(x->options->p[i], "-I", 2))
            i++;
        if (i == x->options->n)
            return false;
        snprintf(path, sizeof path, "%s/%.*s", x->options->p[i] + 2, (int)length, name);
    }
}

/* Looks into one file and those it includes. Unreadable files are the compiler's to complain about. */
static int search(struct search *x, const char *path, unsigned depth)
{
    char full[PATH_MAX];
    size_t bytes;
    if (depth > 32 || !realpath(path, full) || json_object_get(x->seen, full))
        return 0;
    if (json_object_set_new(x->seen, full, json_true()))
        return -1;
    char *source = infile_bytes(full, &bytes);
    if (!source)
        return 0;
    struct text out = {0};
    int rc = 0;
    if (strlen(source) == bytes && mend(source, full, x->launches, &out)) {
        char copy[PATH_MAX];
        snprintf(copy, sizeof copy, "%s/%zu.mended.%zu", x->folder, x->index, json_array_size(x->roots));
        struct err e;
        rc = outfile_write(copy, out.c.p, out.c.n, &e);
        rc |= json_array_append_new(
            x->roots, json_pack("{s:s,s:s,s:s}", "name", full, "type", "file", "external-contents", copy));
    }
    VEC_FREE(&out.c);
    for (const char *at = source; !rc && (at = strstr(at, "#include")); at++) {
        const char *name = at + strlen("#include");
        name += strspn(name, " \t");
        size_t n = *name == '"' ? strcspn(name + 1, "\"\n") : 0;
        char included[PATH_MAX];
        if (n && n < PATH_MAX && name[1 + n] == '"' && find_included(x, full, name + 1, n, included))
            rc = search(x, included, depth + 1);
    }
    free(source);
    return rc;
}

int cc_fix_launches(struct cc_input *in, const struct cc_list *options, const char *folder, size_t index, struct err *e)
{
    struct search x = {.folder = folder,
                       .index = index,
                       .options = options,
                       .launches = &in->launches,
                       .roots = json_array(),
                       .seen = json_object()};
    free(in->overlay);
    in->overlay = NULL;
    int rc = search(&x, in->path, 0);
    if (!rc && json_array_size(x.roots)) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/%zu.overlay", folder, index);
        json_t *o = json_pack("{s:i,s:b,s:b,s:O}", "version", 0, "case-sensitive", 1, "use-external-names", 0, "roots",
                              x.roots);
        rc = o ? json_dump_file(o, path, JSON_INDENT(1)) : -1;
        json_decref(o);
        in->overlay = xstrdup(path);
    }
    json_decref(x.roots);
    json_decref(x.seen);
    if (rc)
        err_set(e, "cannot write into %s", folder);
    return rc ? -1 : 0;
}
