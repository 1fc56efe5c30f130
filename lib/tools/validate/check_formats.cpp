// SPDX-License-Identifier: MIT
// Metadata formats (OAI-PMH 2.0, 3.4 and 4.4).
#include <algorithm>
#include <array>

#include "base/text.h"
#include "tools/validate/check_parts.h"

namespace oai::validate {
namespace {

constexpr std::size_t kMaxFormats = 12;  // of a record that are requested

const Answer& all_formats(Session& session) { return session.get("verb=ListMetadataFormats"); }

Finding dublin_core(Session& session) {
    if (std::string why = why_unusable(all_formats(session)); !why.empty())
        return wrong(std::move(why), all_formats(session));
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
bool is_absolute(std::string_view address) {
    const std::string scheme = text::lower_ascii(address.substr(0, address.find(':')));
    return scheme.size() < address.size() && !scheme.empty() && scheme[0] >= 'a' &&
           scheme[0] <= 'z' &&
           scheme.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789+-.") == scheme.npos;
}

Finding schema_addresses(Session& session) {
    for (const Format& format : session.formats())
        if (!is_absolute(format.schema))
            return wrong("the schema of " + format.prefix + " is \"" + format.schema + "\"",
                         all_formats(session));
    return session.formats().empty() ? skipped("there is no format") : fine();
}

const Answer* formats_of_record(Session& session) {
    const Record* record = session.live_record();
    return record == nullptr ? nullptr
                             : &session.get("verb=ListMetadataFormats&identifier=" +
                                            url_encode(record->header.identifier));
}

Finding formats_of_record_known(Session& session) {
    const Answer* own = formats_of_record(session);
    if (own == nullptr) return skipped("no record was found");
    if (std::string why = why_unusable(*own); !why.empty()) return wrong(std::move(why), *own);
    if (find_format(own->formats, session.scope().prefix) == nullptr)
        return wrong("the format that it was listed in is not among them", *own)
            .against(session, *session.live_record());
    for (const Format& format : own->formats)
        if (find_format(session.formats(), format.prefix) == nullptr)
            return wrong(format.prefix + " is not among the formats of the repository", *own)
                .against(all_formats(session));
    return fine();
}

// Gets the record in each of its formats. `judge` returns what is wrong with the answer, or "".
template <class Judge>
Finding check_each_format(Session& session, const Judge& judge) {
    const Answer* own = formats_of_record(session);
    if (own == nullptr) return skipped("no record was found");
    if (own->formats.empty()) return skipped("ListMetadataFormats gave no formats for it");
    for (std::size_t i = 0; i < std::min(own->formats.size(), kMaxFormats); ++i) {
        const Format& format = own->formats[i];
        const Answer& answer =
            session.get("verb=GetRecord&metadataPrefix=" + url_encode(format.prefix) +
                        "&identifier=" + url_encode(session.live_record()->header.identifier));
        if (std::string why = judge(format, answer); !why.empty())
            return wrong(format.prefix + ": " + why, answer)
                .against(session, *session.live_record())
                .against(*own);
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

// Whether one of the words between blanks is this one.
bool has_word(std::string_view words, std::string_view word) {
    for (std::size_t at = 0; at < words.size();) {
        const std::size_t end = std::min(words.find_first_of(" \t\r\n", at), words.size());
        if (words.substr(at, end - at) == word) return true;
        at = end + 1;
    }
    return false;
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
            return said.empty() || has_word(said, format.schema)
                       ? ""
                       : "xsi:schemaLocation is \"" + said + "\", without " + format.schema;
        });
}

const std::array kFormatChecks{
    Check{"format.oai-dc", "oai_dc is among the formats", demand("dublin-core-always"),
          dublin_core},
    Check{"format.oai-dc-namespace", "oai_dc has its usual namespace",
          demand("dublin-core-namespace"), dublin_core_namespace},
    Check{"format.unique", "no metadataPrefix stands for two formats", demand("record-unambiguous"),
          unique_prefixes},
    Check{"format.schema", "each format has the address of its schema", demand("format-schema"),
          schema_addresses},
    Check{"format.of-record", "the formats of a record are formats of the repository",
          demand("item-formats"), formats_of_record_known},
    Check{"format.delivered", "GetRecord gives a record in each of its formats",
          demand("item-formats"), available_in_each},
    Check{"format.namespace", "the metadata of a record use the namespace of the format",
          demand("metadata-namespace"), name_space},
    Check{"format.same-schema", "metadata name the schema that the format has in the list",
          demand("schema-matches"), same_schema},
};

}  // namespace

std::span<const Check> format_checks() { return kFormatChecks; }

}  // namespace oai::validate
