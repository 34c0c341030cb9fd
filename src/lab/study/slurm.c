/* See slurm.h. */
#include "study/slurm.h"

#include "base/clock.h"
#include "base/out_of_memory.h"
#include "base/infile.h"
#include "base/jsonfile.h"
#include "base/outfile.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "gpu/plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MAX_TASKS = 1000 }; /* of a job, however many more the cluster allows */

/* ---- Slurm's commands ---- */

/* Runs a command and gives what it printed, owned by the caller; its exit status, 127 = it is not there. */
static int command(char *const *argv, char **printed)
{
    int fds[2];
    VEC(char) text = {0};
    if (pipe2(fds, O_CLOEXEC))
        return 127;
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        dup2(fds[1], STDOUT_FILENO);
        dup2(fds[1], STDERR_FILENO);
        execvp(argv[0], argv);
        _exit(127);
    }
    close(fds[1]);
    for (ssize_t n = 1; n > 0 || (n < 0 && errno == EINTR);) {
        VEC_RESERVE(&text, text.n + 4096);
        n = read(fds[0], text.p + text.n, text.cap - text.n);
        text.n += n > 0 ? (size_t)n : 0;
    }
    close(fds[0]);
    VEC_PUSH(&text, 0);
    *printed = text.p;
    return pid > 0 ? subprocess_exit(pid, 127) : 127;
}

int slurm_check(struct err *e)
{
    char *text = NULL;
    const int status = command((char *[]){"sinfo", "--noheader", NULL}, &text);
    if (status == 127) {
        err_set(e, "--on slurm: Slurm's commands were not found");
        err_hint(e, "install slurm-client, or omit --on slurm");
    } else if (status) {
        err_set(e, "--on slurm: Slurm does not answer: %.*s", (int)strcspn(text, "\n"), text);
    }
    free(text);
    return status ? -1 : 0;
}

/* How many tasks a job may have: the cluster's MaxArraySize, if it is smaller. */
static unsigned task_limit(void)
{
    char *text = NULL;
    const int status = command((char *[]){"scontrol", "show", "config", NULL}, &text);
    const char *at = status ? NULL : strstr(text, "MaxArraySize");
    const unsigned long n = at && (at = strchr(at, '=')) ? strtoul(at + 1, NULL, 10) : MAX_TASKS;
    free(text);
    return n > 0 && n < MAX_TASKS ? (unsigned)n : MAX_TASKS;
}

/* ---- the job's folder ---- */

struct job {
    struct pool *pool;
    struct point **point;
    size_t n, settled;
    unsigned tasks;
    char *folder;
    char id[32]; /* of the array job that runs */
    uint64_t start_ns;
};

static char *file_of(const struct job *j, const char *what, size_t i)
{
    return xasprintf("%s/%s-%zu", j->folder, what, i);
}

static json_t *describe(const struct point *p)
{
    json_t *set = json_array();
    for (size_t i = 0; i < p->set.n; i++)
        json_array_append_new(set, json_string(p->set.p[i]));
    json_t *o = json_pack("{s:s, s:s, s:s, s:I, s:f, s:b, s:s, s:o, s:s}", "name", p->program->name, "recording",
                          p->program->recording, "hash", p->program->hash, "launches", (json_int_t)p->program->launches,
                          "sampled", p->program->sampled, "analysis", p->analysis, "machine", p->machine, "set", set,
                          "key", p->key);
    if (p->with)
        json_object_set_new(o, "with", json_string(p->with));
    return o;
}

