/* What several commands take; see program_arg.h. */
#include "cli/program_arg.h"

#include "base/text.h"

#include <string.h>
#include <sys/stat.h>

enum program_arg program_arg_kind(const char *word)
{
    struct stat st;
    if (text_ends_in(word, ".wt"))
        return PROGRAM_ARG_RECORDING;
    return strchr(word, '/') || (!stat(word, &st) && S_ISREG(st.st_mode)) ? PROGRAM_ARG_PROGRAM : PROGRAM_ARG_SUITE;
}

void program_arg_take(struct argp_state *state, bool program, int *argc, char ***argv)
{
    *argv = &state->argv[state->next - 1];
    *argc = 1;
    if (program) {
        *argc = state->argc - (state->next - 1);
        state->next = state->argc;
    }
}
