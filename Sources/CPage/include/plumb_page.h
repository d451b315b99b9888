// The files of plumb-server's page, embedded in the program.
#ifndef PLUMB_PAGE_H
#define PLUMB_PAGE_H

#include <stddef.h>

typedef struct {
  const char *name;
  const unsigned char *bytes;
  size_t count;
} plumb_page_entry;

// The number of files.
size_t plumb_page_count(void);

// A file by its index from 0.
plumb_page_entry plumb_page_file(size_t index);

#endif
