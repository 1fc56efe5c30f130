// SPDX-License-Identifier: MIT
// What was asked, of a request other than GET, in the form in which pywb and cdxj-indexer look it
// up ("CDX for non-GET requests", a draft of the IIPC).
#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "tools/load/capture.h"
#include "tools/load/field.h"

namespace oai::load {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxCharacters = 4096, kMaxMethodBytes = 20;
constexpr int kMaxDepth = 500;

std::string form_encoded(std::string_view value) {
    std::string out = text::percent_encode(value, " ");
    std::replace(out.begin(), out.end(), ' ', '+');
    return out;
}

void append_parameter(std::string& out, std::string_view name, std::string_view value) {
    out.append(out.empty() ? "" : "&").append(form_encoded(name)) += '=';
    out += form_encoded(value);
}

std::string binary(std::string_view body) {
    std::string out(sodium_base64_encoded_len(body.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
    sodium_bin2base64(out.data(), out.size(), reinterpret_cast<const unsigned char*>(body.data()),
                      body.size(), sodium_base64_VARIANT_ORIGINAL);
    out.pop_back();
    return "__wb_post_data=" + out;
}

std::string form(std::string_view body) {
    if (!text::is_utf8(body)) return binary(body);
    std::string out;
    for (std::size_t i = 0; i < body.size(); ++i) {
        const auto decoded = text::percent_escape_at(body, i);
        out += decoded ? *decoded : body[i] == '+' ? ' ' : body[i];
        if (decoded) i += 2;
    }
    return text::is_utf8(out) ? out : text::to_xml_text(out);
}

// As Python prints a value.
std::string printed(const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (!value.is_number_float()) return value.dump();
    const double number = value.get<double>();
    return number == std::trunc(number) ? fmt::format("{:.0f}", number) : fmt::format("{}", number);
}

// Every value of a document by the name of what it is in; the second one of a name gets a number.
class JsonForm {
  public:
    // false: too deep.
    bool add(const Json& value, const std::string& name, int depth = 0) {
        if (depth > kMaxDepth) return false;
        if (value.is_object()) {
            for (const auto& [key, member] : value.items())
                if (!add(member, key, depth + 1)) return false;
        } else if (value.is_array()) {
            for (const Json& member : value)
                if (!add(member, name, depth + 1)) return false;
        } else if (!name.empty()) {
            const int n = ++seen_[name];
            append_parameter(text, n == 1 ? name : fmt::format("{}.{}_", name, n), printed(value));
        }
        return true;
    }
    std::string text{};

  private:
    std::map<std::string, int> seen_{};
};

std::optional<std::string> json(std::string_view body) {
    const Json document = Json::parse(body, nullptr, false);
    JsonForm form;
    if (document.is_discarded() || !form.add(document, "")) return std::nullopt;
    return form.text;
}

std::string parameter_of(std::string_view value, std::string_view name) {
    const auto at = text::lower_ascii(value).find(std::string(name) + "=");
    if (at == std::string::npos) return "";
    value.remove_prefix(at + name.size() + 1);
    if (value.starts_with('"')) return std::string(value.substr(1, value.substr(1).find('"')));
    return std::string(text::trim(value.substr(0, value.find(';'))));
}

std::string multipart(std::string_view body, std::string_view type) {
    const std::string boundary = parameter_of(type, "boundary");
    if (boundary.empty()) return binary(body);
    const std::string mark = "--" + boundary;
    std::string out;
    for (auto at = body.find(mark); at != body.npos;) {
        std::string_view part = body.substr(at + mark.size());
        const auto end = part.find("\n" + mark);
        if (end == part.npos) break;
        at += mark.size() + end + 1;
        part = part.substr(0, end);
        part.remove_prefix(std::min(part.find('\n') + 1, part.size()));
        const auto header = body_begin(part);
        std::string_view value = part.substr(header);
        if (value.ends_with('\r')) value.remove_suffix(1);
        const std::string lines(part.substr(0, header));
        append_parameter(
            out, parameter_of(header_field(lines, "content-disposition").value_or(""), " name"),
            value);
    }
    return out;
}

std::string canonical_body(std::string_view body, std::string_view type) {
    if (type.starts_with("application/x-www-form-urlencoded")) return form(body);
    if (type.starts_with("multipart/")) return multipart(body, type);
    if (type.starts_with("application/json")) return json(body).value_or("");
    if (type.starts_with("text/plain"))
        if (auto read = json(body)) return *std::move(read);
    return binary(body);
}

// Of the first characters, not bytes.
std::string_view cut(std::string_view text) {
    std::size_t characters = 0, i = 0;
    for (; i < text.size(); ++i)
        if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U && ++characters > kMaxCharacters)
            break;
    return text.substr(0, i);
}

}  // namespace

std::size_t body_begin(std::string_view block) {
    if (block.starts_with('\n') || block.starts_with("\r\n")) return block.find('\n') + 1;
    const auto by_two = block.find("\n\r\n"), by_one = block.substr(0, by_two).find("\n\n");
    return by_one != block.npos ? by_one + 2 : by_two != block.npos ? by_two + 3 : block.size();
}

std::string request_text(std::string_view method, std::string_view body) {
    if (method.empty() || method == "GET" || method.size() > kMaxMethodBytes ||
        !std::all_of(method.begin(), method.end(), [](char c) { return c >= 'A' && c <= 'Z'; }))
        return "";
    std::string text(method);
    return body.empty() ? text : text + " " + clean_url(cut(body));
}

std::string request_of(std::string_view http_request) {
    const std::string_view line = http_request.substr(0, http_request.find('\n'));
    std::string method(line.substr(0, line.find(' ')));
    std::transform(method.begin(), method.end(), method.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
    const std::size_t begin = body_begin(http_request);
    std::string_view body = http_request.substr(begin);
    if (body.empty() || (method != "POST" && method != "PUT")) return request_text(method, "");
    const std::string lines(http_request.substr(std::min(line.size() + 1, begin),
                                                begin - std::min(line.size() + 1, begin)));
    if (const auto length = text::to_integer(header_field(lines, "content-length").value_or(""));
        length && *length >= 0)
        body = body.substr(0, static_cast<std::size_t>(*length));
    return request_text(method,
                        canonical_body(body, header_field(lines, "content-type").value_or("")));
}

}  // namespace oai::load
