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

size_t plumb_count_byte(const uint8_t *text, size_t length, uint8_t wanted) {
  size_t count = 0;
  size_t i = 0;
#ifdef __SSE2__
  const __m128i pattern = _mm_set1_epi8((char)wanted), zero = _mm_setzero_si128();
  __m128i total = zero;
  while (i + 16 <= length) {
    // Each lane counts up to 255 bytes.
    const size_t blocks = (length - i) / 16 < 255 ? (length - i) / 16 : 255;
    __m128i lanes = zero;
    for (size_t block = 0; block < blocks; block++, i += 16) {
      const __m128i bytes = _mm_loadu_si128((const __m128i *)(text + i));
      lanes = _mm_sub_epi8(lanes, _mm_cmpeq_epi8(bytes, pattern));
    }
    total = _mm_add_epi64(total, _mm_sad_epu8(lanes, zero));
  }
  count = (size_t)_mm_cvtsi128_si64(_mm_add_epi64(total, _mm_unpackhi_epi64(total, total)));
#endif
  for (; i < length; i++) count += text[i] == wanted;
  return count;
}
