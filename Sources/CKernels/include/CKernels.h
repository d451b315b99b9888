#ifndef PLUMB_CKERNELS_H
#define PLUMB_CKERNELS_H

#include <stdint.h>

// Truncation without Swift's traps. The caller has tested the range: the result for a value outside
// Int32, or NaN, is unspecified.
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

// Cells along one axis of a grid: cell k owns the values from origin + k * step up to, and without,
// origin + (k + 1) * step. -1 where there is none, and for NaN. In C because Swift has no way to
// compile one loop for several instruction sets and choose when the program starts.
//
// The reciprocal may miss by one cell near a border; comparing with the edges puts that right.
void plumb_locate_axis(
    const double *values, long count, double origin, double step, int32_t cells, int32_t *result);

// Which points lie in a closed box: writes their indices to `hits`, ascending, and returns how many.
long plumb_points_in_box(
    const double *x, const double *y, long count, double x_min, double y_min, double x_max,
    double y_max, int32_t *hits);

enum {
  PLUMB_RING_ODD = 1,       // an odd number of edges cross the ray from the point towards positive x
  PLUMB_RING_BOUNDARY = 2,  // the point is a vertex, or on a horizontal edge
  PLUMB_RING_UNSURE = 4,     // an edge passes so near that its side needs exact arithmetic
};

// Counts the edges from vertex i to vertex i + 1, i in 0..<edges, that cross the ray from a point
// towards positive x: those with one end above the point and one not above. All numbers are finite.
int plumb_ring_crossings(
    const double *x, const double *y, long edges, double point_x, double point_y);

#endif
