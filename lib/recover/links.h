// SPDX-License-Identifier: MIT
// References in an HTML document, pointed at other places; all else stays byte for byte. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace oai::recover {

// What is to stand for this reference, "" to leave it. It is given as it means, without character references.
using Target = std::function<std::string(const std::string& reference)>;

// The value of href of the first <base>, without character references; "" if there is none.
std::string base_in(std::string_view html);

// Every value of href, src, background, poster, data and longdesc in a tag. Tags in comments and in script
// and style elements are none. Of <base> it becomes "", which means the document itself, wherever it is.
std::string with_links(std::string_view html, const Target& target);

}  // namespace oai::recover
