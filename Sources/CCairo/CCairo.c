#if defined(__linux__)

#include <CLoader.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#include "shim.h"

static const char *const *files(void) {
  static const char *const list[] = {"libcairo.so.2", "libcairo.so", NULL};
  return list;
}

// All functions that Plumb calls exist since Cairo 1.2, but versions before 1.12 produce different
// pictures.
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

// The FreeType library that Cairo uses. The interface of the two functions has not changed since
// FreeType 2.0.
static struct {
  void *library;
  int (*open)(void *library, const char *path, long index, void **face);
} fonts;

static void load_fonts(void) {
  void *file = plumb_library_open("libfreetype.so.6", RTLD_LAZY | RTLD_LOCAL);
  if (!file) return;
  int (*init)(void **) = (int (*)(void **))dlsym(file, "FT_Init_FreeType");
  fonts.open = (int (*)(void *, const char *, long, void **))dlsym(file, "FT_New_Face");
  if (!init || !fonts.open || init(&fonts.library) != 0) fonts.library = NULL;
}

cairo_font_face_t *plumb_cairo_font(const char *path) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_once(&once, load_fonts);
  if (!fonts.library) return NULL;
  void *face = NULL;
  // Only one thread at a time may use a FreeType library object to open a face.
  pthread_mutex_lock(&lock);
  int status = fonts.open(fonts.library, path, 0, &face);
  pthread_mutex_unlock(&lock);
  return status == 0 ? cairo_ft_font_face_create_for_ft_face(face, 0) : NULL;
}

#endif
