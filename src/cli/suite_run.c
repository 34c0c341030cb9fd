/*
 * See suite_run.h. First what is not up to date is compiled, then the programs run; both through the same small pool of
 * processes. A program that runs alone shares weir's terminal; of several, the output is kept and shown for those that
 * fail.
 */
#include "cli/suite_run.h"

#include "base/subprocess.h"
#include "base/clock.h"
#include "base/jsonfile.h"
#include "cli/cli.h"
#include "cli/progress.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

struct job {
    const struct suite_program *program;
    char binary[SUITE_PATH];
    pid_t pid;
    FILE *output; /* what it printed; NULL = it shares the terminal */
    FILE *json;   /* its statistics: a file without a name, which nothing can leave behind */
    uint64_t start_ns;
    double seconds;
    bool done;
    int status;
    json_t *doc;   /* the run's document; NULL = there is none */
    json_t *total; /* its "total" */
};

struct run {
    const struct suite *suite;
    const struct suite_plan *plan;
    struct job *job;
    size_t n, shown;        /* rows printed */
    char cache[SUITE_PATH]; /* of compiled programs */
    struct progress line;
    FILE *out; /* the table: standard output, unless the document goes there */
};

/* ---- a pool of processes ---- */

static void show_progress(struct run *r, const char *doing, size_t done)
{
    char now[256] = "";
    for (size_t i = 0, at = 0; i < r->n && at < sizeof now; i++)
        if (r->job[i].pid)
            at += (size_t)snprintf(now + at, sizeof now - at, "%s%s", at ? " " : "", r->job[i].program->name);
    progress_count(&r->line, doing, done, r->n, now);
}

static bool has_document_on_stdout(const struct run *r)
{
    const char *json = r->plan->machine.json;
    return json && !strcmp(json, "-");
}

static int start(struct job *j, void (*body)(const struct run *, const struct job *), const struct run *r)
{
    fflush(NULL);
    if ((r->n > 1 && !j->output && !(j->output = tmpfile())) || (!j->json && !(j->json = tmpfile()))) {
        fprintf(stderr, "weir: cannot make a temporary file: %s\n", strerror(errno));
        return -1;
    }
    j->start_ns = clock_ns();
    const pid_t self = getpid();
    j->pid = fork();
    if (j->pid == 0) {
        subprocess_end_with(self, SIGTERM);
        if (j->output) {
            dup2(fileno(j->output), STDOUT_FILENO);
            dup2(fileno(j->output), STDERR_FILENO);
        } else if (has_document_on_stdout(r))
            dup2(STDERR_FILENO, STDOUT_FILENO);
        body(r, j);
        fprintf(stderr, "weir: cannot run weir itself: %s\n", strerror(errno));
        _exit(CLI_BAD_INPUT);
    }
    if (j->pid < 0)
        fprintf(stderr, "weir: cannot start another process: %s\n", strerror(errno));
    return j->pid < 0 ? -1 : 0;
}

/* Waits for one of the running jobs. A program that runs alone shows its own progress. */
static struct job *wait_for_any(struct run *r, const char *doing, size_t ended)
{
    int status;
    pid_t pid;
    progress_ticks(r->n > 1);
    while ((pid = waitpid(-1, &status, 0)) < 0 && errno == EINTR)
        if (r->n > 1)
            show_progress(r, doing, ended);
    progress_ticks(false);
    if (pid < 0)
        return NULL;
    for (size_t i = 0; i < r->n; i++) {
        struct job *j = &r->job[i];
        if (j->pid != pid)
            continue;
        j->pid = 0;
        j->seconds = clock_seconds_since(j->start_ns);
        j->status = WIFEXITED(status) ? WEXITSTATUS(status) : CLI_PROGRAM_FAILED;
        return j;
    }
    return NULL;
}

/* Every job that is not done goes through `body`; `after` sees each when it ends. */
static void each(struct run *r, const char *doing, void (*body)(const struct run *, const struct job *),
                 void (*after)(struct run *, struct job *))
{
    size_t running = 0, next = 0, ended = 0;
    progress_count_begin(&r->line);
    while (running || (next < r->n && !progress_interrupted())) {
        while (running < r->plan->parallel && next < r->n && !progress_interrupted()) {
            struct job *j = &r->job[next++];
            if (j->done) {
                ended++;
                continue;
            }
            if (start(j, body, r)) {
                j->pid = 0;
                j->status = CLI_BAD_INPUT;
                after(r, j);
                ended++;
                continue;
            }
            running++;
        }
        if (!running)
            break;
        struct job *j = wait_for_any(r, doing, ended);
        if (!j)
            break;
        running--;
        ended++;
        progress_clear(&r->line);
        after(r, j);
    }
    progress_clear(&r->line);
}

/* ---- compiling ---- */

