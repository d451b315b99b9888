#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>
#endif

#include "CSandbox.h"

#ifdef __linux__
int plumb_helper_memory(size_t size) {
  int memory = memfd_create("plumb", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (memory < 0) return -1;
  // If the memory shrank, a process that reads it would crash.
  int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  if (ftruncate(memory, (off_t)size) == 0 && fcntl(memory, F_ADD_SEALS, seals) == 0) return memory;
  close(memory);
  return -1;
}
#else
int plumb_helper_memory(size_t size) {
  char path[] = "/tmp/plumb-XXXXXX";
  int memory = mkstemp(path);
  if (memory < 0) return -1;
  unlink(path);
  fcntl(memory, F_SETFD, FD_CLOEXEC);
  if (ftruncate(memory, (off_t)size) == 0) return memory;
  close(memory);
  return -1;
}
#endif

// The files for a helper are first duplicated to high descriptors, so that no file replaces
// another.
static int add(posix_spawn_file_actions_t *actions, int file, int number, int *copy) {
  *copy = fcntl(file, F_DUPFD_CLOEXEC, 16);
  return *copy < 0 ? errno : posix_spawn_file_actions_adddup2(actions, *copy, number);
}

int plumb_helper_start(const char *program, char *const arguments[], char *const environment[],
                       int channel, int memory, int errors, int *process) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int copies[3] = {-1, -1, -1};
  pid_t made = 0;
  if (posix_spawn_file_actions_init(&actions) != 0) return ENOMEM;
  if (posix_spawnattr_init(&attributes) != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return ENOMEM;
  }
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  int code = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  if (code == 0) code = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  if (code == 0) code = add(&actions, errors, PLUMB_HELPER_ERRORS, &copies[0]);
  if (code == 0) code = add(&actions, channel, PLUMB_HELPER_CHANNEL, &copies[1]);
  if (code == 0) code = add(&actions, memory, PLUMB_HELPER_MEMORY, &copies[2]);
  if (code == 0) {
    code = posix_spawn(&made, program, &actions, &attributes, arguments, environment);
  }
  *process = (int)made;
  for (int i = 0; i < 3; i++) {
    if (copies[i] >= 0) close(copies[i]);
  }
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return code;
}

const char *plumb_helper_library_file(void) {
  Dl_info info;
  return dladdr((void *)plumb_helper_start, &info) != 0 ? info.dli_fname : NULL;
}

#ifdef __linux__

static const char *only_argument;

__attribute__((constructor)) static void keep_arguments(int count, char **arguments) {
  if (count == 2 && arguments) only_argument = arguments[1];
}

int plumb_helper_is_requested(const char *argument) {
  return only_argument && strcmp(only_argument, argument) == 0;
}

#else

int plumb_helper_is_requested(const char *argument) {
  (void)argument;
  return 0;
}

#endif

void plumb_helper_close_others(void) {
  int first = PLUMB_HELPER_MEMORY + 1;
#ifdef SYS_close_range
  if (syscall(SYS_close_range, (unsigned)first, ~0U, 0) == 0) return;
#endif
  struct rlimit limit;
  long end = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 65536
                 ? (long)limit.rlim_cur : 65536;
  for (long file = first; file < end; file++) close((int)file);
}

// Lowers a limit; a limit that is already lower is unchanged.
static int lower(int resource, uint64_t value) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) != 0) return -1;
  if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max > value) limit.rlim_max = (rlim_t)value;
  if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
  }
  return setrlimit(resource, &limit);
}

int plumb_helper_limit(uint64_t memory, uint64_t file_size, uint64_t files) {
  // The address space also contains the program, its libraries and the shared memory.
  static const uint64_t others = (uint64_t)2 << 30;
  int code = lower(RLIMIT_CORE, 0) | lower(RLIMIT_FSIZE, file_size) | lower(RLIMIT_NOFILE, files) |
             lower(RLIMIT_AS, memory + others);
  // On systems other than Linux, RLIMIT_DATA does not include all memory of malloc.
  return code | lower(RLIMIT_DATA, memory);
}

int plumb_helper_limit_time(uint64_t seconds) {
  struct rusage usage;
  struct rlimit limit;
  if (getrusage(RUSAGE_SELF, &usage) != 0 || getrlimit(RLIMIT_CPU, &limit) != 0) return -1;
  rlim_t end = (rlim_t)usage.ru_utime.tv_sec + (rlim_t)usage.ru_stime.tv_sec + seconds + 1;
  limit.rlim_cur = limit.rlim_max != RLIM_INFINITY && limit.rlim_max < end ? limit.rlim_max : end;
  return setrlimit(RLIMIT_CPU, &limit);
}
