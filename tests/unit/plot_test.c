/* Pictures: what they leave room for, and what gnuplot makes of their scripts. */
#include "chart/plot.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <unistd.h>
/* after what it needs */
#include <cmocka.h>

/* Draws it in a folder of its own. The script, and the picture in *svg ("" = none); both owned by the caller. */
static char *draw(const struct table *t, const struct plot *p, char **svg)
{
    char folder[] = "/tmp/weir-plot-XXXXXX", stem[64], *text[2];
    static const char *const endings[] = {"gp", "svg"};
    struct err e;
    assert_non_null(mkdtemp(folder));
    snprintf(stem, sizeof stem, "%s/plot", folder);
    if (plot_write(t, p, stem, &e))
        fail_msg("%s:%d: %s", e.file, e.line, e.msg);
    for (int i = 0; i < 2; i++) {
        char path[80];
        snprintf(path, sizeof path, "%s.%s", stem, endings[i]);
        FILE *f = fopen(path, "r");
        assert_non_null(f);
        text[i] = xcalloc(1, 200000);
        text[i][fread(text[i], 1, 199999, f)] = 0;
        fclose(f);
        unlink(path);
    }
    rmdir(folder);
    *svg = text[1];
    return text[0];
}

/* Rows and columns with names of so many characters; cells count up from `first` by `step`. */
static struct table table_of(unsigned rows, unsigned columns, int name_chars, double first, double step)
{
    struct table t = {0};
    char name[200];
    for (unsigned c = 0; c < columns; c++) {
        snprintf(name, sizeof name, "c%-*u|", name_chars - 2, c);
        table_add_column(&t, name, name);
    }
    for (unsigned r = 0; r < rows; r++) {
        snprintf(name, sizeof name, "row%u", r);
        double *cell = table_add_row(&t, name, "");
        for (unsigned c = 0; c < columns; c++)
            cell[c] = first + step * (r * columns + c);
    }
    return t;
}

/* Rows with names are places on the axis of areas too, and the areas of a second round of colors are hatched. */
static void test_area(void **state)
{
    (void)state;
    struct table t = table_of(3, 11, 5, 1, 1);
    char *svg, *script = draw(&t, &(struct plot){.title = "t", .axis = "a", .style = PLOT_AREA}, &svg);
    assert_non_null(strstr(script, "('row0' 0, 'row1' 1, 'row2' 2)"));
    assert_non_null(strstr(svg, ">row2<"));
    assert_non_null(strstr(script, "'#999999' fs pattern 4 border rgb '#444444' title columnheader(11)"));
    free(svg);
    free(script);
    table_free(&t);
    /* One row is no area; it is drawn as a stack. */
    t = table_of(1, 2, 5, 1, 1);
    script = draw(&t, &(struct plot){.title = "t", .axis = "a", .style = PLOT_AREA}, &svg);
    assert_non_null(strstr(script, "rowstacked"));
    free(svg);
    free(script);
    table_free(&t);
}

/* Parts of a whole end at 100%; rates on top of each other go on. */
static void test_stacks(void **state)
{
    (void)state;
    static const enum plot_style styles[] = {PLOT_STACKED, PLOT_AREA};
    for (int i = 0; i < 2; i++)
        for (int over = 0; over < 2; over++) {
            struct table t = table_of(2, 2, 5, over ? 0.6 : 0.5, 0);
            t.percent = true;
            char *svg, *script = draw(&t, &(struct plot){.title = "t", .axis = "rate", .style = styles[i]}, &svg);
            assert_non_null(strstr(script, over ? "set yrange [0:*]" : "set yrange [0:100]"));
            free(svg);
            free(script);
            table_free(&t);
        }
}

