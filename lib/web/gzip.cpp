// SPDX-License-Identifier: MIT
#include "web/gzip.h"

#include <isa-l/igzip_lib.h>

#include <cstdint>
#include <limits>
#include <memory>

namespace oai {

std::optional<std::string> gzip_compress(std::string_view body) {
    if (body.size() > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
    // These have some 80 KB each: too large for a thread's stack, and not worth clearing.
    const auto stream = std::make_unique_for_overwrite<isal_zstream>();
    const auto work = std::make_unique_for_overwrite<std::uint8_t[]>(ISAL_DEF_LVL1_DEFAULT);
    std::string out(body.size(), '\0');
    isal_deflate_init(stream.get());
    stream->level = 1;
    stream->level_buf = work.get();
    stream->level_buf_size = ISAL_DEF_LVL1_DEFAULT;
    stream->gzip_flag = IGZIP_GZIP;
    stream->end_of_stream = 1;
    // The library's input pointer is not const, but it only reads from it.
    stream->next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(body.data()));
    stream->avail_in = static_cast<std::uint32_t>(body.size());
    stream->next_out = reinterpret_cast<std::uint8_t*>(out.data());
    stream->avail_out = static_cast<std::uint32_t>(out.size());
    const bool is_whole =
        isal_deflate(stream.get()) == COMP_OK && stream->internal_state.state == ZSTATE_END;
    if (!is_whole || stream->avail_out == 0) return std::nullopt;
    out.resize(stream->total_out);
    return out;
}

}  // namespace oai
