// SPDX-License-Identifier: MIT
#include "format/sample_digests.h"

#include <fmt/format.h>

#include <functional>
#include <sstream>

namespace oai {
namespace {

constexpr std::size_t kMaxDigests = 128;

}  // namespace

void SampleDigests::add(std::int64_t seq, std::string_view metadata) {
    if (digests_.size() < kMaxDigests)
        digests_.emplace(seq, std::hash<std::string_view>()(metadata));
}

SampleDigests::Comparison SampleDigests::compare(const SampleDigests& before) const {
    Comparison out;
    for (const auto& [seq, digest] : digests_) {
        const auto found = before.digests_.find(seq);
        if (found == before.digests_.end()) continue;
        ++out.both;
        if (found->second != digest) ++out.different;
    }
    return out;
}

std::string SampleDigests::text() const {
    std::string out;
    for (const auto& [seq, digest] : digests_)
        out += fmt::format("{}{}:{:x}", out.empty() ? "" : " ", seq, digest);
    return out;
}

SampleDigests SampleDigests::parse(std::string_view text) {
    SampleDigests out;
    std::istringstream in{std::string(text)};
    std::int64_t seq = 0;
    std::uint64_t digest = 0;
    for (char colon = 0; in >> std::dec >> seq >> colon >> std::hex >> digest && colon == ':';)
        out.digests_.emplace(seq, digest);
    return out;
}

}  // namespace oai
