#ifndef PLUMB_CZSTD_SHIM_H
#define PLUMB_CZSTD_SHIM_H

#include <zstd.h>

#endif
