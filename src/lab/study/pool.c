/* See pool.h. */
#include "study/pool.h"

#include "base/clock.h"
#include "base/out_of_memory.h"
#include "base/subprocess.h"
#include "gpu/plugin.h"
#include "study/slurm.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * What a child sends: any number of 'p' records (8 bytes: instructions so far), then one 'r' (the document follows, to
 * the end) or 'e' (a message follows). Ending without either is a crash.
 */
struct job {
    struct point *point; /* NULL = free */
    pid_t pid;
    int fd;
    VEC(char) got;
    size_t read_to; /* progress records before this are consumed */
    uint64_t insts;
};

struct child {
    int fd;
    uint64_t told_ns;
};

static bool write_all(int fd, const void *bytes, size_t n)
{
    for (const char *p = bytes; n;) {
        ssize_t w = write(fd, p, n);
        if (w < 0 && errno != EINTR)
            return false;
        if (w > 0) {
            p += w;
            n -= (size_t)w;
        }
    }
    return true;
}

/* ---- in the child ---- */

static int report_progress(void *ctx, uint64_t cycle, uint64_t insts)
{
    (void)cycle;
    struct child *c = ctx;
    if (clock_seconds_since(c->told_ns) < 0.2)
        return 0;
    c->told_ns = clock_ns();
    char record[9] = {'p'};
    memcpy(record + 1, &insts, 8);
    return !write_all(c->fd, record, sizeof record); /* the parent has gone: stop */
}

static _Noreturn void simulate(const struct point *p, unsigned threads, int fd)
{
    signal(SIGINT, SIG_IGN); /* the parent decides */
    struct child c = {.fd = fd};
    struct err e;
    err_clear(&e);
    char *document = point_simulate(p, threads, report_progress, &c, &e);
    bool ok;
    if (document)
        ok = write_all(fd, "r", 1) && write_all(fd, document, strlen(document));
    else {
        char text[1100];
        snprintf(text, sizeof text, "%s%s%s%s%s", e.file, *e.file ? ": " : "", e.msg, *e.hint ? "; " : "", e.hint);
        ok = write_all(fd, "e", 1) && write_all(fd, text, strlen(text));
    }
    _exit(!ok);
}

/* ---- in the parent ---- */

/* Host threads for a point, when so many run or wait, itself included: none for which there is no job. */
static unsigned threads_of(const struct pool *pool, size_t points)
{
    const size_t free_jobs = pool->jobs / points;
    return free_jobs < 2 || pool->threads < 2 ? 1 : free_jobs < pool->threads ? (unsigned)free_jobs : pool->threads;
}

static int start(struct job *j, struct point *p, unsigned threads, struct err *e)
{
    int fds[2];
    if (pipe2(fds, O_CLOEXEC))
        return err_set(e, "cannot start a simulation: %s", strerror(errno));
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        close(fds[0]);
        signal(SIGPIPE, SIG_IGN);
        simulate(p, threads, fds[1]);
    }
    close(fds[1]);
    if (pid < 0) {
        close(fds[0]);
        return err_set(e, "cannot start a simulation: %s", strerror(errno));
    }
    j->point = p;
    j->pid = pid;
    j->fd = fds[0];
    j->got.n = j->read_to = 0;
    j->insts = 0;
    return 0;
}

/* Reads what has arrived. False at the end of the pipe. */
static bool receive(struct job *j)
{
    VEC_RESERVE(&j->got, j->got.n + 65536);
    ssize_t n = read(j->fd, j->got.p + j->got.n, j->got.cap - j->got.n);
    if (n > 0)
        j->got.n += (size_t)n;
    while (j->read_to + 9 <= j->got.n && j->got.p[j->read_to] == 'p') {
        memcpy(&j->insts, j->got.p + j->read_to + 1, 8);
        j->read_to += 9;
    }
    return n > 0 || (n < 0 && errno == EINTR);
}

static void reap(struct job *j, int *status)
{
    close(j->fd);
    *status = subprocess_wait(j->pid);
}

int pool_keep(struct pool *pool, struct point *p, const char *document, struct err *e)
{
    if (!pool->store)
        return 0;
    char settings[1024];
    point_settings(p, settings, sizeof settings);
    struct store_row row = {p->program->name, pool->size ? pool->size : "", p->machine, p->policies, settings,
                            document};
    return store_put(pool->store, p->key, &row, e);
}

