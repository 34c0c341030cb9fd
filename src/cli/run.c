/*
 * weir run and weir record: start a CUDA program with weir's runtime in place of NVIDIA's, and report how it ended.
 *
 * The program is an ordinary child process. It finds our libcudart.so.13 through LD_LIBRARY_PATH, or through LD_PRELOAD
 * where a search path inside the program would win. Address-space randomization is switched off, so that host
 * addresses, too, are the same in every run. Options are passed in the environment, results return in shared memory
 * (cudart/run_link.h).
 */
#include "base/subprocess.h"
#include "base/temp_folder.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/jsonfile.h"
#include "base/out_of_memory.h"
#include "base/infile.h"
#include "base/mem.h"
#include "base/outfile.h"
#include "base/paths.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/program_arg.h"
#include "cli/progress.h"
#include "cli/run.h"
#include "cudart/elf_check.h"
#include "cudart/run_link.h"
#include "gpu/plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct job {
    bool record, functional, stats;
    const char *trace;
    char *trace_default;
    const char *max_insn;
    const struct check_args *check; /* NULL: only run it */
    struct machine_args machine;
    char **argv; /* the program and its arguments */
    int argc;
};

/* ---- finding the program ---- */
/* A name without a slash is looked up in PATH, as a shell would. */
static int find_program(const char *name, char path[PATH_MAX], struct err *e)
{
    struct stat st;
    if (strchr(name, '/')) {
        snprintf(path, PATH_MAX, "%s", name);
        if (stat(path, &st))
            return err_set(e, "%s: %s", path, strerror(errno));
        if (S_ISREG(st.st_mode) && text_ends_in(path, ".wt")) {
            err_set(e, "%s: is a recording", path);
            return err_hint(e, "weir replay %s", path);
        }
        if (S_ISREG(st.st_mode) && access(path, X_OK)) {
            err_set(e, "%s: is not executable", path);
            return err_hint(e, "chmod +x it, or compile it first: weir cc app.cu -o app");
        }
        return 0;
    }
    const char *dirs = getenv("PATH");
    for (const char *d = dirs ? dirs : "", *end; *d; d = *end ? end + 1 : end) {
        end = strchrnul(d, ':');
        snprintf(path, PATH_MAX, "%.*s/%s", (int)(end - d), d, name);
        if (!stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK))
            return 0;
    }
    err_set(e, "%s: not found", name);
    if (text_ends_in(name, ".wt"))
        return err_hint(e, "to run a recording: weir replay %s", name);
    char suite[PATH_MAX];
    if (!access(name, X_OK))
        return err_hint(e, "is it ./%s?", name);
    if (!paths_find(PATHS_SUITE, suite, sizeof suite)) {
        char *program = xasprintf("%s/%s/%s.cu", suite, name, name);
        const bool is_suites = !access(program, R_OK);
        free(program);
        if (is_suites)
            return err_hint(e, "to run the suite's program of that name: weir suite run %s", name);
    }
    return err_hint(e, "give the path of a CUDA program, as in ./%s", name);
}

/* ---- the child's environment ---- */
static void put(const char *variable, const char *value)
{
    if (setenv(variable, value, 1))
        out_of_memory(strlen(value));
}

static void put_first(const char *variable, const char *value)
{
    const char *old = getenv(variable);
    char *joined = xasprintf("%s%s%s", value, old && *old ? ":" : "", old ? old : "");
    put(variable, joined);
    free(joined);
}

static void put_or_unset(const char *variable, const char *value)
{
    if (value)
        put(variable, value);
    else
        unsetenv(variable);
}

/* Files are named from where weir was started; the program may go elsewhere. */
static void put_path(const char *variable, const char *path)
{
    char cwd[PATH_MAX], *full = NULL;
    if (path && *path != '/' && getcwd(cwd, sizeof cwd))
        path = full = xasprintf("%s/%s", cwd, path);
    put_or_unset(variable, path);
    free(full);
}

