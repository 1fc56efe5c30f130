// SPDX-License-Identifier: MIT
// A trial in a process of its own, because no function of XPath can be interrupted: translate()
// over long strings runs for minutes, and a recursion may end the process. The process is an `oai
// check` (trial.h); it reads the configuration and sample records, and writes what
// it finds to its standard output, a line at a time. So the server itself has neither trials nor
// schemas. It dies with the thread that started it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace oai {

// What a stylesheet made of sample records, to tell whether a new version of it says something else
// of records that have not changed. Plain values.
class SampleDigests {
  public:
    // The metadata of the record with that seq, which no other version of the record has. Keeps
    // the first 128.
    void add(std::int64_t seq, std::string_view metadata);
    bool empty() const { return digests_.empty(); }

    struct Comparison {
        int both = 0;       // records that are in both
        int different = 0;  // those of them that came out otherwise
    };
    Comparison compare(const SampleDigests& before) const;

    // "SEQ:DIGEST SEQ:DIGEST ...", and back; what cannot be read is left out. Digests are those of
    // this build of the program.
    std::string text() const;
    static SampleDigests parse(std::string_view text);

  private:
    std::map<std::int64_t, std::uint64_t> digests_;
};

// How long the trial of one file may take, from the start of the process to its end. Reading 100
// samples takes milliseconds, and so do most stylesheets for all of them; one that needs more than
// 50 ms a record would make pages of lists that no harvester waits for. More samples may take
// longer in proportion.
std::chrono::seconds trial_limit(int samples);

struct Trial {
    int records = 0;            // that were tried: neither deleted nor without a required column
    int failed = 0;             // those of them that could not be disseminated
    std::string first_failure;  // "identifier: why"
    // "file:line: what is wrong with the stylesheet", each kind once.
    std::vector<std::string> faults;
    std::chrono::nanoseconds spent{};  // the time to disseminate all of them, without comparing
    bool differs = false;              // the compiled program made a record otherwise than libxslt
    std::string made;                  // SampleDigests of the records, as text
    std::string schema_file;           // the schema that validated the documents; "": there is none
    std::string schema_problem;        // "file:line: message" why the schema cannot be used
};

struct TrialAnswer : Trial {
    std::string prefix;    // of the format; "": the file does not compile
    int line = 1;          // of its description
    bool has_run = false;  // over a record without columns, as every file does that is loaded
    int samples = -1;      // that were read; -1: none yet
    std::string at;        // those that were tried last: "IDENTIFIER to IDENTIFIER"
    // Why it was not tried over samples, which is not the fault of the stylesheet.
    std::string untried;
    bool is_whole = false;  // the process has written all that it had to
};

// The server is to stop, so the process was ended.
struct TrialStopped {};

// Starts `command`, which is the program and its arguments; the last one is the file. Returns when
// the process has ended, or was killed at the limit; what it died of is then one of the faults.
// Throws TrialStopped as soon as is_stopping() is true or SIGTERM, SIGINT or SIGUSR1 is pending, as
// they are while the server starts. The process inherits standard error and the environment, but no
// other descriptor and no blocked signal. Thread-safe.
TrialAnswer try_in_process(std::vector<std::string> command, std::chrono::seconds limit,
                           const std::function<bool()>& is_stopping);

// The lines of the answer are "NAME<tab>VALUE": these, and kFaultLine for each fault.
struct TrialField {
    std::string_view name;
    std::variant<std::string TrialAnswer::*, int TrialAnswer::*, bool TrialAnswer::*,
                 std::chrono::nanoseconds TrialAnswer::*>
        member;
};
inline constexpr std::string_view kFaultLine = "fault";
inline constexpr TrialField kTrialFields[] = {
    {"prefix", &TrialAnswer::prefix},
    {"line", &TrialAnswer::line},
    {"has_run", &TrialAnswer::has_run},
    {"samples", &TrialAnswer::samples},
    {"at", &TrialAnswer::at},
    {"untried", &TrialAnswer::untried},
    {"records", &TrialAnswer::records},
    {"failed", &TrialAnswer::failed},
    {"first_failure", &TrialAnswer::first_failure},
    {"spent", &TrialAnswer::spent},
    {"differs", &TrialAnswer::differs},
    {"made", &TrialAnswer::made},
    {"schema_file", &TrialAnswer::schema_file},
    {"schema_problem", &TrialAnswer::schema_problem},
    {"is_whole", &TrialAnswer::is_whole},  // comes last, so that half an answer is noticed
};

}  // namespace oai
