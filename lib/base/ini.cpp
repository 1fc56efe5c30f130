// SPDX-License-Identifier: MIT
#include "base/ini.h"

#include <ini.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/text.h"

namespace oai::ini {
namespace {

// INI_MAX_LINE of Debian's inih, with the terminating NUL, less one: inih 59 refuses a full line.
constexpr std::size_t kLineBytes = 199;

bool is_blank(char c) { return c == ' ' || c == '\t'; }

bool has_comment_after_blank(std::string_view line) {
    for (std::size_t i = 1; i < line.size(); ++i)
        if (line[i] == ';' && is_blank(line[i - 1])) return true;
    return false;
}

// Returns what is wrong with the characters of a line, if anything.
std::optional<std::string> check_bytes(std::string_view line, bool first) {
    if (first && line.starts_with("\xEF\xBB\xBF"))
        return "begins with a byte order mark; save it as UTF-8 without one";
    if (line.size() >= kLineBytes)
        return "the line has " + std::to_string(line.size()) + " bytes; the maximum is " +
               std::to_string(kLineBytes - 1);
    if (line.find('\0') != std::string_view::npos) return "the line contains a NUL byte";
    if (!text::is_utf8(line)) return "the line is not UTF-8";
    if (!text::is_xml_text(line)) return "the line contains a control character";
    return std::nullopt;
}

// Returns what is wrong with the syntax of a line, if anything.
std::optional<std::string> check_syntax(std::string_view line, bool in_section) {
    const std::string_view content = text::trim(line);
    if (content.empty() || content[0] == '#' || content[0] == ';') return std::nullopt;
    if (is_blank(line[0]))
        return "the line is indented; write each key and its value on one line that begins with "
               "the key";
    if (content[0] == '[') {
        if (content.find(']') == content.size() - 1) return std::nullopt;
        return "a section heading is [name] and nothing else";
    }
    if (!in_section) return "a key before the first [section]";
    const std::size_t separator = content.find_first_of("=:");
    if (separator == std::string_view::npos)
        return "neither a comment, a [section] nor key = value";
    if (separator == 0) return "no key before '" + std::string(1, content[0]) + "'";
    if (has_comment_after_blank(content))
        return "';' after a blank, which a value cannot contain; write a comment on a line of its "
               "own";
    return std::nullopt;
}

std::vector<std::string_view> split_lines(std::string_view text) {
    std::vector<std::string_view> lines = text::split(text, '\n');
    if (lines.back().empty()) lines.pop_back();
    for (std::string_view& line : lines)
        if (line.ends_with('\r')) line.remove_suffix(1);
    return lines;
}

std::vector<Problem> check_lines(const std::vector<std::string_view>& lines) {
    std::vector<Problem> problems;
    bool in_section = false;
    int number = 0;
    for (const std::string_view line : lines) {
        auto what = check_bytes(line, ++number == 1);
        if (!what) what = check_syntax(line, in_section);
        if (what) problems.push_back({number, std::move(*what)});
        if (line.starts_with('[')) in_section = true;
    }
    return problems;
}

// The state of the two callbacks of inih. read_line() returns one line at a time, so `next` is also
// the number of the current line.
struct ParseState {
    const std::vector<std::string_view>* lines;
    std::size_t next = 0;
    std::vector<Entry> entries;
};

char* read_line(char* out, int size, void* user) noexcept {
    ParseState& state = *static_cast<ParseState*>(user);
    if (state.next == state.lines->size()) return nullptr;
    const std::string_view line = (*state.lines)[state.next++];
    const std::size_t length = std::min(
        line.size(), static_cast<std::size_t>(size) - 1);  // check_bytes() has ensured that it fits
    std::memcpy(out, line.data(), length);
    out[length] = '\0';
    return out;
}

int add_entry(void* user, const char* section, const char* key, const char* value) noexcept {
    ParseState& state = *static_cast<ParseState*>(user);
    try {
        state.entries.push_back({section, key, value, static_cast<int>(state.next)});
        return 1;
    } catch (...) {
        return 0;  // out of memory: inih reports the line
    }
}

}  // namespace

File parse(std::string_view text) {
    const auto lines = split_lines(text);
    File file{{}, check_lines(lines)};
    if (!file.problems.empty()) return file;
    ParseState state{&lines, 0, {}};
    const int bad_line = ini_parse_stream(read_line, &state, add_entry, &state);
    if (bad_line != 0)
        file.problems.push_back({bad_line, "cannot be parsed"});
    else
        file.entries = std::move(state.entries);
    return file;
}

}  // namespace oai::ini
