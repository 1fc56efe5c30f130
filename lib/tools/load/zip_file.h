// SPDX-License-Identifier: MIT
// Reads the members of a zip file, such as a WACZ, in which a crawler keeps its WARC files together
// with indexes. A member that is stored, as the WARC files of a WACZ are to be, is read where it
// lies; one that is compressed is unpacked into a temporary file. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/load/handle.h"
#include "tools/load/input.h"

namespace oai::load {

class ZipFile {
  public:
    struct Member {
        std::string name;  // with its directories
        std::uint64_t size = 0;
        ZipPlace place{};
    };

    // Throws std::runtime_error in words when the file cannot be read as a zip file.
    explicit ZipFile(const std::string& path);

    // Its WARC files: those of the folder archive/, as a WACZ has them, in their order.
    const std::vector<Member>& warc_files() const { return warc_files_; }

    // Throws std::runtime_error in words: it is encrypted, damaged, or compressed in a way that
    // zlib does not know.
    FilePart open(const Member& member) const;

  private:
    FilePart unpack(const Member& member) const;
    const std::string path_;
    const ZipHandle zip_;
    std::uint64_t size_ = 0;
    std::vector<Member> warc_files_;
};

// Whether the first bytes are those of a zip file.
bool is_zip(std::string_view head);

}  // namespace oai::load
