// SPDX-License-Identifier: MIT
#include "xml/doctype.h"

#include <algorithm>
#include <string_view>

namespace oai::xml {

bool hide_doctype(std::string& body) {
    std::size_t at = body.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    constexpr std::string_view kName = "<!DOCTYPE";
    for (;;) {
        at = std::min(body.find_first_not_of(" \t\r\n", at), body.size());
        const std::string_view rest = std::string_view(body).substr(at);
        if (rest.starts_with(kName)) break;
        const std::string_view closing = rest.starts_with("<?")     ? "?>"
                                         : rest.starts_with("<!--") ? "-->"
                                                                    : "";
        const std::size_t end = closing.empty() ? body.npos : body.find(closing, at + 2);
        if (end == body.npos) return false;
        at = end + closing.size();
    }
    char quote = 0;
    std::size_t end = at;
    for (; end < body.size() && (quote != 0 || body[end] != '>'); ++end) {
        const char c = body[end];
        if (quote == 0 && c == '[') return false;
        if (quote == 0 && (c == '"' || c == '\''))
            quote = c;
        else if (c == quote)
            quote = 0;
    }
    if (end == body.size()) return false;
    for (; at <= end; ++at)
        if (body[at] != '\n') body[at] = ' ';
    return true;
}

}  // namespace oai::xml
