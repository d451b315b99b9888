// Defines the pointers and jumps of one library's functions. The library's C file includes this
// file once, after it defines `files`, `reject` and
//   PLUMB_LIBRARY         the name of its `struct plumb_library`, which is defined here
//   PLUMB_PACKAGE         the package to install if the library is missing
//   PLUMB_VERSION         the name of the function that returns the library's version
//   PLUMB_PREPARE         the function to call after the library is loaded; optional
// The library's `include/functions.h` contains a PLUMB_FUNCTION(name) for each function.

#define PLUMB_FUNCTION(name)            \
  extern void plumb_first_##name(void); \
  __attribute__((visibility("hidden"))) void *plumb_slot_##name = (void *)plumb_first_##name;
#include "functions.h"
#undef PLUMB_FUNCTION

static const struct plumb_function functions[] = {
#define PLUMB_FUNCTION(name) {&plumb_slot_##name, #name},
#include "functions.h"
#undef PLUMB_FUNCTION
};

__attribute__((visibility("hidden"))) struct plumb_library PLUMB_LIBRARY = {
    .package = PLUMB_PACKAGE,
    .files = files,
    .version = PLUMB_VERSION,
    .reject = reject,
#ifdef PLUMB_PREPARE
    .prepare = PLUMB_PREPARE,
#endif
    .functions = functions,
    .count = sizeof functions / sizeof functions[0],
};

#define PLUMB_JUMP_TO(library, name) PLUMB_FUNCTION_JUMP(library, name)
#define PLUMB_FUNCTION(name) PLUMB_JUMP_TO(PLUMB_LIBRARY, name)
#include "functions.h"
#undef PLUMB_FUNCTION
