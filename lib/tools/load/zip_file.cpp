// SPDX-License-Identifier: MIT
#include "tools/load/zip_file.h"

#include <stdlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "base/text.h"

namespace oai::load {
namespace {

constexpr std::size_t kNameBytes = 4096;
constexpr std::size_t kPieceBytes = std::size_t{256} << 10;
constexpr unsigned kEncrypted = 1;  // flag
constexpr std::string_view kFolder = "archive/";

bool is_warc_name(std::string_view name) {
    const std::string lower = text::lower_ascii(name);
    return name.starts_with(kFolder) && (lower.ends_with(".warc") || lower.ends_with(".warc.gz"));
}

[[noreturn]] void fail(const std::string& name, const std::string& why) {
    throw std::runtime_error("the zip file's " + name + " " + why);
}

// Closes the member that is being read.
struct OpenMember {
    explicit OpenMember(unzFile file) : zip(file) {}
    ~OpenMember() { unzCloseCurrentFile(zip); }
    OpenMember(const OpenMember&) = delete;
    OpenMember& operator=(const OpenMember&) = delete;
    const unzFile zip;
};

// A file without a name, which is gone when it is closed.
Fd temporary_file() {
    std::string name = (std::filesystem::temp_directory_path() / "oai-zip-XXXXXX").string();
    Fd file(::mkstemp(name.data()));
    if (!file) throw std::runtime_error(name + " cannot be made: " + std::strerror(errno));
    ::unlink(name.c_str());
    return file;
}

}  // namespace

bool is_zip(std::string_view head) { return head.starts_with("PK\x03\x04"); }

ZipFile::ZipFile(const std::string& path)
    : path_(path), zip_(unzOpen64(path.c_str())), size_(FilePart::whole(path).size) {
    if (!zip_)
        throw std::runtime_error(
            "is a zip file without its directory: it was cut short, or is damaged");
    for (int at = unzGoToFirstFile(zip_.get()); at == UNZ_OK; at = unzGoToNextFile(zip_.get())) {
        std::array<char, kNameBytes> name{};
        unz_file_info64 facts{};
        Member member;
        if (unzGetCurrentFileInfo64(zip_.get(), &facts, name.data(), name.size() - 1, nullptr, 0,
                                    nullptr, 0) != UNZ_OK ||
            unzGetFilePos64(zip_.get(), &member.place) != UNZ_OK)
            throw std::runtime_error("is a zip file whose directory is damaged");
        member.name = name.data();
        member.size = facts.uncompressed_size;
        if (is_warc_name(member.name)) warc_files_.push_back(std::move(member));
    }
}

FilePart ZipFile::open(const Member& member) const {
    unz_file_info64 facts{};
    int method = 0, level = 0;
    if (unzGoToFilePos64(zip_.get(), &member.place) != UNZ_OK ||
        unzGetCurrentFileInfo64(zip_.get(), &facts, nullptr, 0, nullptr, 0, nullptr, 0) != UNZ_OK)
        fail(member.name, "is not where its directory says");
    if ((facts.flag & kEncrypted) != 0) fail(member.name, "is encrypted");
    if (facts.compression_method != 0) return unpack(member);
    if (unzOpenCurrentFile2(zip_.get(), &method, &level, 1) != UNZ_OK)
        fail(member.name, "is not where its directory says");
    const OpenMember opened(zip_.get());
    FilePart part = FilePart::whole(path_);
    part.begin = unzGetCurrentFileZStreamPos64(zip_.get());
    part.size = member.size;
    if (part.begin > size_ || part.size > size_ - part.begin)
        fail(member.name, "is larger than the file");
    return part;
}

FilePart ZipFile::unpack(const Member& member) const {
    if (unzOpenCurrentFile(zip_.get()) != UNZ_OK)
        fail(member.name,
             "is compressed otherwise than by deflate: unzip it and load what is in it");
    const OpenMember opened(zip_.get());
    FilePart part{.file = temporary_file(), .begin = 0, .size = 0};
    std::string piece(kPieceBytes, '\0');
    for (;;) {
        const int n = unzReadCurrentFile(zip_.get(), piece.data(), kPieceBytes);
        if (n == 0) break;
        part.size += static_cast<std::uint64_t>(std::max(n, 0));
        if (n < 0 || part.size > member.size) fail(member.name, "is damaged");
        if (!write_all(part.file, std::string_view(piece).substr(0, static_cast<std::size_t>(n))))
            throw std::runtime_error(std::string("cannot be unpacked: ") + std::strerror(errno));
    }
    // Closing says whether the checksum is right.
    if (part.size < member.size || unzCloseCurrentFile(zip_.get()) != UNZ_OK)
        fail(member.name, "is damaged");
    return part;
}

}  // namespace oai::load
