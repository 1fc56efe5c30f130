// SPDX-License-Identifier: MIT
#include "browse/page_address.h"

#include "base/text.h"

namespace oai {
bool is_base(std::string_view path, std::string_view mount) {
    return path == mount || (path.starts_with(mount) && path.substr(mount.size()) == "/");
}

// Unlike in a query, a plus is a plus there.
std::optional<std::string> decoded_path(std::string_view encoded) {
    std::string form;
    for (const char c : encoded)
        if (c == '+')
            form += "%2B";
        else
            form += c;
    auto decoded = text::percent_decode(form);
    if (!decoded || decoded->empty() || !text::is_xml_text(*decoded)) return std::nullopt;
    return decoded;
}

std::string record_path(std::string_view identifier) {
    return "record/" + text::percent_encode(identifier, "/:");
}

std::string encoded_address(std::string_view address) {
    return text::percent_encode(address, "%:/?#[]@!$&'()*+,;=");
}

std::string query_of(const std::vector<Argument>& arguments, std::string_view kept) {
    std::string query;
    for (const auto& [name, value] : arguments)
        query.append(query.empty() ? "" : "&")
            .append(text::percent_encode(name) + "=" + text::percent_encode(value, kept));
    return query;
}

}  // namespace oai