static int make_folder(struct job *j, struct err *e)
{
    static unsigned made;
    j->folder = xasprintf("%s/slurm-%ld-%d-%u", j->pool->slurm->folder, (long)time(NULL), (int)getpid(), made++);
    if ((mkdir(j->pool->slurm->folder, 0777) && errno != EEXIST) || mkdir(j->folder, 0777))
        return err_at(e, j->folder, 0, 0, "cannot create the folder: %s", strerror(errno));
    json_t *points = json_array(), *plugins = json_array();
    for (size_t i = 0; i < j->n; i++)
        json_array_append_new(points, describe(j->point[i]));
    for (unsigned i = 0; i < plugin_count(); i++)
        json_array_append_new(plugins, json_string(plugin_path(i)));
    char *path = xasprintf("%s/points.json", j->folder);
    const int status =
        jsonfile_write(json_pack("{s:i, s:o, s:o}", "tasks", (int)j->tasks, "plugins", plugins, "points", points), path,
                       JSON_COMPACT, e);
    free(path);
    return status;
}

static void remove_folder(struct job *j)
{
    char *path = xasprintf("%s/points.json", j->folder);
    unlink(path);
    free(path);
    for (unsigned t = 0; t < j->tasks; t++) {
        char *log = file_of(j, "log", t);
        unlink(log);
        free(log);
    }
    rmdir(j->folder);
}

/* ---- submitting ---- */

/* Single quotes for the shell. */
static char *quoted(const char *s)
{
    VEC(char) q = {0};
    VEC_PUSH(&q, '\'');
    for (; *s; s++) {
        if (*s == '\'')
            for (const char *x = "'\\'"; *x; x++)
                VEC_PUSH(&q, *x);
        VEC_PUSH(&q, *s);
    }
    VEC_PUSH(&q, '\'');
    VEC_PUSH(&q, 0);
    return q.p;
}

/* `which`: tasks, as --array takes them. */
static int submit(struct job *j, const char *which, struct err *e)
{
    const struct slurm *s = j->pool->slurm;
    char *weir = quoted(s->weir), *folder = quoted(j->folder), *options = xstrdup(s->options ? s->options : "");
    char *array = xasprintf("--array=%s", which), *output = xasprintf("--output=%s/log-%%a", j->folder);
    char *wrap = xasprintf("--wrap=exec %s sweep --task %s", weir, folder), *text = NULL, *save = NULL;
    VEC(char *) argv = {0};
    VEC_PUSH(&argv, "sbatch");
    VEC_PUSH(&argv, "--parsable");
    VEC_PUSH(&argv, "--job-name=weir");
    VEC_PUSH(&argv, array);
    VEC_PUSH(&argv, output);
    for (char *w = strtok_r(options, " ", &save); w; w = strtok_r(NULL, " ", &save))
        VEC_PUSH(&argv, w);
    VEC_PUSH(&argv, wrap);
    VEC_PUSH(&argv, NULL);
    int status = command(argv.p, &text);
    snprintf(j->id, sizeof j->id, "%.*s", (int)strspn(text, "0123456789"), text);
    if (status || !*j->id)
        status = err_set(e, "sbatch rejected the job: %.300s", text);
    VEC_FREE(&argv);
    char *const owned[] = {weir, folder, options, array, output, wrap, text};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    return status ? -1 : 0;
}

/*
 * Whether a task in this state, "STATE|REASON", ends without anybody's help. One that has ended does not, and neither does
 * one that Slurm itself put on hold because it could not be started; a hold by a person is that person's to end.
 */
static bool goes_on(const char *state)
{
    static const char *const ended[] = {"COMPLETED", "FAILED",   "CANCELLED", "TIMEOUT", "NODE_FAIL",   "OUT_OF_MEMORY",
                                        "BOOT_FAIL", "DEADLINE", "PREEMPTED", "REVOKED", "SPECIAL_EXIT"};
    static const char *const held[] = {"launch_failed_requeued_held", "launch failed requeued held",
                                       "JobHoldMaxRequeue"};
    const size_t n = strcspn(state, "|");
    for (size_t i = 0; i < sizeof ended / sizeof *ended; i++)
        if (strlen(ended[i]) == n && !strncmp(state, ended[i], n))
            return false;
    for (size_t i = 0; i < sizeof held / sizeof *held; i++)
        if (strstr(state + n, held[i]))
            return false;
    return true;
}

