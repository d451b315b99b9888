#ifndef PLUMB_CZLIB_SHIM_H
#define PLUMB_CZLIB_SHIM_H

#include <zlib.h>

// inflateInit2 and deflateInit2 are macros, which Swift cannot call. 15 + 16 selects the largest
// window, and a gzip header and checksum.
static inline int plumb_gunzip_start(z_stream *stream) { return inflateInit2(stream, 15 + 16); }

// 15 + 32 accepts a gzip or a zlib header.
static inline int plumb_unpack_start(z_stream *stream) { return inflateInit2(stream, 15 + 32); }

static inline int plumb_gzip_start(z_stream *stream, int level) {
  return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}

// Starts compression without a header, so that separately compressed parts can be concatenated.
static inline int plumb_deflate_start(z_stream *stream, int level) {
  return deflateInit2(stream, level, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
}

#endif
