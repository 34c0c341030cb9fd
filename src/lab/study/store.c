/* See store.h. */
#include "study/store.h"

#include "base/mem.h"
#include "study/model.h" /* made by the build: hash of the machine model's source */

#include <sqlite3.h>

struct store {
    sqlite3 *db;
    sqlite3_stmt *get, *put;
    char *path;
};

static const char schema[] =
    "PRAGMA journal_mode = WAL;"
    "PRAGMA synchronous = NORMAL;"
    "CREATE TABLE IF NOT EXISTS result ("
    " key TEXT PRIMARY KEY, program TEXT NOT NULL, size TEXT NOT NULL, machine TEXT NOT NULL, policies TEXT NOT NULL,"
    " settings TEXT NOT NULL, document TEXT NOT NULL) WITHOUT ROWID;"
    /* People ask for a program, a machine, a policy; thousands of documents are not read for that. */
    "CREATE INDEX IF NOT EXISTS result_what ON result (program, size, machine, policies, settings);";

static int fault(struct store *s, struct err *e)
{
    return err_at(e, s->path, 0, 0, "results cannot be kept: %s", s->db ? sqlite3_errmsg(s->db) : "no memory");
}

bool store_is(const char *path)
{
    char head[16] = "";
    FILE *f = fopen(path, "re");
    const bool yes = f && fread(head, 1, sizeof head, f) == sizeof head && !memcmp(head, "SQLite format 3", 16);
    if (f)
        fclose(f);
    return yes;
}

struct store *store_open(const char *path, struct err *e)
{
    struct store *s = xcalloc(1, sizeof *s);
    s->path = xstrdup(path);
    if (sqlite3_open(path, &s->db) == SQLITE_OK) {
        sqlite3_busy_timeout(s->db, 60000);
        /* The file may be another's: what its schema calls is not trusted. */
        sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
        sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
        if (sqlite3_exec(s->db, schema, NULL, NULL, NULL) == SQLITE_OK &&
            sqlite3_prepare_v2(s->db, "SELECT document FROM result WHERE key = ?", -1, &s->get, NULL) == SQLITE_OK &&
            sqlite3_prepare_v2(s->db, "INSERT OR REPLACE INTO result VALUES (?, ?, ?, ?, ?, ?, ?)", -1, &s->put,
                               NULL) == SQLITE_OK)
            return s;
    }
    fault(s, e);
    switch (s->db ? sqlite3_errcode(s->db) : SQLITE_NOMEM) {
    case SQLITE_NOTADB: /* perhaps not weir's file: it must not be removed */
        err_hint(e, "name another file with --results");
        break;
    case SQLITE_CORRUPT:
        err_hint(e, "remove it; all results can be simulated again");
        break;
    default:
        err_hint(e, "give another path with --results");
    }
    store_close(s);
    return NULL;
}

void store_close(struct store *s)
{
    if (!s)
        return;
    sqlite3_finalize(s->get);
    sqlite3_finalize(s->put);
    sqlite3_close(s->db);
    free(s->path);
    free(s);
}

char *store_get(struct store *s, const char *key)
{
    char *document = NULL;
    sqlite3_bind_text(s->get, 1, key, -1, SQLITE_STATIC);
    if (sqlite3_step(s->get) == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(s->get, 0); /* NULL: another program wrote the row */
        document = text ? xstrdup(text) : NULL;
    }
    sqlite3_reset(s->get);
    return document;
}

int store_put(struct store *s, const char *key, const struct store_row *r, struct err *e)
{
    const char *const text[] = {key, r->program, r->size, r->machine, r->policies, r->settings, r->document};
    for (int i = 0; i < (int)(sizeof text / sizeof *text); i++)
        sqlite3_bind_text(s->put, i + 1, text[i], -1, SQLITE_STATIC);
    int status = sqlite3_step(s->put) == SQLITE_DONE ? 0 : fault(s, e);
    sqlite3_reset(s->put);
    return status;
}

unsigned store_count(struct store *s, const char *program, const char *size)
{
    static const char query[] =
        "SELECT COUNT(*) FROM result WHERE program = ? AND size = ? AND key LIKE '%-" WEIR_MODEL "'";
    sqlite3_stmt *count = NULL;
    unsigned n = 0;
    if (sqlite3_prepare_v2(s->db, query, -1, &count, NULL) == SQLITE_OK) {
        sqlite3_bind_text(count, 1, program, -1, SQLITE_STATIC);
        sqlite3_bind_text(count, 2, size, -1, SQLITE_STATIC);
        n = sqlite3_step(count) == SQLITE_ROW ? (unsigned)sqlite3_column_int(count, 0) : 0;
    }
    sqlite3_finalize(count);
    return n;
}

int store_each(struct store *s, int (*fn)(void *ctx, const char *key, const struct store_row *, struct err *),
               void *ctx, struct err *e)
{
    static const char query[] =
        "SELECT program, size, machine, policies, settings, document, key FROM result"
        " ORDER BY program, size, machine, policies, settings, key";
    sqlite3_stmt *all = NULL;
    if (sqlite3_prepare_v2(s->db, query, -1, &all, NULL) != SQLITE_OK)
        return fault(s, e);
    int status = 0, step = SQLITE_ROW;
    while (!status && (step = sqlite3_step(all)) == SQLITE_ROW) {
        const char *text[7];
        for (int i = 0; i < 7; i++) {
            text[i] = (const char *)sqlite3_column_text(all, i);
            text[i] = text[i] ? text[i] : "";
        }
        status = fn(ctx, text[6], &(struct store_row){text[0], text[1], text[2], text[3], text[4], text[5]}, e);
    }
    if (!status && step != SQLITE_DONE)
        status = fault(s, e);
    sqlite3_finalize(all);
    return status;
}
