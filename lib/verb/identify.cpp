// SPDX-License-Identifier: MIT
// Identify (OAI-PMH 2.0, 4.2): made from the configuration and the last known horizon. Never waits
// for the database.
#include <algorithm>

#include "verb/handler.h"

namespace oai {

namespace {

// In the order of DeletedRecord.
constexpr std::string_view kDeletedRecord[] = {"no", "transient", "persistent"};

}  // namespace

VerbResult identify(const Context& context, const ParsedArguments& parsed) {
    const Config::Repository& facts = context.repository.facts;
    // If the database has not been reached since the start, uses 1970 for both dates: a
    // responseDate that is too early is safe, since a harvester that continues from it misses
    // nothing.
    const Horizon horizon = context.latest.get_if_any().value_or(
        Horizon{.h = Seconds{} - std::chrono::seconds{1}, .earliest = Seconds{}});
    Envelope out(response_date(horizon), facts.base_url, parsed.echo);
    out.open(Verb::identify);  // elements in the order of OAI-PMH.xsd
    out.element("repositoryName", facts.name);
    out.element("baseURL", facts.base_url);
    out.element("protocolVersion", "2.0");
    for (const std::string& email : facts.admin_email) out.element("adminEmail", email);
    Seconds earliest = horizon.earliest ? *horizon.earliest : context.earliest_datestamp();
    // The configured value can only make it earlier, since no datestamp may be before it (4.2).
    if (facts.earliest_datestamp) earliest = std::min(*facts.earliest_datestamp, earliest);
    out.element("earliestDatestamp", print_datestamp(earliest));
    out.element("deletedRecord", kDeletedRecord[static_cast<std::size_t>(facts.deleted_record)]);
    out.element("granularity", "YYYY-MM-DDThh:mm:ssZ");
    if (facts.compression) out.element("compression", "gzip");
    for (const std::string& description : context.repository.descriptions) {
        out.body() += "<description>";
        out.body() += description;
        out.body() += "</description>\n";
    }
    out.close(Verb::identify);
    return {.horizon = horizon, .document = out.finish()};
}

}  // namespace oai
