/*
 * What the host tells a kernel that transforms lines: elements with a constant step, of which up to four nested loops say
 * where each begins. Plain C, read by both sides.
 */
#ifndef WEIR_CUFFT_LINES_H
#define WEIR_CUFFT_LINES_H

enum {
    LINES_LOOPS = 4,
    LINES_STAGES = 12, /* 3^12 is more than a CTA's shared memory has */
    LINES_PER_CTA = 32,
    LINES_SHARED_BYTES = 48000 /* two buffers of a CTA's lines; every GPU has them without being asked for more */
};
enum lines_form {
    LINES_COMPLEX,
    LINES_REAL, /* stored: of complex numbers the real part */
    LINES_HALF  /* the first half of a Hermitian sequence, with the middle */
};

struct lines {
    const void *in;
    void *out;
    int n;      /* points of a line */
    int padded; /* of the transform: n, or for Bluestein's algorithm at least 2n - 1 */
    int inverse, stages, radix[LINES_STAGES];
    const void *roots; /* exp(-2 pi i k / padded) */
    /* Bluestein: exp(-pi i k^2 / n), and behind it the transform of its conjugate, divided by `padded`. */
    const void *chirp;
    int per_cta; /* lines */
    unsigned count[LINES_LOOPS];
    long long in_stride[LINES_LOOPS], out_stride[LINES_LOOPS], in_step, out_step;
    int load_across, store_across; /* neighboring threads take neighboring lines, not elements */
    enum lines_form from, to;      /* a half line's in_step and place are those of the longer line, if there is one */
    /* A line is a part of a longer one, which two launches transform: element k of it is `first` + k * `step` there, where first
     * is this loop's counter times its factor. */
    int total; /* points of the longer line; n when there is none */
    int part_loop, in_part, in_part_step, out_part, out_part_step;
    /* After the first of the two: result k times exp(-2 pi i k counter / total), from the roots of the two lengths. */
    int other;                 /* 0: not the first. The other length */
    const void *fine, *coarse; /* exp(-2 pi i k / total), k < other; exp(-2 pi i k / n) */
};

#endif
