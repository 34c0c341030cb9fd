/* Runs the passes over one function; flow.h lists them. */
#include "ptx/flow.h"

int ptx_analyze(struct ptx_module *m, struct ptx_func *f, struct err *e)
{
    if (f->analyzed)
        return 0;
    if (!f->has_body)
        return err_at(e, m->name, (int)f->line, 0, "function '%s' has no body", f->name);
    struct arena *scratch = arena_new();
    struct ptx_defuse du;
    struct ptx_live live = {0};
    ptx_defuse_build(f, scratch, &du);
    ptx_cfg_build(m, f, scratch);
    ptx_postdom_build(m, f, scratch);
    int rc = ptx_loops_build(m, f, scratch, e);
    if (rc == 0)
        rc = ptx_live_build(m, f, &du, scratch, &live, e);
    if (rc == 0)
        rc = ptx_rows_assign(m, f, &live, e);
    if (rc == 0) {
        ptx_addr_build(m, f, &du, scratch);
        ptx_batch_build(f);
        f->max_live = live.max_live;
        f->analyzed = true;
    }
    arena_free(scratch);
    return rc;
}
