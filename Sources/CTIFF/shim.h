#ifndef PLUMB_CTIFF_SHIM_H
#define PLUMB_CTIFF_SHIM_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

// TIFFGetField is variadic, which Swift cannot call: one reader per value type, each with the
// field's default when the file has none. Returns 0 when there is neither.
static inline int plumb_tiff_u16(TIFF *tiff, uint32_t tag, uint16_t *value) {
  return TIFFGetFieldDefaulted(tiff, tag, value);
}

static inline int plumb_tiff_u32(TIFF *tiff, uint32_t tag, uint32_t *value) {
  return TIFFGetFieldDefaulted(tiff, tag, value);
}

// The last message of one handle, kept by the handle's owner.
typedef struct {
  char text[512];
} plumb_tiff_message;

static inline int plumb_tiff_keep_error(
    TIFF *tiff, void *user, const char *module, const char *format, va_list arguments) {
  (void)tiff;
  plumb_tiff_message *message = (plumb_tiff_message *)user;
  int used = 0;
  if (module) used = snprintf(message->text, sizeof message->text, "%s: ", module);
  if (used < 0 || used >= (int)sizeof message->text) used = 0;
  vsnprintf(message->text + used, sizeof message->text - (size_t)used, format, arguments);
  return 1;
}

static inline int plumb_tiff_drop_warning(
    TIFF *tiff, void *user, const char *module, const char *format, va_list arguments) {
  (void)tiff; (void)user; (void)module; (void)format; (void)arguments;
  return 1;
}

// Opens read-only, without a memory map (a file that shrinks must not raise SIGBUS), with strip
// offsets read on demand. Messages go to `message` where libtiff can keep them per handle (4.5),
// else nowhere.
static inline TIFF *plumb_tiff_open(
    const char *path, plumb_tiff_message *message, int64_t largest_allocation) {
#if TIFFLIB_VERSION >= 20221213
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
  if (!options) return NULL;
  TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)largest_allocation);
  TIFFOpenOptionsSetErrorHandlerExtR(options, plumb_tiff_keep_error, message);
  TIFFOpenOptionsSetWarningHandlerExtR(options, plumb_tiff_drop_warning, message);
  TIFF *tiff = TIFFOpenExt(path, "rmO", options);
  TIFFOpenOptionsFree(options);
  return tiff;
#else
  (void)message; (void)largest_allocation;
  return TIFFOpen(path, "rmO");
#endif
}

#endif
