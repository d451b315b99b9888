#ifndef PLUMB_CGEOS_SHIM_H
#define PLUMB_CGEOS_SHIM_H
// Only the functions that take a context: the others share hidden state between threads.
#define GEOS_USE_ONLY_R_API
#include <geos_c.h>
#endif
