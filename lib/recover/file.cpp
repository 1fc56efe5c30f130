// SPDX-License-Identifier: MIT
#include "recover/file.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace oai::recover {

void write_whole(const std::string& path, const std::string& beside, std::string_view bytes) {
    {
        std::ofstream out(beside, std::ios::binary | std::ios::trunc);
        out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        if (!out.flush()) throw std::runtime_error(beside + " cannot be written");
    }
    std::filesystem::rename(beside, path);
}

}  // namespace oai::recover
