// SPDX-License-Identifier: MIT
#include "base/secret.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "t/lib/unit_headers.h"

TEST_CASE("secret: a file may be written by its owner only, and read by its group") {
    struct Case {
        mode_t mode;
        bool fit;
    };
    const auto c = GENERATE(Case{0600, true}, Case{0400, true}, Case{0640, true}, Case{0440, true},
                            Case{0644, false}, Case{0604, false}, Case{0602, false},
                            Case{0601, false}, Case{0660, false}, Case{0650, false});
    struct stat file {};
    file.st_mode = S_IFREG | c.mode;
    CHECK(exposure_of(file).empty() == c.fit);
}

TEST_CASE("secret: core dumps are disabled in the calling process only") {
    const int before = ::prctl(PR_GET_DUMPABLE);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        forbid_core_dumps();
        rlimit limit{1, 1};
        ::getrlimit(RLIMIT_CORE, &limit);
        ::_exit(limit.rlim_cur == 0 && limit.rlim_max == 0 && ::prctl(PR_GET_DUMPABLE) == 0 ? 0
                                                                                            : 1);
    }
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    CHECK(::prctl(PR_GET_DUMPABLE) == before);
}
