// SPDX-License-Identifier: MIT
// The answer to Identify (OAI-PMH 2.0, 4.2), and whether the repository is as it says.
#include <re2/re2.h>

#include <algorithm>

#include "base/text.h"
#include "protocol/record.h"
#include "tools/validate/check.h"

namespace oai::validate {
namespace {

bool is_identified(const Answer& answer) { return answer.identification.has_value(); }

// A rule about Identify.
template <auto judge>
std::string judged(const Answer& answer, const Facts& facts) {
    return judge(*answer.identification, facts);
}
template <auto judge>
constexpr auto of_identify = rule_about<is_identified, judged<judge>>;

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
bool is_address(const std::string& email) {
    static const RE2 kForm(R"([^@\s:<>,;]+@[^@.\s:<>,;]+(?:\.+[^@.\s:<>,;]+)+)");
    return RE2::FullMatch(email, kForm) && !email.ends_with(".localdomain");
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
    const Answer& answer = usable(session.get("verb=Identify"));
    return answer.identification ? fine() : wrong("there is no Identify in it", answer);
}

// Metadata formats (OAI-PMH 2.0, 3.4 and 4.4).

constexpr std::size_t kMaxFormats = 12;  // of a record that are requested

const Answer& all_formats(Session& session) { return session.get("verb=ListMetadataFormats"); }

Finding dublin_core(Session& session) {
    usable(all_formats(session));
    return find_format(session.formats(), "oai_dc") != nullptr
               ? fine()
               : wrong("oai_dc is not among the formats", all_formats(session));
}

Finding dublin_core_namespace(Session& session) {
    const Format* format = find_format(session.formats(), "oai_dc");
    if (format == nullptr) return skipped("there is no oai_dc");
    if (format->name_space == kDublinCore) return fine();
    return wrong("the namespace of oai_dc is said to be " + format->name_space,
                 all_formats(session));
}

Finding unique_prefixes(Session& session) {
    for (const Format& format : session.formats())
        if (*find_format(session.formats(), format.prefix) != format)
            return wrong(format.prefix + " is two formats", all_formats(session));
    return session.formats().empty() ? skipped("there is no format") : fine();
}

// Whether the address begins with a scheme, of any kind.
bool is_absolute(const std::string& address) {
    static const RE2 kForm("(?s)[A-Za-z][A-Za-z0-9+.-]*:.*");
    return RE2::FullMatch(address, kForm);
}

Finding schema_addresses(Session& session) {
    for (const Format& format : session.formats())
        if (!is_absolute(format.schema))
            return wrong("the schema of " + format.prefix + " is \"" + format.schema + "\"",
                         all_formats(session));
    return session.formats().empty() ? skipped("there is no format") : fine();
}

const Answer& formats_of_record(Session& session) {
    return session.get("verb=ListMetadataFormats&identifier=" +
                       url_encode(live_record(session).header.identifier));
}

Finding formats_of_record_known(Session& session) {
    const Answer& own = usable(formats_of_record(session));
    if (find_format(own.formats, session.scope().prefix) == nullptr)
        return wrong("the format that it was listed in is not among them", own)
            .against(session, live_record(session));
    for (const Format& format : own.formats)
        if (find_format(session.formats(), format.prefix) == nullptr)
            return wrong(format.prefix + " is not among the formats of the repository", own)
                .against(all_formats(session));
    return fine();
}

// Gets the record in each of its formats. `judge` returns what is wrong with the answer, or "".
template <class Judge>
Finding check_each_format(Session& session, const Judge& judge) {
    const Answer& own = formats_of_record(session);
    const Record& record = live_record(session);
    if (own.formats.empty()) return skipped("ListMetadataFormats gave no formats for it");
    for (std::size_t i = 0; i < std::min(own.formats.size(), kMaxFormats); ++i) {
        const Format& format = own.formats[i];
        const Answer& answer =
            session.get("verb=GetRecord&metadataPrefix=" + url_encode(format.prefix) +
                        "&identifier=" + url_encode(record.header.identifier));
        if (std::string why = judge(format, answer); !why.empty())
            return wrong(format.prefix + ": " + why, answer).against(session, record).against(own);
    }
    return fine();
}

Finding available_in_each(Session& session) {
    return check_each_format(
        session,
        [](const Format&, const Answer& answer) {
            if (std::string why = why_unusable(answer); !why.empty()) return why;
            return answer.errors.empty() ? std::string()
                                         : "it cannot be had: " + answer.error_codes();
        });
}

Finding name_space(Session& session) {
    return check_each_format(
        session,
        [](const Format& format, const Answer& answer) {
            if (answer.records.empty() || !answer.records[0].metadata) return std::string();
            const Payload& metadata = *answer.records[0].metadata;
            return uses_namespace(metadata, format.name_space)
                       ? ""
                       : "the metadata is of " + metadata.name_space + ", and nothing in it of " +
                             format.name_space;
        });
}

Finding same_schema(Session& session) {
    return check_each_format(
        session,
        [](const Format& format, const Answer& answer) {
            if (answer.records.empty() || !answer.records[0].metadata) return std::string();
            const std::string& said = answer.records[0].metadata->schema_location;
            return said.empty() || is_located(said, format.schema)
                       ? ""
                       : "xsi:schemaLocation is \"" + said + "\", without " + format.schema;
        });
}

const CheckFunction kIdentify[] = {
    {"identify.name", of_identify<name>},
    {"identify.base-url", of_identify<base_url>},
    {"identify.plain-url", of_identify<plain_url>},
    {"identify.protocol", of_identify<protocol>},
    {"identify.email", of_identify<emails>},
    {"identify.granularity", of_identify<granularity>},
    {"identify.earliest-form", of_identify<earliest_form>},
    {"identify.earliest-plausible", of_identify<earliest_plausible>},
    {"identify.deleted", of_identify<deleted_record>},
    {"identify.deletions-kept", of_identify<keeps_deletions>},
    {"identify.compression", of_identify<compression>},
    {"identify.located", of_identify<schema_locations>},
    {"identify.descriptions", of_identify<descriptions>},
    {"identify.one-scheme", of_identify<one_scheme>},
    {"identify.sample", of_identify<sample>},
    {"identify.readable", readable},
    {"identify.earliest-true", earliest_true},
    {"identify.identifiers-follow", identifiers_follow},
    {"format.oai-dc", dublin_core},
    {"format.oai-dc-namespace", dublin_core_namespace},
    {"format.unique", unique_prefixes},
    {"format.schema", schema_addresses},
    {"format.of-record", formats_of_record_known},
    {"format.delivered", available_in_each},
    {"format.namespace", name_space},
    {"format.same-schema", same_schema},
};

}  // namespace

std::span<const CheckFunction> identify_checks() { return kIdentify; }

}  // namespace oai::validate
