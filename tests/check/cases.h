/* Small programs in one file: CASE(name, "what weir check reports") { host code }. run.py reads the verdicts here. */
#ifndef CASES_H
#define CASES_H

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

struct Case {
    const char *name;
    void (*run)();
    Case *next;
    static Case *&first()
    {
        static Case *head = nullptr;
        return head;
    }
    Case(const char *n, void (*r)()) : name(n), run(r), next(first()) { first() = this; }
};
#define CASE(name, verdict)                                                                                            \
    static void run_##name();                                                                                          \
    static Case case_##name(#name, run_##name);                                                                        \
    static void run_##name()

/* Freed at the end, so that only the cases about leaks have any. */
static void *mine[16];
static int n_mine;
template <class T> static T *zeros(size_t n)
{
    T *p;
    cudaMalloc(&p, n * sizeof(T));
    cudaMemset(p, 0, n * sizeof(T));
    mine[n_mine++] = p;
    return p;
}

int main(int argc, char **argv)
{
    for (Case *c = Case::first(); c; c = c->next)
        if (argc > 1 && !strcmp(c->name, argv[1])) {
            c->run();
            cudaDeviceSynchronize();
            while (n_mine)
                cudaFree(mine[--n_mine]);
            return 0;
        }
    fprintf(stderr, "no case %s\n", argc > 1 ? argv[1] : "");
    return 2;
}

#endif
