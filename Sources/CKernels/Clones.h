#ifndef PLUMB_CLONES_H
#define PLUMB_CLONES_H

// A function compiled for several instruction sets, of which one is selected when the program starts. Not
// with ThreadSanitizer: the selection runs before the sanitizer is initialized.
#if defined(__x86_64__) && defined(__linux__) && !__has_feature(thread_sanitizer)
#define PLUMB_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define PLUMB_CLONES
#endif

#endif
