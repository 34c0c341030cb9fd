/*
 * Configuration: one table row per parameter, in the folder that uses it.
 *
 * A component declares a struct of plain values and a table of cfg_field that says, for each member, its key, type,
 * unit, default, bounds and meaning. Several tables form a schema (gpu/schema.c). A machine file (INI, through inih)
 * and --set assignments give values; what they leave out takes the default. Everything a person can get wrong is
 * refused with file, line and what to do: unknown section or key (with the nearest name), wrong unit, out of bounds,
 * values that contradict each other. The origin of every value is kept, so `weir config show` can print it.
 *
 *     base = gtx480          # another machine, or a path, to start from
 *     [l1]
 *     size = 32KiB
 *
 * How values are written, and the type of the struct member that receives them:
 *   CFG_INT     64, 12 cycles      uint32_t   a number, optionally followed by the field's unit
 *   CFG_BYTES   32KiB, 48 KiB, 40B uint64_t   bytes; a unit is required above 0 (B, KiB, MiB, GiB, TiB)
 *   CFG_FREQ    924MHz, 1.4GHz     uint64_t   hertz; a unit is required (Hz, kHz, MHz, GHz)
 *   CFG_BOOL    yes, no            bool       also true/false, on/off, 1/0
 *   CFG_ENUM    crossbar           uint32_t   index into `choices`, a list separated by spaces
 *   CFG_POLICY  gto                uint32_t   index into the policies of the kind named by `choices` (policy_registry.h)
 *   CFG_TEXT    any text           const char *
 */
#ifndef WEIR_ENGINE_CONFIG_H
#define WEIR_ENGINE_CONFIG_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum cfg_type { CFG_INT, CFG_BYTES, CFG_FREQ, CFG_BOOL, CFG_ENUM, CFG_POLICY, CFG_TEXT };

struct cfg_field {
    const char *key; /* within its section: "size" is l1.size; NULL ends a table */
    enum cfg_type type;
    const char *unit;    /* INT: what is counted ("cycles", "entries"); "" = a pure number. Others: "" */
    const char *def;     /* default, written as in a file */
    uint64_t min, max;   /* inclusive; INT, BYTES, FREQ (Hz) */
    const char *choices; /* ENUM: "crossbar mesh"; POLICY: the kind's name; NULL otherwise */
    const char *doc;     /* one sentence */
    size_t offset;       /* of the member in the section's struct */
};

struct cfg;

struct cfg_section {
    const char *name; /* "l1"; keys are shown as l1.size */
    const char *doc;
    const struct cfg_field *field;
    size_t bytes; /* sizeof the struct of values */
    /*
     * Checks of this section's values against each other, and against other sections through cfg_section(). NULL =
     * none. On a fault: return cfg_fault(c, "l1.assoc", e, "...") and perhaps err_hint().
     */
    int (*check)(const struct cfg *c, const void *values, struct err *e);
};

struct policy_kind; /* policy_registry.h */

struct cfg_schema {
    const struct cfg_section *const *section;
    unsigned n_section;
    const struct policy_kind *const *kind;
    unsigned n_kind;
};

/*
 * Reads machine `name` (a name such as gtx480, or a path to a file), chooses the policies named in `with` (separated by
 * commas; may be NULL; "name" = in every kind that has it, "kind=name" = in that kind), applies the assignments
 * "key=value" of `set` in order and checks everything. Returns NULL and fills *e on a fault. The schema must outlive
 * the cfg.
 */
struct cfg *cfg_load(const struct cfg_schema *, const char *name, const char *const *set, unsigned n_set,
                     const char *with, struct err *);
/* The same for a file that is being written: tells every fault and not only the first, and returns NULL if there was one.
 * Of values that contradict each other, the first of each section and policy is reported. */
typedef void cfg_tell(void *ctx, const struct err *);
struct cfg *cfg_load_all(const struct cfg_schema *, const char *name, const char *const *set, unsigned n_set,
                         const char *with, cfg_tell *, void *ctx);
/* The same from text (tests, fuzzing); `file` is for messages; `base =` works as in a file. */
struct cfg *cfg_load_text(const struct cfg_schema *, const char *file, const char *text, const char *const *set,
                          unsigned n_set, const char *with, struct err *);
void cfg_free(struct cfg *);
/* For each assignment of cfg_load's `set`, whether it is a parameter of a policy that is not chosen, for which cfg_load
 * refuses it. Nothing else is checked: what cfg_load would refuse for another reason is not called so. */
void cfg_mark_unused(const struct cfg_schema *, const char *name, const char *const *set, unsigned n_set,
                     const char *with, bool *unused);

/* The values of a section; valid as long as the cfg. BUG() when the schema has no such section. */
const void *cfg_section(const struct cfg *, const char *section);
/* The parameters of a policy (its own section, named like the policy; policies of one name share the section, and no
 * key is in two of them). */
const void *cfg_policy_params(const struct cfg *, const char *kind, unsigned index);

/* The policy chosen of a kind, by name, for checks of one policy against another; NULL: the schema has no such kind. */
const char *cfg_chosen(const struct cfg *, const char *kind);

/* Machine's name as it was asked for ("gtx480", or the file's name without folder and .ini). */
const char *cfg_machine(const struct cfg *);

/* Fills *e with the place where "section.key" got its value and a message; returns -1. */
int cfg_fault(const struct cfg *, const char *key, struct err *, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Of keys whose values contradict each other, the one that was set last, by the command line or the outermost file: it
 * is the one to blame. The first of them where all are equally old. */
const char *cfg_last_set(const struct cfg *, const char *const *keys, unsigned n);

/* Every value in schema order: for `config show`, the JSON document and hashes. Sections of unchosen policies are left
 * out. */
struct cfg_value {
    const struct cfg_field *field;
    const char *section;
    char key[96];     /* "l1.size" */
    char text[96];    /* canonical: "32KiB", "924MHz", "64" */
    char origin[288]; /* "default", "gtx480.ini:14", "--set" */
    bool is_default;
};
void cfg_each(const struct cfg *, void (*fn)(void *ctx, const struct cfg_value *), void *ctx);

/* Machines found in the config folders; calls fn with name, path and the file's first comment line. */
int cfg_each_machine(void (*fn)(void *ctx, const char *name, const char *path, const char *what), void *ctx,
                     struct err *);

/* Writes v in the largest binary unit that is exact: 32768 -> "32KiB". */
void cfg_print_bytes(char out[32], uint64_t v);
void cfg_print_freq(char out[32], uint64_t hz);

/* Table helpers: CFG_ROW(struct l1_cfg, assoc, CFG_INT, "ways", "4", 1, 64, NULL, "associativity") */
#define CFG_ROW(T, member, type_, unit_, def_, min_, max_, choices_, doc_)                                             \
    {                                                                                                                  \
        .key = #member, .type = type_, .unit = unit_, .def = def_, .min = min_, .max = max_, .choices = choices_,      \
        .doc = doc_, .offset = offsetof(T, member)                                                                     \
    }
#define CFG_END                                                                                                        \
    {                                                                                                                  \
        0                                                                                                              \
    }

#endif
