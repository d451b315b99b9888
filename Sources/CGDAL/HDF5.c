#define _GNU_SOURCE
#include "include/hdf5.h"

#include <stdlib.h>
#include <string.h>

#if defined(__linux__)

#include <CLoader.h>
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

// The types of HDF5 since version 1.10.
typedef int64_t identifier;
typedef uint64_t length;

enum { chunked_layout = 2, virtual_layout = 3, semi_close = 2, fill_undefined = 0, integer_class = 0, no_sign = 0 };

// The functions of the HDF5 library that GDAL has loaded. Other versions of the library may be installed,
// and the library's soname depends on the distribution.
static struct {
  int (*H5Eset_auto2)(identifier, void *, void *);
  int (*H5open)(void);
  int (*H5is_library_threadsafe)(_Bool *);
  identifier (*H5Pcreate)(identifier);
  int (*H5Pset_fclose_degree)(identifier, int);
  int (*H5Pclose)(identifier);
  identifier (*H5Fopen)(const char *, unsigned, identifier);
  int (*H5Fclose)(identifier);
  identifier (*H5Dopen2)(identifier, const char *, identifier);
  int (*H5Dclose)(identifier);
  identifier (*H5Dget_space)(identifier);
  identifier (*H5Dget_type)(identifier);
  identifier (*H5Dget_create_plist)(identifier);
  int (*H5Dget_chunk_storage_size)(identifier, const length *, length *);
  int (*H5Dget_chunk_info_by_coord)(
      identifier, const length *, unsigned *, uint64_t *, length *);
  int (*H5Pset_file_locking)(identifier, _Bool, _Bool);
  int (*H5Dread_chunk)(identifier, identifier, const length *, uint32_t *, void *);
  int (*H5Sget_simple_extent_ndims)(identifier);
  int (*H5Sget_simple_extent_dims)(identifier, length *, length *);
  int (*H5Sclose)(identifier);
  int (*H5Tequal)(identifier, identifier);
  int (*H5Tget_class)(identifier);
  size_t (*H5Tget_size)(identifier);
  int (*H5Tget_sign)(identifier);
  int (*H5Tclose)(identifier);
  int (*H5Pget_layout)(identifier);
  int (*H5Pget_chunk)(identifier, int, length *);
  int (*H5Pget_nfilters)(identifier);
  int (*H5Pget_filter2)(
      identifier, unsigned, unsigned *, size_t *, unsigned *, size_t, char *, unsigned *);
  int (*H5Pfill_value_defined)(identifier, int *);
  int (*H5Pget_fill_value)(identifier, identifier, void *);
  // Variables.
  const identifier *H5P_CLS_FILE_ACCESS_ID_g;
  const identifier *types[10];
} hdf5;

static int is_complete;

#define FIND(name) (*(void **)&hdf5.name = dlsym(library, #name))

static int find(struct dl_phdr_info *about, size_t size, void *unused) {
  (void)size, (void)unused;
  const char *slash = about->dlpi_name ? strrchr(about->dlpi_name, '/') : NULL;
  const char *name = slash ? slash + 1 : "";
  const char *prefix = plumb_bundle_prefix();
  if (strncmp(name, prefix, strlen(prefix)) || strncmp(name + strlen(prefix), "libhdf5", 7) ||
      strstr(name, "_hl") || strstr(name, "_cpp")) {
    return 0;
  }
  void *library = dlopen(about->dlpi_name, RTLD_NOW | RTLD_NOLOAD);
  if (!library || !FIND(H5Eset_auto2)) return 0;
  // In the order of enum plumb_hdf5_type.
  static const char *const types[] = {
      "H5T_STD_I8LE_g", "H5T_STD_U8LE_g", "H5T_STD_I16LE_g", "H5T_STD_U16LE_g",
      "H5T_STD_I32LE_g", "H5T_STD_U32LE_g", "H5T_STD_I64LE_g", "H5T_STD_U64LE_g",
      "H5T_IEEE_F32LE_g", "H5T_IEEE_F64LE_g"};
  is_complete =
      FIND(H5open) && FIND(H5is_library_threadsafe) && FIND(H5Pcreate) && FIND(H5Pset_fclose_degree) &&
      FIND(H5Pclose) && FIND(H5Fopen) && FIND(H5Fclose) && FIND(H5Dopen2) && FIND(H5Dclose) &&
      FIND(H5Dget_space) && FIND(H5Dget_type) && FIND(H5Dget_create_plist) &&
      FIND(H5Dget_chunk_storage_size) && FIND(H5Dread_chunk) && FIND(H5Sget_simple_extent_ndims) &&
      FIND(H5Sget_simple_extent_dims) && FIND(H5Sclose) && FIND(H5Tequal) && FIND(H5Tclose) &&
      FIND(H5Tget_class) && FIND(H5Tget_size) && FIND(H5Tget_sign) &&
      FIND(H5Pget_layout) && FIND(H5Pget_chunk) && FIND(H5Pget_nfilters) && FIND(H5Pget_filter2) &&
      FIND(H5Pfill_value_defined) && FIND(H5Pget_fill_value) && FIND(H5P_CLS_FILE_ACCESS_ID_g);
  for (int i = 0; i < 10; i++) {
    hdf5.types[i] = dlsym(library, types[i]);
    is_complete = is_complete && hdf5.types[i];
  }
  // Functions of later versions.
  (void)FIND(H5Dget_chunk_info_by_coord);
  (void)FIND(H5Pset_file_locking);
  // Several threads call the library, and so does GDAL, whose lock is not public.
  _Bool is_safe = 0;
  is_complete =
      is_complete && hdf5.H5open() >= 0 && hdf5.H5is_library_threadsafe(&is_safe) >= 0 && is_safe;
  return 1;
}

