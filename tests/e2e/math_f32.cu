// Single-precision math functions against the C library in double precision, within CUDA's documented errors.
typedef float real;
typedef double wide;
#define REAL(name) name##f
#define WIDE(name) name
#define SPECIAL    1e-30f, 1e-40f, 1e30f
#define UNITY      1e-6f

// X(name, units in the last place, lowest argument, highest argument)
#define FUNCTIONS(X)                                                                                                   \
    X(sin, 2, -100, 100)                                                                                               \
    X(cos, 2, -100, 100)                                                                                               \
    X(tan, 4, -10, 10)                                                                                                 \
    X(asin, 4, -1, 1)                                                                                                  \
    X(acos, 3, -1, 1)                                                                                                  \
    X(atan, 2, -50, 50)                                                                                                \
    X(sinh, 3, -10, 10)                                                                                                \
    X(cosh, 3, -10, 10)                                                                                                \
    X(tanh, 3, -5, 5)                                                                                                  \
    X(asinh, 3, -50, 50)                                                                                               \
    X(acosh, 4, 1, 50)                                                                                                 \
    X(atanh, 3, -0.99f, 0.99f)                                                                                         \
    X(exp, 3, -80, 80)                                                                                                 \
    X(exp2, 3, -100, 100)                                                                                              \
    X(expm1, 2, -2, 2)                                                                                                 \
    X(log, 2, 1e-6f, 1e6f)                                                                                             \
    X(log2, 2, 1e-6f, 1e6f)                                                                                            \
    X(log10, 3, 1e-6f, 1e6f)                                                                                           \
    X(log1p, 2, -0.9f, 10)                                                                                             \
    X(sqrt, 0.5, 0, 1e6f)                                                                                              \
    X(cbrt, 1, -1000, 1000)                                                                                            \
    X(erf, 2, -3, 3)                                                                                                   \
    X(erfc, 5, -3, 8)                                                                                                  \
    X(tgamma, 11, 0.5f, 20)                                                                                            \
    X(lgamma, 6, 3, 50)                                                                                                \
    X(j0, 1000, 0, 8)                                                                                                  \
    X(floor, 0, -100, 100)                                                                                             \
    X(ceil, 0, -100, 100)                                                                                              \
    X(trunc, 0, -100, 100)                                                                                             \
    X(rint, 0, -100, 100)                                                                                              \
    X(round, 0, -100, 100)                                                                                             \
    X(fabs, 0, -100, 100)

#include "math_check.h"
