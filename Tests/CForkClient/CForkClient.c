#define _GNU_SOURCE
#include "CForkClient.h"

#ifdef __linux__

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

// The descriptor that the server expects its socket at.
enum { SOCKET = 3 };

// The limit on the duration of a run in milliseconds.
enum { LONGEST_RUN = 300000 };

static int spawn(const char *program, const char *library, int server) {
  size_t count = 0;
  while (environ[count]) count++;
  char **variables = calloc(count + 2, sizeof *variables);
  char *preload;
  if (!variables || asprintf(&preload, "LD_PRELOAD=%s", library) < 0) return -1;
  variables[0] = preload;
  for (size_t index = 0, next = 1; index < count; index++) {
    if (strncmp(environ[index], "LD_PRELOAD=", 11) != 0) variables[next++] = environ[index];
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0);
  posix_spawn_file_actions_adddup2(&actions, 0, 1);
  posix_spawn_file_actions_adddup2(&actions, server, SOCKET);
  // The server must not keep the connections and files of tests open.
  posix_spawn_file_actions_addclosefrom_np(&actions, SOCKET + 1);
  char *arguments[] = {(char *)program, NULL};
  pid_t process;
  int code = posix_spawn(&process, program, &actions, NULL, arguments, variables);
  posix_spawn_file_actions_destroy(&actions);
  free(preload);
  free(variables);
  return code == 0 ? 0 : -1;
}

int plumb_fork_server_start(const char *program, const char *library) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return -1;
  // Moves the server's end to a descriptor other than SOCKET, because dup2 onto the same descriptor
  // can keep its close-on-exec flag.
  int server = fcntl(ends[1], F_DUPFD_CLOEXEC, SOCKET + 1);
  close(ends[1]);
  int code = spawn(program, library, server);
  close(server);
  char byte;
  if (code == 0 && recv(ends[0], &byte, 1, 0) == 1) return ends[0];
  close(ends[0]);
  return -1;
}

int plumb_fork_server_run(int server, const char *request, int size, int input, int output, int errors,
                          int *status) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  int files[] = {input, output, errors, ends[1]};
  struct iovec part = {(void *)request, (size_t)size};
  union {
    char bytes[CMSG_SPACE(sizeof files)];
    struct cmsghdr header;
  } control;
  memset(&control, 0, sizeof control);
  struct msghdr message = {.msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = control.bytes,
                           .msg_controllen = sizeof control.bytes};
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof files);
  memcpy(CMSG_DATA(header), files, sizeof files);
  ssize_t sent;
  while ((sent = sendmsg(server, &message, MSG_NOSIGNAL)) < 0 && errno == EINTR) {
  }
  int is_long = sent < 0 && errno == EMSGSIZE;
  close(ends[1]);
  int32_t code;
  ssize_t count = -1;
  struct pollfd ended = {ends[0], POLLIN, 0};
  if (sent >= 0 && poll(&ended, 1, LONGEST_RUN) == 1) {
    while ((count = read(ends[0], &code, sizeof code)) < 0 && errno == EINTR) {
    }
  }
  close(ends[0]);
  if (is_long) return 1;
  if (count != sizeof code) return -1;
  *status = code;
  return 0;
}

#else

int plumb_fork_server_start(const char *program, const char *library) {
  return (void)program, (void)library, -1;
}

int plumb_fork_server_run(int server, const char *request, int size, int input, int output, int errors,
                          int *status) {
  (void)server, (void)request, (void)size, (void)input, (void)output, (void)errors, (void)status;
  return -1;
}

#endif
