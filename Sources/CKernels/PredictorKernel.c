#include <string.h>

#include "CKernels.h"
#include "Clones.h"

// Computes prefix sums along a row, sixteen bytes at a time. Within a vector, shifted copies are
// added. Between vectors, a carry is added, so that the dependency chain is one addition per
// vector.

typedef uint8_t bytes16 __attribute__((vector_size(16)));
typedef uint16_t words16 __attribute__((vector_size(16)));
typedef uint32_t halves16 __attribute__((vector_size(16)));
typedef uint64_t longs16 __attribute__((vector_size(16)));

// The vector shifted up by N bytes, with zeros below.
#define SHIFTED(v, N) \
  __builtin_shufflevector( \
      (bytes16){0}, (bytes16)(v), 16 - (N), 17 - (N), 18 - (N), 19 - (N), 20 - (N), 21 - (N), \
      22 - (N), 23 - (N), 24 - (N), 25 - (N), 26 - (N), 27 - (N), 28 - (N), 29 - (N), 30 - (N), \
      31 - (N))
// The vector's last N bytes, repeated; N divides 16.
#define REPEATED(v, N) \
  __builtin_shufflevector( \
      (bytes16)(v), (bytes16)(v), 16 - (N) + 0 % (N), 16 - (N) + 1 % (N), 16 - (N) + 2 % (N), \
      16 - (N) + 3 % (N), 16 - (N) + 4 % (N), 16 - (N) + 5 % (N), 16 - (N) + 6 % (N), \
      16 - (N) + 7 % (N), 16 - (N) + 8 % (N), 16 - (N) + 9 % (N), 16 - (N) + 10 % (N), \
      16 - (N) + 11 % (N), 16 - (N) + 12 % (N), 16 - (N) + 13 % (N), 16 - (N) + 14 % (N), \
      16 - (N) + 15 % (N))

// Defines a function that sums numbers of a type whose cells are N bytes apart; N divides 16.
#define SUM_VECTORS(NAME, TYPE, VECTOR, N) \
  PLUMB_CLONES static void NAME(uint8_t *row, size_t count) { \
    VECTOR carry = {0}; \
    size_t i = 0; \
    for (; i + 16 <= count; i += 16) { \
      VECTOR sum; \
      memcpy(&sum, row + i, 16); \
      if ((N) <= 1) sum += (VECTOR)SHIFTED(sum, 1); \
      if ((N) <= 2) sum += (VECTOR)SHIFTED(sum, 2); \
      if ((N) <= 4) sum += (VECTOR)SHIFTED(sum, 4); \
      if ((N) <= 8) sum += (VECTOR)SHIFTED(sum, 8); \
      const VECTOR last = (VECTOR)REPEATED(sum, N); \
      sum += carry; \
      carry += last; \
      memcpy(row + i, &sum, 16); \
    } \
    if (i < (N)) i = (N); \
    for (; i + sizeof(TYPE) <= count; i += sizeof(TYPE)) { \
      TYPE value, before; \
      memcpy(&value, row + i, sizeof value); \
      memcpy(&before, row + i - (N), sizeof before); \
      value = (TYPE)(value + before); \
      memcpy(row + i, &value, sizeof value); \
    } \
  }

// Defines a function that sums numbers of a type whose cells are any number of bytes apart.
#define SUM_CELLS(NAME, TYPE, VECTOR) \
  PLUMB_CLONES static void NAME(uint8_t *row, size_t count, size_t apart) { \
    size_t i = apart; \
    if (apart >= 16) { \
      for (; i + 16 <= count; i += 16) { \
        VECTOR value, before; \
        memcpy(&value, row + i, 16); \
        memcpy(&before, row + i - apart, 16); \
        value += before; \
        memcpy(row + i, &value, 16); \
      } \
    } else if (apart == 3 * sizeof(TYPE)) { \
      TYPE sum[3] = {0, 0, 0}; \
      for (i = 0; i + apart <= count; i += apart) { \
        TYPE cell[3]; \
        memcpy(cell, row + i, sizeof cell); \
        for (int s = 0; s < 3; s++) sum[s] = (TYPE)(sum[s] + cell[s]); \
        memcpy(row + i, sum, sizeof sum); \
      } \
    } \
    if (i < apart) i = apart; \
    for (; i + sizeof(TYPE) <= count; i += sizeof(TYPE)) { \
      TYPE value, before; \
      memcpy(&value, row + i, sizeof value); \
      memcpy(&before, row + i - apart, sizeof before); \
      value = (TYPE)(value + before); \
      memcpy(row + i, &value, sizeof value); \
    } \
  }

