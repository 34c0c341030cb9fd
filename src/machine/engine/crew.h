/*
 * Several host threads for one simulation: they tick the components of one instant together.
 *
 * Ticks of one instant commute (engine.h), so the components can be shared out in any way, and the statistics are those of
 * one thread to the bit. The components are cut into chunks, which stand in a row, and each worker has a part of the row,
 * so that their state stays in the cache of one core. How long chunks take is measured now and then, and the row is cut
 * anew where that makes the parts more equal. A thread that the host does not run at the moment is not waited for: the
 * first worker takes its chunks. Instants with little to do are left to the first worker.
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