/* The child has closed its pipe: its result, or why there is none. */
static int finish(struct pool *pool, struct job *j, struct err *e)
{
    int status = 0;
    reap(j, &status);
    struct point *p = j->point;
    j->point = NULL;
    VEC_PUSH(&j->got, 0);
    const char *text = j->got.p + j->read_to;
    if (*text == 'r' && WIFEXITED(status) && WEXITSTATUS(status) == 0 && point_take(p, text + 1) == 0) {
        pool->simulated++;
        return pool_keep(pool, p, text + 1, e);
    }
    char why[512];
    if (WIFSIGNALED(status)) {
        int n = snprintf(why, sizeof why, "the simulation crashed (%s): ", strsignal(WTERMSIG(status)));
        plugin_suspects(why + n, sizeof why - (size_t)n);
    } else
        snprintf(why, sizeof why, "the simulation ended without a result (status %d); see its message above",
                 WEXITSTATUS(status));
    p->failure = xstrdup(*text == 'e' ? text + 1 : why);
    pool->failed++;
    return 0;
}

static void end_all(struct job *job, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (job[i].point) {
            int status;
            kill(job[i].pid, SIGKILL);
            reap(&job[i], &status);
            job[i].point = NULL;
        }
}

/* Long ones first, so that no core is left with the longest at the end. */
static int by_length(const void *a, const void *b)
{
    const struct point *x = *(struct point *const *)a, *y = *(struct point *const *)b;
    if (x->program->insts != y->program->insts)
        return x->program->insts < y->program->insts ? 1 : -1;
    return strcmp(x->key, y->key);
}

struct run {
    struct pool *pool;
    struct job *job;
    struct pool_progress progress;
    uint64_t start_ns, shown_ns;
};

static void show(struct run *r, bool now_too)
{
    if (!r->pool->show || (!now_too && clock_seconds_since(r->shown_ns) < 0.25))
        return;
    r->shown_ns = clock_ns();
    struct pool_progress p = r->progress;
    for (unsigned i = 0; i < r->pool->jobs; i++)
        if (r->job[i].point)
            p.insts_done += r->job[i].insts;
    p.seconds = clock_seconds_since(r->start_ns);
    r->pool->show(r->pool->ctx, &p);
}

static int run_all(struct run *r, struct point **todo, size_t n, struct err *e)
{
    struct pool *pool = r->pool;
    struct pollfd *fds = xcalloc(pool->jobs, sizeof *fds);
    int status = 0;
    for (size_t next = 0, running = 0; !status && (next < n || running);) {
        for (unsigned i = 0; i < pool->jobs && !status; i++)
            if (!r->job[i].point && next < n) {
                status = start(&r->job[i], todo[next], threads_of(pool, running + n - next), e);
                next++;
                running += status == 0;
            }
        for (unsigned i = 0; i < pool->jobs; i++)
            fds[i] = (struct pollfd){.fd = r->job[i].point ? r->job[i].fd : -1, .events = POLLIN};
        poll(fds, pool->jobs, 250);
        for (unsigned i = 0; i < pool->jobs && !status; i++)
            if (fds[i].revents && r->job[i].point && !receive(&r->job[i])) {
                r->progress.insts_done += r->job[i].point->program->insts;
                status = finish(pool, &r->job[i], e);
                r->progress.done++;
                r->progress.failed = pool->failed;
                running--;
            }
        if (pool->stop && pool->stop(pool->ctx))
            status = 1;
        show(r, false);
    }
    free(fds);
    return status;
}

/* A profile that is not there yet is made, whatever the store has. */
static void want_page(struct point *p, const char *folder)
{
    char *name = point_page_name(p), *path = xasprintf("%s/%s", folder, name);
    free(name);
    if (!p->analysis && access(path, F_OK))
        p->page = path;
    else
        free(path);
}

int pool_run(struct pool *pool, struct point **points, size_t n, struct err *e)
{
    VEC(struct point *) todo = {0};
    for (size_t i = 0; i < n; i++) {
        struct point *p = points[i];
        if (p->document || p->failure)
            continue;
        if (pool->pages && !pool->no_run)
            want_page(p, pool->pages);
        char *document = pool->store && !p->page ? store_get(pool->store, p->key) : NULL;
        if (document && point_take(p, document) == 0)
            pool->reused++;
        else if (pool->no_run)
            p->failure = xstrdup("not simulated yet");
        else
            VEC_PUSH(&todo, p);
        free(document);
    }
    if (!todo.n) {
        VEC_FREE(&todo);
        return 0;
    }
    qsort(todo.p, todo.n, sizeof *todo.p, by_length);
    if (pool->slurm) {
        const int status = slurm_run(pool, todo.p, todo.n, e);
        VEC_FREE(&todo);
        return status;
    }
    struct run r = {.pool = pool, .job = xcalloc(pool->jobs, sizeof *r.job), .progress = {.total = todo.n}};
    for (size_t i = 0; i < todo.n; i++)
        r.progress.insts_total += todo.p[i]->program->insts;
    r.start_ns = clock_ns();
    r.shown_ns = r.start_ns;
    int status = run_all(&r, todo.p, todo.n, e);
    end_all(r.job, pool->jobs);
    for (unsigned i = 0; i < pool->jobs; i++)
        VEC_FREE(&r.job[i].got);
    show(&r, true);
    free(r.job);
    VEC_FREE(&todo);
    return status;
}
