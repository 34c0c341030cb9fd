/*
 * What weir cc changes in the PTX text that clang has written, and what it asks of it.
 */
#include "base/infile.h"
#include "base/demangle.h"
#include "base/out_of_memory.h"
#include "cc/cc.h"
#include "emu/emu.h"
#include "ptx/ir.h"

#include <ctype.h>
#include <stdio.h>

/*
 * What PTX says per kernel, with directives between the parameters and the body: -maxrregcount, and the clusters that
 * kernels declare. clang closes the parameter list with a line that holds ")" alone, or has "()" behind the name.
 */
static char *add_directives(char *text, size_t *bytes, int max_regs, const struct cc_list *clusters)
{
    static const char entry[] = ".entry ";
    VEC(char) out = {0};
    char *kernel = NULL;
    for (char *line = text; *line;) {
        size_t len = strcspn(line, "\n");
        const char *at = memmem(line, len, entry, strlen(entry));
        if (at)
            kernel = xstrndup(at + strlen(entry), strcspn(at + strlen(entry), "( \n"));
        const bool closes = line[0] == ')' || (len && line[len - 1] == ')');
        len += line[len] == '\n';
        VEC_RESERVE(&out, out.n + len + 160);
        memcpy(out.p + out.n, line, len);
        out.n += len;
        if (kernel && closes) {
            if (max_regs)
                out.n += (size_t)sprintf(out.p + out.n, ".maxnreg %d\n", max_regs);
            const char *cluster = cc_cluster_of(clusters, kernel);
            if (cluster)
                out.n += (size_t)sprintf(out.p + out.n, ".explicitcluster\n.reqnctapercluster %s\n", cluster);
            free(kernel);
            kernel = NULL;
        }
        line += len;
    }
    VEC_PUSH(&out, 0);
    free(kernel);
    free(text);
    *bytes = out.n - 1;
    return out.p;
}

/*
 * Texture references: clang declares each as an opaque .texref and passes its address around as the texture. weir's
 * headers keep a texture object in it instead, so it becomes a variable of eight bytes, and where its address was taken
 * its value is loaded.
 */
static char *plain_references(char *text, size_t *bytes)
{
    static const char declares[] = ".texref ", takes[] = "mov.u64";
    struct cc_list names = {0};
    VEC(char) out = {0};
    if (!strstr(text, declares))
        return text;
    for (char *line = text; *line;) {
        size_t len = strcspn(line, "\n");
        char *reference = memmem(line, len, declares, strlen(declares));
        char *take = memmem(line, len, takes, strlen(takes)), *comma = take ? memchr(take, ',', len) : NULL;
        VEC_RESERVE(&out, out.n + 2 * len + 64);
        if (reference) {
            char *name = reference + strlen(declares);
            cc_pushf(&names, "%.*s", (int)strcspn(name, ";"), name);
            out.n += (size_t)sprintf(out.p + out.n, "%.*s.align 8 .u64 %s;", (int)(reference - line), line,
                                     names.p[names.n - 1]);
        } else {
            const char *hit = NULL;
            for (size_t i = 0; comma && !hit && i < names.n; i++) {
                size_t n = strlen(names.p[i]);
                if (!strncmp(comma + 2, names.p[i], n) && comma[2 + n] == ';')
                    hit = names.p[i];
            }
            if (hit)
                out.n += (size_t)sprintf(out.p + out.n, "\tld.global.u64%.*s, [%s];",
                                         (int)(comma - take - (ptrdiff_t)strlen(takes)), take + strlen(takes), hit);
            else
                memcpy(out.p + out.n, line, len), out.n += len;
        }
        line += len;
        if (*line) {
            VEC_PUSH(&out, '\n');
            line++;
        }
    }
    VEC_PUSH(&out, 0);
    free(text);
    *bytes = out.n - 1;
    return out.p;
}

static bool is_word(char c)
{
    return c == '_' || c == '$' || isalnum((unsigned char)c);
}

/* How many characters of `at` are the mark that clang puts behind the name of what only one file knows; 0: it is none.
 */
