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
#include <time.h>

static bool (*is_ended)(void);
static void (*end_call)(void);
static GEOSInterruptCallback *former;

// GEOS asks whether to end a buffer after it has created the edges of the result, but before an
// object owns them (BufferBuilder::buffer, at least up to version 3.13). An exception there leaks
// all edges. The address to which that question returns; NULL if it is unknown.
static void *leaking;
// An exception while a buffer's edges are noded leaks the noder, about 0.5 kB for each vertex
// (BufferBuilder::computeNodedEdges, at least up to version 3.13). The address in that function to
// which the noder returns; NULL if it is unknown.
static void *noding;
// The time for which a call may continue to node after its work has ended. Few calls take longer.
enum { NODING_MILLISECONDS = 300 };

// The addresses to which GEOS's current question and the function that asks it return.
typedef struct {
  void *question, *function;
} asker;

__attribute__((noinline)) static asker find_asker(void) {
  // This function, `look`, GEOS's function for questions, the function that asks, and its caller.
  enum { DEPTH = 5 };
  void *frames[DEPTH];
  int count = backtrace(frames, DEPTH);
  return (asker){count > 3 ? frames[3] : NULL, count > 4 ? frames[4] : NULL};
}

// The time in milliseconds at which the current thread's call was first found to be ended while it
// noded; 0 if it was not.
static _Thread_local long long ended_at;

// Whether the current call may be ended at GEOS's current question.
__attribute__((always_inline)) static inline bool may_end(void) {
  if (!leaking && !noding) return true;
  asker asker = find_asker();
  if (leaking && asker.question == leaking) return false;
  if (!noding || asker.function != noding) return true;
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  long long now = time.tv_sec * 1000LL + time.tv_nsec / 1000000;
  if (!ended_at) ended_at = now;
  return now - ended_at > NODING_MILLISECONDS;
}

static void look(void) {
  if (!is_ended()) {
    ended_at = 0;
  } else if (may_end()) {
    ended_at = 0;
    end_call();
  }
  if (former) former();
}

// The questions during one small buffer.
enum { QUESTIONS = 16 };
static asker questions[QUESTIONS];
static int question_count;

static void record(void) {
  if (question_count < QUESTIONS) questions[question_count] = find_asker();
  question_count += 1;
}

// Whether an address is in a function whose mangled name begins with `name`.
static bool is_in(void *address, const char *name) {
  Dl_info about;
  return address && dladdr(address, &about) && about.dli_sname &&
         !strncmp(about.dli_sname, name, strlen(name));
}

// Finds the second of the questions of BufferBuilder::buffer, and the question of the noder that
// BufferBuilder::computeNodedEdges calls.
static void find_leaks(void) {
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
    asker asker = questions[number];
    if (is_in(asker.question, "_ZN4geos9operation6buffer13BufferBuilder6buffer")) {
      found += 1;
      if (found == 2) leaking = asker.question;
    }
    if (is_in(asker.function, "_ZN4geos9operation6buffer13BufferBuilder17computeNodedEdges")) {
      noding = asker.function;
    }
  }
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
  find_leaks();
  is_ended = question;
  former = GEOS_interruptRegisterCallback(look);
}
