#include <string.h>

#include "CKernels.h"

// TIFF's LZW has codes of 9 to 12 bits, with the highest bit first; the width grows one code early.
// The table contains strings of up to eight bytes, which are written without reading the output;
// for longer strings, all of which have been written before, it contains their position in the
// output.

enum { LZW_CLEAR = 256, LZW_END = 257, LZW_FIRST = 258, LZW_TABLE = 4096, LZW_SHORT = 8 };

struct plumb_lzw_table {
  // The bytes of a short string, with the first byte lowest, or the position of a long string.
  uint64_t string[LZW_TABLE];
  uint16_t length[LZW_TABLE];
};

size_t plumb_lzw_table_size(void) { return sizeof(struct plumb_lzw_table); }

void plumb_lzw_table_prepare(struct plumb_lzw_table *table) {
  memset(table, 0, sizeof *table);
  for (int i = 0; i < 256; i++) {
    table->string[i] = (uint64_t)i;
    table->length[i] = 1;
  }
}

static uint64_t load_big_endian(const uint8_t *from) {
  uint64_t value;
  memcpy(&value, from, sizeof value);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  value = __builtin_bswap64(value);
#endif
  return value;
}

// Writes the lowest byte of a short string first, regardless of the machine's byte order.
static void store_short(uint8_t *to, uint64_t string) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  string = __builtin_bswap64(string);
#endif
  memcpy(to, &string, sizeof string);
}

typedef struct {
  const uint8_t *input;
  size_t count;
  uint8_t *output;
  size_t wanted;
  struct plumb_lzw_table *table;
  // The next bits, with the first bit highest, and the number of valid bits.
  uint64_t bits;
  unsigned available, width;
  size_t in, out;
  uint32_t next;
  // The previous string: its position, its length (0 after a clear code) and, if it is short, its bytes.
  size_t before;
  uint32_t before_length;
  uint64_t before_string;
  int is_clear;
} lzw_state;

// Adds an entry that consists of the previous string and a byte.
static void lzw_add(lzw_state *s, uint64_t first) {
  s->table->string[s->next] = s->before_length < LZW_SHORT
      ? s->before_string | first << (8 * s->before_length)
      : s->before;
  s->table->length[s->next] = (uint16_t)(s->before_length + 1);
}

static void lzw_advance(lzw_state *s) {
  s->next++;
  if (s->next > (1u << s->width) - 2 && s->width < 12) s->width++;
}

// Decodes one code with all checks; returns 0 if the code is invalid.
static int lzw_step(lzw_state *s) {
  while (s->available <= 56 && s->in < s->count) {
    s->bits |= (uint64_t)s->input[s->in++] << (56 - s->available);
    s->available += 8;
  }
  if (s->available < s->width) return 0;
  const uint32_t code = (uint32_t)(s->bits >> (64 - s->width));
  s->bits <<= s->width;
  s->available -= s->width;
  if (code == LZW_CLEAR) {
    s->next = LZW_FIRST;
    s->width = 9;
    s->before_length = 0;
    s->is_clear = 1;
    return 1;
  }
  if (!s->is_clear || code == LZW_END) return 0;
  const struct plumb_lzw_table *table = s->table;
  if (s->before_length == 0) {
    if (code > 255) return 0;
  } else {
    if (code > s->next || s->next >= LZW_TABLE) return 0;
    // If `code` is the entry that is being added, its string begins with the first byte of the
    // previous string.
    uint64_t first = s->output[s->before];
    if (code < s->next) {
      const uint64_t string = table->string[code];
      first = table->length[code] <= LZW_SHORT ? string & 255 : s->output[string];
    }
    lzw_add(s, first);
  }
  const size_t available = s->wanted - s->out;
  const uint64_t string = table->string[code];
  const uint32_t length = table->length[code];
  const size_t copied = length < available ? length : available;
  uint8_t *to = s->output + s->out;
  for (size_t i = 0; i < copied; i++) {
    to[i] = length <= LZW_SHORT ? (uint8_t)(string >> (8 * i)) : s->output[string + i];
  }
  if (s->before_length != 0) lzw_advance(s);
  s->before = s->out;
  s->before_length = length;
  s->before_string = string;
  s->out += copied;
  return 1;
}

