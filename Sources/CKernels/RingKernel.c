#include <math.h>

#include "CKernels.h"
#include "Clones.h"

// The bound below assumes a rounded product and a rounded difference.
#pragma STDC FP_CONTRACT OFF

long plumb_points_in_box(
    const double *restrict x, const double *restrict y, long count, double x_min, double y_min,
    double x_max, double y_max, int32_t *restrict hits) {
  long found = 0;
  // The loop is branch-free, because it is hard to predict whether a point is in the box.
  for (long i = 0; i < count; i++) {
    hits[found] = (int32_t)i;
    found += (x[i] >= x_min) & (x[i] <= x_max) & (y[i] >= y_min) & (y[i] <= y_max);
  }
  return found;
}

// The signs of the differences are exact, so only the sign of the determinant can be uncertain.
// This sign is the side of the edge on which the point is. The error of the determinant is less
// than (3 + 16e)e times the sum of the products' magnitudes, where e = 2^-53 (Shewchuk, "Adaptive
// precision floating-point arithmetic and fast robust geometric predicates", 1997). The second term
// of the bound is for products that underflow; an overflow makes the bound infinite.
PLUMB_CLONES
int plumb_ring_crossings(
    const double *restrict x, const double *restrict y, long edges, double point_x,
    double point_y) {
  int64_t odd = 0, boundary = 0, unsure = 0;
  for (long i = 0; i < edges; i++) {
    const double ax = x[i] - point_x, ay = y[i] - point_y;
    const double bx = x[i + 1] - point_x, by = y[i + 1] - point_y;
    const int64_t straddles = (ay > 0) != (by > 0);
    const double left = ax * by, right = ay * bx;
    const double side = left - right;
    const double bound = 3.3306690738754716e-16 * (fabs(left) + fabs(right)) + 1e-290;
    odd ^= straddles & ((side > 0) == (by > 0));
    unsure |= straddles & !(fabs(side) > bound);
    boundary |= (ay == 0) & ((ax == 0) | ((by == 0) & ((ax > 0) != (bx > 0))));
  }
  return (int)(odd * PLUMB_RING_ODD | boundary * PLUMB_RING_BOUNDARY | unsure * PLUMB_RING_UNSURE);
}
