/* See memory_chart.h. The picture is inline in the page, so that it follows the page's colors. */
#include "profile/memory_chart.h"

#include "chart/html_page.h"

#include <math.h>

enum kind { COUNT, BYTES, SHARE, DEGREE };
static const struct {
    const char *name;
    enum kind kind;
} about[MEMORY_CHART_COUNT] = {
#define X(name, text, kind) [MEMORY_##name] = {text, kind},
    MEMORY_CHART(X)
#undef X
};

/* ---- the values ---- */

static double share(double a, double b)
{
    return b > 0 ? a / b : NAN;
}

double memory_chart_l1_peak(const struct profile *p)
{
    const double banks = profile_config(p, "sm.data_banks"),
                 width = banks > 0 ? 4 * banks : profile_config(p, "sm.lsu_lines") * profile_config(p, "l1.line");
    return profile_config(p, "machine.sms") * profile_config(p, "clock.core") * width;
}

static double slices(const struct profile *p)
{
    return profile_config(p, "memory.channels") * profile_config(p, "memory.slices_per_channel");
}

double memory_chart_l2_peak(const struct profile *p)
{
    return slices(p) * profile_config(p, "clock.l2") * profile_config(p, "l2.port_bytes");
}

/* What the lanes of a kernel's accesses moved between SM and L1, in whole sectors. */
static void add_l1_bytes(const struct profile *p, int kernel, struct memory_chart *c)
{
    double *loaded = &c->value[MEMORY_L1_LOADED], *stored = &c->value[MEMORY_L1_STORED];
    if (!p->counted) {
        *loaded = *stored = NAN;
        return;
    }
    for (size_t i = 0; i < p->access.n; i++) {
        const struct profile_access *a = &p->access.p[i];
        if ((kernel >= 0 && a->kernel != (unsigned)kernel) || a->answered <= 0 || isnan(a->sectors))
            continue;
        const bool load = !strcmp(a->class, "load") || !strcmp(a->class, "tex") || !strcmp(a->class, "atom");
        *(load ? loaded : stored) += 32 * a->sectors;
    }
}

struct memory_chart memory_chart_of(const struct profile *p, int kernel)
{
    const json_t *s = kernel < 0 ? json_object_get(p->doc, "total") : p->kernel.p[kernel].sum;
    const double core = profile_config(p, "clock.core"), sms = profile_config(p, "machine.sms");
    const double cycles = profile_number(s, "cycles"), seconds = share(cycles, core);
    const double ports = fmin(sms, slices(p)) * seconds * profile_config(p, "clock.noc");
    const double l2_sectors = profile_number(s, "l2.read_sectors") + profile_number(s, "l2.write_sectors");
    struct memory_chart c = {0};
    add_l1_bytes(p, kernel, &c);
    double *v = c.value;
    v[MEMORY_INSTS] = profile_number(s, "sm.mem_insts");
    v[MEMORY_SHARED_INSTS] = profile_number(s, "sm.shared_insts");
    v[MEMORY_SHARED_DEGREE] = share(profile_number(s, "sm.shared_passes"), v[MEMORY_SHARED_INSTS]);
    v[MEMORY_SHARED_USE] = share(profile_number(s, "sm.shared_passes"), sms * cycles);
    v[MEMORY_LINES] = profile_number(s, "sm.line_requests.data");
    v[MEMORY_L1_USE] = share(v[MEMORY_L1_LOADED] + v[MEMORY_L1_STORED], seconds * memory_chart_l1_peak(p));
    v[MEMORY_L1_HITS] = share(profile_number(s, "l1.hits"), profile_number(s, "l1.accesses"));
    v[MEMORY_L1_REMOTE] = profile_number(s, "sm.served.remote_l1");
    v[MEMORY_NOC_REPLY] = profile_number(s, "noc.reply.bytes");
    v[MEMORY_NOC_REQUEST] = profile_number(s, "noc.request.bytes");
    v[MEMORY_NOC_REPLY_USE] = share(profile_number(s, "noc.reply.flits_out"), ports);
    v[MEMORY_NOC_REQUEST_USE] = share(profile_number(s, "noc.request.flits_out"), ports);
    v[MEMORY_L2_ACCESSES] = profile_number(s, "l2.accesses");
    v[MEMORY_L2_HITS] = share(profile_number(s, "l2.hits"), v[MEMORY_L2_ACCESSES]);
    v[MEMORY_L2_USE] = share(32 * l2_sectors, seconds * memory_chart_l2_peak(p));
    v[MEMORY_DRAM_READ] = profile_number(s, "dram.read_bytes");
    v[MEMORY_DRAM_WRITTEN] = profile_number(s, "dram.write_bytes");
    v[MEMORY_DRAM_USE] = share(profile_number(s, "dram.data_cycles"), profile_number(s, "dram.cycles"));
    v[MEMORY_DRAM_ROW_HITS] = share(profile_number(s, "dram.row_hits"), profile_number(s, "dram.row_hits") +
                                                                            profile_number(s, "dram.row_misses") +
                                                                            profile_number(s, "dram.row_conflicts"));
    return c;
}

