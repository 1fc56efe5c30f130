// SPDX-License-Identifier: MIT
// The formats directory over time: which files have changed and are whole, what they become, what serves meanwhile.
// A file counts when it has settled (base/settled_files.h) together with all that it imports. One that is broken keeps
// its own last version, and the others go on; one that is removed takes its format with it, but for oai_dc, which
// OAI-PMH demands. The files of about/ are judged and swapped as the others are. Sees time only as it is told; not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/settled_files.h"
#include "format.h"

namespace oai {

// What became of a file at a look.
struct FormatEvent {
    enum class Kind { live, refused, removed } kind;
    std::string path;
    std::string why;                       // refused: "file:line: message", one a line
    std::shared_ptr<const Format> format;  // live: the new one; removed: the one that was
    std::shared_ptr<const Format> before;  // live: which it replaces; null: none
};

class FormatDirectory {
  public:
    using Time = SettledFiles::Time;
    // What else speaks against a format that compiles, as faults "file:line: message"; none: it goes live.
    using Judge = std::function<std::vector<std::string>(const Format&)>;
    // Whether somebody is known to be writing the file now.
    using Busy = std::function<bool(const std::string& path)>;

    // Takes what is there as it is, so that one broken file does not keep a repository down after a restart; faults()
    // has it. Throws Fault, all that is wrong, when there is no oai_dc among the rest.
    FormatDirectory(std::string directory, std::chrono::milliseconds settle);

    // Looks, and takes what has settled: all that is found good goes live in one new registry.
    std::vector<FormatEvent> look(Time now, const Judge& judge, const Busy& busy);

    // Something has changed that has not settled yet: worth another look soon.
    bool waiting() const { return waiting_; }
    // The next look takes every file for changed.
    void distrust() { distrusted_ = true; }

    const std::shared_ptr<const FormatRegistry>& registry() const { return registry_; }
    // "file:line: message" for everything that is not as the directory says it should be; one a line.
    std::vector<std::string> faults() const;

  private:
    using Versions = std::vector<std::pair<std::string, FileStamp>>;
    struct File {
        std::shared_ptr<const Format> serving;  // null: none yet
        Versions judged;                        // the files, and what they were, when it was judged; empty: never
        Versions surroundings;                  // with a fault: all files there were; another one may mend it
        std::string fault;
    };

    bool list(const Busy& busy);
    void remove_missing(std::vector<FormatEvent>& events);
    bool is_due(const std::string& path, const File& file);
    void judge(const std::string& path, File& file, const Judge& judge, std::vector<FormatEvent>& events);
    std::string taken_name(const std::string& path, const Format& format) const;
    Versions versions_of(const std::vector<std::string>& paths) const;
    void publish();

    const std::string directory_;
    SettledFiles seen_;
    std::vector<std::string> listed_;  // format files
    Versions around_;                  // all files of the directory and those below that a format may import
    std::map<std::string, File> files_;
    std::shared_ptr<const FormatRegistry> registry_;
    std::string directory_fault_;
    std::string oai_dc_fault_;
    bool waiting_ = false;
    bool removed_ = false;  // in this look
    bool distrusted_ = false;
    bool opening_ = true;
};

}  // namespace oai
