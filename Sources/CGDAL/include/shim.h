#ifndef PLUMB_CGDAL_SHIM_H
#define PLUMB_CGDAL_SHIM_H

#include <string.h>
#include <sys/stat.h>

#if defined(__linux__)
// Called through pointers, which are set when the library is loaded.
#define PLUMB_PRAGMA(text) _Pragma(#text)
#define PLUMB_FUNCTION(name) PLUMB_PRAGMA(redefine_extname name plumb_lazy_##name)
#include "functions.h"
#undef PLUMB_FUNCTION
#endif

#if __has_include(<gdal.h>)
#include <cpl_conv.h>
#include <cpl_error.h>
#include <cpl_http.h>
#include <cpl_minixml.h>
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <gdal.h>
#include <gdal_alg.h>
#include <gdal_version.h>
#include <ogr_api.h>
#include <ogr_srs_api.h>
#else
#include <gdal/cpl_conv.h>
#include <gdal/cpl_error.h>
#include <gdal/cpl_http.h>
#include <gdal/cpl_minixml.h>
#include <gdal/cpl_string.h>
#include <gdal/cpl_vsi.h>
#include <gdal/gdal.h>
#include <gdal/gdal_alg.h>
#include <gdal/gdal_version.h>
#include <gdal/ogr_api.h>
#include <gdal/ogr_srs_api.h>
#endif

// Loads the library unless it is there: NULL, or a line that says what is missing.
#if defined(__linux__)
const char *plumb_gdal_missing(void);
#else
static inline const char *plumb_gdal_missing(void) { return NULL; }
#endif

// Up to GDAL 3.6 closing a dataset gives nothing, later an error code.
static inline void plumb_gdal_close(GDALDatasetH dataset) { GDALClose(dataset); }

// From GDAL 3.13 on the list is constant.
static inline CSLConstList plumb_gdal_metadata(GDALMajorObjectH object, const char *domain) {
  return GDALGetMetadata(object, domain);
}

// GDT_Int8 came with GDAL 3.7; before that a signed byte is GDT_Byte with PIXELTYPE=SIGNEDBYTE.
static inline int plumb_gdal_is_int8(GDALDataType type) {
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 7, 0)
  return type == GDT_Int8;
#else
  (void)type;
  return 0;
#endif
}

// The type to read or write bytes with, signed ones by their own type where there is one.
static inline GDALDataType plumb_gdal_int8_type(int is_signed) {
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 7, 0)
  return is_signed ? GDT_Int8 : GDT_Byte;
#else
  (void)is_signed;
  return GDT_Byte;
#endif
}

// GDT_Float16 came with GDAL 3.11; it is read as Float32, which holds every value of it.
static inline int plumb_gdal_is_float16(GDALDataType type) {
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 11, 0)
  return type == GDT_Float16;
#else
  (void)type;
  return 0;
#endif
}

// CE_None and its kin import as an enum whose raw type differs between compilers: one comparison.
static inline int plumb_gdal_ok(CPLErr error) { return error == CE_None || error == CE_Warning; }

// Swift does not pass a list that may be written as one that is not.
static inline void plumb_gdal_set_thread_options(char **options) {
  CPLSetThreadLocalConfigOptions((const char *const *)options);
}

// What is set for a path: for it alone, or for all.
static inline const char *plumb_gdal_option(const char *path, const char *name) {
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 6, 0)
  return VSIGetPathSpecificOption(path, name, NULL);
#else
  (void)path;
  return CPLGetConfigOption(name, NULL);
#endif
}

// Says that something is a file that can be read, of so many bytes.
static inline void plumb_gdal_file_facts(VSIStatBufL *facts, int64_t size) {
  // On systems of 64 bits, what GDAL may call stat64 is this.
  struct stat *own = (struct stat *)facts;
  memset(own, 0, sizeof *own);
  own->st_mode = S_IFREG | 0444;
  own->st_size = size;
}

static inline int plumb_gdal_version_number(void) { return GDAL_VERSION_NUM; }

#endif
