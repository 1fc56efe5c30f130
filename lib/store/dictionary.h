// SPDX-License-Identifier: MIT
// Names that records refer to by number: media types, hosts, archive files, or sets. A row of
// oai.record then costs no look-up in the tables of the model. The view oai.dictionary
// (schema/001-contract.sql) says what each number means, once and for ever, as oai.set does of
// setSpecs, so what is known need never be asked again. Knows no SQL.
#pragma once

#include <set>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace oai {

// One row of oai.dictionary, or the spec of a set.
struct Name {
    std::string_view kind;  // the column that shows it, without "_id"; "" of a set
    std::string text;       // as XML text (base/text.h)
    bool is_plain = false;  // nothing in it has to be escaped (xml/escape.h)
};

// The names that one batch needs. Points into the Dictionary, which must outlive it; finding locks
// nothing.
class Names {
  public:
    Names() = default;
    explicit Names(const std::vector<std::pair<int, const Name*>>& names);
    const Name* find(int id) const {  // nullptr: there is no such number
        if (places_.empty()) return nullptr;
        std::size_t at = first_place(id);
        while (places_[at].second != nullptr && places_[at].first != id)
            at = (at + 1) & (places_.size() - 1);
        return places_[at].second;
    }

  private:
    // By multiplication; the upper bits are the well mixed ones.
    std::size_t first_place(int id) const {
        return (static_cast<unsigned>(id) * 2654435769U) >> shift_;
    }

    // Open addressing: at least half of the places, a power of two of them, are free (nullptr).
    std::vector<std::pair<int, const Name*>> places_;
    int shift_ = 0;
};

// All names met so far; grows up to the size of oai.dictionary or oai.set. Thread-safe.
class Dictionary {
  public:
    // REQUIRES of both: ids ascend, without repetition.
    std::vector<int> unknown(std::span<const int> ids) const;
    Names names(std::span<const int> ids) const;  // those that are known
    struct Row {
        int id;
        std::string kind;
        std::string text;
    };
    // What is known already stays as it is.
    void learn(const std::vector<Row>& rows);

  private:
    mutable std::shared_mutex mutex_;
    std::set<std::string, std::less<>> kinds_;  // few; a name's `kind` points here
    std::unordered_map<int, Name> names_;       // a node stays where it is
};

}  // namespace oai
