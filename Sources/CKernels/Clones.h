#ifndef PLUMB_CLONES_H
#define PLUMB_CLONES_H

// PLUMB_CLONES compiles a function for several instruction sets, one of which is selected when the
// program starts. It does nothing with ThreadSanitizer, because the selection runs before the
// sanitizer is initialized.
#if defined(__x86_64__) && defined(__linux__) && !__has_feature(thread_sanitizer)
#define PLUMB_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define PLUMB_CLONES
#endif

#endif
