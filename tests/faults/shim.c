/* Faults of the file system, call by call.
 *
 * Loaded by LD_PRELOAD before the C library, so that whatever a process links (databases, table formats, maps) is under it too. Calls on
 * files below the folder FAULT_UNDER are counted, from 1 on; call number FAULT_AT is not what it should be, by FAULT_KIND:
 *
 *   eio     it fails: EIO (a sync, a read, a listing …)
 *   enospc  it fails: ENOSPC, where it writes or makes something; others pass
 *   short   it moves one byte less than asked for, at least one: reads and writes
 *   flip    one bit of what was read is another: reads
 *   delay   it comes 300 ms late
 *   ahead   from that call on the clock is two days ahead: calls that ask for the time of day
 *   behind  from that call on it is two days behind
 *
 * With FAULT_LASTS=1 all further calls of that kind fail too, as on a full disk. FAULT_OPS names the operations that are counted, by
 * letters: o open, r read, w write, s sync, n rename, u unlink, l list, t truncate, m map, d make a folder, c ask for the time of day. FAULT_REPORT is a file to
 * which a line is appended at the end: the number of calls, and what call FAULT_AT was.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define MOST_FILES 65536

static atomic_long calls;
static long at;
static int lasts;
static const char *kind = "", *under, *ops, *report;
static size_t under_length;
static _Atomic unsigned char watched[MOST_FILES];
static char what[PATH_MAX + 64];

#define NEXT(name) \
    static __typeof__(&name) next; \
    if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void begin(void) {
    const char *text = getenv("FAULT_AT");
    at = text ? atol(text) : 0;
    text = getenv("FAULT_LASTS");
    lasts = text && *text == '1';
    text = getenv("FAULT_KIND");
    kind = text ? text : "";
    ops = getenv("FAULT_OPS");
    report = getenv("FAULT_REPORT");
    under = getenv("FAULT_UNDER");
    under_length = under ? strlen(under) : 0;
}

__attribute__((destructor)) static void end(void) {
    if (!report) return;
    char line[sizeof what + 64];
    int n = snprintf(line, sizeof line, "%ld %s\n", atomic_load(&calls), what);
    /* The plain calls, so that the report is never a victim of its own faults. */
    static int (*plain_open)(const char *, int, ...);
    static ssize_t (*plain_write)(int, const void *, size_t);
    plain_open = dlsym(RTLD_NEXT, "open");
    plain_write = dlsym(RTLD_NEXT, "write");
    int fd = plain_open(report, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd >= 0 && plain_write(fd, line, n) < 0) _exit(99);
}

/* Whether a path lies in the folder; relative ones are those of a process that works there. */
static int is_ours(int dir, const char *path) {
    char full[PATH_MAX];
    if (!under_length || !path) return 0;
    if (path[0] != '/') {
        char link[64];
        ssize_t n;
        if (dir == AT_FDCWD) {
            if (!getcwd(full, sizeof full)) return 0;
        } else {
            snprintf(link, sizeof link, "/proc/self/fd/%d", dir);
            n = readlink(link, full, sizeof full - 1);
            if (n < 0) return 0;
            full[n] = 0;
        }
        path = full;
    }
    return strncmp(path, under, under_length) == 0;
}

static int is_watched(int fd) { return fd >= 0 && fd < MOST_FILES && atomic_load(&watched[fd]); }

static void watch(int fd, int ours) {
    if (fd >= 0 && fd < MOST_FILES) atomic_store(&watched[fd], ours);
}

/* Counts a call; whether it is the one (or one after it, where the fault lasts). */
static int strikes(char op, const char *name) {
    if (ops && !strchr(ops, op)) return 0;
    long number = atomic_fetch_add(&calls, 1) + 1;
    if (!at || number < at || (number > at && !lasts)) return 0;
    if (number == at) snprintf(what, sizeof what, "%c %.4000s", op, name ? name : "");
    if (!strcmp(kind, "delay")) {
        struct timespec late = {0, 300 * 1000 * 1000};
        nanosleep(&late, NULL);
        return 0;
    }
    return 1;
}

/* The clock, of which all calls are counted, whatever the folder. */
int clock_gettime(clockid_t clock, struct timespec *time) {
    static atomic_long shift;
    NEXT(clock_gettime);
    int result = next(clock, time);
    if (result || clock != CLOCK_REALTIME) return result;
    if (strikes('c', "clock")) {
        if (!strcmp(kind, "ahead")) atomic_store(&shift, 2 * 86400);
        if (!strcmp(kind, "behind")) atomic_store(&shift, -2 * 86400);
    }
    time->tv_sec += atomic_load(&shift);
    return 0;
}

static void name_of(int fd, char *name, size_t size) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, name, size - 1);
    name[n < 0 ? 0 : n] = 0;
}

/* The error of a call that makes or writes something, or of any other; 0: it passes. */
static int failure(int makes) {
    if (!strcmp(kind, "eio")) return EIO;
    if (!strcmp(kind, "enospc") && makes) return ENOSPC;
    return 0;
}

static int fails(char op, const char *name, int makes) {
    if (!strikes(op, name)) return 0;
    int code = failure(makes);
    if (code) errno = code;
    return code != 0;
}

static int fails_on(char op, int fd, int makes) {
    if (!is_watched(fd)) return 0;
    char name[PATH_MAX];
    name_of(fd, name, sizeof name);
    return fails(op, name, makes);
}

