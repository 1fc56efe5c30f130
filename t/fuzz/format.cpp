// SPDX-License-Identifier: MIT
// Reads any bytes as a file of the formats directory. It is refused with a message that names the
// file, or is a format with prefix and namespace. No other file may be written beside it.

#include <cstdint>
#include <filesystem>

#include "format/file.h"
#include "format/trial.h"
#include "protocol/error.h"
#include "require.h"
#include "t/lib/temporary_directory.h"
#include "xml/document.h"

namespace {

struct Place : test::TemporaryDirectory {
    Place() { xml::initialise(); }
    std::string put(const std::uint8_t* data, std::size_t size) const {
        return write("x.xsl", {reinterpret_cast<const char*>(data), size});
    }
    // Returns whether the directory holds only the file that put() writes.
    bool untouched() const {
        const auto files = std::filesystem::directory_iterator(path);
        return std::distance(begin(files), end(files)) == 1;
    }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Place place;
    const std::string path = place.put(data, size);
    try {
        const auto format = read_format_file(path);
        require(!format->prefix.empty() && !format->metadata_namespace.empty());
    } catch (const Fault& e) {
        require(std::string_view(e.what()).starts_with(path));
    }
    require(place.untouched());
    return 0;
}
