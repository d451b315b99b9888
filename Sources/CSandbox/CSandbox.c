#define _GNU_SOURCE
#include "CSandbox.h"

#include <stddef.h>

#ifdef __linux__

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

// Headers may be older than the kernel that the program runs on. The numbers of these calls are the
// same on every architecture.
enum {
  CALL_IO_URING_SETUP = 425,
  CALL_LANDLOCK_CREATE_RULESET = 444,
  CALL_LANDLOCK_ADD_RULE = 445,
  CALL_LANDLOCK_RESTRICT_SELF = 446,
};

#ifndef SECCOMP_FILTER_FLAG_SPEC_ALLOW
#define SECCOMP_FILTER_FLAG_SPEC_ALLOW (1UL << 2)
#endif

enum { RULE_PATH_BENEATH = 1, RULE_NET_PORT = 2, CREATE_VERSION = 1 };

// The type of the proc file system.
enum { PROC_FILES = 0x9fa0 };

static const uint32_t file_rights =
    PLUMB_LANDLOCK_EXECUTE | PLUMB_LANDLOCK_WRITE_FILE | PLUMB_LANDLOCK_READ_FILE | PLUMB_LANDLOCK_TRUNCATE;

struct ruleset {
  uint64_t files;
  uint64_t net;
};

struct path_rule {
  uint64_t rights;
  int32_t folder;
} __attribute__((packed));

struct port_rule {
  uint64_t rights;
  uint64_t port;
};

int plumb_landlock_version(void) {
  long version = syscall(CALL_LANDLOCK_CREATE_RULESET, NULL, (size_t)0, CREATE_VERSION);
  return version >= 1 ? (int)version : -1;
}

uint32_t plumb_landlock_known(uint32_t rights, int version) {
  if (version < 3) rights &= ~(uint32_t)PLUMB_LANDLOCK_TRUNCATE;
  if (version < 2) rights &= ~(uint32_t)PLUMB_LANDLOCK_MOVE;
  return version < 1 ? 0 : rights;
}

int plumb_landlock_begin(uint32_t rights, int version, uint32_t tcp) {
  struct ruleset rules = {plumb_landlock_known(rights, version), 0};
  size_t size = offsetof(struct ruleset, net);
  if (version >= 4 && tcp != 0) {
    rules.net = tcp;
    size = sizeof rules;
  }
  return (int)syscall(CALL_LANDLOCK_CREATE_RULESET, &rules, size, 0);
}

int plumb_landlock_allow(int ruleset, const char *path, uint32_t rights) {
  struct stat facts;
  struct path_rule rule = {rights, open(path, O_PATH | O_CLOEXEC)};
  if (rule.folder < 0) return -1;
  if (fstat(rule.folder, &facts) == 0 && !S_ISDIR(facts.st_mode)) rule.rights &= file_rights;
  long code = syscall(CALL_LANDLOCK_ADD_RULE, ruleset, RULE_PATH_BENEATH, &rule, 0);
  // A rule applies to the current inode. The inodes of /proc are replaced when memory is scarce,
  // unless their files are open.
  struct statfs system;
  if (code != 0 || fstatfs(rule.folder, &system) != 0 || system.f_type != PROC_FILES) {
    close(rule.folder);
  }
  return code == 0 ? 0 : -1;
}

int plumb_landlock_connect(int ruleset, uint16_t port) {
  struct port_rule rule = {PLUMB_LANDLOCK_TCP_CONNECT, port};
  return syscall(CALL_LANDLOCK_ADD_RULE, ruleset, RULE_NET_PORT, &rule, 0) == 0 ? 0 : -1;
}

// Headers may not define the latest capabilities.
enum { CAPABILITY_PERFMON = 38, CAPABILITY_BPF = 39 };

// With these capabilities, root can read the memory of other processes despite Landlock, or change
// the kernel.
static void drop_capabilities(void) {
  static const int dropped[] = {CAP_SYS_MODULE, CAP_SYS_RAWIO,      CAP_SYS_PTRACE,
                                CAP_SYS_ADMIN,  CAPABILITY_PERFMON, CAPABILITY_BPF};
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
  if (syscall(__NR_capget, &header, data) != 0) return;
  for (size_t index = 0; index < sizeof dropped / sizeof *dropped; index++) {
    struct __user_cap_data_struct *word = &data[dropped[index] / 32];
    uint32_t bit = UINT32_C(1) << (dropped[index] % 32);
    word->effective &= ~bit;
    word->permitted &= ~bit;
    word->inheritable &= ~bit;
  }
  syscall(__NR_capset, &header, data);
}

int plumb_landlock_restrict(int ruleset) {
  long code = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  drop_capabilities();
  if (code == 0) code = syscall(CALL_LANDLOCK_RESTRICT_SELF, ruleset, 0);
  close(ruleset);
  return code == 0 ? 0 : -1;
}

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && defined(__AARCH64EL__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define OWN_ARCHITECTURE AUDIT_ARCH_RISCV64
#endif

#ifdef OWN_ARCHITECTURE
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ANSWER(value) BPF_STMT(BPF_RET | BPF_K, (value))
#define IF_EQUAL(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (skip))
#define STOP(call, code) IF_EQUAL(call, 1), ANSWER(SECCOMP_RET_ERRNO | (code))
// Sending with the flag MSG_FASTOPEN connects a socket. On all supported architectures, the low
// half of an argument comes first.
#define STOP_FLAG(call, argument)                                              \
  IF_EQUAL(call, 4), LOAD(args[argument]),                                     \
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x20000000, 0, 1),                  \
      ANSWER(SECCOMP_RET_ERRNO | EOPNOTSUPP), LOAD(nr)
