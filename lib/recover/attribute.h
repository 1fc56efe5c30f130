// SPDX-License-Identifier: MIT
// References in values of HTML's attributes: a value alone, lists of images, refreshes; and the character references that
// all of them may hold. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "recover/edit.h"

namespace oai::recover {

Edits reference_edits(std::string_view value, const Target& target);  // blanks around it stay
Edits srcset_edits(std::string_view value, const Target& target);     // HTML, 4.8.4.2.1
Edits refresh_edits(std::string_view value, const Target& target);    // content of <meta http-equiv=refresh>

// What an attribute's value means, and where each of its bytes stands in it.
class Decoded {
  public:
    // &amp; &lt; &gt; &quot; &apos; and numbers of ASCII. Other references, whose bytes the page's encoding decides, stay as
    // they are.
    explicit Decoded(std::string_view raw);
    const std::string& text() const { return text_; }
    // Edits of the text as such of the value, which stays within quotes whatever they say. Not those of parts that hold a
    // reference that stayed.
    Edits in_value(const Edits& edits) const;

  private:
    bool is_known(std::size_t begin, std::size_t end) const;
    std::string text_;
    std::vector<std::size_t> at_;  // of each byte of the text, and of its end
    std::vector<bool> unknown_;    // the byte begins a reference that stayed
};

}  // namespace oai::recover
