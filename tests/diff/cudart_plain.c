/* A program without CUDA; built with -DDRIVER it behaves like one whose CUDA runtime is linked statically. */
#include <dlfcn.h>
#include <stdio.h>

int main(void)
{
#ifdef DRIVER
    puts(dlopen("libcuda.so.1", RTLD_NOW) ? "found a driver" : "found no driver");
#else
    puts(dlsym(RTLD_DEFAULT, "main") ? "plain" : "plain, too");
#endif
    return 0;
}
