// SPDX-License-Identifier: MIT
// The answer to Identify (OAI-PMH 2.0, 4.2), and whether the repository is as it says.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "protocol/record.h"
#include "tools/validate/check_parts.h"

namespace oai::validate {
namespace {

// A rule about Identify: `judge` returns what is wrong, or "".
template <auto judge>
Finding of_identify(const Answer& answer, const Facts& facts) {
    if (!answer.identification) return not_applicable();
    std::string why = judge(*answer.identification, facts);
    return why.empty() ? fine() : wrong(std::move(why), answer);
}

std::string name(const Identification& said, const Facts&) {
    return said.name.empty() ? "repositoryName is empty" : "";
}

std::string base_url(const Identification& said, const Facts& facts) {
    return said.base_url == facts.base_url
               ? ""
               : "baseURL is " + said.base_url + ", and asked was " + facts.base_url;
}

std::string plain_url(const Identification& said, const Facts&) {
    const std::string lower = text::lower_ascii(said.base_url);  // RFC 3986, 3.1
    if (!lower.starts_with("http://") && !lower.starts_with("https://"))
        return "baseURL is no address of http or https: " + said.base_url;
    return said.base_url.find_first_of("?#") == std::string::npos
               ? ""
               : "baseURL has a query or a fragment: " + said.base_url;
}

std::string protocol(const Identification& said, const Facts&) {
    return said.protocol == "2.0" ? "" : "protocolVersion is \"" + said.protocol + "\"";
}

// Whether it is the address of a mailbox at a host that may be on the internet.
bool is_address(std::string_view email) {
    const std::size_t at = email.find('@');
    if (at == 0 || at == std::string_view::npos ||
        email.find_first_of(" \t\r\n:<>,;") != std::string_view::npos)
        return false;
    const std::string_view host = email.substr(at + 1);
    return host.find('@') == std::string_view::npos && host.find('.') != std::string_view::npos &&
           !host.starts_with('.') && !host.ends_with('.') && !host.ends_with(".localdomain");
}

std::string emails(const Identification& said, const Facts&) {
    if (said.emails.empty()) return "there is no adminEmail";
    const auto bad = std::find_if(said.emails.begin(), said.emails.end(),
                                  [](const auto& e) { return !is_address(e); });
    return bad == said.emails.end() ? "" : "adminEmail \"" + *bad + "\" is no address of a mailbox";
}

std::string granularity(const Identification& said, const Facts&) {
    if (said.granularity == "YYYY-MM-DD" || said.granularity == "YYYY-MM-DDThh:mm:ssZ") return "";
    return "granularity is \"" + said.granularity + "\"";
}

std::string earliest_form(const Identification& said, const Facts&) {
    const auto date = parse_datestamp(said.earliest);
    if (!date) return "earliestDatestamp \"" + said.earliest + "\" is no UTCdatetime";
    const bool in_days = date->granularity == Granularity::day;
    return in_days == (said.granularity == "YYYY-MM-DD")
               ? ""
               : "earliestDatestamp " + said.earliest + " has not the granularity " +
                     said.granularity;
}

std::string earliest_plausible(const Identification& said, const Facts& facts) {
    const auto date = parse_datestamp(said.earliest);
    const auto oldest = parse_datestamp("1990-01-01");
    if (!date ||
        (date->first >= oldest->first && date->first <= facts.now + std::chrono::hours{24}))
        return "";
    return "earliestDatestamp is " + said.earliest +
           ": harvesters that walk through time begin there";
}

std::string deleted_record(const Identification& said, const Facts&) {
    const std::string& value = said.deleted_record;
    return value == "no" || value == "transient" || value == "persistent"
               ? ""
               : "deletedRecord is \"" + value + "\"";
}

std::string keeps_deletions(const Identification& said, const Facts&) {
    return said.deleted_record == "no"
               ? "deletedRecord is no: whoever harvested a record never hears that it is gone"
               : "";
}

std::string compression(const Identification& said, const Facts&) {
    const auto idle = std::find_if(said.compressions.begin(), said.compressions.end(),
                                   [](const auto& c) { return c.empty() || c == "identity"; });
    return idle == said.compressions.end() ? "" : "compression \"" + *idle + "\" need not be said";
}

std::string schema_locations(const Identification& said, const Facts&) {
    for (const Payload& p : said.descriptions)
        if (schema_address(p.schema_location, p.name_space).empty())
            return "description " + p.name + " does not say where its schema is";
    return "";
}

std::string descriptions(const Identification& said, const Facts&) {
    for (const Payload& p : said.descriptions)
        if (!p.invalid.empty()) return "description " + p.name + ": " + p.invalid;
    return "";
}

std::string one_scheme(const Identification& said, const Facts&) {
    const auto n = std::count_if(said.descriptions.begin(), said.descriptions.end(),
                                 [](const Payload& p) { return p.name_space == kIdentifiers; });
    return n <= 1 ? "" : "oai-identifier is there " + std::to_string(n) + " times";
}

std::string sample(const Identification& said, const Facts&) {
    if (said.repository_identifiers.empty() || said.sample_identifiers.empty()) return "";
    const std::string prefix = "oai:" + said.repository_identifiers[0] + ":";
    return said.sample_identifiers[0].starts_with(prefix)
               ? ""
               : "sampleIdentifier " + said.sample_identifiers[0] + " does not begin with " +
                     prefix;
}

Finding identifiers_follow(Session& session) {
    const auto& said = session.identification();
    if (said.repository_identifiers.empty())
        return skipped("Identify says nothing of oai-identifier");
    const std::string prefix = "oai:" + said.repository_identifiers[0] + ":";
    for (const Record* record : session.headers().records)
        if (!record->header.identifier.starts_with(prefix))
            return wrong(record->header.identifier + " does not begin with " + prefix,
                         session.page_of(*record));
    return session.headers().records.empty() ? skipped("there is no record") : fine();
}

Finding earliest_true(Session& session) {
    const Answer& said = session.get("verb=Identify");
    const auto earliest = parse_datestamp(session.identification().earliest);
    if (!earliest) return skipped("earliestDatestamp cannot be read");
    for (const Walk* walk : {&session.headers(), &session.records()})
        for (const Record* record : walk->records)
            if (const auto date = parse_datestamp(record->header.datestamp);
                date && date->first < earliest->first)
                return wrong(record->header.identifier + " has the datestamp " +
                                 record->header.datestamp + ", before earliestDatestamp " +
                                 session.identification().earliest,
                             session.page_of(*record))
                    .against(said)
                    .against(session, *record);
    const std::string before = print_datestamp(earliest->first - std::chrono::seconds{1});
    const Answer& answer =
        session.get(session.list("ListIdentifiers") +
                    "&until=" + url_encode(session.in_days() ? before.substr(0, 10) : before));
    if (answer.records.empty()) return fine();
    return wrong("there are records before earliestDatestamp " + session.identification().earliest,
                 answer)
        .against(said);
}

Finding readable(Session& session) {
    const Answer& answer = session.get("verb=Identify");
    if (std::string why = why_unusable(answer); !why.empty()) return wrong(std::move(why), answer);
    return answer.identification ? fine() : wrong("there is no Identify in it", answer);
}

const std::array kIdentifyRules{
    Check{"identify.name", "the repository has a name", demand("identify-elements"), nullptr,
          of_identify<name>},
    Check{"identify.base-url", "baseURL is the requested address, byte for byte",
          demand("registered-address"), nullptr, of_identify<base_url>},
    Check{"identify.plain-url", "baseURL is an http or https address without query or fragment",
          demand("base-url-form"), nullptr, of_identify<plain_url>},
    Check{"identify.protocol", "protocolVersion is 2.0", demand("identify-elements"), nullptr,
          of_identify<protocol>},
    Check{"identify.email", "each adminEmail is an address of a mailbox", demand("admin-email"),
          nullptr, of_identify<emails>},
    Check{"identify.granularity", "granularity is one of the two legal ones", demand("granularity"),
          nullptr, of_identify<granularity>},
    Check{"identify.earliest-form", "earliestDatestamp has the granularity of the repository",
          demand("earliest-form"), nullptr, of_identify<earliest_form>},
    Check{"identify.earliest-plausible", "earliestDatestamp is a plausible date",
          demand("advice-earliest"), nullptr, of_identify<earliest_plausible>},
    Check{"identify.deleted", "deletedRecord is one of the three legal values",
          demand("deleted-levels"), nullptr, of_identify<deleted_record>},
    Check{"identify.deletions-kept", "the repository keeps deleted records",
          demand("advice-deletions"), nullptr, of_identify<keeps_deletions>},
    Check{"identify.compression", "compression does not name identity",
          demand("compression-identity"), nullptr, of_identify<compression>},
    Check{"identify.located", "each description has a schemaLocation", demand("description-schema"),
          nullptr, of_identify<schema_locations>},
    Check{"identify.descriptions", "descriptions are valid by the schemas of the guidelines",
          demand("schema-valid"), nullptr, of_identify<descriptions>},
    Check{"identify.one-scheme", "there is at most one oai-identifier description",
          demand("registered-scheme"), nullptr, of_identify<one_scheme>},
    Check{"identify.sample", "sampleIdentifier belongs to the repository",
          demand("advice-identifiers"), nullptr, of_identify<sample>},
};

const std::array kIdentifyChecks{
    Check{"identify.readable", "Identify has a readable answer", demand("third-child"), readable},
    Check{"identify.earliest-true", "no record is older than earliestDatestamp", demand("earliest"),
          earliest_true},
    Check{"identify.identifiers-follow", "identifiers have the form that oai-identifier describes",
          demand("advice-identifiers"), identifiers_follow},
};

}  // namespace

std::span<const Check> identify_rules() { return kIdentifyRules; }
std::span<const Check> identify_checks() { return kIdentifyChecks; }

}  // namespace oai::validate
