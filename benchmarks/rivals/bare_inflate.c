// The bare limit of a stack: libdeflate decompresses every tile of every file on all cores, without
// undoing predictors or reading cells.
//
// Arguments: threads, files. A thread takes the next file from a shared counter, with all its tiles.

#include <libdeflate.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <tiffio.h>

static char **paths;
static long path_count;
static atomic_long next_path;
static atomic_int failures;

static int unpack(const char *path, struct libdeflate_decompressor *decompressor) {
  TIFF *tiff = TIFFOpen(path, "rm");
  if (!tiff) return 1;
  size_t size = (size_t)TIFFTileSize(tiff), room = 2 * size + 4096;
  uint8_t *packed = malloc(room), *tile = malloc(size);
  uint32_t count = TIFFNumberOfTiles(tiff);
  int failed = 0;
  for (uint32_t number = 0; number < count; number++) {
    tmsize_t length = TIFFReadRawTile(tiff, number, packed, (tmsize_t)room);
    failed += length < 0
        || libdeflate_zlib_decompress(decompressor, packed, (size_t)length, tile, size, NULL) != 0;
  }
  free(packed);
  free(tile);
  TIFFClose(tiff);
  return failed;
}

static void *work(void *unused) {
  (void)unused;
  struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
  long number;
  while ((number = atomic_fetch_add(&next_path, 1)) < path_count) {
    atomic_fetch_add(&failures, unpack(paths[number], decompressor));
  }
  libdeflate_free_decompressor(decompressor);
  return NULL;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: bare_inflate THREADS FILE...\n");
    return 2;
  }
  TIFFSetWarningHandler(NULL);  // GDAL's private tags are unknown to libtiff, and harmless.
  int thread_count = atoi(argv[1]);
  paths = argv + 2;
  path_count = argc - 2;
  pthread_t *threads = malloc((size_t)thread_count * sizeof *threads);
  for (int i = 0; i < thread_count; i++) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < thread_count; i++) pthread_join(threads[i], NULL);
  free(threads);
  return failures == 0 ? 0 : 1;
}
