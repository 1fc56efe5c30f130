// SPDX-License-Identifier: MIT
// How requests are read (OAI-PMH 2.0, 3.1.1 and the arguments of chapter 4), and each error condition of 3.6.
#include <array>

#include "base/text.h"
#include "validate/check_parts.h"

namespace oai::validate {
namespace {

constexpr std::string_view kNothing = "oai:no.such.repository:item";  // nobody has it

std::string prefix(const Session& session) { return "metadataPrefix=" + escaped(session.scope().prefix); }

// One of a record that is there, if one is met; such a request is right but for what is wrong with it.
std::string identifier(Session& session) {
    const Record* record = session.live();
    return "identifier=" + escaped(record == nullptr ? kNothing : std::string_view(record->header.identifier));
}

// Every byte as %HH.
std::string all_escaped(std::string_view value, std::string_view digits) {
    std::string out;
    for (const char c : value) {
        const auto byte = static_cast<unsigned char>(c);
        out.append({'%', digits[byte >> 4U], digits[byte & 15U]});
    }
    return out;
}

Finding same_as_plain(Session& session, const std::string& arguments, const std::string& what) {
    return expect_same(session, {.arguments = session.list("ListIdentifiers")}, {.arguments = arguments}, what);
}

Finding percent(Session& session) {
    return same_as_plain(session, "verb=ListIdentifiers&metadataPrefix=" + all_escaped(session.scope().prefix, "0123456789ABCDEF") +
                                      (session.scope().set.empty() ? "" : "&set=" + all_escaped(session.scope().set, "0123456789ABCDEF")),
                         "metadataPrefix with each byte escaped");
}

Finding lower_percent(Session& session) {
    return same_as_plain(session, "verb=" + all_escaped("ListIdentifiers", "0123456789abcdef") +
                                      session.list("ListIdentifiers").substr(std::string_view("verb=ListIdentifiers").size()),
                         "verb escaped by lower-case digits");
}

Finding order(Session& session) {
    const std::string arguments = session.list("ListIdentifiers");
    const std::size_t end = arguments.find('&');
    return same_as_plain(session, arguments.substr(end + 1) + "&" + arguments.substr(0, end), "the verb behind its arguments");
}

// While the record is there: where deletions are not told, it may be idDoesNotExist as soon as it is not.
Finding unknown_format(Session& session) {
    Finding found = expect_error(session, "verb=GetRecord&metadataPrefix=no_such_format&" + identifier(session), {"cannotDisseminateFormat"});
    const Record* record = session.live();
    return found.kind == Finding::Kind::wrong && record != nullptr ? std::move(found).against(session, *record) : found;
}

// Whatever a client sends, the answer is one: an error, well-formed, that does not take the text for markup.
Finding markup(Session& session) {
    return expect_error(session, "verb=GetRecord&" + prefix(session) + "&identifier=" + escaped("invalid\"id<&>'"), {"idDoesNotExist", "badArgument"});
}

Finding utf8(Session& session) {
    return expect_error(session, "verb=GetRecord&" + prefix(session) + "&identifier=" + escaped("oai:no.such:\xC4\x8D\xE2\x82\xAC\xF0\x9F\x93\x9A"),
                        {"idDoesNotExist", "badArgument"});
}

Finding broken_percent(Session& session) {
    return expect_error(session, "verb=GetRecord&" + prefix(session) + "&identifier=oai:%ZZ", {"badArgument", "idDoesNotExist"});
}

using enum Severity;

constexpr std::array kArguments{
    Check{"argument.unknown-identify", "Identify refuses an argument that it does not take", "4.2", must,
          [](Session& s) { return expect_error(s, "verb=Identify&metadataPrefix=oai_dc", {"badArgument"}); }},
    Check{"argument.unknown-formats", "so does ListMetadataFormats", "4.4", must,
          [](Session& s) { return expect_error(s, "verb=ListMetadataFormats&metadataPrefix=oai_dc", {"badArgument"}); }},
    Check{"argument.unknown-sets", "so does ListSets", "4.6", must,
          [](Session& s) { return expect_error(s, "verb=ListSets&metadataPrefix=oai_dc", {"badArgument"}); }},
    Check{"argument.unknown-get", "so does GetRecord", "4.1", must,
          [](Session& s) { return expect_error(s, "verb=GetRecord&" + prefix(s) + "&" + identifier(s) + "&until=2000-02-05", {"badArgument"}); }},
    Check{"argument.unknown-identifiers", "so does ListIdentifiers", "4.3", must,
          [](Session& s) { return expect_error(s, s.list("ListIdentifiers") + "&colour=red", {"badArgument"}); }},
    Check{"argument.unknown-records", "so does ListRecords", "4.5", must,
          [](Session& s) { return expect_error(s, s.list("ListRecords") + "&identifier=x", {"badArgument"}); }},
    Check{"argument.no-identifier", "GetRecord needs identifier", "4.1", must,
          [](Session& s) { return expect_error(s, "verb=GetRecord&" + prefix(s), {"badArgument"}); }},
    Check{"argument.no-prefix-get", "GetRecord needs metadataPrefix", "4.1", must,
          [](Session& s) { return expect_error(s, "verb=GetRecord&" + identifier(s), {"badArgument"}); }},
    Check{"argument.no-prefix-identifiers", "ListIdentifiers needs metadataPrefix", "4.3", must,
          [](Session& s) { return expect_error(s, "verb=ListIdentifiers", {"badArgument"}); }},
    Check{"argument.no-prefix-records", "ListRecords needs metadataPrefix", "4.5", must,
          [](Session& s) { return expect_error(s, "verb=ListRecords", {"badArgument"}); }},
    Check{"argument.repeated", "an argument given twice is refused", "3.6", must,
          [](Session& s) { return expect_error(s, s.list("ListIdentifiers") + "&" + prefix(s), {"badArgument"}); }},
    Check{"argument.name-case", "names of arguments have their case", "3.1.1", must,
          [](Session& s) { return expect_error(s, "verb=ListIdentifiers&metadataprefix=" + escaped(s.scope().prefix), {"badArgument"}); }},
    Check{"argument.empty-prefix", "an empty metadataPrefix is refused", "3.6", must,
          [](Session& s) { return expect_error(s, "verb=ListIdentifiers&metadataPrefix=", {"badArgument", "cannotDisseminateFormat"}); }},
    Check{"argument.percent", "escaped arguments mean what they mean", "3.1.1.3", must, percent},
    Check{"argument.percent-lower", "so do those escaped by lower-case digits", "3.1.1.3", must, lower_percent},
    Check{"argument.order", "the order of arguments does not matter", "3.1.1", must, order},
    Check{"argument.markup", "markup in an argument stays text", "registration", must, markup},
    Check{"argument.utf8", "so do characters beyond ASCII", "3.1.1.3", must, utf8},
    Check{"argument.broken-percent", "a broken %HH is an error of OAI-PMH", "3.6", advice, broken_percent},
};

constexpr std::array kErrors{
    Check{"verb.missing", "a request without verb is badVerb", "3.6", must, [](Session& s) { return expect_error(s, "", {"badVerb"}); }},
    Check{"verb.empty", "an empty verb is", "3.6", must, [](Session& s) { return expect_error(s, "verb=", {"badVerb"}); }},
    Check{"verb.unknown", "an unknown verb is", "3.6", must, [](Session& s) { return expect_error(s, "verb=NoSuchVerb", {"badVerb"}); }},
    Check{"verb.repeated", "a repeated verb is", "3.6", must,
          [](Session& s) { return expect_error(s, "verb=Identify&verb=Identify", {"badVerb"}); }},
    Check{"verb.case", "a verb in another case is", "3.1.1", must, [](Session& s) { return expect_error(s, "verb=identify", {"badVerb"}); }},
    Check{"error.format-get", "GetRecord of an unknown format is cannotDisseminateFormat", "4.1", must, unknown_format},
    Check{"error.format-identifiers", "ListIdentifiers of one is", "4.3", must,
          [](Session& s) { return expect_error(s, "verb=ListIdentifiers&metadataPrefix=no_such_format", {"cannotDisseminateFormat"}); }},
    Check{"error.format-records", "ListRecords of one is", "4.5", must,
          [](Session& s) { return expect_error(s, "verb=ListRecords&metadataPrefix=no_such_format", {"cannotDisseminateFormat"}); }},
    Check{"error.identifier-get", "GetRecord of an unknown identifier is idDoesNotExist", "4.1", must,
          [](Session& s) { return expect_error(s, get_record(s, kNothing), {"idDoesNotExist"}); }},
    Check{"error.identifier-formats", "ListMetadataFormats of one is", "4.4", must,
          [](Session& s) { return expect_error(s, "verb=ListMetadataFormats&identifier=" + escaped(kNothing), {"idDoesNotExist"}); }},
};

}  // namespace

std::span<const Check> argument_checks() { return kArguments; }
std::span<const Check> error_checks() { return kErrors; }

}  // namespace oai::validate
