#if defined(__linux__)

#include <CLoader.h>
#define GEOS_USE_ONLY_R_API
#include <geos_c.h>
#include <stdio.h>

static const char *const *files(void) {
  static const char *const list[] = {"libgeos_c.so.1", "libgeos_c.so", NULL};
  return list;
}

// Functions are added to it, and none taken away.
static const char *reject(void *version) {
  static char message[96];
  int major = 0, minor = 0;
  const char *text = ((const char *(*)(void))version)();
  if (text && sscanf(text, "%d.%d", &major, &minor) == 2 &&
      (major > GEOS_VERSION_MAJOR ||
       (major == GEOS_VERSION_MAJOR && minor >= GEOS_VERSION_MINOR))) {
    return NULL;
  }
  snprintf(
      message, sizeof message, "libgeos_c is %d.%d, and Plumb was built for %d.%d", major, minor,
      GEOS_VERSION_MAJOR, GEOS_VERSION_MINOR);
  return message;
}

#define PLUMB_LIBRARY plumb_library_geos
#define PLUMB_PACKAGE "libgeos-dev"
#define PLUMB_VERSION "GEOSversion"
#include <LoadedFunctions.h>

const char *plumb_geos_missing(void) { return plumb_library_load(&plumb_library_geos); }

#endif
