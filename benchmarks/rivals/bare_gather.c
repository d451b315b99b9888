// The bare limit of sampling: only gathers int16 values from memory by known indices, on all
// cores.
//
// Arguments: values (int16), indices (int32), threads, rounds, results (written: int16).
// Prints the seconds of every round, after one round that is not counted.

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const int16_t *values;
static const int32_t *indices;
static int16_t *answers;

struct part {
  size_t start, end;
};

static void *gather(void *argument) {
  const struct part *part = argument;
  for (size_t i = part->start; i < part->end; i++) answers[i] = values[indices[i]];
  return NULL;
}

static void *read_all(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file) exit(1);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  void *bytes = malloc(*size);
  if (!bytes || fread(bytes, 1, *size, file) != *size) exit(1);
  fclose(file);
  return bytes;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int main(int argc, char **argv) {
  if (argc != 6) {
    fprintf(stderr, "usage: bare_gather VALUES INDICES THREADS ROUNDS ANSWERS\n");
    return 2;
  }
  size_t value_bytes, index_bytes;
  values = read_all(argv[1], &value_bytes);
  indices = read_all(argv[2], &index_bytes);
  size_t count = index_bytes / sizeof *indices;
  size_t thread_count = (size_t)atoi(argv[3]);
  int rounds = atoi(argv[4]);
  answers = malloc(count * sizeof *answers);
  pthread_t *threads = malloc(thread_count * sizeof *threads);
  struct part *parts = malloc(thread_count * sizeof *parts);

  printf("{\"seconds\": [");
  for (int round = 0; round <= rounds; round++) {
    double start = now();
    for (size_t i = 0; i < thread_count; i++) {
      parts[i] = (struct part){count * i / thread_count, count * (i + 1) / thread_count};
      pthread_create(&threads[i], NULL, gather, &parts[i]);
    }
    for (size_t i = 0; i < thread_count; i++) pthread_join(threads[i], NULL);
    if (round > 0) printf("%s%.9f", round > 1 ? ", " : "", now() - start);
  }
  printf("]}\n");

  FILE *file = fopen(argv[5], "wb");
  if (!file || fwrite(answers, sizeof *answers, count, file) != count) return 1;
  return fclose(file) == 0 ? 0 : 1;
}