static bool is_stdout(const char *document)
{
    return document && !strcmp(document, "-");
}

static void put_document(const char *name, const char *path)
{
    if (is_stdout(path))
        put(name, path);
    else
        put_path(name, path);
}

static void set_machine(const struct machine_args *m)
{
    char text[64];
    if (m->opts.machine && !access(m->opts.machine, R_OK))
        put_path(REPORT_ENV_GPU, m->opts.machine);
    else
        put_or_unset(REPORT_ENV_GPU, m->opts.machine);
    char *set = text_join(m->opts.set, m->opts.n_set, REPORT_BETWEEN);
    put_or_unset(REPORT_ENV_SET, set);
    free(set);
    put_or_unset(REPORT_ENV_WITH, m->opts.with);
    VEC(const char *) plugins = {0};
    for (unsigned i = 0; i < plugin_count(); i++)
        VEC_PUSH(&plugins, plugin_path(i));
    char *paths = text_join(plugins.p, plugins.n, REPORT_BETWEEN);
    put_or_unset(REPORT_ENV_PLUGINS, paths);
    free(paths);
    VEC_FREE(&plugins);
    put(REPORT_ENV_ENGINE, m->opts.tick_all ? "tick" : "skip");
    snprintf(text, sizeof text, "%u", m->opts.threads);
    put(REPORT_ENV_THREADS, text);
    snprintf(text, sizeof text, "%" PRIu64, m->opts.sample_cycles);
    put(REPORT_ENV_SAMPLE, text);
    put_document(REPORT_ENV_JSON, m->json);
    put_path(REPORT_ENV_TIMELINE, m->timeline);
    snprintf(text, sizeof text, "%s%s%s%s%s%s", m->quiet || m->no_summary ? "" : "summary ",
             m->opts.classify_loads ? "loads " : "", m->gpgpusim ? "gpgpusim " : "", m->opts.ncu_names ? "ncu " : "",
             m->opts.profile ? "profile " : "", m->opts.energy ? "energy" : "");
    put(REPORT_ENV_SHOW, text);
}

/* In the child, before exec. */
static void set_environment(const struct job *job, const struct program *program, const char *lib_dir, int report_fd)
{
    char text[PATH_MAX + 32], libraries[PATH_MAX];
    if (!paths_find(PATHS_LIBRARIES, libraries, sizeof libraries))
        put_first("LD_LIBRARY_PATH", libraries);
    put_first("LD_LIBRARY_PATH", lib_dir);
    /*
     * A program that needs the library itself finds it on the path. Behind a script, in a library of the program, or
     * where the program's own DT_RPATH goes first, only preloading is sure.
     */
    if (program->kind != PROGRAM_CUDA || program->has_rpath) {
        snprintf(text, sizeof text, "%s/libcudart.so.13", lib_dir);
        put_first("LD_PRELOAD", text);
    }
    snprintf(text, sizeof text, "%d", report_fd);
    put(REPORT_ENV_FD, text);
    put(REPORT_ENV_MODE, job->record ? "record" : job->functional ? "functional" : "timing");
    put_path(REPORT_ENV_TRACE, job->record ? job->trace : NULL);
    put_or_unset(REPORT_ENV_MAX_INSN, job->max_insn);
    put_or_unset(REPORT_ENV_CHECK, job->check ? job->check->words : NULL);
    put_or_unset(REPORT_ENV_KERNEL, job->check ? job->check->kernel : NULL);
    put_path(REPORT_ENV_SUPPRESS, job->check ? job->check->suppress : NULL);
    put_document(REPORT_ENV_SARIF, job->check ? job->check->sarif : NULL);
    set_machine(&job->machine);
    /* A document on standard output is alone there: what the program prints goes to standard error. */
    if (is_stdout(job->machine.json) || (job->check && is_stdout(job->check->sarif))) {
        snprintf(text, sizeof text, "%d", fcntl(STDOUT_FILENO, F_DUPFD, 64));
        put(REPORT_ENV_STDOUT, text);
        dup2(STDERR_FILENO, STDOUT_FILENO);
    }
    char *line = text_join((const char *const *)job->argv, (size_t)job->argc, ' ');
    put(REPORT_ENV_PROGRAM, line);
    free(line);
    const int old = personality(0xffffffff);
    if (old != -1)
        personality((unsigned long)old | ADDR_NO_RANDOMIZE);
}

