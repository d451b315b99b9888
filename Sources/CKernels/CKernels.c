#include "CKernels.h"

#include "Clones.h"

// An edge is the rounded sum of a rounded product, as everywhere else: never fused.
#pragma STDC FP_CONTRACT OFF

PLUMB_CLONES
void plumb_locate_axis(
    const double *restrict values, long count, double origin, double step, int32_t cells,
    int32_t *restrict result) {
  const double reciprocal = 1 / step;
  const double sign = step > 0 ? 1 : -1;
  const double limit = cells;
  for (long i = 0; i < count; i++) {
    const double value = values[i];
    const double position = (value - origin) * reciprocal;
    const double low = position > -1 ? position : -1;
    const double clamped = low < limit ? low : limit;
    const int32_t guess = (int32_t)clamped;
    const double near = origin + (double)guess * step;
    const double far = origin + ((double)guess + 1) * step;
    const uint32_t below = value * sign < near * sign;
    const uint32_t above = value * sign >= far * sign;
    // Unsigned: beyond the widest grid the sum wraps round to a cell that is none.
    const int32_t cell = (int32_t)((uint32_t)guess - below + above);
    result[i] = cell >= 0 && cell < cells ? cell : -1;
  }
}
