// SPDX-License-Identifier: MIT
// The files of a dump: written durably under another name, in members of gzip, with their SHA-256;
// and records as JSON. All throw std::runtime_error "PATH: why" where a file cannot be written.
#pragma once

#include <sodium.h>

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/new_file.h"

namespace oai::dump {

class Checksum {
  public:
    Checksum() { crypto_hash_sha256_init(&state_); }
    void add(std::string_view bytes);
    std::string hex();  // once

  private:
    crypto_hash_sha256_state state_;
};

class OutputFile {
  public:
    explicit OutputFile(std::string path) : out_(std::move(path)) {}

    void add(std::string_view text);  // a member of gzip
    std::string finish();             // returns the SHA-256 of the file
    std::int64_t bytes() const { return bytes_; }
    std::string name() const;  // without its directory

  private:
    NewFile out_;
    Checksum sum_;
    std::int64_t bytes_ = 0;
};

// Of <record> elements as ListRecords has them, each on a line of its own.
// A line for each: {"identifier", "datestamp", "deleted", "sets", "metadata", "about"}. An element
// is its text, or, where it has attributes or elements, an object: "@NAME" of attributes, "#text",
// and by the name of each element the array of them.
std::string json_lines(std::string_view records);
std::int64_t count_deleted(std::string_view records);
// Sets first (if there is none yet) and last to the datestamps of the first and the last record.
void note_datestamps(std::string_view records, nlohmann::ordered_json& file);

}  // namespace oai::dump
