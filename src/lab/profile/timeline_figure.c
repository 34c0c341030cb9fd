/*
 * The course of a run as one picture with one time axis: kernels by stream, and below them how single SMs, L2 slices,
 * DRAM channels and banks were used. weir run --timeline writes the same with every CTA, for a viewer.
 *
 * The maps are bitmaps with a palette inside an SVG that takes the page's colors: a rectangle for each cell would be
 * most of the page's bytes.
 */
#include "base/text.h"
#include "chart/html_page.h"
#include "profile/profile_figures.h"

#include <math.h>

enum { LEFT = 120, WIDE = 900, RIGHT = 90, LANE = 26, LANES_SHOWN = 12, KERNELS_SHOWN = 2000, GAP = 34 };

static double x_of(const struct profile *p, double cycle)
{
    return LEFT + WIDE * cycle / p->cycles;
}

/* ---- kernels ---- */

struct lane { /* a stream has one, and more where a graph's branches overlap */
    json_int_t stream;
    double end; /* of the last kernel in it */
};
struct lanes {
    VEC(struct lane) lane;
};

static size_t lane_of(struct lanes *l, const json_t *launch)
{
    const json_int_t stream = json_integer_value(json_object_get(launch, "stream"));
    const double begin = profile_number(launch, "start_cycle");
    size_t i = 0;
    while (i < l->lane.n && (l->lane.p[i].stream != stream || l->lane.p[i].end > begin))
        i++;
    if (i == l->lane.n)
        VEC_PUSH(&l->lane, (struct lane){.stream = stream});
    l->lane.p[i].end = begin + profile_number(launch, "cycles");
    return i;
}

/* A launch as a bar with its name where there is room; pointing at it tells more. */
static void put_launch(const struct profile *p, const json_t *launch, size_t lane, FILE *f)
{
    const double begin = profile_number(launch, "start_cycle"), cycles = profile_number(launch, "cycles");
    const double x = x_of(p, begin), width = fmax(0.7, x_of(p, begin + cycles) - x);
    const char *mangled = json_string_value(json_object_get(launch, "kernel"));
    const struct profile_kernel *k = p->kernel.p;
    while (k < p->kernel.p + p->kernel.n - 1 && strcmp(k->mangled, mangled ? mangled : ""))
        k++;
    const unsigned color = (unsigned)(k - p->kernel.p) % 6, letters = (unsigned)(width / 7);
    fprintf(f, "<g class=\"k%u\"><title>", color);
    page_printf(f, "%s: launch %.0f, cycle %.0f, %.0f cycles", k->name, profile_number(launch, "launch"), begin,
                cycles);
    fprintf(f, "</title><rect x=\"%.1f\" y=\"%zu\" width=\"%.1f\" height=\"%d\"/>", x, lane * LANE + 2, width,
            LANE - 6);
    if (letters >= 4) {
        char name[64];
        snprintf(name, sizeof name, strlen(k->brief) > letters ? "%.*s…" : "%.*s", (int)letters - 1, k->brief);
        page_svg_text(f, x + width / 2, (double)lane * LANE + 17, "in", name);
    }
    fputs("</g>\n", f);
}

static size_t put_kernels(const struct profile *p, FILE *f)
{
    struct lanes l = {0};
    const json_t *all = json_object_get(p->doc, "kernels");
    size_t i;
    json_t *launch;
    json_array_foreach(all, i, launch)
    {
        const size_t lane = lane_of(&l, launch);
        if (lane < LANES_SHOWN && i < KERNELS_SHOWN)
            put_launch(p, launch, lane, f);
    }
    const size_t n = l.lane.n < LANES_SHOWN ? l.lane.n : LANES_SHOWN;
    for (i = 0; i < n; i++) {
        char name[48];
        const long stream = (long)l.lane.p[i].stream;
        snprintf(name, sizeof name, stream ? "stream %ld" : "default stream", stream);
        page_svg_text(f, LEFT - 8, (double)i * LANE + 17, "end", name);
    }
    VEC_FREE(&l.lane);
    return n;
}

/* ---- maps ---- */