/* Whether a task of the job still waits or runs. */
static bool is_active(const struct job *j)
{
    char *text = NULL, *save = NULL;
    bool active = false;
    const int status = command(
        (char *[]){"squeue", "--noheader", "--array", "--states=all", "--format=%T|%r", "--jobs", (char *)j->id, NULL},
        &text);
    /* A job that ended long ago is unknown to squeue; anything else that fails is asked again. */
    if (status && !strstr(text, "Invalid job id"))
        active = true;
    for (char *w = status ? NULL : strtok_r(text, "\n", &save); w && !active; w = strtok_r(NULL, "\n", &save))
        active = goes_on(w);
    free(text);
    return active;
}

/* ---- collecting ---- */

static int collect(struct job *j, struct err *e)
{
    struct pool *pool = j->pool;
    int status = 0;
    size_t bytes;
    for (size_t i = 0; i < j->n && !status; i++) {
        struct point *p = j->point[i];
        if (p->document || p->failure)
            continue;
        char *result = file_of(j, "result", i), *failure = file_of(j, "failure", i), *text;
        if ((text = infile_bytes(result, &bytes)) && !point_take(p, text)) {
            pool->simulated++;
            j->settled++;
            status = pool_keep(pool, p, text, e);
            unlink(result);
        } else if (!text && (text = infile_bytes(failure, &bytes))) {
            p->failure = xstrdup(text);
            pool->failed++;
            j->settled++;
            unlink(failure);
        }
        free(text);
        free(result);
        free(failure);
    }
    return status;
}

static void show(const struct job *j)
{
    if (!j->pool->show)
        return;
    struct pool_progress p = {
        .done = j->settled, .failed = j->pool->failed, .total = j->n, .seconds = clock_seconds_since(j->start_ns)};
    for (size_t i = 0; i < j->n; i++) {
        p.insts_total += j->point[i]->program->insts;
        if (j->point[i]->document || j->point[i]->failure)
            p.insts_done += j->point[i]->program->insts;
    }
    j->pool->show(j->pool->ctx, &p);
}

/* Tasks with points that have neither result nor failure, as --array takes them; NULL = none. */
static char *unfinished(const struct job *j, size_t *n)
{
    char *list = NULL;
    *n = 0;
    for (unsigned t = 0; t < j->tasks; t++)
        for (size_t i = t; i < j->n; i += j->tasks)
            if (!j->point[i]->document && !j->point[i]->failure) {
                char task[16];
                snprintf(task, sizeof task, "%u", t);
                text_append(&list, ",", task);
                (*n)++;
                break;
            }
    return list;
}

/* Waits for the array job; 1 = stopped. Asks often at first, seldom later: a cluster's controller has other users. */
static int wait_for(struct job *j, struct err *e)
{
    double pause_s = 0.2;
    for (;;) {
        const bool active = is_active(j);
        if (collect(j, e))
            return -1;
        show(j);
        if (j->pool->stop && j->pool->stop(j->pool->ctx))
            return 1;
        if (!active || j->settled == j->n)
            return 0;
        const struct timespec pause = {(time_t)pause_s, (long)((pause_s - (double)(time_t)pause_s) * 1e9)};
        nanosleep(&pause, NULL);
        pause_s = pause_s < 10 ? pause_s * 1.2 : 10;
    }
}

static void cancel(const struct job *j)
{
    char *text = NULL;
    command((char *[]){"scancel", (char *)j->id, NULL}, &text);
    free(text);
}

/* Points of tasks that failed again and again. */
static void give_up(struct job *j)
{
    for (size_t i = 0; i < j->n; i++)
        if (!j->point[i]->document && !j->point[i]->failure) {
            j->point[i]->failure = xasprintf("task %zu of Slurm's job %s ended without a result; see %s/log-%zu",
                                             i % j->tasks, j->id, j->folder, i % j->tasks);
            j->pool->failed++;
            j->settled++;
        }
}

