#include "CKernels.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

// Appends the positions of the bits set in a mask, one bit per byte, starting at `first`.
static inline size_t add_positions(uint64_t mask, size_t first, uint32_t *positions, size_t count) {
  while (mask != 0) {
    positions[count++] = (uint32_t)(first + (size_t)__builtin_ctzll(mask));
    mask &= mask - 1;
  }
  return count;
}

size_t plumb_find_either(
    const uint8_t *text, size_t length, uint8_t a, uint8_t b, uint32_t *positions) {
  size_t count = 0;
  size_t i = 0;
#ifdef __SSE2__
  const __m128i wanted_a = _mm_set1_epi8((char)a), wanted_b = _mm_set1_epi8((char)b);
  for (; i + 64 <= length; i += 64) {
    uint64_t mask = 0;
    for (int part = 0; part < 4; part++) {
      const __m128i bytes = _mm_loadu_si128((const __m128i *)(text + i + 16 * part));
      const __m128i found =
          _mm_or_si128(_mm_cmpeq_epi8(bytes, wanted_a), _mm_cmpeq_epi8(bytes, wanted_b));
      mask |= (uint64_t)(uint32_t)_mm_movemask_epi8(found) << (16 * part);
    }
    count = add_positions(mask, i, positions, count);
  }
#endif
  for (; i < length; i++) {
    positions[count] = (uint32_t)i;
    count += text[i] == a || text[i] == b;
  }
  return count;
}
