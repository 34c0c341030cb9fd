/*
 * Derives from the name of an instruction of NVIDIA's machine code (SASS) what the SM must do: "LDG.E.128.CONSTANT" is
 * a load of 16 bytes per lane through the read-only path. The opcodes are those that NVIDIA's documentation of the
 * binary utilities lists for Kepler to Hopper; the classes are those of trace/kernel.h.
 */
#ifndef WEIR_IMPORT_SASS_H
#define WEIR_IMPORT_SASS_H

#include "trace/kernel.h"

enum sass_flags {
    SASS_JUMP = 1 << 0,       /* may jump back to the start of a loop */
    SASS_PAIRS = 1 << 1,      /* operands are pairs of registers */
    SASS_NOT_TRACED = 1 << 2, /* accesses memory, but its addresses are not traced: textures, surfaces, bulk copies */
    SASS_COPY = 1 << 3,   /* copies to shared memory: operand 0 is the destination address, operand 1 the source's */
    SASS_COMMIT = 1 << 4, /* ends a group of such copies */
    SASS_WAIT = 1 << 5,   /* waits for groups of copies, or for results that a scoreboard tracks anyway */
};

struct sass_op {
    const char *name;
    uint8_t cls;   /* enum trace_class */
    uint8_t space; /* enum trace_space; NONE: accesses no memory, or none that is traced */
    uint8_t flags; /* enum sass_flags */
};

/* Finds the opcode by the part of the name before the first dot; NULL = unknown. */
const struct sass_op *sass_find(const char *name);

/* Class of an instruction of that opcode. A multiply-add that only moves (IMAD.MOV) is a move. */
unsigned sass_class(const struct sass_op *, const char *name);

/* Whether the name has this modifier, as in sass_has("LDG.E.64", "64"). */
bool sass_has(const char *name, const char *part);

/* Memory instructions: bytes per lane, and TRACE_MEM_* flags. */
unsigned sass_width(const struct sass_op *, const char *name);
unsigned sass_mem_flags(const struct sass_op *, const char *name);

/*
 * Number of consecutive registers of operand k: -1 for results; 0, 1, ... for sources, in the order of the trace.
 * Traces name only the first of them.
 */
unsigned sass_registers(const struct sass_op *, const char *name, int k);

#endif
