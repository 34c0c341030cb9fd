/* See plot.h. */
#include "lab/plot.h"

#include "base/child.h"
#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* Distinct for colour-blind readers and in grey (after Okabe and Ito). */
static const char *const colours[] = {"#999999", "#0072b2", "#e69f00", "#009e73", "#cc79a7",
                                      "#56b4e9", "#d55e00", "#f0e442", "#000000"};
enum { N_COLOURS = sizeof colours / sizeof *colours };

/*
 * Names and titles come from plans and files, and gnuplot runs what stands between backticks in a command, within
 * double quotes too. Within single quotes it reads nothing but '', which stands for one quote.
 */
static void put_string(const char *s, FILE *f)
{
    fputc('\'', f);
    for (; *s; s++)
        if (*s == '\'')
            fputs("''", f);
        else
            fputc((unsigned char)*s < ' ' ? ' ' : *s, f);
    fputc('\'', f);
}

/* A word of the data block, which gnuplot reads as it is but for quotes and backslashes. */
static void put_word(const char *s, FILE *f)
{
    fputc('"', f);
    for (; *s; s++)
        fputc(*s == '"' ? '\'' : (unsigned char)*s < ' ' || *s == '\\' ? ' ' : *s, f);
    fputc('"', f);
}

/* "CS:finite" and "CS:infinite" stand together. */
static bool same_group(const char *a, const char *b)
{
    size_t n = strcspn(a, ":");
    return n == strcspn(b, ":") && !strncmp(a, b, n);
}

static void put_data(const struct table *t, FILE *f)
{
    fputs("$data << EOD\n\"\"", f);
    for (size_t c = 0; c < t->column.n; c++) {
        fputc(' ', f);
        put_word(t->column.p[c].label, f);
    }
    fputc('\n', f);
    for (size_t i = 0; i < t->row.n; i++) {
        const struct table_row *r = &t->row.p[i];
        if (i && (r->mean != t->row.p[i - 1].mean || (!r->mean && !same_group(r->group, t->row.p[i - 1].group)))) {
            fputs("\"\"", f); /* a gap between groups */
            for (size_t c = 0; c < t->column.n; c++)
                fputs(" ?", f);
            fputc('\n', f);
        }
        put_word(r->label, f);
        for (size_t c = 0; c < t->column.n; c++)
            if (isnan(r->cell[c]))
                fputs(" ?", f);
            else
                fprintf(f, " %.6g", r->cell[c]);
        fputc('\n', f);
    }
    fputs("EOD\n", f);
}

static void put_script(const struct table *t, const struct plot *p, const char *svg, FILE *f)
{
    size_t bars = t->row.n * (p->style == PLOT_BARS ? t->column.n : 2);
    size_t width = 300 + bars * 12;
    width = width < 560 ? 560 : width > 1500 ? 1500 : width;
    fprintf(
        f, "# Drawn by weir; 'gnuplot FILE' draws it again.\nset terminal svg size %zu,380 font 'sans,12' noenhanced\n",
        width);
    /* weir calls it with an argument and takes the picture from standard output, so that it appears when it is whole.
     */
    fputs("if (!exists('ARGC') || ARGC == 0) set output ", f);
    put_string(svg, f);
    fputs("\nset title ", f);
    put_string(p->title, f);
    fputs("\nset ylabel ", f);
    put_string(p->axis, f);
    fprintf(f,
            "\nset key outside top center horizontal\nset datafile missing '?'\nset grid ytics lc rgb '#dddddd'\n"
            "set border 3\nset tics nomirror out\nset boxwidth 0.9\nset xtics rotate by 45 right\n"
            "set yrange [0:%s]\n",
            p->style == PLOT_STACKED ? "1" : "*");
    if (p->style != PLOT_LINES)
        fprintf(f, "set style data histograms\nset style histogram %s\nset style fill solid 1 border rgb '#444444'\n",
                p->style == PLOT_STACKED ? "rowstacked" : "clustered gap 1");
    else
        fputs("set style data linespoints\n", f);
    if (p->line_at_one)
        fputs("set arrow from graph 0, first 1 to graph 1, first 1 nohead lc rgb '#444444' dt 2 back\n", f);
    put_data(t, f);
    fputs("plot ", f);
    for (size_t c = 0; c < t->column.n; c++)
        fprintf(f, "%s$data using %zu%s lc rgb '%s'%s title columnheader(%zu)", c ? ", \\\n     " : "", c + 2,
                c ? "" : ":xtic(1)", colours[c % N_COLOURS], p->style == PLOT_LINES ? " lw 2" : "", c + 2);
    fputc('\n', f);
}

static int run_gnuplot(const char *script, int picture, struct err *e)
{
    fflush(NULL);
    const pid_t self = getpid(), pid = fork();
    if (pid == 0) {
        child_end_with(self, SIGTERM);
        int null = open("/dev/null", O_RDWR);
        dup2(null, 0);
        dup2(picture, 1);
        dup2(null, 2);
        /* -d: not the user's own settings */
        execlp("gnuplot", "gnuplot", "-d", "-c", script, "draw", (char *)NULL);
        _exit(127);
    }
    int status = -1;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    bool absent = pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 127;
    err_at(e, script, 0, 0, absent ? "gnuplot is not installed: no picture was drawn" : "gnuplot could not draw this");
    return absent ? err_hint(e, "apt-get install gnuplot-nox, then 'gnuplot %.180s'", script) : -1;
}

int plot_write(const struct table *t, const struct plot *p, const char *stem, struct err *e)
{
    size_t n = strlen(stem) + 7;
    char *script = xmalloc(n), *svg = xmalloc(n);
    snprintf(script, n, "%s%s.gp", *stem == '-' ? "./" : "", stem); /* a name, not an option */
    snprintf(svg, n, "%s.svg", stem);
    struct outfile *o = outfile_open(script, e);
    int status = o ? 0 : -1;
    if (o) {
        put_script(t, p, svg, outfile_stream(o));
        status = outfile_commit(o, e);
    }
    o = status ? NULL : outfile_open(svg, e);
    if (!status && !o)
        status = -1;
    if (o && run_gnuplot(script, outfile_fd(o), e)) {
        outfile_abandon(o);
        status = -1;
    } else if (o) {
        status = outfile_commit(o, e);
    }
    free(script);
    free(svg);
    return status;
}