enum { LZW_ROUND = 4, LZW_MARGIN = LZW_ROUND * LZW_SHORT + 16 };

// Decodes codes as long as the ends of the input and of the output are not near and no special case
// occurs.
static void lzw_run(lzw_state *state) {
  lzw_state s = *state;
  uint64_t *const strings = s.table->string;
  uint16_t *const lengths = s.table->length;
  uint32_t limit = s.width < 12 ? (1u << s.width) - 2 : LZW_TABLE - 1;
  while (s.before_length != 0 && s.in + 8 <= s.count && s.wanted - s.out >= LZW_MARGIN) {
    // At most four codes of twelve bits are taken from the 56 bits.
    s.bits |= load_big_endian(s.input + s.in) >> s.available;
    s.in += (63 - s.available) >> 3;
    s.available |= 56;
    for (int k = 0; k < LZW_ROUND; k++) {
      const uint32_t code = (uint32_t)(s.bits >> (64 - s.width));
      if (code >= s.next || code - LZW_CLEAR <= 1 || s.next >= LZW_TABLE) goto unusual;
      const uint64_t string = strings[code];
      const uint32_t length = lengths[code];
      uint64_t first = string & 255;
      if (length <= LZW_SHORT) {
        store_short(s.output + s.out, string);
      } else {
        if (length + LZW_MARGIN > s.wanted - s.out) goto unusual;
        const uint8_t *from = s.output + string;
        uint8_t *to = s.output + s.out;
        first = from[0];
        for (uint32_t done = 0; done < length; done += 16) {
          uint8_t block[16];
          memcpy(block, from + done, 16);
          memcpy(to + done, block, 16);
        }
      }
      strings[s.next] = s.before_length < LZW_SHORT
          ? s.before_string | first << (8 * s.before_length)
          : s.before;
      lengths[s.next] = (uint16_t)(s.before_length + 1);
      s.bits <<= s.width;
      s.available -= s.width;
      s.before = s.out;
      s.before_length = length;
      s.before_string = string;
      s.out += length;
      if (++s.next > limit && s.width < 12) {
        s.width++;
        limit = s.width < 12 ? (1u << s.width) - 2 : LZW_TABLE - 1;
      }
    }
  }
unusual:
  *state = s;
}

int plumb_decode_lzw(
    const uint8_t *input, size_t count, uint8_t *output, size_t wanted,
    struct plumb_lzw_table *table) {
  // Streams of the oldest writers have the reverse bit order, which is not supported.
  if (count >= 2 && input[0] == 0 && (input[1] & 1)) return 0;
  lzw_state state = {
      .input = input, .count = count, .output = output, .wanted = wanted, .table = table,
      .width = 9, .next = LZW_FIRST};
  while (state.out < wanted) {
    lzw_run(&state);
    if (!lzw_step(&state)) return 0;
  }
  return 1;
}

int plumb_decode_packbits(const uint8_t *input, size_t count, uint8_t *output, size_t wanted) {
  size_t in = 0, out = 0;
  while (out < wanted) {
    if (in >= count) return 0;
    const int8_t head = (int8_t)input[in++];
    if (head == -128) continue;
    const size_t available = wanted - out;
    if (head < 0) {
      const size_t length = (size_t)(1 - head);
      if (in >= count) return 0;
      memset(output + out, input[in++], length < available ? length : available);
      out += length;
    } else {
      const size_t length = (size_t)head + 1;
      const size_t copied = length < available ? length : available;
      if (copied > count - in) return 0;
      memcpy(output + out, input + in, copied);
      in += copied;
      out += length;
    }
  }
  return 1;
}
