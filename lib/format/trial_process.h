// SPDX-License-Identifier: MIT
// A trial in a process of its own, because no function of XPath can be interrupted, and a recursion
// may end the process. The process is an `oai check` (trial.h); it writes what it knows so far to
// its standard output, as a line of JSON each time that it turns to something else. It dies with
// the thread that started it.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace oai {

// How much of a processor the trial of one file may take: one that needs more than 50 ms a record
// would make pages that no harvester waits for. It may last four times as long.
std::chrono::seconds trial_limit(int samples);

struct Trial {
    int records = 0;            // that were tried: neither deleted nor without a required column
    int failed = 0;             // those of them that could not be disseminated
    std::string first_failure;  // "identifier: why"
    // "file:line: what is wrong with the stylesheet", each kind once.
    std::vector<std::string> faults;
    double spent_microseconds = 0;  // to disseminate all of them, without comparing
    bool differs = false;           // the compiled program made a record otherwise than libxslt
    std::string schema_file;        // the schema that validated the documents; "": there is none
    std::string schema_problem;     // "file:line: message" why the schema cannot be used
};

struct TrialAnswer : Trial {
    std::string prefix;    // of the format; "": the file does not compile
    int line = 1;          // of its description
    bool has_run = false;  // over a record without columns, as every file does that is loaded
    // What the stylesheet takes time for at this moment; "": sample records are being read.
    std::string step = "to be compiled";
    // Why it was not tried over samples, which is not the fault of the stylesheet.
    std::string untried;
    bool is_whole = false;  // the process has written all that it had to
};
// A line of JSON with its end.
std::string line_of(const TrialAnswer& answer);

// The server is to stop, so the process was ended.
struct TrialStopped {};

// Starts `command`, the program, which limits its processor time, and its arguments, the last one
// the file. Returns when it has ended, or was killed; what it died of is then one of the faults.
// Throws TrialStopped as soon as is_stopping() is true or SIGTERM, SIGINT or SIGUSR1 is pending, as
// they are while the server starts. The process inherits standard error and the environment, but no
// other descriptor and no blocked signal. Thread-safe.
TrialAnswer try_in_process(std::vector<std::string> command, std::chrono::seconds limit,
                           const std::function<bool()>& is_stopping);

}  // namespace oai