static void compile(const struct run *r, const struct job *j)
{
    char binary[SUITE_PATH];
    _exit(suite_build(r->suite, j->program, r->cache, binary));
}

static void compiled(struct run *r, struct job *j)
{
    struct err e;
    if (!j->status && suite_binary(r->suite, j->program, r->cache, j->binary, &e)) {
        err_print(&e, stderr);
        j->status = CLI_BAD_INPUT;
    }
    if (j->status) {
        j->done = true;
        j->status = CLI_BAD_INPUT;
    }
}

/* ---- running ---- */

struct words {
    VEC(char *) word;
};

static void push_word(void *ctx, const char *word)
{
    struct words *w = ctx;
    VEC_PUSH(&w->word, xstrdup(word));
}

static void execute(const struct run *r, const struct job *j)
{
    char path[32], interval[32];
    struct words options = {0};
    snprintf(path, sizeof path, "/dev/fd/%d", fileno(j->json));
    VEC(char *) argv = {0};
    VEC_PUSH(&argv, "weir");
    VEC_PUSH(&argv, "run");
    if (r->plan->functional)
        VEC_PUSH(&argv, "--functional");
    if (j->output || r->plan->machine.quiet)
        VEC_PUSH(&argv, "--quiet");
    snprintf(interval, sizeof interval, "%g", progress_interval());
    VEC_PUSH(&argv, "--progress");
    VEC_PUSH(&argv, interval);
    VEC_PUSH(&argv, "--json");
    VEC_PUSH(&argv, path);
    machine_args_each_word(&r->plan->machine, push_word, &options);
    for (size_t i = 0; i < options.word.n; i++)
        VEC_PUSH(&argv, options.word.p[i]);
    VEC_PUSH(&argv, (char *)j->binary);
    VEC_PUSH(&argv, (char *)r->plan->size);
    VEC_PUSH(&argv, NULL);
    execv("/proc/self/exe", argv.p);
}

static const char *count_text(uint64_t n, char text[32])
{
    const double x = (double)n;
    if (n < 100000)
        snprintf(text, 32, "%" PRIu64, n);
    else
        snprintf(text, 32, "%.*f %c", x < 1e7 ? 2 : 1, x < 1e6 ? x * 1e-3 : x * 1e-6, x < 1e6 ? 'k' : 'M');
    return text;
}

static uint64_t whole(const json_t *total, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(total, name));
}
static double number(const json_t *total, const char *name)
{
    return json_number_value(json_object_get(total, name));
}

static void print_head(const struct run *r)
{
    if (r->plan->functional)
        fprintf(r->out, "%-14s %12s %12s %8s\n", "program", "warp insts", "thread insts", "seconds");
    else
        fprintf(r->out, "%-14s %12s %8s %8s %12s %s%8s\n", "program", "cycles", "IPC", "L1 miss", "warp insts",
                r->plan->machine.opts.energy ? "        mJ        W " : "", "seconds");
}

static void print_row(const struct run *r, const struct job *j)
{
    char a[32], b[32];
    fprintf(r->out, "%-14s ", j->program->name);
    if (!j->total && r->plan->functional)
        fprintf(r->out, "%12s %12s ", "-", "-");
    else if (!j->total)
        fprintf(r->out, "%12s %8s %8s %12s ", "-", "-", "-", "-");
    else if (r->plan->functional)
        fprintf(r->out, "%12s %12s ", count_text(whole(j->total, "warp_insts"), a),
                count_text(whole(j->total, "thread_insts"), b));
    else
        fprintf(r->out, "%12s %8.2f %7.1f%% %12s ", count_text(whole(j->total, "cycles"), a), number(j->total, "ipc"),
                100 * number(j->total, "l1.miss_rate"), count_text(whole(j->total, "warp_insts"), b));
    if (r->plan->machine.opts.energy && j->total)
        fprintf(r->out, "%10.4g %8.1f ", 1e3 * number(j->total, "energy.total_j"), number(j->total, "energy.power_w"));
    else if (r->plan->machine.opts.energy)
        fprintf(r->out, "%10s %8s ", "-", "-");
    fprintf(r->out, "%8.2f%s\n", j->seconds, j->status ? "  FAILED" : "");
    fflush(r->out);
}

/* Options whose results are text, or sections of the document beside the totals. */
static bool prints_more(const struct machine_args *m)
{
    return m->opts.classify_loads || m->gpgpusim || m->opts.ncu_names;
}
static bool documents_more(const struct machine_args *m)
{
    return m->opts.classify_loads || m->opts.ncu_names || m->opts.sample_cycles || m->opts.sampled > 0;
}

/* All that the program and its run said. */
static void copy_output(const struct job *j, FILE *out)
{
    char text[4096];
    fprintf(out, "---- %s\n", j->program->name);
    if (!j->output || fseek(j->output, 0, SEEK_SET))
        return;
    for (size_t n; (n = fread(text, 1, sizeof text, j->output));)
        fwrite(text, 1, n, out);
}

