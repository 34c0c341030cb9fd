/*
 * What an instruction of NVIDIA's machine code (SASS) asks of the SM, read from its name: "LDG.E.128.CONSTANT" is a
 * load of 16 bytes a lane through the read-only path. Opcodes are those that NVIDIA's documentation of the binary
 * utilities lists for Kepler to Hopper; their classes are those of trace/kernel.h.
 */
#ifndef WEIR_IMPORT_SASS_H
#define WEIR_IMPORT_SASS_H

#include "trace/kernel.h"

enum sass_flags {
    SASS_JUMP = 1 << 0,       /* may go back to the begin of a loop */
    SASS_PAIRS = 1 << 1,      /* operands are pairs of registers */
    SASS_NOT_TRACED = 1 << 2, /* accesses memory, but traces hold no addresses of it: textures, surfaces, bulk copies */
    SASS_COPY = 1 << 3, /* copies to shared memory: operand 0 is the address there, operand 1 the one it reads from */
};

struct sass_op {
    const char *name;
    uint8_t cls;   /* enum trace_class */
    uint8_t space; /* enum trace_space; NONE: accesses no memory, or none that is traced */
    uint8_t flags; /* enum sass_flags */
};

/* The opcode of an instruction's name, by what stands before the first dot; NULL = not known. */
const struct sass_op *sass_find(const char *name);

/* Class of an instruction of that opcode: a multiply-add that only moves is a move. */
unsigned sass_class(const struct sass_op *, const char *name);

/* Does the name have this part? sass_has("LDG.E.64", "64") */
bool sass_has(const char *name, const char *part);

/* Memory instructions: bytes of one lane, and TRACE_MEM_* flags. */
unsigned sass_width(const struct sass_op *, const char *name);
unsigned sass_mem_flags(const struct sass_op *, const char *name);

/*
 * How many registers, counted from the one that is named, operand k has: results are -1, sources 0, 1, ... in the order
 * of the trace. Traces name the first register of a vector only.
 */
unsigned sass_registers(const struct sass_op *, const char *name, int k);

#endif
