// SPDX-License-Identifier: MIT
#include "tools/load/input.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

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

constexpr std::size_t kProbeBytes = std::size_t{64} << 10;

InflateHandle new_inflate() {
    InflateHandle z(std::make_unique<z_stream>().release());
    if (inflateInit2(z.get(), 15 + 16) != Z_OK)
        throw std::runtime_error("zlib cannot start");  // 16: gzip only
    return z;
}

Bytef* zlib_bytes(char* p) { return reinterpret_cast<Bytef*>(p); }

bool gzip_begins(std::string_view s) {
    return s.size() >= 4 && s[0] == '\x1f' && s[1] == '\x8b' && s[2] == '\x08' &&
           (s[3] & '\xe0') == 0;
}

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

FilePart FilePart::whole(const std::string& path) {
    FilePart part{.file = Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC))};
    if (!part.file)
        throw std::runtime_error(std::string("cannot be opened: ") + std::strerror(errno));
    struct stat facts {};
    if (::fstat(part.file.get(), &facts) != 0 || !S_ISREG(facts.st_mode))
        throw std::runtime_error(S_ISDIR(facts.st_mode)
                                     ? "is a directory: name the files in it"
                                     : "is no regular file: write what it gives into one first");
    part.size = static_cast<std::uint64_t>(facts.st_size);
    return part;
}

FilePart FilePart::again() const {
    FilePart same{
        .file = Fd(::fcntl(file.get(), F_DUPFD_CLOEXEC, 0)), .begin = begin, .size = size};
    if (!same.file)
        throw std::runtime_error(std::string("cannot be opened: ") + std::strerror(errno));
    return same;
}

std::size_t FilePart::read_at(std::uint64_t offset, char* to, std::size_t n) const {
    if (offset >= size) return 0;
    n = std::min<std::uint64_t>(n, size - offset);
    for (;;) {
        const ssize_t got = ::pread(file.get(), to, n, static_cast<off_t>(begin + offset));
        if (got >= 0) return static_cast<std::size_t>(got);
        if (errno != EINTR)
            throw std::runtime_error(std::string("cannot be read: ") + std::strerror(errno));
    }
}

Input Input::open(const std::string& path) { return of_part(FilePart::whole(path)); }

Input Input::of_part(FilePart part) {
    Input input;
    input.size_ = part.size;
    input.part_ = std::move(part);
    input.begin();
    return input;
}

Input Input::of_bytes(std::string bytes, std::size_t block) {
    Input input;
    input.in_memory_ = true;
    input.block_ = block;
    input.size_ = bytes.size();
    input.memory_ = std::move(bytes);
    input.begin();
    return input;
}

void Input::begin() {
    refill_raw();
    compressed_ = raw_.size() >= 2 && raw_[0] == '\x1f' && raw_[1] == '\x8b';
    if (compressed_) inflate_ = new_inflate();
    marks_.push_back({0, 0});
}

std::size_t Input::read_at(std::uint64_t offset, char* to, std::size_t n) const {
    if (in_memory_) {
        if (offset >= memory_.size()) return 0;
        return memory_.copy(to, n, static_cast<std::size_t>(offset));
    }
    return part_.read_at(offset, to, n);
}

bool Input::refill_raw() {
    raw_offset_ += raw_.size();
    raw_head_ = 0;
    raw_.resize(block_);
    raw_.resize(read_at(raw_offset_, raw_.data(), block_));
    return !raw_.empty();
}

void Input::end_stretch(std::string why) {
    stretch_ended_ = true;
    broken_ = std::move(why);
}

// At the end of a member or of the file. Returns false if no member begins here.
bool Input::begin_member() {
    for (;;) {  // tapes and tar files pad with zeros
        while (raw_head_ < raw_.size() && raw_[raw_head_] == '\0') ++raw_head_;
        if (raw_head_ < raw_.size()) break;
        if (!refill_raw()) {
            end_stretch("");
            return false;
        }
    }
    member_offset_ = raw_offset_ + raw_head_;
    if (raw_[raw_head_] != '\x1f') {
        end_stretch("neither a gzip member nor the end of the file follows");
        return false;
    }
    marks_.back().offset = member_offset_;
    inflateReset(inflate_.get());
    in_member_ = true;
    return true;
}

void Input::inflate_some(std::size_t room) {
    const std::size_t before = content_.size();
    content_.resize(before + room);
    std::size_t made = 0;
    while (made == 0 && !stretch_ended_) {
        if (!in_member_ && !begin_member()) break;
        if (raw_head_ == raw_.size() && !refill_raw()) {
            end_stretch("the file ends within a gzip member");
            break;
        }
        z_stream& z = *inflate_;
        z.next_in = zlib_bytes(raw_.data() + raw_head_);
        z.avail_in = static_cast<uInt>(raw_.size() - raw_head_);
        z.next_out = zlib_bytes(content_.data() + before);
        z.avail_out = static_cast<uInt>(room);
        const int outcome = inflate(&z, Z_NO_FLUSH);
        raw_head_ = raw_.size() - z.avail_in;
        made = room - z.avail_out;
        if (outcome == Z_STREAM_END) {
            in_member_ = false;
            marks_.push_back({position_ + (before - head_) + made, raw_offset_ + raw_head_});
        } else if (outcome != Z_OK && outcome != Z_BUF_ERROR) {
            end_stretch(std::string("damaged gzip member: ") + (z.msg ? z.msg : "no valid data"));
        }
    }
    content_.resize(before + made);
}

