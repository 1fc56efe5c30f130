// SPDX-License-Identifier: MIT
// oai record IDENTIFIER: prints the input of stylesheets for one record, and the output of a format
// with its time, for authors of stylesheets.
#include <fmt/format.h>

#include <chrono>
#include <new>

#include "command/command.h"
#include "format/file.h"
#include "format/format.h"
#include "protocol/error.h"
#include "protocol/identifier.h"
#include "store/store.h"
#include "xml/document.h"
#include "xml/handle.h"

namespace oai::command {
namespace {

using std::chrono::duration;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kTiming{200};  // how long a transform is repeated to measure it
constexpr int kMaxTurns = 1000;
constexpr milliseconds kLimit{1000};  // for an adapter

struct RecordOptions {
    std::string identifier, format;
    bool input = false;
};

RecordOptions read_record_options(const Invocation& invocation) {
    RecordOptions options;
    parse(invocation,
          "Shows what the stylesheets of formats see of a record, or what one makes of it.",
          {{"identifier", &options.identifier, "its OAI identifier, or its local_id", kRequired},
           {"--format", &options.format, "the output of this format: a metadataPrefix, or a file"},
           {"--input", &options.input, "the input of the format's stylesheet, instead",
            needs("--format")}});
    return options;
}

std::string local_id_of(const std::string& identifier, const std::string& prefix) {
    return identifier.starts_with("oai:") || identifier.find("://") != identifier.npos
               ? local_id_in(prefix, identifier)
               : identifier;
}

// Finds a format by prefix in the formats directory, or by the path of a file anywhere.
std::shared_ptr<const Format> find_format(const Config::Formats& formats, const std::string& name) {
    if (name.ends_with(".xsl") || is_descriptor(name))
        return compile_format_file(name, catalog_of(formats));
    std::string faults;
    for (const std::string& path : format_files_of(formats.directory)) try {
            auto format = compile_format_file(path, catalog_of(formats));
            if (is_named(*format, name)) return format;
        } catch (const Fault& e) {
            faults += fmt::format("\n{}", e.what());
        }
    throw Fault(fmt::format("{}: no format of that name in {}{}", name, formats.directory, faults));
}

// Measures dissemination as in a server that has compared the stylesheet already.
double microseconds(const Format& format, const RecordBatch& batch, const std::string& prefix,
                    const CompiledOptions& options, const TransformContext& surroundings) {
    const auto began = steady_clock::now();
    int turns = 0;
    do disseminate(format, batch, prefix, options, surroundings);
    while (++turns < kMaxTurns && steady_clock::now() - began < kTiming);
    return duration<double, std::micro>(steady_clock::now() - began).count() / turns;
}

int show_metadata(const Config& config, const Format& format, const RecordBatch& batch,
                  const std::string& prefix, const TransformContext& surroundings) {
    CompiledOptions options{.compiled = config.formats.compiled, .check_every = 1};
    const RenderedRecords made = disseminate(format, batch, prefix, options, surroundings);
    if (!made.failures.empty())
        throw Fault(fmt::format("{}:{}: {}", format.path, format.line, made.failures[0].why));
    fmt::print("{}\n", made.of(0));
    options.check_every = 0;
    fmt::print(stderr, "{:.1f} us, {}\n",
               microseconds(format, batch, prefix, options, surroundings),
               execution_of(format, config.formats.compiled));
    return kFine;
}

// Prints the document, indented where that does not change text.
void print_document(xmlDoc* document) {
    xmlChar* text = nullptr;
    int bytes = 0;
    xmlDocDumpFormatMemoryEnc(document, &text, &bytes, "UTF-8", 1);
    const xml::StringHandle owned(text);
    if (!owned) throw std::bad_alloc();
    fmt::print("{}", xml::view(text));
}

void print_input(const Format& format, const RecordBatch& batch, const std::string& prefix,
                 const TransformContext& surroundings) try {
    RecordXml record =
        records_to_xml(batch, live_records(batch), prefix, format.compiled->stylesheet_columns(),
                       format.requires_columns);
    if (!record.failures.empty()) throw xml::Error(record.failures.front().why);
    if (!format.input) {
        remove_marks(record.document.get());
        return print_document(record.document.get());
    }
    Input::Variables variables{std::string(surroundings.base_url), ""};
    for (const int id : batch.header(0).set_ids)
        variables.sets.append(variables.sets.empty() ? "" : " ").append(batch.set_spec(id));
    print_document(format.input->input_document(std::move(record), kLimit, variables).get());
} catch (const xml::Error& e) {
    throw Fault(fmt::format("{}:{}: {}", format.path, format.line, e.what()));
}

}  // namespace

int command_record(const Invocation& invocation) {
    const RecordOptions options = read_record_options(invocation);
    const Config config = configuration(invocation);
    xml::initialise();
    const std::string prefix = "oai:" + config.repository.identifier_namespace + ":";
    Store store(store_options(config, "oai record"));
    const RecordBatch batch = store.get(local_id_of(options.identifier, prefix)).batch;
    if (batch.size() == 0 || batch.header(0).deleted)
        throw Fault(fmt::format("{}: {}", options.identifier,
                                batch.size() == 0 ? "no such record is published"
                                                  : "is deleted, so there is no metadata"));
    if (options.format.empty()) {
        const RecordXml record = records_to_xml(batch, live_records(batch), prefix);
        if (!record.failures.empty()) throw Fault(record.failures.front().why);
        remove_marks(record.document.get());
        print_document(record.document.get());
        return kFine;
    }
    const auto format = find_format(config.formats, options.format);
    const TransformContext surroundings{.base_url = config.repository.base_url};
    if (!options.input) return show_metadata(config, *format, batch, prefix, surroundings);
    print_input(*format, batch, prefix, surroundings);
    return kFine;
}

}  // namespace oai::command
