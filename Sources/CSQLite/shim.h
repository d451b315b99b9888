#ifndef PLUMB_CSQLITE_SHIM_H
#define PLUMB_CSQLITE_SHIM_H

#include <sqlite3.h>

// sqlite3_db_config is variadic, which Swift cannot call.
static inline int plumb_sqlite_set(sqlite3 *database, int option, int value) {
  return sqlite3_db_config(database, option, value, (int *)0);
}

// The type of an entry point for extensions differs from the type that sqlite3_auto_extension
// declares.
typedef int (*plumb_sqlite_entry)(sqlite3 *, char **, const void *);
static inline int plumb_sqlite_on_open(plumb_sqlite_entry entry) {
  return sqlite3_auto_extension((void (*)(void))entry);
}

#endif
