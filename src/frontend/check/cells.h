/*
 * Stamps of neighboring cells, tested and set together, which is the path of nearly every access. Included once per
 * instruction set, with CELLS(name) giving the names and CELLS_TARGET the attribute.
 */

/* Is this stamp no conflict for `me`: none, of the CTA before its last barrier, of this thread, of this warp before its
 * last __syncwarp? Without branches, for vectors. */
ALWAYS_INLINE uint64_t CELLS(fine)(uint64_t s, uint64_t me, const struct cells_at *x)
{
    const uint64_t same_warp = ((s ^ me) & WARP_BITS) == 0;
    const uint64_t clock = s >> STAMP_CLOCK & 0x7ffff;
    const uint64_t own = (((s ^ me) & (OWN_BITS | FLAG_BIT)) == 0) & (clock != CLOCK_NEVER);
    return (uint64_t)(s == 0) | (uint64_t)(s - x->lo <= x->span) | own |
           (same_warp & (uint64_t)(clock <= x->warp_base));
}

/* A read. False: nothing was changed, look closer. r1 may be NULL; true is not given when it is needed then. */
CELLS_TARGET static bool CELLS(read)(const uint64_t *w, const uint64_t *a, uint64_t *r0, uint64_t *r1, unsigned n,
                                     unsigned shift, const struct cells_at *x)
{
    uint64_t good = 1, alone = 1;
    if (w)
        for (unsigned i = 0; i < n; i++)
            good &= CELLS(fine)(w[i], x->me + ((uint64_t)(i >> shift) << STAMP_LANE), x);
    if (a)
        for (unsigned i = 0; i < n; i++)
            good &= CELLS(fine)(a[i], x->me + ((uint64_t)(i >> shift) << STAMP_LANE), x);
    if (!good)
        return false;
    if (!r1) {
        for (unsigned i = 0; i < n; i++)
            alone &= CELLS(fine)(r0[i], x->me + ((uint64_t)(i >> shift) << STAMP_LANE), x);
        for (unsigned i = 0; alone && i < n; i++)
            r0[i] = x->me + ((uint64_t)(i >> shift) << STAMP_LANE);
        return alone;
    }
    for (unsigned i = 0; i < n; i++) {
        const uint64_t me = x->me + ((uint64_t)(i >> shift) << STAMP_LANE), s = r0[i];
        const uint64_t busy = CELLS(fine)(s, me, x) ^ 1, same = ((s ^ me) & WARP_BITS) == 0;
        const uint64_t other = 0 - (busy & (same ^ 1)); /* another warp reads at the same time: keep both */
        r1[i] = (s & other) | (r1[i] & ~other);
        r0[i] = me | ((busy & same) << STAMP_FLAG);
    }
    return true;
}

CELLS_TARGET static bool CELLS(write)(uint64_t *w, const uint64_t *a, const uint64_t *r0, const uint64_t *r1,
                                      unsigned n, unsigned shift, const struct cells_at *x)
{
    uint64_t good = 1;
    for (unsigned i = 0; i < n; i++)
        good &= CELLS(fine)(w[i], x->me + ((uint64_t)(i >> shift) << STAMP_LANE), x);
    if (a)
        for (unsigned i = 0; i < n; i++)
            good &= CELLS(fine)(a[i], x->me + ((uint64_t)(i >> shift) << STAMP_LANE), x);
    if (r0)
        for (unsigned i = 0; i < n; i++)
            good &= CELLS(fine)(r0[i], x->me + ((uint64_t)(i >> shift) << STAMP_LANE), x);
    if (r1)
        for (unsigned i = 0; i < n; i++)
            good &= CELLS(fine)(r1[i], x->me + ((uint64_t)(i >> shift) << STAMP_LANE), x);
    if (!good)
        return false;
    for (unsigned i = 0; i < n; i++)
        w[i] = x->me + ((uint64_t)(i >> shift) << STAMP_LANE);
    return true;
}

/* Addresses of shared memory as 32 bits, and their extent. */
CELLS_TARGET static void CELLS(narrow)(const uint64_t *a, uint32_t mask, uint32_t *out, uint32_t *lo, uint32_t *hi)
{
    const uint32_t first = (uint32_t)a[__builtin_ctz(mask)];
    uint32_t least = first, most = first;
    for (unsigned l = 0; l < EMU_LANES; l++) {
        const uint32_t at = mask >> l & 1 ? (uint32_t)a[l] : first;
        out[l] = at;
        least = at < least ? at : least;
        most = at > most ? at : most;
    }
    *lo = least;
    *hi = most;
}
