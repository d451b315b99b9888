#if defined(__linux__)

#include <CLoader.h>
#include <stdio.h>
#include <stdlib.h>

// Version numbers alone: the functions have other names here.
#if __has_include(<gdal_version.h>)
#include <gdal_version.h>
#else
#include <gdal/gdal_version.h>
#endif

static const char *const *files(void) {
  // GDAL 3.0 was libgdal.so.26, and each minor version since has the next number.
  static char own[32];
  static const char *const list[] = {own, "libgdal.so", NULL};
  snprintf(own, sizeof own, "libgdal.so.%d", 26 + GDAL_VERSION_MINOR);
  return list;
}

// Its binary interface changes with each minor version.
static const char *reject(void *version) {
  static char message[96];
  int number = atoi(((const char *(*)(const char *))version)("VERSION_NUM"));
  if (number / 10000 == GDAL_VERSION_NUM / 10000) return NULL;
  snprintf(
      message, sizeof message, "libgdal is %d.%d, and Plumb was built for %d.%d", number / 1000000,
      number / 10000 % 100, GDAL_VERSION_MAJOR, GDAL_VERSION_MINOR);
  return message;
}

#define PLUMB_FUNCTION(name)            \
  extern void plumb_first_##name(void); \
  __attribute__((visibility("hidden"))) void *plumb_slot_##name = (void *)plumb_first_##name;
#include "include/functions.h"
#undef PLUMB_FUNCTION

static const struct plumb_function functions[] = {
#define PLUMB_FUNCTION(name) {&plumb_slot_##name, #name},
#include "include/functions.h"
#undef PLUMB_FUNCTION
};

__attribute__((visibility("hidden"))) struct plumb_library plumb_library_gdal = {
    .package = "libgdal-dev",
    .files = files,
    .version = "GDALVersionInfo",
    .reject = reject,
    .functions = functions,
    .count = sizeof functions / sizeof functions[0],
};

#define PLUMB_FUNCTION(name) PLUMB_FUNCTION_JUMP(plumb_library_gdal, name)
#include "include/functions.h"
#undef PLUMB_FUNCTION

const char *plumb_gdal_missing(void) { return plumb_library_load(&plumb_library_gdal); }

#endif
