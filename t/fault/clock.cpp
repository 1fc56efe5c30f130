// SPDX-License-Identifier: MIT
// An LD_PRELOAD library that shifts the clock: it returns the real time plus the number of seconds
// in the file OAI_TEST_CLOCK (a binary int64). libfaketime is not used because it opens and reads
// its file each time the clock is read. PostgreSQL reads the clock in signal handlers, where malloc
// must not be called, so backends crashed now and then. Here reading the clock takes one system
// call and one load from a shared mapping. The monotonic clock is not changed.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

namespace {

using Offset = std::atomic<std::int64_t>;
static_assert(sizeof(Offset) == sizeof(std::int64_t) && Offset::is_always_lock_free);

const Offset* offset = nullptr;  // nullptr: the clock is not shifted

__attribute__((constructor)) void map_offset() {
    const char* path = std::getenv("OAI_TEST_CLOCK");
    const int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0) return;
    const void* mapped = mmap(nullptr, sizeof(Offset), PROT_READ, MAP_SHARED, fd, 0);
    if (mapped != MAP_FAILED) offset = static_cast<const Offset*>(mapped);
    close(fd);
}

timespec turned_time() {
    timespec t{};
    syscall(SYS_clock_gettime, CLOCK_REALTIME, &t);
    if (offset) t.tv_sec += static_cast<time_t>(offset->load());
    return t;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* t) noexcept {
    if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)
        return static_cast<int>(syscall(SYS_clock_gettime, clock, t));
    *t = turned_time();
    return 0;
}

int gettimeofday(timeval* t, void*) noexcept {
    const timespec now = turned_time();
    *t = {now.tv_sec, now.tv_nsec / 1000};
    return 0;
}

time_t time(time_t* t) noexcept {
    const time_t now = turned_time().tv_sec;
    if (t) *t = now;
    return now;
}
}
