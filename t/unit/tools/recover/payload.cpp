// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include "tools/recover/recovery.h"

using namespace oai::recover;

TEST_CASE("recover: compares digests in all notations") {
    CHECK(compare_digest("VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5", "abc") == DigestVerdict::same);
    CHECK(compare_digest("VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5", "") == DigestVerdict::different);
    CHECK(compare_digest("3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", "") == DigestVerdict::same);
    CHECK(compare_digest("da39a3ee5e6b4b0d3255bfef95601890afd80709", "") == DigestVerdict::same);
    CHECK(compare_digest("md5:D41D8CD98F00B204E9800998ECF8427E", "") == DigestVerdict::same);
    CHECK(compare_digest("sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                         "") == DigestVerdict::same);
    CHECK(compare_digest("sha256:4OYMIQUY7QOBJGX36TEJS35ZEQT24QPEMSNZGTFESWMRW6CSXBKQ====", "") ==
          DigestVerdict::same);
    CHECK(compare_digest("md5:d41d8cd98f00b204e9800998ecf8427e", "a") == DigestVerdict::different);
    CHECK(compare_digest("", "abc") == DigestVerdict::unknown);
    CHECK(compare_digest("nobody:knows", "abc") == DigestVerdict::unknown);
    CHECK(compare_digest("too-short", "abc") == DigestVerdict::unknown);
    // OpenSSL knows these names, but does not offer the algorithms by default.
    for (const char* old : {"md4:31d6cfe0d16ae931b73c59d7e0c089c0", "whirlpool:1", "shake128:1",
                            "null:1", "md5-sha1:1"})
        CHECK(compare_digest(old, "") == DigestVerdict::unknown);
}
