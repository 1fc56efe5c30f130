// SPDX-License-Identifier: MIT
#include <cstdint>
#include <optional>

#include "base/text.h"
#include "tools/recover/links.h"
#include "xml/character.h"

namespace oai::recover {
namespace {

constexpr std::size_t kHexDigits = 6;  // of an escape, at most

bool is_newline(char c) { return c == '\n' || c == '\r' || c == '\f'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_high(char c) { return static_cast<unsigned char>(c) >= 0x80; }
bool is_name_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_high(c);
}
bool is_name(char c) { return is_name_start(c) || is_digit(c) || c == '-'; }

// Escapes a reference for a string or url(), so that it ends neither that nor the element around
// it.
std::string escape_reference(std::string_view reference) {
    std::string out;
    for (const char c : reference)
        if (std::string_view("\"'()\\ ").find(c) != std::string_view::npos)
            (out += '\\') += c;
        else if (c == '<')
            out += "\\3c ";
        else if (is_newline(c) || c == '\t')
            out += c == '\n' ? "\\a " : c == '\r' ? "\\d " : c == '\f' ? "\\c " : "\\9 ";
        else
            out += c;
    return out;
}

// A string, or the content of url().
struct CssValue {
    std::size_t begin, end;
    std::string text;  // without escapes
};

class CssScanner {
  public:
    CssScanner(std::string_view css, const ReferenceMapper& map)
        : in_(css), map_(map), utf8_(text::is_utf8(css)) {}

    Edits run() {
        while (at_ < in_.size()) token();
        return std::move(edits_);
    }

  private:
    // How references are treated until the end of an at-rule or the begin of its block: `import`
    // maps the first one, `names` leaves all of them.
    enum class Rule { none, import, names };

    char peek(std::size_t n = 0) const { return at_ + n < in_.size() ? in_[at_ + n] : '\0'; }
    bool at(std::string_view s) const { return in_.substr(at_).starts_with(s); }
    // Whether a backslash here begins an escape.
    bool is_escape(std::size_t n = 0) const {
        if (peek(n) != '\\' || at_ + n + 1 >= in_.size() || is_newline(peek(n + 1))) return false;
        return utf8_ || at_ + n == 0 || static_cast<unsigned char>(in_[at_ + n - 1]) < 0x81;
    }
    bool begins_name(std::size_t n = 0) const {
        if (peek(n) == '-')
            return is_name_start(peek(n + 1)) || peek(n + 1) == '-' || is_escape(n + 1);
        return is_name_start(peek(n)) || is_escape(n);
    }

    void token() {
        const char c = peek();
        if (at("/*"))
            skip_behind("*/");
        else if (at("<!--"))
            at_ += 4;
        else if (at("-->"))
            at_ += 3;
        else if (c == '"' || c == '\'')
            string_token();
        else if (c == '@')
            at_rule();
        else if (c == '#')
            ++at_, name();
        else if (is_digit(c) || (c == '.' && is_digit(peek(1))))
            number();
        else if (begins_name())
            name_or_function();
        else
            punctuation(c);
    }

    void skip_behind(std::string_view mark) {
        const std::size_t found = in_.find(mark, at_ + 2);
        at_ = found == in_.npos ? in_.size() : found + mark.size();
    }
    void skip_blanks() {
        while (is_blank(peek()) && at_ < in_.size()) ++at_;
    }

    void escape(std::string& out) {
        ++at_;
        std::uint32_t number = 0;
        std::size_t digits = 0;
        for (; digits < kHexDigits && text::hex_value(peek()) >= 0; ++digits, ++at_)
            number = number * 16 + static_cast<std::uint32_t>(text::hex_value(peek()));
        if (digits == 0) {
            out += in_[at_++];
            return;
        }
        xml::append_character(out, number);
        if (at("\r\n")) ++at_;
        if (is_blank(peek()) && at_ < in_.size()) ++at_;
    }

