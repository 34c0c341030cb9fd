/* Inside gpu/: parts of the JSON document, and what its instructions share with the screen. */
#ifndef WEIR_GPU_RESULT_PRIV_H
#define WEIR_GPU_RESULT_PRIV_H

#include "gpu/gpu.h"

#include <jansson.h>

/* Lines of a memory instruction that were answered, and the cycles they took together. */
uint64_t result_answered(const struct gpu_load_result *);
uint64_t result_waited(const struct gpu_load_result *);

/* Which instruction it is: kernel, pc, inst, ptx_line, src_file, src_line, loop. */
json_t *result_place_json(const struct trace_kernel *, uint32_t pc);
/* What was counted for a memory instruction, added to `o`. `profile`: sectors were counted, too. */
void result_put_access(json_t *o, const struct gpu_load_result *, bool profile);
/* The member "instructions". */
json_t *result_insts_json(const struct gpu_results *);
/* The member "timelines": by policy and phase, SM-cycles in each hundredth of the run. */
json_t *result_timelines_json(const struct gpu_results *, uint64_t cycles, uint32_t sms);
/* The member "parts": use of SMs, slices, channels and banks over time. Needs a sample with parts. */
json_t *result_parts_json(const struct gpu *, const struct gpu_results *);

#endif