/* ---- as words ---- */

static void amount(enum kind kind, double v, char out[32])
{
    char text[24];
    profile_big(text, v);
    if (isnan(v))
        snprintf(out, 32, "–");
    else if (kind == SHARE)
        snprintf(out, 32, "%.1f%%", 100 * v);
    else if (kind == DEGREE)
        snprintf(out, 32, "%.2f", v);
    else if (kind == COUNT)
        snprintf(out, 32, "%s", text);
    else
        snprintf(out, 32, "%s%sB", text, strchr(text, ' ') ? "" : " ");
}

/* "12 MB", or of two runs "12 MB → 9 MB (−25%)"; shares and means have no change of their own. */
static void words(const struct memory_chart *a, const struct memory_chart *b, unsigned which, char out[96])
{
    char x[32], y[32], change[24] = "";
    const enum kind kind = about[which].kind;
    const double va = a->value[which], vb = b ? b->value[which] : NAN;
    amount(kind, va, x);
    amount(kind, vb, y);
    if ((kind == COUNT || kind == BYTES) && va > 0 && vb > 0)
        snprintf(change, sizeof change, " (%+.0f%%)", 100 * (vb / va - 1));
    if (!b)
        snprintf(out, 96, "%s", x);
    else if (!strcmp(x, y))
        snprintf(out, 96, "%s, same", x);
    else
        snprintf(out, 96, "%s → %s%s", x, y, change);
}

void memory_chart_print(const struct memory_chart *c, FILE *out)
{
    char t[MEMORY_CHART_COUNT][96];
    for (unsigned i = 0; i < MEMORY_CHART_COUNT; i++)
        words(c, NULL, i, t[i]);
    fprintf(out, "\nMemory      SM ◀ %s ▶ %s (%s of peak) L1, hits %s ◀ %s (%s) ▶ %s (%s)\n", t[MEMORY_L1_LOADED],
            t[MEMORY_L1_STORED], t[MEMORY_L1_USE], t[MEMORY_L1_HITS], t[MEMORY_NOC_REPLY], t[MEMORY_NOC_REPLY_USE],
            t[MEMORY_NOC_REQUEST], t[MEMORY_NOC_REQUEST_USE]);
    fprintf(out, "            L2, hits %s (%s of peak) ◀ %s ▶ %s (%s) DRAM, row hits %s", t[MEMORY_L2_HITS],
            t[MEMORY_L2_USE], t[MEMORY_DRAM_READ], t[MEMORY_DRAM_WRITTEN], t[MEMORY_DRAM_USE], t[MEMORY_DRAM_ROW_HITS]);
    if (c->value[MEMORY_SHARED_INSTS] > 0)
        fprintf(out, "; shared memory %s passes each (%s)", t[MEMORY_SHARED_DEGREE], t[MEMORY_SHARED_USE]);
    fputc('\n', out);
}

/* ---- as a picture ---- */

/* The places of boxes and links, in units of the picture. */
enum { BOX = 156, GAP = 178, WIDTH = 4 * BOX + 3 * GAP + 4, TOP = 12, TALL = 112, BELOW = 40 };

static int box_x(int n)
{
    return 2 + n * (BOX + GAP);
}

/* A box with pairs of a name and a value, ended by NULL. */
static void put_box(FILE *f, int x, int y, const char *title, const char *const *line)
{
    fprintf(f, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\" class=\"box\"/>\n", x, y, BOX, TALL);
    page_svg_text(f, x + BOX / 2, y + 20, "title", title);
    for (int i = 0; line[i]; i++)
        page_svg_text(f, x + BOX / 2, y + 40 + 18 * i, i % 2 ? "" : "soft", line[i]);
}

/* How much of its peak a link is used, in five steps, which the page's style gives colors. */
static int step_of(double use)
{
    return isnan(use) || use < 0.1 ? 0 : use < 0.3 ? 1 : use < 0.6 ? 2 : use < 0.8 ? 3 : 4;
}

/* An arrow with its bytes above; `left`: toward the SM. */
static void put_arrow(FILE *f, int gap, bool left, const char *bytes, double use)
{
    const int from = box_x(gap) + BOX + 3, to = box_x(gap + 1) - 3, y = TOP + (left ? 32 : 92), head = 11;
    const int width = 3 + (isnan(use) ? 0 : (int)(9 * fmin(1, use))), tip = left ? from : to, away = left ? 1 : -1;
    fprintf(f, "<path class=\"line u%d\" stroke-width=\"%d\" d=\"M%d %dH%d\"/>\n", step_of(use), width,
            left ? to : from, y, tip + away * head);
    fprintf(f, "<path class=\"head u%d\" d=\"M%d %dl%d %dv%dz\"/>\n", step_of(use), tip, y, away * (head + 2), -head,
            2 * head);
    page_svg_text(f, (from + to) / 2, y - 13, "", bytes);
}

struct link {
    enum memory_chart_value left, left_use, right, right_use;
};

