#ifndef PLUMB_CKERNELS_H
#define PLUMB_CKERNELS_H

#include <stddef.h>
#include <stdint.h>

// Truncates without Swift's traps. The caller must check the range, because the result for NaN or a
// value outside Int32 is unspecified.
static inline int32_t plumb_truncate(double value) {
  return (int32_t)value;
}

// Prefetches the cache line at an address that will be read soon.
static inline void plumb_prefetch(const void *address) {
  __builtin_prefetch(address, 0, 0);
}

// Starts writing bytes of a file to disk, without waiting until they are written. The call may
// still block if the disk is busy. Does nothing on systems without such a call. On Linux, the call
// is a GNU extension, which Swift does not import.
void plumb_start_writing(int file, int64_t start, int64_t count);

// Writes the positions of bytes equal to `a` or `b`, ascending, and returns their number.
// `positions` has space for one position per byte of the text, which has at most 2^32 bytes.
size_t plumb_find_either(
    const uint8_t *text, size_t length, uint8_t a, uint8_t b, uint32_t *positions);

// Returns the number of bytes of `text` that are equal to `wanted`.
size_t plumb_count_byte(const uint8_t *text, size_t length, uint8_t wanted);

// Parses a decimal number that fills all bytes; there must be at least one byte. The number
// consists of an optional sign and of digits with at most one point. Returns 0, and leaves the
// value unchanged, if the number has another form, or too many digits for one correctly rounded
// division of two doubles.
static inline int plumb_parse_decimal(const uint8_t *text, size_t length, double *value) {
  // All of these powers are exact.
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

// Finds cells along one axis of a grid: cell k contains the values from origin + k * step up to,
// but not including, origin + (k + 1) * step. The result is -1 outside the grid and for NaN. The
// function is written in C, because Swift cannot compile a loop for several instruction sets and
// select one when the program starts.
//
// The position computed with the reciprocal may be off by one cell near an edge; a comparison with
// the edges corrects the cell.
void plumb_locate_axis(
    const double *values, long count, double origin, double step, int32_t cells, int32_t *result);

// Splits cells of a grid into tiles and cells within tiles, both numbered row by row. A negative
// column or row results in the tile `nowhere` and the cell 0. Returns the number of such cells. The
// count is at most 2^31 - 1, and a tile has fewer than 2^32 cells.
long plumb_split_cells(
    const int32_t *columns, const int32_t *rows, long count, int32_t tile_width,
    int32_t tile_height, uint32_t tiles_across, uint32_t nowhere, uint32_t *tiles,
    uint32_t *offsets);

// Finds the points in a closed box: writes their indices to `hits`, ascending, and returns their number.
long plumb_points_in_box(
    const double *x, const double *y, long count, double x_min, double y_min, double x_max,
    double y_max, int32_t *hits);

enum {
  PLUMB_RING_ODD = 1,       // an odd number of edges cross the ray from the point towards positive x
  PLUMB_RING_BOUNDARY = 2,  // the point is a vertex, or on a horizontal edge
  PLUMB_RING_UNSURE = 4,     // an edge passes so near that its side needs exact arithmetic
};

// Counts the edges from vertex i to vertex i + 1, i in 0..<edges, that cross the ray from a point
// towards positive x: the edges with one end above the point and the other end not above it. All
// numbers are finite.
int plumb_ring_crossings(
    const double *x, const double *y, long edges, double point_x, double point_y);

// Undoes TIFF's predictor 2 in a row: each number becomes the sum of itself and all numbers of the same
// sample before it. Numbers have this machine's byte order.
//
// count: bytes of the row, or of its first cells. size: bytes of a number, 1, 2, 4 or 8. samples: numbers per
// cell, at least 1.
void plumb_undo_differences(void *row, size_t count, size_t size, size_t samples);

// Undoes TIFF's predictor 3 in a row: sums the bytes, then joins the planes of bytes to numbers.
// The highest plane is first, regardless of the file's byte order.
//
// row: the row's count bytes, which are overwritten. size: 4 or 8. out: receives the first `wanted` numbers,
// at most count / size.
void plumb_undo_float_differences(
    uint8_t *row, size_t count, size_t size, size_t samples, uint8_t *out, size_t wanted);

// Reverses the bytes of each number of size 2, 4 or 8.
void plumb_swap_bytes(void *memory, size_t count, size_t size);

// The strings of an LZW stream. The table needs plumb_lzw_table_size() bytes of memory. It is
// prepared once, and can be reused for any number of streams, one at a time.
struct plumb_lzw_table;
size_t plumb_lzw_table_size(void);
void plumb_lzw_table_prepare(struct plumb_lzw_table *table);

// Decodes the first `wanted` bytes of a stream; returns 0 if the stream is invalid, too short, or of a rare
// kind that is left to libtiff. Writes nothing beyond output[wanted - 1].
int plumb_decode_lzw(
    const uint8_t *input, size_t count, uint8_t *output, size_t wanted,
    struct plumb_lzw_table *table);
int plumb_decode_packbits(const uint8_t *input, size_t count, uint8_t *output, size_t wanted);

// Consecutive cells of a row that an area covers completely: columns start to end - 1.
struct plumb_zonal_run {
  int32_t row, start, end;
};

// A cell that an area covers partially.
struct plumb_zonal_cell {
  int32_t row, column;
  double fraction;
};

// A tile, and the part of an area in the tile's rows. Rows and columns are those of the grid.
struct plumb_zonal_tile {
  const void *values;                    // the value of the tile's first cell; cells are consecutive
  int32_t column, row, width;            // the first cell of the tile, and the columns that are in the grid
  int64_t stride;                        // cells from a row of the tile to the next
  const struct plumb_zonal_run *runs;    // may extend beyond the tile's columns, as the cells
  int64_t run_count;
  const struct plumb_zonal_cell *cells;
  int64_t cell_count;
  double low, high;                      // values from low to high, and NaN, are not valid
  double scale, offset;                  // a value is the stored value times scale plus offset
};

// Sums of the values of an area, weighted by the covered fractions. Deviations and squares are those of the
// differences from the first value, which is NaN before a value is added. Extremes begin with infinities.
struct plumb_zonal_sums {
  double count, coverage, sum, minimum, maximum, first, deviation, square;
};

// Adds the cells of an area in one tile. The result is the same for all instruction sets.
void plumb_zonal_add_uint8(const struct plumb_zonal_tile *tile, struct plumb_zonal_sums *sums);
void plumb_zonal_add_int8(const struct plumb_zonal_tile *tile, struct plumb_zonal_sums *sums);
void plumb_zonal_add_uint16(const struct plumb_zonal_tile *tile, struct plumb_zonal_sums *sums);
void plumb_zonal_add_int16(const struct plumb_zonal_tile *tile, struct plumb_zonal_sums *sums);
void plumb_zonal_add_uint32(const struct plumb_zonal_tile *tile, struct plumb_zonal_sums *sums);
void plumb_zonal_add_int32(const struct plumb_zonal_tile *tile, struct plumb_zonal_sums *sums);
void plumb_zonal_add_float32(const struct plumb_zonal_tile *tile, struct plumb_zonal_sums *sums);
void plumb_zonal_add_float64(const struct plumb_zonal_tile *tile, struct plumb_zonal_sums *sums);

#endif