/* Dark blue to yellow, as in viridis: readable in print, with most color blindness and on both backgrounds. */
static void color_of(double v, unsigned char bgr[3])
{
    static const unsigned char stop[][3] = {{68, 1, 84},    {71, 44, 122},  {59, 81, 139},
                                            {44, 113, 142}, {33, 144, 141}, {39, 173, 129},
                                            {92, 200, 99},  {170, 220, 50}, {253, 231, 37}};
    enum { STOPS = sizeof stop / sizeof *stop };
    const double at = v * (STOPS - 1);
    const int i = at >= STOPS - 1 ? STOPS - 2 : (int)at;
    for (int c = 0; c < 3; c++)
        bgr[2 - c] = (unsigned char)(stop[i][c] + (at - i) * (stop[i + 1][c] - stop[i][c]));
}

static void put_u32(unsigned char *at, size_t v)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(v >> (8 * i));
}

/* A Windows bitmap of one byte a cell, the last row first; returns its bytes, owned by the caller. */
static unsigned char *bitmap(const json_t *rows, size_t height, size_t width, double most, size_t *bytes)
{
    enum { HEAD = 54, PALETTE = 256 * 4 };
    const size_t stride = (width + 3) & ~(size_t)3;
    unsigned char *b = xcalloc(1, HEAD + PALETTE + stride * height);
    *bytes = HEAD + PALETTE + stride * height;
    memcpy(b, "BM", 2);
    put_u32(b + 2, *bytes);
    put_u32(b + 10, HEAD + PALETTE);
    put_u32(b + 14, 40);
    put_u32(b + 18, width);
    put_u32(b + 22, height);
    b[26] = 1; /* planes */
    b[28] = 8; /* bits */
    for (int i = 0; i < 256; i++)
        color_of(i / 255., b + HEAD + 4 * i);
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            const double v = json_number_value(json_array_get(json_array_get(rows, height - 1 - y), x));
            b[HEAD + PALETTE + y * stride + x] = (unsigned char)(most > 0 ? 255 * fmin(1, v / most) : 0);
        }
    return b;
}

static double largest(const json_t *rows)
{
    double most = 0;
    size_t i, k;
    json_t *row, *v;
    json_array_foreach(rows, i, row) json_array_foreach(row, k, v) most = fmax(most, json_number_value(v));
    return most;
}

/* The scale beside a map: its colors, from nothing to the largest value. */
static void put_scale(double y, double height, double most, bool share, FILE *f)
{
    char text[32];
    enum { STEPS = 24 };
    for (int i = 0; i < STEPS; i++) {
        unsigned char c[3];
        color_of(i / (STEPS - 1.), c);
        fprintf(f, "<rect x=\"%d\" y=\"%.2f\" width=\"10\" height=\"%.2f\" fill=\"#%02x%02x%02x\"/>", LEFT + WIDE + 10,
                y + height - (i + 1) * height / STEPS, height / STEPS + 0.3, c[2], c[1], c[0]);
    }
    snprintf(text, sizeof text, share ? "%.0f%%" : "%.0f", share ? most / 10 : most);
    page_svg_text(f, LEFT + WIDE + 24, y + 10, "begin", text);
    page_svg_text(f, LEFT + WIDE + 24, y + height, "begin", share ? "0%" : "0");
}

static double map_height(const json_t *map)
{
    const double rows = (double)json_array_size(json_object_get(map, "thousandths"));
    return fmin(150, fmax(40, 6 * rows));
}

