// Preloaded into a process: each fsync and fdatasync takes DELAY_MS milliseconds more.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <time.h>

static int slowly(const char *name, int fd) {
  int result = ((int (*)(int))dlsym(RTLD_NEXT, name))(fd);
  int error = errno;
  struct timespec left = {DELAY_MS / 1000, DELAY_MS % 1000 * 1000000};
  while (nanosleep(&left, &left) == -1 && errno == EINTR);
  errno = error;
  return result;
}

int fsync(int fd) { return slowly("fsync", fd); }
int fdatasync(int fd) { return slowly("fdatasync", fd); }
