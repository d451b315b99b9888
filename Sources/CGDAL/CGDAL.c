#if defined(__linux__)

#include <CLoader.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

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

static int is_set(const char *name) {
  const char *value = getenv(name);
  return value && *value;
}

// Makes GDAL read a bundle's data, even if GDAL_DATA names other data, and the system's
// certificates.
static void prepare(void *library) {
  char *data = plumb_bundle_path("share/gdal");
  void (*set)(const char *, const char *) =
      (void (*)(const char *, const char *))dlsym(library, "CPLSetConfigOption");
  if (data && set) {
    set("GDAL_DATA", data);
    const char *certificates = plumb_bundle_certificates();
    if (certificates && !is_set("GDAL_CURL_CA_BUNDLE") && !is_set("CURL_CA_BUNDLE") &&
        !is_set("SSL_CERT_FILE")) {
      set("CURL_CA_BUNDLE", certificates);
    }
  }
  free(data);
}

#define PLUMB_LIBRARY plumb_library_gdal
#define PLUMB_PACKAGE "libgdal-dev"
#define PLUMB_VERSION "GDALVersionInfo"
#define PLUMB_PREPARE prepare
#include <LoadedFunctions.h>

const char *plumb_gdal_missing(void) { return plumb_library_load(&plumb_library_gdal); }

#endif
