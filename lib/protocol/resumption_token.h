// SPDX-License-Identifier: MIT
// resumptionToken (OAI-PMH 2.0, 3.5): everything that is needed to continue a list, sealed by a
// MAC. The repository keeps no state, so any process on any host with the same key continues any
// list, any number of times. The format of version 2, all integers big-endian:
//   version u8 | verb u8 | flags u8 | epoch u64 | after i64 | upto i64 | reach i64 | horizon i64 |
//   cursor i64 | size i64 | issued i64 | from i64 | until i64 | prefix length u8, bytes | set
//   length u16, bytes | MAC, 16 bytes
// verb is 0-5 in the order of enum Verb; of flags, 1 means that there is a from and 2 that there is
// an until (without them those fields are 0). The MAC is keyed BLAKE2b-128 over everything before
// it; all is written in base64url without padding. A change of this format needs a new version; old
// tokens then are a badResumptionToken.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/config.h"
#include "protocol/verbs.h"

namespace oai {

struct ResumptionToken {
    Verb verb;
    std::uint64_t epoch = 0;  // of the publication numbers; another epoch is a badResumptionToken
    std::int64_t after = 0;   // last seq delivered (ListSets: last set id)
    // The last seq of the list, known once `until` lies before the horizon; 0: not known yet.
    std::int64_t upto = 0;
    // The furthest position of the databases that have served the list: all numbers up to `reach`,
    // published up to `horizon`. A replica that is behind must not end the list (store/replica.h).
    std::int64_t reach = 0;
    Seconds horizon{};
    std::int64_t cursor = 0;  // number of records in all pages before
    std::int64_t size = -1;   // completeListSize, or -1 if unknown
    Seconds issued{};
    std::optional<Seconds> from;   // first second of the requested range
    std::optional<Seconds> until;  // last second of the requested range
    std::string metadata_prefix;   // <= 255 bytes
    std::string set;               // "" if none; <= 65,535 bytes
    bool operator==(const ResumptionToken&) const = default;
};

using TokenKey = std::array<unsigned char, 32>;

// Immutable after construction; thread-safe.
class TokenSealer {
  public:
    // Tokens of `previous` are accepted but never issued (key rotation).
    explicit TokenSealer(TokenKey current, std::optional<TokenKey> previous = std::nullopt);

    // The result consists of [A-Za-z0-9_-]. Throws std::length_error if a text is too long.
    std::string seal(const ResumptionToken& token) const;

    // Returns nullopt for a token that was not sealed with one of the keys, was altered, or has
    // another version. Does not check its age.
    std::optional<ResumptionToken> open(std::string_view sealed) const;

    // A text that changes with the current key and the epoch, whenever old tokens become invalid.
    // It does not reveal the key.
    std::string generation(std::uint64_t epoch) const;

  private:
    TokenKey current_;
    std::optional<TokenKey> previous_;
};

// Reads a key file: 64 hexadecimal digits and an optional line end, with the permissions that
// base/secret.h requires. Both throw std::runtime_error with file, problem and advice.
TokenKey read_token_key(const std::string& path);
TokenSealer read_token_sealer(const Config::Token& files);

}  // namespace oai
