// SPDX-License-Identifier: MIT
#include "web/mount.h"

#include <catch2/catch.hpp>

using namespace oai;

TEST_CASE("mount: the mount point is the path of base_url") {
    CHECK(mount_of("http://r.org/oai") == "/oai");
    CHECK(mount_of("https://r.org:8443/a/b/") == "/a/b");
    CHECK(mount_of("http://r.org") == "");
    CHECK(mount_of("http://r.org/") == "");
}
