// Tiles for the decoders of Sources/CKernels, and text for its readers. Each tile is encoded here,
// decoded and compared, and then decoded again with some of its bytes changed or its end truncated.
// Every buffer has the exact size, so that a sanitizer detects any byte read or written beyond
// it.
//
// usage: fuzz TILES [SEED]

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CKernels.h"

static uint64_t state;

static uint64_t next_random(void) {
  // SplitMix64.
  uint64_t z = (state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

static size_t below(size_t limit) { return (size_t)(next_random() % limit); }

static void fail(const char *what, size_t tile) {
  fprintf(stderr, "tile %zu: %s\n", tile, what);
  exit(1);
}

static uint8_t *copy(const uint8_t *bytes, size_t count) {
  uint8_t *result = malloc(count ? count : 1);
  if (count) memcpy(result, bytes, count);
  return result;
}

// Bytes with runs, of few or of many values.
static void fill(uint8_t *bytes, size_t count) {
  const size_t values = 1 + below(256), run = 1 + below(40);
  for (size_t i = 0; i < count;) {
    const uint8_t value = (uint8_t)below(values);
    for (size_t left = 1 + below(run); left > 0 && i < count; left--) bytes[i++] = value;
  }
}

static size_t encode_packbits(const uint8_t *bytes, size_t count, uint8_t *out) {
  size_t used = 0;
  for (size_t i = 0; i < count;) {
    size_t run = 1;
    while (run < 128 && i + run < count && bytes[i + run] == bytes[i]) run++;
    if (below(30) == 0) out[used++] = 0x80;
    if (run > 1) {
      out[used++] = (uint8_t)(1 - (int)run);
      out[used++] = bytes[i];
      i += run;
    } else {
      size_t length = 1 + below(128);
      if (length > count - i) length = count - i;
      out[used++] = (uint8_t)(length - 1);
      memcpy(out + used, bytes + i, length);
      used += length;
      i += length;
    }
  }
  return used;
}

typedef struct {
  uint8_t *out;
  size_t used;
  uint64_t bits;
  unsigned count;
} bit_writer;

static void put(bit_writer *writer, uint32_t code, unsigned width) {
  writer->bits = writer->bits << width | code;
  writer->count += width;
  while (writer->count >= 8) {
    writer->count -= 8;
    writer->out[writer->used++] = (uint8_t)(writer->bits >> writer->count);
  }
}

static size_t encode_lzw(const uint8_t *bytes, size_t count, uint8_t *out) {
  static uint16_t children[4096][256];
  memset(children, 0, sizeof children);
  bit_writer writer = {out, 0, 0, 0};
  unsigned width = 9;
  uint32_t free_code = 258;
  // An encoder writes a clear code at the end of the table, or earlier.
  const uint32_t full = below(4) ? 4094 : 300 + (uint32_t)below(3700);
  put(&writer, 256, width);
  for (size_t i = 0; i < count;) {
    uint32_t code = bytes[i++];
    while (i < count && children[code][bytes[i]]) code = children[code][bytes[i++]];
    put(&writer, code, width);
    if (i >= count) break;
    children[code][bytes[i]] = (uint16_t)free_code++;
    if (free_code > (1u << width) - 1) width++;
    if (free_code >= full) {
      put(&writer, 256, width);
      memset(children, 0, sizeof children);
      free_code = 258;
      width = 9;
    }
  }
  // The entry that a decoder adds for the last code may increase the width of the next code.
  if (free_code + 1 > (1u << width) - 1 && width < 12) width++;
  put(&writer, 257, width);
  if (writer.count) put(&writer, 0, 8 - writer.count);
  return writer.used;
}

typedef int (*decoder)(const uint8_t *, size_t, uint8_t *, size_t, struct plumb_lzw_table *);

static int unpack(
    const uint8_t *input, size_t count, uint8_t *output, size_t wanted,
    struct plumb_lzw_table *table) {
  (void)table;
  return plumb_decode_packbits(input, count, output, wanted);
}

static void try_stream(
    size_t tile, decoder decode, const uint8_t *stream, size_t used, const uint8_t *bytes,
    size_t count, struct plumb_lzw_table *table) {
  const size_t wanted = below(3) ? count : below(count + 1);
  uint8_t *input = copy(stream, used), *output = malloc(wanted ? wanted : 1);
  if (!decode(input, used, output, wanted, table)) fail("a whole stream is refused", tile);
  if (memcmp(output, bytes, wanted)) fail("other bytes than were encoded", tile);
  for (size_t changes = 1 + below(4); changes > 0 && used > 0; changes--) {
    input[below(used)] = (uint8_t)next_random();
  }
  const size_t kept = below(4) ? used : below(used + 1);
  uint8_t *cut = copy(input, kept);
  (void)decode(cut, kept, output, wanted, table);
  free(cut);
  free(input);
  free(output);
}

static uint64_t number(const uint8_t *bytes, size_t size) {
  uint64_t value = 0;
  memcpy(&value, bytes, size);
  return value;
}

// Each predictor undone cell by cell, following TIFF's specification and its Technical Note 3.
static void try_predictors(size_t tile) {
  static const size_t sizes[] = {1, 2, 4, 8};
  const size_t size = sizes[below(4)], samples = 1 + below(below(3) ? 4 : 20);
  const size_t columns = 1 + below(70), count = size * samples * columns;
  uint8_t *row = malloc(count), *expected = malloc(count), *out = malloc(count);
  fill(row, count);
  memcpy(expected, row, count);
  for (size_t i = samples; i < samples * columns; i++) {
    const uint64_t sum = number(expected + i * size, size) +
                         number(expected + (i - samples) * size, size);
    memcpy(expected + i * size, &sum, size);
  }
  const size_t cells = below(3) ? columns : below(columns + 1);
  uint8_t *part = copy(row, cells * samples * size);
  plumb_undo_differences(part, cells * samples * size, size, samples);
  if (memcmp(part, expected, cells * samples * size)) fail("differences", tile);
  free(part);
  if (size >= 4) {
    memcpy(expected, row, count);
    for (size_t i = samples; i < count; i++) expected[i] += expected[i - samples];
    const size_t numbers = columns * samples, wanted = cells * samples;
    uint8_t *result = malloc(wanted ? wanted * size : 1);
    plumb_undo_float_differences(row, count, size, samples, result, wanted);
    for (size_t i = 0; i < wanted; i++) {
      for (size_t k = 0; k < size; k++) {
        if (result[i * size + size - 1 - k] != expected[k * numbers + i]) fail("floats", tile);
      }
    }
    free(result);
  }
  if (size > 1) {
    fill(out, count);
    memcpy(expected, out, count);
    plumb_swap_bytes(out, count, size);
    for (size_t i = 0; i < count; i++) {
      if (out[i] != expected[i / size * size + size - 1 - i % size]) fail("byte order", tile);
    }
  }
  free(row);
  free(expected);
  free(out);
}

// Numbers are compared with the C library's results, and separators with a check of each byte.
static void try_text(size_t tile) {
  static const char digits[] = "0123456789012345678901234567890123456789.-+ e,";
  const size_t length = 1 + below(below(4) ? 22 : 300);
  char *text = malloc(length + 1);
  for (size_t i = 0; i < length; i++) text[i] = digits[below(sizeof digits - 1)];
  text[length] = 0;
  uint8_t *bytes = copy((const uint8_t *)text, length);
  double value;
  if (plumb_parse_decimal(bytes, length, &value)) {
    char *end;
    const double expected = strtod(text, &end);
    if (end != text + length || memcmp(&value, &expected, sizeof value) != 0)
      fail("a number is another one", tile);
  }
  uint32_t *positions = malloc(length * sizeof *positions);
  const size_t found = plumb_find_either(bytes, length, ',', '.', positions);
  size_t expected = 0;
  for (size_t i = 0; i < length; i++) {
    if (bytes[i] != ',' && bytes[i] != '.') continue;
    if (expected == found || positions[expected++] != i) fail("a separator is missed", tile);
  }
  if (expected != found) fail("a separator is made up", tile);
  size_t points = 0;
  for (size_t i = 0; i < length; i++) points += bytes[i] == '.';
  if (plumb_count_byte(bytes, length, '.') != points) fail("a count is wrong", tile);
  free(positions);
  free(bytes);
  free(text);
}

// Sums of the cells of an area in a tile, one cell at a time.
static void add_cell(
    struct plumb_zonal_sums *sums, const struct plumb_zonal_tile *tile, long row, long column,
    double fraction) {
  if (column < tile->column || column >= tile->column + tile->width) return;
  sums->coverage += fraction;
  const float stored =
      ((const float *)tile->values)[(row - tile->row) * tile->stride + column - tile->column];
  if (isnan(stored) || (stored >= tile->low && stored <= tile->high)) return;
  const double value = stored * tile->scale + tile->offset;
  sums->count += fraction;
  sums->sum += value * fraction;
  sums->minimum = fmin(sums->minimum, value);
  sums->maximum = fmax(sums->maximum, value);
}

static int is_near(double a, double b) { return fabs(a - b) < 1e-9 * fmax(1, fabs(b)); }

// Adds random runs and cells, some of them outside of the tile's columns.
static void try_zonal(size_t number) {
  const int32_t stride = 1 + (int32_t)below(20), height = 1 + (int32_t)below(6);
  const int32_t column = (int32_t)below(50), row = (int32_t)below(50);
  const size_t size = (size_t)stride * (size_t)height, runs = below(6), cells = below(9);
  // The memory has the exact size of the tile, the runs and the cells.
  float *values = malloc(size * sizeof *values);
  struct plumb_zonal_run *run = malloc(runs * sizeof *run + 1);
  struct plumb_zonal_cell *cell = malloc(cells * sizeof *cell + 1);
  for (size_t i = 0; i < size; i++) {
    values[i] = below(8) == 0 ? NAN : below(7) == 0 ? -9 : (float)below(100) - 50;
  }
  for (size_t i = 0; i < runs; i++) {
    const int32_t start = column - 5 + (int32_t)below((size_t)stride + 10);
    run[i] = (struct plumb_zonal_run){
        row + (int32_t)below((size_t)height), start, start + (int32_t)below(25)};
  }
  for (size_t i = 0; i < cells; i++) {
    cell[i] = (struct plumb_zonal_cell){
        row + (int32_t)below((size_t)height), column - 3 + (int32_t)below((size_t)stride + 6),
        (double)(1 + below(9)) / 10};
  }
  const struct plumb_zonal_tile tile = {
      .values = values, .column = column, .row = row, .stride = stride,
      .width = 1 + (int32_t)below((size_t)stride), .runs = run, .run_count = (int64_t)runs,
      .cells = cell, .cell_count = (int64_t)cells, .low = -9, .high = -9, .scale = 0.5, .offset = 3};
  struct plumb_zonal_sums wanted = {.minimum = INFINITY, .maximum = -INFINITY};
  for (size_t i = 0; i < runs; i++) {
    for (int32_t c = run[i].start; c < run[i].end; c++) add_cell(&wanted, &tile, run[i].row, c, 1);
  }
  for (size_t i = 0; i < cells; i++) {
    add_cell(&wanted, &tile, cell[i].row, cell[i].column, cell[i].fraction);
  }
  struct plumb_zonal_sums sums = {.minimum = INFINITY, .maximum = -INFINITY, .first = NAN};
  plumb_zonal_add_float32(&tile, &sums);
  if (!is_near(sums.count, wanted.count) || !is_near(sums.coverage, wanted.coverage) ||
      !is_near(sums.sum, wanted.sum) || sums.minimum != wanted.minimum ||
      sums.maximum != wanted.maximum || isnan(sums.first) != (wanted.count == 0) ||
      (wanted.count > 0 &&
       !is_near(sums.first * sums.count + sums.deviation, wanted.sum))) {
    fail("sums of an area", number);
  }
  free(values);
  free(run);
  free(cell);
}

int main(int argc, char **argv) {
  const size_t tiles = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000;
  state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  struct plumb_lzw_table *table = malloc(plumb_lzw_table_size());
  plumb_lzw_table_prepare(table);
  for (size_t tile = 0; tile < tiles; tile++) {
    const size_t count = 1 + below(below(20) ? 600 : 20000);
    uint8_t *bytes = malloc(count), *stream = malloc(3 * count + 64);
    fill(bytes, count);
    if (below(2)) {
      const size_t used = encode_lzw(bytes, count, stream);
      try_stream(tile, plumb_decode_lzw, stream, used, bytes, count, table);
    } else {
      const size_t used = encode_packbits(bytes, count, stream);
      try_stream(tile, unpack, stream, used, bytes, count, table);
    }
    try_predictors(tile);
    try_text(tile);
    try_zonal(tile);
    free(bytes);
    free(stream);
  }
  free(table);
  printf("%zu tiles decoded, and decoded again after changes: no access was out of bounds\n",
         tiles);
  return 0;
}
