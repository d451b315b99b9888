#ifndef PLUMB_CGDAL_HDF5_H
#define PLUMB_CGDAL_HDF5_H

#include <stdint.h>

// Access to the chunks of HDF5 and NetCDF-4 files through the HDF5 library that GDAL has loaded. The library returns
// chunks as they are stored, so that they can be decoded outside its lock. All functions may be called by any thread.

enum { PLUMB_HDF5_RANK = 8, PLUMB_HDF5_FILTERS = 8 };

enum plumb_hdf5_type {
  PLUMB_HDF5_INT8, PLUMB_HDF5_UINT8, PLUMB_HDF5_INT16, PLUMB_HDF5_UINT16, PLUMB_HDF5_INT32,
  PLUMB_HDF5_UINT32, PLUMB_HDF5_INT64, PLUMB_HDF5_UINT64, PLUMB_HDF5_FLOAT32, PLUMB_HDF5_FLOAT64
};

struct plumb_hdf5_layout {
  int rank;
  uint64_t shape[PLUMB_HDF5_RANK], chunk[PLUMB_HDF5_RANK];
  // Little-endian.
  enum plumb_hdf5_type type;
  // The value of chunks that were never written.
  uint8_t fill[8];
  // The numbers of the filters, in the order in which they are applied when a chunk is written.
  int filter_count, filters[PLUMB_HDF5_FILTERS];
};

struct plumb_hdf5_array;

// Opens a dataset of a local file. Returns NULL if the dataset is not stored in chunks, if its type, rank or number of
// filters is not supported, and if the library is missing, is too old, or was built without support for threads.
struct plumb_hdf5_array *plumb_hdf5_open(
    const char *path, const char *name, struct plumb_hdf5_layout *layout);

// Whether the elements of a dataset of a local file are signed bytes: 1 for signed bytes, 0 for other types, -1 if the
// type cannot be read.
int plumb_hdf5_has_signed_bytes(const char *path, const char *name);

// Whether the values of a dataset of a local file are in other datasets, which may be in other files: 1 for such a
// virtual dataset, 0 for another one, -1 if the dataset cannot be opened.
int plumb_hdf5_is_virtual(const char *path, const char *name);

// The size of a stored chunk in bytes; 0 for a chunk that was never written, -1 if it cannot be located. `start` has
// the indices of the chunk's first element.
int64_t plumb_hdf5_chunk_size(struct plumb_hdf5_array *array, const uint64_t *start);

// Reads a stored chunk. Bit i of `skipped` is set if filter i was not applied. Returns 0 if the chunk cannot be read.
int plumb_hdf5_read_chunk(
    struct plumb_hdf5_array *array, const uint64_t *start, uint32_t *skipped, void *output);

void plumb_hdf5_close(struct plumb_hdf5_array *array);

// Keeps HDF5 from printing errors of the calling thread, which the netCDF library handles. HDF5 has the setting for
// each thread.
#if defined(__linux__)
void plumb_gdal_silence_thread(void);
#else
static inline void plumb_gdal_silence_thread(void) {}
#endif

#endif
