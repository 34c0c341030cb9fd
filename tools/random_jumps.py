#!/usr/bin/env python3
"""Writes include/weir/cuda/weir_random_jumps.h: how the generators of curand_kernel.h leap ahead.

xorwow is linear over GF(2) but for its counter: to leap n steps is to evaluate x^n modulo the characteristic polynomial of
its step at the step. The table has x^(2^k) for every k. MRG32k3a's steps are two 3 x 3 matrices, which are raised to 2^76.
usage: tools/random_jumps.py > include/weir/cuda/weir_random_jumps.h
"""
BITS, MASK = 160, 2 ** 32 - 1


def step(s):
    x, y, z, w, v = s
    t = x ^ (x >> 2)
    return y, z, w, v, (v ^ (v << 4 & MASK)) ^ (t ^ (t << 1 & MASK))


def characteristic():
    """Berlekamp and Massey on one bit of the output."""
    s, bits = (1, 2, 3, 4, 5), []
    for _ in range(4 * BITS):
        s = step(s)
        bits.append(s[4] & 1)
    c, b, length, m = 1, 1, 0, 1
    for n in range(len(bits)):
        d = sum(bits[n - i] for i in range(length + 1) if c >> i & 1) & 1
        if d and 2 * length <= n:
            c, b, length, m = c ^ (b << m), c, n + 1 - length, 1
        elif d:
            c, m = c ^ (b << m), m + 1
        else:
            m += 1
    assert length == BITS
    return int(bin(c)[2:].zfill(BITS + 1)[::-1], 2)  # the connection polynomial, reversed


def reduced(a, p):
    while a.bit_length() > BITS:
        a ^= p << (a.bit_length() - 1 - BITS)
    return a


def square(a, p):
    return reduced(int("0".join(bin(a)[2:]), 2), p)


def matmul(a, b, m):
    return [[sum(a[i][k] * b[k][j] for k in range(3)) % m for j in range(3)] for i in range(3)]


def rows(values, per):
    return ",\n".join("    " + ", ".join(values[i:i + per]) for i in range(0, len(values), per))


p, a, words = characteristic(), 2, []
for k in range(131):
    words += [f"0x{a >> 32 * i & MASK:08x}" for i in range(5)]
    a = square(a, p)
print("""/* How the generators of curand_kernel.h leap ahead; tools/random_jumps.py writes this file. */
#ifndef WEIR_RANDOM_JUMPS_H
#define WEIR_RANDOM_JUMPS_H
#pragma GCC system_header

/* x^(2^k) modulo the characteristic polynomial of xorwow's step, lowest word first, for k of 0 to 130. */
static __device__ const unsigned weir_xorwow_jump[131][5] = {""")
print(rows(words, 10).replace("    0x", "    0x") + "};")
for name, matrix, m in (("1", [[0, 1, 0], [0, 0, 1], [4294967087 - 810728, 1403580, 0]], 4294967087),
                        ("2", [[0, 1, 0], [0, 0, 1], [4294944443 - 1370589, 0, 527612]], 4294944443)):
    far = matrix
    for _ in range(76):
        far = matmul(far, far, m)
    print(f"/* MRG32k3a's matrix {name}: one step, and 2^76. */")
    for what, x in (("step", matrix), ("far", far)):
        print(f"static __device__ const unsigned weir_mrg_{what}{name}[9] = {{" + ", ".join(f"{v}u" for r in x for v in r) + "};")
print("\n#endif")