int slurm_run(struct pool *pool, struct point **points, size_t n, struct err *e)
{
    struct slurm *s = pool->slurm;
    struct job j = {.pool = pool, .point = points, .n = n, .tasks = task_limit()};
    if (n < j.tasks)
        j.tasks = (unsigned)n;
    j.start_ns = clock_ns();
    char *which = xasprintf("0-%u", j.tasks - 1);
    int status = make_folder(&j, e);
    for (unsigned attempt = 0; !status && which; attempt++) {
        status = submit(&j, which, e);
        if (!status)
            status = wait_for(&j, e);
        free(which);
        size_t failed = 0;
        which = status ? NULL : unfinished(&j, &failed);
        if (status || which)
            cancel(&j); /* of tasks that end without a result some may be on hold */
        if (which && attempt == s->retries) {
            give_up(&j);
            free(which);
            which = NULL;
        }
        s->resubmitted += which ? failed : 0;
    }
    free(which);
    if (!status && !pool->failed)
        remove_folder(&j); /* the logs of failed tasks are for people */
    free(j.folder);
    return status;
}

/* ---- inside a task ---- */

static int task_point(const json_t *o, const char *folder, size_t i, struct err *e)
{
    struct lab_program program = {.launches = (uint32_t)json_integer_value(json_object_get(o, "launches")),
                                  .sampled = json_number_value(json_object_get(o, "sampled"))};
    const char *text[] = {"name", "recording", "hash", "machine", "key"};
    for (size_t k = 0; k < sizeof text / sizeof *text; k++)
        if (!json_is_string(json_object_get(o, text[k])))
            return err_at(e, folder, 0, 0, "points.json is damaged");
#define TEXT(name) ((char *)json_string_value(json_object_get(o, name)))
    program.name = TEXT("name");
    program.recording = TEXT("recording");
    snprintf(program.hash, sizeof program.hash, "%s", TEXT("hash"));
    VEC(char *) set = {0};
    size_t k;
    json_t *x;
    json_array_foreach(json_object_get(o, "set"), k, x) VEC_PUSH(&set, (char *)json_string_value(x));
    struct point *p = point_new(&program, json_is_true(json_object_get(o, "analysis")), TEXT("machine"), TEXT("with"),
                                set.p, set.n, e);
    VEC_FREE(&set);
    if (!p)
        return -1;
    int status = 0;
    if (strcmp(p->key, TEXT("key"))) {
        err_set(e, "this node runs a different weir than the one that submitted the job");
        status = err_hint(e, "use the same weir on all nodes");
    }
    char *document = status ? NULL : point_simulate(p, 1, NULL, NULL, e);
    char *path = xasprintf("%s/%s-%zu", folder, document ? "result" : "failure", i);
    if (document)
        status = outfile_write(path, document, strlen(document), e);
    else if (!status) {
        char *why = xasprintf("%s%s%s%s%s", e->file, *e->file ? ": " : "", e->msg, *e->hint ? "; " : "", e->hint);
        status = outfile_write(path, why, strlen(why), e);
        free(why);
    }
#undef TEXT
    free(path);
    free(document);
    point_free(p);
    return status;
}

int slurm_task(const char *folder, unsigned task, struct err *e)
{
    char *path = xasprintf("%s/points.json", folder);
    json_error_t why;
    json_t *doc = json_load_file(path, 0, &why);
    int status = doc ? 0 : err_at(e, path, why.line > 0 ? why.line : 0, 0, "%s", why.text);
    free(path);
    const json_t *points = json_object_get(doc, "points");
    const size_t tasks = (size_t)json_integer_value(json_object_get(doc, "tasks"));
    size_t i;
    json_t *x;
    if (!status && !tasks)
        status = err_at(e, folder, 0, 0, "points.json is damaged");
    json_array_foreach(json_object_get(doc, "plugins"), i, x) if (!status) status =
        plugin_load(json_string_value(x), e);
    for (i = task; !status && i < json_array_size(points); i += tasks)
        status = task_point(json_array_get(points, i), folder, i, e);
    json_decref(doc);
    return status;
}
