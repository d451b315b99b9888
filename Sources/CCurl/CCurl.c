#include "CCurl.h"

#include <CLoader.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
  OPTION_WRITE_DATA = 10001,
  OPTION_POST_FIELDS = 10015,
  OPTION_HEADERS = 10023,
  OPTION_HEADER_DATA = 10029,
  OPTION_PRIVATE = 10103,
  OPTION_OPEN_SOCKET_DATA = 10164,
  OPTION_OPEN_SOCKET_FUNCTION = 20163,
  OPTION_WRITE_FUNCTION = 20011,
  OPTION_HEADER_FUNCTION = 20079,
  OPTION_PROTOCOLS = 181,
  OPTION_REDIRECT_PROTOCOLS = 182,
  OPTION_PROTOCOLS_TEXT = 10318,
  OPTION_REDIRECT_PROTOCOLS_TEXT = 10319,
  INFO_PRIVATE = 0x100015,
  PROTOCOL_HTTP = 1,
  PROTOCOL_HTTPS = 2,
};

static struct {
  void *(*init)(void);
  void (*cleanup)(void *);
  int (*setopt)(void *, int, ...);
  int (*perform)(void *);
  int (*getinfo)(void *, int, ...);
  const char *(*strerror)(int);
  void *(*append)(void *, const char *);
  void (*free_all)(void *);
} curl;

