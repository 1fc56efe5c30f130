// SPDX-License-Identifier: MIT
// The process that tries one stylesheet for the server or for `oai check`: reads it, runs it over
// sample records and writes what it finds to standard output.
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <new>

#include "base/fd.h"
#include "base/log.h"
#include "base/text.h"
#include "command/check.h"
#include "format/file.h"
#include "format/trial.h"
#include "protocol/error.h"
#include "protocol/identifier.h"
#include "xml/document.h"

namespace oai::command {
namespace {

constexpr std::size_t kMaxValue = 4000;
// Beside what the program takes itself. A transform may take half of it (transform/sandbox.cpp).
constexpr rlim_t kMemory = 1U << 30U;
constexpr rlim_t kMemoryPerSample = 1U << 16U;
// The server compiles the file once more, in its own process, where nothing could end it.
constexpr int kCompileSeconds = 1;

// Prints a member of the answer.
struct Print {
    const TrialAnswer& answer;

    std::string operator()(std::string TrialAnswer::*member) const { return answer.*member; }
    std::string operator()(std::chrono::nanoseconds TrialAnswer::*member) const {
        return std::to_string((answer.*member).count());
    }
    template <class T>
    std::string operator()(T TrialAnswer::*member) const {
        return std::to_string(answer.*member);
    }
};

// Writes what is known so far; later lines replace those before.
void tell(const Fd& out, const TrialAnswer& answer) {
    std::string lines;
    const auto add = [&](std::string_view name, std::string value) {
        std::replace(value.begin(), value.end(), '\n', ' ');
        lines += fmt::format("{}\t{}\n", name, text::utf8_prefix(value, kMaxValue));
    };
    if (answer.is_whole)
        for (const std::string& fault : answer.faults) add(kFaultLine, fault);
    for (const TrialField& field : kTrialFields)
        add(field.name, std::visit(Print{answer}, field.member));
    if (!write_all(out, lines)) std::_Exit(1);  // nobody reads it any more
}

// The deadline of the parent is not enough: it may be stopped, or end at this moment.
void confine(int samples) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    pollfd parent{STDOUT_FILENO, 0, 0};
    if (::poll(&parent, 1, 0) != 0) std::_Exit(1);  // it ended before that
    ::prctl(PR_SET_NAME, "oai-trial");
    // systemd tells all processes of a service to end. The server decides whether this one does.
    for (const int signal : {SIGTERM, SIGINT, SIGUSR1, SIGHUP}) std::signal(signal, SIG_IGN);
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t bytes = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + kMemory +
                         static_cast<rlim_t>(samples) * kMemoryPerSample;
    const auto seconds = static_cast<rlim_t>(trial_limit(samples).count() + 1);
    const rlimit memory{bytes, bytes}, processor{seconds, seconds};
    if (::setrlimit(RLIMIT_AS, &memory) != 0 || ::setrlimit(RLIMIT_CPU, &processor) != 0)
        log::warning("format", {{"state", "tried without limits"}, {"why", std::strerror(errno)}});
}

// Throws Fault.
std::shared_ptr<const Format> load(const Config& config, const std::string& path, const Fd& out,
                                   TrialAnswer& answer) {
    const auto processor_seconds = [began = std::clock()] {
        return static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
    };
    auto format = compile_format_file(path, catalog_of(config.formats));
    if (processor_seconds() > kCompileSeconds)
        throw Fault(fmt::format("{}:{}: takes {:.1f} s to be compiled, and may take {} s", path,
                                format->line, processor_seconds(), kCompileSeconds));
    answer.prefix = format->prefix;
    answer.line = static_cast<int>(format->line);
    tell(out, answer);
    run_format_once(*format);
    answer.has_run = true;
    tell(out, answer);
    return format;
}

void try_over_samples(const Config& config, const Format& format, int samples, const Fd& out,
                      TrialAnswer& answer) {
    Store store(store_options(config, "oai trial"));
    const std::vector<RecordBatch> batches = sample_records(store, samples);
    std::vector<std::int64_t> excluded;
    for (const ExcludedRecord& record : store.exclusions())
        if (record.prefix == format.prefix) excluded.push_back(record.seq);
    answer.samples = 0;
    for (const RecordBatch& batch : batches) answer.samples += batch.size();
    const std::string prefix = "oai:" + config.repository.identifier_namespace + ":";
    xml::SchemaFolder schemas(config.formats.directory + "/schema");
    const auto before_batch = [&](const RecordBatch& batch) {
        const auto name = [&](int i) { return identifier_text(prefix, batch.header(i).local_id); };
        answer.at = fmt::format("{} to {}", name(0), name(batch.size() - 1));
        tell(out, answer);
    };
    static_cast<Trial&>(answer) =
        try_format(format, batches, schemas, prefix, config.formats.compiled, before_batch,
                   excluded, {.base_url = config.repository.base_url});
}

}  // namespace

void answer_trial(const Config& config, const std::string& path, int samples) {
    confine(samples);
    xml::initialise();
    const Fd out(STDOUT_FILENO);
    TrialAnswer answer;
    try {
        const auto format = load(config, path, out, answer);
        try {
            if (samples > 0) try_over_samples(config, *format, samples, out, answer);
        } catch (const std::bad_alloc&) {
            throw;
        } catch (const std::exception& e) {
            answer.untried = e.what();
        }
    } catch (const Fault& e) {
        for (const std::string_view line : text::split(e.what(), '\n'))
            answer.faults.emplace_back(line);
    } catch (const std::bad_alloc&) {
        answer.faults = {fmt::format("{}:{}: needs too much memory", path, answer.line)};
    }
    answer.is_whole = true;
    tell(out, answer);
    std::_Exit(0);  // what libxml2 holds need not be freed
}

}  // namespace oai::command
