/*
 * Runs a libFuzzer target without libFuzzer: every file of a corpus, then a bounded number of mutations of them, the
 * same ones every time. So the target is a plain test with any compiler, and a sanitizer build sees what it does.
 *
 *   fuzz_x CORPUS-FOLDER [MUTATIONS [SEED]]
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { INPUT_BYTES = 1 << 16, CORPUS_FILES = 256 };

struct input {
    uint8_t *p;
    size_t n;
};

static uint64_t state;
static uint32_t below(uint32_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state * 0x2545f4914f6cdd1dull >> 32) * n >> 32);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int load(const char *folder, struct input *in)
{
    struct dirent **list;
    int n = scandir(folder, &list, NULL, by_name), kept = 0;
    for (int i = 0; i < n; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, list[i]->d_name);
        FILE *f = list[i]->d_name[0] != '.' && kept < CORPUS_FILES ? fopen(path, "rb") : NULL;
        if (f) {
            in[kept].p = malloc(INPUT_BYTES);
            in[kept].n = fread(in[kept].p, 1, INPUT_BYTES, f);
            fclose(f);
            kept++;
        }
        free(list[i]);
    }
    if (n >= 0)
        free(list);
    return kept;
}

/* The input in a block of exactly its size, so that a read past its end is seen. */
static void run(const uint8_t *p, size_t n)
{
    uint8_t *exact = malloc(n ? n : 1);
    memcpy(exact, p, n);
    LLVMFuzzerTestOneInput(exact, n);
    free(exact);
}

static size_t mutate(uint8_t *p, size_t n, const struct input *in, int n_in)
{
    for (uint32_t edits = 1 + below(4); edits && n; edits--) {
        uint32_t at = below((uint32_t)n);
        switch (below(7)) {
        case 0:
            p[at] ^= (uint8_t)(1 << below(8));
            break;
        case 1:
            p[at] = (uint8_t)below(256);
            break;
        case 2: { /* interesting values */
            static const uint8_t value[] = {0, 1, 0x7f, 0x80, 0xff, ' ', '\n', ';', '{', '}', '[', '"', '=', '.'};
            p[at] = value[below(sizeof value)];
            break;
        }
        case 3: /* cut a piece out */
            n -= n - at < 16 ? 0 : 1 + below(15);
            memmove(p + at, p + at + 1, n - at ? n - at - 1 : 0);
            break;
        case 4: /* repeat a piece */
            if (n + 16 < INPUT_BYTES && n - at >= 16) {
                memmove(p + at + 16, p + at, n - at);
                n += 16;
            }
            break;
        case 5: /* copy from another input */
        {
            const struct input *o = &in[below((uint32_t)n_in)];
            size_t len = 1 + below(64);
            if (o->n > len && n - at > len)
                memcpy(p + at, o->p + below((uint32_t)(o->n - len)), len);
            break;
        }
        default:
            if (below(8) == 0)
                n = at;
        }
    }
    return n;
}

int main(int argc, char **argv)
{
    static struct input in[CORPUS_FILES];
    if (argc < 2) {
        fprintf(stderr, "usage: %s CORPUS-FOLDER [MUTATIONS [SEED]]\n", argv[0]);
        return 2;
    }
    int n_in = load(argv[1], in);
    if (!n_in) {
        fprintf(stderr, "%s: no corpus in %s\n", argv[0], argv[1]);
        return 2;
    }
    long mutations = argc > 2 ? atol(argv[2]) : 0;
    state = argc > 3 ? strtoull(argv[3], NULL, 10) | 1 : 88172645463325252ull;
    uint8_t *work = malloc(INPUT_BYTES);
    for (int i = 0; i < n_in; i++)
        run(in[i].p, in[i].n);
    for (long i = 0; i < mutations; i++) {
        const struct input *from = &in[below((uint32_t)n_in)];
        memcpy(work, from->p, from->n);
        run(work, mutate(work, from->n, in, n_in));
    }
    printf("%d inputs and %ld mutations: nothing found\n", n_in, mutations);
    for (int i = 0; i < n_in; i++)
        free(in[i].p);
    free(work);
    return 0;
}
