// SPDX-License-Identifier: MIT
// One file of the formats directory, judged by itself: is it whole, does it describe itself, does it compile, does it
// run. What it makes of the repository's records is format_trial.h's to say.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "format.h"

namespace oai {

// A name that a format may have: *.xsl, and not what editors and copying programs use for their own purposes.
bool is_format_file_name(std::string_view name);

// The paths of these, by name, and then those of about/. Throws Fault when the directory cannot be read.
std::vector<std::string> format_files_of(const std::string& directory);

// Where the about stylesheets of a formats directory are.
std::string about_directory_of(const std::string& directory);
// "" or "file:line: message" for a format that is in about/, or an about stylesheet that is not.
std::string wrong_place(const std::string& directory, const Format& format);

// Compiles the file and runs it once over a record without columns. Throws Fault, one "file:line: message" per line:
// not well-formed to its end, not self-describing, does not compile, fails on that record or yields another
// namespace's element. Thread-safe.
std::shared_ptr<const Format> read_format_file(const std::string& path);

}  // namespace oai
