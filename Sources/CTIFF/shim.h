#ifndef PLUMB_CTIFF_SHIM_H
#define PLUMB_CTIFF_SHIM_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

// TIFFGetField is variadic, which Swift cannot call, so there is one function per value type. Each
// function reads a field, or its default if the file does not contain the field, and returns 0 if
// there is no default.
static inline int plumb_tiff_u16(TIFF *tiff, uint32_t tag, uint16_t *value) {
  return TIFFGetFieldDefaulted(tiff, tag, value);
}

static inline int plumb_tiff_u32(TIFF *tiff, uint32_t tag, uint32_t *value) {
  return TIFFGetFieldDefaulted(tiff, tag, value);
}

// The last message of one handle, owned by the handle's owner.
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

// A file that is read in ranges. `read` copies the bytes at an offset and returns their number,
// which is less than `count` only at the end of the file, or -1 on failure.
typedef struct {
  int64_t (*read)(void *context, void *bytes, int64_t count, int64_t offset);
  void *context;
  int64_t size;
  int64_t position;
} plumb_tiff_ranges;

static inline tmsize_t plumb_tiff_ranges_read(thandle_t handle, void *bytes, tmsize_t count) {
  plumb_tiff_ranges *file = (plumb_tiff_ranges *)handle;
  if (count <= 0 || file->position < 0 || file->position >= file->size) return 0;
  int64_t got = file->read(file->context, bytes, count, file->position);
  if (got > 0) file->position += got;
  return (tmsize_t)got;
}

static inline tmsize_t plumb_tiff_ranges_write(thandle_t handle, void *bytes, tmsize_t count) {
  (void)handle; (void)bytes; (void)count;
  return 0;
}

static inline toff_t plumb_tiff_ranges_seek(thandle_t handle, toff_t offset, int whence) {
  plumb_tiff_ranges *file = (plumb_tiff_ranges *)handle;
  // Offsets that are not relative to the start may be negative numbers, stored as unsigned bits.
  uint64_t start = whence == SEEK_SET ? 0
                   : whence == SEEK_CUR ? (uint64_t)file->position : (uint64_t)file->size;
  uint64_t target = start + offset;
  if (target > INT64_MAX) return (toff_t)-1;
  file->position = (int64_t)target;
  return target;
}

static inline toff_t plumb_tiff_ranges_size(thandle_t handle) {
  return (toff_t)((plumb_tiff_ranges *)handle)->size;
}

static inline int plumb_tiff_ranges_close(thandle_t handle) { (void)handle; return 0; }

static inline int plumb_tiff_ranges_map(thandle_t handle, void **base, toff_t *size) {
  (void)handle; (void)base; (void)size;
  return 0;
}

static inline void plumb_tiff_ranges_unmap(thandle_t handle, void *base, toff_t size) {
  (void)handle; (void)base; (void)size;
}

// Opens a file that is read in ranges, with the same options as plumb_tiff_open. `file` must
// outlive the handle.
static inline TIFF *plumb_tiff_open_ranges(
    const char *name, plumb_tiff_ranges *file, plumb_tiff_message *message,
    int64_t largest_allocation) {
#if TIFFLIB_VERSION >= 20221213
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
  if (!options) return NULL;
  TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)largest_allocation);
  TIFFOpenOptionsSetErrorHandlerExtR(options, plumb_tiff_keep_error, message);
  TIFFOpenOptionsSetWarningHandlerExtR(options, plumb_tiff_drop_warning, message);
  TIFF *tiff = TIFFClientOpenExt(
      name, "rmO", (thandle_t)file, plumb_tiff_ranges_read, plumb_tiff_ranges_write,
      plumb_tiff_ranges_seek, plumb_tiff_ranges_close, plumb_tiff_ranges_size,
      plumb_tiff_ranges_map, plumb_tiff_ranges_unmap, options);
  TIFFOpenOptionsFree(options);
  return tiff;
#else
  (void)message; (void)largest_allocation;
  return TIFFClientOpen(
      name, "rmO", (thandle_t)file, plumb_tiff_ranges_read, plumb_tiff_ranges_write,
      plumb_tiff_ranges_seek, plumb_tiff_ranges_close, plumb_tiff_ranges_size,
      plumb_tiff_ranges_map, plumb_tiff_ranges_unmap);
#endif
}

// Opens a file read-only, without a memory map (a file that shrinks must not raise SIGBUS), and
// reads strip offsets on demand. Error messages are stored in `message` if libtiff supports
// handlers per handle (since 4.5); otherwise, they are dropped.
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
