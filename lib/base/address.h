// SPDX-License-Identifier: MIT
// IP addresses and ranges of them, to tell clients apart. An IPv4 address in IPv6's clothes (::ffff:192.0.2.1) is the
// IPv4 address. Pure.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace oai {

class Address {
  public:
    // "192.0.2.1" or "2001:db8::1"; nullopt: anything else, a port, a zone or blanks included.
    static std::optional<Address> parse(std::string_view text);

    std::string text() const;
    bool is_v4() const;
    // Who is held responsible: the address itself, of IPv6 the network of 64 bits, all of which one host may use.
    Address party() const { return is_v4() ? *this : prefix(64); }
    // The first `bits` of 128 (an IPv4 address stands behind 96), the rest zero.
    Address prefix(int bits) const;
    auto operator<=>(const Address&) const = default;
    std::size_t hash() const;

  private:
    std::array<unsigned char, 16> bytes_{};
};

class AddressRange {
  public:
    // An address, or "192.0.2.0/24", "2001:db8::/32" with no bit set beyond the prefix; nullopt: anything else.
    static std::optional<AddressRange> parse(std::string_view text);
    bool contains(const Address& address) const { return address.prefix(bits_) == first_; }

  private:
    AddressRange(const Address& first, int bits) : first_(first), bits_(bits) {}
    Address first_;
    int bits_;  // of 128
};

using AddressRanges = std::vector<AddressRange>;

// REQUIRES: each is an address or a range.
AddressRanges address_ranges(const std::vector<std::string>& texts);
bool contains(const AddressRanges& ranges, const Address& address);

}  // namespace oai
