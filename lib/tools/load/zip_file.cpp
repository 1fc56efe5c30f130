// SPDX-License-Identifier: MIT
#include "tools/load/zip_file.h"

#include <stdlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <utility>

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

// The file for minizip, which reads its directory byte by byte: blocks of it are kept. minizip is
// C, so an exception waits until it has returned.
class ZipFile::Reader {
  public:
    Reader(std::uint64_t size, ReadAt read) : size_(size), read_(std::move(read)) {}

    std::uint64_t size() const { return size_; }
    ZipHandle open() {
        zlib_filefunc64_def functions{
            .zopen64_file = [](voidpf self, const void*, int) { return self; },
            .zread_file = [](voidpf self, voidpf, void* to,
                             uLong n) { return of(self).read(to, n); },
            .zwrite_file = [](voidpf, voidpf, const void*, uLong) { return uLong{0}; },
            .ztell64_file = [](voidpf self, voidpf) { return ZPOS64_T{of(self).at_}; },
            .zseek64_file = [](voidpf self, voidpf, ZPOS64_T offset,
                               int origin) { return of(self).seek(offset, origin); },
            .zclose_file = [](voidpf, voidpf) { return 0; },
            .zerror_file = [](voidpf self, voidpf) { return of(self).thrown_ ? 1 : 0; },
            .opaque = this};
        return ZipHandle(unzOpen2_64("", &functions));
    }
    void rethrow() {
        if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
    }

  private:
    static Reader& of(voidpf self) { return *static_cast<Reader*>(self); }
    long seek(std::uint64_t offset, int origin) {
        at_ = offset + (origin == ZLIB_FILEFUNC_SEEK_CUR   ? at_
                        : origin == ZLIB_FILEFUNC_SEEK_END ? size_
                                                           : 0);
        return at_ > size_ ? -1 : 0;
    }
    uLong read(void* to, uLong n) {
        uLong done = 0;
        while (done < n && at_ < size_ && fill()) {
            const std::size_t from = at_ - block_begin_;
            const uLong piece = std::min<uLong>(n - done, block_.size() - from);
            std::memcpy(static_cast<char*>(to) + done, block_.data() + from, piece);
            done += piece;
            at_ += piece;
        }
        return done;
    }
    // Makes sure that the block has the byte at at_.
    bool fill() try {
        if (at_ >= block_begin_ && at_ < block_begin_ + block_.size()) return true;
        block_begin_ = at_ / kPieceBytes * kPieceBytes;
        block_ = read_(block_begin_, std::min<std::uint64_t>(kPieceBytes, size_ - block_begin_));
        return at_ < block_begin_ + block_.size();
    } catch (...) {
        thrown_ = std::current_exception();
        block_.clear();
        return false;
    }

    const std::uint64_t size_;
    const ReadAt read_;
    std::uint64_t at_ = 0, block_begin_ = 0;
    std::string block_;
    std::exception_ptr thrown_;
};

ZipFile::ZipFile(const std::string& path)
    : path_(path),
      reader_(std::make_unique<Reader>(FilePart::whole(path).size,
                                       [file = std::make_shared<const FilePart>(FilePart::whole(
                                            path))](std::uint64_t offset, std::size_t n) {
                                           std::string bytes(n, '\0');
                                           bytes.resize(file->read_at(offset, bytes.data(), n));
                                           return bytes;
                                       })),
      zip_(reader_->open()) {
    read_directory();
}

ZipFile::ZipFile(std::uint64_t size, ReadAt read)
    : reader_(std::make_unique<Reader>(size, std::move(read))), zip_(reader_->open()) {
    read_directory();
}

ZipFile::~ZipFile() = default;

void ZipFile::read_directory() {
    reader_->rethrow();
    if (!zip_)
        throw std::runtime_error(
            "is a zip file without its directory: it was cut short, or is damaged");
    for (int at = unzGoToFirstFile(zip_.get()); at == UNZ_OK; at = unzGoToNextFile(zip_.get())) {
        std::array<char, kNameBytes> name{};
        unz_file_info64 facts{};
        Member member;
        if (unzGetCurrentFileInfo64(zip_.get(), &facts, name.data(), name.size() - 1, nullptr, 0,
                                    nullptr, 0) != UNZ_OK ||
            unzGetFilePos64(zip_.get(), &member.place) != UNZ_OK) {
            reader_->rethrow();
            throw std::runtime_error("is a zip file whose directory is damaged");
        }
        member.name = name.data();
        member.size = facts.uncompressed_size;
        if (is_warc_name(member.name)) warc_files_.push_back(std::move(member));
    }
    reader_->rethrow();
}

std::optional<std::uint64_t> ZipFile::begin_of(const Member& member) const {
    unz_file_info64 facts{};
    int method = 0, level = 0;
    const auto misplaced = [&] {
        reader_->rethrow();
        fail(member.name, "is not where its directory says");
    };
    if (unzGoToFilePos64(zip_.get(), &member.place) != UNZ_OK ||
        unzGetCurrentFileInfo64(zip_.get(), &facts, nullptr, 0, nullptr, 0, nullptr, 0) != UNZ_OK)
        misplaced();
    if ((facts.flag & kEncrypted) != 0) fail(member.name, "is encrypted");
    if (facts.compression_method != 0) return std::nullopt;
    if (unzOpenCurrentFile2(zip_.get(), &method, &level, 1) != UNZ_OK) misplaced();
    const OpenMember opened(zip_.get());
    const std::uint64_t begin = unzGetCurrentFileZStreamPos64(zip_.get());
    if (begin > reader_->size() || member.size > reader_->size() - begin)
        fail(member.name, "is larger than the file");
    return begin;
}

FilePart ZipFile::open(const Member& member) const {
    const auto begin = begin_of(member);
    if (!begin) return unpack(member);
    FilePart part = FilePart::whole(path_);
    part.begin = *begin;
    part.size = member.size;
    return part;
}

FilePart ZipFile::unpack(const Member& member) const {
    if (unzGoToFilePos64(zip_.get(), &member.place) != UNZ_OK ||
        unzOpenCurrentFile(zip_.get()) != UNZ_OK)
        fail(member.name,
             "is compressed otherwise than by deflate: unzip it and load what is in it");
    const OpenMember opened(zip_.get());
    FilePart part{.file = temporary_file(), .begin = 0, .size = 0};
    std::string piece(kPieceBytes, '\0');
    for (;;) {
        const int n = unzReadCurrentFile(zip_.get(), piece.data(), kPieceBytes);
        if (n == 0) break;
        part.size += static_cast<std::uint64_t>(std::max(n, 0));
        reader_->rethrow();
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