/* The last lines of what the program said. */
static void show_failure(const struct job *j)
{
    enum { TAIL_BYTES = 2000 };
    char text[TAIL_BYTES + 1];
    fprintf(stderr, "weir: suite program '%s' failed with status %d\n", j->program->name, j->status);
    if (!j->output || fseek(j->output, 0, SEEK_END))
        return;
    const long bytes = ftell(j->output);
    if (bytes <= 0 || fseek(j->output, bytes > TAIL_BYTES ? bytes - TAIL_BYTES : 0, SEEK_SET))
        return;
    const size_t n = fread(text, 1, TAIL_BYTES, j->output);
    text[n] = '\0';
    fputs(text, stderr);
    if (n && text[n - 1] != '\n')
        fputc('\n', stderr);
}

static void show_finished(struct run *r)
{
    for (; r->shown < r->n && r->job[r->shown].done; r->shown++) {
        struct job *j = &r->job[r->shown];
        if (j->status) {
            fflush(stdout);
            show_failure(j);
        } else if (j->output && prints_more(&r->plan->machine)) {
            copy_output(j, r->out);
        }
        print_row(r, j);
        if (j->output)
            fclose(j->output);
        j->output = NULL;
    }
}

static void executed(struct run *r, struct job *j)
{
    rewind(j->json);
    j->doc = json_loadf(j->json, 0, NULL);
    j->total = json_object_get(j->doc, "total");
    if (!j->total && !j->status) {
        fprintf(stderr, "weir: the statistics of '%s' cannot be read\n", j->program->name);
        j->status = CLI_BAD_INPUT;
    }
    j->done = true;
    if (r->n > 1)
        show_finished(r);
}

/* ---- all of it ---- */

static int write_json(const struct run *r)
{
    json_t *programs = json_array();
    for (size_t i = 0; i < r->n; i++) {
        const struct job *j = &r->job[i];
        if (!j->done)
            continue;
        json_t *p = json_pack("{s:s, s:b, s:i, s:f}", "name", j->program->name, "ok", !j->status, "status", j->status,
                              "host_seconds", j->seconds);
        if (j->doc && documents_more(&r->plan->machine))
            json_object_set(p, "run", j->doc);
        if (j->total)
            json_object_set(p, "total", j->total);
        json_array_append_new(programs, p);
    }
    json_t *doc = json_pack("{s:s, s:s, s:b, s:o}", "schema", "weir-suite-1", "size", r->plan->size, "functional",
                            r->plan->functional, "programs", programs);
    struct err e;
    if (!jsonfile_write(doc, r->plan->machine.json, JSON_INDENT(2) | JSON_REAL_PRECISION(12), &e))
        return CLI_OK;
    return cli_fail(&e);
}

static int conclude(struct run *r, double seconds)
{
    int worst = CLI_OK;
    size_t failed = 0, done = 0;
    if (r->n == 1)
        print_head(r);
    show_finished(r);
    for (size_t i = 0; i < r->n; i++) {
        const struct job *j = &r->job[i];
        done += j->done;
        failed += j->done && j->status;
        worst = j->done && j->status > worst ? j->status : worst;
    }
    if (r->n > 1)
        fprintf(r->out, "suite: %zu programs, %zu failed, %.1f s\n", done, failed, seconds);
    if (done < r->n) {
        fprintf(stderr, "weir: stopped; %zu programs did not run\n", r->n - done);
        worst = worst ? worst : CLI_PROGRAM_FAILED;
    }
    const int wrote = r->plan->machine.json ? write_json(r) : CLI_OK;
    return worst ? worst : wrote;
}

int suite_run(const struct suite *s, const struct suite_plan *plan)
{
    struct run r = {.suite = s, .plan = plan, .n = plan->program.n};
    r.out = has_document_on_stdout(&r) ? stderr : stdout;
    struct err e;
    if (suite_cache_folder(r.cache, &e))
        return cli_fail(&e);
    r.job = xcalloc(r.n, sizeof *r.job);
    for (size_t i = 0; i < r.n; i++)
        r.job[i].program = plan->program.p[i];
    struct progress progress;
    progress_begin(&progress, 0);
    each(&r, "compiling", compile, compiled);
    if (r.n > 1)
        print_head(&r);
    each(&r, "running", execute, executed);
    const int status = conclude(&r, progress_end(&progress));
    for (size_t i = 0; i < r.n; i++) {
        json_decref(r.job[i].doc);
        if (r.job[i].output)
            fclose(r.job[i].output);
        if (r.job[i].json)
            fclose(r.job[i].json);
    }
    free(r.job);
    return status;
}
