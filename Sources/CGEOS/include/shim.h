#ifndef PLUMB_CGEOS_SHIM_H
#define PLUMB_CGEOS_SHIM_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__linux__)
// Called through pointers, which are set when the library is loaded.
#define PLUMB_PRAGMA(text) _Pragma(#text)
#define PLUMB_FUNCTION(name) PLUMB_PRAGMA(redefine_extname name plumb_lazy_##name)
#include "functions.h"
#undef PLUMB_FUNCTION
#endif

// Only the functions that take a context: the others share hidden state between threads.
#define GEOS_USE_ONLY_R_API
#include <geos_c.h>

// Loads the library unless it is there: NULL, or a line that says what is missing.
#if defined(__linux__)
const char *plumb_geos_missing(void);
#else
static inline const char *plumb_geos_missing(void) { return NULL; }
#endif

// Ends a call of GEOS by an exception, which GEOS turns into the call's failure, where `is_ended` is true
// for the calling thread. GEOS asks from time to time in all its long loops. Does nothing where the library
// has no such function. Called once.
void plumb_geos_end_calls(bool (*is_ended)(void));

#endif
