// SPDX-License-Identifier: MIT
#include "transform/xpath_lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "transform/stylesheet_source.h"

namespace oai::transform {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins_name(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }
bool continues_name(char c) { return begins_name(c) || is_digit(c) || c == '-' || c == '.'; }

}  // namespace

std::vector<std::string> split_characters(std::string_view utf8) {
    std::vector<std::string> out;
    for (const char c : utf8) {
        if ((c & 0xC0) != 0x80) out.emplace_back();
        if (!out.empty()) out.back() += c;
    }
    return out;
}

void XPathLexer::refuse(std::string_view what) const {
    transform::refuse(node_, fmt::format("{} in \"{}\"", what, source_));
}

void XPathLexer::refuse_next() const {
    refuse(rest_.empty() ? "an end" : split_characters(rest_).front());
}

void XPathLexer::skip_blanks() {
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
}

bool XPathLexer::accept(std::string_view token) {
    skip_blanks();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
}

bool XPathLexer::accept_word(std::string_view word) {
    skip_blanks();
    if (!rest_.starts_with(word) ||
        (rest_.size() > word.size() && continues_name(rest_[word.size()])))
        return false;
    rest_.remove_prefix(word.size());
    return true;
}

char XPathLexer::next() {
    skip_blanks();
    return rest_.empty() ? '\0' : rest_.front();
}

std::string_view XPathLexer::name() {
    skip_blanks();
    const std::string_view begin = rest_;
    if (rest_.empty() || !begins_name(rest_.front())) refuse_next();
    while (!rest_.empty() && continues_name(rest_.front())) rest_.remove_prefix(1);
    return begin.substr(0, begin.size() - rest_.size());
}

std::string XPathLexer::literal() {
    if (next() != '\'' && next() != '"') refuse_next();
    const std::size_t end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos) refuse("a literal without an end");
    const std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
}

std::size_t XPathLexer::number() {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(
        rest_.data(), rest_.data() + std::min<std::size_t>(rest_.size(), 9), number);
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    if (error != std::errc() ||
        (!rest_.empty() && (is_digit(rest_.front()) || rest_.front() == '.')))
        refuse("a number that is large or has a fraction");
    return number;
}

void XPathLexer::expect(std::string_view token) {
    if (!accept(token)) refuse_next();
}

void XPathLexer::expect_end() {
    skip_blanks();
    if (!rest_.empty()) refuse_next();
}

}  // namespace oai::transform