static size_t mark(const char *at)
{
    static const char *const word[] = {"__static__", "__intern__"};
    for (size_t i = 0; i < sizeof word / sizeof *word; i++) {
        const size_t n = strlen(word[i]);
        if (strncmp(at, word[i], n))
            continue;
        const size_t digits = strspn(at + n, "0123456789abcdef");
        return digits && !is_word(at[n + digits]) ? n + digits : 0;
    }
    return 0;
}

/* Whether the line is of no use: it declares a variable that the text defines under its marked name, or names what host
 * code uses of other files, which is the host's linker's business. */
static bool is_idle(const char *line, size_t len, const char *text)
{
    if (memmem(line, len, " __clang_gpu_used_external[", 27))
        return true;
    if (strncmp(line, ".extern", 7) || !len || line[len - 1] != ';')
        return false;
    size_t end = strcspn(line, "[;"), start = end;
    while (start > 0 && line[start - 1] != ' ')
        start--;
    char *name = xasprintf("%.*s__static__", (int)(end - start), line + start);
    const bool found = strstr(text, name);
    free(name);
    return found;
}

/*
 * -rdc=true: what only its file knows (static, or in a namespace without a name) is visible in clang's text, under a
 * name with the file's hash behind it. The host registers it, and other device code may use it, without. So the hash
 * goes, and the linkage with it: two files may have statics of one name.
 */
static char *own_names(char *text, size_t *bytes)
{
    VEC(char) out = {0};
    VEC_RESERVE(&out, *bytes + 1); /* it only gets shorter */
    for (const char *line = text; *line;) {
        const size_t len = strcspn(line, "\n"), declared = strcspn(line, "=[(;{\n");
        const size_t start = out.n;
        bool own = false;
        if (!is_idle(line, len, text)) {
            for (size_t i = 0; i < len;) {
                const size_t skip = line[i] == '_' ? mark(line + i) : 0;
                own |= skip && i < declared;
                if (!skip)
                    out.p[out.n++] = line[i];
                i += skip ? skip : 1;
            }
            const size_t linkage = strncmp(line, ".visible ", 9) ? strncmp(line, ".weak ", 6) ? 0 : 6 : 9;
            if (own && linkage) {
                memmove(out.p + start, out.p + start + linkage, out.n - start - linkage);
                out.n -= linkage;
            }
        }
        line += len;
        if (*line)
            out.p[out.n++] = *line++;
    }
    out.p[out.n] = 0;
    free(text);
    *bytes = out.n;
    return out.p;
}

char *cc_adjust_ptx(char *text, size_t *bytes, const struct cc_job *job, const struct cc_list *clusters)
{
    text = plain_references(text, bytes);
    if (job->max_regs || clusters->n)
        text = add_directives(text, bytes, job->max_regs, clusters);
    return job->relocatable ? own_names(text, bytes) : text;
}

void cc_warn_of_empty(const char *ptx, size_t bytes, const char *source, int arch)
{
    size_t source_bytes;
    char *text = infile_bytes(source, &source_bytes), plain[256];
    struct ptx_module *m = text && strstr(text, "__CUDA_ARCH__") ? ptx_parse(ptx, bytes, source, NULL) : NULL;
    for (uint32_t i = 0; m && i < m->n_func; i++) {
        const struct ptx_func *f = &m->func[i];
        if (!f->is_entry || !f->has_body || !f->n_param || f->n_inst > 1)
            continue;
        demangle(f->name, plain, sizeof plain);
        fprintf(stderr,
                "weir: warning: %s: kernel %s does nothing when it is compiled for sm_%d; if its code is inside"
                "__CUDA_ARCH__, choose another architecture with -arch\n",
                source, plain, arch);
    }
    if (m)
        ptx_module_free(m);
    free(text);
}

size_t cc_local_bytes(const char *ptx)
{
    size_t sum = 0;
    for (const char *at = ptx; (at = strstr(at, "__local_depot")); at++) {
        const char *size = at + strcspn(at, "[;,\n");
        if (*size == '[') /* where it is declared */
            sum += strtoul(size + 1, NULL, 10);
    }
    return sum;
}

