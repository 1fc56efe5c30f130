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

constexpr int kGzipOnly = 15 + 16;  // zlib's window bits

Bytef* zlib_bytes(char* p) { return reinterpret_cast<Bytef*>(p); }

constexpr std::string_view kZstdFrame = "\x28\xB5\x2F\xFD", kDictionary = "\x5D\x2A\x4D\x18";
constexpr std::size_t kMaxDictionaryBytes = std::size_t{16} << 20;

bool gzip_begins(std::string_view s) {
    return s.size() >= 4 && s[0] == '\x1f' && s[1] == '\x8b' && s[2] == '\x08' &&
           (s[3] & '\xe0') == 0;
}

[[noreturn]] void fail_temporary(int error) {
    std::error_code unset;
    const std::string directory = std::filesystem::temp_directory_path(unset).string();
    throw TemporaryFileError(
        "no room for a temporary file in " + (directory.empty() ? "TMPDIR" : directory) + " (" +
        std::strerror(error) + "): make some, or let TMPDIR name another directory");
}

}  // namespace

std::uint64_t number(std::string_view s, std::size_t at, std::size_t bytes) {
    std::uint64_t n = 0;
    while (bytes-- > 0) n = n << 8 | static_cast<unsigned char>(s.at(at + bytes));
    return n;
}

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

void Bytes::append(std::string_view bytes) {
    map_.reset();
    size_ += bytes.size();
    if (!file_.file && size_ <= kInMemory) {
        memory_ += bytes;
        return;
    }
    if (!file_.file) {
        file_.file = temporary_file();
        write_temporary(file_.file, std::exchange(memory_, {}));
    }
    write_temporary(file_.file, bytes);
    file_.size = size_;
}

std::string_view Bytes::view() const {
    if (!file_.file) return memory_;
    if (!map_) {
        void* const begin = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, file_.file.get(), 0);
        if (begin == MAP_FAILED) throw std::bad_alloc();
        map_ = Mapping(begin, Unmap{size_});
    }
    return {static_cast<const char*>(map_.get()), size_};
}

void Bytes::let_go(const char* read) const {
    constexpr std::ptrdiff_t kPage = 1 << 16;  // no system has larger ones
    const std::ptrdiff_t bytes = map_ ? read - static_cast<const char*>(map_.get()) : 0;
    if (bytes >= kPage)
        ::madvise(map_.get(), static_cast<std::size_t>(bytes / kPage * kPage), MADV_DONTNEED);
}

void Bytes::each(std::size_t from, const std::function<void(std::string_view)>& take) const {
    if (!file_.file) return take(view().substr(from));
    std::string piece(std::size_t{1} << 20, '\0');
    while (const std::size_t got = file_.read_at(from, piece.data(), piece.size())) {
        take(std::string_view(piece).substr(0, got));
        from += got;
    }
}

Bytes Bytes::rest(std::size_t from) const {
    Bytes out;
    each(from, [&](std::string_view piece) { out.append(piece); });
    return out;
}

Input Bytes::input(std::size_t block) && {
    return file_.file ? Input::of_part(std::move(file_))
                      : Input::of_bytes(std::move(memory_), block);
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

std::uint64_t Input::consume_lines(std::size_t n) {
    const std::string_view s = std::string_view(content_).substr(head_, n);
    const auto lines = std::count(s.begin(), s.end(), '\n');
    consume(s.size());
    return static_cast<std::uint64_t>(lines);
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

}  // namespace oai::load
