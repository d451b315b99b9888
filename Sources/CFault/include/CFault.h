#ifndef PLUMB_CFAULT_H
#define PLUMB_CFAULT_H

// What is done when a library that reads a format crashes: one line that names the file, and the end
// of the process. In C because a signal handler may neither allocate nor call Swift's runtime.

// Says that the calling thread is inside a library from here on, and what to print should it crash:
// a whole line, which lives until the matching leave. Returns what was said before.
const char *plumb_fault_enter(const char *line);

// Ends what the matching enter began, with what it returned.
void plumb_fault_leave(const char *previous);

// The line of the innermost call on this thread; NULL outside.
const char *plumb_fault_current(void);

// Handles crashes of this process from here on. A crash of a thread that is not inside a library goes
// to whatever handled it before.
void plumb_fault_install(void);

// A folder whose contents are unfinished: removed with all in it before a crash ends the process.
// Returns a number for forgetting it, or -1 when it cannot be remembered.
int plumb_fault_remember_folder(const char *path);
void plumb_fault_forget_folder(int number);

#endif
