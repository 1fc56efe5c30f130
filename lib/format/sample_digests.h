// SPDX-License-Identifier: MIT
// What a stylesheet made of sample records, to tell whether a new version of it says something else
// of records that have not changed. Plain values.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace oai {

class SampleDigests {
  public:
    // The metadata of the record with that seq, which no other version of the record has. Keeps
    // the first 128.
    void add(std::int64_t seq, std::string_view metadata);
    bool empty() const { return digests_.empty(); }

    struct Comparison {
        int both = 0;       // records that are in both
        int different = 0;  // those of them that came out otherwise
    };
    Comparison compare(const SampleDigests& before) const;

    // "SEQ:DIGEST SEQ:DIGEST ...", and back; what cannot be read is left out. Digests are those of
    // this build of the program.
    std::string text() const;
    static SampleDigests parse(std::string_view text);

  private:
    std::map<std::int64_t, std::uint64_t> digests_;
};

}  // namespace oai
