/*
 * Makes the fuzz corpus of recordings: trace_seeds FOLDER RECORDING.wt (a small one of a real program). Run by hand
 * when the format changes; the files are kept in corpus/trace.
 */
#include "../unit/trace_gen.h"
#include "trace/table.h"
#include "trace_forge.h"

static void save(const char *folder, const char *name, const byte_vec *v)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(v->p, 1, v->n, f) != v->n)
        perror(path);
    if (f)
        fclose(f);
}

static void put_frame(byte_vec *v, enum frame_kind kind, const byte_vec *raw)
{
    put_le(v, kind, 1);
    put_le(v, raw->n, 4);
    put_bytes(v, raw->p, raw->n);
}

/* The frames of a real recording, unpacked. */
static int save_real(const char *folder, const char *path)
{
    byte_vec file = {0}, out = {0};
    struct forge f;
    FILE *in = fopen(path, "rb");
    for (int c; in && (c = getc(in)) != EOF;)
        put_le(&file, (uint64_t)c, 1);
    if (in)
        fclose(in);
    const bool ok = forge_open(&f, file.p, file.n);
    put_le(&out, 1, 1);
    for (size_t i = 0; ok && i < f.frame.n; i++)
        put_frame(&out, f.frame.p[i].kind, &f.frame.p[i].raw);
    if (ok) {
        save(folder, "real.bin", &out);
        forge_free(&f);
    }
    VEC_FREE(&file);
    VEC_FREE(&out);
    return ok ? 0 : 2;
}

/* Two CTAs of one warp, 32 instructions each, of a random kernel: as a stream, as frames, as a file. */
int main(int argc, char **argv)
{
    if (argc != 3 || save_real(argv[1], argv[2])) {
        fprintf(stderr, "usage: %s FOLDER RECORDING.wt\n", argv[0]);
        return 2;
    }
    struct gen_rng r = {42};
    struct gen_kernel g;
    gen_kernel_make(&g, &r, 16, 0);
    struct stream_enc *enc = stream_enc_new();
    byte_vec stream = {0}, block = {0}, journal = {0}, kernel = {0}, out = {0};
    gen_steps steps = {0};
    const struct trace_launch launch = {.grid = {2, 1, 1}, .block = {32, 1, 1}};
    struct err e;
    char path[4096];
    snprintf(path, sizeof path, "%s/file.tmp", argv[1]);
    struct trace_writer *w = trace_writer_open(path, "./app", NULL, &e);
    struct stream_sink *sink = trace_writer_sink(w);
    const struct trace_event event = {.kind = TRACE_EV_LAUNCH};
    sink->event(sink->ctx, &event);
    sink->launch_begin(sink->ctx, &g.k, &launch, 0);
    put_le(&journal, 1, 1);
    put_str(&journal, "./app");
    put_bytes(&journal, (const uint8_t[]){2, 0, 0, 0, 0, 0, 0}, 7);
    put_bytes(&journal, (const uint8_t[]){3, 0, 2, 1, 1, 32, 1, 1, 0, 0, 0}, 11);
    for (uint32_t cta = 0; cta < 2; cta++) {
        stream.n = 0;
        stream_enc_begin(enc, &g.k);
        for (uint32_t i = 0; i < 2; i++) {
            for (uint32_t pc = 0; pc < 16; pc++)
                if (trace_has_addresses(&g.k.inst[pc])) {
                    uint64_t addr[TRACE_WARP_SIZE];
                    uint8_t space = g.k.inst[pc].space;
                    gen_addresses(&r, addr, g.k.inst[pc].mem_index, i);
                    stream_enc_mem(enc, pc, space == TRACE_SP_GENERIC ? TRACE_SP_LOCAL : space, 0xffff, addr);
                }
            stream_enc_run(enc, 0, 16, 0xffff);
        }
        stream_enc_take(enc, &stream.p, &stream.n, &stream.cap);
        const uint32_t end = (uint32_t)stream.n;
        const struct stream_chunk chunk = {cta, 0, 1, 1, 32, &end, stream.p};
        sink->chunk(sink->ctx, 0, &chunk);
        size_t at = block.n;
        put_var(&block, 1);
        put_var(&block, stream.n);
        put_bytes(&block, stream.p, stream.n);
        put_bytes(&journal, (const uint8_t[]){4, (uint8_t)(2 * cta), 1, 0}, 4);
        put_var(&journal, block.n - at);
        put_var(&journal, 32);
    }
    put_le(&journal, 5, 1);
    sink->launch_end(sink->ctx, 0);
    if (trace_writer_close(w, &e))
        err_print(&e, stderr);

    table_put(&kernel, &g.k);
    put_le(&out, 1, 1);
    put_frame(&out, FRAME_KERNEL, &kernel);
    put_frame(&out, FRAME_BLOCK, &block);
    put_frame(&out, FRAME_JOURNAL, &journal);
    save(argv[1], "frames.bin", &out);

    out.n = 0;
    put_le(&out, 0, 1);
    FILE *f = fopen(path, "rb");
    for (int c; f && (c = getc(f)) != EOF;)
        put_le(&out, (uint64_t)c, 1);
    if (f)
        fclose(f);
    remove(path);
    save(argv[1], "file.bin", &out);

    /* Streams of the fuzz target's own kernel: a run over all of it, twice. */
    struct trace_inst inst[6] = {{.mem_index = UINT32_MAX}};
    static const uint32_t mem_index[] = {0, UINT32_MAX, 1, 9, 64, UINT32_MAX};
    static const uint8_t space[] = {TRACE_SP_GLOBAL, 0, TRACE_SP_GENERIC, TRACE_SP_SHARED, TRACE_SP_TEX, 0};
    for (int i = 0; i < 6; i++)
        inst[i] = (struct trace_inst){.space = space[i], .width = 4, .mem_index = mem_index[i]};
    const struct trace_kernel k = {.name = "k", .n_inst = 6, .n_mem = 65, .inst = inst, .str = "", .n_str = 1};
    for (uint32_t kind = 0; kind < 4; kind++) {
        stream_enc_begin(enc, &k);
        for (uint32_t i = 0; i < 3; i++) {
            for (uint32_t pc = 0; pc < 6; pc++)
                if (trace_has_addresses(&inst[pc])) {
                    uint64_t addr[TRACE_WARP_SIZE];
                    gen_addresses(&r, addr, 3 * kind + i, i);
                    stream_enc_mem(enc, pc, space[pc] == TRACE_SP_GENERIC ? TRACE_SP_LOCAL : space[pc], 0xf0f0f0f0,
                                   addr);
                }
            stream_enc_run(enc, 0, 6, 0xf0f0f0f0);
        }
        out.n = 0;
        put_le(&out, 2, 1);
        stream_enc_take(enc, &out.p, &out.n, &out.cap);
        char name[32];
        snprintf(name, sizeof name, "stream%u.bin", kind);
        save(argv[1], name, &out);
    }
    gen_kernel_free(&g);
    stream_enc_free(enc);
    VEC_FREE(&steps);
    VEC_FREE(&stream);
    VEC_FREE(&block);
    VEC_FREE(&journal);
    VEC_FREE(&kernel);
    VEC_FREE(&out);
    return 0;
}
