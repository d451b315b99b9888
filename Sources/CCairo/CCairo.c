#if defined(__linux__)

#include <CLoader.h>
#include <stdio.h>

static const char *const *files(void) {
  static const char *const list[] = {"libcairo.so.2", "libcairo.so", NULL};
  return list;
}

// All that Plumb calls has been there since 1.2; pictures of earlier ones than 1.12 differ.
static const char *reject(void *version) {
  static char message[64];
  int found = ((int (*)(void))version)();
  if (found >= 11200 && found < 20000) return NULL;
  snprintf(message, sizeof message, "libcairo is version %d.%d, and Plumb needs 1.12 or later",
           found / 10000, found / 100 % 100);
  return message;
}

#define PLUMB_LIBRARY plumb_library_cairo
#define PLUMB_PACKAGE "libcairo2"
#define PLUMB_VERSION "cairo_version"
#include <LoadedFunctions.h>

const char *plumb_cairo_missing(void) { return plumb_library_load(&plumb_library_cairo); }

#endif
