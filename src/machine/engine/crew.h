/*
 * Several host threads for one simulation: they tick the components of one instant together.
 *
 * Ticks of one instant commute (engine.h), so the components can be shared out in any way, and the statistics are those of
 * one thread to the bit. The components are cut into chunks, and each worker has its own, so that a component's state
 * stays in the cache of one core; a worker that is through with them takes chunks of the others. An instant ends when all
 * chunks are done; a thread that the host does not run at the moment delays it only by the chunk it holds. Instants with
 * few components are left to the caller.
 */
#ifndef WEIR_ENGINE_CREW_H
#define WEIR_ENGINE_CREW_H

#include "engine/engine.h"

/* For an engine that was started and has several workers: starts their threads. */
struct crew *crew_new(struct engine *);
void crew_free(struct crew *);
/* Ticks the components in engine_queue.now and empties it. False: they are too few, and nothing was done. */
bool crew_tick(struct crew *);

#endif
