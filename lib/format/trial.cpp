// SPDX-License-Identifier: MIT
#include "format/trial.h"

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
#include <sstream>
#include <utility>

#include "base/clock.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/text.h"
#include "format/file.h"
#include "format/watch.h"
#include "protocol/error.h"
#include "protocol/identifier.h"
#include "xml/document.h"
#include "xml/handle.h"

namespace oai {
namespace {

using xml::view;
using xml::xml_chars;

constexpr std::chrono::milliseconds kRunLimit{2000};  // for a record without columns
constexpr int kSamples = 4;  // stretches of the list that sample records are taken from
constexpr const char* kInstance = "http://www.w3.org/2001/XMLSchema-instance";

// Whether xsi:schemaLocation of the root element, a list of pairs of namespace and address (XML
// Schema 1, 4.3.2), has the namespace.
bool has_location(const xmlDoc* document, std::string_view name_space) {
    const xml::StringHandle value(xmlGetNsProp(xmlDocGetRootElement(document),
                                               xml_chars("schemaLocation"), xml_chars(kInstance)));
    std::istringstream words{std::string(view(value.get()))};
    for (std::string first, second; words >> first >> second;)
        if (first == name_space) return true;
    return false;
}

// A message of a stylesheet may be long and have several lines.
std::string one_line(std::string_view text) {
    constexpr std::size_t kMaxBytes = 4000;
    std::string line(text::utf8_prefix(text, kMaxBytes));
    std::replace(line.begin(), line.end(), '\n', ' ');
    return line;
}

// Disseminates the sample records in one format and collects faults.
class FormatTester {
  public:
    FormatTester(const Format& format, const xml::Schema* schema,
                 std::string_view identifier_prefix, CompiledOptions options,
                 const TransformContext& surroundings)
        : format_(format),
          schema_(schema),
          prefix_(identifier_prefix),
          options_(options),
          surroundings_(surroundings) {}

    void test(const RecordBatch& batch);
    Trial trial() && { return std::move(trial_); }

  private:
    void check_document(const RecordBatch& batch, int i, std::string_view text);
    void add_fault(bool& is_known, const RecordBatch& batch, int i, std::string_view what);
    std::string identifier(const RecordBatch& batch, int i) const {
        return identifier_text(prefix_, batch.header(i).local_id);
    }

