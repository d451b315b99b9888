#ifndef PLUMB_CKERNELS_H
#define PLUMB_CKERNELS_H

#include <stdint.h>

// Truncation without Swift's traps, so that a loop round it vectorises. The caller has tested the
// range: the result for a value outside Int32, or NaN, is unspecified.
static inline int32_t plumb_truncate(double value) {
  return (int32_t)value;
}

// Asks for the cache line at an address that will be read soon.
static inline void plumb_prefetch(const void *address) {
  __builtin_prefetch(address, 0, 0);
}

// The high 64 bits of a 64 x 64 bit product: exact division by a constant (Lemire, Kaser, Kurz,
// "Faster remainder by direct computation", 2019).
static inline uint64_t plumb_multiply_high(uint64_t a, uint64_t b) {
  return (uint64_t)(((unsigned __int128)a * b) >> 64);
}

#endif