static void put_link(FILE *f, int gap, const struct link *l, const struct memory_chart *a, const struct memory_chart *b)
{
    const struct memory_chart *now = b ? b : a;
    const int middle = box_x(gap) + BOX + GAP / 2;
    char text[96], use[112];
    words(a, b, l->left, text);
    put_arrow(f, gap, true, text, now->value[l->left_use]);
    words(a, b, l->right, text);
    put_arrow(f, gap, false, text, now->value[l->right_use]);
    words(a, b, l->right_use, text);
    snprintf(use, sizeof use, b ? "%s" : "%s of peak", text);
    page_svg_text(f, middle, TOP + TALL + 4, "soft", use);
    if (l->left_use == l->right_use)
        return;
    words(a, b, l->left_use, text);
    snprintf(use, sizeof use, b ? "%s" : "%s of peak", text);
    page_svg_text(f, middle, TOP + 53, "soft", use);
}

static bool is_used(const struct memory_chart *a, const struct memory_chart *b, enum memory_chart_value v)
{
    return a->value[v] > 0 || (b && b->value[v] > 0);
}

static void put_picture(FILE *f, const struct memory_chart *a, const struct memory_chart *b, const char *caption)
{
    static const struct link links[] = {
        {MEMORY_L1_LOADED, MEMORY_L1_USE, MEMORY_L1_STORED, MEMORY_L1_USE},
        {MEMORY_NOC_REPLY, MEMORY_NOC_REPLY_USE, MEMORY_NOC_REQUEST, MEMORY_NOC_REQUEST_USE},
        {MEMORY_DRAM_READ, MEMORY_DRAM_USE, MEMORY_DRAM_WRITTEN, MEMORY_DRAM_USE}};
    const bool shared = is_used(a, b, MEMORY_SHARED_INSTS), remote = is_used(a, b, MEMORY_L1_REMOTE);
    char t[MEMORY_CHART_COUNT][96];
    for (unsigned i = 0; i < MEMORY_CHART_COUNT; i++)
        words(a, b, i, t[i]);
    fprintf(f, "<div class=\"scroll\"><svg class=\"chart%s\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"",
            b ? " two" : "", WIDTH, TOP + TALL + (shared ? BELOW + TALL : 0) + TOP);
    page_text(f, caption);
    fputs("\">\n", f);
    for (int i = 0; i < 3; i++)
        put_link(f, i, &links[i], a, b);
    put_box(f, box_x(0), TOP, "SM",
            (const char *const[]){"memory instructions", t[MEMORY_INSTS], "line requests", t[MEMORY_LINES], NULL});
    put_box(f, box_x(1), TOP, "L1",
            (const char *const[]){"hit rate", t[MEMORY_L1_HITS], remote ? "from other L1s" : NULL, t[MEMORY_L1_REMOTE],
                                  NULL});
    put_box(f, box_x(2), TOP, "L2",
            (const char *const[]){"hit rate", t[MEMORY_L2_HITS], "data arrays in use", t[MEMORY_L2_USE], NULL});
    put_box(f, box_x(3), TOP, "DRAM", (const char *const[]){"row hit rate", t[MEMORY_DRAM_ROW_HITS], NULL});
    if (shared) {
        const double use = (b ? b : a)->value[MEMORY_SHARED_USE];
        const int x = box_x(0) + BOX / 2, y = TOP + TALL;
        fprintf(f, "<path class=\"line u%d\" stroke-width=\"4\" d=\"M%d %dV%d\"/>\n", step_of(use), x, y, y + BELOW);
        page_svg_text(f, x + 10, y + BELOW / 2 + 5, "begin", t[MEMORY_SHARED_INSTS]);
        put_box(f, box_x(0), y + BELOW, "shared memory",
                (const char *const[]){"passes of an instruction", t[MEMORY_SHARED_DEGREE], "of its peak",
                                      t[MEMORY_SHARED_USE], NULL});
    }
    fputs("</svg></div>\n", f);
}

/* The numbers as comma-separated values: one column per run. */
static void put_data(FILE *f, const struct memory_chart *a, const struct memory_chart *b, const char *name)
{
    struct table t = {.quantity = true};
    char file[96];
    table_add_column(&t, "a", b ? "a" : "value");
    if (b)
        table_add_column(&t, "b", "b");
    for (unsigned i = 0; i < MEMORY_CHART_COUNT; i++) {
        double *cell = table_add_row(&t, about[i].name, "");
        cell[0] = a->value[i];
        if (b)
            cell[1] = b->value[i];
    }
    char *csv = page_csv(&t);
    snprintf(file, sizeof file, "%.80s.csv", name);
    page_download(f, file, "text/csv", csv, "The data as CSV.");
    free(csv);
    table_free(&t);
}

void memory_chart_draw(const struct memory_chart *a, const struct memory_chart *b, const char *name,
                       const char *caption, FILE *f)
{
    fputs("<figure>\n", f);
    put_picture(f, a, b, caption);
    fputs("<figcaption>", f);
    page_text(f, caption);
    fputc(' ', f);
    put_data(f, a, b, name);
    fputs("</figcaption>\n</figure>\n", f);
}
