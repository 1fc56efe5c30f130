// SPDX-License-Identifier: MIT
// Reads the members of a zip file, such as a WACZ, in which a crawler keeps its WARC files together
// with indexes. A member that is stored, as the WARC files of a WACZ are to be, is read where it
// lies; one that is compressed is unpacked into a temporary file. The file may be elsewhere: only
// the bytes that are wanted are asked for. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
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

    // Returns bytes of the file from this offset on, fewer only at its end. May throw.
    using ReadAt = std::function<std::string(std::uint64_t offset, std::size_t bytes)>;

    // Throw std::runtime_error in words when the file cannot be read as a zip file, and what
    // `read` throws.
    explicit ZipFile(const std::string& path);
    ZipFile(std::uint64_t size, ReadAt read);
    ~ZipFile();

    // Its WARC files: those of the folder archive/, as a WACZ has them, in their order.
    const std::vector<Member>& warc_files() const { return warc_files_; }

    // These throw std::runtime_error in words: the member is encrypted, damaged, or compressed in a
    // way that zlib does not know.
    // Where the member's bytes begin in the file; nullopt if it is compressed.
    std::optional<std::uint64_t> begin_of(const Member& member) const;
    FilePart unpack(const Member& member) const;
    // REQUIRES: the file was named by its path.
    FilePart open(const Member& member) const;

  private:
    class Reader;
    void read_directory();
    const std::string path_;  // "" if it is elsewhere
    const std::unique_ptr<Reader> reader_;
    const ZipHandle zip_;
    std::vector<Member> warc_files_;
};

// Whether the first bytes are those of a zip file.
bool is_zip(std::string_view head);

}  // namespace oai::load
