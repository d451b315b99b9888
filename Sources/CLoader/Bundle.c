#define _GNU_SOURCE

#include <dlfcn.h>
#include <stdlib.h>

#include "CLoader.h"

#if defined(__linux__)

#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// The prefix of the names of a bundle's libraries. With it, they are never confused with other
// libraries in the process, such as those of Python packages.
#define PREFIX "plumb-"

// The folder, without a slash at its end; empty outside a bundle.
static char folder[PATH_MAX];

static void find_folder(void) {
  Dl_info about;
  struct link_map *map = NULL;
  if (!dladdr1((void *)find_folder, &about, (void **)&map, RTLD_DL_LINKMAP) || !map) return;
  char path[PATH_MAX];
  if (!realpath(map->l_name[0] ? map->l_name : "/proc/self/exe", path)) return;
  *strrchr(path, '/') = 0;
  char mark[PATH_MAX];
  int count = snprintf(mark, sizeof mark, "%s/lib/libraries.txt", path);
  if (count < (int)sizeof mark && access(mark, F_OK) == 0) strcpy(folder, path);
}

static const char *bundle(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, find_folder);
  return folder[0] ? folder : NULL;
}

static char *path(const char *first, const char *second) {
  char *text;
  return bundle() && asprintf(&text, "%s/%s%s", bundle(), first, second) >= 0 ? text : NULL;
}

char *plumb_bundle_path(const char *name) { return path(name, ""); }

const char *plumb_bundle_prefix(void) { return bundle() ? PREFIX : ""; }

void *plumb_library_open(const char *name, int mode) {
  char *file = path("lib/" PREFIX, name);
  void *library = dlopen(file ? file : name, mode);
  free(file);
  return library;
}

const char *plumb_bundle_certificates(void) {
  // Debian and its relatives, Fedora and its relatives, openSUSE, Alpine.
  static const char *const files[] = {
      "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
      "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/ca-bundle.pem",
      "/etc/ssl/cert.pem", NULL};
  if (!bundle()) return NULL;
  for (const char *const *file = files; *file; file++) {
    if (access(*file, R_OK) == 0) return *file;
  }
  return NULL;
}

#else

char *plumb_bundle_path(const char *name) { return (void)name, NULL; }

const char *plumb_bundle_prefix(void) { return ""; }

void *plumb_library_open(const char *name, int mode) { return dlopen(name, mode); }

const char *plumb_bundle_certificates(void) { return NULL; }

#endif
