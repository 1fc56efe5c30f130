// SPDX-License-Identifier: MIT
#include "transform/xpath_lexer.h"

#include <fmt/format.h>

#include <algorithm>

#include "transform/ascii.h"
#include "transform/stylesheet_source.h"

namespace oai::transform {

bool Lexer::accept(std::string_view token) {
    if (next() == '\0' || !rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
}

bool Lexer::accept_word(std::string_view word) {
    return next() != '\0' && word == take_while(continues_name, false) && accept(word);
}

void Lexer::expect(std::string_view token) {
    if (!accept(token)) refuse_next();
}

char Lexer::next() {
    take_while(is_blank, true);
    return rest_.empty() ? '\0' : rest_.front();
}

std::string_view Lexer::name() {
    if (!begins_name(next())) refuse_next();
    return take_while(continues_name, true);
}

std::string Lexer::literal() {
    if (next() != '\'' && next() != '"') refuse_next();
    const std::size_t end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos) refuse("a literal without an end");
    const std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
}

std::size_t Lexer::number() {
    const std::string_view digits = take_while(is_digit, true);
    if (digits.size() > 9 || rest_.starts_with('.'))
        refuse("a number that is large or has a fraction");
    std::size_t number = 0;
    for (const char c : digits) number = number * 10 + static_cast<std::size_t>(c - '0');
    return number;
}

void Lexer::refuse(std::string_view what) const {
    transform::refuse(node_, fmt::format("{} in \"{}\"", what, source_));
}

void Lexer::refuse_next() const {
    std::size_t end = 1;  // of the character
    while (end < rest_.size() && (rest_[end] & 0xC0) == 0x80) ++end;
    refuse(rest_.empty() ? "an end" : rest_.substr(0, end));
}

std::string_view Lexer::take_while(bool (*is)(char), bool remove) {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), is);
    const std::string_view taken(rest_.begin(), end);
    if (remove) rest_.remove_prefix(taken.size());
    return taken;
}

}  // namespace oai::transform
