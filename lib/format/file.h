// SPDX-License-Identifier: MIT
// Loads one file of the formats directory and checks whether it is complete, describes itself and
// compiles. trial.h checks its output for records of the repository.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/config.h"
#include "format/format.h"

namespace oai {

// The paths of the files *.xsl and *.format, sorted by name, followed by those of about/; without
// temporary files of editors. Throws Fault if the directory cannot be read.
std::vector<std::string> format_files_of(const std::string& directory);

// Returns "file:line: message" for a format in about/ or an about stylesheet elsewhere.
std::string wrong_place(const std::string& directory, const Format& format);

// The path of the catalog that maps network addresses to files (transform/files.h): [formats]
// catalog, or else catalog.xml in the directory; "": there is none.
std::string catalog_of(const Config::Formats& formats);

// Compiles the file. Throws Fault, one "file:line: message" per line, if the file is not
// well-formed, does not describe itself or does not compile. An invalid catalog is ignored; its
// fault is added to those of a file that does not compile. Thread-safe.
std::shared_ptr<Format> compile_format_file(const std::string& path,
                                            const std::string& catalog = "");

}  // namespace oai
