// SPDX-License-Identifier: MIT
// Parts that several pages share.
#include <fmt/format.h>

#include <algorithm>

#include "browse/markup.h"
#include "browse/pages.h"
#include "browse/scale.h"
#include "protocol/record.h"
#include "protocol/repository.h"

namespace oai {
namespace {

constexpr int kMaxBins = 32;

// Scales the estimated bins so that all bins together give the total.
void scale_estimates(std::vector<Bin>& bins, std::int64_t total) {
    std::int64_t counted = 0, estimated = 0;
    for (const Bin& bin : bins) (bin.exact ? counted : estimated) += bin.records;
    if (total < counted || estimated == 0) return;
    for (Bin& bin : bins)
        if (!bin.exact)
            bin.records = static_cast<std::int64_t>(static_cast<double>(bin.records) *
                                                    static_cast<double>(total - counted) /
                                                    static_cast<double>(estimated));
}

// In a format with `since`, no record has an earlier datestamp: moves the counts of earlier bins to
// the bin of `since`.
void apply_since(std::vector<Bin>& bins, const std::vector<Seconds>& bounds, Seconds since) {
    Bin moved;
    for (std::size_t i = 0; i < bins.size(); ++i) {
        if (bounds[i] >= since) break;
        moved.records += std::exchange(bins[i].records, 0);
        moved.exact = moved.exact && bins[i].exact;
        if (bounds[i + 1] > since) bins[i] = moved;
    }
}

// A datestamp cut to the length by which bins differ, as people write it.
std::string bin_label(Seconds begin, int bytes) {
    constexpr int kHour = 13, kSecond = 20;
    std::string label = print_datestamp(begin).substr(0, static_cast<std::size_t>(bytes));
    if (bytes == kHour) label += ":00";
    if (bytes == kSecond) label.pop_back();  // Z
    std::replace(label.begin(), label.end(), 'T', ' ');
    return label;
}

void append_bins(std::string& out, std::int64_t largest, const Scale& scale,
                 const std::vector<Seconds>& bounds, const std::vector<Bin>& bins) {
    markup::open(out, "histogram");
    for (const std::int64_t tick : even_ticks(largest))
        markup::empty(out, "tick", {{"records", tick}});
    for (std::size_t i = 0; i < bins.size(); ++i)
        markup::empty(out, "bin",
                      {{"place", static_cast<std::int64_t>(i)},
                       {"from", print_datestamp(bounds[i])},
                       {"until", print_datestamp(bounds[i + 1] - std::chrono::seconds{1})},
                       {"label", bin_label(scale.bounds[i], scale.label_bytes)},
                       {"records", bins[i].records},
                       {"about", !bins[i].exact}});
    markup::close(out, "histogram");
}

}  // namespace

void append_errors(std::string& out, const OaiErrors& errors) {
    for (const OaiError& error : errors) {
        const auto value = [&](std::size_t i) {
            return i < error.values.size() ? std::string_view(error.values[i]) : "";
        };
        markup::empty(out, "error",
                      {{"code", error_code_text(error.code)},
                       {"kind", error.kind},
                       {"one", value(0)},
                       {"two", value(1)},
                       {"message", error.message}});
    }
}

ParsedArguments parse(const PageQuestion& question, const Request& request) {
    const Context& context = question.context;
    return parse_arguments(request, {&context.sealer, context.clock.now(),
                                     context.repository.lists.token_lifetime_seconds});
}

PageContent missing_page() { return {.kind = "missing", .status = 404}; }

PageContent refused_page(const OaiErrors& errors) {
    PageContent page{.kind = "refused", .status = 400};
    append_errors(page.xml, errors);
    return page;
}

void append_identify(std::string& out, const PageQuestion& question) {
    out += markup::without_declaration(verb_identify(question.context, {}).document);
}

RecordWriter::Outcome append_records(std::string& out, const PageQuestion& question, Verb verb,
                                     const Format& format, const RecordBatch& batch,
                                     const Horizon& horizon) {
    const Context& context = question.context;
    Envelope answer(response_date(horizon), context.repository.facts.base_url, {});
    answer.open(verb);
    RecordWriter writer(context, format, true);
    writer.begin(batch, since_of(format, horizon));
    auto outcome = RecordWriter::Outcome::left_out;
    for (int i = 0; i < batch.size(); ++i) outcome = writer.write(answer, i);
    question.stats.add(writer.stats());
    answer.close(verb);
    out += markup::without_declaration(answer.finish());
    return outcome;
}

void append_formats(std::string& out, const PageQuestion& question) {
    markup::open(out, "formats");
    for (const auto& format : question.context.formats->formats()) {
        if (!format->visible) continue;
        markup::empty(out, "format",
                      {{"prefix", format->prefix},
                       {"aliases", fmt::format("{}", fmt::join(format->aliases, ", "))},
                       {"schema", format->schema},
                       {"namespace", format->metadata_namespace},
                       {"requires", fmt::format("{}", fmt::join(format->requires_columns, ", "))},
                       {"since", print_datestamp(format->since)}});
    }
    markup::close(out, "formats");
}

void append_sets(std::string& out, std::string_view name, const std::vector<SetNode>& sets) {
    markup::open(out, name);
    for (const SetNode& set : sets) {
        markup::open(out, "set",
                     {{"spec", set.spec},
                      {"name", set.name},
                      {"records", set.items},
                      {"opens", set.has_children}});
        try {
            out += set_description(set.description, set.spec);
        } catch (const xml::Error&) {  // the answer to ListSets reports it
        }
        markup::close(out, "set");
    }
    markup::close(out, name);
}

void append_histogram(std::string& out, const PageQuestion& question, const Horizon& horizon,
                      const HistogramQuestion& histogram) {
    if (histogram.last < histogram.first) return;
    const Scale scale = make_scale(histogram.first, histogram.last, kMaxBins);
    // The requested time may begin and end within a step of the scale.
    std::vector<Seconds> bounds = scale.bounds;
    bounds.front() = std::max(bounds.front(), histogram.first);
    if (histogram.until)
        bounds.back() = std::min(bounds.back(), *histogram.until + std::chrono::seconds{1});
    std::vector<Bin> bins = question.histograms.get(horizon, histogram.set, bounds, [&] {
        return question.queries.histogram(histogram.set, bounds);
    });
    if (histogram.known_total >= 0) scale_estimates(bins, histogram.known_total);
    if (histogram.since) apply_since(bins, bounds, *histogram.since);
    std::int64_t largest = 0;
    for (const Bin& bin : bins) largest = std::max(largest, bin.records);
    if (largest > 0) append_bins(out, largest, scale, bounds, bins);
}

}  // namespace oai
