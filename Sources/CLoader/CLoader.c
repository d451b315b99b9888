#if defined(__linux__)

#define _GNU_SOURCE

#include "CLoader.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int is_settled(const struct plumb_library *library) {
  return __atomic_load_n(&library->state, __ATOMIC_ACQUIRE);
}

// Ends the process, because the function cannot be called.
static void end(const char *message) {
  static const char start[] = "plumb: ", line[] = "\n";
  if (write(2, start, sizeof start - 1) < 0 || write(2, message, strlen(message)) < 0 ||
      write(2, line, 1) < 0) {
    _exit(1);
  }
  _exit(1);
}

static void absent(void) {
  end("a function of GDAL, PROJ, GEOS or Cairo is missing from the library that is installed; install the "
      "version that Plumb was built for");
}

// Whether the bundle, if any, has the data of PROJ, which GDAL also reads; otherwise sets the
// library's message.
static int has_data(struct plumb_library *library) {
  char *path = plumb_bundle_path("share/proj/proj.db");
  int found = !path || access(path, R_OK) == 0;
  if (!found) {
    snprintf(
        library->message, sizeof library->message, "%s was not found; install Plumb again", path);
  }
  free(path);
  return found;
}

// Opens the first file that exists; otherwise sets the library's message.
static void *open_first(struct plumb_library *library) {
  if (!has_data(library)) return NULL;
  const char *const *files = library->files();
  void *found = plumb_library_open(files[0], RTLD_LAZY | RTLD_LOCAL);
  if (found) return found;
  const char *error = dlerror();
  const char *reason = error ? error : "no such file";
  if (*plumb_bundle_prefix()) {
    snprintf(
        library->message, sizeof library->message,
        "a library of Plumb's installation cannot be loaded; install Plumb again (%s)", reason);
    return NULL;
  }
  snprintf(
      library->message, sizeof library->message,
      "%s cannot be loaded; install Debian's %s (%s)", files[0], library->package, reason);
  for (const char *const *file = files + 1; *file; file++) {
    found = plumb_library_open(*file, RTLD_LAZY | RTLD_LOCAL);
    if (found) return found;
  }
  return NULL;
}

static int try_loading(struct plumb_library *library) {
  void *file = open_first(library);
  if (!file) return 2;
  void *version = dlsym(file, library->version);
  const char *reason = version ? library->reject(version) : "the library does not report its version";
  if (reason) {
    if (*plumb_bundle_prefix()) {
      snprintf(library->message, sizeof library->message, "%s; install Plumb again", reason);
    } else {
      snprintf(library->message, sizeof library->message, "%s; install Debian's %s", reason,
               library->package);
    }
    return 2;
  }
  for (size_t i = 0; i < library->count; i++) {
    void *found = dlsym(file, library->functions[i].name);
    if (!found) found = (void *)absent;
    __atomic_store_n(library->functions[i].slot, found, __ATOMIC_RELEASE);
  }
  if (library->prepare) library->prepare(file);
  return 1;
}

const char *plumb_library_load(struct plumb_library *library) {
  if (!is_settled(library)) {
    pthread_mutex_lock(&lock);
    if (!is_settled(library)) {
      __atomic_store_n(&library->state, try_loading(library), __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
  }
  return is_settled(library) == 1 ? NULL : library->message;
}

// Called only by `plumb_library_enter`.
__attribute__((visibility("hidden"), used)) void plumb_library_require(
    struct plumb_library *library) {
  const char *message = plumb_library_load(library);
  if (message) end(message);
}

// Preserves the argument registers and the slot while the library is loaded.
#if defined(__x86_64__)
__asm__(".text\n"
        ".p2align 4\n"
        ".globl plumb_library_enter\n"
        ".hidden plumb_library_enter\n"
        ".type plumb_library_enter, @function\n"
        "plumb_library_enter:\n"
        "  pushq %rbp\n"
        "  movq %rsp, %rbp\n"
        "  subq $192, %rsp\n"
        "  movq %rdi, 0(%rsp)\n"
        "  movq %rsi, 8(%rsp)\n"
        "  movq %rdx, 16(%rsp)\n"
        "  movq %rcx, 24(%rsp)\n"
        "  movq %r8, 32(%rsp)\n"
        "  movq %r9, 40(%rsp)\n"
        "  movq %rax, 48(%rsp)\n"
        "  movq %r11, 56(%rsp)\n"
        "  movups %xmm0, 64(%rsp)\n"
        "  movups %xmm1, 80(%rsp)\n"
        "  movups %xmm2, 96(%rsp)\n"
        "  movups %xmm3, 112(%rsp)\n"
        "  movups %xmm4, 128(%rsp)\n"
        "  movups %xmm5, 144(%rsp)\n"
        "  movups %xmm6, 160(%rsp)\n"
        "  movups %xmm7, 176(%rsp)\n"
        "  movq %r10, %rdi\n"
        "  callq plumb_library_require\n"
        "  movups 176(%rsp), %xmm7\n"
        "  movups 160(%rsp), %xmm6\n"
        "  movups 144(%rsp), %xmm5\n"
        "  movups 128(%rsp), %xmm4\n"
        "  movups 112(%rsp), %xmm3\n"
        "  movups 96(%rsp), %xmm2\n"
        "  movups 80(%rsp), %xmm1\n"
        "  movups 64(%rsp), %xmm0\n"
        "  movq 56(%rsp), %r11\n"
        "  movq 48(%rsp), %rax\n"
        "  movq 40(%rsp), %r9\n"
        "  movq 32(%rsp), %r8\n"
        "  movq 24(%rsp), %rcx\n"
        "  movq 16(%rsp), %rdx\n"
        "  movq 8(%rsp), %rsi\n"
        "  movq 0(%rsp), %rdi\n"
        "  leave\n"
        "  jmp *(%r11)\n");
#elif defined(__aarch64__)
__asm__(".text\n"
        ".p2align 2\n"
        ".globl plumb_library_enter\n"
        ".hidden plumb_library_enter\n"
        ".type plumb_library_enter, @function\n"
        "plumb_library_enter:\n"
        "  stp x29, x30, [sp, #-240]!\n"
        "  mov x29, sp\n"
        "  stp x0, x1, [sp, #16]\n"
        "  stp x2, x3, [sp, #32]\n"
        "  stp x4, x5, [sp, #48]\n"
        "  stp x6, x7, [sp, #64]\n"
        "  stp x8, x17, [sp, #80]\n"
        "  stp q0, q1, [sp, #96]\n"
        "  stp q2, q3, [sp, #128]\n"
        "  stp q4, q5, [sp, #160]\n"
        "  stp q6, q7, [sp, #192]\n"
        "  mov x0, x16\n"
        "  bl plumb_library_require\n"
        "  ldp q6, q7, [sp, #192]\n"
        "  ldp q4, q5, [sp, #160]\n"
        "  ldp q2, q3, [sp, #128]\n"
        "  ldp q0, q1, [sp, #96]\n"
        "  ldp x8, x17, [sp, #80]\n"
        "  ldp x6, x7, [sp, #64]\n"
        "  ldp x4, x5, [sp, #48]\n"
        "  ldp x2, x3, [sp, #32]\n"
        "  ldp x0, x1, [sp, #16]\n"
        "  ldp x29, x30, [sp], #240\n"
        "  ldr x16, [x17]\n"
        "  br x16\n");
#endif

#endif
