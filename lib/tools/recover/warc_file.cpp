// SPDX-License-Identifier: MIT
#include "tools/recover/warc_file.h"

#include <sodium.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <vector>

#include "base/text.h"
#include "protocol/datestamp.h"
#include "tools/recover/file.h"
#include "tools/recover/handle.h"

namespace oai::recover {
namespace {

namespace fs = std::filesystem;

std::string gzip_member(const std::string& bytes) {
    auto fresh = std::make_unique<z_stream>();
    *fresh = {};
    if (deflateInit2(fresh.get(), Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::bad_alloc();
    const DeflateHandle z(fresh.release());
    std::string out(deflateBound(z.get(), bytes.size()), '\0');
    z->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    z->avail_in = static_cast<uInt>(bytes.size());
    z->next_out = reinterpret_cast<Bytef*>(out.data());
    z->avail_out = static_cast<uInt>(out.size());
    if (deflate(z.get(), Z_FINISH) != Z_STREAM_END)
        throw std::runtime_error("a record cannot be compressed");
    out.resize(out.size() - z->avail_out);
    return out;
}

// RFC 9562, version 4.
std::string new_record_id() {
    std::array<unsigned char, 16> b{};
    randombytes_buf(b.data(), b.size());
    b[6] = static_cast<unsigned char>((b[6] & 0x0FU) | 0x40U);
    b[8] = static_cast<unsigned char>((b[8] & 0x3FU) | 0x80U);
    std::array<char, 33> hex{};
    sodium_bin2hex(hex.data(), hex.size(), b.data(), b.size());
    const std::string h(hex.data());
    return "<urn:uuid:" + h.substr(0, 8) + "-" + h.substr(8, 4) + "-" + h.substr(12, 4) + "-" +
           h.substr(16, 4) + "-" + h.substr(20) + ">";
}

std::string record(const std::string& header, const std::string& block) {
    return "WARC/1.1\r\n" + header + "\r\n" + block + "\r\n\r\n";
}

std::string header_line(const char* name, const std::string& value) {
    return std::string(name) + ": " + value + "\r\n";
}

std::string record_fields(const std::string& type, const std::string& content_type, Seconds time,
                          const std::string& block) {
    return header_line("WARC-Type", type) + header_line("WARC-Record-ID", new_record_id()) +
           header_line("WARC-Date", print_datestamp(time)) +
           header_line("Content-Type", content_type) +
           header_line("Content-Length", std::to_string(block.size()));
}

std::string warc_header_of_arc(const ArchivedRecord& stored) {
    const bool http = stored.payload > 0;
    return header_line("WARC-Target-URI", stored.url) +
           record_fields(http ? "response" : "resource",
                         http                        ? "application/http; msgtype=response"
                         : stored.media_type.empty() ? "application/octet-stream"
                                                     : stored.media_type,
                         stored.time, stored.block);
}

Seconds now() {
    return std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
}

}  // namespace

WarcFile::WarcFile(const std::string& path) : path_(path) {
    if (sodium_init() < 0) throw std::runtime_error("libsodium cannot start");
    const std::string list = path_ + ".recovered.tsv";
    if (fs::exists(path_) && fs::file_size(path_) > 0 && !fs::exists(list))
        throw std::runtime_error(path_ + " is there already, and was not made by a recovery");
    lock_ = lock_exclusively(path_, true);
    resume();
    list_.open(list, std::ios::app);
    out_.open(path_, std::ios::binary | std::ios::app);
    if (!out_ || !list_) throw std::runtime_error(path_ + " cannot be written");
    if (fs::file_size(path_) > 0) return;
    const std::string info =
        header_line("software", "oai-fcgi recover") + header_line("format", "WARC File Format 1.1");
    write("", record(record_fields("warcinfo", "application/warc-fields", now(), info), info), {});
}

// The list has a line for each record: the offset of its end, its identifier, and how_column().
// What follows the last record of the list is cut off.
void WarcFile::resume() {
    const std::string list = path_ + ".recovered.tsv";
    std::ifstream in(list);
    std::string line, sound;
    std::uintmax_t end = 0;
    const std::uintmax_t size = fs::exists(path_) ? fs::file_size(path_) : 0;
    while (std::getline(in, line) && !in.eof()) {
        const auto tab = line.find('\t');
        const auto ends_at = text::to_integer(line.substr(0, tab));
        if (tab == line.npos || !ends_at || static_cast<std::uintmax_t>(*ends_at) > size) break;
        end = static_cast<std::uintmax_t>(*ends_at);
        const auto last = std::min(line.find('\t', tab + 1), line.size());
        done_[line.substr(tab + 1, last - tab - 1)] = read_how(line.substr(last));
        (sound += line) += '\n';
    }
    in.close();
    if (fs::exists(path_)) fs::resize_file(path_, end);
    if (fs::exists(list)) replace_file(list, path_ + ".recovering", sound);
}

void WarcFile::put(const std::string& identifier, const ArchivedRecord& stored, RecoveredHow how) {
    write(identifier,
          record(stored.header.empty() ? warc_header_of_arc(stored) : stored.header, stored.block),
          how);
}

void WarcFile::write(const std::string& identifier, const std::string& record, RecoveredHow how) {
    const std::string member = gzip_member(record);
    out_.write(member.data(), static_cast<std::streamsize>(member.size()));
    if (!out_.flush()) throw std::runtime_error(path_ + " cannot be written");
    list_ << fs::file_size(path_) << '\t' << identifier << how_column(how) << '\n' << std::flush;
    if (!list_) throw std::runtime_error(path_ + ".recovered.tsv cannot be written");
    done_[identifier] = how;
}

}  // namespace oai::recover
