/*
 * What weir cc writes. Compilers and linkers remove their output when they fail, and with it the good file of before;
 * so they write into the temporary folder, and the result is copied to its place when it is whole.
 */
#include "base/infile.h"
#include "base/out_of_memory.h"
#include "base/outfile.h"
#include "cc/cc.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int cc_publish(const char *made, const char *path, struct err *e)
{
    struct stat st;
    size_t bytes = 0;
    char *text = stat(made, &st) ? NULL : infile_bytes(made, &bytes);
    if (!text)
        return err_at(e, path, 0, 0, "the compiler's result cannot be read: %s", strerror(errno));
    struct outfile *o = outfile_open(path, e);
    if (o) {
        if (st.st_mode & S_IXUSR)
            outfile_set_mode(o, st.st_mode & 0777);
        fwrite(text, 1, bytes, outfile_stream(o));
    }
    free(text);
    unlink(made);
    return o ? outfile_commit(o, e) : -1;
}

static bool has(const struct cc_list *words, const char *begins)
{
    for (size_t i = 0; i < words->n; i++)
        if (!strncmp(words->p[i], begins, strlen(begins)))
            return true;
    return false;
}

/* -MD names its file and its target after the output, which is not known to the compiler. */
void cc_push_dependencies(struct cc_list *w, const struct cc_job *job, const char *object)
{
    if (!has(&job->host, "-MD") && !has(&job->host, "-MMD"))
        return;
    if (!has(&job->host, "-MF")) {
        const char *slash = strrchr(object, '/'), *dot = strrchr(slash ? slash : object, '.');
        cc_push(w, "-MF");
        cc_pushf(w, "%.*s.d", (int)(dot ? dot - object : (ptrdiff_t)strlen(object)), object);
    }
    if (!has(&job->host, "-MT") && !has(&job->host, "-MQ")) {
        cc_push(w, "-MQ");
        cc_push(w, object);
    }
}
