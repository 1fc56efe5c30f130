// SPDX-License-Identifier: MIT
// Owning handles of objects of zlib, brotli, zstd, libarchive, ICU and minizip. Their free
// functions are called only here.
#pragma once

#include <archive.h>
#include <brotli/decode.h>
#include <minizip/unzip.h>
#include <unicode/ucnv.h>
#include <unicode/ucsdet.h>
#include <zlib.h>
#include <zstd.h>

#include <memory>

namespace oai::load {

struct EndInflate {
    void operator()(z_stream* z) const noexcept {
        inflateEnd(z);
        std::default_delete<z_stream>()(z);
    }
};
using InflateHandle = std::unique_ptr<z_stream, EndInflate>;

struct EndBrotli {
    void operator()(BrotliDecoderState* s) const noexcept { BrotliDecoderDestroyInstance(s); }
};
using BrotliHandle = std::unique_ptr<BrotliDecoderState, EndBrotli>;

struct EndZstd {
    void operator()(ZSTD_DCtx* s) const noexcept { ZSTD_freeDCtx(s); }
};
using ZstdHandle = std::unique_ptr<ZSTD_DCtx, EndZstd>;

struct FreeArchive {
    void operator()(archive* a) const noexcept { archive_read_free(a); }
};
using ArchiveHandle = std::unique_ptr<archive, FreeArchive>;

struct CloseConverter {
    void operator()(UConverter* converter) const noexcept { ucnv_close(converter); }
};
using ConverterHandle = std::unique_ptr<UConverter, CloseConverter>;

struct CloseDetector {
    void operator()(UCharsetDetector* detector) const noexcept { ucsdet_close(detector); }
};
using DetectorHandle = std::unique_ptr<UCharsetDetector, CloseDetector>;

struct CloseZip {
    void operator()(void* zip) const noexcept { unzClose(zip); }
};
using ZipHandle = std::unique_ptr<void, CloseZip>;
using ZipPlace = unz64_file_pos;

}  // namespace oai::load
