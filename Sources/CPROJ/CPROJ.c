#if defined(__linux__)

#include <CLoader.h>
#include <dlfcn.h>
#include <proj.h>
#include <stdio.h>
#include <stdlib.h>

// The suffix of the file name is .19 for PROJ 7.2, .22 for 8.0 to 8.2, and .25 for 9 so far.
static const char *const *files(void) {
  static const char *const list[] = {
#if PROJ_VERSION_MAJOR >= 9
      "libproj.so.25",
#elif PROJ_VERSION_MAJOR == 8
      "libproj.so.22",
#endif
      "libproj.so", NULL};
  return list;
}

// A later version with the same major number has all functions of the earlier versions.
static const char *reject(void *version) {
  static char message[96];
  PJ_INFO info = ((PJ_INFO(*)(void))version)();
  if (info.major == PROJ_VERSION_MAJOR && info.minor >= PROJ_VERSION_MINOR) return NULL;
  snprintf(
      message, sizeof message, "libproj is %d.%d, and Plumb was built for %d.%d", info.major,
      info.minor, PROJ_VERSION_MAJOR, PROJ_VERSION_MINOR);
  return message;
}

// Makes the contexts of the process read a bundle's data, even if PROJ_DATA names other data.
static void prepare(void *library) {
  char *data = plumb_bundle_path("share/proj");
  void (*set)(PJ_CONTEXT *, int, const char *const *) =
      (void (*)(PJ_CONTEXT *, int, const char *const *))dlsym(library, "proj_context_set_search_paths");
  if (data && set) set(NULL, 1, (const char *const[]){data});
  free(data);
}

#define PLUMB_LIBRARY plumb_library_proj
#define PLUMB_PACKAGE "libproj-dev"
#define PLUMB_VERSION "proj_info"
#define PLUMB_PREPARE prepare
#include <LoadedFunctions.h>

const char *plumb_proj_missing(void) { return plumb_library_load(&plumb_library_proj); }

#endif
