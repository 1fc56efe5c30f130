// SPDX-License-Identifier: MIT
// A record's Dublin Core as one reads it to cite the record: of each element the first values, as
// lines of bounded length. Pure; thread-safe.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "xml/handle.h"

namespace oai {

class DublinCore {
  public:
    static constexpr std::size_t kMaxValues = 100;        // of each element
    static constexpr std::size_t kMaxValueBytes = 2'000;  // a longer value ends in an ellipsis

    // dc: an element whose children are elements of Dublin Core. Other children are disregarded.
    explicit DublinCore(const xmlNode* dc);

    // The values of the element, none of them empty.
    const std::vector<std::string>& all(std::string_view element) const;
    // "" if there is none.
    std::string first(std::string_view element) const;
    // Whether the record has more values of the element than are kept.
    bool has_more(std::string_view element) const;

  private:
    struct Values {
        std::vector<std::string> kept;
        bool more = false;
    };
    std::map<std::string, Values, std::less<>> values_;
};

// The first element of that local name in a document; nullptr if it has none.
const xmlNode* find_element(const xmlDoc* document, std::string_view name);

// The text in one line: white space, control characters and what changes the direction of writing
// become single blanks, none of them at an end; cut after max_bytes, with an ellipsis.
// REQUIRES: is_utf8(text).
std::string one_line(std::string_view text, std::size_t max_bytes);

// Whether the text is an address of the web as a whole.
bool is_web_address(std::string_view text);

}  // namespace oai
