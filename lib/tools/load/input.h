// SPDX-License-Identifier: MIT
// The bytes of a file, plain, or of any number of gzip members or zstd frames, read forward through
// a bounded window, each byte with its place in the file. The first frame may be a dictionary, as
// the format for zstd in WARC files has it (IIPC). Damaged compression ends a *stretch*: what came
// before it can be read, and resume() goes on at the next sound member. Not thread-safe.
#pragma once

#include <concepts>
#include <cstdint>
#include <deque>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "tools/load/handle.h"

namespace oai::load {

// The message names the directory for temporary files, and says what to do.
struct TemporaryFileError : std::runtime_error {
    using std::runtime_error::runtime_error;
};
// A file without a name in TMPDIR, else /tmp. Both throw TemporaryFileError.
Fd temporary_file();
void write_temporary(const Fd& file, std::string_view bytes);

// A number of so many bytes, the lowest first. REQUIRES: they are there.
std::uint64_t number(std::string_view s, std::size_t at, std::size_t bytes);

class Input;

// A file, or a part of it.
struct FilePart {
    Fd file;
    std::uint64_t begin = 0, size = 0;
    // Throws std::runtime_error in words when the file cannot be opened or is no regular file.
    static FilePart whole(const std::string& path);
    FilePart again() const;  // the same, to be closed by itself
    // Returns fewer bytes than n at the end. Throws std::runtime_error in words.
    std::size_t read_at(std::uint64_t offset, char* to, std::size_t n) const;
};

// Collects bytes: up to kInMemory of them in memory, more than that in a temporary file, so that a
// large document costs no more memory than others. Not thread-safe. Throws TemporaryFileError.
class Bytes {
  public:
    static constexpr std::size_t kInMemory = std::size_t{8} << 20;
    Bytes() = default;
    template <typename T>
    requires std::convertible_to<T, std::string_view> Bytes(const T& bytes) { append(bytes); }

    void append(std::string_view bytes);
    std::size_t size() const { return size_; }
    std::string_view view() const;  // valid until the next append()
    // Frees the memory of a view's bytes before `read`, as far as they lie in a file; they can be
    // read again.
    void let_go(const char* read) const;
    // Passes on the bytes from there to the end, in pieces, and maps no file into memory.
    void each(std::size_t from, const std::function<void(std::string_view)>& take) const;
    Bytes rest(std::size_t from) const;  // a copy
    Input input(std::size_t block) &&;
    friend bool operator==(const Bytes& a, std::string_view b) { return a.view() == b; }

  private:
    FilePart file_;  // has them all if there are more than kInMemory
    std::string memory_;
    std::size_t size_ = 0;
    mutable Mapping map_;
};

class Input {
  public:
    // The most that peek() can return.
    static constexpr std::size_t kWindowBytes = std::size_t{1} << 20;

    // All throw std::runtime_error in words when it is no regular file or cannot be read.
    static Input open(const std::string& path);
    static Input of_part(FilePart part);  // offsets are those in the part
    // block: how many bytes are read or decompressed at a time. REQUIRES: block >= 16.
    static Input of_bytes(std::string bytes, std::size_t block = kBlockBytes);

    // At least `want` bytes unless the stretch ends before; valid until the next call that is not
    // const. REQUIRES: want <= kWindowBytes.
    std::string_view peek(std::size_t want);
    void consume(std::size_t n);                 // REQUIRES: n <= size of the last peek
    std::uint64_t consume_lines(std::size_t n);  // the same; returns how many line ends they have
    std::uint64_t skip(std::uint64_t n);         // returns how many there were
    // The next line with its end, at most `limit` bytes of it; consumes nothing. A line without
    // '\n' at its end is cut off by the limit or by the end of the stretch.
    std::string_view peek_line(std::size_t limit);
    void skip_line();  // whatever its length

