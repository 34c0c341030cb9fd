// Double-precision math functions against the C library in extended precision, within CUDA's documented errors.
typedef double real;
typedef long double wide;
#define REAL(name) name
#define WIDE(name) name##l
#define SPECIAL    1e-300, 1e-310, 1e300
#define UNITY      1e-14

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
    X(atanh, 3, -0.99, 0.99)                                                                                         \
    X(exp, 2, -80, 80)                                                                                                 \
    X(exp2, 2, -100, 100)                                                                                              \
    X(expm1, 2, -2, 2)                                                                                                 \
    X(log, 2, 1e-6, 1e6)                                                                                             \
    X(log2, 2, 1e-6, 1e6)                                                                                            \
    X(log10, 3, 1e-6, 1e6)                                                                                           \
    X(log1p, 2, -0.9, 10)                                                                                             \
    X(sqrt, 0.5, 0, 1e6)                                                                                              \
    X(cbrt, 1, -1000, 1000)                                                                                            \
    X(erf, 2, -3, 3)                                                                                                   \
    X(erfc, 6, -3, 8)                                                                                                  \
    X(tgamma, 10, 0.5, 20)                                                                                            \
    X(lgamma, 6, 3, 50)                                                                                                \
    X(j0, 20000, 0, 2)                                                                                                  \
    X(floor, 0, -100, 100)                                                                                             \
    X(ceil, 0, -100, 100)                                                                                              \
    X(trunc, 0, -100, 100)                                                                                             \
    X(rint, 0, -100, 100)                                                                                              \
    X(round, 0, -100, 100)                                                                                             \
    X(fabs, 0, -100, 100)

#include "math_check.h"
