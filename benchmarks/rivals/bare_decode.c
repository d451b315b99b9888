// The bare limit of reading: libtiff only decodes tiles, on all cores.
//
// Arguments: file, threads, list of tiles (int32, the numbers of TIFFComputeTile for band 0). Each
// thread has its own handle, opened without memory mapping, and takes the next tile of the list
// from a shared counter.

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <tiffio.h>

static const char *path;
static int32_t *tiles;
static long tile_count;
static atomic_long next_tile;
static atomic_int failures;

static void *decode(void *unused) {
  (void)unused;
  TIFF *tiff = TIFFOpen(path, "rm");
  if (!tiff) {
    atomic_fetch_add(&failures, 1);
    return NULL;
  }
  tmsize_t size = TIFFTileSize(tiff);
  void *buffer = malloc((size_t)size);
  long number;
  while ((number = atomic_fetch_add(&next_tile, 1)) < tile_count) {
    if (TIFFReadEncodedTile(tiff, (uint32_t)tiles[number], buffer, size) != size) {
      atomic_fetch_add(&failures, 1);
    }
  }
  free(buffer);
  TIFFClose(tiff);
  return NULL;
}

static int read_list(const char *list) {
  FILE *file = fopen(list, "rb");
  if (!file) return 0;
  fseek(file, 0, SEEK_END);
  tile_count = ftell(file) / (long)sizeof *tiles;
  rewind(file);
  tiles = malloc((size_t)tile_count * sizeof *tiles);
  size_t count = fread(tiles, sizeof *tiles, (size_t)tile_count, file);
  fclose(file);
  return count == (size_t)tile_count;
}

int main(int argc, char **argv) {
  if (argc != 4 || !read_list(argv[3])) {
    fprintf(stderr, "usage: bare_decode FILE THREADS TILES\n");
    return 2;
  }
  path = argv[1];
  TIFFSetWarningHandler(NULL);  // GDAL's private tags are unknown to libtiff, and harmless.
  int thread_count = atoi(argv[2]);
  pthread_t *threads = malloc((size_t)thread_count * sizeof *threads);
  for (int i = 0; i < thread_count; i++) pthread_create(&threads[i], NULL, decode, NULL);
  for (int i = 0; i < thread_count; i++) pthread_join(threads[i], NULL);
  free(threads);
  free(tiles);
  return failures == 0 ? 0 : 1;
}
