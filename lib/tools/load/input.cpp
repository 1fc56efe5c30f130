// SPDX-License-Identifier: MIT
#include "tools/load/input.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/text.h"

namespace oai::load {
namespace {

constexpr std::size_t kProbeBytes = std::size_t{64} << 10;

constexpr int kGzipOnly = 15 + 16, kWithoutHead = -15;  // zlib's window bits

Bytef* zlib_bytes(char* p) { return reinterpret_cast<Bytef*>(p); }

constexpr std::string_view kZstdFrame = "\x28\xB5\x2F\xFD", kDictionary = "\x5D\x2A\x4D\x18";
constexpr std::size_t kMaxDictionaryBytes = std::size_t{16} << 20;

bool gzip_begins(std::string_view s) {
    return s.size() >= 4 && s[0] == '\x1f' && s[1] == '\x8b' && s[2] == '\x08' &&
           (s[3] & '\xe0') == 0;
}

constexpr std::size_t kPieceBytes = std::size_t{256} << 10;
// Of a zip file (APPNOTE.TXT 6.3.10, 4.3 and 4.5.3): what its records begin with, and their sizes.
constexpr std::string_view kMemberHead = "PK\x03\x04", kEntry = "PK\x01\x02", kEnd = "PK\x05\x06",
                           kEnd64 = "PK\x06\x06", kLocator64 = "PK\x06\x07";
constexpr std::size_t kMemberHeadBytes = 30, kEntryBytes = 46, kEndBytes = 22, kEnd64Bytes = 56,
                      kLocator64Bytes = 20;
constexpr std::size_t kMaxCommentBytes = 65535;
constexpr std::uint64_t kIn64Bits = 0xffffffff;  // a field of 32 bits that does not hold it
constexpr unsigned kExtra64 = 1, kEncrypted = 1;
constexpr unsigned kStored = 0, kDeflated = 8;
constexpr char kDamagedDirectory[] = "is a zip file whose directory is damaged";
constexpr std::string_view kFolder = "archive/";

bool is_warc_name(std::string_view name) {
    const std::string lower = text::lower_ascii(name);
    return name.starts_with(kFolder) && (lower.ends_with(".warc") || lower.ends_with(".warc.gz"));
}

[[noreturn]] void fail(const std::string& name, const std::string& why) {
    throw std::runtime_error("the zip file's " + name + " " + why);
}

[[noreturn]] void fail_temporary(int error) {
    std::error_code unset;
    const std::string directory = std::filesystem::temp_directory_path(unset).string();
    throw TemporaryFileError(
        "no room for a temporary file in " + (directory.empty() ? "TMPDIR" : directory) + " (" +
        std::strerror(error) + "): make some, or let TMPDIR name another directory");
}

// REQUIRES: there are so many bytes; little-endian.
std::uint64_t number(std::string_view s, std::size_t at, std::size_t bytes) {
    std::uint64_t n = 0;
    while (bytes-- > 0) n = n << 8 | static_cast<unsigned char>(s.at(at + bytes));
    return n;
}

// The extra field has those of the three numbers that do not fit 32 bits, in this order.
void read_extra(std::string_view extra, ZipFile::Member& member) {
    while (extra.size() >= 4) {
        std::string_view field = extra.substr(4, number(extra, 2, 2));
        if (number(extra, 0, 2) == kExtra64)
            for (std::uint64_t* const n : {&member.size, &member.packed_size, &member.offset}) {
                if (*n != kIn64Bits) continue;
                if (field.size() < 8) throw std::runtime_error(kDamagedDirectory);
                *n = number(field, 0, 8);
                field.remove_prefix(8);
            }
        extra.remove_prefix(std::min(extra.size(), 4 + number(extra, 2, 2)));
    }
}

FilePart unpack(const FilePart& packed, const ZipFile::Member& member) {
    FilePart part{.file = temporary_file(), .begin = 0, .size = 0};
    const InflateHandle z = new_inflate(kWithoutHead);
    std::string in(kPieceBytes, '\0'), out(kPieceBytes, '\0');
    std::uint64_t read = 0;
    uLong checksum = 0;
    for (int outcome = Z_OK; outcome != Z_STREAM_END;) {
        if (z->avail_in == 0) {
            z->next_in = zlib_bytes(in.data());
            z->avail_in = static_cast<uInt>(packed.read_at(read, in.data(), in.size()));
            read += z->avail_in;
        }
        z->next_out = zlib_bytes(out.data());
        z->avail_out = static_cast<uInt>(out.size());
        outcome = inflate(z.get(), Z_NO_FLUSH);
        const std::string_view piece = std::string_view(out).substr(0, out.size() - z->avail_out);
        part.size += piece.size();
        if ((outcome != Z_OK && outcome != Z_STREAM_END) || part.size > member.size)
            fail(member.name, "is damaged");
        checksum = crc32(checksum, zlib_bytes(out.data()), static_cast<uInt>(piece.size()));
        write_temporary(part.file, piece);
    }
    if (part.size != member.size || checksum != member.checksum) fail(member.name, "is damaged");
    return part;
}

}  // namespace

Fd temporary_file() {
    std::error_code error;
    std::string name = (std::filesystem::temp_directory_path(error) / "oai-XXXXXX").string();
    if (error) fail_temporary(error.value());
    Fd file(::mkstemp(name.data()));
    if (!file) fail_temporary(errno);
    ::unlink(name.c_str());
    return file;
}

void write_temporary(const Fd& file, std::string_view bytes) {
    if (!write_all(file, bytes)) fail_temporary(errno);
}

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
    if (raw_.starts_with("\x1f\x8b")) inflate_ = new_inflate(kGzipOnly);
    if (raw_.starts_with(kZstdFrame) || raw_.starts_with(kDictionary)) begin_zstd();
    compressed_ = inflate_ || zstd_;
    marks_.push_back({0, 0});
}

