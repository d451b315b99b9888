#ifndef PLUMB_CFAULT_H
#define PLUMB_CFAULT_H

// Handles crashes of libraries that read formats. The handler prints one line that names the file,
// and ends the process. It is written in C, because a signal handler must neither allocate memory
// nor call Swift's runtime.

// Marks the calling thread as being inside a library. `line` is the message to print in a crash, a
// whole line that is valid until the matching plumb_fault_leave. Returns the previous message.
const char *plumb_fault_enter(const char *line);

// Ends the matching plumb_fault_enter, which returned `previous`.
void plumb_fault_leave(const char *previous);

// The message of the innermost call on this thread; NULL outside of a library.
const char *plumb_fault_current(void);

// Installs the crash handler of this process. Crashes of threads that are not inside a library are passed to
// the previous handler.
void plumb_fault_install(void);

// Registers a folder of unfinished results, which is removed with its contents when a crash ends
// the process. Returns a number to unregister the folder, or -1 if the folder cannot be registered.
int plumb_fault_remember_folder(const char *path);
void plumb_fault_forget_folder(int number);

#endif
