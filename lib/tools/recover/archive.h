// SPDX-License-Identifier: MIT
// Reads records of archive files, which are found by their names: anywhere below a directory, also
// within WACZ files there, or below a URL, by range requests.
// Neighbouring records are read at once if they are announced by expect(). Not thread-safe.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "tools/http_client/client.h"
#include "tools/load/capture.h"
#include "tools/load/input.h"

namespace oai::recover {

// One record of an ARC or WARC file, with its header.

constexpr std::size_t kMaxRecordBytes = std::size_t{512} << 20;

struct ArchivedRecord {
    enum class Kind { response, resource, revisit };
    Kind kind = Kind::response;
    std::string url;
    Seconds time{};
    std::string header;       // lines of the WARC header without the first; "" for ARC
    load::Bytes block;        // unchanged from the file
    std::size_t payload = 0;  // offset in the block, after an HTTP header
    std::string digest;       // of the payload, as load::digest() writes it; "" if not given
    std::string refers_to;    // of a revisit: URL of the original; "" if not given
    std::optional<Seconds> refers_to_time;
    std::string media_type;  // "" if unknown
    int status = 0;          // of HTTP; 0 if there is none

    std::string_view http_header() const { return block.view().substr(0, payload); }
    std::string_view body() const { return block.view().substr(payload); }
    std::size_t body_size() const { return block.size() - payload; }
};

// The input ends within the record.
class CutShort : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// Reads the record at the current position. Throws CutShort, or std::runtime_error with a message
// for the user: there is no record, or it is damaged, larger than kMaxRecordBytes, or of a type
// without a document.
ArchivedRecord read_archived_record(load::Input& input);

// The whole archive is unreachable, so that other files need not be tried.
class ArchiveUnreachable : public std::exception {
  public:
    explicit ArchiveUnreachable(std::string what) : what_(std::move(what)) {}
    const char* what() const noexcept override { return what_.c_str(); }

  private:
    std::string what_;
};

// The location of a record.
struct RecordLocation {
    std::string file;                    // as the repository names it; "" if unknown
    std::optional<std::int64_t> offset;  // bytes, of the file
    std::optional<std::int64_t> length;  // bytes, of the file
};
inline RecordLocation location_of(const load::Capture& c) { return {c.file, c.offset, c.length}; }

class Archive {
  public:
    // The maximum size of a range that is fetched at once and kept in memory.
    static constexpr std::int64_t kWindowBytes = std::int64_t{8} << 20;
    // A gap between records up to this size is fetched as well, to save a request.
    static constexpr std::int64_t kGapBytes = std::int64_t{64} << 10;

    // address: a directory, a WACZ file, or the URL of a directory. Throws std::runtime_error.
    Archive(const std::string& address, http::RetryingClient& http);

    // Announces the records that will be read next, in any order, so that neighbouring ones of
    // known length are fetched together. If they are read in file order, each byte is fetched once.
    void expect(const std::vector<RecordLocation>& records);

    // Returns the record at this location. Throws std::runtime_error with a message for the user:
    // the location is unknown, the file does not exist, is ambiguous or too short, the server
    // refuses it, or the record is damaged. Throws ArchiveUnreachable.
    ArchivedRecord read(const RecordLocation& location);

  private:
    // A range of a file with several announced records. A record that would be alone in its window
    // is read separately.
    struct Window {
        std::string file;
        std::int64_t begin, end;
        int records = 1;
        bool tried = false;
    };
    std::optional<ArchivedRecord> read_in_window(const RecordLocation& location);
    bool holds(const RecordLocation& location) const;
    void open(Window& window);
    void add_wacz(const std::string& path);
    load::FilePart part_of(const std::string& file);
    ArchivedRecord read_file(const RecordLocation& location);
    ArchivedRecord read_by_range(const RecordLocation& location);
    const std::string& path_of(const std::string& file) const;
    load::Bytes fetch_range(const std::string& file, http::ByteRange range);
    load::Bytes fetch(const std::string& name, http::ByteRange range);
    http::ClientResponse send(const http::ClientRequest& request, load::Bytes& body);
    http::RetryingClient& http_;
    std::string base_url_;  // "" if the archive is a directory
    // Paths of files by their names without directories.
    std::multimap<std::string, std::string, std::less<>> paths_;
    // The WACZ file of each member, by the path WACZ/NAME.
    std::map<std::string, std::string> wacz_;
    std::string unreadable_;   // the problem of a WACZ file; "": there is none
    std::string member_path_;  // of the member read last
    load::FilePart member_;
    std::set<std::string> missing_files_;  // names for which the server has no file
    std::vector<Window> windows_;          // by file and begin, without overlaps
    std::string held_file_;                // of the window read last
    load::Bytes held_;                     // its bytes
    std::int64_t held_begin_ = 0;
};

// The part of a file name after the last '/', as loaders store names; "" for "", "." and "..".
std::string base_name(const std::string& file);

}  // namespace oai::recover
