/* Calls the C interface from C: invalid handles and arguments, many threads, polls, memory.
   over a million calls, and fork. Run by ./run, in the root of the project. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plumb.h"

static int failures;

#define CHECK(condition)                                                            \
  do {                                                                              \
    if (!(condition)) {                                                             \
      fprintf(stderr, "%s:%d: %s (%s: %s)\n", __FILE__, __LINE__, #condition,       \
              plumb_error_code(), plumb_error_message());                           \
      __atomic_add_fetch(&failures, 1, __ATOMIC_RELAXED);                           \
    }                                                                               \
  } while (0)
#define CHECK_ERROR(call, code)                                                     \
  do {                                                                              \
    CHECK((call) == PLUMB_FAILED);                                                  \
    CHECK(strcmp(plumb_error_code(), code) == 0 && plumb_error_message()[0]);       \
  } while (0)

enum { COUNT = 200000 };
static double xs[COUNT], ys[COUNT];

static plumb_sampler *open_dem(void) {
  const char *rasters[] = {"rasters/dem"};
  plumb_sampler *handle = NULL;
  CHECK(plumb_sampler_open(rasters, 1, "{\"threads\":2}", NULL, NULL, &handle) == PLUMB_OK);
  return handle;
}

/* The process's memory in kilobytes. */
static long resident(void) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file) return 0;
  if (fscanf(file, "%*s %ld", &pages) != 1) pages = 0;
  fclose(file);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void check_arguments(void) {
  plumb_sampler *handle = (plumb_sampler *)1;
  const char *rasters[] = {"rasters/none.tif", NULL};
  char *text = (char *)1;
  int16_t value = 0;
  uint8_t status = 0;
  plumb_column column = {&value, &status};

  CHECK(plumb_interface() == PLUMB_INTERFACE && strlen(plumb_version()) > 0);
  CHECK(strcmp(plumb_status_name(PLUMB_STATUS_OUTSIDE), "outside") == 0);
  CHECK(strcmp(plumb_status_name(77), "") == 0);
  CHECK_ERROR(plumb_sampler_open(NULL, 1, NULL, NULL, NULL, &handle), "null_argument");
  CHECK(handle == NULL);
  CHECK_ERROR(plumb_sampler_open(rasters, 2, NULL, NULL, NULL, &handle), "null_argument");
  CHECK_ERROR(plumb_sampler_open(rasters, 1, NULL, NULL, NULL, &handle), "not_found");
  CHECK_ERROR(plumb_sampler_open(rasters, -1, NULL, NULL, NULL, &handle), "bad_argument");
  CHECK_ERROR(plumb_sampler_open(rasters, 1, NULL, NULL, NULL, NULL), "null_argument");
  CHECK_ERROR(plumb_sampler_open(rasters, 1, "{", NULL, NULL, &handle), "bad_argument");
  CHECK_ERROR(plumb_sampler_open(rasters, 1, "{\"x\":1}", NULL, NULL, &handle), "bad_argument");
  CHECK_ERROR(
      plumb_sampler_open(rasters, 1, "{\"method\":\"odd\"}", NULL, NULL, &handle), "bad_argument");
  CHECK_ERROR(plumb_sampler_describe(NULL, &text), "null_argument");
  CHECK(text == NULL);
  CHECK_ERROR(plumb_sampler_describe((plumb_sampler *)&value, &text), "closed_handle");
  CHECK_ERROR(plumb_map_describe((plumb_map *)12345, &text), "closed_handle");
  plumb_free(NULL);

  plumb_sampler *dem = open_dem();
  /* A handle of a different type. */
  CHECK_ERROR(plumb_map_describe((plumb_map *)dem, &text), "closed_handle");
  CHECK_ERROR(plumb_sample(dem, NULL, ys, 1, NULL, &column, 1, NULL, NULL, NULL), "null_argument");
  CHECK_ERROR(plumb_sample(dem, xs, ys, -1, NULL, &column, 1, NULL, NULL, NULL), "bad_argument");
  CHECK_ERROR(plumb_sample(dem, xs, ys, 1, NULL, &column, 2, NULL, NULL, NULL), "bad_argument");
  CHECK_ERROR(plumb_sample(dem, xs, ys, 1, NULL, NULL, 1, NULL, NULL, NULL), "null_argument");
  plumb_column odd = {(char *)&column + 1, &status};
  CHECK_ERROR(plumb_sample(dem, xs, ys, 1, NULL, &odd, 1, NULL, NULL, NULL), "bad_argument");
  CHECK(plumb_sample(dem, xs, ys, 1, "EPSG:0", &column, 1, NULL, NULL, NULL) == PLUMB_FAILED);
  CHECK(plumb_sample(dem, NULL, NULL, 0, NULL, &column, 1, NULL, NULL, NULL) == PLUMB_OK);
  CHECK(strcmp(plumb_error_code(), "") == 0);
  double nan_x = NAN, y = -34;
  CHECK(plumb_sample(dem, &nan_x, &y, 1, NULL, &column, 1, NULL, NULL, NULL) == PLUMB_OK);
  CHECK(status == PLUMB_STATUS_BAD_POINT);
  CHECK(plumb_sampler_close(dem) == PLUMB_OK);
  CHECK_ERROR(plumb_sampler_close(dem), "closed_handle");
  CHECK_ERROR(plumb_sample(dem, xs, ys, 1, NULL, &column, 1, NULL, NULL, NULL), "closed_handle");

  CHECK_ERROR(
      plumb_buffer(NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL), "null_argument");
  CHECK_ERROR(
      plumb_zonal(NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL), "null_argument");
  CHECK_ERROR(plumb_monitor_open(NULL, NULL, NULL, NULL, NULL), "null_argument");
  CHECK(plumb_take_warnings(&text) == PLUMB_OK && text[0] == '[');
  plumb_free(text);
}