    std::string name() {
        std::string out;
        while (at_ < in_.size())
            if (is_escape())
                escape(out);
            else if (is_name(peek()))
                out += in_[at_++];
            else
                break;
        return text::lower_ascii(out);
    }

    void number() {
        while (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) ++at_;
        if (begins_name()) name();  // its unit
    }

    void punctuation(char c) {
        ++at_;
        if (c == '(') functions_.push_back(false);
        if (c == ')' && !functions_.empty()) functions_.pop_back();
        if (c == ';' || c == '{' || c == '}') {
            rule_ = Rule::none;
            functions_.clear();
        }
    }

    void at_rule() {
        ++at_;
        if (!begins_name()) return;
        const std::string rule = name();
        rule_ = rule == "import"                                    ? Rule::import
                : rule == "namespace" || rule.ends_with("document") ? Rule::names
                                                                    : Rule::none;
    }

    void name_or_function() {
        const std::string word = name();
        if (peek() != '(') return;
        ++at_;
        if (word != "url" && word != "src")
            return functions_.push_back(word.ends_with("image-set"));
        const std::size_t inside = at_;
        skip_blanks();
        if (peek() == '"' || peek() == '\'') {
            const auto value = string();
            if (value && rule_ != Rule::names) replace(*value);
            if (rule_ == Rule::import) rule_ = Rule::none;
            return functions_.push_back(false);
        }
        at_ = inside;
        if (word == "src") return functions_.push_back(false);
        unquoted_url();
    }

    void string_token() {
        const auto value = string();
        const bool leads = rule_ == Rule::import || (!functions_.empty() && functions_.back());
        if (value && leads) replace(*value);
        if (rule_ == Rule::import) rule_ = Rule::none;  // media conditions follow
    }

    // Returns nullopt if the string does not end on its line.
    std::optional<CssValue> string() {
        const char quote = in_[at_++];
        CssValue value{at_, at_, {}};
        for (; at_ < in_.size() && peek() != quote;) {
            if (is_newline(peek())) return std::nullopt;
            if (is_escape())
                escape(value.text);
            else if (peek() == '\\' && is_newline(peek(1)) && (utf8_ || !is_high(in_[at_ - 1])))
                at_ += in_.substr(at_ + 1).starts_with("\r\n") ? 3 : 2;
            else
                value.text += in_[at_++];
        }
        value.end = at_;
        if (at_ < in_.size()) ++at_;
        return value;
    }

    void unquoted_url() {
        skip_blanks();
        CssValue value{at_, at_, {}};
        while (at_ < in_.size() && peek() != ')' && !is_blank(peek())) {
            const char c = peek();
            if (is_escape())
                escape(value.text);
            else if (c == '"' || c == '\'' || c == '(' || c == '\\' ||
                     static_cast<unsigned char>(c) < 0x20)
                return skip_bad_url();
            else
                value.text += in_[at_++];
        }
        value.end = at_;
        skip_blanks();
        if (at_ < in_.size() && peek() != ')') return skip_bad_url();
        if (at_ < in_.size()) ++at_;
        if (rule_ != Rule::names) replace(value);
        if (rule_ == Rule::import) rule_ = Rule::none;
    }

    void skip_bad_url() {
        std::string ignored;
        while (at_ < in_.size() && peek() != ')')
            if (is_escape())
                escape(ignored);
            else
                ++at_;
        if (at_ < in_.size()) ++at_;
    }

    void replace(const CssValue& value) {
        if (value.text.starts_with('#')) return;
        const std::string wanted = map_(value.text);
        if (!wanted.empty()) edits_.push_back({value.begin, value.end, escape_reference(wanted)});
    }

    const std::string_view in_;
    const ReferenceMapper& map_;
    const bool utf8_;
    std::size_t at_ = 0;
    Rule rule_ = Rule::none;
    std::vector<bool> functions_;  // open parentheses: whether strings in them are references
    Edits edits_;
};

}  // namespace

Edits css_edits(std::string_view css, const ReferenceMapper& map) {
    return CssScanner(css, map).run();
}

}  // namespace oai::recover