static void find_once(void) { dl_iterate_phdr(find, NULL); }

void plumb_gdal_silence_thread(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  static _Thread_local int is_silent;
  if (is_silent) return;
  is_silent = 1;
  pthread_once(&once, find_once);
  if (hdf5.H5Eset_auto2) hdf5.H5Eset_auto2(0, NULL, NULL);
}

struct plumb_hdf5_array {
  identifier file, dataset;
};

// Opens a file with the close degree of netCDF or with that of GDAL's driver, because a library opens a file twice
// only with the same degree, and then without a lock, because another process may be writing the file.
static identifier open_file(const char *path) {
  identifier settings = hdf5.H5Pcreate(*hdf5.H5P_CLS_FILE_ACCESS_ID_g);
  if (settings < 0) return -1;
  identifier file = -1;
  if (hdf5.H5Pset_fclose_degree(settings, semi_close) >= 0) file = hdf5.H5Fopen(path, 0, settings);
  if (file < 0) file = hdf5.H5Fopen(path, 0, 0);
  if (file < 0 && hdf5.H5Pset_file_locking && hdf5.H5Pset_file_locking(settings, 0, 1) >= 0) {
    file = hdf5.H5Fopen(path, 0, settings);
  }
  hdf5.H5Pclose(settings);
  return file;
}

static int read_shape(identifier dataset, struct plumb_hdf5_layout *layout) {
  identifier space = hdf5.H5Dget_space(dataset);
  if (space < 0) return 0;
  int rank = hdf5.H5Sget_simple_extent_ndims(space);
  int is_read = rank > 0 && rank <= PLUMB_HDF5_RANK &&
                hdf5.H5Sget_simple_extent_dims(space, layout->shape, NULL) == rank;
  layout->rank = rank;
  hdf5.H5Sclose(space);
  return is_read;
}

static int read_chunking(identifier plist, struct plumb_hdf5_layout *layout) {
  if (hdf5.H5Pget_layout(plist) != chunked_layout ||
      hdf5.H5Pget_chunk(plist, PLUMB_HDF5_RANK, layout->chunk) != layout->rank)
    return 0;
  layout->filter_count = hdf5.H5Pget_nfilters(plist);
  if (layout->filter_count < 0 || layout->filter_count > PLUMB_HDF5_FILTERS) return 0;
  for (int i = 0; i < layout->filter_count; i++) {
    unsigned flags, config;
    size_t count = 0;
    layout->filters[i] =
        hdf5.H5Pget_filter2(plist, (unsigned)i, &flags, &count, NULL, 0, NULL, &config);
  }
  return 1;
}

static int read_type(identifier dataset, identifier plist, struct plumb_hdf5_layout *layout) {
  identifier type = hdf5.H5Dget_type(dataset);
  if (type < 0) return 0;
  int found = -1, state = fill_undefined;
  for (int i = 0; i < 10 && found < 0; i++) {
    if (hdf5.H5Tequal(type, *hdf5.types[i]) > 0) found = i;
  }
  layout->type = (enum plumb_hdf5_type)found;
  memset(layout->fill, 0, sizeof layout->fill);
  int is_read = found >= 0 && hdf5.H5Pfill_value_defined(plist, &state) >= 0 &&
                state != fill_undefined &&
                hdf5.H5Pget_fill_value(plist, type, layout->fill) >= 0;
  hdf5.H5Tclose(type);
  return is_read;
}

