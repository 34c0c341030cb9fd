/* Functions that are compiled into each caller: constant arguments select a variant, such as one without policies. */
#ifndef WEIR_BASE_INLINE_H
#define WEIR_BASE_INLINE_H

#define ALWAYS_INLINE static inline __attribute__((always_inline))

#endif
