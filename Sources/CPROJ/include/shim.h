#ifndef PLUMB_CPROJ_SHIM_H
#define PLUMB_CPROJ_SHIM_H
#include <stddef.h>

#if defined(__linux__)
// The functions are called through pointers, which are set when the library is loaded.
#define PLUMB_PRAGMA(text) _Pragma(#text)
#define PLUMB_FUNCTION(name) PLUMB_PRAGMA(redefine_extname name plumb_lazy_##name)
#include "functions.h"
#undef PLUMB_FUNCTION
#endif

#include <geodesic.h>
#include <proj.h>

// Loads the library if necessary. Returns NULL, or a message that describes the missing library.
#if defined(__linux__)
const char *plumb_proj_missing(void);
#else
static inline const char *plumb_proj_missing(void) { return NULL; }
#endif

#endif