bool Input::fill() {
    if (stretch_ended_) return false;
    if (head_ > 0) {
        content_.erase(0, head_);
        head_ = 0;
    }
    if (compressed_) {
        inflate_some(block_);
    } else {
        if (raw_head_ == raw_.size() && !refill_raw()) end_stretch("");
        content_.append(raw_, raw_head_);
        raw_head_ = raw_.size();
    }
    return true;
}

std::string_view Input::peek(std::size_t want) {
    while (content_.size() - head_ < want && fill()) {
    }
    return std::string_view(content_).substr(head_);
}

void Input::consume(std::size_t n) {
    head_ += n;
    position_ += n;
    forget_marks();
}

void Input::forget_marks() {
    while (marks_.size() > 1 && marks_[1].position <= position_) marks_.pop_front();
}

std::uint64_t Input::skip(std::uint64_t n) {
    std::uint64_t done = 0;
    while (done < n) {
        const std::size_t here = std::min<std::uint64_t>(peek(1).size(), n - done);
        if (here == 0) break;
        consume(here);
        done += here;
    }
    return done;
}

std::string_view Input::peek_line(std::size_t limit) {
    std::size_t seen = 0;
    for (std::size_t want = 1;; want = std::min(limit, seen + block_)) {
        const std::string_view s = peek(want);
        const auto end = s.find('\n', seen);
        if (end != s.npos && end < limit) return s.substr(0, end + 1);
        if (s.size() < want || s.size() >= limit) return s.substr(0, limit);
        seen = s.size();
    }
}

void Input::skip_line() {
    for (;;) {
        const std::string_view s = peek(1);
        if (s.empty()) return;
        const auto end = s.find('\n');
        consume(end == s.npos ? s.size() : end + 1);
        if (end != s.npos) return;
    }
}

std::uint64_t Input::offset() {
    peek(1);  // so that padding before the next member is known
    forget_marks();
    return compressed_ ? marks_.front().offset : position_;
}

bool Input::at_member_start() {
    peek(1);
    forget_marks();
    return !compressed_ || marks_.front().position == position_;
}

std::vector<std::size_t> Input::member_starts(std::size_t n) const {
    std::vector<std::size_t> starts;
    for (const Mark& mark : marks_)
        if (mark.position > position_ && mark.position < position_ + n)
            starts.push_back(static_cast<std::size_t>(mark.position - position_));
    return starts;
}

std::uint64_t Input::raw_position() const {
    return compressed_ ? raw_offset_ + raw_head_ : position_;
}

void Input::go_to(std::uint64_t offset) {
    position_ = compressed_ ? position_ + (content_.size() - head_) : offset;
    content_.clear();
    head_ = 0;
    raw_.clear();
    raw_offset_ = offset;
    refill_raw();
    marks_.assign(1, {position_, offset});
    in_member_ = stretch_ended_ = false;
    broken_.clear();
}

// Inflates its first part: where the magic bytes stand by chance, that fails within a few bytes.
bool Input::sound_member_at(std::uint64_t offset) const {
    std::string from(kProbeBytes, '\0');
    std::string to(kProbeBytes, '\0');
    from.resize(read_at(offset, from.data(), from.size()));
    const InflateHandle z = new_inflate();
    z->next_in = zlib_bytes(from.data());
    z->avail_in = static_cast<uInt>(from.size());
    z->next_out = zlib_bytes(to.data());
    z->avail_out = static_cast<uInt>(to.size());
    const int outcome = inflate(z.get(), Z_SYNC_FLUSH);
    return outcome == Z_STREAM_END || outcome == Z_OK;
}

bool Input::resume() {
    position_ += content_.size() - head_;
    content_.clear();
    head_ = 0;
    if (broken_.empty()) return false;
    std::string block;
    for (std::uint64_t from = member_offset_ + 1;; from += block.size() - 3) {
        block.resize(block_);
        block.resize(read_at(from, block.data(), block_));
        if (block.size() < 4) break;
        for (auto at = block.find('\x1f'); at < block.size() - 3; at = block.find('\x1f', at + 1)) {
            if (!gzip_begins(std::string_view(block).substr(at)) || !sound_member_at(from + at))
                continue;
            go_to(from + at);
            return true;
        }
    }
    marks_.assign(1, {position_, size_});
    broken_.clear();
    return false;
}

bool is_zip(std::string_view head) { return head.starts_with("PK\x03\x04"); }

ZipFile::ZipFile(const std::string& path)
    : path_(path), size_(FilePart::whole(path).size), zip_(unzOpen64(path.c_str())) {
    read_directory();
}

void ZipFile::read_directory() {
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

std::optional<std::uint64_t> ZipFile::begin_of(const Member& member) const {
    unz_file_info64 facts{};
    int method = 0, level = 0;
    const auto misplaced = [&] { fail(member.name, "is not where its directory says"); };
    if (unzGoToFilePos64(zip_.get(), &member.place) != UNZ_OK ||
        unzGetCurrentFileInfo64(zip_.get(), &facts, nullptr, 0, nullptr, 0, nullptr, 0) != UNZ_OK)
        misplaced();
    if ((facts.flag & kEncrypted) != 0) fail(member.name, "is encrypted");
    if (facts.compression_method != 0) return std::nullopt;
    if (unzOpenCurrentFile2(zip_.get(), &method, &level, 1) != UNZ_OK) misplaced();
    const OpenMember opened(zip_.get());
    const std::uint64_t begin = unzGetCurrentFileZStreamPos64(zip_.get());
    if (begin > size_ || member.size > size_ - begin) fail(member.name, "is larger than the file");
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
