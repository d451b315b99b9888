#ifndef PLUMB_CKERNELS_H
#define PLUMB_CKERNELS_H

#include <stddef.h>
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

// Starts to write bytes of a file to the disk, and does not wait until they are there; but it may wait
// for a disk that is busy. Does nothing where the system has no such call. Linux's is one of GNU's own,
// which Swift does not see.
void plumb_start_writing(int file, int64_t start, int64_t count);

// Writes where bytes of a text are one of two, ascending, and returns how many are. Positions has room
// for one of each byte, at most 2^32 of them.
size_t plumb_find_either(
    const uint8_t *text, size_t length, uint8_t a, uint8_t b, uint32_t *positions);

// Reads a decimal number that fills the bytes, at least one: digits with at most one point among them,
// after at most one sign. Returns 0, and leaves the value alone, where the number is written another
// way, or has more digits than one division of two doubles rounds right.
static inline int plumb_parse_decimal(const uint8_t *text, size_t length, double *value) {
  // Every one of them is a double without an error.
  static const double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                                  1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
  const uint8_t *const end = text + length;
  const int is_negative = *text == '-';
  text += is_negative | (*text == '+');
  // 19 digits fit into 64 bits.
  if (end - text > 19 || end == text) return 0;
  uint64_t digits = 0;
  const uint8_t *const start = text;
  while (text < end && (uint8_t)(*text - '0') <= 9) digits = digits * 10 + (*text++ - '0');
  long fraction = 0;
  if (text < end) {
    if (*text != '.') return 0;
    const uint8_t *const point = ++text;
    while (text < end && (uint8_t)(*text - '0') <= 9) digits = digits * 10 + (*text++ - '0');
    fraction = text - point;
    if (text < end || fraction + (point - start) == 1) return 0;
  }
  if (digits > (uint64_t)1 << 53) return 0;
  const double size = (double)digits / powers[fraction];
  *value = is_negative ? -size : size;
  return 1;
}

// Cells along one axis of a grid: cell k owns the values from origin + k * step up to, and without,
// origin + (k + 1) * step. -1 where there is none, and for NaN. In C because Swift has no way to
// compile one loop for several instruction sets and choose when the program starts.
//
// The reciprocal may miss by one cell near a border; comparing with the edges puts that right.
void plumb_locate_axis(
    const double *values, long count, double origin, double step, int32_t cells, int32_t *result);

// Parts cells of a grid into tiles and cells within these, both counted row by row. A negative column
// or row gives the tile `nowhere` and the cell 0. Returns how many of these there are; count is at
// most 2^31 - 1, and a tile has fewer than 2^32 cells.
long plumb_split_cells(
    const int32_t *columns, const int32_t *rows, long count, int32_t tile_width,
    int32_t tile_height, uint32_t tiles_across, uint32_t nowhere, uint32_t *tiles,
    uint32_t *offsets);

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

// TIFF's predictor 2 undone in a row: each number becomes the sum of itself and of all before it of
// the same sample. Numbers have this machine's byte order.
//
// count: bytes of the row, or of its first cells. size: bytes of a number, 1, 2, 4 or 8. samples:
// numbers of a cell, at least 1.
void plumb_undo_differences(void *row, size_t count, size_t size, size_t samples);

// TIFF's predictor 3 undone in a row: sums of bytes, and then numbers from planes of bytes, the
// highest plane first, whatever the file's byte order.
//
// row: the row's count bytes, which are overwritten. size: 4 or 8. out: gets the first `wanted`
// numbers, at most count / size.
void plumb_undo_float_differences(
    uint8_t *row, size_t count, size_t size, size_t samples, uint8_t *out, size_t wanted);

// Turns round the bytes of each number of size 2, 4 or 8.
void plumb_swap_bytes(void *memory, size_t count, size_t size);

// The strings of an LZW stream. Memory of plumb_lzw_table_size() bytes, prepared once, serves any
// number of streams, one at a time.
struct plumb_lzw_table;
size_t plumb_lzw_table_size(void);
void plumb_lzw_table_prepare(struct plumb_lzw_table *table);

// Decodes the first `wanted` bytes of a stream; 0 when the stream is not one, ends before, or is of
// a rare kind that is left to libtiff. Writes nothing beyond output[wanted - 1].
int plumb_decode_lzw(
    const uint8_t *input, size_t count, uint8_t *output, size_t wanted,
    struct plumb_lzw_table *table);
int plumb_decode_packbits(const uint8_t *input, size_t count, uint8_t *output, size_t wanted);

#endif