void Input::begin_zstd() {
    zstd_.reset(ZSTD_createDCtx());
    if (!zstd_) throw std::bad_alloc();
    if (!raw_.starts_with(kDictionary) || raw_.size() < 8) return;
    std::string dictionary(std::min<std::uint64_t>(number(raw_, 4, 4), kMaxDictionaryBytes), '\0');
    dictionary.resize(read_at(8, dictionary.data(), dictionary.size()));
    if (dictionary.starts_with(kZstdFrame)) {
        std::string plain(kMaxDictionaryBytes, '\0');
        const std::size_t n =
            ZSTD_decompress(plain.data(), plain.size(), dictionary.data(), dictionary.size());
        dictionary = ZSTD_isError(n) != 0 ? "" : plain.substr(0, n);
    }
    if (dictionary.empty() || ZSTD_isError(ZSTD_DCtx_loadDictionary(zstd_.get(), dictionary.data(),
                                                                    dictionary.size())) != 0)
        throw std::runtime_error("its zstd dictionary is damaged");
}

std::size_t Input::read_at(std::uint64_t offset, char* to, std::size_t n) const {
    if (!in_memory_) return part_.read_at(offset, to, n);
    return offset < memory_.size() ? memory_.copy(to, n, static_cast<std::size_t>(offset)) : 0;
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
    if (inflate_ && raw_[raw_head_] != '\x1f') {
        end_stretch("neither a gzip member nor the end of the file follows");
        return false;
    }
    marks_.back().offset = member_offset_;
    if (inflate_) inflateReset(inflate_.get());
    if (zstd_) ZSTD_DCtx_reset(zstd_.get(), ZSTD_reset_session_only);
    in_member_ = true;
    return true;
}

// Unpacks some of the member. Returns true at its end.
bool Input::unpack(char* to, std::size_t room, std::size_t& made) {
    if (zstd_) {
        ZSTD_inBuffer in{raw_.data(), raw_.size(), raw_head_};
        ZSTD_outBuffer out{to, room, 0};
        const std::size_t left = ZSTD_decompressStream(zstd_.get(), &out, &in);
        raw_head_ = in.pos;
        made = out.pos;
        if (ZSTD_isError(left) != 0)
            end_stretch(std::string("damaged zstd frame: ") + ZSTD_getErrorName(left));
        return left == 0;
    }
    z_stream& z = *inflate_;
    z.next_in = zlib_bytes(raw_.data() + raw_head_);
    z.avail_in = static_cast<uInt>(raw_.size() - raw_head_);
    z.next_out = zlib_bytes(to);
    z.avail_out = static_cast<uInt>(room);
    const int outcome = inflate(&z, Z_NO_FLUSH);
    raw_head_ = raw_.size() - z.avail_in;
    made = room - z.avail_out;
    if (outcome != Z_OK && outcome != Z_BUF_ERROR && outcome != Z_STREAM_END)
        end_stretch(std::string("damaged gzip member: ") + (z.msg ? z.msg : "no valid data"));
    return outcome == Z_STREAM_END;
}

