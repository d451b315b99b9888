#ifndef PLUMB_CCURL_H
#define PLUMB_CCURL_H

#include <stddef.h>

// The functions of libcurl that Plumb calls. The library is loaded on first use, so that neither it nor its
// headers are needed to build or to run on local files. The numbers below are part of libcurl's stable
// interface.

enum {
  PLUMB_CURL_TIMEOUT_MS = 155,
  PLUMB_CURL_CONNECT_TIMEOUT_MS = 156,
  PLUMB_CURL_LOW_SPEED_LIMIT = 19,
  PLUMB_CURL_LOW_SPEED_TIME = 20,
  PLUMB_CURL_NETRC = 51,
  PLUMB_CURL_POST_SIZE = 60,
  PLUMB_CURL_VERIFY_PEER = 64,
  PLUMB_CURL_GET = 80,
  PLUMB_CURL_VERIFY_HOST = 81,
  PLUMB_CURL_NO_SIGNAL = 99,
  PLUMB_CURL_KEEP_ALIVE = 213,

  PLUMB_CURL_URL = 10002,
  PLUMB_CURL_PROXY = 10004,
  PLUMB_CURL_USER_PASSWORD = 10005,
  PLUMB_CURL_PROXY_USER_PASSWORD = 10006,
  PLUMB_CURL_RANGE = 10007,
  PLUMB_CURL_USER_AGENT = 10018,
  PLUMB_CURL_COOKIE = 10022,
  PLUMB_CURL_CA_FILE = 10065,
  PLUMB_CURL_ACCEPT_ENCODING = 10102,

  PLUMB_CURL_CONNECT_FAILED = 7,
  PLUMB_CURL_PARTIAL = 18,
  PLUMB_CURL_WRITE_ERROR = 23,
  PLUMB_CURL_TIMED_OUT = 28,
  PLUMB_CURL_EMPTY_REPLY = 52,
  PLUMB_CURL_SEND_FAILED = 55,
  PLUMB_CURL_RECEIVE_FAILED = 56,
  PLUMB_CURL_HTTP2 = 16,
  PLUMB_CURL_HTTP2_STREAM = 92,

  PLUMB_CURL_STATUS = 0x200002,
  PLUMB_CURL_REDIRECT_URL = 0x10001F,
};

// Loads the library; returns 1 on success. Call this function once, from one thread.
int plumb_curl_load(void);

// Returns a handle for one thread at a time; NULL if memory runs out. The handle allows only http
// and https, does not follow redirects, and decodes content only if PLUMB_CURL_ACCEPT_ENCODING is
// set.
void *plumb_curl_open(void);
void plumb_curl_close(void *handle);

// Each of these functions returns 0 on success.
int plumb_curl_set_number(void *handle, int option, long value);
int plumb_curl_set_text(void *handle, int option, const char *value);

// The callbacks for bytes of bodies and for each header line; a result other than size * count ends the
// transfer.
typedef size_t (*plumb_curl_sink)(char *bytes, size_t size, size_t count, void *context);
int plumb_curl_set_sinks(
    void *handle, plumb_curl_sink body, plumb_curl_sink header, void *context);

// The callback before each connection. It receives an IPv6 address, or an IPv4 address mapped to
// ::ffff:0:0/96. A result of 0 refuses the connection.
typedef int (*plumb_curl_check)(const unsigned char address[16], void *context);
int plumb_curl_set_check(void *handle, plumb_curl_check check, void *context);

// Sets a body to post, which has to outlive the transfer; NULL sends a request without a body.
int plumb_curl_set_body(void *handle, const void *bytes, long count);

// Adds a line to a list of header lines; `lines` is NULL for an empty list. Returns NULL if memory
// runs out. The list has to outlive its use by a handle.
void *plumb_curl_add_line(void *lines, const char *line);
void plumb_curl_free_lines(void *lines);
int plumb_curl_set_lines(void *handle, void *lines);

// Performs the transfer; returns 0 on success.
int plumb_curl_perform(void *handle);
long plumb_curl_number(void *handle, int info);
const char *plumb_curl_text(void *handle, int info);
const char *plumb_curl_message(int code);

#endif
