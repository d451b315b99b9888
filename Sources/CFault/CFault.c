#define _GNU_SOURCE
#include "CFault.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __linux__
#include <stdint.h>
#include <sys/syscall.h>
#endif

enum { FOLDERS = 64, STACK = 32 << 10, DEPTH = 8 };

static _Thread_local const char *volatile current;
// The alternate stack of the signal handler, which is needed if a library overflows the stack.
static _Thread_local char stack[STACK];
static _Thread_local int has_stack;

// SIGILL and SIGTRAP are not handled, so that Swift's traps, which raise them, still print a
// backtrace.
static const int signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE};
enum { SIGNALS = sizeof signals / sizeof signals[0] };
static struct sigaction before[SIGNALS];
static atomic_int installed;
static atomic_int is_ending;

static struct {
  atomic_int state;  // 0 free, 1 being written, 2 in use
  char path[PATH_MAX];
} folders[FOLDERS];

static void lend_stack(void) {
  has_stack = 1;
  stack_t known;
  if (sigaltstack(NULL, &known) != 0 || !(known.ss_flags & SS_DISABLE)) return;
  stack_t alternate = {.ss_sp = stack, .ss_size = STACK, .ss_flags = 0};
  sigaltstack(&alternate, NULL);
}

const char *plumb_fault_enter(const char *line) {
  const char *previous = current;
  if (!has_stack && atomic_load_explicit(&installed, memory_order_relaxed)) lend_stack();
  current = line;
  return previous;
}

void plumb_fault_leave(const char *previous) { current = previous; }

const char *plumb_fault_current(void) { return current; }

int plumb_fault_remember_folder(const char *path) {
  if (strlen(path) >= PATH_MAX) return -1;
  for (int i = 0; i < FOLDERS; i++) {
    int state = 0;
    if (!atomic_compare_exchange_strong(&folders[i].state, &state, 1)) continue;
    strcpy(folders[i].path, path);
    atomic_store(&folders[i].state, 2);
    return i;
  }
  return -1;
}

void plumb_fault_forget_folder(int number) {
  if (number >= 0 && number < FOLDERS) atomic_store(&folders[number].state, 0);
}

#ifdef __linux__
struct entry {
  uint64_t inode;
  int64_t offset;
  unsigned short length;
  unsigned char type;
  char name[];
};

// Uses the system call, because the C library allocates memory to read a folder.
static void empty_folder(int parent, const char *path, int depth) {
  int folder = openat(parent, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return;
  char buffer[1024] __attribute__((aligned(8)));
  long count;
  while ((count = syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0) {
    for (long at = 0; at < count;) {
      struct entry *entry = (struct entry *)(buffer + at);
      at += entry->length;
      if (strcmp(entry->name, ".") == 0 || strcmp(entry->name, "..") == 0) continue;
      if (unlinkat(folder, entry->name, 0) == 0 || depth >= DEPTH) continue;
      empty_folder(folder, entry->name, depth + 1);
      unlinkat(folder, entry->name, AT_REMOVEDIR);
    }
  }
  close(folder);
}
#else
static void empty_folder(int parent, const char *path, int depth) {
  (void)parent; (void)path; (void)depth;
}
#endif

static void remove_folders(void) {
  for (int i = 0; i < FOLDERS; i++) {
    if (atomic_load(&folders[i].state) != 2) continue;
    // Other threads may still be writing files.
    for (int pass = 0; pass < 8; pass++) {
      empty_folder(AT_FDCWD, folders[i].path, 0);
      if (rmdir(folders[i].path) == 0) break;
    }
  }
}

static void handle(int number, siginfo_t *info, void *context) {
  const char *line = current;
  if (line) {
    if (atomic_exchange(&is_ending, 1) != 0) {
      for (;;) pause();
    }
    ssize_t written = write(STDERR_FILENO, line, strlen(line));
    (void)written;
    remove_folders();
    _exit(1);
  }
  for (int i = 0; i < SIGNALS; i++) {
    if (signals[i] != number) continue;
    if ((before[i].sa_flags & SA_SIGINFO) && before[i].sa_sigaction) {
      before[i].sa_sigaction(number, info, context);
      return;
    }
    if (before[i].sa_handler == SIG_IGN) return;
    if (before[i].sa_handler != SIG_DFL) {
      before[i].sa_handler(number);
      return;
    }
  }
  signal(number, SIG_DFL);
  raise(number);
}

void plumb_fault_install(void) {
  if (atomic_exchange(&installed, 1) != 0) return;
  lend_stack();
  for (int i = 0; i < SIGNALS; i++) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    sigaction(signals[i], &action, &before[i]);
  }
}
