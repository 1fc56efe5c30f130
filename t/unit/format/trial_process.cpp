// SPDX-License-Identifier: MIT
// What the server makes of the processes that answer its trials, which are shells here. The real
// ones are in t/fault/trial.t.
#include "format/trial_process.h"

#include "format/trial.h"
#include "t/lib/unit_headers.h"

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

// The line that the process writes.
std::string say(const TrialAnswer& answer) { return "cat <<'EOF'\n" + line_of(answer) + "EOF\n"; }

TrialAnswer compiled() {
    TrialAnswer answer;
    answer.prefix = "p";
    answer.line = 7;
    answer.step = "for a record without columns";
    return answer;
}
TrialAnswer run() {
    TrialAnswer answer = compiled();
    answer.has_run = true;
    answer.step = "";
    return answer;
}

}  // namespace

TEST_CASE("trial process: a whole answer says all that the trial found") {
    TrialAnswer said = run();
    said.is_whole = said.differs = true;
    said.records = 99;
    said.failed = 2;
    said.first_failure = "id: why\tthat\nand \xff";
    said.spent_microseconds = 5.25;
    said.schema_file = "s.xsd";
    said.faults = {"a:1: b", "a:2: c"};
    const TrialAnswer a = answer_of(say(compiled()) + say(said));
    CHECK(a.is_whole);
    CHECK(a.prefix == "p");
    CHECK(a.line == 7);
    CHECK(a.has_run);
    CHECK(a.records == 99);
    CHECK(a.failed == 2);
    CHECK(a.first_failure == "id: why\tthat\nand \ufffd");
    CHECK(a.spent_microseconds == 5.25);
    CHECK(a.differs);
    CHECK(a.schema_file == "s.xsd");
    CHECK(a.faults == Strings{"a:1: b", "a:2: c"});
    CHECK(a.untried.empty());
}

TEST_CASE("trial process: half an answer, another one and one without end refuse the file") {
    CHECK_THAT(fault_of(""), Contains("/f/a.xsl:1: ") && Contains("half an answer"));
    CHECK_THAT(fault_of(say(run()) + "printf '{\"is_whole\":true}'"), Contains("half an answer"));
    for (const char* garbage :
         {"nonsense", "{", "[]", "{}", "7", R"({"is_whole": true})", "", "\\0\\0"})
        CHECK_THAT(fault_of(std::string("printf '") + garbage + "\\n'"),
                   Contains("/f/a.xsl:1: ") && Contains("cannot be read"));
    CHECK_THAT(fault_of("yes"), Contains("/f/a.xsl:1: ") && Contains("cannot be read"));
    CHECK_THAT(fault_of("yes | tr -d '\\n'"), Contains("more than a megabyte"));
}

TEST_CASE("trial process: a slow one is killed, and the fault names the step") {
    CHECK_THAT(fault_of("exec sleep 600", 1),
               Contains("/f/a.xsl:1: takes longer than 1 s to be compiled"));
    CHECK_THAT(fault_of(say(compiled()) + "exec sleep 600", 3),
               Contains("/f/a.xsl:7: takes longer than 3 s for a record without columns"));
    TrialAnswer at = run();
    at.step = "for 100 sample records, and was at those from oai:x:1 to oai:x:25";
    CHECK_THAT(fault_of(say(at) + "exec sleep 600", 3),
               Contains("/f/a.xsl:7: takes longer than 3 s for 100 sample records, and was at "
                        "those from oai:x:1 to oai:x:25"));
}

TEST_CASE("trial process: one that crashes refuses the file and names the signal") {
    CHECK_THAT(fault_of("kill -SEGV $$"), Contains("/f/a.xsl:1: ") && Contains("by SIGSEGV"));
    CHECK_THAT(fault_of(say(run()) + "kill -KILL $$"),
               Contains("/f/a.xsl:7: ") && Contains("by SIGKILL"));
}

TEST_CASE("trial process: other failures than those of the stylesheet are no faults") {
    const auto untried = [](const TrialAnswer& answer) {
        CHECK(answer.faults.empty());
        return answer.untried;
    };
    CHECK_THAT(untried(answer_of(say(run()) + "exec sleep 600", 3)),
               Contains("no sample records came within 12 s"));
    CHECK_THAT(untried(answer_of("exit 3")), Contains("status 3"));
    CHECK_THAT(untried(try_in_process({"/nonesuch", "/f/a.xsl"}, 300s, [] { return false; })),
               Contains("no process can be started for it: /nonesuch: No such file"));
    TrialAnswer said = run();
    said.untried = "no database";
    said.is_whole = true;
    CHECK(untried(answer_of(say(said))) == "no database");
}

TEST_CASE("trial process: a stop ends it at once") {
    const auto began = std::chrono::steady_clock::now();
    const auto is_stopping = [&] { return std::chrono::steady_clock::now() - began > 300ms; };
    CHECK_THROWS_AS(try_in_process({"/bin/sh", "-c", "exec sleep 600", "f"}, 300s, is_stopping),
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
    TrialAnswer said;
    said.prefix = "$n";
    said.untried = "$masks";
    said.is_whole = true;
    const TrialAnswer a = answer_of(
        "for f in /proc/$$/fd/*; do n=\"$n ${f##*/}\"; done\n"
        // Not the shell's own: it blocks all signals while it starts a program.
        "masks=$(grep -E 'Sig(Blk|Ign)' /proc/self/status | tr -s '\\t\\n' '  ')\n"
        "cat <<EOF\n" +
        line_of(said) + "EOF\n");
    // A shell may keep one of its own while it lists them.
    CHECK((a.prefix == " 0 1 2" || a.prefix == " 0 1 2 3"));
    CHECK_THAT(a.untried, Contains("SigBlk: 0000000000000000"));
}
