// SPDX-License-Identifier: MIT
#include "format/problems.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/text.h"

namespace oai {
namespace {

// Whether the message begins with "file:line: ".
bool has_place(std::string_view message) {
    const std::size_t end = message.find(": ");
    const std::size_t colon = end == message.npos ? message.npos : message.rfind(':', end - 1);
    return colon != message.npos && text::to_integer(message.substr(colon + 1, end - colon - 1));
}

}  // namespace

void Problems::add(long line, std::string_view message) {
    lines_.push_back(fmt::format("{}:{}: {}", path_, line, message));
}

void Problems::add_all(long line, std::string_view messages) {
    const std::string directory = std::filesystem::path(path_).parent_path().string();
    for (const std::string_view message : text::split(messages, '\n'))
        if (message.starts_with(directory) && has_place(message))
            lines_.emplace_back(message);
        else
            add(line, message);
}

std::string Problems::text() const { return fmt::format("{}", fmt::join(lines_, "\n")); }

}  // namespace oai
