/* Subcommands of weir trace that have their own file. */
#ifndef WEIR_CLI_TRACE_H
#define WEIR_CLI_TRACE_H

/* weir trace import. argv[0] is the command's name, for messages. */
int cli_trace_import(int argc, char **argv);

#endif
