#if defined(__linux__)

#define _GNU_SOURCE
#include <CLoader.h>
#define GEOS_USE_ONLY_R_API
#include <geos_c.h>
#include <stdio.h>
#include <string.h>

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
#include <execinfo.h>
#include <shim.h>

static bool (*is_ended)(void);
static void (*end_call)(void);
static GEOSInterruptCallback *former;

// GEOS asks whether to end a buffer after it has created the edges of the result, but before an
// object owns them (BufferBuilder::buffer, at least up to version 3.13). An exception there leaks
// all edges. The address to which that question returns; NULL if it is unknown.
static void *leaking;

// The address to which GEOS's current question returns.
__attribute__((noinline)) static void *asker(void) {
  // This function, `look`, and the GEOS function that calls it.
  enum { DEPTH = 4 };
  void *frames[DEPTH];
  return backtrace(frames, DEPTH) == DEPTH ? frames[DEPTH - 1] : NULL;
}

static void look(void) {
  if (is_ended() && !(leaking && asker() == leaking)) end_call();
  if (former) former();
}

// The addresses to which the questions during one small buffer return.
enum { QUESTIONS = 16 };
static void *questions[QUESTIONS];
static int question_count;

static void record(void) {
  if (question_count < QUESTIONS) questions[question_count] = asker();
  question_count += 1;
}

// Finds the second of the questions of BufferBuilder::buffer.
static void *find_leaking(void) {
  GEOSContextHandle_t context = GEOS_init_r();
  GEOSWKTReader *reader = GEOSWKTReader_create_r(context);
  GEOSGeometry *line = GEOSWKTReader_read_r(context, reader, "LINESTRING (0 0, 1 1)");
  question_count = 0;
  GEOSInterruptCallback *other = GEOS_interruptRegisterCallback(record);
  GEOSGeometry *buffer = line ? GEOSBuffer_r(context, line, 1, 1) : NULL;
  GEOS_interruptRegisterCallback(other);
  if (buffer) GEOSGeom_destroy_r(context, buffer);
  if (line) GEOSGeom_destroy_r(context, line);
  GEOSWKTReader_destroy_r(context, reader);
  GEOS_finish_r(context);
  int found = 0;
  for (int number = 0; number < question_count && number < QUESTIONS; number += 1) {
    static const char name[] = "_ZN4geos9operation6buffer13BufferBuilder6buffer";
    Dl_info about;
    if (questions[number] && dladdr(questions[number], &about) && about.dli_sname &&
        !strncmp(about.dli_sname, name, sizeof name - 1)) {
      found += 1;
      if (found == 2) return questions[number];
    }
  }
  return NULL;
}

void plumb_geos_end_calls(bool (*question)(void)) {
  // GEOS_interruptRequest sets a flag of the whole process, and would end other threads' calls,
  // too. Instead, call geos::util::Interrupt::interrupt() directly, as GEOS does when the flag is
  // set.
  static const char name[] = "_ZN4geos4util9Interrupt9interruptEv";
#if defined(__linux__)
  void *library = NULL;
  for (const char *const *file = files(); *file && !library; file += 1) {
    library = plumb_library_open(*file, RTLD_NOW | RTLD_NOLOAD);
  }
#else
  void *library = RTLD_DEFAULT;
#endif
  *(void **)&end_call = library ? dlsym(library, name) : NULL;
  if (!end_call) return;
  leaking = find_leaking();
  is_ended = question;
  former = GEOS_interruptRegisterCallback(look);
}
