// Sends locations to a monitor of plumb-server at a fixed rate and receives its events, in one
// thread. Prints one JSON object with the time of each event, from when its POST was due until a
// subscriber received it. For a POST that was sent late, the time also starts when it was due.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { TAIL = 1 << 16, REPLY = 1 << 14 };

typedef struct {
  int file, busy, isPoster;
  size_t held, left;
  int64_t due;
  char *bytes, *out;
  size_t outSize, outSent;
} Connection;

typedef struct { double *at; size_t count, room; } Times;

static int64_t clockNow(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
static int64_t now(void) { return clockNow(CLOCK_MONOTONIC); }

static void die(const char *what) {
  fprintf(stderr, "events: %s: %s\n", what, strerror(errno));
  exit(1);
}

static void add(Times *times, double value) {
  if (times->count == times->room) {
    times->room = times->room ? times->room * 2 : 1 << 16;
    if (!(times->at = realloc(times->at, times->room * sizeof(double)))) die("memory");
  }
  times->at[times->count++] = value;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static double share(Times *times, double part) {
  if (!times->count) return -1;
  size_t at = (size_t)(part * (double)times->count);
  return times->at[at < times->count ? at : times->count - 1];
}

static int joinServer(int port) {
  int file = socket(AF_INET, SOCK_STREAM, 0), on = 1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (file < 0 || connect(file, (struct sockaddr *)&address, sizeof address) < 0) die("connect");
  setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return file;
}

// Reads the events of a subscriber: the message of each is the time when its POST was due.
static void takeEvents(Connection *c, Times *latencies, int64_t at, int64_t *events) {
  static const char mark[] = "\"message\":\"";
  char *from = c->bytes, *end = c->bytes + c->held, *found;
  while ((found = memmem(from, (size_t)(end - from), mark, sizeof mark - 1))) {
    char *number = found + sizeof mark - 1, *quote = memchr(number, '"', (size_t)(end - number));
    if (!quote) break;
    add(latencies, (double)(at - strtoll(number, NULL, 10)) * 1e-6);
    ++*events;
    from = quote;
  }
  // Keep what may be the start of an event.
  char *keep = found ? found : from > end - 64 ? from : end - 64;
  if (keep < from) keep = from;
  c->held = (size_t)(end - keep);
  memmove(c->bytes, keep, c->held);
}

static long member(const char *text, const char *name) {
  const char *found = strstr(text, name);
  return found ? atol(found + strlen(name)) : 0;
}

static void flushOut(Connection *c) {
  while (c->outSent < c->outSize) {
    ssize_t count = send(c->file, c->out + c->outSent, c->outSize - c->outSent, MSG_NOSIGNAL);
    if (count < 0) {
      if (errno == EAGAIN) return;
      die("send");
    }
    c->outSent += (size_t)count;
  }
}

int main(int count, char **words) {
  if (count < 9) {
    fprintf(stderr, "usage: events PORT MONITOR POSTERS LOCATIONS POSTS-A-SECOND SUBSCRIBERS "
                    "SECONDS EVERY [socket]\n");
    return 2;
  }
  int port = atoi(words[1]), posters = atoi(words[3]), each = atoi(words[4]);
  double rate = atof(words[5]), seconds = atof(words[7]);
  int subscribers = atoi(words[6]), every = atoi(words[8]), isSocket = count > 9;
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  int loop = epoll_create1(0), total = posters + subscribers;
  Connection *all = calloc((size_t)total, sizeof *all);
  char request[1024];
  for (int i = 0; i < total; i++) {
    Connection *c = all + i;
    c->file = joinServer(port);
    c->isPoster = i < posters;
    c->bytes = malloc(c->isPoster ? REPLY : TAIL);
    c->out = c->isPoster ? malloc((size_t)each * 160 + 1024) : NULL;
    if (!c->isPoster) {
      int size = snprintf(request, sizeof request,
                          "GET /monitor/%s/events HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%s\r\n",
                          words[2], port,
                          isSocket ? "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                                     "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                                     "Sec-WebSocket-Version: 13\r\n"
                                   : "");
      if (send(c->file, request, (size_t)size, MSG_NOSIGNAL) != size) die("send");
      // The first message contains the event from which to continue.
      while (!memmem(c->bytes, c->held, isSocket ? "\"open\"" : "id: ", isSocket ? 6 : 4)) {
        ssize_t got = recv(c->file, c->bytes + c->held, TAIL - c->held, 0);
        if (got <= 0) die("a subscriber was refused");
        c->held += (size_t)got;
      }
      c->held = 0;
    }
    fcntl(c->file, F_SETFL, O_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN | EPOLLET | (c->isPoster ? EPOLLOUT : 0),
                                .data.ptr = c};
    epoll_ctl(loop, EPOLL_CTL_ADD, c->file, &event);
  }
  Times latencies = {0}, replies = {0};
  int64_t sent = 0, answered = 0, events = 0, received = 0, accepted = 0, refused = 0, lost = 0;
  int64_t start = now() + 200000000, posts = (int64_t)(rate * seconds), stop = 0;
  int64_t wall = clockNow(CLOCK_REALTIME) - now();
  int entities = 10000;
  char *body = malloc((size_t)each * 160 + 64);
  struct epoll_event ready[512];
  while (answered < posts || !stop || now() < stop) {
    int64_t at = now();
    while (sent < posts && start + (int64_t)((double)sent / rate * 1e9) <= at) {
      Connection *c = NULL;
      for (int i = 0; i < posters && !c; i++) {
        Connection *one = all + (sent + i) % posters;
        if (!one->busy) c = one;
      }
      if (!c) break;
      int64_t due = start + (int64_t)((double)sent / rate * 1e9);
      int size = sprintf(body, "[");
      for (int i = 0; i < each; i++) {
        int64_t number = sent * each + i;
        int entity = (int)(number % entities);
        int64_t round = number / entities;
        // One in `every` entities enters or exits; the others stay outside.
        int isInside = entity % every == 0 && (round & 1);
        size += sprintf(body + size,
                        "%s{\"id\":\"e%d\",\"time\":%lld,\"lon\":%.6f,\"lat\":%.6f,\"sent\":\"%lld\"}",
                        i ? "," : "", entity, (long long)((due + wall) / 1000000),
                        18 + entity % 100 * 0.01 + (isInside ? 0.0025 : 0.0075),
                        -34 + entity / 100 % 100 * 0.01 + 0.0025, (long long)due);
      }
      size += sprintf(body + size, "]");
      c->outSize = (size_t)sprintf(c->out,
                                   "POST /monitor/%s/locations HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
                                   "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
                                   words[2], port, size, body);
      c->outSent = 0;
      c->busy = 1;
      c->due = due;
      c->held = 0;
      sent++;
      flushOut(c);
      at = now();
    }
    double wait = sent < posts ? (double)(start + (int64_t)((double)sent / rate * 1e9) - now()) * 1e-6 : 20;
    int found = epoll_wait(loop, ready, 512, wait < 1 ? 0 : wait > 20 ? 20 : (int)wait);
    for (int i = 0; i < found; i++) {
      Connection *c = ready[i].data.ptr;
      if (c->isPoster) flushOut(c);
      for (;;) {
        size_t room = (c->isPoster ? REPLY : TAIL) - c->held - 1;
        ssize_t got = recv(c->file, c->bytes + c->held, room, 0);
        if (got < 0) break;
        if (got == 0) {
          if (!c->isPoster) lost++;
          epoll_ctl(loop, EPOLL_CTL_DEL, c->file, NULL);
          break;
        }
        int64_t taken = now();
        c->held += (size_t)got;
        if (!c->isPoster) {
          takeEvents(c, &latencies, taken, &received);
          continue;
        }
        c->bytes[c->held] = 0;
        char *head = strstr(c->bytes, "\r\n\r\n");
        if (!head) continue;
        long size = member(c->bytes, "ontent-Length: ");
        if (!size) size = member(c->bytes, "ontent-length: ");
        if (c->held < (size_t)(head + 4 - c->bytes) + (size_t)size) continue;
        add(&replies, (double)(taken - c->due) * 1e-6);
        accepted += member(head, "\"accepted\":");
        refused += member(head, "\"refused\":");
        events += member(head, "\"events\":");
        c->busy = 0;
        c->held = 0;
        answered++;
      }
    }
    if (answered == posts && (!stop || received < events * (subscribers - lost))) {
      // Waits for outstanding events.
      if (!stop) stop = now() + 5000000000;
    } else if (answered == posts && stop) {
      break;
    }
  }
  qsort(latencies.at, latencies.count, sizeof(double), ascending);
  qsort(replies.at, replies.count, sizeof(double), ascending);
  printf("{\"subscribers\":%d,\"posts\":%lld,\"accepted\":%lld,\"refused\":%lld,\"events\":%lld,\"received\":%lld,"
         "\"cut\":%lld,\"half\":%.3f,\"of100\":%.3f,\"of1000\":%.3f,\"most\":%.3f,"
         "\"reply\":%.3f,\"reply99\":%.3f}\n",
         subscribers, (long long)answered, (long long)accepted, (long long)refused, (long long)events,
         (long long)received, (long long)lost, share(&latencies, 0.5), share(&latencies, 0.99),
         share(&latencies, 0.999), share(&latencies, 1), share(&replies, 0.5),
         share(&replies, 0.99));
  return 0;
}
