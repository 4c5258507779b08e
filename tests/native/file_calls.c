/* SPDX-FileCopyrightText: 2026 The zerofab developers
 * SPDX-License-Identifier: BSD-3-Clause
 * Loaded before libc, for tests/python/test_whole_files.py: notes the calls that make a file last, and lets one fail. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static char folder[4096]; /* only what happens below it counts */
static char notes[1 << 20];
static size_t used;
static long calls, failing = -1;
static int exchanges = 1;

/* Watch a folder, and let call number `fail` (from 0; -1: none) fail; exchange 0: the system cannot exchange names. */
void file_calls_start(const char* path, long fail, int exchange) {
    strncpy(folder, path, sizeof folder - 1);
    used = 0;
    notes[0] = 0;
    calls = 0;
    failing = fail;
    exchanges = exchange;
}

/* What happened, a line each; nothing is watched from now on. */
const char* file_calls_stop(void) {
    folder[0] = 0;
    return notes;
}

static int watched(const char* path) { return folder[0] != 0 && strncmp(path, folder, strlen(folder)) == 0; }

/* Note a call; whether it has to fail. */
static int note(const char* what, const char* a, const char* b) {
    int n = snprintf(notes + used, sizeof notes - used, "%s\t%s\t%s\n", what, a, b);
    if (n > 0 && used + (size_t)n < sizeof notes) used += (size_t)n;
    if (calls++ != failing) return 0;
    errno = EIO;
    return 1;
}

int open(const char* path, int flags, ...) {
    static int (*real)(const char*, int, ...);
    if (!real) *(void**)&real = dlsym(RTLD_NEXT, "open");
    va_list all;
    va_start(all, flags);
    mode_t mode = flags & O_CREAT ? va_arg(all, mode_t) : 0;
    va_end(all);
    if (watched(path) && flags & O_CREAT) {
        int safe = (flags & O_EXCL) && (flags & O_NOFOLLOW);
        if (note(safe ? "create" : "unsafe", path, "")) return -1;
    }
    return real(path, flags, mode);
}

static int of_file(const char* what, int fd) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n < 0) return 0;
    path[n] = 0;
    return watched(path) && note(what, path, "");
}

int fsync(int fd) {
    static int (*real)(int);
    if (!real) *(void**)&real = dlsym(RTLD_NEXT, "fsync");
    return of_file("sync", fd) ? -1 : real(fd);
}

ssize_t write(int fd, const void* data, size_t bytes) {
    static ssize_t (*real)(int, const void*, size_t);
    if (!real) *(void**)&real = dlsym(RTLD_NEXT, "write");
    return of_file("write", fd) ? -1 : real(fd, data, bytes);
}

int rename(const char* from, const char* to) {
    static int (*real)(const char*, const char*);
    if (!real) *(void**)&real = dlsym(RTLD_NEXT, "rename");
    if (watched(to) && note("rename", from, to)) return -1;
    return real(from, to);
}

long syscall(long number, ...) {
    static long (*real)(long, ...);
    if (!real) *(void**)&real = dlsym(RTLD_NEXT, "syscall");
    long a[6];
    va_list all;
    va_start(all, number);
    for (int i = 0; i < 6; ++i) a[i] = va_arg(all, long);
    va_end(all);
    if (number == SYS_renameat2 && watched((const char*)a[3])) {
        if (!exchanges) {
            errno = ENOSYS;
            return -1;
        }
        if (note("exchange", (const char*)a[1], (const char*)a[3])) return -1;
    }
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
