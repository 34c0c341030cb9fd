/* See gnuplot.h. */
#include "chart/gnuplot.h"

#include "base/subprocess.h"
#include "base/mem.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* gnuplot does not look whether its writes succeed. */
static bool is_whole(int picture, const char *kind)
{
    const char *ending = !strcmp(kind, "svg") ? "</svg>" : !strcmp(kind, "png") ? "IEND" : "%%EOF";
    char tail[64];
    const off_t n = lseek(picture, 0, SEEK_END), from = n > 64 ? n - 64 : 0;
    const ssize_t got = pread(picture, tail, sizeof tail, from);
    return got < 0 || memmem(tail, (size_t)got, ending, strlen(ending)); /* a device cannot be read back */
}

/* All that was written into a file without a name. */
char *gnuplot_read_back(int fd, size_t *bytes)
{
    off_t n = lseek(fd, 0, SEEK_END);
    char *text = xmalloc((size_t)(n > 0 ? n : 0) + 1);
    *bytes = 0;
    for (ssize_t got; n > 0 && (got = pread(fd, text + *bytes, (size_t)n - *bytes, (off_t)*bytes)) > 0;)
        *bytes += (size_t)got;
    text[*bytes] = 0;
    return text;
}

/* What gnuplot said last, which is why it ended: '"FILE" line 20: x range is invalid', after the line itself. */
static int add_gnuplot_error(const char *script, int said, struct err *e)
{
    size_t bytes = 0, n;
    char *text = gnuplot_read_back(said, &bytes), *last = text, *next = NULL, *end;
    for (char *line = strtok_r(text, "\n", &next); line; line = strtok_r(NULL, "\n", &next))
        if (line[strspn(line, " \t")])
            last = line;
    char *at = strstr(last, "line ");
    const long line = at && (at == last || last[0] == '"') ? strtol(at + 5, &end, 10) : 0;
    last = line > 0 && !strncmp(end, ": ", 2) ? end + 2 : last;
    n = strlen(last);
    err_at(e, script, (int)line, 0, "gnuplot could not draw this%s%.*s", n ? ": " : "", (int)(n < 300 ? n : 300), last);
    free(text);
    return -1;
}

int gnuplot_run(const char *script, const char *kind, int picture, struct err *e)
{
    const int said = memfd_create("gnuplot", MFD_CLOEXEC);
    fflush(NULL);
    const pid_t self = getpid(), pid = fork();
    if (pid == 0) {
        subprocess_end_with(self, SIGTERM);
        int null = open("/dev/null", O_RDWR);
        dup2(null, 0);
        dup2(picture, 1);
        dup2(said < 0 ? null : said, 2);
        /* -d: not the user's own settings */
        execlp("gnuplot", "gnuplot", "-d", "-c", script, kind, (char *)NULL);
        _exit(127);
    }
    const int status = pid > 0 ? subprocess_wait(pid) : -1;
    const bool ended = status != -1 && WIFEXITED(status);
    int fault = 0;
    if (ended && WEXITSTATUS(status) == 127) {
        err_at(e, script, 0, 0, "gnuplot is not installed: no picture was drawn");
        fault = err_hint(e, "apt-get install gnuplot-nox, then 'gnuplot %.180s'", script);
    } else if (!ended || WEXITSTATUS(status) || !is_whole(picture, kind)) {
        fault = add_gnuplot_error(script, said, e);
    }
    if (said >= 0)
        close(said);
    return fault;
}