/* The values and statuses that each thread should read. */
static int16_t expected[COUNT];
static uint8_t expected_status[COUNT];
static plumb_sampler *shared;

static void *sample_all(void *argument) {
  (void)argument;
  int16_t *values = malloc(COUNT * sizeof *values);
  uint8_t *statuses = malloc(COUNT);
  plumb_column column = {values, statuses};
  CHECK(plumb_sample(shared, xs, ys, COUNT, NULL, &column, 1, NULL, NULL, NULL) == PLUMB_OK);
  CHECK(memcmp(statuses, expected_status, COUNT) == 0);
  for (int i = 0; i < COUNT; i++)
    if (statuses[i] == PLUMB_STATUS_OK && values[i] != expected[i]) {
      CHECK(values[i] == expected[i]);
      break;
    }
  for (int i = 0; i < 2000; i++) {
    plumb_column one = {values + i, statuses + i};
    CHECK(plumb_sample(shared, xs + i, ys + i, 1, NULL, &one, 1, NULL, NULL, NULL) == PLUMB_OK);
    CHECK(statuses[i] == expected_status[i]);
  }
  free(values);
  free(statuses);
  return NULL;
}

static void check_threads(void) {
  plumb_column column = {expected, expected_status};
  shared = open_dem();
  CHECK(plumb_sample(shared, xs, ys, COUNT, NULL, &column, 1, NULL, NULL, NULL) == PLUMB_OK);
  pthread_t threads[8];
  for (int i = 0; i < 8; i++) pthread_create(&threads[i], NULL, sample_all, NULL);
  for (int i = 0; i < 8; i++) pthread_join(threads[i], NULL);
  CHECK(plumb_sampler_close(shared) == PLUMB_OK);
}

/* Closes the handle while another thread samples with it. */
static void *close_under(void *argument) {
  plumb_sampler **handle = argument;
  CHECK(plumb_sampler_close(*handle) == PLUMB_OK);
  return NULL;
}

static void check_closing(void) {
  for (int i = 0; i < 20; i++) {
    plumb_sampler *handle = open_dem();
    pthread_t thread;
    plumb_column column = {expected, expected_status};
    pthread_create(&thread, NULL, close_under, &handle);
    int result = plumb_sample(handle, xs, ys, COUNT, NULL, &column, 1, NULL, NULL, NULL);
    CHECK(result == PLUMB_OK || strcmp(plumb_error_code(), "closed_handle") == 0);
    pthread_join(thread, NULL);
  }
}

static pthread_t caller;
static int polls;

static int stop(void *context, double fraction) {
  CHECK(pthread_equal(pthread_self(), caller));
  CHECK(context == &polls && fraction <= 1);
  polls++;
  return 1;
}