/* ---- waiting, with a progress line ---- */
static uint64_t total_insts(const struct report *r)
{
    uint64_t sum = 0;
    for (int i = 0; i < REPORT_SLOTS; i++)
        sum += r->slot[i].warp_insts;
    return sum;
}

/* The line begins after a while: most programs have ended by then, and print themselves. */
static int wait_for(pid_t pid, struct report *r, bool show)
{
    enum { BEGIN_S = 2 };
    struct progress line;
    int status;
    const uint64_t start_ns = clock_ns();
    progress_count_begin(&line); /* Ctrl-C is the program's */
    progress_ticks(show);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
        if (!show || (line.terminal && clock_seconds_since(start_ns) < BEGIN_S) ||
            atomic_load(&r->line) == REPORT_LINE_OVER)
            continue;
        progress_program(&line, total_insts(r), r->slot[0].machine_cycle, r->slot[0].machine_insts);
        unsigned none = REPORT_LINE_NONE;
        if (line.printed)
            atomic_compare_exchange_strong(&r->line, &none, REPORT_LINE_SHOWN);
    }
    progress_ticks(false);
    if (atomic_load(&r->line) == REPORT_LINE_SHOWN)
        progress_clear(&line);
    return status;
}

/* ---- telling what happened ---- */
static void print_stats(const struct report *r, double wall)
{
    uint64_t launches = 0, ctas = 0, insts = 0, threads = 0, copies = 0, copied = 0, ns = 0;
    for (int i = 0; i < REPORT_SLOTS; i++) {
        const struct report_slot *s = &r->slot[i];
        launches += s->launches, ctas += s->ctas, insts += s->warp_insts, threads += s->thread_insts;
        copies += s->copies, copied += s->copied_bytes, ns += s->host_ns;
    }
    const double emulating = (double)ns * 1e-9;
    fprintf(stderr, "\n%-44s %10s %10s %14s %8s\n", "kernel", "launches", "CTAs", "warp insts", "seconds");
    for (int i = 0; i < REPORT_SLOTS; i++)
        for (uint32_t k = 0; k < r->slot[i].n_kernel && k < REPORT_KERNELS; k++) {
            const struct report_kernel *x = &r->slot[i].kernel[k];
            const size_t len = strnlen(x->name, sizeof x->name); /* the end of a qualified name tells most */
            fprintf(stderr, "%-44.44s %10" PRIu64 " %10" PRIu64 " %14" PRIu64 " %8.3f\n",
                    x->name + (len > 44 ? len - 44 : 0), x->launches, x->ctas, x->warp_insts,
                    (double)x->host_ns * 1e-9);
        }
    fprintf(stderr, "%-44s %10" PRIu64 " %10" PRIu64 " %14" PRIu64 " %8.3f\n", "total", launches, ctas, insts,
            emulating);
    fprintf(stderr,
            "\nthread instructions %" PRIu64 "; copies %" PRIu64
            " (%.1f MB); %.3f s total, %.2f M warp "
            "instructions/s in kernels\n",
            threads, copies, (double)copied * 1e-6, wall, emulating > 0 ? (double)insts * 1e-6 / emulating : 0.0);
}

