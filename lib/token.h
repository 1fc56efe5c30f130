// SPDX-License-Identifier: MIT
// resumptionToken (OAI-PMH 2.0, 3.5): everything needed to go on with a list, sealed. The repository keeps no
// state, so any process on any host with the same key continues any list, any number of times.
// Format of record, version 2: all integers big-endian,
//   version u8 | verb u8 | flags u8 | epoch u64 | after i64 | upto i64 | reach i64 | horizon i64 | cursor i64 |
//   size i64 | issued i64 | from i64 | until i64 | prefix length u8, bytes | set length u16, bytes | MAC, 16 bytes
// The MAC is BLAKE2b-128 keyed (libsodium crypto_generichash) over all before it; the whole is base64url without
// padding, so it needs no escaping in a URL nor in XML. Untrusted on the way in.
//   verb: 0-5 in the order of enum Verb; flags: 1 has from, 2 has until (else that field is 0 and means nothing).
// A change of this format is a new version, and old tokens become badResumptionToken.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/config.h"

namespace oai {

enum class Verb;

struct Token {
    Verb verb;
    std::uint64_t epoch = 0;    // of the repository's numbering; another epoch: badResumptionToken
    std::int64_t after = 0;     // last seq delivered (ListSets: last set id)
    std::int64_t upto = 0;      // last seq of the list once `until` lies before the horizon; 0: still open
    std::int64_t reach = 0;     // the list has promised all numbers up to here, published up to `horizon`:
    Seconds horizon{};          // a database that is behind must not end it earlier (reach.h)
    std::int64_t cursor = 0;    // records delivered by all pages before
    std::int64_t size = -1;     // completeListSize; -1: not known
    Seconds issued{};
    std::optional<Seconds> from;   // first second asked for
    std::optional<Seconds> until;  // last second asked for
    std::string metadata_prefix;   // <= 255 bytes
    std::string set;               // "" none; <= 65,535 bytes
    bool operator==(const Token&) const = default;
};

using TokenKey = std::array<unsigned char, 32>;

// Immutable after construction; thread-safe.
class TokenSealer {
  public:
    // `previous` is accepted and never issued (key rotation).
    explicit TokenSealer(TokenKey current, std::optional<TokenKey> previous = std::nullopt);

    // Only [A-Za-z0-9_-]. Throws std::length_error if metadata_prefix or set is longer than the format holds.
    std::string seal(const Token& token) const;

    // nullopt: not ours, altered, cut, or of an unknown version. Does not judge age, verb or epoch.
    std::optional<Token> open(std::string_view sealed) const;

  private:
    TokenKey current_;
    std::optional<TokenKey> previous_;
};

// A key file: 64 hex digits and an optional line end, readable by its owner (and group) only, writable by no group.
// Throws std::runtime_error naming the file, what is wrong and how to make one.
TokenKey read_token_key(const std::string& path);

// By the key files that the configuration names. Throws as read_token_key().
TokenSealer read_token_sealer(const Config::Token& files);

}  // namespace oai
