// SPDX-License-Identifier: MIT
// The captures of a repository as its format `warc` gives them (xslt/warc.xsl), page by page from a harvest.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harvest/sink.h"
#include "load/capture.h"

namespace oai::recover {

struct Found {
    std::string identifier;
    load::Capture capture;
};

// What a record that is not deleted says. Throws std::runtime_error in words: its metadata is no capture, or lacks what a
// capture needs.
Found read_capture(const harvest::Record& record);

// Hands captures on in the order of the list, and keeps nothing: a recovery notes itself what is done.
class CaptureSink final : public harvest::Sink {
  public:
    struct Reader {
        std::function<void()> begin;  // the list is read from its start, now or anew
        std::function<void(const std::vector<Found>& page)> take;
        std::function<void(const std::string& identifier, const std::string& why)> unreadable;
    };
    explicit CaptureSink(Reader reader) : reader_(std::move(reader)) {}

    void identity(const harvest::Identity&) override {}
    void sets(std::span<const harvest::SetInfo>) override {}
    std::optional<harvest::Position> unfinished(const std::string&, const std::string&) override { return {}; }
    std::optional<std::string> last_complete(const std::string&, const std::string&) override { return {}; }
    void begin(const harvest::Position&) override { reader_.begin(); }
    void take(std::span<const harvest::Record> records, const harvest::Position&) override;
    void finish(const harvest::Position&) override {}
    void abandon(const harvest::Position&) override {}

  private:
    const Reader reader_;
};

}  // namespace oai::recover