void Input::inflate_some(std::size_t room) {
    const std::size_t before = content_.size();
    content_.resize(before + room);
    std::size_t made = 0;
    while (made == 0 && !stretch_ended_) {
        if (!in_member_ && !begin_member()) break;
        const bool is_all = raw_head_ == raw_.size() && !refill_raw();
        const bool is_end = (!is_all || zstd_) && unpack(content_.data() + before, room, made);
        if (is_all && !is_end && made == 0)
            end_stretch(std::string("the file ends within a ") +
                        (zstd_ ? "zstd frame" : "gzip member"));
        if (!is_end) continue;
        in_member_ = false;
        marks_.push_back({position_ + (before - head_) + made, raw_offset_ + raw_head_});
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
    for (bool ended = false; !ended && !peek(1).empty();) {
        const std::string_view s = peek(1);
        ended = s.find('\n') != s.npos;
        consume(ended ? s.find('\n') + 1 : s.size());
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
    const InflateHandle z = new_inflate(kGzipOnly);
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
        const char first = zstd_ ? kZstdFrame[0] : '\x1f';
        for (auto at = block.find(first); at < block.size() - 3; at = block.find(first, at + 1)) {
            const std::string_view rest = std::string_view(block).substr(at);
            if (zstd_ ? !rest.starts_with(kZstdFrame)
                      : !gzip_begins(rest) || !sound_member_at(from + at))
                continue;
            go_to(from + at);
            return true;
        }
    }
    marks_.assign(1, {position_, size_});
    broken_.clear();
    return false;
}

bool is_zip(std::string_view head) { return head.starts_with(kMemberHead); }

ZipFile::ZipFile(const std::string& path) : file_(FilePart::whole(path)) { read_directory(); }

std::string ZipFile::read(std::uint64_t at, std::size_t n) const {
    std::string bytes(n, '\0');
    if (file_.read_at(at, bytes.data(), n) < n) throw std::runtime_error(kDamagedDirectory);
    return bytes;
}

void ZipFile::read_directory() {
    // Only a comment may follow the end of the directory.
    const std::size_t tail_bytes =
        std::min<std::uint64_t>(file_.size, kEndBytes + kMaxCommentBytes);
    const std::string tail = read(file_.size - tail_bytes, tail_bytes);
    // The last place from which a comment reaches just to the end of the file, since a comment may
    // look like another one; the last of all where there is none, as before bytes that follow.
    auto at_end = tail.rfind(kEnd);
    for (auto at = at_end; at != tail.npos; at = at == 0 ? tail.npos : tail.rfind(kEnd, at - 1))
        if (tail.size() - at >= kEndBytes &&
            at + kEndBytes + number(tail, at + 20, 2) == tail.size()) {
            at_end = at;
            break;
        }
    if (at_end == tail.npos || tail.size() - at_end < kEndBytes)
        throw std::runtime_error(
            "is a zip file without its directory: it was cut short, or is damaged");
    std::uint64_t at = number(tail, at_end + 16, 4), bytes = number(tail, at_end + 12, 4);
    if (const std::uint64_t end = file_.size - tail_bytes + at_end; end >= kLocator64Bytes)
        if (const auto locator = read(end - kLocator64Bytes, kLocator64Bytes);
            locator.starts_with(kLocator64)) {
            const auto end64 = read(number(locator, 8, 8), kEnd64Bytes);
            if (!end64.starts_with(kEnd64)) throw std::runtime_error(kDamagedDirectory);
            at = number(end64, 48, 8);
            bytes = number(end64, 40, 8);
        }
    // By their bytes: some programs write the number of members in 16 bits whatever it is.
    for (std::uint64_t seen = 0; seen < bytes;) {
        const auto entry = read(at + seen, kEntryBytes);
        if (!entry.starts_with(kEntry)) throw std::runtime_error(kDamagedDirectory);
        const std::size_t name_bytes = number(entry, 28, 2), extra_bytes = number(entry, 30, 2);
        const auto names = read(at + seen + kEntryBytes, name_bytes + extra_bytes);
        seen += kEntryBytes + names.size() + number(entry, 32, 2);
        Member member{.name = names.substr(0, name_bytes),
                      .size = number(entry, 24, 4),
                      .packed_size = number(entry, 20, 4),
                      .offset = number(entry, 42, 4),
                      .flags = number(entry, 8, 2),
                      .method = number(entry, 10, 2),
                      .checksum = number(entry, 16, 4)};
        if (!is_warc_name(member.name)) continue;
        read_extra(std::string_view(names).substr(name_bytes), member);
        warc_files_.push_back(std::move(member));
    }
}

FilePart ZipFile::open(const Member& member) const {
    if ((member.flags & kEncrypted) != 0) fail(member.name, "is encrypted");
    if (member.method != kStored && member.method != kDeflated)
        fail(member.name,
             "is compressed otherwise than by deflate: unzip it and load what is in it");
    std::string head(kMemberHeadBytes, '\0');
    if (file_.read_at(member.offset, head.data(), head.size()) < head.size() || !is_zip(head))
        fail(member.name, "is not where its directory says");
    FilePart packed = file_.again();
    packed.begin = member.offset + head.size() + number(head, 26, 2) + number(head, 28, 2);
    packed.size = member.packed_size;
    if (packed.begin > file_.size || packed.size > file_.size - packed.begin)
        fail(member.name, "is larger than the file");
    if (member.method == kDeflated) return unpack(packed, member);
    if (packed.size != member.size) fail(member.name, "is damaged");
    return packed;
}

}  // namespace oai::load
