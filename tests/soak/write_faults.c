/* Lets one call that writes below a folder fail, or all from that one on: a full or failing disk.
 *
 * Preloaded into a process, which arms it for the run that is to fail. Counts every call that takes
 * room or makes it durable; calls outside the folder and those of other processes go through.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static char folder[PATH_MAX];
static size_t folder_length;
static atomic_long seen;
static atomic_int armed;
static long fails_at;
static int fails_with, fails_on;
static char what[PATH_MAX + 64];

/* Fail the nth call below a folder with an error; with `on` not zero all later ones as well. */
void write_faults_arm(const char *below, long nth, int error, int on) {
    snprintf(folder, sizeof folder, "%s/", below);
    folder_length = strlen(folder);
    fails_at = nth;
    fails_with = error;
    fails_on = on;
    what[0] = '\0';
    atomic_store(&seen, 0);
    atomic_store(&armed, 1);
}

/* Let everything through again; gives how many calls were counted. */
long write_faults_disarm(void) {
    atomic_store(&armed, 0);
    return atomic_load(&seen);
}

/* The name and the path of the first call that failed, or "". */
const char *write_faults_what(void) { return what; }

static int fails(const char *call, const char *path) {
    if (strncmp(path, folder, folder_length) != 0) return 0;
    long number = atomic_fetch_add(&seen, 1) + 1;
    if (fails_at == 0 || number < fails_at || (number > fails_at && !fails_on)) return 0;
    if (number == fails_at) snprintf(what, sizeof what, "%s %s", call, path + folder_length);
    errno = fails_with;
    return 1;
}

static int fails_fd(const char *call, int fd) {
    if (!atomic_load(&armed)) return 0;
    int before = errno;
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    errno = before;
    if (length < 0) return 0;
    path[length] = '\0';
    return fails(call, path);
}

static int fails_at_path(const char *call, int dirfd, const char *name) {
    if (!atomic_load(&armed)) return 0;
    int before = errno;
    char link[64], path[2 * PATH_MAX];
    ssize_t length = 0;
    if (name[0] != '/') {
        snprintf(link, sizeof link, dirfd == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", dirfd);
        length = readlink(link, path, PATH_MAX - 1);
        if (length < 0) length = 0;
        path[length++] = '/';
    }
    snprintf(path + length, sizeof path - length, "%s", name);
    errno = before;
    return fails(call, path);
}

#define REAL(name) \
    static __typeof__(name) *real; \
    if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

#define ON_FD(type, name, parameters, arguments) \
    type name parameters { \
        REAL(name); \
        if (fails_fd(#name, fd)) return -1; \
        return real arguments; \
    }

ON_FD(ssize_t, write, (int fd, const void *from, size_t size), (fd, from, size))
ON_FD(ssize_t, pwrite, (int fd, const void *from, size_t size, off_t at), (fd, from, size, at))
ON_FD(ssize_t, pwrite64, (int fd, const void *from, size_t size, off64_t at), (fd, from, size, at))
ON_FD(ssize_t, writev, (int fd, const struct iovec *from, int count), (fd, from, count))
ON_FD(ssize_t, pwritev, (int fd, const struct iovec *from, int count, off_t at), (fd, from, count, at))
ON_FD(int, fsync, (int fd), (fd))
ON_FD(int, fdatasync, (int fd), (fd))
ON_FD(int, ftruncate, (int fd, off_t size), (fd, size))
ON_FD(int, ftruncate64, (int fd, off64_t size), (fd, size))
ON_FD(int, fallocate, (int fd, int mode, off_t at, off_t size), (fd, mode, at, size))
ON_FD(int, fallocate64, (int fd, int mode, off64_t at, off64_t size), (fd, mode, at, size))
ON_FD(ssize_t, sendfile, (int fd, int from, off_t *at, size_t size), (fd, from, at, size))
ON_FD(ssize_t, sendfile64, (int fd, int from, off64_t *at, size_t size), (fd, from, at, size))

ssize_t copy_file_range(int from, off64_t *at, int fd, off64_t *to, size_t size, unsigned flags) {
    REAL(copy_file_range);
    return fails_fd("copy_file_range", fd) ? -1 : real(from, at, fd, to, size, flags);
}

int posix_fallocate(int fd, off_t at, off_t size) {
    REAL(posix_fallocate);
    return fails_fd("posix_fallocate", fd) ? fails_with : real(fd, at, size);
}

int posix_fallocate64(int fd, off64_t at, off64_t size) {
    REAL(posix_fallocate64);
    return fails_fd("posix_fallocate64", fd) ? fails_with : real(fd, at, size);
}

#define ON_PATH(name, parameters, dirfd, path, arguments) \
    int name parameters { \
        REAL(name); \
        if (fails_at_path(#name, dirfd, path)) return -1; \
        return real arguments; \
    }

ON_PATH(rename, (const char *from, const char *to), AT_FDCWD, to, (from, to))
ON_PATH(renameat, (int dir, const char *from, int to_dir, const char *to), to_dir, to, (dir, from, to_dir, to))
ON_PATH(renameat2, (int dir, const char *from, int to_dir, const char *to, unsigned flags), to_dir, to,
        (dir, from, to_dir, to, flags))
ON_PATH(link, (const char *from, const char *to), AT_FDCWD, to, (from, to))
ON_PATH(linkat, (int dir, const char *from, int to_dir, const char *to, int flags), to_dir, to,
        (dir, from, to_dir, to, flags))
ON_PATH(mkdir, (const char *path, mode_t mode), AT_FDCWD, path, (path, mode))
ON_PATH(mkdirat, (int dir, const char *path, mode_t mode), dir, path, (dir, path, mode))

/* A file that is there can be opened on a full disk. */
static int makes(int dirfd, const char *path, int flags) {
    int before = errno;
    int there = faccessat(dirfd, path, F_OK, 0) == 0;
    errno = before;
    return (flags & O_CREAT) && !there;
}

#define OPENS(name) \
    int name(const char *path, int flags, ...) { \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = va_arg(rest, mode_t); \
        va_end(rest); \
        REAL(name); \
        if (atomic_load(&armed) && makes(AT_FDCWD, path, flags) && \
            fails_at_path(#name, AT_FDCWD, path)) return -1; \
        return real(path, flags, mode); \
    }

#define OPENS_AT(name) \
    int name(int dir, const char *path, int flags, ...) { \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = va_arg(rest, mode_t); \
        va_end(rest); \
        REAL(name); \
        if (atomic_load(&armed) && makes(dir, path, flags) && \
            fails_at_path(#name, dir, path)) return -1; \
        return real(dir, path, flags, mode); \
    }

OPENS(open)
OPENS(open64)
OPENS_AT(openat)
OPENS_AT(openat64)
