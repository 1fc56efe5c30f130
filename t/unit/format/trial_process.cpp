// SPDX-License-Identifier: MIT
// What the server makes of the processes that answer its trials, which are shells here. The real
// ones are in t/fault/trial.t.
#include "format/trial_process.h"

#include <catch2/catch.hpp>
#include <csignal>
#include <thread>

#include "format/trial.h"

using namespace oai;
using Catch::Matchers::Contains;
using Strings = std::vector<std::string>;

namespace {

// The answer of a process that runs this script, in which $0 is the file.
TrialAnswer answer_of(const std::string& script, int seconds = 300) {
    return try_in_process(
        {"/bin/sh", "-c", script, "/f/a.xsl"}, std::chrono::seconds{seconds}, [] { return false; });
}

std::string fault_of(const std::string& script, int seconds = 300) {
    const TrialAnswer answer = answer_of(script, seconds);
    CHECK(answer.untried.empty());
    CHECK_FALSE(answer.is_whole);
    return answer.faults.size() == 1 ? answer.faults[0] : "not one fault";
}

constexpr const char* kCompiled = "printf 'prefix\\tp\\nline\\t7\\n';";
constexpr const char* kRun = "printf 'prefix\\tp\\nline\\t7\\nhas_run\\t1\\n';";
constexpr const char* kAt = "printf 'samples\\t100\\nat\\toai:x:1 to oai:x:25\\n';";

}  // namespace

TEST_CASE("trial process: a whole answer says all that the trial found") {
    const TrialAnswer a = answer_of(std::string(kRun) + kAt +
                                    "printf 'records\\t99\\nfailed\\t2\\nfirst_failure\\tid: why\\t"
                                    "that\\nspent\\t5000\\ndiffers\\t1\\nschema_file\\ts.xsd\\n"
                                    "fault\\ta:1: b\\nfault\\ta:2: c\\nis_whole\\t1\\n'");
    CHECK(a.is_whole);
    CHECK(a.prefix == "p");
    CHECK(a.line == 7);
    CHECK(a.has_run);
    CHECK(a.samples == 100);
    CHECK(a.records == 99);
    CHECK(a.failed == 2);
    CHECK(a.first_failure == "id: why\tthat");
    CHECK(a.spent == std::chrono::microseconds{5});
    CHECK(a.differs);
    CHECK(a.schema_file == "s.xsd");
    CHECK(a.faults == Strings{"a:1: b", "a:2: c"});
    CHECK(a.untried.empty());
}

TEST_CASE("trial process: half an answer, another one and one without end refuse the file") {
    CHECK_THAT(fault_of(""), Contains("/f/a.xsl:1: ") && Contains("half an answer"));
    CHECK_THAT(fault_of(std::string(kRun) + "printf 'is_whole\\t1'"), Contains("half an answer"));
    for (const char* garbage : {"nonsense", "nonsense\\t1", "records\\tmany", "records", "\\t",
                                "is_whole\\t", "line\\t99999999999999999999", "\\0\\0"})
        CHECK_THAT(fault_of(std::string("printf '") + garbage + "\\nis_whole\\t1\\n'"),
                   Contains("/f/a.xsl:1: ") && Contains("cannot be read"));
    CHECK_THAT(fault_of("yes 'prefix\tp'"), Contains("/f/a.xsl:1: ") && Contains("cannot be read"));
    CHECK_THAT(fault_of("yes | tr -d '\\n'"), Contains("cannot be read"));
}

TEST_CASE("trial process: one that takes too long is killed, and the fault says where it was") {
    CHECK_THAT(fault_of("exec sleep 600", 1),
               Contains("/f/a.xsl:1: takes longer than 1 s to be compiled"));
    CHECK_THAT(fault_of(std::string(kCompiled) + "exec sleep 600", 2),
               Contains("/f/a.xsl:7: takes longer than 2 s for a record without columns"));
    CHECK_THAT(
        fault_of(std::string(kRun) + kAt + "exec sleep 600", 2),
        Contains("/f/a.xsl:7: takes longer than 2 s for 100 sample records, and was at those "
                 "from oai:x:1 to oai:x:25"));
}

