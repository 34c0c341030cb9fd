/*
 * Plugins: policies in shared objects (include/weir/plugin.h), beside those that are built in.
 *
 * A plugin adds its policies to the kinds of the whole process, as the code that it is, and stays loaded. Load plugins
 * before any configuration is read and while no other thread builds a machine.
 */
#ifndef WEIR_GPU_PLUGIN_H
#define WEIR_GPU_PLUGIN_H

#include "base/err.h"

#include <stdbool.h>

struct policy_info;

/* 0; or -1 with *e filled: it cannot be loaded, belongs to another version, or has a policy that cannot be registered.
 * A file that is loaded already is not loaded again. */
int plugin_load(const char *path, struct err *);

/* Words that cannot be a policy's name, though no policy and no section has them: a variant of sweeps, statistics. */
bool plugin_name_taken(const char *name);

unsigned plugin_count(void);
const char *plugin_path(unsigned i); /* absolute */
/* A name for the content of the file that a policy came from, for keys of results; NULL: the policy is built in. */
const char *plugin_identity(const struct policy_info *);
/* The name of that file without its folder; NULL: the policy is built in. */
const char *plugin_file(const struct policy_info *);

/* Whose fault a crash of this process may be, since code of plugins runs in it: for a sentence. */
void plugin_suspects(char *out, size_t bytes);
/* From now on a crash of this process is reported with that sentence, if there are plugins, before the process ends. */
void plugin_report_crashes(void);

#endif
