// SPDX-License-Identifier: MIT
// Owning handles of objects of zlib, brotli, zstd, ICU and yaz, and of a file mapped into memory.
#pragma once

#include <brotli/decode.h>
#include <sys/mman.h>
#include <unicode/ucnv.h>
#include <unicode/ucsdet.h>
#include <yaz/marcdisp.h>
#include <yaz/yaz-iconv.h>
#include <zlib.h>
#include <zstd.h>

#include <memory>
#include <new>

namespace oai::load {

// Calls the function that the library has for it.
template <auto release>
struct Released {
    void operator()(auto* handle) const noexcept { release(handle); }
};
struct EndInflate {
    void operator()(z_stream* z) const noexcept {
        inflateEnd(z);
        std::default_delete<z_stream>()(z);
    }
};
using InflateHandle = std::unique_ptr<z_stream, EndInflate>;
// window_bits as in zlib: 15 + 16 for gzip, 15 + 32 for gzip or zlib, as the header says, -15 for a
// raw stream.
inline InflateHandle new_inflate(int window_bits) {
    InflateHandle z(std::make_unique<z_stream>().release());
    if (inflateInit2(z.get(), window_bits) != Z_OK) throw std::bad_alloc();
    return z;
}
struct Unmap {
    std::size_t bytes = 0;
    void operator()(void* begin) const noexcept { ::munmap(begin, bytes); }
};
using Mapping = std::unique_ptr<void, Unmap>;
using BrotliHandle = std::unique_ptr<BrotliDecoderState, Released<BrotliDecoderDestroyInstance>>;
using ZstdHandle = std::unique_ptr<ZSTD_DCtx, Released<ZSTD_freeDCtx>>;
using ConverterHandle = std::unique_ptr<UConverter, Released<ucnv_close>>;
using DetectorHandle = std::unique_ptr<UCharsetDetector, Released<ucsdet_close>>;
using MarcHandle = std::unique_ptr<yaz_marc_t_, Released<yaz_marc_destroy>>;
using MarcCodingHandle = std::unique_ptr<yaz_iconv_struct, Released<yaz_iconv_close>>;

}  // namespace oai::load
