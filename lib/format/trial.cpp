// SPDX-License-Identifier: MIT
#include "format/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "base/clock.h"
#include "format/format.h"
#include "format/sample_digests.h"
#include "protocol/identifier.h"
#include "xml/document.h"
#include "xml/handle.h"

namespace oai {
namespace {

using xml::view;
using xml::xml_chars;

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

// Disseminates the sample records in one format and collects what is wrong.
class FormatTester {
  public:
    FormatTester(const Format& format, const xml::Schema* schema,
                 std::string_view identifier_prefix, CompiledOptions options,
                 const std::vector<std::int64_t>& excluded, const Surroundings& surroundings)
        : format_(format),
          schema_(schema),
          prefix_(identifier_prefix),
          options_(options),
          excluded_(excluded),
          surroundings_(surroundings) {}

    void test(const RecordBatch& batch);
    Trial trial() && {
        trial_.made = made_.text();
        return std::move(trial_);
    }

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
    const std::vector<std::int64_t>& excluded_;
    const Surroundings& surroundings_;
    Trial trial_;
    SampleDigests made_;
    // Which kinds of faults are known; each is reported once.
    bool has_wrong_root_ = false, lacks_location_ = false, is_invalid_ = false;
};

void FormatTester::test(const RecordBatch& batch) {
    const RenderedRecords rendered = measure(trial_.spent, [&] {
        return disseminate(format_, batch, prefix_, options_, surroundings_);
    });
    trial_.spent -= rendered.comparing;
    trial_.differs = trial_.differs || rendered.difference;
    trial_.depends = trial_.depends || rendered.depends;
    for (int i = 0; i < batch.size(); ++i) {
        if (batch.header(i).deleted || !has_format(format_, batch, i)) continue;
        ++trial_.records;
        if (rendered.of(i).empty()) continue;
        made_.add(batch.header(i).seq, rendered.of(i));
        if (!format_.yields_many()) check_document(batch, i, rendered.of(i));
    }
    // If the transform fails or yields nothing, the record is at fault: it lacks something that the
    // stylesheet needs. If it yields something else than metadata, the stylesheet is at fault.
    for (const auto& [i, why, has_output] : rendered.failures) {
        if (!has_format(format_, batch, i)) continue;
        if (std::find(excluded_.begin(), excluded_.end(), batch.header(i).seq) != excluded_.end())
            continue;
        if (trial_.failed++ == 0)
            trial_.first_failure = fmt::format("{}: {}", identifier(batch, i), why);
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
    trial_.faults.push_back(
        fmt::format("{}:{}: {}: {}", format_.path, format_.line, identifier(batch, i), what));
}

// A column that the stylesheet shall be given, and that no record can ever have: its name is wrong.
std::string lacking_input(const Format& format, const std::vector<RecordBatch>& samples) {
    if (!format.input || format.input->column.empty() || samples.empty()) return "";
    std::string names;
    for (int i = 0; i < samples.front().columns(); ++i) {
        const std::string& name = samples.front().column(i).shown_name;
        if (name == format.input->column) return "";
        names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
    }
    return fmt::format("input=\"{}\": records have no such column, but {}", format.input->column,
                       names);
}

}  // namespace

std::vector<RecordBatch> sample_records(Store& store, int records) {
    std::vector<RecordBatch> samples;
    const std::int64_t last = store.horizon().last_seq;
    ListQuery query;
    query.with_records = true;
    query.records = std::max(records / kSamples, 1);
    for (int sample = 0; sample < kSamples; ++sample) {
        // The last sample ends at the end of the list. In a short list each sample begins where the
        // one before it ended.
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
                 const std::vector<std::int64_t>& excluded, const Surroundings& surroundings) {
    const xml::Schema* schema = nullptr;
    std::string schema_problem;
    try {
        if (!format.yields_many()) schema = schemas.find(format.root_namespace, format.schema);
    } catch (const xml::Error& e) {
        schema_problem = e.what();
    }
    FormatTester tester(format, schema, identifier_prefix, {.compiled = compiled, .check_every = 1},
                        excluded, surroundings);
    for (const RecordBatch& batch : samples) {
        if (before_batch) before_batch(batch);
        tester.test(batch);
    }
    Trial trial = std::move(tester).trial();
    if (const std::string why = lacking_input(format, samples); !why.empty())
        trial.faults.push_back(fmt::format("{}:{}: {}", format.path, format.line, why));
    if (trial.records > 0 && trial.failed == trial.records && trial.faults.empty())
        trial.faults.push_back(fmt::format("{}:{}: none of {} records can be disseminated; {}",
                                           format.path, format.line, trial.records,
                                           trial.first_failure));
    if (schema != nullptr) trial.schema_file = schema->path();
    trial.schema_problem = std::move(schema_problem);
    return trial;
}

}  // namespace oai