    // Place of the next byte in the file: its offset, or in gzip the offset of the member that
    // holds it. At the end of the file: its size.
    std::uint64_t offset();
    bool at_member_start();  // the next byte is the first of its member; always so in plain input
    // Positions among the next n bytes at which a gzip member begins, but for the first byte.
    // REQUIRES: peek() has shown them.
    std::vector<std::size_t> member_starts(std::size_t n) const;
    bool compressed() const { return compressed_; }
    std::uint64_t size() const { return size_; }
    std::uint64_t raw_position() const;  // bytes of the file read so far, for progress

    // Whether less than n bytes are left, as far as is known without reading: of plain input.
    bool surely_less_than(std::uint64_t n) const { return !compressed_ && size_ - position_ < n; }
    // Goes to an offset(), in gzip the start of a member, and begins a new stretch there.
    void go_to(std::uint64_t offset);

    // When peek(1) is empty: why the stretch ended, in words, or "" at the file's proper end.
    const std::string& broken() const { return broken_; }
    // Drops the rest of the broken stretch and goes to the next sound member. False: there is none.
    bool resume();

  private:
    static constexpr std::size_t kBlockBytes = std::size_t{256} << 10;
    struct Mark {
        std::uint64_t position;  // in the stream of content
        std::uint64_t offset;    // in the file, of the member that begins there
    };
    Input() = default;
    void begin();
    std::size_t read_at(std::uint64_t offset, char* to, std::size_t n) const;
    bool refill_raw();
    bool fill();
    void inflate_some(std::size_t room);
    bool begin_member();
    bool sound_member_at(std::uint64_t offset) const;
    void begin_zstd();
    bool unpack(char* to, std::size_t room, std::size_t& made);
    void end_stretch(std::string why);
    void forget_marks();

    FilePart part_;
    std::string memory_;
    bool in_memory_ = false;
    std::size_t block_ = kBlockBytes;
    std::uint64_t size_ = 0;
    bool compressed_ = false;

    std::string raw_;               // the block of the file that was read last
    std::size_t raw_head_ = 0;      // how many bytes of it are used
    std::uint64_t raw_offset_ = 0;  // in the file, of raw_[0]
    InflateHandle inflate_;
    ZstdHandle zstd_;  // of the two that which unpacks
    bool in_member_ = false;
    std::uint64_t member_offset_ = 0;

    std::string content_;
    std::size_t head_ = 0;        // how many bytes of content_ are consumed
    std::uint64_t position_ = 0;  // in the stream of content, of content_[head_]
    std::deque<Mark> marks_;
    bool stretch_ended_ = false;
    std::string broken_;
};

// Reads the members of a zip file, such as a WACZ, in which a crawler keeps its WARC files together
// with indexes. A member that is stored, as the WARC files of a WACZ are to be, is read where it
// lies; one that is compressed is unpacked into a temporary file. Sizes, offsets and the number of
// members may need 64 bits. Not thread-safe.

class ZipFile {
  public:
    struct Member {
        std::string name;                                     // with its directories
        std::uint64_t size = 0, packed_size = 0, offset = 0;  // of its own head in the file
        std::uint64_t flags = 0, method = 0, checksum = 0;
    };

    // Throws std::runtime_error in words when the file cannot be read as a zip file.
    explicit ZipFile(const std::string& path);

    // Its WARC files: those of the folder archive/, as a WACZ has them, in their order.
    const std::vector<Member>& warc_files() const { return warc_files_; }

    // Throws std::runtime_error in words: the member is encrypted, damaged, or compressed in a way
    // that zlib does not know; TemporaryFileError where it cannot be unpacked.
    FilePart open(const Member& member) const;

  private:
    void read_directory();
    std::string read(std::uint64_t at, std::size_t n) const;
    const FilePart file_;
    std::vector<Member> warc_files_;
};

// Whether the first bytes are those of a zip file.
bool is_zip(std::string_view head);

}  // namespace oai::load
