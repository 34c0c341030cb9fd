/*
 * A machine beside a running program: the emulator's stream sink feeds a GPU that runs on a second thread.
 *
 * The emulator runs ahead until about 64 MiB of streams wait, then it waits for the machine. It may exceed that limit
 * when the machine itself waits for a chunk that does not exist yet (long CTAs), so the two never wait for each other.
 * All functions but the sink's own calls belong to the program's thread.
 */
#ifndef WEIR_GPU_LIVE_H
#define WEIR_GPU_LIVE_H

#include "gpu/gpu.h"
#include "trace/stream.h"

struct gpu_live;

struct gpu_live *gpu_live_open(const struct gpu_opts *, struct err *);
/* Is called when a policy's answer ends the process (policy_fault), in the machine's thread. */
void gpu_live_at_policy_fault(void (*)(void));
/* Pass it to emu_launch. After a failure of the machine its calls return -1; gpu_live_status tells. */
struct stream_sink *gpu_live_sink(struct gpu_live *);
/* Waits until the machine has done all that was sent so far; simulated nanoseconds since the start. */
uint64_t gpu_live_now_ns(struct gpu_live *);
/* The state of the machine: GPU_DONE = all is well so far. *e is filled for GPU_FAILED. */
enum gpu_end gpu_live_status(struct gpu_live *, struct err *e);
/* The emulator will not finish its launch: the machine gives it up, too, without simulating what it has received. */
void gpu_live_give_up(struct gpu_live *);
/* Waits as above and gives access to the machine for results; the thread has ended. */
struct gpu *gpu_live_finish(struct gpu_live *);
void gpu_live_close(struct gpu_live *); /* ends the thread, frees machine and all; NULL is allowed */

#endif
