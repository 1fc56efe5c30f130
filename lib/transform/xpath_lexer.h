// SPDX-License-Identifier: MIT
// The text of an XPath expression, token by token. Knows what tokens of the compiled subset look
// like, and nothing of what they mean. Private to xpath_parser.cpp.
#pragma once

#include <libxml/tree.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace oai::transform {

std::vector<std::string> split_characters(std::string_view utf8);

class XPathLexer {
  public:
    // Both must outlive it; the node is that of the stylesheet which the expression stands in.
    // Blanks between tokens are passed over.
    XPathLexer(std::string_view source, const xmlNode* node)
        : source_(source), rest_(source), node_(node) {}

    bool accept(std::string_view token);
    // An operator that is a word, and not the beginning of a longer one.
    bool accept_word(std::string_view word);
    char next();  // '\0' at the end
    // Each of these throws Unsupported where another token stands.
    std::string_view name();
    std::string literal();
    std::size_t number();  // REQUIRES: next() is a digit
    void expect(std::string_view token);
    void expect_end();

    // Throws Unsupported, naming a construct or the character that stands here.
    [[noreturn]] void refuse(std::string_view what) const;
    [[noreturn]] void refuse_next() const;

  private:
    void skip_blanks();

    const std::string_view source_;
    std::string_view rest_;
    const xmlNode* const node_;
};

}  // namespace oai::transform
