/* See plot.h: pictures as files and as text. */
#include "chart/plot.h"

#include "base/nearest.h"
#include "base/out_of_memory.h"
#include "base/outfile.h"
#include "base/text.h"
#include "chart/gnuplot.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

static int draw_as(const char *script, const char *stem, const char *kind, struct err *e)
{
    char *path = xasprintf("%s.%s", stem, kind);
    struct outfile *o = outfile_open(path, e);
    int status = o ? gnuplot_run(script, kind, outfile_fd(o), e) : -1;
    if (o && status)
        outfile_abandon(o);
    else if (o)
        status = outfile_commit(o, e);
    free(path);
    return status;
}

static const char *const formats[] = {"svg", "pdf", "png", "eps"};

/* The next of a list of formats, as an index; -1: it ends, -2: this is none. */
static int next_format(const char **at)
{
    while (**at == ',' || **at == ' ')
        ++*at;
    size_t n = strcspn(*at, ", ");
    if (!n)
        return -1;
    for (unsigned i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strlen(formats[i]) == n && !strncmp(*at, formats[i], n)) {
            *at += n;
            return (int)i;
        }
    return -2;
}

int plot_check_formats(const char *list, struct err *e)
{
    int k;
    for (const char *at = list; (k = next_format(&at)) != -1;)
        if (k == -2) {
            char word[16];
            snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ", "), at);
            err_set(e, "'%s' is not a picture format", word);
            return err_hint_names(e, word, formats, sizeof formats / sizeof *formats);
        }
    return 0;
}

int plot_write(const struct table *t, const struct plot *p, const char *stem, struct err *e)
{
    if (!table_has_values(t)) { /* which gnuplot refuses to draw */
        err_set(e, "%s.svg was not drawn: no values", stem);
        return PLOT_NOTHING;
    }
    char *script = xasprintf("%s%s.gp", *stem == '-' ? "./" : "", stem); /* a name, not an option */
    char *svg = xasprintf("%s.svg", stem);
    struct outfile *o = outfile_open(script, e);
    int status = o ? 0 : -1, k;
    if (o) {
        plot_put_script(t, p, svg, outfile_stream(o));
        status = outfile_commit(o, e);
    }
    if (!status)
        status = draw_as(script, stem, "svg", e);
    for (const char *at = p->formats ? p->formats : ""; !status && (k = next_format(&at)) >= 0;)
        status = k ? draw_as(script, stem, formats[k], e) : 0;
    free(script);
    free(svg);
    return status;
}

char *plot_run(const char *script, size_t *bytes, struct err *e)
{
    char name[32];
    int in = memfd_create("figure.gp", 0), out = memfd_create("figure.svg", 0);
    char *svg = NULL;
    if (in < 0 || out < 0 || dprintf(in, "%s", script) < 0) {
        err_set(e, "cannot make a picture: %s", strerror(errno));
    } else {
        snprintf(name, sizeof name, "/dev/fd/%d", in);
        if (!gnuplot_run(name, "svg", out, e))
            svg = gnuplot_read_back(out, bytes);
    }
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return svg;
}

char *plot_svg(const struct table *t, const struct plot *p, size_t *bytes, struct err *e)
{
    if (!table_has_values(t)) {
        err_set(e, "there is no value to draw");
        return NULL;
    }
    char *script = NULL;
    size_t n = 0;
    FILE *f = text_stream(&script, &n);
    plot_put_script(t, p, "figure.svg", f);
    fclose(f);
    char *svg = plot_run(script, bytes, e);
    free(script);
    return svg;
}