/* A heat map is as high as its rows, and its margins are as wide as its names, whatever their number. */
static void test_heat(void **state)
{
    (void)state;
    static const struct {
        unsigned rows, columns, width_px, height_px;
        int name_chars;
    } cases[] = {{2, 12, 207 + 100 + 12 * 64, 64 + 207 + 48, 30},
                 {1, 3, 560, 64 + 136 + 24, 5},
                 {30, 3, 560, 64 + 51 + 720, 5},
                 {2, 40, 82 + 100 + 40 * 48, 64 + 112 + 48, 10}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct table t = table_of(cases[i].rows, cases[i].columns, cases[i].name_chars, 0.5, 0.01);
        const struct plot p = {.title = "t", .axis = "the axis", .style = PLOT_HEAT, .line_at_one = true};
        char *svg, *script = draw(&t, &p, &svg), size[64];
        snprintf(size, sizeof size, "terminal svg size %u,%u ", cases[i].width_px, cases[i].height_px);
        if (!strstr(script, size))
            fail_msg("case %zu: no '%s' in %s", i, size, script);
        assert_non_null(strstr(svg, ">the axis<"));
        assert_non_null(strstr(svg, ">0.50<"));
        /* The field of the first cell, in the blue of the lowest value. */
        assert_non_null(strstr(svg, "fill = 'rgb(  0, 114, 178)'"));
        free(svg);
        free(script);
        table_free(&t);
    }
}

/* One value far above the others is cut off and written above its bar; panels leave the reference out. */
static void test_cut_and_panels(void **state)
{
    (void)state;
    struct table t = table_of(5, 1, 5, 1, 1);
    for (int i = 0; i < 5; i++)
        t.row.p[i].cell[0] = i == 2 ? 5.75 : 1 + 0.1 * i;
    char *svg, *script = draw(&t, &(struct plot){.axis = "a"}, &svg);
    assert_non_null(strstr(script, "set yrange [0:1.61]"));
    assert_non_null(strstr(script, "set label '5.75' at first 2, graph 1 "));
    free(svg);
    free(script);
    t.row.p[2].cell[0] = 1.5;
    t.row.p[3].cell[0] = 9; /* of a program that leaves the machine idle */
    t.row.p[3].idle = true;
    script = draw(&t, &(struct plot){.axis = "a"}, &svg);
    assert_non_null(strstr(script, "set yrange [0:1.725]"));
    free(svg);
    free(script);
    table_free(&t);
    t = table_of(2, 4, 5, 1, 1);
    for (int c = 0; c < 4; c++) {
        t.column.p[c].panel = xstrdup(c < 2 ? "small" : "large");
        t.column.p[c].in_panel = xstrdup(c % 2 ? "mine" : "baseline");
        t.column.p[c].reference = c % 2 == 0;
    }
    script = draw(&t, &(struct plot){.axis = "a"}, &svg);
    assert_non_null(strstr(script, "set multiplot layout 2,1 title 'a'"));
    assert_non_null(strstr(script, "set title 'large'"));
    assert_null(strstr(script, "baseline"));
    free(svg);
    free(script);
    table_free(&t);
}

/* What lies between the programs and their mean has no tick, and long names of programs make the picture higher. */
static void test_names(void **state)
{
    (void)state;
    struct table t = table_of(2, 2, 5, 1, 1);
    table_add_mean(&t, "all");
    char *svg, *script = draw(&t, &(struct plot){.title = "t", .axis = "a"}, &svg);
    assert_non_null(strstr(script, "('row0' 0, 'row1' 1, 'mean, n = 2' 3)"));
    assert_non_null(strstr(script, "size 560,380 "));
    free(svg);
    free(script);
    free(t.row.p[0].label);
    t.row.p[0].label = xstrdup("/a/recording/that/lies/deep/in/folders.w"); /* 40 characters */
    script = draw(&t, &(struct plot){.title = "t", .axis = "a"}, &svg);
    assert_non_null(strstr(script, "size 560,500 "));
    free(svg);
    free(script);
    table_free(&t);
}

/* The message says why gnuplot failed, with the line of the script. */
static void test_why(void **state)
{
    (void)state;
    struct err e;
    size_t bytes;
    err_clear(&e);
    assert_null(plot_run("set terminal svg\nplot nothing\n", &bytes, &e));
    assert_string_equal(e.msg, "gnuplot could not draw this: undefined variable: nothing");
    assert_int_equal(e.line, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_area),  cmocka_unit_test(test_stacks),         cmocka_unit_test(test_heat),
        cmocka_unit_test(test_names), cmocka_unit_test(test_cut_and_panels), cmocka_unit_test(test_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
