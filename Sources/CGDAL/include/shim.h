#ifndef PLUMB_CGDAL_SHIM_H
#define PLUMB_CGDAL_SHIM_H

#include <string.h>
#include <sys/stat.h>

#include "hdf5.h"

#if defined(__linux__)
// The functions are called through pointers, which are set when the library is loaded.
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

// Loads the library if necessary. Returns NULL, or a message that describes the missing library.
#if defined(__linux__)
const char *plumb_gdal_missing(void);
#else
static inline const char *plumb_gdal_missing(void) { return NULL; }
#endif

// GDALClose returns nothing up to GDAL 3.6, and an error code in later versions.
static inline void plumb_gdal_close(GDALDatasetH dataset) { GDALClose(dataset); }

// GDALGetMetadata returns a constant list since GDAL 3.13.
static inline CSLConstList plumb_gdal_metadata(GDALMajorObjectH object, const char *domain) {
  return GDALGetMetadata(object, domain);
}

// GDT_Int8 exists since GDAL 3.7; in earlier versions, a signed byte is GDT_Byte with
// PIXELTYPE=SIGNEDBYTE.
static inline int plumb_gdal_is_int8(GDALDataType type) {
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 7, 0)
  return type == GDT_Int8;
#else
  (void)type;
  return 0;
#endif
}

// Whether GDAL has a type for signed bytes.
static inline int plumb_gdal_has_int8(void) {
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 7, 0)
  return 1;
#else
  return 0;
#endif
}

// The type for reading or writing bytes, with a signed type if GDAL supports it.
static inline GDALDataType plumb_gdal_int8_type(int is_signed) {
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 7, 0)
  return is_signed ? GDT_Int8 : GDT_Byte;
#else
  (void)is_signed;
  return GDT_Byte;
#endif
}

// GDT_Float16 exists since GDAL 3.11; such values are read as Float32, which represents all of them
// exactly.
static inline int plumb_gdal_is_float16(GDALDataType type) {
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 11, 0)
  return type == GDT_Float16;
#else
  (void)type;
  return 0;
#endif
}

// Swift imports CE_None and the other constants as an enum whose raw type depends on the compiler.
static inline int plumb_gdal_ok(CPLErr error) { return error == CE_None || error == CE_Warning; }

// Swift does not pass a mutable list as a constant list.
static inline void plumb_gdal_set_thread_options(char **options) {
  CPLSetThreadLocalConfigOptions((const char *const *)options);
}

// Returns the value of an option for a path: the value for this path if there is one, otherwise the
// global value.
static inline const char *plumb_gdal_option(const char *path, const char *name) {
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 6, 0)
  return VSIGetPathSpecificOption(path, name, NULL);
#else
  (void)path;
  return CPLGetConfigOption(name, NULL);
#endif
}

// Describes a readable file of `size` bytes.
static inline void plumb_gdal_file_facts(VSIStatBufL *facts, int64_t size) {
  // On 64-bit systems, GDAL's stat64 structure is the same as `struct stat`.
  struct stat *status = (struct stat *)facts;
  memset(status, 0, sizeof *status);
  status->st_mode = S_IFREG | 0444;
  status->st_size = size;
}

static inline int plumb_gdal_version_number(void) { return GDAL_VERSION_NUM; }

// A file that GDAL opened. Swift imports pointers to VSILFILE as different types, because it is a complete type in
// old versions of GDAL and an incomplete one in new versions.
typedef VSILFILE *plumb_gdal_file;

#endif