static const char *text_of(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

static void put_map(const json_t *map, double y, FILE *f)
{
    const json_t *rows = json_object_get(map, "thousandths");
    const size_t n = json_array_size(rows), width = json_array_size(json_array_get(rows, 0));
    const double height = map_height(map), most = largest(rows), joined = profile_number(map, "joined");
    const bool share = strstr(text_of(map, "title"), "1000") == NULL;
    char text[128];
    size_t bytes;
    unsigned char *image = bitmap(rows, n, width, most, &bytes);
    snprintf(text, sizeof text, "%.80s, by %.30s", text_of(map, "title"), text_of(map, "of"));
    page_svg_text(f, LEFT, y - 7, "begin", text);
    fprintf(f, "<image x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" preserveAspectRatio=\"none\" href=\"", LEFT, y,
            WIDE, height);
    page_data(f, "image/bmp", image, bytes);
    fputs("\"/>\n", f);
    free(image);
    snprintf(text, sizeof text, "%.30s 0", text_of(map, "of"));
    page_svg_text(f, LEFT - 8, y + 10, "end", text);
    snprintf(text, sizeof text, "%.0f", joined * (double)n - 1);
    page_svg_text(f, LEFT - 8, y + height, "end", text);
    put_scale(y, height, most, share, f);
}

/* ---- the whole ---- */

static void put_axis(const struct profile *p, double y, FILE *f)
{
    for (int i = 0; i <= 8; i++) {
        char cycle[24], text[64];
        const double x = LEFT + WIDE * i / 8.;
        fprintf(f, "<path class=\"tick\" d=\"M%.1f 0V%.1f\"/>\n", x, y + 5);
        page_svg_text(f, x, y + 18, "", profile_big(cycle, p->cycles * i / 8));
        snprintf(text, sizeof text, "%.4g µs", p->seconds * 1e6 * i / 8);
        page_svg_text(f, x, y + 32, "soft", text);
    }
    page_svg_text(f, LEFT - 8, y + 18, "end", "core cycle");
}

/* The map's rows as comma-separated values. */
static void put_data(const struct profile *p, const json_t *map, FILE *f)
{
    struct table t = {.quantity = true};
    size_t i, k;
    json_t *row, *v;
    char name[64];
    const double bin = profile_number(json_object_get(p->doc, "parts"), "bin_cycles");
    json_array_foreach(json_array_get(json_object_get(map, "thousandths"), 0), i, v)
    {
        snprintf(name, sizeof name, "until cycle %.0f", bin * (double)(i + 1));
        table_add_column(&t, name, name);
    }
    json_array_foreach(json_object_get(map, "thousandths"), i, row)
    {
        snprintf(name, sizeof name, "%.30s %.0f", text_of(map, "of"), (double)i * profile_number(map, "joined"));
        double *cell = table_add_row(&t, name, "");
        json_array_foreach(row, k, v) cell[k] = json_number_value(v) / 1000;
    }
    char *csv = page_csv(&t);
    snprintf(name, sizeof name, "%.40s.csv", text_of(map, "name"));
    page_download(f, name, "text/csv", csv, text_of(map, "title"));
    free(csv);
    table_free(&t);
}

void profile_draw_timeline(const struct profile *p, FILE *f)
{
    const json_t *maps = json_object_get(json_object_get(p->doc, "parts"), "maps");
    size_t i, drawn = 0;
    json_t *map;
    double y, below = 0;
    char *kernels = NULL;
    if (p->cycles <= 0 || !p->kernel.n)
        return;
    size_t bytes = 0;
    FILE *lanes = text_stream(&kernels, &bytes);
    y = (double)put_kernels(p, lanes) * LANE + GAP - 6;
    fclose(lanes);
    json_array_foreach(maps, i, map) if (largest(json_object_get(map, "thousandths")) > 0) below +=
        map_height(map) + GAP;
    const double end = y + below - (below > 0 ? GAP - 6 : GAP - 8);
    fprintf(f,
            "<figure>\n<div class=\"scroll\"><svg class=\"chart course\" viewBox=\"0 0 %d %.0f\" role=\"img\" "
            "aria-label=\"The kernels, and the use of SMs, L2 slices and DRAM, over time\">\n",
            LEFT + WIDE + RIGHT, end + 38);
    put_axis(p, end, f);
    fputs(kernels, f);
    free(kernels);
    json_array_foreach(maps, i, map) if (largest(json_object_get(map, "thousandths")) > 0)
    {
        put_map(map, y, f);
        y += map_height(map) + GAP;
        drawn++;
    }
    fputs("</svg></div>\n<figcaption>Kernels by stream", f);
    if (drawn)
        fputs(", and how each SM, L2 slice, DRAM channel and bank was used. Brighter is more. Data:", f);
    json_array_foreach(maps, i, map) if (drawn && largest(json_object_get(map, "thousandths")) > 0)
    {
        fputc(' ', f);
        put_data(p, map, f);
    }
    fputs(" For single CTAs: weir run --timeline.</figcaption>\n</figure>\n", f);
}
