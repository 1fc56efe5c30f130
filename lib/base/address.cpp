// SPDX-License-Identifier: MIT
#include "base/address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <functional>

#include "base/text.h"

namespace oai {
namespace {

constexpr std::array<unsigned char, 12> kV4Mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
constexpr int kV4Bits = 96;

}  // namespace

std::optional<Address> Address::parse(std::string_view text) {
    const std::string terminated(text);
    Address address;
    if (terminated.find('\0') != std::string::npos) return std::nullopt;
    if (inet_pton(AF_INET6, terminated.c_str(), address.bytes_.data()) == 1) return address;
    std::copy(kV4Mapped.begin(), kV4Mapped.end(), address.bytes_.begin());
    if (inet_pton(AF_INET, terminated.c_str(), address.bytes_.data() + kV4Mapped.size()) == 1)
        return address;
    return std::nullopt;
}

bool Address::is_v4() const {
    return std::equal(kV4Mapped.begin(), kV4Mapped.end(), bytes_.begin());
}

std::string Address::text() const {
    std::array<char, INET6_ADDRSTRLEN> out{};
    if (is_v4())
        inet_ntop(AF_INET, bytes_.data() + kV4Mapped.size(), out.data(), out.size());
    else
        inet_ntop(AF_INET6, bytes_.data(), out.data(), out.size());
    return out.data();
}

Address Address::prefix(int bits) const {
    Address out = *this;
    for (int i = 0; i < static_cast<int>(bytes_.size()); ++i) {
        const int kept = std::clamp(bits - 8 * i, 0, 8);
        out.bytes_[static_cast<std::size_t>(i)] &= static_cast<unsigned char>(0xFF00 >> kept);
    }
    return out;
}

std::size_t Address::hash() const {
    return std::hash<std::string_view>{}(
        {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()});
}

std::optional<AddressRange> AddressRange::parse(std::string_view text) {
    const std::size_t slash = text.find('/');
    const auto first = Address::parse(text.substr(0, slash));
    if (!first) return std::nullopt;
    const int offset = first->is_v4() ? kV4Bits : 0;
    if (slash == std::string_view::npos) return AddressRange(*first, 128);
    const std::string_view digits = text.substr(slash + 1);
    const bool is_number =
        std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
    const auto bits = is_number ? text::to_integer(digits) : std::nullopt;
    if (!bits || *bits > 128 - offset) return std::nullopt;
    const int length = offset + static_cast<int>(*bits);
    return first->prefix(length) == *first ? std::optional(AddressRange(*first, length))
                                           : std::nullopt;
}

AddressRanges address_ranges(const std::vector<std::string>& texts) {
    AddressRanges ranges;
    for (const std::string& text : texts) ranges.push_back(AddressRange::parse(text).value());
    return ranges;
}

bool contains(const AddressRanges& ranges, const Address& address) {
    return std::any_of(
        ranges.begin(), ranges.end(),
        [&](const AddressRange& range) { return range.contains(address); });
}

}  // namespace oai