struct plumb_hdf5_array *plumb_hdf5_open(
    const char *path, const char *name, struct plumb_hdf5_layout *layout) {
  plumb_gdal_silence_thread();
  if (!is_complete) return NULL;
  struct plumb_hdf5_array *array = malloc(sizeof *array);
  if (!array) return NULL;
  array->file = open_file(path);
  array->dataset = array->file < 0 ? -1 : hdf5.H5Dopen2(array->file, name, 0);
  identifier plist = array->dataset < 0 ? -1 : hdf5.H5Dget_create_plist(array->dataset);
  int is_read = plist >= 0 && read_shape(array->dataset, layout) && read_chunking(plist, layout) &&
                read_type(array->dataset, plist, layout);
  if (plist >= 0) hdf5.H5Pclose(plist);
  if (is_read) return array;
  plumb_hdf5_close(array);
  return NULL;
}

int plumb_hdf5_has_signed_bytes(const char *path, const char *name) {
  plumb_gdal_silence_thread();
  if (!is_complete) return -1;
  identifier file = open_file(path);
  identifier dataset = file < 0 ? -1 : hdf5.H5Dopen2(file, name, 0);
  identifier type = dataset < 0 ? -1 : hdf5.H5Dget_type(dataset);
  int is_signed = -1;
  if (type >= 0) {
    is_signed = hdf5.H5Tget_class(type) == integer_class && hdf5.H5Tget_size(type) == 1 &&
                hdf5.H5Tget_sign(type) != no_sign;
    hdf5.H5Tclose(type);
  }
  if (dataset >= 0) hdf5.H5Dclose(dataset);
  if (file >= 0) hdf5.H5Fclose(file);
  return is_signed;
}

int plumb_hdf5_is_virtual(const char *path, const char *name) {
  plumb_gdal_silence_thread();
  if (!is_complete) return -1;
  identifier file = open_file(path);
  identifier dataset = file < 0 ? -1 : hdf5.H5Dopen2(file, name, 0);
  identifier plist = dataset < 0 ? -1 : hdf5.H5Dget_create_plist(dataset);
  int layout = plist < 0 ? -1 : hdf5.H5Pget_layout(plist);
  if (plist >= 0) hdf5.H5Pclose(plist);
  if (dataset >= 0) hdf5.H5Dclose(dataset);
  if (file >= 0) hdf5.H5Fclose(file);
  return layout < 0 ? -1 : layout == virtual_layout;
}

int64_t plumb_hdf5_chunk_size(struct plumb_hdf5_array *array, const uint64_t *start) {
  length size = 0;
  plumb_gdal_silence_thread();
  if (hdf5.H5Dget_chunk_storage_size(array->dataset, start, &size) < 0) {
    // Version 1.10 fails for a chunk that was never written. The other function visits all chunks.
    unsigned skipped = 0;
    uint64_t address = 0;
    if (!hdf5.H5Dget_chunk_info_by_coord ||
        hdf5.H5Dget_chunk_info_by_coord(array->dataset, start, &skipped, &address, &size) < 0)
      return -1;
    if (address == UINT64_MAX) return 0;
  }
  return size > INT64_MAX ? -1 : (int64_t)size;
}

int plumb_hdf5_read_chunk(
    struct plumb_hdf5_array *array, const uint64_t *start, uint32_t *skipped, void *output) {
  plumb_gdal_silence_thread();
  return hdf5.H5Dread_chunk(array->dataset, 0, start, skipped, output) >= 0;
}

void plumb_hdf5_close(struct plumb_hdf5_array *array) {
  if (array->dataset >= 0) hdf5.H5Dclose(array->dataset);
  if (array->file >= 0) hdf5.H5Fclose(array->file);
  free(array);
}

#else

struct plumb_hdf5_array *plumb_hdf5_open(
    const char *path, const char *name, struct plumb_hdf5_layout *layout) {
  (void)path, (void)name, (void)layout;
  return NULL;
}

int plumb_hdf5_has_signed_bytes(const char *path, const char *name) { return (void)path, (void)name, -1; }

int plumb_hdf5_is_virtual(const char *path, const char *name) { return (void)path, (void)name, -1; }

int64_t plumb_hdf5_chunk_size(struct plumb_hdf5_array *array, const uint64_t *start) {
  (void)array, (void)start;
  return -1;
}

int plumb_hdf5_read_chunk(
    struct plumb_hdf5_array *array, const uint64_t *start, uint32_t *skipped, void *output) {
  (void)array, (void)start, (void)skipped, (void)output;
  return 0;
}

void plumb_hdf5_close(struct plumb_hdf5_array *array) { free(array); }

#endif
