// SPDX-License-Identifier: MIT
// Owning handles of objects of zlib, brotli, zstd and OpenSSL. Their free functions are called only
// here.
#pragma once

#include <brotli/decode.h>
#include <openssl/evp.h>
#include <zlib.h>
#include <zstd.h>

#include <memory>

namespace oai::recover {

struct EndBrotli {
    void operator()(BrotliDecoderState* s) const noexcept { BrotliDecoderDestroyInstance(s); }
};
struct EndDeflate {
    void operator()(z_stream* z) const noexcept {
        deflateEnd(z);
        std::default_delete<z_stream>()(z);
    }
};
struct EndZstd {
    void operator()(ZSTD_DCtx* s) const noexcept { ZSTD_freeDCtx(s); }
};
struct FreeDigest {
    void operator()(EVP_MD_CTX* c) const noexcept { EVP_MD_CTX_free(c); }
};

using BrotliHandle = std::unique_ptr<BrotliDecoderState, EndBrotli>;
using ZstdHandle = std::unique_ptr<ZSTD_DCtx, EndZstd>;
using DeflateHandle = std::unique_ptr<z_stream, EndDeflate>;
using DigestHandle = std::unique_ptr<EVP_MD_CTX, FreeDigest>;

}  // namespace oai::recover
