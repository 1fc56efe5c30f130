// SPDX-License-Identifier: MIT
#include "gzip.h"

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <zlib.h>

#include <cstdint>
#include <future>
#include <limits>
#include <memory>

namespace oai {
namespace {

constexpr std::string_view kHead("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff", 10);  // deflate, no name, no time, any system

// A stretch of the body, and what is made of it. All memory is had at the start, so that compressing cannot throw.
class Stretch {
  public:
    // last: the deflate stream ends with it; otherwise it ends at a byte, and refers to nothing before it.
    Stretch(std::string_view body, bool last)
        : body_(body),
          stream_(std::make_unique_for_overwrite<isal_zstream>()),
          work_(std::make_unique_for_overwrite<std::uint8_t[]>(ISAL_DEF_LVL1_DEFAULT)),
          room_(body.size() + 16),
          out_(std::make_unique_for_overwrite<std::uint8_t[]>(room_)) {
        isal_deflate_init(stream_.get());
        stream_->level = 1;
        stream_->level_buf = work_.get();
        stream_->level_buf_size = ISAL_DEF_LVL1_DEFAULT;
        stream_->end_of_stream = last ? 1 : 0;
        stream_->flush = last ? NO_FLUSH : FULL_FLUSH;
        // The library's input pointer is not const; it only reads from it.
        stream_->next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(body.data()));
        stream_->avail_in = static_cast<std::uint32_t>(body.size());
        stream_->next_out = out_.get();
        stream_->avail_out = static_cast<std::uint32_t>(room_);
    }

    // False: there was not room enough, so it would not have been shorter.
    bool compress() noexcept {
        crc_ = crc32_gzip_refl(0, stream_->next_in, body_.size());
        return isal_deflate(stream_.get()) == COMP_OK && stream_->avail_in == 0 && stream_->avail_out > 0;
    }

    std::uint32_t crc() const { return crc_; }
    std::size_t length() const { return body_.size(); }
    std::string_view made() const { return {reinterpret_cast<const char*>(out_.get()), stream_->total_out}; }

  private:
    std::string_view body_;
    std::unique_ptr<isal_zstream> stream_;  // some 80 KB, as the next: not for a thread's stack, and not worth clearing
    std::unique_ptr<std::uint8_t[]> work_;
    std::size_t room_;
    std::unique_ptr<std::uint8_t[]> out_;
    std::uint32_t crc_ = 0;
};

void append_little_endian(std::string& out, std::uint32_t n) {
    for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(n >> shift & 0xff);
}

std::string member(std::string_view deflated, std::string_view more, std::uint32_t crc, std::size_t length) {
    std::string out;
    out.reserve(kHead.size() + deflated.size() + more.size() + 8);
    out.append(kHead).append(deflated).append(more);
    append_little_endian(out, crc);
    append_little_endian(out, static_cast<std::uint32_t>(length));
    return out;
}

std::optional<std::string> in_one(std::string_view body) {
    Stretch all(body, true);
    if (!all.compress()) return std::nullopt;
    return member(all.made(), {}, all.crc(), body.size());
}

std::optional<std::string> in_halves(std::string_view body, SpareThreads& spare) {
    Stretch first(body.substr(0, body.size() / 2), false);
    Stretch second(body.substr(body.size() / 2), true);
    auto other = spare.try_start([&] { return second.compress(); });
    const bool first_fits = first.compress();
    const bool second_fits = other ? other->get() : second.compress();
    if (!first_fits || !second_fits) return std::nullopt;
    const auto crc = crc32_combine(first.crc(), second.crc(), static_cast<z_off_t>(second.length()));
    return member(first.made(), second.made(), static_cast<std::uint32_t>(crc), body.size());
}

}  // namespace

std::optional<std::string> gzip_compressed(std::string_view body, SpareThreads* spare) {
    if (body.size() > std::numeric_limits<std::uint32_t>::max() - 16) return std::nullopt;
    auto out = spare && body.size() >= kParallelGzipBytes && spare->idle() ? in_halves(body, *spare) : in_one(body);
    if (out && out->size() >= body.size()) return std::nullopt;
    return out;
}

}  // namespace oai
