// Preloaded into `plumb` by tests. Its process loads the libraries once, and then runs the program's
// `main` in a forked process for each request, because loading the libraries takes longer than most
// of the runs.
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

typedef int main_function(int, char **, char **);

// The files of a request: standard input, output and error, and the pipe for the exit status.
enum { FILE_COUNT = 4, STATUS = 3 };

// The socket that the process inherits.
enum { SOCKET = 3 };

// The size of the largest request in bytes.
enum { REQUEST_SIZE = 1 << 20 };

enum { RUN_COUNT = 1024 };

static main_function *program;
static char request[REQUEST_SIZE];
static sigset_t mask;

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

// Runs `main` as requested. The request is the working directory, the number of arguments in decimal
// digits, the arguments and the variables of the environment; each ends with a zero byte.
static int run(size_t size, const int files[FILE_COUNT]) {
  for (int file = 0; file < STATUS; file++) dup2(files[file], file);
  close_range(SOCKET, ~0U, 0);
  sigprocmask(SIG_SETMASK, &mask, NULL);
  size_t most = size / 2 + 2;
  char **arguments = calloc(most, sizeof *arguments);
  char **variables = calloc(most, sizeof *variables);
  char *next = request;
  if (!arguments || !variables || chdir(next) != 0) return 127;
  next += strlen(next) + 1;
  int count = (int)strtol(next, NULL, 10);
  next += strlen(next) + 1;
  for (int index = 0; index < count; index++, next += strlen(next) + 1) arguments[index] = next;
  for (int index = 0; next < request + size; index++, next += strlen(next) + 1) {
    variables[index] = next;
  }
  environ = variables;
  // Otherwise, Swift reads the arguments of the first process from the kernel.
  void (*override)(char **, int) =
      (void (*)(char **, int))dlsym(RTLD_DEFAULT, "_swift_stdlib_overrideUnsafeArgvArgc");
  if (!override) return 127;
  override(arguments, count);
  return program(count, arguments, variables);
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
      if (write(runs[index].status, &code, sizeof code) < 0) _exit(1);
      close(runs[index].status);
    }
  }
}

static int serve(int count, char **arguments, char **variables) {
  (void)count, (void)arguments, (void)variables;
  unsetenv("LD_PRELOAD");
  static const char *const libraries[] = {"libgdal.so", "libproj.so", "libgeos_c.so"};
  for (size_t index = 0; index < sizeof libraries / sizeof *libraries; index++) {
    dlopen(libraries[index], RTLD_LAZY | RTLD_LOCAL);
  }
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, &mask);
  int ended = signalfd(-1, &child, SFD_CLOEXEC);
  if (ended < 0 || write(SOCKET, "", 1) != 1) return 1;
  for (;;) {
    struct pollfd events[2] = {{SOCKET, POLLIN, 0}, {ended, POLLIN, 0}};
    if (poll(events, 2, -1) < 0 && errno != EINTR) return 1;
    if (events[1].revents & POLLIN) {
      struct signalfd_siginfo info;
      if (read(ended, &info, sizeof info) < 0) return 1;
      report();
    }
    if (!(events[0].revents & (POLLIN | POLLHUP))) continue;
    int files[FILE_COUNT];
    ssize_t size = receive(files);
    if (size == 0) return 0;
    int index = 0;
    while (index < RUN_COUNT && runs[index].process != 0) index++;
    if (index == RUN_COUNT) return 1;
    pid_t process = fork();
    if (process == 0) return run((size_t)size, files);
    if (process < 0) return 1;
    runs[index].process = process;
    runs[index].status = files[STATUS];
    for (int file = 0; file < STATUS; file++) close(files[file]);
  }
}

typedef int start_function(main_function *, int, char **, void (*)(void), void (*)(void),
                           void (*)(void), void *);

// Called by the program's entry point instead of the function of the C library.
int __libc_start_main(main_function *main, int count, char **arguments, void (*init)(void),
                      void (*fini)(void), void (*loader_fini)(void), void *stack_end) {
  start_function *start = (start_function *)dlsym(RTLD_NEXT, "__libc_start_main");
  program = main;
  return start(serve, count, arguments, init, fini, loader_fini, stack_end);
}
