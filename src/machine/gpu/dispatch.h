/*
 * The CTA dispatcher: hands out the CTAs of one launch at a time to SMs that have room.
 *
 * Round robin over the SMs, at most one CTA per SM and cycle, as GPGPU-Sim does it, and in all no more than the machine
 * can start (machine.cta_rate). The CTAs of a cluster start together on one GPC, and the dispatcher, which knows where
 * they are, passes events at their mbarriers on. It is a component on the core clock; when the last CTA has ended it
 * stops the engine.
 */
#ifndef WEIR_GPU_DISPATCH_H
#define WEIR_GPU_DISPATCH_H

#include "engine/engine.h"
#include "engine/port.h"
#include "trace/device.h"

struct dispatch;
/* ctas_per_1000_cycles: 0 = no limit. */
struct dispatch *dispatch_new(struct engine *, const struct device_props *, uint32_t ctas_per_1000_cycles,
                              uint32_t cluster_latency);
struct port *dispatch_done_in(struct dispatch *, uint32_t sm);
void dispatch_connect(struct dispatch *, uint32_t sm, struct port *cta_out, struct port *peer_out);
/*
 * The next launch: n_cta CTAs in clusters of `cluster`, at most per_sm at once on an SM. The first goes out after
 * `delay` cycles (>= 1).
 */
void dispatch_start(struct dispatch *, uint64_t n_cta, uint32_t cluster, uint32_t per_sm, uint32_t delay);
/* Called when a CTA starts and ends, with its SM, in the cycle in which the dispatcher starts it or receives its end. */
typedef void dispatch_watch(void *ctx, uint64_t cta, uint32_t sm, uint64_t cycle, bool ends);
void dispatch_set_watch(struct dispatch *, dispatch_watch *, void *ctx);
/* Stops the engine once `ctas` CTAs of the launch have ended; the run then continues as if it had not stopped. */
void dispatch_pause(struct dispatch *, uint64_t ctas);
bool dispatch_running(const struct dispatch *);  /* not all CTAs have ended */
uint64_t dispatch_next(const struct dispatch *); /* the first CTA that has not been handed out */
/* The next `ctas` CTAs count as ended; while the engine is stopped. */
void dispatch_skip(struct dispatch *, uint64_t ctas);

#endif
