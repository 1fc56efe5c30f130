// SPDX-License-Identifier: MIT
// The owner of zlib's inflate state: inflateEnd is called here and nowhere else.
#pragma once

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

}  // namespace oai::load