/* Bytes to move instead of `asked`; -1: the call fails. `flip`: a bit is to be another. */
static ssize_t moved(char op, int fd, size_t asked, int *flip) {
    *flip = 0;
    if (!is_watched(fd)) return asked;
    char name[PATH_MAX];
    name_of(fd, name, sizeof name);
    if (!strikes(op, name)) return asked;
    int code = failure(op == 'w');
    if (code) {
        errno = code;
        return -1;
    }
    if (!strcmp(kind, "short") && asked > 1) return asked - 1;
    *flip = !strcmp(kind, "flip") && op == 'r';
    return asked;
}

#define OPENED(path_dir, call) \
    mode_t mode = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { \
        va_list rest; \
        va_start(rest, flags); \
        mode = va_arg(rest, mode_t); \
        va_end(rest); \
    } \
    int ours = is_ours(path_dir, path); \
    if (ours && fails('o', path, (flags & O_CREAT) != 0)) return -1; \
    int fd = call; \
    watch(fd, ours); \
    return fd

int open(const char *path, int flags, ...) { NEXT(open); OPENED(AT_FDCWD, next(path, flags, mode)); }
int open64(const char *path, int flags, ...) { NEXT(open64); OPENED(AT_FDCWD, next(path, flags, mode)); }
int openat(int dir, const char *path, int flags, ...) { NEXT(openat); OPENED(dir, next(dir, path, flags, mode)); }
int openat64(int dir, const char *path, int flags, ...) { NEXT(openat64); OPENED(dir, next(dir, path, flags, mode)); }

int close(int fd) {
    NEXT(close);
    watch(fd, 0);
    return next(fd);
}

#define READS(call) \
    int flip; \
    ssize_t most = moved('r', fd, n, &flip); \
    if (most < 0) return -1; \
    ssize_t got = call; \
    if (flip && got > 0) ((unsigned char *)bytes)[got / 2] ^= 0x10; \
    return got

ssize_t read(int fd, void *bytes, size_t n) { NEXT(read); READS(next(fd, bytes, most)); }
ssize_t pread(int fd, void *bytes, size_t n, off_t from) { NEXT(pread); READS(next(fd, bytes, most, from)); }
ssize_t pread64(int fd, void *bytes, size_t n, off64_t from) { NEXT(pread64); READS(next(fd, bytes, most, from)); }

#define WRITES(call) \
    int flip; \
    ssize_t most = moved('w', fd, n, &flip); \
    return most < 0 ? -1 : call

ssize_t write(int fd, const void *bytes, size_t n) { NEXT(write); WRITES(next(fd, bytes, most)); }
ssize_t pwrite(int fd, const void *bytes, size_t n, off_t from) { NEXT(pwrite); WRITES(next(fd, bytes, most, from)); }
ssize_t pwrite64(int fd, const void *bytes, size_t n, off64_t from) { NEXT(pwrite64); WRITES(next(fd, bytes, most, from)); }

ssize_t writev(int fd, const struct iovec *parts, int count) {
    NEXT(writev);
    return fails_on('w', fd, 1) ? -1 : next(fd, parts, count);
}

ssize_t readv(int fd, const struct iovec *parts, int count) {
    NEXT(readv);
    return fails_on('r', fd, 0) ? -1 : next(fd, parts, count);
}

ssize_t copy_file_range(int from, off64_t *at_from, int to, off64_t *at_to, size_t n, unsigned flags) {
    NEXT(copy_file_range);
    return fails_on('w', to, 1) ? -1 : next(from, at_from, to, at_to, n, flags);
}

int fsync(int fd) { NEXT(fsync); return fails_on('s', fd, 1) ? -1 : next(fd); }
int fdatasync(int fd) { NEXT(fdatasync); return fails_on('s', fd, 1) ? -1 : next(fd); }
int ftruncate(int fd, off_t n) { NEXT(ftruncate); return fails_on('t', fd, 1) ? -1 : next(fd, n); }
int ftruncate64(int fd, off64_t n) { NEXT(ftruncate64); return fails_on('t', fd, 1) ? -1 : next(fd, n); }

int rename(const char *from, const char *to) {
    NEXT(rename);
    return is_ours(AT_FDCWD, to) && fails('n', to, 1) ? -1 : next(from, to);
}

int unlink(const char *path) {
    NEXT(unlink);
    return is_ours(AT_FDCWD, path) && fails('u', path, 0) ? -1 : next(path);
}

int rmdir(const char *path) {
    NEXT(rmdir);
    return is_ours(AT_FDCWD, path) && fails('u', path, 0) ? -1 : next(path);
}

int mkdir(const char *path, mode_t mode) {
    NEXT(mkdir);
    return is_ours(AT_FDCWD, path) && fails('d', path, 1) ? -1 : next(path, mode);
}

int symlink(const char *to, const char *path) {
    NEXT(symlink);
    return is_ours(AT_FDCWD, path) && fails('d', path, 1) ? -1 : next(to, path);
}

DIR *opendir(const char *path) {
    NEXT(opendir);
    return is_ours(AT_FDCWD, path) && fails('l', path, 0) ? NULL : next(path);
}

void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t from) {
    NEXT(mmap);
    return fails_on('m', fd, 0) ? MAP_FAILED : next(address, length, protection, flags, fd, from);
}

void *mmap64(void *address, size_t length, int protection, int flags, int fd, off64_t from) {
    NEXT(mmap64);
    return fails_on('m', fd, 0) ? MAP_FAILED : next(address, length, protection, flags, fd, from);
}
