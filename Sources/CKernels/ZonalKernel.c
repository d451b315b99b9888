#include <math.h>
#include <string.h>

#include "CKernels.h"
#include "Clones.h"

// Sums must not depend on the instruction set, so fused operations are disabled.
#pragma STDC FP_CONTRACT OFF

#define INLINE static inline __attribute__((always_inline))

typedef double four __attribute__((vector_size(32)));
typedef int64_t four_bits __attribute__((vector_size(32)));

// Partial sums. Each lane has the sums of every fourth cell.
struct lanes {
  four count, sum, deviation, square, minimum, maximum;
};

// Replaces the lanes of `target` for which the mask is set.
INLINE void replace_lanes(four *target, const four *value, const four_bits *mask) {
  *target = (four)(((four_bits)*value & *mask) | ((four_bits)*target & ~*mask));
}

// Adds four cells. A cell with the weight 0 is ignored.
INLINE void add_four(
    const struct plumb_zonal_tile *tile, const four *stored, const four *weights, double first,
    struct lanes *lanes) {
  const four zero = {0, 0, 0, 0};
  const four_bits valid = ((*stored < tile->low) | (*stored > tile->high)) & (*weights > zero);
  const four value = *stored * tile->scale + tile->offset;
  const four weight = (four)((four_bits)*weights & valid);
  const four difference = (four)((four_bits)(value - first) & valid);
  const four product = difference * weight;
  lanes->count += weight;
  lanes->sum += (four)((four_bits)value & valid) * weight;
  lanes->deviation += product;
  lanes->square += difference * product;
  const four_bits lower = valid & (value < lanes->minimum), higher = valid & (value > lanes->maximum);
  replace_lanes(&lanes->minimum, &value, &lower);
  replace_lanes(&lanes->maximum, &value, &higher);
}

INLINE double sum_lanes(const four *lanes) {
  return ((*lanes)[0] + (*lanes)[2]) + ((*lanes)[1] + (*lanes)[3]);
}

INLINE void finish(const struct lanes *lanes, struct plumb_zonal_sums *sums) {
  sums->count += sum_lanes(&lanes->count);
  sums->sum += sum_lanes(&lanes->sum);
  sums->deviation += sum_lanes(&lanes->deviation);
  sums->square += sum_lanes(&lanes->square);
  for (int i = 0; i < 4; i++) {
    if (lanes->minimum[i] < sums->minimum) sums->minimum = lanes->minimum[i];
    if (lanes->maximum[i] > sums->maximum) sums->maximum = lanes->maximum[i];
  }
}

// Returns the number of a run's cells that are in the tile; 0 or less if there are none. Sets `start` to the first
// of their columns, counted from the tile's first column.
INLINE long clip(
    const struct plumb_zonal_tile *tile, const struct plumb_zonal_run *run, long *start) {
  const long first = run->start - (long)tile->column, end = run->end - (long)tile->column;
  *start = first > 0 ? first : 0;
  return (end < tile->width ? end : tile->width) - *start;
}

INLINE int has_column(const struct plumb_zonal_tile *tile, const struct plumb_zonal_cell *cell) {
  return (uint32_t)cell->column - (uint32_t)tile->column < (uint32_t)tile->width;
}

