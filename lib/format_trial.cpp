// SPDX-License-Identifier: MIT
#include "format_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "identifier.h"
#include "record_writer.h"
#include "xml/document.h"

namespace oai {
namespace {

constexpr int kPlaces = 4;
constexpr std::chrono::milliseconds kRecordLimit{1000};
constexpr const char* kInstance = "http://www.w3.org/2001/XMLSchema-instance";

std::string_view view(const xmlChar* s) {
    return s == nullptr ? std::string_view() : std::string_view(reinterpret_cast<const char*>(s));
}

const xmlChar* name(const char* s) { return reinterpret_cast<const xmlChar*>(s); }

// Pairs of namespace and address (XML Schema 1, 4.3.2).
bool has_location(const xmlDoc* document, std::string_view name_space) {
    const xml::StringHandle value(
        xmlGetNsProp(xmlDocGetRootElement(document), name("schemaLocation"), name(kInstance)));
    std::vector<std::string_view> words;
    std::string blanks(view(value.get()));
    std::replace_if(blanks.begin(), blanks.end(), [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
    for (const std::string_view word : text::split(blanks, ' ')) {
        if (!word.empty()) words.push_back(word);
    }
    for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
        if (words[i] == name_space) return true;
    }
    return false;
}

class Run {
  public:
    Run(const Format& format, const xml::Schema* schema, std::string_view identifier_prefix,
        CompiledOptions options)
        : format_(format), schema_(schema), prefix_(identifier_prefix), options_(options) {}

    void over(const Slice& slice);
    Trial finish();

  private:
    void take_failure(const Slice& slice, const Dissemination::Failure& failure);
    void take_document(const Slice& slice, int i, std::string_view text);
    void fault(bool& seen, const Slice& slice, int i, std::string_view what);
    std::string identifier(const Slice& slice, int i) const {
        return identifier_text(prefix_, slice.header(i).local_id);
    }

    const Format& format_;
    const xml::Schema* const schema_;
    const std::string_view prefix_;
    const CompiledOptions options_;
    Trial trial_;
    bool odd_ = false, unlocated_ = false, invalid_ = false;
};

void Run::over(const Slice& slice) {
    const auto began = std::chrono::steady_clock::now();
    const Dissemination made = disseminate(format_, slice, prefix_, options_);
    trial_.spent += std::chrono::steady_clock::now() - began;
    for (int i = 0; i < slice.size(); ++i) {
        if (slice.header(i).deleted || !has_format(format_, slice, i)) continue;
        ++trial_.records;
        if (!made.of(i).empty()) take_document(slice, i, made.of(i));
    }
    for (const Dissemination::Failure& failure : made.failures) {
        if (has_format(format_, slice, failure.index)) take_failure(slice, failure);
    }
}

// A transform that fails, or yields nothing, is the record's fault: it asks for more than this record has. One that
// ends well and yields what metadata cannot be would do so again.
void Run::take_failure(const Slice& slice, const Dissemination::Failure& failure) {
    if (trial_.failed++ == 0) {
        trial_.first_failure = fmt::format("{}: {}", identifier(slice, failure.index), failure.why);
    }
    try {
        const RecordXml input = records_to_xml(slice, std::array{failure.index}, prefix_);
        if (input.slice_index.empty()) return;
        const xml::DocumentHandle result = format_.stylesheet.apply(input.document.get(), kRecordLimit);
        if (xmlDocGetRootElement(result.get()) != nullptr) fault(odd_, slice, failure.index, failure.why);
    } catch (const xml::Error&) {  // it says what disseminate() said
    }
}

void Run::take_document(const Slice& slice, int i, std::string_view text) {
    const xml::DocumentHandle document = xml::parse_memory(text, identifier(slice, i));
    if (!has_location(document.get(), format_.root_namespace)) {
        fault(unlocated_, slice, i,
              fmt::format("the root element has no xsi:schemaLocation for {}", format_.root_namespace));
    }
    if (schema_ == nullptr || invalid_) return;
    if (const std::string why = schema_->why_invalid(document.get()); !why.empty()) {
        fault(invalid_, slice, i, fmt::format("not valid by {}: {}", schema_->path(), why));
    }
}

void Run::fault(bool& seen, const Slice& slice, int i, std::string_view what) {
    if (!seen) {
        trial_.faults.push_back(fmt::format("{}:{}: {}: {}", format_.stylesheet.path(), format_.line,
                                            identifier(slice, i), what));
    }
    seen = true;
}

Trial Run::finish() {
    if (trial_.records > 0 && trial_.failed == trial_.records && trial_.faults.empty()) {
        trial_.faults.push_back(fmt::format("{}:{}: none of {} records can be disseminated; {}",
                                            format_.stylesheet.path(), format_.line, trial_.records,
                                            trial_.first_failure));
    }
    if (schema_ != nullptr) trial_.schema_file = schema_->path();
    return std::move(trial_);
}

}  // namespace

std::vector<Slice> sample_records(Store& store, int records) {
    std::vector<Slice> samples;
    const std::int64_t last = store.horizon().last_seq;
    ListQuery query;
    query.with_records = true;
    query.records = std::max(records / kPlaces, 1);
    for (int place = 0; place < kPlaces; ++place) {
        // The last place is the end of the list; where the list is short the places follow one another.
        const std::int64_t begin = std::max(std::int64_t{0}, last - query.records) * place / (kPlaces - 1);
        query.after = std::max(query.after.value_or(0), begin);
        Listing listing = store.list(query);
        for (Slice slice = listing.next(); slice.size() > 0; slice = listing.next()) {
            query.after = slice.header(slice.size() - 1).seq;
            samples.push_back(std::move(slice));
        }
    }
    return samples;
}

Trial try_format(const Format& format, const std::vector<Slice>& samples, xml::SchemaFolder& schemas,
                 std::string_view identifier_prefix, CompiledOptions options) {
    const xml::Schema* schema = nullptr;
    std::string schema_problem;
    try {
        schema = schemas.find(format.root_namespace, format.schema);
    } catch (const xml::Error& e) {
        schema_problem = e.what();
    }
    Run run(format, schema, identifier_prefix, options);
    for (const Slice& slice : samples) run.over(slice);
    Trial trial = run.finish();
    trial.schema_problem = std::move(schema_problem);
    return trial;
}

}  // namespace oai
