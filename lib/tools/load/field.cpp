// SPDX-License-Identifier: MIT
#include "tools/load/field.h"

#include <re2/re2.h>

#include <algorithm>

#include "base/text.h"
#include "protocol/identifier.h"
#include "protocol/record.h"
#include "tools/harvest/sink.h"
#include "tools/load/capture.h"
#include "web/surt.h"

namespace oai::load {
namespace {

bool is_control_or_blank(char c) {
    const auto u = static_cast<unsigned char>(c);
    return u <= 0x20 || u == 0x7f;
}

// RFC 9110, 5.6.2: tchar.
bool is_token(std::string_view s) {
    static const RE2 kForm("[0-9a-z!#$%&'*+.^_`|~-]{1,100}", RE2::Latin1);
    return RE2::FullMatch(std::string(s), kForm);
}

// Length in bytes of the XML character that begins at s[0]; 0 if none does.
std::size_t xml_character(std::string_view s) {
    const auto u = static_cast<unsigned char>(s[0]);
    const std::size_t n = u < 0x80 ? 1 : u >= 0xf0 ? 4 : u >= 0xe0 ? 3 : 2;
    return text::is_xml_text(s.substr(0, n)) && s.size() >= n ? n : 0;
}

// How many bytes at the start encode() leaves as they are: of most texts all.
std::size_t plain_prefix(std::string_view s, bool blanks_too) {
    const auto plain = [blanks_too](char c) {
        return static_cast<unsigned char>(c) < 0x80 && !(blanks_too && is_control_or_blank(c));
    };
    return static_cast<std::size_t>(std::find_if_not(s.begin(), s.end(), plain) - s.begin());
}

std::string encode(std::string_view s, bool blanks_too) {
    std::string out;
    out.reserve(s.size());
    for (;;) {
        const std::size_t plain_bytes = plain_prefix(s, blanks_too);
        out.append(s.substr(0, plain_bytes));
        s.remove_prefix(plain_bytes);
        if (s.empty()) return out;
        const std::size_t n = static_cast<unsigned char>(s[0]) < 0x80 ? 0 : xml_character(s);
        if (n == 0)
            text::append_hex(out += '%', s[0]);
        else
            out.append(s.substr(0, n));
        s.remove_prefix(n == 0 ? 1 : n);
    }
}

constexpr std::size_t kHostBytes = 253;  // RFC 1035, 2.3.4

std::string reversed_labels(std::string_view host) {
    std::string out;
    const auto labels = text::split(host, '.');
    for (auto label = labels.rbegin(); label != labels.rend(); ++label)
        out.append(out.empty() ? "" : ":").append(set_label(*label));
    return out;
}

std::string domain_name(const UrlHost& host) {
    if (host.text.empty() || host.text.size() > kHostBytes) return "";
    if (!host.ip) return reversed_labels(host.text);
    const bool v6 = host.text.front() == '[';
    return "ip:" +
           set_label(v6 ? std::string_view(host.text).substr(1, host.text.size() - 2) : host.text);
}

}  // namespace

std::optional<Seconds> parse_date(std::string_view s) {
    const auto date = harvest::date_meant_by(s);
    return date ? std::optional(date->first) : std::nullopt;
}

std::string media_type(std::string_view s) {
    s = s.substr(0, s.find_first_of(";,"));
    const std::string whole = text::lower_ascii(text::trim(s));
    const auto slash = whole.find('/');
    if (slash == whole.npos || whole == "warc/revisit") return "";
    const std::string_view view = whole;
    return is_token(view.substr(0, slash)) && is_token(view.substr(slash + 1)) ? whole : "";
}

std::optional<int> http_status(std::string_view s) {
    const auto n = text::to_integer(s);
    if (!n || *n < 100 || *n > 999) return std::nullopt;
    return static_cast<int>(*n);
}

std::string digest(std::string_view s) {
    s = text::trim(s);
    if (s.size() > 150 || s == "-" || !text::is_utf8(s) ||
        std::any_of(s.begin(), s.end(), is_control_or_blank))
        return "";
    const auto colon = s.find(':');
    const std::string algorithm = colon == s.npos ? "" : text::lower_ascii(s.substr(0, colon));
    const std::string_view value = colon == s.npos ? s : s.substr(colon + 1);
    if (value.empty()) return "";
    if (!algorithm.empty() && algorithm != "sha1" && algorithm != "sha-1")
        return algorithm + ":" + std::string(value);
    std::string upper(value);
    std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    return upper.size() == 32 ? upper : std::string(value);
}

std::string clean_url(std::string_view s) {
    s = text::trim(s);
    if (s.size() > 1 && s.front() == '<' && s.back() == '>') s = s.substr(1, s.size() - 2);
    return encode(s, true);
}

std::string encode_ill_formed(std::string_view s) { return encode(s, false); }

std::string file_name(std::string_view s) {
    return s.size() > 1000 || s == "-" || !text::is_xml_text(s) ? "" : std::string(s);
}

std::string_view kind_of_no_document(std::string_view url) {
    for (std::string_view scheme : {"dns", "filedesc", "metadata", "warcinfo", "whois"})
        if (url.size() > scheme.size() && url[scheme.size()] == ':' &&
            text::lower_ascii(url.substr(0, scheme.size())) == scheme)
            return scheme;
    return "";
}

HttpFacts http_facts(std::string_view block) {
    HttpFacts facts;
    if (text::lower_ascii(block.substr(0, 5)) != "http/") return facts;
    const auto end = block.find('\n');
    std::string_view line = block.substr(0, end);
    line.remove_prefix(std::min(line.size(), line.find(' ')));
    line = text::trim(line);
    facts.status = http_status(line.substr(0, line.find_first_of(" \t")));
    if (end == block.npos) return facts;
    facts.mimetype = media_type(header_field(block.substr(end + 1), "content-type").value_or(""));
    return facts;
}

std::size_t http_header_bytes(std::string_view block) {
    return text::lower_ascii(block.substr(0, 5)) == "http/" ? body_begin(block) : 0;
}

std::optional<std::string> header_field(std::string_view lines, std::string_view name) {
    return take_header_field(lines, name);
}

std::optional<std::string> take_header_field(std::string_view& lines, std::string_view name) {
    std::optional<std::string> value;
    while (!lines.empty()) {
        const auto end = lines.find('\n');
        const std::string_view line = lines.substr(0, end);
        const bool folded = !line.empty() && (line[0] == ' ' || line[0] == '\t');
        if (!folded && (value || text::trim(line).empty())) break;
        lines.remove_prefix(end == lines.npos ? lines.size() : end + 1);
        if (folded && value) {
            const std::string_view more = text::trim(line);
            value->append(value->empty() || more.empty() ? "" : " ").append(more);
            continue;
        }
        const auto colon = line.find(':');
        if (colon != line.npos && text::lower_ascii(text::trim(line.substr(0, colon))) == name)
            value = std::string(text::trim(line.substr(colon + 1)));
    }
    return value;
}

CanonicalUrl canonical_url(std::string_view url, std::string_view request) {
    const auto blank = std::min(request.find(' '), request.size());
    Surt surt = surt_of(url_of_request(url, request.substr(0, blank),
                                       request.substr(std::min(blank + 1, request.size()))));
    return {std::move(surt.text), domain_name(surt.host)};
}

std::string mimetype_name(std::string_view media_type) {
    const auto slash = media_type.find('/');
    if (slash == media_type.npos) return "";
    return set_label(media_type.substr(0, slash)) + ":" + set_label(media_type.substr(slash + 1));
}

std::string collection_name(std::string_view given) {
    if (given.starts_with("col:")) given.remove_prefix(4);
    return is_set_spec(given) && given.size() <= 1000 ? std::string(given) : "";
}

}  // namespace oai::load
