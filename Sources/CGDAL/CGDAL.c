#if defined(__linux__)

#define _GNU_SOURCE
#include <CLoader.h>
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Include only the version numbers; `shim.h` declares the functions under other symbols.
#if __has_include(<gdal_version.h>)
#include <gdal_version.h>
#else
#include <gdal/gdal_version.h>
#endif

static const char *const *files(void) {
  // GDAL 3.0 is libgdal.so.26, and each later minor version has the next number.
  static char versioned[32];
  static const char *const list[] = {versioned, "libgdal.so", NULL};
  snprintf(versioned, sizeof versioned, "libgdal.so.%d", 26 + GDAL_VERSION_MINOR);
  return list;
}

// GDAL's binary interface changes with each minor version.
static const char *reject(void *version) {
  static char message[96];
  int number = atoi(((const char *(*)(const char *))version)("VERSION_NUM"));
  if (number / 10000 == GDAL_VERSION_NUM / 10000) return NULL;
  snprintf(
      message, sizeof message, "libgdal is %d.%d, and Plumb was built for %d.%d", number / 1000000,
      number / 10000 % 100, GDAL_VERSION_MAJOR, GDAL_VERSION_MINOR);
  return message;
}

#define PLUMB_LIBRARY plumb_library_gdal
#define PLUMB_PACKAGE "libgdal-dev"
#define PLUMB_VERSION "GDALVersionInfo"
#include <LoadedFunctions.h>

const char *plumb_gdal_missing(void) { return plumb_library_load(&plumb_library_gdal); }

// H5Eset_auto2 of the HDF5 library that GDAL has loaded; NULL without one.
typedef int set_printing(int64_t stack, void *function, void *data);
static set_printing *set_hdf5_printing;

static int find_hdf5(struct dl_phdr_info *about, size_t size, void *unused) {
  (void)size, (void)unused;
  const char *slash = about->dlpi_name ? strrchr(about->dlpi_name, '/') : NULL;
  const char *name = slash ? slash + 1 : "";
  if (strncmp(name, "libhdf5", 7) || strstr(name, "_hl") || strstr(name, "_cpp")) return 0;
  void *library = dlopen(about->dlpi_name, RTLD_NOW | RTLD_NOLOAD);
  if (!library) return 0;
  *(void **)&set_hdf5_printing = dlsym(library, "H5Eset_auto2");
  return set_hdf5_printing != NULL;
}

static void find_hdf5_once(void) { dl_iterate_phdr(find_hdf5, NULL); }

void plumb_gdal_silence_thread(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  static _Thread_local int is_silent;
  if (is_silent) return;
  is_silent = 1;
  pthread_once(&once, find_hdf5_once);
  if (set_hdf5_printing) set_hdf5_printing(0, NULL, NULL);
}

#endif
