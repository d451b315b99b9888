#ifndef PLUMB_CSANDBOX_H
#define PLUMB_CSANDBOX_H

#include <stddef.h>
#include <stdint.h>

// A sandbox for Linux, with Landlock for files and seccomp for sockets. The functions use direct
// system calls, because older C libraries support neither. On other systems, the functions that
// restrict the process return -1.
//
// Restrictions apply to the calling thread and to the threads that it starts later. They cannot be
// removed.

// The Landlock rights. The values are the kernel's.
enum {
  PLUMB_LANDLOCK_EXECUTE = 1 << 0,
  PLUMB_LANDLOCK_WRITE_FILE = 1 << 1,
  PLUMB_LANDLOCK_READ_FILE = 1 << 2,
  PLUMB_LANDLOCK_READ_FOLDER = 1 << 3,
  PLUMB_LANDLOCK_REMOVE_FOLDER = 1 << 4,
  PLUMB_LANDLOCK_REMOVE_FILE = 1 << 5,
  PLUMB_LANDLOCK_MAKE_DEVICE = 1 << 6,
  PLUMB_LANDLOCK_MAKE_FOLDER = 1 << 7,
  PLUMB_LANDLOCK_MAKE_FILE = 1 << 8,
  PLUMB_LANDLOCK_MAKE_SOCKET = 1 << 9,
  PLUMB_LANDLOCK_MAKE_PIPE = 1 << 10,
  PLUMB_LANDLOCK_MAKE_BLOCK_DEVICE = 1 << 11,
  PLUMB_LANDLOCK_MAKE_LINK = 1 << 12,
  PLUMB_LANDLOCK_MOVE = 1 << 13,      // from one folder to another; version 2
  PLUMB_LANDLOCK_TRUNCATE = 1 << 14,  // version 3
};

// The Landlock version, from 1; -1 if the kernel does not support Landlock.
int plumb_landlock_version(void);

// The rights among `rights` that a Landlock version supports.
uint32_t plumb_landlock_known(uint32_t rights, int version);

// The Landlock rights for TCP, from version 4. The values are the kernel's.
enum { PLUMB_LANDLOCK_TCP_BIND = 1 << 0, PLUMB_LANDLOCK_TCP_CONNECT = 1 << 1 };

// Creates a ruleset that denies all of `rights`, and `tcp` if supported by the kernel. Returns a file
// descriptor, or -1.
int plumb_landlock_begin(uint32_t rights, int version, uint32_t tcp);

// Allows `rights` for a file, or for a folder and all below it. For a file, only the rights that
// apply to files are allowed. Returns 0, or -1 if `path` does not exist or cannot be opened.
int plumb_landlock_allow(int ruleset, const char *path, uint32_t rights);

// Allows connections to a TCP port. Returns 0 or -1.
int plumb_landlock_connect(int ruleset, uint16_t port);

// Enforces a ruleset, closes its descriptor, and drops capabilities that let root bypass the
// ruleset. Returns 0 or -1.
int plumb_landlock_restrict(int ruleset);

// Denies sockets of every kind, with EACCES, for all threads of the process. Returns 0 or -1.
int plumb_seccomp_stop_sockets(void);

// Denies connections made by sending (MSG_FASTOPEN), which Landlock may not cover, for all threads of the
// process. Returns 0 or -1.
int plumb_seccomp_stop_fast_open(void);

// Denies the system calls that code for reading files does not need, for all threads of the
// process: sockets, starting other programs, and signals to and memory of other processes. Returns
// 0 or -1.
int plumb_seccomp_stop_all_but_reading(void);

// Calls `visit` with the path of each shared library of the process.
void plumb_loaded_libraries(void (*visit)(const char *path, void *context), void *context);

// A helper: a separate process with its own sandbox and limits.

// The open files of a helper.
enum { PLUMB_HELPER_ERRORS = 2, PLUMB_HELPER_CHANNEL = 3, PLUMB_HELPER_MEMORY = 4 };

// Creates memory that two processes map and whose size neither process can change. Returns a file
// descriptor, or -1.
int plumb_helper_memory(size_t size);

// Starts a program as a helper, without this process's files, signal handlers and process group. Returns 0,
// or an error number.
int plumb_helper_start(const char *program, char *const arguments[], char *const environment[],
                       int channel, int memory, int errors, int *process);

// The path of the library or program that contains this code; NULL if unknown.
const char *plumb_helper_library_file(void);

// Whether the program was started with `argument` as its only argument. The arguments are recorded
// when the process starts, because in the sandbox a helper cannot read `/proc/self`, from which
// Swift reads arguments.
int plumb_helper_is_requested(const char *argument);

// Closes all files except the open files of a helper. Call this function in the helper.
void plumb_helper_close_others(void);

// Limits the private memory of this process and the size of each file that it writes, both in
// bytes, and the number of its open files. Disables core dumps. Returns 0 or -1.
int plumb_helper_limit(uint64_t memory, uint64_t file_size, uint64_t files);

// Ends this process after a number of further seconds of processor time.
int plumb_helper_limit_time(uint64_t seconds);

#endif
