#ifndef PLUMB_CDEFLATE_SHIM_H
#define PLUMB_CDEFLATE_SHIM_H

#include <libdeflate.h>

#endif
