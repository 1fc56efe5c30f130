// SPDX-License-Identifier: MIT
// Owning handles of objects of zlib and OpenSSL. Their free functions are called only here.
#pragma once

#include <openssl/evp.h>
#include <zlib.h>

#include <memory>

#include "base/owner.h"

namespace oai::recover {

struct EndDeflate {
    void operator()(z_stream* z) const noexcept {
        deflateEnd(z);
        std::default_delete<z_stream>()(z);
    }
};

using DeflateHandle = std::unique_ptr<z_stream, EndDeflate>;
using DigestHandle = std::unique_ptr<EVP_MD_CTX, Released<EVP_MD_CTX_free>>;

}  // namespace oai::recover
