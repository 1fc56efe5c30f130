// SPDX-License-Identifier: MIT
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/text.h"
#include "tools/load/input.h"

namespace oai::load {
namespace {

constexpr int kWithoutHead = -15;  // zlib's window bits

Bytef* zlib_bytes(char* p) { return reinterpret_cast<Bytef*>(p); }

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
