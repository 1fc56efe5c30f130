// SPDX-License-Identifier: MIT
// IP addresses and ranges of them, to tell clients apart. An IPv4-mapped IPv6 address
// (::ffff:192.0.2.1) is treated as the IPv4 address. Pure.
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
    // Reads "192.0.2.1" or "2001:db8::1". Returns nullopt for anything else, also for an address
    // with a port, a zone or blanks.
    static std::optional<Address> parse(std::string_view text);

    std::string text() const;
    bool is_v4() const;
    // The address by which a client is limited: an IPv4 address itself, of an IPv6 address its /64
    // network, since one host may use all addresses of that.
    Address client_network() const { return is_v4() ? *this : prefix(64); }
    // Keeps the first `bits` of 128, with the 96 before an IPv4 address.
    Address prefix(int bits) const;
    auto operator<=>(const Address&) const = default;
    std::size_t hash() const;

  private:
    std::array<unsigned char, 16> bytes_{};
};

class AddressRange {
  public:
    // Reads an address, or a range such as "192.0.2.0/24" or "2001:db8::/32" with no bit set beyond
    // the prefix. Returns nullopt for anything else.
    static std::optional<AddressRange> parse(std::string_view text);
    bool contains(const Address& address) const { return address.prefix(bits_) == first_; }

  private:
    AddressRange(const Address& first, int bits) : first_(first), bits_(bits) {}
    Address first_;
    int bits_;  // length of the prefix, of 128
};

using AddressRanges = std::vector<AddressRange>;

// REQUIRES: AddressRange::parse() accepts each text.
AddressRanges address_ranges(const std::vector<std::string>& texts);
bool contains(const AddressRanges& ranges, const Address& address);

}  // namespace oai
