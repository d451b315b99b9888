#include <pthread.h>

#include "CLoader.h"

static int is_copy;

static void mark(void) { is_copy = 1; }

__attribute__((constructor)) static void watch(void) { pthread_atfork(NULL, NULL, mark); }

int plumb_process_is_copy(void) { return is_copy; }
