/*
 * Preloaded into a bench (--sync-ms N): a sync of a file or folder lasts at least so long, as on disks that have to
 * wait for their medium, and is counted. It is a real sync first; the rest of the time is slept.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long leastUs = 0;
static _Atomic unsigned long *syncs = NULL;

__attribute__((constructor)) static void begin(void) {
  const char *ms = getenv("KANON_BENCH_SYNC_MS");
  const char *path = getenv("KANON_BENCH_SYNC_COUNT");
  if (ms != NULL) leastUs = (long)(strtod(ms, NULL) * 1000);
  if (path == NULL) return;
  const int file = open(path, O_RDWR);
  if (file < 0) return;
  void *page = mmap(NULL, sizeof(*syncs), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (page != MAP_FAILED) syncs = page;
}

static int slow(long call, int file) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  const int result = (int)syscall(call, file);
  const int error = errno;
  until.tv_sec += leastUs / 1000000;
  until.tv_nsec += leastUs % 1000000 * 1000;
  if (until.tv_nsec >= 1000000000) {
    until.tv_sec += 1;
    until.tv_nsec -= 1000000000;
  }
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {
  }
  if (syncs != NULL) atomic_fetch_add(syncs, 1);
  errno = error;
  return result;
}

int fsync(int file) { return slow(SYS_fsync, file); }
int fdatasync(int file) { return slow(SYS_fdatasync, file); }