    const Format& format_;
    const xml::Schema* const schema_;
    const std::string_view prefix_;
    const CompiledOptions options_;
    const TransformContext& surroundings_;
    Trial trial_;
    // The kinds of faults found so far; each is reported once.
    bool has_wrong_root_ = false, lacks_location_ = false, is_invalid_ = false;
};

void FormatTester::test(const RecordBatch& batch) {
    std::chrono::nanoseconds spent{};
    const RenderedRecords rendered = measure(
        spent, [&] { return disseminate(format_, batch, prefix_, options_, surroundings_); });
    trial_.spent_microseconds +=
        std::chrono::duration<double, std::micro>(spent - rendered.comparing).count();
    trial_.differs = trial_.differs || rendered.difference;
    for (int i = 0; i < batch.size(); ++i) {
        if (batch.header(i).deleted || !has_format(format_, batch, i)) continue;
        ++trial_.records;
        if (rendered.of(i).empty()) continue;
        if (!format_.yields_many()) check_document(batch, i, rendered.of(i));
    }
    // If the transform fails or yields nothing, the record is at fault: it lacks something that the
    // stylesheet needs. If it yields something else than metadata, the stylesheet is at fault.
    for (const auto& [i, why, has_output] : rendered.failures) {
        if (!has_format(format_, batch, i)) continue;
        if (trial_.failed++ == 0)
            trial_.first_failure = fmt::format("{}: {}", identifier(batch, i), one_line(why));
        if (has_output) add_fault(has_wrong_root_, batch, i, why);
    }
}

void FormatTester::check_document(const RecordBatch& batch, int i, std::string_view text) {
    const xml::DocumentHandle document = xml::parse_memory(text, identifier(batch, i));
    if (!format_.unchanged && !has_location(document.get(), format_.root_namespace))
        add_fault(lacks_location_, batch, i,
                  fmt::format("the root element has no xsi:schemaLocation for {}",
                              format_.root_namespace));
    if (schema_ == nullptr || is_invalid_) return;
    if (const std::string why = schema_->why_invalid(document.get()); !why.empty())
        add_fault(is_invalid_, batch, i, fmt::format("not valid by {}: {}", schema_->path(), why));
}

void FormatTester::add_fault(bool& is_known, const RecordBatch& batch, int i,
                             std::string_view what) {
    if (std::exchange(is_known, true)) return;
    trial_.faults.push_back(fmt::format("{}:{}: {}: {}", format_.path, format_.line,
                                        identifier(batch, i), one_line(what)));
}

// Returns a message if the input column does not exist, else "".
std::string missing_input(const Format& format, const std::vector<RecordBatch>& samples) {
    if (!format.input || format.input->column.empty() || samples.empty()) return "";
    std::string names;
    for (int i = 0; i < samples.front().columns(); ++i) {
        const std::string& name = samples.front().column(i).xml_name;
        if (name == format.input->column) return "";
        names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
    }
    return fmt::format("input=\"{}\": records have no such column, but {}", format.input->column,
                       names);
}

}  // namespace

void run_format_once(const Format& format) {
    if (format.input) return;
    Problems problems(format.path);
    const xml::DocumentHandle source = xml::parse_memory(
        "<records><record id=\"1\" identifier=\"oai:example.org:1\" "
        "datestamp=\"2002-06-01T00:00:00Z\"/></records>",
        "sample record");
    try {
        const xml::DocumentHandle result = format.stylesheet.apply(source.get(), kRunLimit);
        const std::string root = xml::root_namespace(result.get());
        if (xmlDocGetRootElement(result.get()) == nullptr || format.yields_many() ||
            root == format.root_namespace)
            return;
        problems.add(format.line,
                     fmt::format("yields {{{}}}{}, which is not in the namespace {}", root,
                                 xml::root_name(result.get()), format.root_namespace));
    } catch (const xml::Error& e) {
        std::string said = e.what();
        said.insert(std::min(said.find('\n'), said.size()), " (for a record without columns)");
        problems.add_all(format.line, said);
    }
    throw Fault(problems.text());
}

std::shared_ptr<const Format> read_format_file(const std::string& path,
                                               const std::string& catalog) {
    auto format = compile_format_file(path, catalog);
    run_format_once(*format);
    return format;
}

FormatRegistry read_formats(const std::string& directory, const std::string& catalog) {
    const FormatDirectory all(
        directory, std::chrono::milliseconds{0},
        [&](const std::string& path) { return read_format_file(path, catalog); });
    const std::vector<std::string> faults = all.faults();
    if (!faults.empty()) throw Fault(fmt::format("{}", fmt::join(faults, "\n")));
    return *all.registry();
}

std::vector<RecordBatch> sample_records(Store& store, int records) {
    std::vector<RecordBatch> samples;
    const std::int64_t last = store.horizon().last_seq;
    ListQuery query;
    query.with_records = true;
    query.records = std::max(records / kSamples, 1);
    for (int sample = 0; sample < kSamples; ++sample) {
        // The last sample ends where the list ends; in a short list they touch.
        const std::int64_t begin =
            std::max(std::int64_t{0}, last - query.records) * sample / (kSamples - 1);
        query.after = std::max(query.after.value_or(0), begin);
        RecordCursor cursor = store.list(query);
        for (RecordBatch batch = cursor.next(); batch.size() > 0; batch = cursor.next()) {
            query.after = batch.header(batch.size() - 1).seq;
            samples.push_back(std::move(batch));
        }
    }
    return samples;
}

Trial try_format(const Format& format, const std::vector<RecordBatch>& samples,
                 xml::SchemaFolder& schemas, std::string_view identifier_prefix, bool compiled,
                 const std::function<void(const RecordBatch&)>& before_batch,
                 const TransformContext& surroundings) {
    const xml::Schema* schema = nullptr;
    std::string schema_problem;
    try {
        if (!format.yields_many()) schema = schemas.find(format.root_namespace, format.schema);
    } catch (const xml::Error& e) {
        schema_problem = e.what();
    }
    FormatTester tester(format, schema, identifier_prefix, {.compiled = compiled, .check_every = 1},
                        surroundings);
    for (const RecordBatch& batch : samples) {
        if (before_batch) before_batch(batch);
        tester.test(batch);
    }
    Trial trial = std::move(tester).trial();
    if (const std::string why = missing_input(format, samples); !why.empty())
        trial.faults.push_back(fmt::format("{}:{}: {}", format.path, format.line, why));
    if (trial.records > 0 && trial.failed == trial.records && trial.faults.empty())
        trial.faults.push_back(fmt::format("{}:{}: none of {} records can be disseminated; {}",
                                           format.path, format.line, trial.records,
                                           trial.first_failure));
    if (schema != nullptr) trial.schema_file = schema->path();
    trial.schema_problem = std::move(schema_problem);
    return trial;
}

namespace {

// In addition to what the program uses at its start. A transform may use half of it
// (transform/sandbox.cpp).
constexpr rlim_t kMemory = 1U << 30U;
constexpr rlim_t kMemoryPerSample = 1U << 16U;
// The server compiles the file again in its own process, where compiling cannot be interrupted.
constexpr int kCompileSeconds = 1;
// OAI-PMH 2.0, 3.4.
constexpr char kDublinCoreNamespace[] = "http://www.openarchives.org/OAI/2.0/oai_dc/";
constexpr char kDublinCoreSchema[] = "http://www.openarchives.org/OAI/2.0/oai_dc.xsd";

// Writes the answer as known so far, with the step that begins now.
void write_answer(const Fd& out, TrialAnswer& answer, std::string step) {
    answer.step = std::move(step);
    if (!write_all(out, line_of(answer))) std::_Exit(1);  // the parent process has ended
}

// Limits this process, since the parent, which has a deadline, may be stopped or end first.
void limit_process(int samples) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    pollfd parent{STDOUT_FILENO, 0, 0};
    if (::poll(&parent, 1, 0) != 0) std::_Exit(1);  // it ended before that
    ::prctl(PR_SET_NAME, "oai-trial");
    // systemd signals all processes of a service; the server ends this one when it stops itself.
    for (const int signal : {SIGTERM, SIGINT, SIGUSR1, SIGHUP}) std::signal(signal, SIG_IGN);
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t bytes = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + kMemory +
                         static_cast<rlim_t>(samples) * kMemoryPerSample;
    const auto seconds = static_cast<rlim_t>(trial_limit(samples).count());
    const rlimit memory{bytes, bytes}, processor{seconds, seconds + 1};
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
    if (format->prefix == "oai_dc" &&
        (format->metadata_namespace != kDublinCoreNamespace || format->schema != kDublinCoreSchema))
        throw Fault(
            fmt::format("{}:{}: OAI-PMH gives oai_dc the namespace {} and the schema {}; "
                        "what differs is another format, with a prefix of its own",
                        path, format->line, kDublinCoreNamespace, kDublinCoreSchema));
    answer.prefix = format->prefix;
    answer.line = static_cast<int>(format->line);
    write_answer(out, answer, "for a record without columns");
    run_format_once(*format);
    answer.has_run = true;
    write_answer(out, answer, "");
    return format;
}

void try_over_samples(const Config& config, const Format& format, int samples, const Fd& out,
                      TrialAnswer& answer) {
    Store store(store_options(config, "oai trial"));
    const std::vector<RecordBatch> batches = sample_records(store, samples);
    int count = 0;
    for (const RecordBatch& batch : batches) count += batch.size();
    const std::string prefix = "oai:" + config.repository.identifier_namespace + ":";
    xml::SchemaFolder schemas(config.formats.directory + "/schema");
    const auto before_batch = [&](const RecordBatch& batch) {
        const auto name = [&](int i) { return identifier_text(prefix, batch.header(i).local_id); };
        write_answer(out, answer,
                     fmt::format("for {} sample records, and was at those from {} to {}", count,
                                 name(0), name(batch.size() - 1)));
    };
    static_cast<Trial&>(answer) =
        try_format(format, batches, schemas, prefix, config.formats.compiled, before_batch,
                   {.base_url = config.repository.base_url});
}

}  // namespace

void answer_trial(const Config& config, const std::string& path, int samples) {
    limit_process(samples);
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
    write_answer(out, answer, "");
    std::_Exit(0);  // what libxml2 holds need not be freed
}

}  // namespace oai
