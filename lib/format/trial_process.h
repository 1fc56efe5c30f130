// SPDX-License-Identifier: MIT
// Runs a trial in a process of its own, because XPath functions cannot be interrupted and a deep
// recursion may crash the process. The process is an `oai check` (trial.h). At the beginning of
// each step it writes a line of JSON with its results so far to standard output. It dies with the
// thread that started it.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace oai {

// The processor time that the trial of one file may use: a stylesheet that needs more than 50 ms
// for a record is too slow for any harvester. The trial may last four times as long.
std::chrono::seconds trial_limit(int samples);

struct Trial {
    int records = 0;  // records that were tried: not deleted, and with all required columns
    int failed = 0;   // those that could not be disseminated
    std::string first_failure;  // "identifier: why"
    // "file:line: fault of the stylesheet", each kind once.
    std::vector<std::string> faults;
    double spent_microseconds = 0;  // to disseminate all of them, without comparisons
    bool differs = false;           // for some record, compiled program and libxslt differed
    std::string schema_file;        // the schema that validated the documents; "": there is none
    std::string schema_problem;     // "file:line: message" why the schema cannot be used
};

struct TrialAnswer : Trial {
    std::string prefix;    // of the format; "": the file does not compile
    int line = 1;          // of its description
    bool has_run = false;  // run_format_once() succeeded
    // The current step, for the message of a timeout; "": sample records are being read.
    std::string step = "to be compiled";
    // Why there was no trial on samples, for a reason other than the stylesheet.
    std::string untried;
    bool is_whole = false;  // the process has finished
};
// The answer as a line of JSON, including the newline.
std::string line_of(const TrialAnswer& answer);

// Thrown if the server stops during a trial.
struct TrialStopped {};

// Runs `command`, a program and its arguments, of which the last is the file. Returns when the
// process has ended or was killed; the cause of its death is then one of the faults. Throws
// TrialStopped as soon as is_stopping() returns true, or SIGTERM, SIGINT or SIGUSR1 is pending, as
// during the start of the server. The process inherits standard error and the environment, but no
// other descriptor and no blocked signal. Thread-safe.
TrialAnswer try_in_process(std::vector<std::string> command, std::chrono::seconds limit,
                           const std::function<bool()>& is_stopping);

}  // namespace oai