/* What was executed, for programs: the counts of an execution without timing. */
static int write_counts(const struct report *r, const char *path)
{
    uint64_t launches = 0, ctas = 0, insts = 0, threads = 0;
    json_t *kernels = json_array();
    for (int i = 0; i < REPORT_SLOTS; i++) {
        const struct report_slot *s = &r->slot[i];
        launches += s->launches, ctas += s->ctas, insts += s->warp_insts, threads += s->thread_insts;
        for (uint32_t k = 0; k < s->n_kernel && k < REPORT_KERNELS; k++) {
            const struct report_kernel *x = &s->kernel[k];
            json_array_append_new(kernels,
                                  json_pack("{s:s%, s:I, s:I, s:I}", "name", x->name, strnlen(x->name, sizeof x->name),
                                            "launches", (json_int_t)x->launches, "ctas", (json_int_t)x->ctas,
                                            "warp_insts", (json_int_t)x->warp_insts));
        }
    }
    json_t *doc = json_pack("{s:s, s:{s:I, s:I, s:I, s:I}, s:o}", "schema", "weir-counts-1", "total", "launches",
                            (json_int_t)launches, "ctas", (json_int_t)ctas, "warp_insts", (json_int_t)insts,
                            "thread_insts", (json_int_t)threads, "kernels", kernels);
    struct err e;
    return jsonfile_write(doc, path, JSON_INDENT(2), &e) ? cli_fail(&e) : CLI_OK;
}

/* Whether a process that used CUDA ended without its runtime's knowledge. */
static bool ended_unseen(const struct report *r)
{
    const unsigned n = atomic_load(&r->n_slot);
    bool unseen = false;
    for (unsigned i = 0; i < n && i < REPORT_SLOTS; i++)
        unseen |= !r->slot[i].finished;
    return unseen;
}

/* Says how the child ended and turns it into weir's exit status. */
static int conclude(const struct job *job, const struct report *r, int status)
{
    const char *name = job->argv[0];
    const unsigned faults = atomic_load(&r->faults);
    if (atomic_load(&r->bad_input))
        return CLI_BAD_INPUT;
    if (atomic_load(&r->unsimulated))
        return CLI_BAD_INPUT;
    if (atomic_load(&r->deadlocks))
        return CLI_DEADLOCK;
    /* Counts of an execution without timing are in shared memory and survive; recordings have their own words. */
    const bool lost = !job->record && !job->functional && ended_unseen(r);
    if (lost)
        fprintf(stderr, "weir: %s was ended by a signal or a direct system call, so its statistics are lost\n", name);
    if (WIFSIGNALED(status)) {
        fprintf(stderr, "weir: %s was ended by signal %d (%s)\n", name, WTERMSIG(status), strsignal(WTERMSIG(status)));
        if (plugin_count()) { /* it ran in the program's process */
            char who[1024];
            plugin_suspects(who, sizeof who);
            fprintf(stderr, "weir: the cause may be the program, %s\n", who);
        }
        return CLI_PROGRAM_FAILED;
    }
    if (WEXITSTATUS(status) && !(job->check && atomic_load(&r->found))) {
        fprintf(stderr, "weir: %s exited with status %d\n", name, WEXITSTATUS(status));
        return CLI_PROGRAM_FAILED;
    }
    if (job->check && (faults || atomic_load(&r->found)))
        return CLI_PROGRAM_FAILED; /* the report has said why */
    if (faults) {
        fprintf(stderr, "weir: %s exited normally despite %s on the device\n", name,
                faults == 1 ? "a fault" : "faults");
        return CLI_PROGRAM_FAILED;
    }
    if (lost)
        return CLI_PROGRAM_FAILED;
    if (!atomic_load(&r->n_slot))
        fprintf(stderr, "weir: %s called no CUDA function, so nothing was simulated\n", name);
    return CLI_OK;
}

