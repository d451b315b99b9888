#ifndef PLUMB_CFAULT_H
#define PLUMB_CFAULT_H

// Handles crashes of libraries that read formats: prints one line that names the file, and ends the process.
// In C because a signal handler must neither allocate nor call Swift's runtime.

// Marks the calling thread as inside a library, with the message to print in a crash: a whole line, valid
// until the matching leave. Returns the previous message.
const char *plumb_fault_enter(const char *line);

// Ends the matching enter, whose result is `previous`.
void plumb_fault_leave(const char *previous);

// The message of the innermost call on this thread; NULL outside.
const char *plumb_fault_current(void);

// Installs the crash handler of this process. Crashes of threads that are not inside a library are passed to
// the previous handler.
void plumb_fault_install(void);

// Registers a folder of unfinished results, which is removed with its contents when a crash ends the process.
// Returns a number to unregister it, or -1 if it cannot be registered.
int plumb_fault_remember_folder(const char *path);
void plumb_fault_forget_folder(int number);

#endif
