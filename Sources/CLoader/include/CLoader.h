#ifndef PLUMB_CLOADER_H
#define PLUMB_CLOADER_H

#include <stddef.h>

// A library that is loaded when one of its functions is first called, or when it is asked for.
//
// Its functions are called by the names and with the types of its own headers, which `shim.h` of
// each library gives other symbols (`#pragma redefine_extname`). Such a symbol is one jump through a
// pointer, which leads to the loader until the library is there.

struct plumb_function {
  void **slot;
  const char *name;
};

struct plumb_library {
  // What the user installs when it is missing.
  const char *package;
  // Names of the file, the one of this version first; NULL ends them.
  const char *const *(*files)(void);
  // The function that tells the library's version.
  const char *version;
  // Says with it why the library that was found will not do, in static memory; NULL when it will.
  const char *(*reject)(void *version);
  const struct plumb_function *functions;
  size_t count;
  // What came of loading it: 0 not tried yet, 1 there, 2 not there, for the reason in `message`.
  int state;
  char message[512];
};

// Loads the library unless it is there.
//
// Returns NULL, or a line that says what is missing and what to install. Any thread may call it.
const char *plumb_library_load(struct plumb_library *library);

// Whether this process is a copy, made by `fork`, of one in which this code was loaded already.
//
// Swift's locks know a thread by a number that is looked up once, by its runtime as soon as it is loaded.
// The one thread of a copy keeps the number it had, and who waits for what it locks waits for ever.
int plumb_process_is_copy(void);

// Where a function's pointer leads until its library is loaded: loads it and goes on into the
// function. Without the library, the process ends with the line and exit status 1.
extern void plumb_library_enter(void);

// Declares and defines the pointer of one function and what is called by its name.
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
#error "Add the jumps for this processor: load the slot, go on where it points."
#endif

#endif
