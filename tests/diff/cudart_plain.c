/*
 * A program without CUDA; built with -DRUNTIME_INSIDE it behaves like one whose CUDA runtime is linked statically, with
 * -DDRIVER like one that opens the driver by its name.
 */
#include <dlfcn.h>
#include <stdio.h>

int main(void)
{
#ifdef DRIVER
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
#define CALL(name, parameters, ...)                                                                                    \
    (driver && dlsym(driver, #name) ? ((int(*) parameters)(size_t)dlsym(driver, #name))(__VA_ARGS__) : -1)
    char name[100] = "";
    void *context, *table;
    unsigned long long p;
    int value = 7, back = 0, bad = CALL(cuInit, (unsigned), 0);
    bad |= CALL(cuDeviceGetName, (char *, int, int), name, sizeof name, 0);
    bad |= CALL(cuDevicePrimaryCtxRetain, (void **, int), &context, 0);
    if (CALL(cuMemAlloc_v2, (unsigned long long *, size_t), &p, 4) != 201)
        puts("memory without a context");
    bad |= CALL(cuCtxSetCurrent, (void *), context);
    bad |= CALL(cuMemAlloc_v2, (unsigned long long *, size_t), &p, 4);
    bad |= CALL(cuMemcpyHtoD_v2, (unsigned long long, const void *, size_t), p, &value, 4);
    bad |= CALL(cuMemcpyDtoH_v2, (void *, unsigned long long, size_t), &back, p, 4);
    bad |= CALL(cuGetProcAddress_v2, (const char *, void **, int, unsigned long long, int *), "cuMemAlloc", &table,
                13000, 0, NULL);
    bad |= table != dlsym(driver, "cuMemAlloc_v2");
    printf("%s: error %d, back %d\n", name, bad, back);
    return bad != 0;
#elif defined RUNTIME_INSIDE
    void *driver = dlopen("libcuda.so.1", RTLD_NOW), *table;
    int (*tables)(void **, const char *) =
        driver ? (int (*)(void **, const char *))(size_t)dlsym(driver, "cuGetExportTable") : NULL;
    puts(tables && !tables(&table, "0123456789abcdef") ? "found a driver" : "found no driver");
#else
    puts(dlsym(RTLD_DEFAULT, "main") ? "plain" : "plain, too");
#endif
    return 0;
}