/* One name of the device in the host's language: one that others may want, or one that is wanted. */
static void name_line(struct cc_list *lines, const char *name, enum ptx_linkage linkage)
{
    char *symbol = xasprintf("\"" CC_DEVICE_NAME "%s\"", name);
    if (linkage == PTX_L_EXTERN)
        cc_pushf(lines, ".reloc 0, BFD_RELOC_NONE, %s\n", symbol);
    else if (linkage != PTX_L_NONE) /* type and size: for the linker, which misses them in shared libraries */
        cc_pushf(lines, ".weak %s\n.type %s, @object\n.size %s, 1\n.set %s, 0\n", symbol, symbol, symbol, symbol);
    free(symbol);
}

/* Whether the text has the name besides where it is declared. clang also declares the kernels of other files that host
 * code launches; the device does not want those. */
static bool is_used(const char *ptx, const char *name)
{
    const size_t n = strlen(name);
    unsigned found = 0;
    for (const char *at = ptx; found < 2 && (at = strstr(at, name)); at += n)
        found += !is_word(at[n]) && (at == ptx || !is_word(at[-1]));
    return found > 1;
}

char *cc_device_names(const char *ptx, size_t bytes, size_t *out_bytes)
{
    struct ptx_module *m = ptx_parse(ptx, bytes, "", NULL); /* what weir cannot read is the launch's matter */
    struct cc_list lines = {0};
    cc_push(&lines, ".pushsection .weir.device,\"\",@progbits\n.byte 0\n");
    for (uint32_t i = 0; m && i < m->n_func; i++) {
        const struct ptx_func *f = &m->func[i];
        const bool wanted = !f->has_body && !emu_has_builtin(f->name) && is_used(ptx, f->name);
        if (!f->is_entry && (f->linkage == PTX_L_EXTERN ? wanted : f->has_body))
            name_line(&lines, f->name, f->linkage);
    }
    for (uint32_t i = 0; m && i < m->n_var; i++)
        if (m->var[i].space == PTX_S_GLOBAL || m->var[i].space == PTX_S_CONST)
            name_line(&lines, m->var[i].name, m->var[i].linkage);
    cc_push(&lines, ".popsection\n");
    if (m)
        ptx_module_free(m);
    VEC(char) out = {0};
    for (size_t i = 0; i < lines.n; i++) {
        const size_t n = strlen(lines.p[i]);
        VEC_RESERVE(&out, out.n + n + 1);
        memcpy(out.p + out.n, lines.p[i], n + 1);
        out.n += n;
    }
    cc_list_free(&lines);
    *out_bytes = out.n;
    return out.p;
}

char *cc_fat_binary(char *text, size_t *bytes, int arch)
{
    /* src/frontend/cudart/fatbin.c reads them: a container's header, an entry's, the text with a final 0. */
    enum { HEADER = 0x10, ENTRY = 0x40 };
    const uint64_t payload = (*bytes + 1 + 7) / 8 * 8, entries = ENTRY + payload;
    unsigned major = 0, minor = 0;
    const char *version = strstr(text, ".version ");
    if (version)
        sscanf(version, ".version %u.%u", &major, &minor);
    uint8_t *out = xcalloc(1, HEADER + entries), *entry = out + HEADER;
    memcpy(out, &(struct {
               uint32_t magic;
               uint16_t version, header;
               uint64_t bytes;
           }){0xba55ed50, 1, HEADER, entries},
           HEADER);
    memcpy(entry, &(struct {
               uint16_t kind, version; /* 1: PTX */
               uint32_t header;
               uint64_t payload;
               uint32_t compressed, options;
               uint16_t minor, major;
               uint32_t arch, name, name_bytes;
               uint64_t flags, none, text_bytes; /* flags: 64 bits, Linux */
           }){1, 0x101, ENTRY, payload, 0, 0, (uint16_t)minor, (uint16_t)major, (uint32_t)arch, 0, 0, 0x11, 0, 0},
           ENTRY);
    memcpy(entry + ENTRY, text, *bytes);
    free(text);
    *bytes = HEADER + entries;
    return (char *)out;
}
