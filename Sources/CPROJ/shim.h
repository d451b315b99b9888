#ifndef PLUMB_CPROJ_SHIM_H
#define PLUMB_CPROJ_SHIM_H
#include <proj.h>
#endif