static void check_polls(void) {
  /* Enough points for the call to be running at the first poll. */
  enum { MANY = 20000000 };
  double *x = malloc(MANY * sizeof *x), *y = malloc(MANY * sizeof *y);
  int16_t *values = malloc(MANY * sizeof *values);
  for (int i = 0; i < MANY; i++) {
    x[i] = xs[i % COUNT] * 100000;
    y[i] = ys[i % COUNT] * 100000;
  }
  plumb_sampler *handle = open_dem();
  plumb_column column = {values, NULL};
  caller = pthread_self();
  CHECK(
      plumb_sample(handle, x, y, MANY, "EPSG:3857", &column, 1, NULL, stop, &polls)
      == PLUMB_CANCELLED);
  CHECK(polls == 1 && strcmp(plumb_error_code(), "cancelled") == 0);
  /* The handle is unchanged. */
  CHECK(plumb_sample(handle, xs, ys, COUNT, NULL, &column, 1, NULL, NULL, NULL) == PLUMB_OK);
  CHECK(plumb_sampler_close(handle) == PLUMB_OK);
  free(x);
  free(y);
  free(values);
}

static void check_memory(void) {
  plumb_sampler *handle = open_dem();
  int16_t value;
  uint8_t status;
  plumb_column column = {&value, &status};
  long before = 0;
  for (int i = 0; i < 1000000; i++) {
    if (i == 100000) before = resident();
    int k = i % COUNT;
    if (plumb_sample(handle, xs + k, ys + k, 1, NULL, &column, 1, NULL, NULL, NULL)) {
      CHECK(!"sample");
      break;
    }
  }
  for (int i = 0; i < 1000; i++) {
    char *text;
    CHECK(plumb_sampler_describe(handle, &text) == PLUMB_OK);
    plumb_free(text);
    plumb_sampler *other = open_dem();
    CHECK(plumb_sampler_close(other) == PLUMB_OK);
  }
  long after = resident();
  if (before > 0 && after > before + 8192) fprintf(stderr, "%ld kB, then %ld kB\n", before, after);
  CHECK(before == 0 || after <= before + 8192);
  CHECK(plumb_sampler_close(handle) == PLUMB_OK);
}

static void check_fork(void) {
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    plumb_sampler *handle = NULL;
    const char *rasters[] = {"rasters/dem"};
    int result = plumb_sampler_open(rasters, 1, NULL, NULL, NULL, &handle);
    _exit(result == PLUMB_FAILED && strcmp(plumb_error_code(), "forked") == 0 ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void check_table(void) {
  plumb_map *map = NULL;
  struct ArrowSchema schema;
  struct ArrowArray array;
  CHECK(plumb_map_open("rasters/cape.json", NULL, NULL, NULL, &map) == PLUMB_OK);
  for (int i = 0; i < 3; i++) {
    CHECK(
        plumb_map_identify_batch(
            map, xs, ys, 1000, NULL, "{\"layer\":\"wards\"}", NULL, NULL, &schema, &array)
        == PLUMB_OK);
    CHECK(strcmp(schema.format, "+s") == 0 && schema.n_children == array.n_children);
    CHECK(array.length == 1000 && array.children[0]->length == 1000);
    /* A moved array remains valid. */
    struct ArrowArray moved = *array.children[0];
    array.children[0]->release = NULL;
    array.release(&array);
    schema.release(&schema);
    CHECK(array.release == NULL && schema.release == NULL);
    CHECK(((const int64_t *)moved.buffers[1])[0] >= 0);
    moved.release(&moved);
  }
  CHECK(
      plumb_map_identify_batch(
          map, xs, ys, 1, NULL, "{\"layer\":\"none\"}", NULL, NULL, &schema, &array)
      == PLUMB_FAILED);
  CHECK(schema.release == NULL && array.release == NULL);
  CHECK(plumb_map_close(map) == PLUMB_OK);
}

int main(void) {
  srand48(7);
  for (int i = 0; i < COUNT; i++) {
    xs[i] = 18 + 2 * drand48();
    ys[i] = -35 + 2 * drand48();
  }
  /* A child process cannot use the library, whether it is forked before the first call or after the
   * last. */
  check_fork();
  check_arguments();
  check_threads();
  check_closing();
  check_polls();
  check_memory();
  check_table();
  check_fork();
  if (failures == 0) puts("c-interface: all is well");
  return failures == 0 ? 0 : 1;
}
