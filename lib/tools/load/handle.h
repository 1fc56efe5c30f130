// SPDX-License-Identifier: MIT
// The owners of zlib's inflate state and of minizip's open files: inflateEnd and unzClose are
// called here and nowhere else.
#pragma once

#include <minizip/unzip.h>
#include <zlib.h>

#include <memory>

namespace oai::load {

struct EndInflate {
    void operator()(z_stream* z) const noexcept {
        inflateEnd(z);
        std::default_delete<z_stream>()(z);
    }
};
using InflateHandle = std::unique_ptr<z_stream, EndInflate>;

struct CloseZip {
    void operator()(void* zip) const noexcept { unzClose(zip); }
};
using ZipHandle = std::unique_ptr<void, CloseZip>;
using ZipPlace = unz64_file_pos;

}  // namespace oai::load
