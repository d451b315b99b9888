// Feeds a command with the lines of a file at a constant rate, and measures the time from writing each
// line to reading the line that reports it.
//
//   live_feed FILE EVENTS RATE COMMAND...
//
// One thread writes and reads alternately, without waiting. A line of the command reports a line of
// the feed with "index": N, from 0 without the header; otherwise it is the line of the feed itself,
// in order.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000L + time.tv_nsec;
}

static int compare(const void *a, const void *b) {
  long x = *(const long *)a, y = *(const long *)b;
  return (x > y) - (x < y);
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static long part(const long *sorted, long count, double share) {
  long at = (long)(share * count);
  return count == 0 ? 0 : sorted[at < count ? at : count - 1];
}

// The number after a name, or -1.
static long number(const char *line, const char *name) {
  const char *at = strstr(line, name);
  if (!at) return -1;
  at += strlen(name);
  while (*at == ' ' || *at == '"' || *at == ':') at++;
  return strtol(at, NULL, 10);
}

int main(int count, char **words) {
  if (count < 5) return 2;
  double gap = 1e9 / atof(words[3]);
  int file = open(words[1], O_RDONLY);
  struct stat facts;
  if (file < 0 || fstat(file, &facts) < 0) fail(words[1]);
  long size = facts.st_size;
  char *text = malloc(size);
  for (long done = 0, more; done < size; done += more)
    if ((more = read(file, text + done, size - done)) <= 0) fail(words[1]);
  long lines = -1;  // Without the header.
  for (long at = 0; at < size; at++) lines += text[at] == '\n';
  long *written = calloc(lines, sizeof(long)), *late = calloc(lines, sizeof(long));
  long room = 4 * lines + 16, found = 0, *taken = malloc(room * sizeof(long));
  FILE *events = fopen(words[2], "w");
  if (!events) fail(words[2]);

  int in[2], out[2];
  if (pipe(in) < 0 || pipe(out) < 0) fail("pipe");
  fcntl(in[1], F_SETFD, FD_CLOEXEC);
  fcntl(out[0], F_SETFD, FD_CLOEXEC);
  pid_t child = fork();
  if (child == 0) {
    dup2(in[0], 0);
    dup2(out[1], 1);
    close(in[0]);
    close(out[1]);
    execvp(words[4], words + 4);
    fail(words[4]);
  }
  close(in[0]);
  close(out[1]);
  signal(SIGPIPE, SIG_IGN);

  char *next = text, *end = memchr(text, '\n', size);
  if (write(in[1], text, end + 1 - text) < 0) fail("write");
  next = end + 1;
  // Wait until the fences have been read.
  sleep(3);
  fcntl(in[1], F_SETFL, O_NONBLOCK);
  fcntl(out[0], F_SETFL, O_NONBLOCK);

  static char buffer[1 << 20];
  // An echo starts with the header.
  long echoed = -1;
  long held = 0, line = 0, start = now() + 1000000, last = start;
  int is_open = 1;
  while (is_open || line < lines) {
    long time = now();
    long due = start + (long)(line * gap);
    if (line < lines && time >= due) {
      char *stop = memchr(next, '\n', text + size - next);
      if (!written[line]) {
        written[line] = time;
        late[line] = time - due;
      }
      // A line fits into the pipe completely or not at all.
      if (write(in[1], next, stop + 1 - next) > 0) {
        next = stop + 1;
        last = time;
        if (++line == lines) close(in[1]);
        if (start + (long)(line * gap) <= now()) continue;
      }
    }
    long more = read(out[0], buffer + held, sizeof buffer - held - 1);
    if (more == 0) {
      is_open = 0;
      if (line < lines) fail("the command ended");
    }
    if (more <= 0) continue;
    time = now();
    held += more;
    buffer[held] = 0;
    char *from = buffer;
    for (char *stop; (stop = strchr(from, '\n')); from = stop + 1) {
      *stop = 0;
      long of = number(from, "\"index\"");
      if (of >= 0) {
        fprintf(events, "%ld %d %ld\n", of, strstr(from, "\"entered\"") != NULL,
                number(from, "\"fenceId\""));
      } else {
        of = echoed++;
      }
      if (of >= 0 && of < lines && found < room) taken[found++] = time - written[of];
    }
    held -= from - buffer;
    memmove(buffer, from, held);
  }
  int status;
  waitpid(child, &status, 0);
  fclose(events);
  if (!WIFEXITED(status) || WEXITSTATUS(status)) return 1;

  qsort(taken, found, sizeof(long), compare);
  qsort(late, lines, sizeof(long), compare);
  printf("{\"seconds\": [%.9f], \"lines\": %ld, \"half\": %ld, \"most\": %ld, \"thousandth\": %ld,"
         " \"all\": %ld, \"late_half\": %ld, \"late_most\": %ld, \"rate\": %.0f}\n",
         part(taken, found, 0.99) * 1e-9, found, part(taken, found, 0.5), part(taken, found, 0.99),
         part(taken, found, 0.999), part(taken, found, 1), part(late, lines, 0.5),
         part(late, lines, 0.99), (lines - 1) * 1e9 / (last - start));
  return 0;
}