#define DEFINE_ADD(TYPE, NAME)                                                                     \
  INLINE const TYPE *row_##NAME(const struct plumb_zonal_tile *tile, int32_t row) {                \
    return (const TYPE *)tile->values + (row - (long)tile->row) * tile->stride;                    \
  }                                                                                                \
                                                                                                   \
  INLINE TYPE cell_##NAME(                                                                         \
      const struct plumb_zonal_tile *tile, const struct plumb_zonal_cell *cell) {                  \
    return row_##NAME(tile, cell->row)[cell->column - (long)tile->column];                         \
  }                                                                                                \
                                                                                                   \
  INLINE int is_valid_##NAME(const struct plumb_zonal_tile *tile, TYPE value) {                    \
    return (value < tile->low) | (value > tile->high);                                             \
  }                                                                                                \
                                                                                                   \
  /* Sets the first value of an area, unless it is known. */                                       \
  static void find_first_##NAME(                                                                   \
      const struct plumb_zonal_tile *tile, struct plumb_zonal_sums *sums) {                        \
    for (long r = 0; r < tile->run_count; r++) {                                                   \
      long start;                                                                                  \
      const long count = clip(tile, &tile->runs[r], &start);                                       \
      if (count <= 0) continue;                                                                    \
      const TYPE *values = row_##NAME(tile, tile->runs[r].row) + start;                            \
      long i = 0;                                                                                  \
      while (i < count && !is_valid_##NAME(tile, values[i])) i++;                                  \
      if (i == count) continue;                                                                    \
      sums->first = values[i] * tile->scale + tile->offset;                                        \
      return;                                                                                      \
    }                                                                                              \
    for (long c = 0; c < tile->cell_count; c++) {                                                  \
      if (!has_column(tile, &tile->cells[c])) continue;                                            \
      const TYPE value = cell_##NAME(tile, &tile->cells[c]);                                       \
      if (!is_valid_##NAME(tile, value)) continue;                                                 \
      sums->first = value * tile->scale + tile->offset;                                            \
      return;                                                                                      \
    }                                                                                              \
  }                                                                                                \
                                                                                                   \
  PLUMB_CLONES                                                                                     \
  void plumb_zonal_add_##NAME(                                                                     \
      const struct plumb_zonal_tile *tile, struct plumb_zonal_sums *sums) {                        \
    typedef TYPE block __attribute__((vector_size(4 * sizeof(TYPE))));                             \
    if (isnan(sums->first)) find_first_##NAME(tile, sums);                                         \
    const double first = sums->first;                                                              \
    struct lanes lanes = {                                                                         \
        .minimum = {INFINITY, INFINITY, INFINITY, INFINITY},                                       \
        .maximum = {-INFINITY, -INFINITY, -INFINITY, -INFINITY}};                                  \
    const four ones = {1, 1, 1, 1};                                                                \
    long covered = 0;                                                                              \
    for (long r = 0; r < tile->run_count; r++) {                                                   \
      long start;                                                                                  \
      const long count = clip(tile, &tile->runs[r], &start);                                       \
      if (count <= 0) continue;                                                                    \
      covered += count;                                                                            \
      const TYPE *values = row_##NAME(tile, tile->runs[r].row) + start;                            \
      long i = 0;                                                                                  \
      for (; i + 4 <= count; i += 4) {                                                             \
        block loaded;                                                                              \
        memcpy(&loaded, values + i, sizeof loaded);                                                \
        const four stored = __builtin_convertvector(loaded, four);                                 \
        add_four(tile, &stored, &ones, first, &lanes);                                             \
      }                                                                                            \
      if (i < count) {                                                                             \
        const long last = count - 1;                                                               \
        const four stored = {                                                                      \
            values[i], values[i + 1 < last ? i + 1 : last], values[last], values[last]};           \
        const four weights = {1, i + 1 < count, i + 2 < count, 0};                                 \
        add_four(tile, &stored, &weights, first, &lanes);                                          \
      }                                                                                            \
    }                                                                                              \
    sums->coverage += (double)covered;                                                             \
    four coverage = {0, 0, 0, 0};                                                                  \
    for (long c = 0; c < tile->cell_count; c += 4) {                                               \
      const struct plumb_zonal_cell *cells = tile->cells + c;                                      \
      const long rest = tile->cell_count - c;                                                      \
      if (rest >= 4 && has_column(tile, &cells[0]) && has_column(tile, &cells[1]) &&               \
          has_column(tile, &cells[2]) && has_column(tile, &cells[3])) {                            \
        const four stored = {                                                                      \
            cell_##NAME(tile, &cells[0]), cell_##NAME(tile, &cells[1]),                            \
            cell_##NAME(tile, &cells[2]), cell_##NAME(tile, &cells[3])};                           \
        const four weights = {                                                                     \
            cells[0].fraction, cells[1].fraction, cells[2].fraction, cells[3].fraction};           \
        coverage += weights;                                                                       \
        add_four(tile, &stored, &weights, first, &lanes);                                          \
        continue;                                                                                  \
      }                                                                                            \
      for (long i = 0; i < 4 && i < rest; i++) {                                                   \
        if (!has_column(tile, &cells[i])) continue;                                                \
        const double value = cell_##NAME(tile, &cells[i]);                                         \
        const four stored = {value, value, value, value};                                          \
        const four weights = {cells[i].fraction, 0, 0, 0};                                         \
        coverage += weights;                                                                       \
        add_four(tile, &stored, &weights, first, &lanes);                                          \
      }                                                                                            \
    }                                                                                              \
    sums->coverage += sum_lanes(&coverage);                                                        \
    finish(&lanes, sums);                                                                          \
  }

DEFINE_ADD(uint8_t, uint8)
DEFINE_ADD(int8_t, int8)
DEFINE_ADD(uint16_t, uint16)
DEFINE_ADD(int16_t, int16)
DEFINE_ADD(uint32_t, uint32)
DEFINE_ADD(int32_t, int32)
DEFINE_ADD(float, float32)
DEFINE_ADD(double, float64)
