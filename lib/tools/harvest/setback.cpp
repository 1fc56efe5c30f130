// SPDX-License-Identifier: MIT
// Whether a repository still has what it has had.
#include <algorithm>

#include "protocol/datestamp.h"
#include "tools/harvest/harvest.h"
#include "tools/harvest/provider.h"

namespace oai::harvest {
namespace {

constexpr int kProbeTries = 2;

bool has_code(const ParsedAnswer& answer, std::string_view code) {
    return std::any_of(
        answer.errors.begin(), answer.errors.end(),
        [&](const OaiError& e) { return e.code == code; });
}

ParsedAnswer get_record(Provider& provider, const KnownRecord& record) {
    return provider.ask({{"verb", "GetRecord"},
                         {"identifier", record.identifier},
                         {"metadataPrefix", record.prefix}},
                        kProbeTries);
}

bool is_older(const std::string& datestamp, const std::string& known) {
    const auto is = parse_datestamp(datestamp), was = parse_datestamp(known);
    return is && was && is->last() < was->first;
}

// What speaks for a setback in the answer of GetRecord; "" nothing does.
std::string suspicion(const ParsedAnswer& answer, const KnownRecord& known) {
    const std::string record = known.identifier + " of " + known.datestamp;
    if (has_code(answer, "idDoesNotExist")) return record + " is not there any more";
    for (const Record& found : answer.records)
        if (found.identifier == known.identifier && is_older(found.datestamp, known.datestamp))
            return record + " has the earlier datestamp " + found.datestamp + " there";
    return "";
}

// Whether GetRecord has the first record of the list that is not deleted, as the list has it. An
// empty list agrees with every answer.
bool agrees_with_list(Provider& provider, const std::string& prefix) {
    const ParsedAnswer list =
        provider.ask({{"verb", "ListRecords"}, {"metadataPrefix", prefix}}, kProbeTries);
    if (list.verb.empty()) return has_code(list, "noRecordsMatch");
    for (const Record& listed : list.records) {
        if (listed.deleted) continue;
        const ParsedAnswer answer =
            get_record(provider, {prefix, listed.identifier, listed.datestamp});
        return std::any_of(answer.records.begin(), answer.records.end(), [&](const Record& r) {
            return r.identifier == listed.identifier && r.datestamp == listed.datestamp;
        });
    }
    return false;
}

}  // namespace

std::string find_setback(http::Client& client, const std::string& url,
                         const RetryLimits& retry_limits, HarvestListener& listener,
                         const KnownRecord& known, const std::string& deleted_record) {
    Provider provider(client, url, retry_limits, listener);
    const ParsedAnswer answer = get_record(provider, known);
    if (deleted_record == "no" && has_code(answer, "idDoesNotExist")) return "";
    const std::string why = suspicion(answer, known);
    return why.empty() || !agrees_with_list(provider, known.prefix) ? "" : why;
}

}  // namespace oai::harvest
