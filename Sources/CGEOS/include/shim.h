#ifndef PLUMB_CGEOS_SHIM_H
#define PLUMB_CGEOS_SHIM_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__linux__)
// The functions are called through pointers, which are set when the library is loaded.
#define PLUMB_PRAGMA(text) _Pragma(#text)
#define PLUMB_FUNCTION(name) PLUMB_PRAGMA(redefine_extname name plumb_lazy_##name)
#include "functions.h"
#undef PLUMB_FUNCTION
#endif

// Declare only the functions with a context, because the other functions share hidden state between
// threads.
#define GEOS_USE_ONLY_R_API
#include <geos_c.h>

// Loads the library if necessary. Returns NULL, or a message that describes the missing library.
#if defined(__linux__)
const char *plumb_geos_missing(void);
#else
static inline const char *plumb_geos_missing(void) { return NULL; }
#endif

// Makes GEOS calls fail with an exception if `is_ended` returns true on the calling thread. GEOS
// calls `is_ended` periodically in all its long loops. Does nothing if the library lacks the
// required function. Call this function once.
void plumb_geos_end_calls(bool (*is_ended)(void));

#endif
