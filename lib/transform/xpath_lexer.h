// SPDX-License-Identifier: MIT
// The tokens of XPath 1.0 expressions, as far as the subset (README) needs them. Private to the
// compiler.
#pragma once

#include <libxml/tree.h>

#include <string>
#include <string_view>

namespace oai::transform {

// Blanks between the tokens are passed over. What a function does not find it refuses
// (stylesheet_source.h), unless it says so.
class Lexer {
  public:
    // `node`: of the stylesheet, in whose name it refuses.
    Lexer(std::string_view source, const xmlNode* node)
        : source_(source), rest_(source), node_(node) {}

    // Returns false where another token stands.
    bool accept(std::string_view token);
    // The same for an operator that is a word, and not the beginning of a longer one.
    bool accept_word(std::string_view word);
    void expect(std::string_view token);
    char next();  // the first character of the next token; '\0' at the end
    std::string_view name();
    std::string literal();
    std::size_t number();

    [[noreturn]] void refuse(std::string_view what) const;
    [[noreturn]] void refuse_next() const;

  private:
    std::string_view take_while(bool (*is)(char), bool remove);

    const std::string_view source_;
    std::string_view rest_;
    const xmlNode* const node_;
};

}  // namespace oai::transform