#define STOP_FAST_OPEN \
  STOP_FLAG(__NR_sendto, 3), STOP_FLAG(__NR_sendmsg, 2), STOP_FLAG(__NR_sendmmsg, 3)
#ifdef __x86_64__
// The numbers of x32 system calls begin at 0x40000000.
#define ONLY_OWN_NUMBERS                                        \
  BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),        \
      ANSWER(SECCOMP_RET_ERRNO | ENOSYS),
#else
#define ONLY_OWN_NUMBERS
#endif
// System calls with another architecture's numbers would bypass the filter; the process makes no
// such calls.
#define ONLY_OWN_ARCHITECTURE                                      \
  LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 1, 0), \
      ANSWER(SECCOMP_RET_ERRNO | ENOSYS), LOAD(nr), ONLY_OWN_NUMBERS
// io_uring would create and connect sockets without this filter.
#define STOP_SOCKETS                                         \
  STOP(__NR_socket, EACCES), STOP(__NR_connect, EACCES),     \
      STOP_FAST_OPEN, STOP(CALL_IO_URING_SETUP, ENOSYS)

static int filter_calls(struct sock_filter *filter, size_t count) {
  struct sock_fprog program = {(unsigned short)count, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  // The filter applies to all threads, including threads that libraries have already started.
  // Without the last flag, kernels before 5.16 slow down the whole process.
  unsigned long flags = SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_SPEC_ALLOW;
  if (syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program) == 0) return 0;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 ? 0 : -1;
}
#endif

int plumb_seccomp_stop_sockets(void) {
#ifdef OWN_ARCHITECTURE
  struct sock_filter filter[] = {
      ONLY_OWN_ARCHITECTURE STOP_SOCKETS, ANSWER(SECCOMP_RET_ALLOW),
  };
  return filter_calls(filter, sizeof filter / sizeof *filter);
#else
  return -1;
#endif
}

int plumb_seccomp_stop_fast_open(void) {
#ifdef OWN_ARCHITECTURE
  // io_uring would send without this filter.
  struct sock_filter filter[] = {
      ONLY_OWN_ARCHITECTURE STOP_FAST_OPEN,
      STOP(CALL_IO_URING_SETUP, ENOSYS),
      ANSWER(SECCOMP_RET_ALLOW),
  };
  return filter_calls(filter, sizeof filter / sizeof *filter);
#else
  return -1;
#endif
}

int plumb_seccomp_stop_all_but_reading(void) {
#ifdef OWN_ARCHITECTURE
  struct sock_filter filter[] = {
      ONLY_OWN_ARCHITECTURE STOP_SOCKETS,
      STOP(__NR_execve, EACCES),
      STOP(__NR_execveat, EACCES),
      STOP(__NR_ptrace, EPERM),
      STOP(__NR_process_vm_readv, EPERM),
      STOP(__NR_process_vm_writev, EPERM),
      STOP(__NR_kill, EPERM),
      STOP(__NR_tkill, EPERM),
      ANSWER(SECCOMP_RET_ALLOW),
  };
  return filter_calls(filter, sizeof filter / sizeof *filter);
#else
  return -1;
#endif
}

struct visitor {
  void (*visit)(const char *path, void *context);
  void *context;
};

static int visit_library(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  struct visitor *visitor = data;
  if (info->dlpi_name && info->dlpi_name[0] == '/') {
    visitor->visit(info->dlpi_name, visitor->context);
  }
  return 0;
}

void plumb_loaded_libraries(void (*visit)(const char *path, void *context), void *context) {
  struct visitor visitor = {visit, context};
  dl_iterate_phdr(visit_library, &visitor);
}

#else

int plumb_landlock_version(void) { return -1; }

uint32_t plumb_landlock_known(uint32_t rights, int version) {
  (void)rights, (void)version;
  return 0;
}

int plumb_landlock_begin(uint32_t rights, int version, uint32_t tcp) {
  (void)rights, (void)version, (void)tcp;
  return -1;
}

int plumb_landlock_allow(int ruleset, const char *path, uint32_t rights) {
  (void)ruleset, (void)path, (void)rights;
  return -1;
}

int plumb_landlock_connect(int ruleset, uint16_t port) {
  (void)ruleset, (void)port;
  return -1;
}

int plumb_landlock_restrict(int ruleset) {
  (void)ruleset;
  return -1;
}

int plumb_seccomp_stop_sockets(void) { return -1; }

int plumb_seccomp_stop_fast_open(void) { return -1; }

int plumb_seccomp_stop_all_but_reading(void) { return -1; }

void plumb_loaded_libraries(void (*visit)(const char *path, void *context), void *context) {
  (void)visit, (void)context;
}

#endif
