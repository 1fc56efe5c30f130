// SPDX-License-Identifier: MIT

#include <re2/re2.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/text.h"
#include "tools/load/archive_reader.h"
#include "tools/load/field.h"

namespace oai::load {
namespace {

std::optional<std::int64_t> count(std::string_view s) {
    const auto n = text::to_integer(s);
    return n && *n >= 0 ? n : std::nullopt;
}

// Sets the value that the letter stands for in CDX legends. ("v", an offset in the uncompressed
// file, leads nowhere in a compressed one and is not used.)
void put(Capture& capture, char letter, std::string_view value) {
    switch (letter) {
        case 'a': capture.url = clean_url(value); break;
        case 'm':
            capture.mimetype = media_type(value);
            capture.revisit = value == "warc/revisit";
            break;
        case 's': capture.status = http_status(value); break;
        case 'k': capture.digest = digest(value); break;
        case 'S': capture.length = count(value); break;
        case 'V': capture.offset = count(value); break;
        case 'g': capture.file = file_name(value); break;
        default: break;
    }
}

CdxLine with_date(CdxLine line, std::string_view date) {
    const auto time = parse_date(date);
    if (line.capture.url.empty() || line.capture.url == "-")
        return CdxLine{.capture = {}, .wrong = "the line has no URL"};
    if (!time)
        return CdxLine{.capture = {}, .wrong = "no such date: " + clean_url(date.substr(0, 40))};
    line.capture.archived_time = *time;
    return line;
}

// Older indexes say what was asked in their keys alone: "org,example)/post?__wb_method=post&a=1".
std::string request_in_key(std::string_view key, const std::string& url) {
    constexpr std::string_view kMethod = "__wb_method=";
    if (key.find(kMethod) == key.npos) return "";
    const std::string plain = canonical_url(url).surt;
    std::vector<std::string_view> own =
        text::split(std::string_view(plain).substr(plain.find('?') + 1), '&');
    std::string method, body;
    for (const std::string_view part : text::split(key.substr(key.find('?') + 1), '&'))
        if (part.starts_with(kMethod))
            for (const char c : part.substr(kMethod.size()))
                method += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        else if (const auto known = std::find(own.begin(), own.end(), part); known != own.end())
            own.erase(known);
        else
            body.append(body.empty() ? "" : "&").append(part);
    return request_text(method, body);
}

// The value of the first of these keys that is there. Numbers may be strings, and the other way
// round.
std::string word(const nlohmann::json& object, std::initializer_list<const char*> keys) {
    for (const char* const key : keys) {
        const auto at = object.find(key);
        if (at == object.end()) continue;
        if (at->is_string()) return at->get<std::string>();
        if (at->is_number_integer()) return at->dump();
    }
    return "";
}

// In JSON the halves of a surrogate pair may stand alone, which are no characters: they become
// U+FFFD. Returns how many.
int replace_lone_surrogates(std::string& json) {
    static const RE2 kEscape(R"(\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|u([dD][89a-fA-F]..)|.))",
                             RE2::Latin1);
    re2::StringPiece rest(json), lone;
    int n = 0;
    while (RE2::FindAndConsume(&rest, kEscape, &lone)) {
        if (lone.empty()) continue;
        json.replace(static_cast<std::size_t>(lone.data() - json.data()), 4, "FFFD");
        ++n;
    }
    return n;
}

using ParseLine = std::function<CdxLine(std::string_view)>;

class CdxReader {
  public:
    CdxReader(Input& input, CaptureHandler& handler, ParseLine parse)
        : input_(input), handler_(handler), parse_(std::move(parse)) {}

    void read() {
        for (;;) {
            const std::string_view raw = input_.peek_line(Input::kWindowBytes);
            if (raw.empty()) {
                if (!next_stretch(input_, handler_)) break;
                input_.skip_line();  // the rest of a line whose beginning is lost
                continue;
            }
            line(raw);
        }
        if (repaired_ > 0)
            handler_.note(std::to_string(repaired_) + " lone surrogates in its JSON became U+FFFD");
    }

  private:
    void line(std::string_view raw) {
        const std::uint64_t offset = input_.offset();
        const bool whole = raw.back() == '\n';
        if (raw.size() == Input::kWindowBytes && !whole) {
            handler_.damage(offset, "a line of more than 1 MB");
            return input_.skip_line();
        }
        const std::string content(raw);
        const auto members = input_.member_starts(content.size());
        input_.consume(content.size());
        if (!whole && input_.peek(1).empty() && !input_.broken().empty())
            return;  // cut off by damage, which the next round reports
        CdxLine first = parse_(text::trim(content));
        if (!first.incomplete || members.empty()) return deliver(offset, std::move(first));
        // Some tools end a gzip member without a line end.
        std::size_t begin = 0;
        for (std::size_t i = 0; i <= members.size(); ++i) {
            const std::size_t end = i < members.size() ? members[i] : content.size();
            deliver(offset,
                    parse_(text::trim(std::string_view(content).substr(begin, end - begin))));
            begin = end;
        }
    }

    void deliver(std::uint64_t offset, CdxLine line) {
        repaired_ += line.repaired;
        if (!line.wrong.empty()) return handler_.damage(offset, line.wrong);
        if (!line.kind.empty()) return handler_.skip(line.kind);
        if (line.capture.url.empty()) return;  // blank, or a header
        const auto kind = kind_of_no_document(line.capture.url);
        if (!kind.empty()) return handler_.skip(kind);
        handler_.capture(std::move(line.capture));
    }