SUM_VECTORS(sum_8_by_1, uint8_t, bytes16, 1)
SUM_VECTORS(sum_8_by_2, uint8_t, bytes16, 2)
SUM_VECTORS(sum_8_by_4, uint8_t, bytes16, 4)
SUM_VECTORS(sum_8_by_8, uint8_t, bytes16, 8)
SUM_VECTORS(sum_16_by_2, uint16_t, words16, 2)
SUM_VECTORS(sum_16_by_4, uint16_t, words16, 4)
SUM_VECTORS(sum_16_by_8, uint16_t, words16, 8)
SUM_VECTORS(sum_32_by_4, uint32_t, halves16, 4)
SUM_VECTORS(sum_32_by_8, uint32_t, halves16, 8)
SUM_VECTORS(sum_64_by_8, uint64_t, longs16, 8)
SUM_CELLS(sum_8, uint8_t, bytes16)
SUM_CELLS(sum_16, uint16_t, words16)
SUM_CELLS(sum_32, uint32_t, halves16)
SUM_CELLS(sum_64, uint64_t, longs16)

void plumb_undo_differences(void *row, size_t count, size_t size, size_t samples) {
  const size_t apart = size * samples;
  // One case for each pair with a specialized loop.
  switch (size * 256 + (apart < 16 ? apart : 0)) {
    case 1 * 256 + 1: sum_8_by_1(row, count); return;
    case 1 * 256 + 2: sum_8_by_2(row, count); return;
    case 1 * 256 + 4: sum_8_by_4(row, count); return;
    case 1 * 256 + 8: sum_8_by_8(row, count); return;
    case 2 * 256 + 2: sum_16_by_2(row, count); return;
    case 2 * 256 + 4: sum_16_by_4(row, count); return;
    case 2 * 256 + 8: sum_16_by_8(row, count); return;
    case 4 * 256 + 4: sum_32_by_4(row, count); return;
    case 4 * 256 + 8: sum_32_by_8(row, count); return;
    case 8 * 256 + 8: sum_64_by_8(row, count); return;
  }
  switch (size) {
    case 1: sum_8(row, count, apart); return;
    case 2: sum_16(row, count, apart); return;
    case 4: sum_32(row, count, apart); return;
    case 8: sum_64(row, count, apart); return;
  }
}

