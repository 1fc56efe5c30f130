// SPDX-License-Identifier: MIT
#include "web/gzip.h"

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <zlib.h>

#include <cstdint>
#include <future>
#include <limits>
#include <memory>

namespace oai {
namespace {

// Method deflate, without a name and a time, unknown operating system.
constexpr std::string_view kHeader("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff", 10);

// A part of the body and its compressed form. The constructor allocates all memory, so that
// compress() cannot throw.
class Segment {
  public:
    // last: the deflate stream ends with this segment. Otherwise the segment ends at a byte
    // boundary, and what follows does not refer back to it.
    Segment(std::string_view body, bool last)
        : body_(body),
          stream_(std::make_unique_for_overwrite<isal_zstream>()),
          work_(std::make_unique_for_overwrite<std::uint8_t[]>(ISAL_DEF_LVL1_DEFAULT)),
          capacity_(body.size() + 16),
          out_(std::make_unique_for_overwrite<std::uint8_t[]>(capacity_)) {
        isal_deflate_init(stream_.get());
        stream_->level = 1;
        stream_->level_buf = work_.get();
        stream_->level_buf_size = ISAL_DEF_LVL1_DEFAULT;
        stream_->end_of_stream = last ? 1 : 0;
        stream_->flush = last ? NO_FLUSH : FULL_FLUSH;
        // The library's input pointer is not const, but it only reads from it.
        stream_->next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(body.data()));
        stream_->avail_in = static_cast<std::uint32_t>(body.size());
        stream_->next_out = out_.get();
        stream_->avail_out = static_cast<std::uint32_t>(capacity_);
    }

    // Returns false if the output exceeds the buffer, so it would not be shorter than the input.
    bool compress() noexcept {
        crc_ = crc32_gzip_refl(0, stream_->next_in, body_.size());
        return isal_deflate(stream_.get()) == COMP_OK && stream_->avail_in == 0 &&
               stream_->avail_out > 0;
    }

    std::uint32_t crc() const { return crc_; }
    std::size_t length() const { return body_.size(); }
    std::string_view output() const {
        return {reinterpret_cast<const char*>(out_.get()), stream_->total_out};
    }

  private:
    std::string_view body_;
    // stream_ and work_ have some 80 KB each: too large for a thread's stack, and not worth
    // clearing.
    std::unique_ptr<isal_zstream> stream_;
    std::unique_ptr<std::uint8_t[]> work_;
    std::size_t capacity_;
    std::unique_ptr<std::uint8_t[]> out_;
    std::uint32_t crc_ = 0;
};

void append_little_endian(std::string& out, std::uint32_t n) {
    for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(n >> shift & 0xff);
}

std::string make_member(std::string_view first, std::string_view second, std::uint32_t crc,
                        std::size_t length) {
    std::string out;
    out.reserve(kHeader.size() + first.size() + second.size() + 8);
    out.append(kHeader).append(first).append(second);
    append_little_endian(out, crc);
    append_little_endian(out, static_cast<std::uint32_t>(length));
    return out;
}

std::optional<std::string> compress_whole(std::string_view body) {
    Segment all(body, true);
    if (!all.compress()) return std::nullopt;
    return make_member(all.output(), {}, all.crc(), body.size());
}

std::optional<std::string> compress_in_halves(std::string_view body, HelperPool& helpers) {
    Segment first(body.substr(0, body.size() / 2), false);
    Segment second(body.substr(body.size() / 2), true);
    auto other = helpers.try_start([&] { return second.compress(); });
    const bool first_fits = first.compress();
    const bool second_fits = other ? other->get() : second.compress();
    if (!first_fits || !second_fits) return std::nullopt;
    const auto crc =
        crc32_combine(first.crc(), second.crc(), static_cast<z_off_t>(second.length()));
    return make_member(first.output(), second.output(), static_cast<std::uint32_t>(crc),
                       body.size());
}

}  // namespace

std::optional<std::string> gzip_compress(std::string_view body, HelperPool* helpers) {
    if (body.size() > std::numeric_limits<std::uint32_t>::max() - 16) return std::nullopt;
    auto out = helpers && body.size() >= kParallelGzipBytes && helpers->has_idle_core()
                   ? compress_in_halves(body, *helpers)
                   : compress_whole(body);
    if (out && out->size() >= body.size()) return std::nullopt;
    return out;
}

}  // namespace oai
