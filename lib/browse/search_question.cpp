// SPDX-License-Identifier: MIT
#include "browse/search_question.h"

#include <re2/re2.h>

#include "base/clock.h"
#include "base/text.h"
#include "protocol/identifier.h"
#include "web/surt.h"

namespace oai {
namespace {

constexpr std::size_t kMaxTypedBytes = 4'000;
constexpr std::size_t kMaxWordBytes = 1'000;
// Behind every key that begins as what stands before it.
constexpr std::string_view kLastCharacter = "\xf4\x8f\xbf\xbf";

// Without what a person does not see: control characters, marks of direction, a byte order mark.
std::string visible_text(std::string_view typed) {
    const std::string valid = text::to_xml_text(typed);
    std::string out;
    for (std::string_view rest = valid; !rest.empty();) {
        const text::Character c = text::first_character(rest);
        const bool blank = c.value == '\n' || c.value == '\t' || c.value == '\r';
        if (blank)
            out += ' ';
        else if (!text::is_unsafe_for_terminal(c.value) && c.value != 0xfeff)
            out += rest.substr(0, c.length);
        rest.remove_prefix(c.length);
    }
    return std::string(text::trim(out));
}

// Schemes without slashes only where archives have them: "example.cz:80" is a host.
bool has_scheme(std::string_view text) {
    static const RE2 kScheme("(?i)dns:|mailto:|urn:|(?:[a-z][a-z0-9+.-]*:)+//");
    re2::StringPiece rest(text.data(), text.size());
    return RE2::Consume(&rest, kScheme);
}

// Whether text without a scheme is meant as a host: an IP address or a name with a dot.
bool is_host_name(std::string_view text) {
    static const RE2 kName("(?i)(?:[a-z0-9_-]{1,63}[.])+(?:[a-z]{2,63}|xn--[a-z0-9_-]{0,59})");
    const UrlHost host = normal_host(text);
    return host.ip || RE2::FullMatch(host.text, kName);
}

// "example.org:8080/a" -> "example.org".
std::string_view host_part(std::string_view text) {
    static const RE2 kHost(R"((?s)(\[[^]/?#]*\]|[^/?#]*?)(?::[0-9]*)?(?:[/?#].*)?)");
    re2::StringPiece host;
    RE2::FullMatch(re2::StringPiece(text.data(), text.size()), kHost, &host);
    return {host.data(), host.size()};
}

CaptureRange keys_from(std::string key) {
    std::string before = key + std::string(kLastCharacter);
    return {std::move(key), std::move(before)};
}

// "org,example" -> "dom:org:example".
std::string set_of_host(std::string_view reversed) {
    std::string set = "dom";
    for (const std::string_view label : text::split(reversed, ','))
        set.append(":").append(set_label(label));
    return set;
}

SearchQuestion about_url(std::string text) {
    SearchQuestion question{.kind = SearchKind::url, .text = std::move(text)};
    if (question.text.ends_with('*')) {
        question.kind = SearchKind::prefix;
        question.url = with_scheme(
            std::string_view(question.text).substr(0, question.text.find_last_not_of('*') + 1));
        question.range = url_prefix(question.url);
        return question;
    }
    question.url = with_scheme(question.text);
    const Surt surt = surt_of(question.url);
    question.key = surt.text;
    const std::string host = surt_of_host(surt.host);
    if (!surt.host.text.empty() && surt.text == host + ")/") {
        question.kind = SearchKind::host;
        question.range = keys_from(surt.text);
        if (!surt.host.ip) question.set = set_of_host(host);
    }
    return question;
}

// The first or the last time that is written with these digits and further ones.
std::optional<Seconds> completed(const std::string& digits, bool last) {
    constexpr std::string_view kFirst = "00010101000000";
    if (digits.size() >= 4 && digits.size() % 2 == 0) {
        std::string time = digits + std::string(kFirst.substr(digits.size())) + "Z";
        for (const auto& [place, sign] :
             {std::pair{12, ":"}, {10, ":"}, {8, "T"}, {6, "-"}, {4, "-"}})
            time.insert(static_cast<std::size_t>(place), sign);
        const auto first = parse_utc(time);
        if (!first || digits.size() == kFirst.size()) return first;
    }
    for (const char next : std::string_view(last ? "9876543210" : "0123456789"))
        if (const auto time = completed(digits + next, last)) return time;
    return std::nullopt;
}

}  // namespace

std::string with_scheme(std::string_view url) {
    return (has_scheme(url) ? "" : "http://") + std::string(url);
}

CaptureRange url_prefix(std::string_view url) {
    std::string key = surt_of(with_scheme(url)).text;
    if (url.ends_with('/') && !key.ends_with('/')) key += '/';  // which a SURT drops
    return keys_from(std::move(key));
}

SearchQuestion parse_search(std::string_view typed, bool captures) {
    if (typed.size() > kMaxTypedBytes) return {.kind = SearchKind::too_long};
    std::string text = visible_text(typed);
    if (text.empty()) return {};
    const bool one = text.find(' ') == text.npos;
    if (one && text.starts_with("oai:") && text.find(':', 4) != text.npos)
        return {.kind = SearchKind::identifier, .text = std::move(text)};
    // Captured addresses may have blanks in them; what people type begins with a scheme then.
    if (captures && (one || has_scheme(text))) {
        const std::string_view host = host_part(text);
        const std::string_view bare = host.substr(0, host.find_last_not_of('*') + 1);
        if (has_scheme(text) || is_host_name(bare)) return about_url(std::move(text));
    }
    if (text.size() > kMaxWordBytes) return {.kind = SearchKind::too_long};
    return {.kind = SearchKind::words, .text = std::move(text)};
}

std::optional<Seconds> capture_time(std::string_view text, bool last) {
    std::string digits(text);
    std::erase(digits, '-');
    if (digits.empty() || digits.size() > 14 ||
        digits.find_first_not_of("0123456789") != digits.npos)
        return std::nullopt;
    return completed(digits, last);
}

}  // namespace oai
