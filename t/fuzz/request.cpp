// SPDX-License-Identifier: MIT
// The input consists of six lines, REQUEST_METHOD, REQUEST_URI, QUERY_STRING, CONTENT_TYPE,
// CONTENT_LENGTH and HTTP_ACCEPT_ENCODING, followed by the body.
#include "web/request.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/text.h"
#include "require.h"

namespace {

constexpr std::size_t kPostLimitBytes = 4096;
constexpr std::array<std::string_view, 6> kNames = {"REQUEST_METHOD", "REQUEST_URI",
                                                    "QUERY_STRING",   "CONTENT_TYPE",
                                                    "CONTENT_LENGTH", "HTTP_ACCEPT_ENCODING"};

// Writes every byte as %HH.
std::string encode_all(std::string_view bytes) {
    std::string out;
    for (const char c : bytes) {
        constexpr std::string_view kHex = "0123456789ABCDEF";
        const auto byte = static_cast<unsigned char>(c);
        out.append({'%', kHex[byte / 16], kHex[byte % 16]});
    }
    return out;
}

void check_arguments(std::string_view query) {
    bool well_encoded = true;
    const auto arguments = split_arguments(query, &well_encoded);
    require(std::ssize(arguments) <= std::count(query.begin(), query.end(), '&') + 1);
    std::string again;
    for (const auto& [name, value] : arguments)
        again += '&' + encode_all(name) + '=' + encode_all(value);
    bool again_well_encoded = true;
    require(split_arguments(again, &again_well_encoded) == arguments);
    require(again_well_encoded);
}

void check_request(const CgiVariables& cgi, std::string_view body) {
    const auto length = body_length(cgi, kPostLimitBytes);
    if (const auto* bytes = std::get_if<std::size_t>(&length)) {
        require(*bytes <= kPostLimitBytes);
        body = body.substr(0, *bytes);
    } else {
        body = {};
    }
    const auto result = read_request(cgi, body);
    if (const auto* refusal = std::get_if<Refusal>(&result)) {
        require(refusal->status >= 400 && refusal->status < 500 &&
                text::is_xml_text(refusal->reason));
        return;
    }
    const auto& request = std::get<Request>(result);
    require(request.method == "GET" || request.method == "HEAD" || request.method == "POST");
    require(request.path.find('?') == std::string::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view rest(reinterpret_cast<const char*>(data), size);
    std::array<std::string_view, kNames.size()> values;
    for (auto& value : values) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        value = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    check_arguments(values[2]);
    check_arguments(rest);
    check_request(
        [&](std::string_view name) {
            const auto* found = std::find(kNames.begin(), kNames.end(), name);
            return found == kNames.end() ? std::string_view{}
                                         : values[static_cast<std::size_t>(found - kNames.begin())];
        },
        rest);
    return 0;
}
