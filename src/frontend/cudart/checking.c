/* weir check inside the program: opens the checker, tells it of the program's calls, has it report at the end. */
#include "cudart/runtime.h"

#include <unistd.h>

static void end_now(void *ctx)
{
    (void)ctx;
    checking_finish();
    rt.slot->finished = 1;
    rt_leave_process(1);
}

int checking_open(struct err *e)
{
    const char *words = rt_option(REPORT_ENV_CHECK);
    if (!words)
        return 0;
    const struct check_opts o = {
        .tools = (unsigned)strtoul(words, NULL, 10),
        .leaks_fail = strstr(words, "leaks") != NULL,
        .strict = strstr(words, "strict") != NULL,
        .notes = strstr(words, "notes") != NULL,
        .fail_fast = strstr(words, "fail-fast") != NULL,
        .kernel = rt_option(REPORT_ENV_KERNEL),
        .suppress = rt_option(REPORT_ENV_SUPPRESS),
        .program = rt_option(REPORT_ENV_PROGRAM),
        .ended = end_now,
    };
    rt.check = check_open(&o, e);
    return rt.check ? 0 : -1;
}

void checking_op(const struct rt_stream *s)
{
    if (rt.check)
        check_op(rt.check, s->id, s->flags & cudaStreamNonBlocking, s == &rt.legacy);
}

void checking_host_waits(const struct rt_stream *s)
{
    if (rt.check && s)
        check_host_waits_stream(rt.check, s->id);
    else if (rt.check)
        check_host_waits_all(rt.check);
}

void checking_copy(void *to, const void *from, size_t bytes, bool to_device, bool from_device)
{
    static const char call[] = "cudaMemcpy";
    if (!rt.check)
        return;
    if (to_device && from_device)
        check_copy(rt.check, (uintptr_t)to, (uintptr_t)from, bytes, call);
    else if (to_device)
        check_write(rt.check, (uintptr_t)to, bytes, call);
    else if (from_device)
        check_read(rt.check, (uintptr_t)from, bytes, call);
}

void checking_span(const struct rt_stream *s, uint64_t addr, uint64_t bytes, const char *call)
{
    if (rt.check && s)
        checking_op(s);
    if (rt.check)
        check_span(rt.check, addr, bytes, call);
}

static unsigned handles(enum rt_kind kind)
{
    unsigned n = 0;
    for (size_t i = 0; i < rt.handle.cap; i++)
        n += rt.handle.slot[i].key && rt.handle.slot[i].value && rt.handle.slot[i].kind == kind;
    return n;
}

void checking_finish(void)
{
    struct err e;
    if (!rt.check)
        return;
    err_clear(&e);
    fflush(stdout);
    if (!rt.faulted) { /* on a lost device nothing can be freed */
        check_left(rt.check, "stream", handles(RT_STREAM));
        check_left(rt.check, "event", handles(RT_EVENT));
        check_leaks(rt.check);
    }
    const char *json = rt_option(REPORT_ENV_JSON), *sarif = rt_option(REPORT_ENV_SARIF);
    const bool alone = (json && !strcmp(json, "-")) || (sarif && !strcmp(sarif, "-"));
    const char *to = alone ? rt_option(REPORT_ENV_STDOUT) : NULL;
    if (to)
        dup2(atoi(to), STDOUT_FILENO);
    const unsigned found = check_finish(rt.check, stderr, json && *json ? json : NULL, sarif, &e);
    if (to) /* the program may print until its very end: not into the document */
        dup2(STDERR_FILENO, STDOUT_FILENO);
    if (e.msg[0])
        rt_bad_input(&e);
    if (rt.report)
        atomic_fetch_add(&rt.report->found, found);
    check_close(rt.check);
    rt.check = NULL;
}