/* A recording is whole when the runtime lived to close it. */
static int conclude_recording(const struct job *job, const struct report *r, int result)
{
    struct stat st;
    const struct report_slot *s = &r->slot[0];
    if (!atomic_load(&r->n_slot)) {
        fprintf(stderr, "weir: %s was not written: there was nothing to record\n", job->trace);
        return result ? result : CLI_BAD_INPUT;
    }
    if (!s->finished || s->not_whole) {
        fprintf(stderr, "weir: %s was not written: %s\n", job->trace,
                s->finished ? "a kernel failed, so the recording is incomplete"
                            : "the program ended before the recording was complete");
        return result ? result : CLI_PROGRAM_FAILED;
    }
    if (result != CLI_BAD_INPUT && !stat(job->trace, &st) && !job->machine.quiet && !job->machine.no_summary)
        fprintf(stderr, "weir: %s: %" PRIu64 " launches, %" PRIu64 " warp instructions, %.1f KB (%.2f bytes each)\n",
                job->trace, s->launches, s->warp_insts, (double)st.st_size * 1e-3,
                s->warp_insts ? (double)st.st_size / (double)s->warp_insts : 0.0);
    return result;
}

static struct report *new_report(int *fd, struct err *e)
{
    *fd = memfd_create("weir-report", 0);
    if (*fd < 0 || ftruncate(*fd, sizeof(struct report))) {
        err_set(e, "cannot make shared memory: %s", strerror(errno));
        return NULL;
    }
    struct report *r = mmap(NULL, sizeof *r, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
    if (r == MAP_FAILED) {
        err_set(e, "cannot map shared memory: %s", strerror(errno));
        return NULL;
    }
    r->version = REPORT_VERSION;
    r->bytes = sizeof *r;
    return r;
}

static int prepare(const struct job *job, char path[PATH_MAX], char lib_dir[PATH_MAX], struct program *program,
                   struct err *e)
{
    size_t n;
    char *file = find_program(job->argv[0], path, e) ? NULL : infile_whole(path, INFILE_ANY_SIZE, &n, e);
    if (!file)
        return -1;
    const int bad = n ? program_examine(file, n, job->argv[0], program, e) : err_set(e, "%s: is empty", path);
    free(file);
    if (bad)
        return -1;
    if (paths_find(PATHS_CUDART, lib_dir, PATH_MAX)) {
        err_set(e, "weir's own libcudart.so.13 is missing");
        return err_hint(e, "build it (make) or install weir again");
    }
    return 0;
}

/* A recording in the program's place would destroy what was recorded. */
static int check_recording(const struct job *job, const char *program, struct err *e)
{
    struct stat a, b;
    if (!stat(job->trace, &a) && !stat(program, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino) {
        err_at(e, job->trace, 0, 0, "is the program file");
        return err_hint(e, "give the recording another name with -o");
    }
    return outfile_check(job->trace, e);
}

/* ---- signals ---- */

/* The processes that a signal to weir is meant for, as its handler needs them. */
static struct {
    volatile pid_t child;
    const struct report *report;
} told;

/* What the terminal sends (Ctrl-C, its end) reaches the program directly; what somebody sends to weir is passed on,
 * also to the programs behind a script. weir stays to tell about it. */
static void pass_on(int sig, siginfo_t *info, void *context)
{
    (void)context;
    const int saved = errno;
    if (info->si_code != SI_KERNEL && told.child > 0) {
        kill(told.child, sig);
        for (int i = 0; i < REPORT_SLOTS; i++) {
            const struct report_slot *s = &told.report->slot[i];
            if (s->pid && (pid_t)s->pid != told.child && !s->finished)
                kill((pid_t)s->pid, sig);
        }
    }
    errno = saved;
}

static const int passed[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};

/* Those that are ignored (nohup) stay ignored. */
static void catch_signals(void)
{
    struct sigaction old, sa = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
        if (!sigaction(passed[i], NULL, &old) && old.sa_handler != SIG_IGN)
            sigaction(passed[i], &sa, NULL);
}

/* Starts the program; -1 = it could not be forked. Signals wait until both sides are ready for them. */
static pid_t start_program(const struct job *job, const char *path, const struct program *program, const char *lib_dir,
                           struct report *report, int fd)
{
    const pid_t self = getpid();
    sigset_t all, old;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &old);
    const pid_t pid = fork();
    if (!pid) {
        subprocess_end_with(self, SIGKILL);
        set_environment(job, program, lib_dir, fd);
        sigprocmask(SIG_SETMASK, &old, NULL);
        execv(path, job->argv);
        fprintf(stderr, "weir: cannot start %s: %s\n", path, strerror(errno));
        atomic_fetch_add(&report->bad_input, 1);
        _exit(127);
    }
    told.report = report;
    told.child = pid;
    if (pid > 0)
        catch_signals();
    sigprocmask(SIG_SETMASK, &old, NULL);
    return pid;
}

static int run_job(const struct job *job)
{
    struct err e;
    char path[PATH_MAX], lib_dir[PATH_MAX];
    struct program program;
    struct report *report = NULL;
    int fd = -1;
    err_clear(&e);
    if (prepare(job, path, lib_dir, &program, &e) ||
        machine_args_check(&job->machine, !job->record && !job->functional, &e) ||
        (job->record && check_recording(job, path, &e)) || !(report = new_report(&fd, &e)))
        return cli_fail(&e);
    fflush(NULL);
    const uint64_t start_ns = clock_ns();
    const pid_t pid = start_program(job, path, &program, lib_dir, report, fd);
    if (pid < 0) {
        fprintf(stderr, "weir: cannot start %s: %s\n", path, strerror(errno));
        return CLI_BAD_INPUT;
    }
    const int status = wait_for(pid, report, !job->machine.quiet);
    const double wall = clock_seconds_since(start_ns);
    int result = conclude(job, report, status);
    if (job->record)
        result = conclude_recording(job, report, result);
    if (job->stats)
        print_stats(report, wall);
    if (job->functional && !job->check && job->machine.json && result != CLI_BAD_INPUT &&
        write_counts(report, job->machine.json) && !result)
        result = CLI_BAD_INPUT;
    munmap(report, sizeof *report);
    close(fd);
    return result;
}

/* ---- the command line ---- */
const char *run_max_insn(const struct argp_state *state, const char *n)
{
    if (!*n || strspn(n, "0123456789") != strlen(n) || strlen(n) >= 20)
        argp_failure(state, CLI_BAD_INPUT, 0, "--max-insn %s: not a number of warp instructions", n);
    return n;
}

static void take_max_insn(struct argp_state *state, void *args, char *n)
{
    ((struct job *)args)->max_insn = run_max_insn(state, n);
}

/* The first word that is no option is the program; everything behind it is the program's. */
static void take_word(struct argp_state *state, void *args, char *word)
{
    struct job *job = args;
    (void)word;
    program_arg_take(state, true, &job->argc, &job->argv);
}

/* What only a machine can do needs one. */
static void check_options(struct argp_state *state, void *args)
{
    const struct job *job = args;
    const struct machine_args *m = &job->machine;
    const char *mode = job->record ? "a recording" : job->functional ? "--functional" : NULL;
    const char *option = m->json && job->record ? "--json" : machine_args_timing_option(m);
    if (!job->argc)
        argp_failure(state, CLI_BAD_INPUT, 0, "no program given; see 'weir %s --help'", job->record ? "record" : "run");
    if (mode && option)
        argp_failure(state, CLI_BAD_INPUT, 0, "%s has no timing model, so %s has no effect%s", mode, option,
                     job->record ? "; use it with weir replay" : "");
}

#define COMMON_OPTIONS                                                                                                 \
    {"max-insn", "N", "stop a launch after N warp instructions (runaway kernel)", .call = take_max_insn},              \
    {                                                                                                                  \
        "stats", NULL, "print instruction counts and speed per kernel", CLI_FLAG(struct job, stats)                    \
    }
#define PARTS                                                                                                          \
    {                                                                                                                  \
        {&machine_syntax, offsetof(struct job, machine), "The machine:"},                                              \
        {                                                                                                              \
            &report_syntax, offsetof(struct job, machine), "The run and its results:"                                  \
        }                                                                                                              \
    }

static const struct cli_option run_options[] = {
    {"functional", NULL, "only execute, as fast as possible; no timing", CLI_FLAG(struct job, functional)},
    COMMON_OPTIONS,
    {0}};
static const struct cli_syntax run_syntax = {
    run_options,
    PARTS,
    "./PROGRAM [ARGUMENTS]",
    "Runs a CUDA program on a simulated GPU.\n"
    "\n"
    "The program is an ordinary Linux executable, built by weir cc or by nvcc -cudart shared; it needs no GPU and no "
    "CUDA installation. Faults of its kernels (addresses out of bounds, misaligned or freed memory, barriers that "
    "cannot complete) are reported with the kernel, source line, CTA and thread. The summary goes to standard "
    "error.\vExamples:\n"
    "  weir run --functional ./vecadd 1000000\n"
    "  weir run --gpu gtx480 ./bfs graph.txt\n"
    "  weir run --set l1.size=32KiB --with gto --json out.json ./matmul\n"
    "  weir run --gpu gtx480 --sampled ./matmul\n"
    "\n"
    "With --functional and no --gpu the program sees an H200.\n"
    "Exit status: 0 done, 1 the program failed (its status, a signal or a device fault), 2 bad input, 3 deadlock of "
    "the machine.",
    take_word,
    check_options};

static const struct cli_option record_options[] = {
    {"output", "FILE", "the recording (default: PROGRAM.wt)", CLI_TEXT(struct job, trace), .letter = 'o'},
    COMMON_OPTIONS,
    {0}};
static const struct cli_syntax record_syntax = {
    record_options,
    PARTS,
    "./PROGRAM [ARGUMENTS]",
    "Runs a CUDA program and writes the instruction streams of its kernels to a file, for weir replay.\vExamples:\n"
    "  weir record -o vecadd.wt ./vecadd 1000000\n"
    "  weir trace info vecadd.wt\n"
    "  weir replay --gpu gtx480 vecadd.wt\n"
    "\n"
    "--gpu sets the device properties that the program sees. Policies and statistics belong to weir replay and are "
    "rejected here.\n"
    "Exit status: 0 done, 1 the program failed (its status, a signal or a device fault), 2 bad input.",
    take_word,
    check_options};

/* A sample is chosen from the whole recording, so the program is recorded first; its own timers see no simulated time. */
static int run_sampled(struct job *job)
{
    struct temp_folder folder;
    struct err e;
    if (machine_args_check(&job->machine, true, &e) || temp_folder_make(&folder, "run", &e))
        return cli_fail(&e);
    char *file = xasprintf("%s/run.wt", folder.path);
    struct job first = *job;
    first.record = true;
    first.trace = file;
    first.machine.json = NULL;
    first.machine.no_summary = true;
    int result = run_job(&first);
    if (!result)
        result = replay_recording(&job->machine, file, stderr);
    temp_folder_remove(&folder);
    free(file);
    return result;
}

static int start(int argc, char **argv, bool record)
{
    struct job job = {.record = record};
    cli_parse(record ? &record_syntax : &run_syntax, argc, argv, ARGP_IN_ORDER, &job);
    if (job.machine.opts.sampled > 0) {
        const int result = run_sampled(&job);
        machine_args_free(&job.machine);
        return result;
    }
    if (record && !job.trace) {
        const char *base = strrchr(job.argv[0], '/');
        job.trace_default = xasprintf("%s.wt", base ? base + 1 : job.argv[0]);
        job.trace = job.trace_default;
    }
    const int result = run_job(&job);
    free(job.trace_default);
    machine_args_free(&job.machine);
    return result;
}

int run_program(const struct machine_args *m, int argc, char **argv)
{
    return run_job(&(struct job){.machine = *m, .argv = argv, .argc = argc});
}

int run_checked(const struct machine_args *m, const struct check_args *check, int argc, char **argv)
{
    return run_job(&(struct job){
        .functional = true, .machine = *m, .check = check, .max_insn = check->max_insn, .argv = argv, .argc = argc});
}

int cli_run(int argc, char **argv)
{
    return start(argc, argv, false);
}

int cli_record(int argc, char **argv)
{
    return start(argc, argv, true);
}
