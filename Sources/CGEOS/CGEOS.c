#if defined(__linux__)

#include <CLoader.h>
#define GEOS_USE_ONLY_R_API
#include <geos_c.h>
#include <stdio.h>

static const char *const *files(void) {
  static const char *const list[] = {"libgeos_c.so.1", "libgeos_c.so", NULL};
  return list;
}

// Functions are added to the C interface, but never removed.
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

#include <dlfcn.h>
#include <shim.h>

static bool (*is_ended)(void);
static void (*end_call)(void);
static GEOSInterruptCallback *former;

static void look(void) {
  if (is_ended()) end_call();
  if (former) former();
}

void plumb_geos_end_calls(bool (*question)(void)) {
  // GEOS_interruptRequest sets a flag of the whole process, and would end other threads' calls,
  // too. Instead, call geos::util::Interrupt::interrupt() directly, as GEOS does when the flag is
  // set.
  static const char name[] = "_ZN4geos4util9Interrupt9interruptEv";
#if defined(__linux__)
  void *library = NULL;
  for (const char *const *file = files(); *file && !library; file += 1) {
    library = dlopen(*file, RTLD_NOW | RTLD_NOLOAD);
  }
#else
  void *library = RTLD_DEFAULT;
#endif
  *(void **)&end_call = library ? dlsym(library, name) : NULL;
  if (!end_call) return;
  is_ended = question;
  former = GEOS_interruptRegisterCallback(look);
}
