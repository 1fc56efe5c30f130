// SPDX-License-Identifier: MIT
// Owning handles of objects of OpenSSL. Their free functions are called only here.
#pragma once

#include <openssl/evp.h>

#include <memory>

namespace oai::recover {

struct FreeDigest {
    void operator()(EVP_MD_CTX* c) const noexcept { EVP_MD_CTX_free(c); }
};

using DigestHandle = std::unique_ptr<EVP_MD_CTX, FreeDigest>;

}  // namespace oai::recover
