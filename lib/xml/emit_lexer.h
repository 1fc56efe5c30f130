// SPDX-License-Identifier: MIT
// The text of an XPath expression, token by token. Knows what tokens of the plain subset (emit_compiler.h) look like, and
// nothing of what they mean. Private to emit_xpath.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace oai::xml {

std::vector<std::string> split_characters(std::string_view utf8);

// The text must outlive it. Blanks between tokens are passed over.
class XPathLexer {
  public:
    explicit XPathLexer(std::string_view source) : source_(source), rest_(source) {}

    bool accept(std::string_view token);
    bool accept_word(std::string_view word);  // an operator that is a word, and not the beginning of a longer one
    char next();                              // '\0' at the end
    // Each of these throws Unsupported where another token stands.
    std::string_view name();
    std::string literal();
    std::size_t number();   // REQUIRES: next() is a digit
    void want(std::string_view token);
    void want_end();

    std::string_view source() const { return source_; }
    // Throws Unsupported: something, or what stands here.
    [[noreturn]] void refuse(std::string_view what) const;
    [[noreturn]] void refuse_next() const;

  private:
    void skip_blanks();

    const std::string_view source_;
    std::string_view rest_;
};

}  // namespace oai::xml
