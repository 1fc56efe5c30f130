// SPDX-License-Identifier: MIT
// Loads one file of the formats directory and checks it by itself: whether it is complete,
// describes itself, compiles and runs. What it makes of the records of the repository is checked in
// trial.h.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/config.h"
#include "format/format.h"

namespace oai {

// The paths of the format files, sorted by name, followed by those of about/: *.xsl and *.format,
// no temporary file of an editor. Throws Fault when the directory cannot be read.
std::vector<std::string> format_files_of(const std::string& directory);

// Returns "", or "file:line: message" for a format that is in about/ or an about stylesheet that is
// not.
std::string wrong_place(const std::string& directory, const Format& format);

// The catalog that answers for addresses of the network (transform/files.h): [formats] catalog,
// or catalog.xml of the directory if it is there; "": none.
std::string catalog_of(const Config::Formats& formats);

// Compiles the file. Throws Fault, one "file:line: message" per line: not well-formed to its end,
// not self-describing, does not compile. A catalog that is broken is none, and its fault is added
// to those of a file that cannot be compiled. Thread-safe.
std::shared_ptr<Format> compile_format_file(const std::string& path,
                                            const std::string& catalog = "");

}  // namespace oai
