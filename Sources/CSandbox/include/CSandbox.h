#ifndef PLUMB_CSANDBOX_H
#define PLUMB_CSANDBOX_H

#include <stddef.h>
#include <stdint.h>

// The walls that Linux offers a process against itself: Landlock for files, seccomp for sockets.
// By plain system calls, since older C libraries know neither. Elsewhere there is nothing of it:
// each function says so with -1.
//
// A wall holds for the thread that raises it and for those that it starts later; none can be taken
// down again.

// What Landlock tells apart. The numbers are the kernel's.
enum {
  PLUMB_WALL_EXECUTE = 1 << 0,
  PLUMB_WALL_WRITE_FILE = 1 << 1,
  PLUMB_WALL_READ_FILE = 1 << 2,
  PLUMB_WALL_READ_FOLDER = 1 << 3,
  PLUMB_WALL_REMOVE_FOLDER = 1 << 4,
  PLUMB_WALL_REMOVE_FILE = 1 << 5,
  PLUMB_WALL_MAKE_DEVICE = 1 << 6,
  PLUMB_WALL_MAKE_FOLDER = 1 << 7,
  PLUMB_WALL_MAKE_FILE = 1 << 8,
  PLUMB_WALL_MAKE_SOCKET = 1 << 9,
  PLUMB_WALL_MAKE_PIPE = 1 << 10,
  PLUMB_WALL_MAKE_BLOCK_DEVICE = 1 << 11,
  PLUMB_WALL_MAKE_LINK = 1 << 12,
  PLUMB_WALL_MOVE = 1 << 13,      // from one folder to another; version 2
  PLUMB_WALL_TRUNCATE = 1 << 14,  // version 3
};

// Landlock's version, from 1 on; -1 where the kernel has none.
int plumb_landlock_version(void);

// The rights among `rights` that a version of Landlock knows.
uint32_t plumb_landlock_known(uint32_t rights, int version);

// What Landlock tells apart of TCP, from version 4 on. The numbers are the kernel's.
enum { PLUMB_WALL_TCP_BIND = 1 << 0, PLUMB_WALL_TCP_CONNECT = 1 << 1 };

// Begins a wall that stops all of `rights`, and `tcp` too where the kernel can.
// Returns a file descriptor, or -1.
int plumb_landlock_begin(uint32_t rights, int version, uint32_t tcp);

// Lets `rights` through for a file, or for a folder and all below it. Of a file, only those that
// files have. Returns 0, or -1 where there is nothing at `path`, or it is not to be had.
int plumb_landlock_allow(int wall, const char *path, uint32_t rights);

// Lets connections to a port of TCP through. Returns 0 or -1.
int plumb_landlock_connect(int wall, uint16_t port);

// Raises a wall, closes its descriptor, and gives up what lets root see past it. Returns 0 or -1.
int plumb_landlock_raise(int wall);

// Stops sockets of every kind, for all threads of the process: they are refused with EACCES.
// Returns 0 or -1.
int plumb_seccomp_stop_sockets(void);

// Stops, for all threads of the process, connections that are made by sending (MSG_FASTOPEN), which
// Landlock may not see. Returns 0 or -1.
int plumb_seccomp_stop_fast_open(void);

// Stops, for all threads of the process, what code that reads a file never does: sockets, other programs,
// signals to other processes and their memory. Returns 0 or -1.
int plumb_seccomp_stop_all_but_reading(void);

// Calls `visit` with the path of each shared library of the process.
void plumb_loaded_libraries(void (*visit)(const char *path, void *context), void *context);

// A helper: a process that does some of this one's work behind walls and limits of its own.

// What a helper finds open.
enum { PLUMB_HELPER_ERRORS = 2, PLUMB_HELPER_CHANNEL = 3, PLUMB_HELPER_MEMORY = 4 };

// Makes memory that two processes map, whose size neither can change. Returns a file descriptor, or -1.
int plumb_helper_memory(size_t size);

// Starts a program as a helper, without this process's files, signal handlers and process group.
// Returns 0, or the number of the error.
int plumb_helper_start(const char *program, char *const arguments[], char *const environment[],
                       int channel, int memory, int errors, int *process);

// The path of the library or program that this code is a part of; NULL where the system does not say.
const char *plumb_helper_own_file(void);

// Whether the program was started with one argument, and it is this one. Read from the stack: behind
// walls a helper cannot read `/proc/self`, where Swift looks for arguments.
int plumb_helper_is_asked(const char *argument);

// Closes all files but those that a helper has. In the helper itself.
void plumb_helper_close_others(void);

// Limits this process: bytes of its own memory, bytes of a file that it writes, open files; no core dumps.
// Returns 0 or -1.
int plumb_helper_limit(uint64_t memory, uint64_t file_size, uint64_t files);

// Has the system end this process when it has used so many more seconds of processor time.
int plumb_helper_limit_time(uint64_t seconds);

#endif
