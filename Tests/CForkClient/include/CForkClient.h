#pragma once

// Starts the fork server: `program` with `library` preloaded. Returns its socket, or -1.
int plumb_fork_server_start(const char *program, const char *library);

// Runs the server's program with a list of `argument_count` arguments, and waits for its end.
// `request` is the working directory, the number of arguments in decimal digits, the arguments and
// the variables of the environment; each ends with a zero byte. Sets `status` to the exit status, or
// to -1 if a signal ended the process. Returns 0; 1 if the request is too long, so that nothing is run;
// or -1 if the server ended, or if the process did not end in five minutes.
int plumb_fork_server_run(int server, const char *request, int size, int input, int output, int errors,
                          int *status);