static void *library(void) {
#ifdef __APPLE__
  static const char *const names[] = {"libcurl.4.dylib", "/usr/lib/libcurl.4.dylib"};
#else
  static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
#endif
  // Use the libcurl that another library has already loaded, if any.
  for (int i = 0; i < 2; i++) {
    void *found = plumb_library_open(names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (found) return found;
  }
  for (int i = 0; i < 2; i++) {
    void *found = plumb_library_open(names[i], RTLD_NOW | RTLD_LOCAL);
    if (found) return found;
  }
  return NULL;
}

int plumb_curl_load(void) {
  void *file = library();
  if (!file) return 0;
  int (*global_init)(long) = (int (*)(long))dlsym(file, "curl_global_init");
  curl.init = (void *(*)(void))dlsym(file, "curl_easy_init");
  curl.cleanup = (void (*)(void *))dlsym(file, "curl_easy_cleanup");
  curl.setopt = (int (*)(void *, int, ...))dlsym(file, "curl_easy_setopt");
  curl.perform = (int (*)(void *))dlsym(file, "curl_easy_perform");
  curl.getinfo = (int (*)(void *, int, ...))dlsym(file, "curl_easy_getinfo");
  curl.strerror = (const char *(*)(int))dlsym(file, "curl_easy_strerror");
  curl.append = (void *(*)(void *, const char *))dlsym(file, "curl_slist_append");
  curl.free_all = (void (*)(void *))dlsym(file, "curl_slist_free_all");
  if (!global_init || !curl.init || !curl.cleanup || !curl.setopt || !curl.perform ||
      !curl.getinfo || !curl.strerror || !curl.append || !curl.free_all) {
    return 0;
  }
  return global_init(3) == 0;  // sockets and TLS
}

void *plumb_curl_open(void) {
  void *handle = curl.init();
  if (!handle) return NULL;
  // libcurl accepts the protocols as names since 7.85, and only as bits before.
  if (curl.setopt(handle, OPTION_PROTOCOLS_TEXT, "http,https") != 0 ||
      curl.setopt(handle, OPTION_REDIRECT_PROTOCOLS_TEXT, "http,https") != 0) {
    long bits = PROTOCOL_HTTP | PROTOCOL_HTTPS;
    if (curl.setopt(handle, OPTION_PROTOCOLS, bits) != 0 ||
        curl.setopt(handle, OPTION_REDIRECT_PROTOCOLS, bits) != 0) {
      curl.cleanup(handle);
      return NULL;
    }
  }
  // A bundle's libcurl does not know the system's certificates. `PLUMB_CURL_CA_FILE` replaces this file.
  const char *certificates = plumb_bundle_certificates();
  if (certificates) curl.setopt(handle, PLUMB_CURL_CA_FILE, certificates);
  return handle;
}

// The layout of libcurl's curl_sockaddr.
struct socket_address {
  int family;
  int kind;
  int protocol;
  unsigned int length;
  struct sockaddr address;
};

// The check of one handle; it is freed with the handle.
struct guard {
  plumb_curl_check check;
  void *context;
};

static int open_socket(void *context, int purpose, struct socket_address *target) {
  (void)purpose;
  const struct guard *guard = context;
  unsigned char bytes[16] = {0};
  if (target->family == AF_INET && target->length >= sizeof(struct sockaddr_in)) {
    struct sockaddr_in four;
    memcpy(&four, &target->address, sizeof four);
    bytes[10] = bytes[11] = 0xFF;
    memcpy(bytes + 12, &four.sin_addr, 4);
  } else if (target->family == AF_INET6 && target->length >= sizeof(struct sockaddr_in6)) {
    struct sockaddr_in6 six;
    memcpy(&six, &target->address, sizeof six);
    memcpy(bytes, &six.sin6_addr, 16);
  } else {
    return -1;
  }
  if (!guard->check(bytes, guard->context)) return -1;
  int file = socket(target->family, target->kind, target->protocol);
  if (file >= 0) fcntl(file, F_SETFD, FD_CLOEXEC);
  return file;
}

int plumb_curl_set_check(void *handle, plumb_curl_check check, void *context) {
  struct guard *guard = malloc(sizeof *guard);
  if (!guard) return 27;  // CURLE_OUT_OF_MEMORY
  guard->check = check;
  guard->context = context;
  int code = curl.setopt(handle, OPTION_PRIVATE, guard);
  if (code == 0) code = curl.setopt(handle, OPTION_OPEN_SOCKET_DATA, guard);
  if (code == 0) code = curl.setopt(handle, OPTION_OPEN_SOCKET_FUNCTION, open_socket);
  return code;
}

int plumb_curl_set_body(void *handle, const void *bytes, long count) {
  if (!bytes) return curl.setopt(handle, PLUMB_CURL_GET, 1L);
  int code = curl.setopt(handle, PLUMB_CURL_POST_SIZE, count);
  return code == 0 ? curl.setopt(handle, OPTION_POST_FIELDS, bytes) : code;
}

void plumb_curl_close(void *handle) {
  struct guard *guard = NULL;
  curl.getinfo(handle, INFO_PRIVATE, &guard);
  curl.cleanup(handle);
  free(guard);
}

int plumb_curl_set_number(void *handle, int option, long value) {
  return curl.setopt(handle, option, value);
}

int plumb_curl_set_text(void *handle, int option, const char *value) {
  return curl.setopt(handle, option, value);
}

int plumb_curl_set_sinks(
    void *handle, plumb_curl_sink body, plumb_curl_sink header, void *context) {
  int code = curl.setopt(handle, OPTION_WRITE_FUNCTION, body);
  if (code == 0) code = curl.setopt(handle, OPTION_WRITE_DATA, context);
  if (code == 0) code = curl.setopt(handle, OPTION_HEADER_FUNCTION, header);
  if (code == 0) code = curl.setopt(handle, OPTION_HEADER_DATA, context);
  return code;
}

void *plumb_curl_add_line(void *lines, const char *line) { return curl.append(lines, line); }

void plumb_curl_free_lines(void *lines) { curl.free_all(lines); }

int plumb_curl_set_lines(void *handle, void *lines) {
  return curl.setopt(handle, OPTION_HEADERS, lines);
}

int plumb_curl_perform(void *handle) { return curl.perform(handle); }

long plumb_curl_number(void *handle, int info) {
  long value = 0;
  return curl.getinfo(handle, info, &value) == 0 ? value : 0;
}

const char *plumb_curl_text(void *handle, int info) {
  const char *value = NULL;
  return curl.getinfo(handle, info, &value) == 0 ? value : NULL;
}

const char *plumb_curl_message(int code) { return curl.strerror(code); }
