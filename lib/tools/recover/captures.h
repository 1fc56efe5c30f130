// SPDX-License-Identifier: MIT
// Reads the captures of a repository from its format `warc` (xslt/warc.xsl), page by page from a
// harvest.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/harvest/sink.h"
#include "tools/load/capture.h"

namespace oai::recover {

struct ListedCapture {
    std::string identifier;  // of its record
    load::Capture capture;
};

// Reads a record that is not deleted. Throws std::runtime_error with a message for the user: its
// metadata is no capture, or lacks a URL or a time.
ListedCapture read_capture(const harvest::Record& record);

// Passes captures on in the order of the list, and stores nothing: a recovery itself records what
// is done.
class CaptureSink final : public harvest::Sink {
  public:
    struct Callbacks {
        std::function<void()> begin;  // the list begins, or begins again
        std::function<void(const std::vector<ListedCapture>& page)> take;
        std::function<void(const std::string& identifier, const std::string& why)> unreadable;
    };
    explicit CaptureSink(Callbacks callbacks) : callbacks_(std::move(callbacks)) {}

    void identity(const harvest::RepositoryIdentity&) override {}
    void sets(std::span<const harvest::SetInfo>) override {}
    std::optional<harvest::ListPosition> unfinished(const std::string&,
                                                    const std::string&) override {
        return {};
    }
    std::optional<std::string> last_complete(const std::string&, const std::string&) override {
        return {};
    }
    void begin(const harvest::ListPosition&) override { callbacks_.begin(); }
    void take(std::span<const harvest::Record> records, const harvest::ListPosition&) override;
    void finish(const harvest::ListPosition&) override {}
    void abandon(const harvest::ListPosition&) override {}

  private:
    const Callbacks callbacks_;
};

}  // namespace oai::recover
