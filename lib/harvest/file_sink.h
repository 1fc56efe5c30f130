// SPDX-License-Identifier: MIT
// One list into one well-formed file. While it comes, FILE.part holds the pages so far, and FILE.state how much of that is
// good and where the list stands: written behind each page and renamed into place, so that a harvest that was killed goes
// on at the page where it stopped. FILE itself appears when the list is complete, with its predecessor's name and all at
// once; a list that cannot be had whole becomes FILE.incomplete, well-formed as well.
//
//   <h:harvest xmlns:h="urn:oai-fcgi:harvest" xmlns="http://www.openarchives.org/OAI/2.0/"
//       baseURL= metadataPrefix= set= from= until= responseDate=>     what was asked of whom; no set, from, until: all
//   <record>...</record>                                              as OAI-PMH 2.0, 2.5 has it, one a line
//   </h:harvest>
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/fd.h"
#include "harvest/sink.h"

namespace oai::harvest {

// The parts of such a file, for those who write it elsewhere.
std::string file_head(const std::string& base_url, const Position& position);
void append_record(std::string& out, const Record& record);
std::string file_tail();
// Of the head of such a file. Throws std::runtime_error where it is none.
std::string response_date_of(const std::string& path);

class FileSink final : public Sink {
  public:
    // Takes FILE.part for itself. last_complete: the responseDate of the harvest that this one goes on from, if any.
    // Throws std::runtime_error, as all members, where files cannot be written or another process writes them.
    explicit FileSink(std::string path, std::optional<std::string> last_complete = std::nullopt);
    ~FileSink() override;
    FileSink(const FileSink&) = delete;
    FileSink& operator=(const FileSink&) = delete;

    void identity(const Identity& identity) override { base_url_ = identity.address; }
    void sets(std::span<const SetInfo>) override {}
    // Throws if FILE.part holds another list, or another repository's.
    std::optional<Position> unfinished(const std::string& prefix, const std::string& set_spec) override;
    std::optional<std::string> last_complete(const std::string&, const std::string&) override { return last_complete_; }
    void begin(const Position& start) override;
    void take(std::span<const Record> records, const Position& after) override;
    void finish(const Position& end) override { close(end, path_); }
    // Without a single record there is no FILE.incomplete.
    void abandon(const Position& end) override;

    // Where the list is, once it is there; "" before.
    const std::string& written() const { return written_; }

  private:
    void cut(std::uint64_t bytes);
    void write_state(const Position& position);
    void close(const Position& end, const std::string& path);

    const std::string path_;
    const std::optional<std::string> last_complete_;
    Fd part_;
    std::string base_url_;
    std::string written_;
    std::uint64_t good_bytes_ = 0;  // of FILE.part
};

// To standard output, as it comes: nothing to go on from, and a list that begins anew is an error.
class StreamSink final : public Sink {
  public:
    void identity(const Identity& identity) override { base_url_ = identity.address; }
    void sets(std::span<const SetInfo>) override {}
    std::optional<Position> unfinished(const std::string&, const std::string&) override { return std::nullopt; }
    std::optional<std::string> last_complete(const std::string&, const std::string&) override { return std::nullopt; }
    void begin(const Position& start) override;
    void take(std::span<const Record> records, const Position& after) override;
    void finish(const Position& end) override;
    void abandon(const Position& end) override { finish(end); }

  private:
    void write(const std::string& text);
    std::string base_url_;
    bool headed_ = false;
};

}  // namespace oai::harvest