TEST_CASE("trial process: one that crashes refuses the file and names the signal") {
    CHECK_THAT(fault_of("kill -SEGV $$"), Contains("/f/a.xsl:1: ") && Contains("by SIGSEGV"));
    CHECK_THAT(fault_of(std::string(kRun) + "kill -KILL $$"),
               Contains("/f/a.xsl:7: ") && Contains("by SIGKILL"));
}

TEST_CASE("trial process: what is not the fault of the stylesheet leaves it untried") {
    const auto untried = [](const TrialAnswer& answer) {
        CHECK(answer.faults.empty());
        return answer.untried;
    };
    CHECK_THAT(untried(answer_of(std::string(kRun) + "exec sleep 600", 2)),
               Contains("no sample records came within 2 s"));
    CHECK_THAT(untried(answer_of("exit 3")), Contains("status 3"));
    CHECK_THAT(untried(try_in_process({"/nonesuch", "/f/a.xsl"}, std::chrono::seconds{300},
                                      [] { return false; })),
               Contains("no process can be started for it: /nonesuch: No such file"));
    CHECK(untried(answer_of("printf 'untried\\tno database\\nis_whole\\t1\\n'")) == "no database");
}

TEST_CASE("trial process: a stop ends it at once") {
    const auto began = std::chrono::steady_clock::now();
    const auto is_stopping = [&] {
        return std::chrono::steady_clock::now() - began > std::chrono::milliseconds{300};
    };
    CHECK_THROWS_AS(try_in_process({"/bin/sh", "-c", "exec sleep 600", "f"},
                                   std::chrono::seconds{300}, is_stopping),
                    TrialStopped);
    std::thread([&] {  // as while the server starts: blocked, and pending for this thread
        sigset_t stop;
        sigemptyset(&stop);
        sigaddset(&stop, SIGUSR1);
        pthread_sigmask(SIG_BLOCK, &stop, nullptr);
        raise(SIGUSR1);
        CHECK_THROWS_AS(answer_of("exec sleep 600"), TrialStopped);
        int signal = 0;
        sigwait(&stop, &signal);
    })
        .join();
}

TEST_CASE("trial process: it inherits three descriptors, and no signal is blocked or ignored") {
    const TrialAnswer a = answer_of(
        "for f in /proc/$$/fd/*; do n=\"$n ${f##*/}\"; done; printf 'prefix\\t%s\\n' \"$n\"; "
        // Not the shell's own: it blocks all signals while it starts a program.
        "printf 'at\\t%s\\nis_whole\\t1\\n' "
        "\"$(grep -E 'Sig(Blk|Ign)' /proc/self/status | tr -s '\\t\\n' '  ')\"");
    // A shell may keep one of its own while it lists them.
    CHECK((a.prefix == " 0 1 2" || a.prefix == " 0 1 2 3"));
    CHECK_THAT(a.at, Contains("SigBlk: 0000000000000000"));
}

TEST_CASE("samples: only records that both have are compared") {
    std::string before, after;
    for (const int seq : {1, 2, 3}) add_sample(before, seq, "made of " + std::to_string(seq));
    add_sample(after, 2, "made of 2");
    add_sample(after, 3, "made otherwise");
    add_sample(after, 4'000'000'000, "new");
    CHECK(compare_samples(before, after).both == 2);
    CHECK(compare_samples(before, after).different == 1);
    CHECK(compare_samples(before, before).different == 0);
    CHECK(compare_samples(before, "").both == 0);
    CHECK(compare_samples(before, "1:a 2:b nonsense 3:c").both == 2);
}

TEST_CASE("samples: their number is bounded") {
    std::string many;
    for (int seq = 0; seq < 1000; ++seq) add_sample(many, seq, "x");
    CHECK(compare_samples(many, many).both == 128);
}
