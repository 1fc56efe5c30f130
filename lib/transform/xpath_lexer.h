// SPDX-License-Identifier: MIT
// The tokens of XPath 1.0 expressions, as far as the subset (README) needs them. Private to the
// compiler.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "transform/ascii.h"
#include "transform/stylesheet_source.h"

namespace oai::transform {

// Blanks between the tokens are passed over. What a function does not find it refuses, unless it
// says so.
class Lexer {
  public:
    // `node`: of the stylesheet, in whose name it refuses.
    Lexer(std::string_view source, const xmlNode* node)
        : source_(source), rest_(source), node_(node) {}

    // Returns false where another token stands.
    bool accept(std::string_view token) {
        if (next() == '\0' || !rest_.starts_with(token)) return false;
        rest_.remove_prefix(token.size());
        return true;
    }
    // The same for an operator that is a word, and not the beginning of a longer one.
    bool accept_word(std::string_view word) {
        return next() != '\0' && word == take_while(continues_name, false) && accept(word);
    }
    void expect(std::string_view token) {
        if (!accept(token)) refuse_next();
    }
    char next() {  // the first character of the next token; '\0' at the end
        take_while(is_blank, true);
        return rest_.empty() ? '\0' : rest_.front();
    }
    std::string_view name() {
        if (!begins_name(next())) refuse_next();
        return take_while(continues_name, true);
    }
    std::string literal() {
        if (next() != '\'' && next() != '"') refuse_next();
        const std::size_t end = rest_.find(rest_.front(), 1);
        if (end == std::string_view::npos) refuse("a literal without an end");
        const std::string text(rest_.substr(1, end - 1));
        rest_.remove_prefix(end + 1);
        return text;
    }
    std::size_t number() {
        const std::string_view digits = take_while(is_digit, true);
        if (digits.size() > 9 || rest_.starts_with('.'))
            refuse("a number that is large or has a fraction");
        std::size_t number = 0;
        for (const char c : digits) number = number * 10 + static_cast<std::size_t>(c - '0');
        return number;
    }

    [[noreturn]] void refuse(std::string_view what) const {
        transform::refuse(node_, fmt::format("{} in \"{}\"", what, source_));
    }
    [[noreturn]] void refuse_next() const {
        std::size_t end = 1;  // of the character
        while (end < rest_.size() && (rest_[end] & 0xC0) == 0x80) ++end;
        refuse(rest_.empty() ? "an end" : rest_.substr(0, end));
    }

  private:
    std::string_view take_while(bool (*is)(char), bool remove) {
        const auto end = std::find_if_not(rest_.begin(), rest_.end(), is);
        const std::string_view taken(rest_.begin(), end);
        if (remove) rest_.remove_prefix(taken.size());
        return taken;
    }

    const std::string_view source_;
    std::string_view rest_;
    const xmlNode* const node_;
};

}  // namespace oai::transform