// LOW_… interleaves the first halves of two vectors, and HIGH_… interleaves the second halves.
#define LOW_BYTES(a, b) \
  __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define HIGH_BYTES(a, b) \
  __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define LOW_WORDS(a, b) \
  (bytes16) __builtin_shufflevector((words16)(a), (words16)(b), 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH_WORDS(a, b) \
  (bytes16) __builtin_shufflevector((words16)(a), (words16)(b), 4, 12, 5, 13, 6, 14, 7, 15)
#define LOW_HALVES(a, b) \
  (bytes16) __builtin_shufflevector((halves16)(a), (halves16)(b), 0, 4, 1, 5)
#define HIGH_HALVES(a, b) \
  (bytes16) __builtin_shufflevector((halves16)(a), (halves16)(b), 2, 6, 3, 7)

static bytes16 load16(const uint8_t *from) {
  bytes16 result;
  memcpy(&result, from, 16);
  return result;
}

static void store16(uint8_t *to, bytes16 value) { memcpy(to, &value, 16); }

// Joins four planes of bytes, with the highest plane first, to four-byte numbers in this machine's
// byte order.
PLUMB_CLONES static void join_4(const uint8_t *planes, size_t numbers, uint8_t *out, size_t wanted) {
  const uint8_t *a = planes, *b = a + numbers, *c = b + numbers, *d = c + numbers;
  size_t i = 0;
  for (; i + 16 <= wanted; i += 16) {
    const bytes16 lower = load16(d + i), low = load16(c + i);
    const bytes16 high = load16(b + i), higher = load16(a + i);
    const bytes16 l0 = LOW_BYTES(lower, low), l1 = HIGH_BYTES(lower, low);
    const bytes16 h0 = LOW_BYTES(high, higher), h1 = HIGH_BYTES(high, higher);
    store16(out + 4 * i, LOW_WORDS(l0, h0));
    store16(out + 4 * i + 16, HIGH_WORDS(l0, h0));
    store16(out + 4 * i + 32, LOW_WORDS(l1, h1));
    store16(out + 4 * i + 48, HIGH_WORDS(l1, h1));
  }
  for (; i < wanted; i++) {
    const uint32_t value =
        (uint32_t)a[i] << 24 | (uint32_t)b[i] << 16 | (uint32_t)c[i] << 8 | d[i];
    memcpy(out + 4 * i, &value, sizeof value);
  }
}

// Joins eight planes of bytes to eight-byte numbers in the same way.
PLUMB_CLONES static void join_8(const uint8_t *planes, size_t numbers, uint8_t *out, size_t wanted) {
  size_t i = 0;
  for (; i + 16 <= wanted; i += 16) {
    bytes16 p[8], q[8];
    for (int k = 0; k < 8; k++) p[k] = load16(planes + (size_t)(7 - k) * numbers + i);
    for (int k = 0; k < 4; k++) {
      q[k] = LOW_BYTES(p[2 * k], p[2 * k + 1]);
      q[k + 4] = HIGH_BYTES(p[2 * k], p[2 * k + 1]);
    }
    for (int k = 0; k < 2; k++) {
      const bytes16 *h = q + 4 * k;
      const bytes16 a0 = LOW_WORDS(h[0], h[1]), a1 = HIGH_WORDS(h[0], h[1]);
      const bytes16 b0 = LOW_WORDS(h[2], h[3]), b1 = HIGH_WORDS(h[2], h[3]);
      uint8_t *to = out + 8 * i + 64 * k;
      store16(to, LOW_HALVES(a0, b0));
      store16(to + 16, HIGH_HALVES(a0, b0));
      store16(to + 32, LOW_HALVES(a1, b1));
      store16(to + 48, HIGH_HALVES(a1, b1));
    }
  }
  for (; i < wanted; i++) {
    uint64_t value = 0;
    for (int k = 0; k < 8; k++) value = value << 8 | planes[(size_t)k * numbers + i];
    memcpy(out + 8 * i, &value, sizeof value);
  }
}

void plumb_undo_float_differences(
    uint8_t *row, size_t count, size_t size, size_t samples, uint8_t *out, size_t wanted) {
  if (wanted == 0) return;
  const size_t numbers = count / size;
  // Only the bytes up to the last wanted number of the lowest plane are needed.
  plumb_undo_differences(row, count - numbers + wanted, 1, samples);
  if (size == 4) {
    join_4(row, numbers, out, wanted);
  } else {
    join_8(row, numbers, out, wanted);
  }
}

#define SWAP_NUMBERS(NAME, TYPE, SWAP) \
  PLUMB_CLONES static void NAME(uint8_t *bytes, size_t count) { \
    for (size_t i = 0; i + sizeof(TYPE) <= count; i += sizeof(TYPE)) { \
      TYPE value; \
      memcpy(&value, bytes + i, sizeof value); \
      value = SWAP(value); \
      memcpy(bytes + i, &value, sizeof value); \
    } \
  }

SWAP_NUMBERS(swap_16, uint16_t, __builtin_bswap16)
SWAP_NUMBERS(swap_32, uint32_t, __builtin_bswap32)
SWAP_NUMBERS(swap_64, uint64_t, __builtin_bswap64)

void plumb_swap_bytes(void *memory, size_t count, size_t size) {
  switch (size) {
    case 2: swap_16(memory, count); break;
    case 4: swap_32(memory, count); break;
    case 8: swap_64(memory, count); break;
  }
}
