#include "CKernels.h"

#include "Clones.h"

// The position of an edge is the rounded sum of the origin and a rounded product, as in the Swift
// code, so fused operations are disabled.
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
    // The sum is unsigned, so that it wraps to an invalid cell beyond the widest grid.
    const int32_t cell = (int32_t)((uint32_t)guess - below + above);
    result[i] = cell >= 0 && cell < cells ? cell : -1;
  }
}

// Returns the quotient of a cell's number and a tile's length, which is at least 1, and writes the
// remainder to `rest`. The truncated product may be one too small, but is never too large: the
// exact quotient is at least 1 / length below the next integer, which is far more than the rounding
// error.
static inline uint32_t tile_of(int32_t cell, int32_t length, double reciprocal, uint32_t *rest) {
  uint32_t tile = (uint32_t)(int32_t)(cell * reciprocal);
  uint32_t left = (uint32_t)cell - tile * (uint32_t)length;
  const uint32_t short_of = left >= (uint32_t)length;
  tile += short_of;
  *rest = short_of ? left - (uint32_t)length : left;
  return tile;
}

PLUMB_CLONES
long plumb_split_cells(
    const int32_t *restrict columns, const int32_t *restrict rows, long count, int32_t tile_width,
    int32_t tile_height, uint32_t tiles_across, uint32_t nowhere, uint32_t *restrict tiles,
    uint32_t *restrict offsets) {
  const double across = 1.0 / tile_width;
  const double down = 1.0 / tile_height;
  int32_t missing = 0;
  for (long i = 0; i < count; i++) {
    const int32_t column = columns[i], row = rows[i];
    uint32_t x, y;
    const uint32_t tile_x = tile_of(column, tile_width, across, &x);
    const uint32_t tile_y = tile_of(row, tile_height, down, &y);
    const int32_t is_missing = (column | row) < 0;
    tiles[i] = is_missing ? nowhere : tile_y * tiles_across + tile_x;
    offsets[i] = is_missing ? 0 : y * (uint32_t)tile_width + x;
    missing += is_missing;
  }
  return missing;
}
