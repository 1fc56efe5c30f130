// SPDX-License-Identifier: MIT
// Reads any bytes as a file of the formats directory. It is refused with a message that names the
// file, or is a format with prefix and namespace. No other file may be written beside it.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "format/file.h"
#include "format/trial.h"
#include "protocol/error.h"
#include "require.h"
#include "xml/document.h"

namespace {

using oai::fuzz::require;

class Place {
  public:
    Place() {
        oai::xml::initialise();
        std::string name = (std::filesystem::temp_directory_path() / "oai-fuzz-XXXXXX").string();
        require(mkdtemp(name.data()) != nullptr);
        directory_ = name;
    }
    ~Place() {
        std::error_code ignored;
        std::filesystem::remove_all(directory_, ignored);
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    std::string put(const std::uint8_t* data, std::size_t size) const {
        const auto path = directory_ / "x.xsl";
        std::ofstream(path, std::ios::binary)
            .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
        return path;
    }
    // Returns whether the directory holds only the file that put() writes.
    bool untouched() const {
        const auto files = std::filesystem::directory_iterator(directory_);
        return std::distance(begin(files), end(files)) == 1;
    }

  private:
    std::filesystem::path directory_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Place place;
    const std::string path = place.put(data, size);
    try {
        const auto format = oai::read_format_file(path);
        require(!format->prefix.empty() && !format->metadata_namespace.empty());
    } catch (const oai::Fault& e) {
        require(std::string_view(e.what()).starts_with(path));
    }
    require(place.untouched());
    return 0;
}
