// SPDX-License-Identifier: MIT
#include "base/ini.h"

#include <ini.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/text.h"

namespace oai::ini {
namespace {

constexpr std::size_t kLineBytes = 200;  // INI_MAX_LINE of Debian's inih; the ending NUL is one of them

bool is_blank(char c) { return c == ' ' || c == '\t'; }

bool has_comment_behind_blank(std::string_view line) {
    for (std::size_t i = 1; i < line.size(); ++i)
        if (line[i] == ';' && is_blank(line[i - 1])) return true;
    return false;
}

// What is wrong with the characters of a line.
std::optional<std::string> judge_bytes(std::string_view line, bool first) {
    if (first && line.starts_with("\xEF\xBB\xBF"))
        return "begins with a byte order mark; save it as UTF-8 without one";
    if (line.size() >= kLineBytes)
        return "the line has " + std::to_string(line.size()) + " bytes; " + std::to_string(kLineBytes - 1) +
               " are the most";
    if (line.find('\0') != std::string_view::npos) return "the line holds a NUL byte";
    if (!text::is_utf8(line)) return "the line is not UTF-8";
    if (!text::is_xml_text(line)) return "the line holds a control character";
    return std::nullopt;
}

// What is wrong with the form of a line.
std::optional<std::string> judge_form(std::string_view line, bool in_section) {
    const std::string_view content = text::trim(line);
    if (content.empty() || content[0] == '#' || content[0] == ';') return std::nullopt;
    if (is_blank(line[0]))
        return "the line is indented; every key and its value stand on one line that begins with the key";
    if (content[0] == '[') {
        if (content.find(']') == content.size() - 1) return std::nullopt;
        return "a section heading is [name] and nothing else";
    }
    if (!in_section) return "stands before the first [section]";
    const std::size_t separator = content.find_first_of("=:");
    if (separator == std::string_view::npos) return "neither a comment, a [section] nor key = value";
    if (separator == 0) return "no key before '" + std::string(1, content[0]) + "'";
    if (has_comment_behind_blank(content))
        return "';' behind a blank; a comment stands on a line of its own, a value cannot hold it";
    return std::nullopt;
}

std::vector<std::string_view> split_lines(std::string_view text) {
    std::vector<std::string_view> lines = text::split(text, '\n');
    if (lines.back().empty()) lines.pop_back();
    for (std::string_view& line : lines)
        if (line.ends_with('\r')) line.remove_suffix(1);
    return lines;
}

std::vector<Problem> judge(const std::vector<std::string_view>& lines) {
    std::vector<Problem> problems;
    bool in_section = false;
    int number = 0;
    for (const std::string_view line : lines) {
        auto what = judge_bytes(line, ++number == 1);
        if (!what) what = judge_form(line, in_section);
        if (what) problems.push_back({number, std::move(*what)});
        if (line.starts_with('[')) in_section = true;
    }
    return problems;
}

// inih's two callbacks work on this. The reader hands out a line at a time, so `next` is also the current
// line's number.
struct Reading {
    const std::vector<std::string_view>* lines;
    std::size_t next = 0;
    std::vector<Entry> entries;
};

char* read_line(char* out, int size, void* user) noexcept {
    Reading& reading = *static_cast<Reading*>(user);
    if (reading.next == reading.lines->size()) return nullptr;
    const std::string_view line = (*reading.lines)[reading.next++];
    const std::size_t length =
        std::min(line.size(), static_cast<std::size_t>(size) - 1);  // judge() saw that it fits
    std::memcpy(out, line.data(), length);
    out[length] = '\0';
    return out;
}

int take_entry(void* user, const char* section, const char* key, const char* value) noexcept {
    Reading& reading = *static_cast<Reading*>(user);
    try {
        reading.entries.push_back({section, key, value, static_cast<int>(reading.next)});
        return 1;
    } catch (...) {
        return 0;  // out of memory: inih reports the line
    }
}

}  // namespace

File parse(std::string_view text) {
    const auto lines = split_lines(text);
    File file{{}, judge(lines)};
    if (!file.problems.empty()) return file;
    Reading reading{&lines, 0, {}};
    const int bad_line = ini_parse_stream(read_line, &reading, take_entry, &reading);
    if (bad_line != 0)
        file.problems.push_back({bad_line, "not understood"});
    else
        file.entries = std::move(reading.entries);
    return file;
}

}  // namespace oai::ini