    Input& input_;
    CaptureHandler& handler_;
    ParseLine parse_;
    std::int64_t repaired_ = 0;
};

}  // namespace

std::optional<CdxLegend> parse_cdx_legend(std::string_view line) {
    CdxLegend legend;
    if (line.starts_with("CDX ") || line.starts_with("CDX\t")) {  // trimmed by some tool
        legend.separator = line[3];
        line.remove_prefix(4);
    } else {
        if (line.size() < 6 || line.substr(1, 3) != "CDX" || line[4] != line[0])
            return std::nullopt;
        legend.separator = line[0];
        line.remove_prefix(5);
    }
    for (std::string_view letter : text::split(text::trim(line), legend.separator)) {
        if (letter.size() != 1) return std::nullopt;
        legend.letters += letter[0];
    }
    return legend;
}

std::optional<CdxLegend> usual_legend(std::string_view line) {
    for (char separator : {' ', '\t'}) {
        const auto words = text::split(line, separator);
        constexpr const char* kLetters[] = {"NbamskrVg", "NbamskrMVg", "NbamskrMSVg"};
        const std::size_t n = words.size();
        if ((n != 7 && n < 9) || n > 14 || !parse_date(words[1])) continue;
        // Of 12 to 14 columns the last three say where what a revisit repeats is.
        return CdxLegend{
            separator,
            n == 7 ? "NbamskS" : std::string(kLetters[(n - 9) % 3]) + (n > 11 ? "---" : "")};
    }
    return std::nullopt;
}

CdxLine parse_cdx_line(std::string_view text, const CdxLegend& legend) {
    CdxLine line;
    if (text.empty()) return line;
    const auto words = text::split(text, legend.separator);
    if (words.size() != legend.letters.size())
        return CdxLine{.capture = {},
                       .wrong = "the line has " + std::to_string(words.size()) +
                                " columns instead of " + std::to_string(legend.letters.size()),
                       .incomplete = true};
    std::string_view date, key;
    for (std::size_t i = 0; i < words.size(); ++i) {
        put(line.capture, legend.letters[i], words[i]);
        if (legend.letters[i] == 'b') date = words[i];
        if (legend.letters[i] == 'N') key = words[i];
    }
    line.capture.request = request_in_key(key, line.capture.url);
    return with_date(std::move(line), date);
}

CdxLine parse_cdxj_line(std::string_view text) {
    CdxLine line;
    if (text.empty() || text[0] == '!') return line;
    const auto brace = text.find('{');
    const auto words = text::split(text::trim(text.substr(0, brace)), ' ');
    if (brace == text.npos || (brace > 0 && (words.size() < 2 || words.size() > 3)))
        return CdxLine{
            .capture = {}, .wrong = "the line is not: key, date, JSON object", .incomplete = true};
    std::string json = encode_ill_formed(text.substr(brace));
    line.repaired = replace_lone_surrogates(json);
    const auto object = nlohmann::json::parse(json, nullptr, false);
    if (!object.is_object())
        return CdxLine{.capture = {}, .wrong = "the line's JSON is broken", .incomplete = true};
    if (words.size() == 3 && words[2] != "response" && words[2] != "resource" &&
        words[2] != "revisit") {
        line.kind = words[2];
        return line;
    }
    Capture& capture = line.capture;
    put(capture, 'a', word(object, {"url", "uri", "original"}));
    put(capture, 'm', word(object, {"mime", "mct", "mimetype", "mime_type"}));
    put(capture, 's', word(object, {"status", "hsc", "statuscode", "status_code"}));
    put(capture, 'k', word(object, {"digest", "sha"}));
    put(capture, 'S', word(object, {"length", "rle"}));
    put(capture, 'V', word(object, {"offset"}));
    put(capture, 'g', word(object, {"filename"}));
    static const RE2 kReference(R"(warcfile:(.*)#(\d+))");  // OpenWayback's
    if (std::string file, offset; RE2::FullMatch(word(object, {"ref"}), kReference, &file, &offset))
        put(capture, 'g', file), put(capture, 'V', offset);
    capture.revisit |= words.size() == 3 && words[2] == "revisit";
    capture.request = request_text(word(object, {"method"}), word(object, {"requestBody"}));
    const std::string key = brace > 0 ? std::string(words[0]) : word(object, {"urlkey"});
    if (capture.request.empty()) capture.request = request_in_key(key, capture.url);
    return with_date(std::move(line), brace > 0 ? words[1] : word(object, {"timestamp"}));
}

void read_cdx(Input& input, CaptureHandler& handler) {
    const std::string_view first = input.peek_line(Input::kWindowBytes);
    auto legend = parse_cdx_legend(first);
    if (!legend) legend = usual_legend(text::trim(first));
    if (!legend) legend = usual_legend(text::trim(first_line_of_member(input)));
    if (!legend || legend->letters.find('a') == legend->letters.npos ||
        legend->letters.find('b') == legend->letters.npos)
        throw std::runtime_error("the header line of the CDX names no URL (a) or no date (b)");
    CdxReader(input, handler, [&legend](std::string_view line) {
        if (const auto next = parse_cdx_legend(line)) {  // also of a file that was appended
            legend = next;
            return CdxLine{};
        }
        return parse_cdx_line(line, *legend);
    }).read();
}

void read_cdxj(Input& input, CaptureHandler& handler) {
    CdxReader(input, handler, parse_cdxj_line).read();
}

}  // namespace oai::load
