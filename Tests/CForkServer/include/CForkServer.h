#pragma once

// The library has no functions to call: it is preloaded into `plumb`, see ForkServer.c.
