#ifndef PLUMB_CPROJ_SHIM_H
#define PLUMB_CPROJ_SHIM_H
#include <geodesic.h>
#include <proj.h>
#endif
