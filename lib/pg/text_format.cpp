// SPDX-License-Identifier: MIT
#include "pg/text_format.h"

namespace oai::pg {
namespace {

char copy_escape(char c) {
    switch (c) {
        case '\n': return 'n';
        case '\r': return 'r';
        case '\t': return 't';
        default: return c;
    }
}

}  // namespace

std::string array_literal(const std::vector<std::string>& values) {
    std::size_t n = 2;
    for (const std::string& value : values) n += value.size() + 3;
    std::string out;
    out.reserve(n);
    out += '{';
    for (const std::string& value : values) {
        out += out.size() > 1 ? ",\"" : "\"";
        std::size_t plain = 0;
        for (std::size_t i = 0; i < value.size(); ++i) {
            if (value[i] != '"' && value[i] != '\\') continue;
            out.append(value, plain, i - plain) += '\\';
            plain = i;
        }
        out.append(value, plain) += '"';
    }
    return out += '}';
}

std::string int_array_literal(std::span<const int> values) {
    std::string out = "{";
    for (const int value : values) {
        if (out.size() > 1) out += ',';
        out += std::to_string(value);
    }
    return out += '}';
}

void append_copy_text(std::string& out, std::string_view value) {
    std::size_t plain = 0;
    for (std::size_t i = 0; i < value.size(); ++i) {
        const char c = value[i];
        if (c != '\\' && c != '\n' && c != '\r' && c != '\t') continue;
        out.append(value, plain, i - plain) += '\\';
        out += copy_escape(c);
        plain = i + 1;
    }
    out.append(value, plain);
}

}  // namespace oai::pg
