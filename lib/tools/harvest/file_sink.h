// SPDX-License-Identifier: MIT
// Writes one list into one well-formed XML file. During the harvest FILE.part holds the pages so
// far, and FILE.state says how many bytes of it are valid and where the list stands. FILE.state is
// written after each page and renamed into place, so a harvest that was killed resumes at the page
// where it stopped. FILE itself appears, atomically, when the list is complete, and replaces its
// predecessor. A list that cannot be harvested completely becomes FILE.incomplete, also
// well-formed, with a comment before its end that says so.
//
//   <h:harvest xmlns:h="urn:oai-fcgi:harvest" xmlns="http://www.openarchives.org/OAI/2.0/"
//       baseURL= metadataPrefix= set= from= until= responseDate=>
//   <record>...</record>
//   </h:harvest>
//
// The attributes describe the request; those without a value (set, from, until) are omitted. Each
// record has the form of OAI-PMH 2.0, 2.5, and begins on a line of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/fd.h"
#include "tools/harvest/sink.h"

namespace oai::harvest {

// The parts of such a file, for other code that writes one.
void append_element(std::string& out, std::string_view name, std::string_view text);
std::string file_head(const std::string& base_url, const ListPosition& position);
void append_record(std::string& out, const Record& record);
std::string file_tail(bool complete = true);
// Reads the responseDate in the head of such a file, from which the next harvest of the list
// continues. Throws std::runtime_error if there is none; if the file is of another repository,
// format or set; or if it is incomplete, so that the next harvest would miss records.
std::string response_date_of(const std::string& path, const std::string& base_url,
                             const std::string& prefix, const std::string& set_spec);

class FileSink final : public Sink {
  public:
    // Locks FILE.part. last_complete: the responseDate of the harvest that this one continues, if
    // any. Throws std::runtime_error, as all members do, if a file cannot be written or is locked.
    explicit FileSink(std::string path, std::optional<std::string> last_complete = std::nullopt);
    ~FileSink() override;
    FileSink(const FileSink&) = delete;
    FileSink& operator=(const FileSink&) = delete;

    void identity(const RepositoryIdentity& identity) override { base_url_ = identity.address; }
    void sets(std::span<const SetInfo>) override {}
    // Throws if FILE.part is of another list or repository.
    std::optional<ListPosition> unfinished(const std::string& prefix,
                                           const std::string& set_spec) override;
    std::optional<std::string> last_complete(const std::string&, const std::string&) override {
        return last_complete_;
    }
    void begin(const ListPosition& start) override;
    void take(std::span<const Record> records, const ListPosition& after) override;
    void finish(const ListPosition& end) override { close(end, path_, true); }
    // Writes FILE.incomplete, unless there is not a single record.
    void abandon(const ListPosition& end) override;

    // Path of the finished file (FILE or FILE.incomplete); "" until there is one.
    const std::string& written() const { return written_; }

  private:
    void truncate_part(std::uint64_t bytes);
    void write_state(const ListPosition& position);
    void close(const ListPosition& end, const std::string& path, bool complete);

    const std::string path_;
    const std::optional<std::string> last_complete_;
    Fd part_;
    std::string base_url_;
    std::string written_;
    std::uint64_t valid_bytes_ = 0;  // of FILE.part
};

}  // namespace oai::harvest
