/* See swcache_device.h. nvcc compiles; the driver is only asked whether there is a GPU. */
#include "cli/swcache_device.h"

#include "base/subprocess.h"
#include "cli/progress.h"

#include <dlfcn.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Asks the driver, without which no CUDA program runs. */
static int find_gpu(struct err *e)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    int (*init)(unsigned) = driver ? (int (*)(unsigned))(size_t)dlsym(driver, "cuInit") : NULL;
    int (*count)(int *) = driver ? (int (*)(int *))(size_t)dlsym(driver, "cuDeviceGetCount") : NULL;
    int n = 0;
    if (init && count && init(0) == 0 && count(&n) == 0 && n > 0)
        return 0;
    err_set(e, "--device: no CUDA-capable GPU found");
    return err_hint(e, "omit the option to use simulated machines");
}

/* Runs all variants in turns; medians. */
static int time_variants(char *binary, const char *size, struct swcache_outcome *o, char **device)
{
    char path[SWCACHE_PATH + 8];
    snprintf(path, sizeof path, "%s.json", binary);
    unlink(path);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        if (!freopen("/dev/null", "w", stdout))
            _exit(127);
        execl(binary, binary, "--size", size, "--launches", "31", "--json", path, (char *)NULL);
        _exit(127);
    }
    const int how = pid > 0 ? subprocess_wait(pid) : -1;
    json_t *all = how == 0 ? json_load_file(path, 0, NULL) : NULL;
    const char *name = json_string_value(json_object_get(all, "device"));
    if (name && !*device)
        *device = xstrdup(name);
    for (enum swcache_variant v = 0; v < SWCACHE_VARIANTS; v++) {
        json_t *of = json_object_get(json_object_get(all, "variants"), swcache_variant_name[v]);
        json_t *median = json_object_get(of, "median_ms");
        o->time[v] = median ? json_number_value(median) : NAN;
        o->statistics[v] = json_incref(of);
    }
    json_decref(all);
    return isnan(o->time[SWCACHE_PLAIN]) || isnan(o->time[SWCACHE_HAND]) ? -1 : 0;
}

int swcache_on_device(const struct swcache_apps *apps, const char *size, struct swcache_results *r, struct err *e)
{
    if (swcache_find_nvcc(e) || find_gpu(e))
        return -1;
    *r = (struct swcache_results){.size = size, .unit = "ms"};
    struct progress line;
    progress_count_begin(&line);
    for (size_t k = 0; k < apps->app.n; k++) {
        char binary[SWCACHE_PATH];
        struct err why;
        struct swcache_outcome o = {.app = &apps->app.p[k]};
        progress_count(&line, "running", k, apps->app.n, o.app->name);
        err_clear(&why);
        if (swcache_build(apps, o.app, binary, &why) || time_variants(binary, size, &o, &r->machine)) {
            if (*why.msg)
                err_print(&why, stderr);
            o.failure = xstrdup(o.app->name);
            for (enum swcache_variant v = 0; v < SWCACHE_VARIANTS; v++)
                o.time[v] = NAN;
        } else
            o.left_alone = apps->has_transformer && !swcache_has(apps, o.app, SWCACHE_AUTO);
        VEC_PUSH(&r->outcome, o);
    }
    progress_clear(&line);
    if (!r->machine)
        r->machine = xstrdup("the GPU of this computer");
    return 0;
}
