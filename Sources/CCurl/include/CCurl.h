#ifndef PLUMB_CCURL_H
#define PLUMB_CCURL_H

#include <stddef.h>

// The few functions of libcurl that Plumb calls. The library is loaded when it is first needed, so
// that neither it nor its headers have to be there to build or to run on local files. The numbers
// below are part of libcurl's stable interface.

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
  PLUMB_CURL_NOTHING_CAME = 52,
  PLUMB_CURL_SEND_FAILED = 55,
  PLUMB_CURL_RECEIVE_FAILED = 56,
  PLUMB_CURL_HTTP2 = 16,
  PLUMB_CURL_HTTP2_STREAM = 92,

  PLUMB_CURL_STATUS = 0x200002,
  PLUMB_CURL_REDIRECT_URL = 0x10001F,
};

// Loads the library: 1 when it is there. One thread calls it, once.
int plumb_curl_load(void);

// A handle, which one thread at a time uses; NULL when there is no memory. It allows http and https
// alone, follows no redirect, and decodes no content unless PLUMB_CURL_ACCEPT_ENCODING is set.
void *plumb_curl_open(void);
void plumb_curl_close(void *handle);

// Each returns 0 when the library took it.
int plumb_curl_set_number(void *handle, int option, long value);
int plumb_curl_set_text(void *handle, int option, const char *value);

// What is called with the bytes of bodies, and with each line of headers; an answer other than
// size * count ends the transfer.
typedef size_t (*plumb_curl_sink)(char *bytes, size_t size, size_t count, void *context);
int plumb_curl_set_sinks(
    void *handle, plumb_curl_sink body, plumb_curl_sink header, void *context);

// What is asked before a connection is made, with the address in the form of IPv6, one of IPv4 as
// ::ffff:0:0/96 has it; 0 refuses it.
typedef int (*plumb_curl_check)(const unsigned char address[16], void *context);
int plumb_curl_set_check(void *handle, plumb_curl_check check, void *context);

// A body to post, which has to outlive the transfer; NULL for a request without.
int plumb_curl_set_body(void *handle, const void *bytes, long count);

// A list of header lines. The first is added to NULL; NULL comes back when there is no memory. The
// list has to outlive its use by a handle.
void *plumb_curl_add_line(void *lines, const char *line);
void plumb_curl_free_lines(void *lines);
int plumb_curl_set_lines(void *handle, void *lines);

// Does the transfer; 0 when all came.
int plumb_curl_perform(void *handle);
long plumb_curl_number(void *handle, int info);
const char *plumb_curl_text(void *handle, int info);
const char *plumb_curl_message(int code);

#endif
