/* What several commands take; see target.h. */
#include "cli/target.h"

#include "base/text.h"
#include "cli/cli.h"

#include <string.h>
#include <sys/stat.h>

enum target target_of(const char *word)
{
    struct stat st;
    if (text_ends_in(word, ".wt"))
        return TARGET_RECORDING;
    return strchr(word, '/') || (!stat(word, &st) && S_ISREG(st.st_mode)) ? TARGET_PROGRAM : TARGET_SUITE;
}

void target_take(struct argp_state *state, bool program, int *argc, char ***argv)
{
    *argv = &state->argv[state->next - 1];
    *argc = 1;
    if (program) {
        *argc = state->argc - (state->next - 1);
        state->next = state->argc;
    }
}

const char *target_size(struct argp_state *state, const char *arg)
{
    cli_choose(state, "--size", arg, (const char *const[]){"tiny", "small", "paper", NULL});
    return arg;
}
