#ifndef PLUMB_CZLIB_SHIM_H
#define PLUMB_CZLIB_SHIM_H

#include <zlib.h>

// inflateInit2 is a macro. 15 + 16: the largest window, and gzip's own header and checksum.
static inline int plumb_gunzip_start(z_stream *stream) { return inflateInit2(stream, 15 + 16); }

#endif
