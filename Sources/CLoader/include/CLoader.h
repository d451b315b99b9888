#ifndef PLUMB_CLOADER_H
#define PLUMB_CLOADER_H

#include <stddef.h>

// A library that is loaded on the first call of one of its functions, or on request.
//
// Callers use the names and types of the library's headers. The library's `shim.h` maps these names
// to other symbols (`#pragma redefine_extname`). Each of these symbols is a jump through a pointer,
// which points to the loader until the library is loaded.

struct plumb_function {
  void **slot;
  const char *name;
};

struct plumb_library {
  // The package to install if the library is missing.
  const char *package;
  // The file names, with the name for the version that Plumb was built for first; ended by NULL.
  const char *const *(*files)(void);
  // The function that returns the library's version.
  const char *version;
  // Returns the reason why the version of the library is not supported, in static memory; NULL if
  // the version is supported.
  const char *(*reject)(void *version);
  // Called with the library's handle after it is loaded; may be NULL.
  void (*prepare)(void *library);
  const struct plumb_function *functions;
  size_t count;
  // The state: 0 not tried yet, 1 loaded, 2 failed, with the reason in `message`.
  int state;
  char message[512];
};

// Loads the library if necessary.
//
// Returns NULL, or a message about the missing library and the package to install. Any thread may
// call this function.
const char *plumb_library_load(struct plumb_library *library);

// A bundle is a folder with a program or shared library of Plumb, and two more folders: `lib` with
// all libraries that Plumb needs and their list `libraries.txt`, and `share` with their data.
//
// Returns the path of a file in the bundle of the program or library that contains this code, whether
// the file exists or not; NULL outside a bundle. The caller frees the path.
char *plumb_bundle_path(const char *name);

// The prefix of the names of the bundle's libraries; empty outside a bundle.
const char *plumb_bundle_prefix(void);

// Calls `dlopen` with the bundle's library of this name; with the name itself outside a bundle.
void *plumb_library_open(const char *name, int mode);

// The file with the system's certificates for libraries of a bundle, which were not built for the
// system; NULL outside a bundle, and if the system has no such file.
const char *plumb_bundle_certificates(void);

// Whether this process is a copy, made by `fork`, of a process in which this code was already
// loaded.
//
// Swift's locks identify a thread by a number that the runtime looks up once, when it is loaded.
// The only thread of a copied process keeps its old number, so that threads that wait for its locks
// wait forever.
int plumb_process_is_copy(void);

// The target of a function's pointer until its library is loaded. It loads the library and
// continues in the function. If the library is missing, the process ends with the message and exit
// status 1.
extern void plumb_library_enter(void);

// Declares and defines the pointer of one function and the symbol called by its name.
#if defined(__x86_64__)
#define PLUMB_FUNCTION_JUMP(library, name)                              \
  __asm__(".text\n"                                                     \
          ".p2align 4\n"                                                \
          ".globl plumb_lazy_" #name "\n"                               \
          ".hidden plumb_lazy_" #name "\n"                              \
          ".type plumb_lazy_" #name ", @function\n"                     \
          "plumb_lazy_" #name ":\n"                                     \
          "  jmp *plumb_slot_" #name "(%rip)\n"                         \
          ".globl plumb_first_" #name "\n"                              \
          ".hidden plumb_first_" #name "\n"                             \
          ".type plumb_first_" #name ", @function\n"                    \
          "plumb_first_" #name ":\n"                                    \
          "  leaq plumb_slot_" #name "(%rip), %r11\n"                   \
          "  leaq " #library "(%rip), %r10\n"                           \
          "  jmp plumb_library_enter\n");
#elif defined(__aarch64__)
#define PLUMB_FUNCTION_JUMP(library, name)                              \
  __asm__(".text\n"                                                     \
          ".p2align 2\n"                                                \
          ".globl plumb_lazy_" #name "\n"                               \
          ".hidden plumb_lazy_" #name "\n"                              \
          ".type plumb_lazy_" #name ", @function\n"                     \
          "plumb_lazy_" #name ":\n"                                     \
          "  adrp x16, plumb_slot_" #name "\n"                          \
          "  ldr x16, [x16, :lo12:plumb_slot_" #name "]\n"              \
          "  br x16\n"                                                  \
          ".globl plumb_first_" #name "\n"                              \
          ".hidden plumb_first_" #name "\n"                             \
          ".type plumb_first_" #name ", @function\n"                    \
          "plumb_first_" #name ":\n"                                    \
          "  adrp x17, plumb_slot_" #name "\n"                          \
          "  add x17, x17, :lo12:plumb_slot_" #name "\n"                \
          "  adrp x16, " #library "\n"                                  \
          "  add x16, x16, :lo12:" #library "\n"                        \
          "  b plumb_library_enter\n");
#else
#error "Add the jumps for this processor: load the slot and jump to its target."
#endif

#endif
