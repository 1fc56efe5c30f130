// SPDX-License-Identifier: MIT
// Owning handles of objects of zlib and OpenSSL. Their free functions are called only here.
#pragma once

#include <openssl/evp.h>
#include <zlib.h>

#include <memory>

namespace oai::recover {

struct EndDeflate {
    void operator()(z_stream* z) const noexcept {
        deflateEnd(z);
        std::default_delete<z_stream>()(z);
    }
};
struct FreeDigest {
    void operator()(EVP_MD_CTX* c) const noexcept { EVP_MD_CTX_free(c); }
};

using DeflateHandle = std::unique_ptr<z_stream, EndDeflate>;
using DigestHandle = std::unique_ptr<EVP_MD_CTX, FreeDigest>;

}  // namespace oai::recover
