// Preloaded into `plumb` by tests. The first process loads the libraries once, and then forks for each
// request, because loading the libraries takes longer than most of the runs.
//
// The server runs before the initializers of all other libraries, so a forked process starts like a
// new one. In particular, the Swift runtime stores the number of a thread when it is initialized, and
// its locks fail in a process that is forked later.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

// The files of a request: standard input, output and error, and the pipe for the exit status.
enum { FILE_COUNT = 4, STATUS = 3 };

// The socket that the process inherits.
enum { SOCKET = 3 };

// The size of the largest request in bytes.
enum { REQUEST_SIZE = 1 << 20 };

enum { RUN_COUNT = 1024 };

static char request[REQUEST_SIZE];
static sigset_t mask;
static int count;
static char **arguments;
static char **variables;

// The running processes, and the pipe for each one's status.
static struct {
  pid_t process;
  int status;
} runs[RUN_COUNT];

// Receives a request. Returns its size; 0 when the tests have ended.
static ssize_t receive(int files[FILE_COUNT]) {
  struct iovec part = {request, sizeof request};
  union {
    char bytes[CMSG_SPACE(sizeof(int) * FILE_COUNT)];
    struct cmsghdr header;
  } control;
  struct msghdr message = {.msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = control.bytes,
                           .msg_controllen = sizeof control.bytes};
  ssize_t size;
  while ((size = recvmsg(SOCKET, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) {
  }
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (size <= 0 || (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) || !header ||
      header->cmsg_len != CMSG_LEN(sizeof(int) * FILE_COUNT)) {
    return 0;
  }
  memcpy(files, CMSG_DATA(header), sizeof(int) * FILE_COUNT);
  return size;
}

// Prepares a forked process. The request is the working directory, the number of arguments in decimal
// digits, the arguments and the variables of the environment; each ends with a zero byte.
static void prepare(size_t size, const int files[FILE_COUNT]) {
  for (int file = 0; file < STATUS; file++) dup2(files[file], file);
  close_range(SOCKET, ~0U, 0);
  sigprocmask(SIG_SETMASK, &mask, NULL);
  size_t most = size / 2 + 2;
  arguments = calloc(most, sizeof *arguments);
  variables = calloc(most, sizeof *variables);
  char *next = request;
  if (!arguments || !variables || chdir(next) != 0) _exit(127);
  next += strlen(next) + 1;
  count = (int)strtol(next, NULL, 10);
  next += strlen(next) + 1;
  for (int index = 0; index < count; index++, next += strlen(next) + 1) arguments[index] = next;
  for (int index = 0; next < request + size; index++, next += strlen(next) + 1) {
    variables[index] = next;
  }
  environ = variables;
}

// Sends the exit status of each process that has ended.
static void report(void) {
  int status;
  pid_t process;
  while ((process = waitpid(-1, &status, WNOHANG)) > 0) {
    for (int index = 0; index < RUN_COUNT; index++) {
      if (runs[index].process != process) continue;
      runs[index].process = 0;
      int32_t code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
      // A client that no longer waits has closed the pipe.
      if (write(runs[index].status, &code, sizeof code) < 0 && errno != EPIPE) _exit(1);
      close(runs[index].status);
    }
  }
}

// Returns in each forked process.
__attribute__((constructor)) static void serve(void) {
  static const char *const libraries[] = {"libgdal.so", "libproj.so", "libgeos_c.so"};
  for (size_t index = 0; index < sizeof libraries / sizeof *libraries; index++) {
    dlopen(libraries[index], RTLD_LAZY | RTLD_LOCAL);
  }
  sigset_t child, blocked;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  blocked = child;
  sigaddset(&blocked, SIGPIPE);
  sigprocmask(SIG_BLOCK, &blocked, &mask);
  int ended = signalfd(-1, &child, SFD_CLOEXEC);
  if (ended < 0 || write(SOCKET, "", 1) != 1) _exit(1);
  for (;;) {
    struct pollfd events[2] = {{SOCKET, POLLIN, 0}, {ended, POLLIN, 0}};
    if (poll(events, 2, -1) < 0 && errno != EINTR) _exit(1);
    if (events[1].revents & POLLIN) {
      struct signalfd_siginfo info;
      if (read(ended, &info, sizeof info) < 0) _exit(1);
      report();
    }
    if (!(events[0].revents & (POLLIN | POLLHUP))) continue;
    int files[FILE_COUNT];
    ssize_t size = receive(files);
    if (size == 0) {
      for (int index = 0; index < RUN_COUNT; index++) {
        if (runs[index].process != 0) kill(runs[index].process, SIGKILL);
      }
      _exit(0);
    }
    int index = 0;
    while (index < RUN_COUNT && runs[index].process != 0) index++;
    if (index == RUN_COUNT) _exit(1);
    pid_t process = fork();
    if (process == 0) return prepare((size_t)size, files);
    if (process < 0) _exit(1);
    runs[index].process = process;
    runs[index].status = files[STATUS];
    for (int file = 0; file < STATUS; file++) close(files[file]);
  }
}

typedef int main_function(int, char **, char **);
typedef int start_function(main_function *, int, char **, void (*)(void), void (*)(void),
                           void (*)(void), void *);

// Called by the program's entry point instead of the function of the C library. Passes the arguments and
// the environment of the request.
int __libc_start_main(main_function *main, int first_count, char **first_arguments,
                      void (*init)(void), void (*fini)(void), void (*loader_fini)(void),
                      void *stack_end) {
  (void)first_count, (void)first_arguments;
  // The initializer of the C library has set it to that of the first process.
  environ = variables;
  // Otherwise, Swift reads the arguments of the first process from the kernel.
  void (*override)(char **, int) =
      (void (*)(char **, int))dlsym(RTLD_DEFAULT, "_swift_stdlib_overrideUnsafeArgvArgc");
  if (!override) _exit(127);
  override(arguments, count);
  start_function *start = (start_function *)dlsym(RTLD_NEXT, "__libc_start_main");
  return start(main, count, arguments, init, fini, loader_fini, stack_end);
}
