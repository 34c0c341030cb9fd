/* What policies tell about loads, and the truth about them; see loads.h. */
#include "gpu/loads.h"

#include "base/mem.h"

struct kernel_loads {
    struct gpu_load_report
        *report[GPU_REPORTERS]; /* each by mem_index; NULL = the policy reported nothing about this kernel */
    uint32_t n;
};

struct gpu_loads {
    VEC(struct kernel_loads) kernel;
    const struct policy_info *reporter[GPU_REPORTERS];
    unsigned n_reporter;
    const struct trace_kernel *now; /* of the present launch */
    uint32_t now_number;
    struct locality *locality; /* NULL = not asked for */
};

struct gpu_loads *gpu_loads_new(uint32_t n_sm, bool classify, struct err *e)
{
    struct gpu_loads *l = xcalloc(1, sizeof *l);
    if (classify) {
        struct locality_config c = {.n_sm = n_sm};
        l->locality = locality_new(&c, e);
        if (!l->locality) {
            free(l);
            return NULL;
        }
    }
    return l;
}

void gpu_loads_free(struct gpu_loads *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->kernel.n; i++)
        for (unsigned r = 0; r < GPU_REPORTERS; r++)
            free(l->kernel.p[i].report[r]);
    VEC_FREE(&l->kernel);
    locality_free(l->locality);
    free(l);
}

void gpu_loads_begin(struct gpu_loads *l, uint32_t kernel, const struct trace_kernel *k)
{
    while (l->kernel.n <= kernel)
        VEC_PUSH(&l->kernel, (struct kernel_loads){0});
    l->now = k;
    l->now_number = kernel;
    if (l->locality)
        locality_launch_begin(l->locality, kernel, k->n_mem);
}

void gpu_loads_see(void *loads, const struct sm_load_seen *s)
{
    struct gpu_loads *l = loads;
    uint64_t line[COALESCE_MAX];
    unsigned n = 0;
    for (unsigned i = 0; i < s->n_line; i++) {
        uint64_t x = s->line[i].addr / 128;
        unsigned k = 0;
        while (k < n && line[k] != x) /* the L1's own lines may be shorter */
            k++;
        line[k] = x;
        n += k == n;
    }
    locality_access(l->locality, s->sm, (uint32_t)s->warp, s->mem_index, s->lanes, line, n);
}

static void count_verdict(struct gpu_load_report *sum, const char *const text[LOAD_TEXTS])
{
    for (unsigned i = 0; i < GPU_VERDICTS; i++) {
        bool same = true;
        if (!sum->verdict[i].reports)
            memcpy(sum->verdict[i].text, text, sizeof sum->verdict[i].text);
        for (unsigned k = 0; k < LOAD_TEXTS; k++)
            same &= !strcmp(sum->verdict[i].text[k], text[k]);
        if (!same)
            continue;
        sum->verdict[i].reports++;
        /* The most frequent is first. */
        for (; i && sum->verdict[i].reports > sum->verdict[i - 1].reports; i--) {
            __typeof__(sum->verdict[0]) before = sum->verdict[i - 1];
            sum->verdict[i - 1] = sum->verdict[i];
            sum->verdict[i] = before;
        }
        return;
    }
}

static void add_report(struct gpu_load_report *sum, const struct load_column *column, const struct load_value *value)
{
    const char *text[LOAD_TEXTS] = {"", "", "", ""};
    unsigned n_text = 0;
    bool decided = false, largest = false;
    sum->reports++;
    for (unsigned i = 0; column[i].name; i++) {
        const struct load_value *v = &value[i];
        bool first = v->given && !sum->given[i];
        sum->given[i] += v->given;
        switch (column[i].combine) {
        case LOAD_SUM:
        case LOAD_MEAN:
            sum->n[i] += v->given ? v->n : 0;
            break;
        case LOAD_MAX:
            largest = v->given && (first || v->n > sum->n[i]);
            sum->n[i] = largest ? v->n : sum->n[i];
            break;
        case LOAD_WITH_MAX:
            sum->n[i] = largest ? v->n : sum->n[i];
            break;
        case LOAD_TEXT:
            decided |= v->given;
            text[n_text++] = v->given ? v->text : "";
            break;
        }
    }
    if (!decided)
        return;
    sum->decided++;
    count_verdict(sum, text);
}

struct taking {
    struct gpu_loads *loads;
    unsigned reporter;
};

static void take_row(void *ctx, uint32_t pc, const struct load_value *value)
{
    const struct taking *t = ctx;
    const struct trace_kernel *now = t->loads->now;
    struct kernel_loads *k = &t->loads->kernel.p[t->loads->now_number];
    uint32_t m = pc < now->n_inst ? now->inst[pc].mem_index : UINT32_MAX;
    if (m >= now->n_mem)
        return;
    k->n = now->n_mem;
    if (!k->report[t->reporter])
        k->report[t->reporter] = xcalloc(k->n, sizeof **k->report);
    add_report(&k->report[t->reporter][m], t->loads->reporter[t->reporter]->load_columns, value);
}

void gpu_loads_take(void *loads, const struct policy_info *p, const void *state)
{
    struct gpu_loads *l = loads;
    if (!p->load_columns || !p->report_loads)
        return;
    struct taking t = {.loads = l};
    while (t.reporter < l->n_reporter && l->reporter[t.reporter] != p)
        t.reporter++;
    if (t.reporter == GPU_REPORTERS)
        BUG("more than %d policies report on loads", GPU_REPORTERS);
    if (t.reporter == l->n_reporter)
        l->reporter[l->n_reporter++] = p;
    p->report_loads(state, take_row, &t);
}

void gpu_loads_end(struct gpu_loads *l)
{
    if (l->locality)
        locality_launch_end(l->locality);
}

const struct policy_info *const *gpu_loads_reporters(const struct gpu_loads *l, unsigned *n)
{
    *n = l->n_reporter;
    return l->reporter;
}

void gpu_loads_reports(const struct gpu_loads *l, uint32_t kernel, uint32_t mem_index,
                       const struct gpu_load_report *out[GPU_REPORTERS])
{
    for (unsigned r = 0; r < GPU_REPORTERS; r++) {
        const struct gpu_load_report *all = kernel < l->kernel.n ? l->kernel.p[kernel].report[r] : NULL;
        out[r] = all && mem_index < l->kernel.p[kernel].n && all[mem_index].reports ? &all[mem_index] : NULL;
    }
}

int gpu_loads_reuse_text(const struct policy_info *p)
{
    int text = 0;
    for (const struct load_column *c = p->load_columns; c->name; c++) {
        if (c->combine == LOAD_TEXT && c->reuse_type)
            return text;
        text += c->combine == LOAD_TEXT;
    }
    return -1;
}

uint64_t gpu_loads_agreeing(const struct gpu_load_report *r, int reuse, const struct locality_load *truth)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < GPU_VERDICTS && r->verdict[i].reports; i++)
        if (!strcmp(r->verdict[i].text[reuse], locality_type_name[locality_dominant(truth)]))
            n += r->verdict[i].reports;
    return n;
}

const struct locality_load *gpu_loads_truth(const struct gpu_loads *l, uint32_t kernel, uint32_t mem_index)
{
    uint32_t n;
    if (!l->locality || kernel >= locality_n_kernels(l->locality))
        return NULL;
    const struct locality_load *t = locality_loads(l->locality, kernel, &n);
    return mem_index < n && t[mem_index].executions ? &t[mem_index] : NULL;
}
