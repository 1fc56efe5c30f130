// SPDX-License-Identifier: MIT
// How requests are read (OAI-PMH 2.0, 3.1.1 and the arguments of chapter 4), and each error
// condition of 3.6.
#include <array>

#include "base/text.h"
#include "tools/validate/check_parts.h"

namespace oai::validate {
namespace {

constexpr std::string_view kUnknownIdentifier = "oai:no.such.repository:item";  // of no repository

std::string prefix(const Session& session) {
    return "metadataPrefix=" + url_encode(session.scope().prefix);
}

// The identifier of an existing record if one is known, so that the request has no other fault.
std::string identifier(Session& session) {
    const Record* record = session.live_record();
    return "identifier=" + url_encode(record == nullptr
                                          ? kUnknownIdentifier
                                          : std::string_view(record->header.identifier));
}

// Every byte as %HH.
std::string percent_encode_all(std::string_view value, std::string_view digits) {
    std::string out;
    for (const char c : value) {
        const auto byte = static_cast<unsigned char>(c);
        out.append({'%', digits[byte >> 4U], digits[byte & 15U]});
    }
    return out;
}

Finding same_as_plain(Session& session, const std::string& arguments, const std::string& what) {
    return expect_same(session, {.arguments = session.list("ListIdentifiers")},
                       {.arguments = arguments}, what);
}

Finding percent(Session& session) {
    return same_as_plain(
        session,
        "verb=ListIdentifiers&metadataPrefix=" +
            percent_encode_all(session.scope().prefix, "0123456789ABCDEF") +
            (session.scope().set.empty()
                 ? ""
                 : "&set=" + percent_encode_all(session.scope().set, "0123456789ABCDEF")),
        "metadataPrefix with each byte escaped");
}

Finding lower_percent(Session& session) {
    return same_as_plain(
        session,
        "verb=" + percent_encode_all("ListIdentifiers", "0123456789abcdef") +
            session.list("ListIdentifiers").substr(std::string_view("verb=ListIdentifiers").size()),
        "verb escaped by lower-case digits");
}

Finding order(Session& session) {
    const std::string arguments = session.list("ListIdentifiers");
    const std::size_t end = arguments.find('&');
    return same_as_plain(session, arguments.substr(end + 1) + "&" + arguments.substr(0, end),
                         "the verb behind its arguments");
}

// The record is the evidence: if it is deleted meanwhile in a repository that keeps no deletions,
// the answer may be idDoesNotExist.
Finding unknown_format(Session& session) {
    const Record* record = session.live_record();
    const std::string arguments =
        "verb=GetRecord&metadataPrefix=no_such_format&" + identifier(session);
    if (record == nullptr)
        return expect_error(session, arguments, {"cannotDisseminateFormat", "idDoesNotExist"});
    Finding found = expect_error(session, arguments, {"cannotDisseminateFormat"});
    return found.kind == Finding::Kind::wrong ? std::move(found).against(session, *record) : found;
}

// Markup in an argument must be answered by a well-formed error, whether or not it is repeated.
const std::string& markup() {
    static const std::string kMarkup = url_encode("invalid\"<&>']]>");
    return kMarkup;
}

// A request that HTTP may refuse, and that must not do harm.
Finding harmless(Session& session, const std::string& arguments,
                 std::initializer_list<std::string_view> codes) {
    return expect_refusal(session.ask({.arguments = arguments, .refusable = true}), codes);
}

// Firewalls of web applications refuse markup.
Finding markup_in_list(Session& session, const std::string& argument,
                       std::initializer_list<std::string_view> codes) {
    return harmless(session, session.list("ListIdentifiers") + "&" + argument, codes);
}

Finding bytes_in_identifier(Session& session, const std::string& encoded) {
    return harmless(session,
                    "verb=GetRecord&" + prefix(session) + "&identifier=oai:no.such:" + encoded,
                    {"idDoesNotExist", "badArgument"});
}

// Proxies and servers take addresses of 8 KB; the protocol knows no limit for POST.
std::string long_arguments() {
    constexpr std::size_t kLongBytes = 8192;
    return "verb=ListIdentifiers&resumptionToken=" + std::string(kLongBytes, 'a');
}

Finding utf8(Session& session) {
    return expect_error(session,
                        "verb=GetRecord&" + prefix(session) + "&identifier=" +
                            url_encode("oai:no.such:\xC4\x8D\xE2\x82\xAC\xF0\x9F\x93\x9A"),
                        {"idDoesNotExist", "badArgument"});
}

const std::array kArguments{
    Check{"argument.unknown-identify", "Identify refuses an unknown argument",
          demand("bad-argument"),
          [](Session& s) {
              return expect_error(s, "verb=Identify&metadataPrefix=oai_dc", {"badArgument"});
          }},
    Check{"argument.unknown-formats", "ListMetadataFormats refuses an unknown argument",
          demand("bad-argument"),
          [](Session& s) {
              return expect_error(s, "verb=ListMetadataFormats&metadataPrefix=oai_dc",
                                  {"badArgument"});
          }},
    Check{"argument.unknown-sets", "ListSets refuses an unknown argument", demand("bad-argument"),
          [](Session& s) {
              return expect_error(s, "verb=ListSets&metadataPrefix=oai_dc", {"badArgument"});
          }},
    Check{"argument.unknown-get", "GetRecord refuses an unknown argument", demand("bad-argument"),
          [](Session& s) {
              return expect_error(
                  s, "verb=GetRecord&" + prefix(s) + "&" + identifier(s) + "&until=2000-02-05",
                  {"badArgument"});
          }},
    Check{"argument.unknown-identifiers", "ListIdentifiers refuses an unknown argument",
          demand("bad-argument"),
          [](Session& s) {
              return expect_error(s, s.list("ListIdentifiers") + "&colour=red", {"badArgument"});
          }},
    Check{"argument.unknown-records", "ListRecords refuses an unknown argument",
          demand("bad-argument"),
          [](Session& s) {
              return expect_error(s, s.list("ListRecords") + "&identifier=x", {"badArgument"});
          }},
    Check{
        "argument.no-identifier", "GetRecord refuses a request without identifier",
        demand("bad-argument"),
        [](Session& s) { return expect_error(s, "verb=GetRecord&" + prefix(s), {"badArgument"}); }},
    Check{"argument.no-prefix-get", "GetRecord refuses a request without metadataPrefix",
          demand("bad-argument"),
          [](Session& s) {
              return expect_error(s, "verb=GetRecord&" + identifier(s), {"badArgument"});
          }},
    Check{"argument.no-prefix-identifiers",
          "ListIdentifiers refuses a request without metadataPrefix", demand("bad-argument"),
          [](Session& s) { return expect_error(s, "verb=ListIdentifiers", {"badArgument"}); }},
    Check{"argument.no-prefix-records", "ListRecords refuses a request without metadataPrefix",
          demand("bad-argument"),
          [](Session& s) { return expect_error(s, "verb=ListRecords", {"badArgument"}); }},
    Check{"argument.repeated", "an argument given twice is refused", demand("bad-argument"),
          [](Session& s) {
              return expect_error(s, s.list("ListIdentifiers") + "&" + prefix(s), {"badArgument"});
          }},
    Check{"argument.name-case", "names of arguments are case-sensitive", demand("bad-argument"),
          [](Session& s) {
              return expect_error(
                  s, "verb=ListIdentifiers&metadataprefix=" + url_encode(s.scope().prefix),
                  {"badArgument"});
          }},
    Check{"argument.empty-prefix", "an empty metadataPrefix is refused", demand("error-elements"),
          [](Session& s) {
              return expect_error(s, "verb=ListIdentifiers&metadataPrefix=",
                                  {"badArgument", "cannotDisseminateFormat"});
          }},
    Check{"argument.percent", "escaped arguments are understood", demand("argument-encoding"),
          percent},
    Check{"argument.percent-lower", "lower-case digits of %HH are understood",
          demand("argument-encoding"), lower_percent},
    Check{"argument.order", "the order of arguments does not matter", demand("argument-order"),
          order},
    Check{"argument.markup", "markup in an identifier stays text", demand("well-formed"),
          [](Session& s) {
              return harmless(s, "verb=GetRecord&" + prefix(s) + "&identifier=" + markup(),
                              {"idDoesNotExist", "badArgument"});
          }},
    Check{"argument.markup-verb", "markup in a verb stays text", demand("well-formed"),
          [](Session& s) { return harmless(s, "verb=" + markup(), {"badVerb"}); }},
    Check{"argument.markup-prefix", "markup in a metadataPrefix stays text", demand("well-formed"),
          [](Session& s) {
              return harmless(s, "verb=ListIdentifiers&metadataPrefix=" + markup(),
                              {"cannotDisseminateFormat", "badArgument"});
          }},
    Check{"argument.markup-from", "markup in from stays text", demand("well-formed"),
          [](Session& s) { return markup_in_list(s, "from=" + markup(), {"badArgument"}); }},
    Check{"argument.markup-until", "markup in until stays text", demand("well-formed"),
          [](Session& s) { return markup_in_list(s, "until=" + markup(), {"badArgument"}); }},
    Check{"argument.markup-set", "markup in a set stays text", demand("well-formed"),
          [](Session& s) {
              return harmless(s, "verb=ListIdentifiers&" + prefix(s) + "&set=" + markup(),
                              {"badArgument", "noRecordsMatch", "noSetHierarchy"});
          }},
    Check{"argument.markup-token", "markup in a resumptionToken stays text", demand("well-formed"),
          [](Session& s) {
              return harmless(s, "verb=ListIdentifiers&resumptionToken=" + markup(),
                              {"badResumptionToken", "badArgument"});
          }},
    Check{"argument.markup-name", "markup in the name of an argument stays text",
          demand("well-formed"),
          [](Session& s) { return markup_in_list(s, markup() + "=x", {"badArgument"}); }},
    Check{"argument.nul", "a NUL in an argument is an error", demand("error-elements"),
          [](Session& s) { return bytes_in_identifier(s, "%00x"); }},
    Check{"argument.bad-utf8", "bytes that are no UTF-8 are an error", demand("error-elements"),
          [](Session& s) { return bytes_in_identifier(s, "%ff%fe"); }},
    Check{"argument.long-get", "an argument of 8 KB by GET is an error, or refused by HTTP",
          demand("status-codes"),
          [](Session& s) {
              return harmless(s, long_arguments(), {"badResumptionToken", "badArgument"});
          }},
    Check{"argument.long-post", "an argument of 8 KB by POST is an error of OAI-PMH",
          demand("post-unlimited"),
          [](Session& s) {
              return expect_error(s.ask({.arguments = long_arguments(), .method = "POST"}),
                                  {"badResumptionToken", "badArgument"});
          }},
    Check{"argument.utf8", "characters beyond ASCII are accepted in an argument",
          demand("error-elements"), utf8},
    Check{"argument.broken-percent", "a broken %HH is an error, or refused by HTTP",
          demand("advice-tolerant"), [](Session& s) { return bytes_in_identifier(s, "%ZZ"); }},
};

const std::array kErrors{
    Check{"verb.missing", "a request without verb is badVerb", demand("bad-verb"),
          [](Session& s) { return expect_error(s, "", {"badVerb"}); }},
    Check{"verb.empty", "an empty verb is badVerb", demand("bad-verb"),
          [](Session& s) { return expect_error(s, "verb=", {"badVerb"}); }},
    Check{"verb.unknown", "an unknown verb is badVerb", demand("bad-verb"),
          [](Session& s) { return expect_error(s, "verb=NoSuchVerb", {"badVerb"}); }},
    Check{"verb.repeated", "a repeated verb is badVerb", demand("bad-verb"),
          [](Session& s) { return expect_error(s, "verb=Identify&verb=Identify", {"badVerb"}); }},
    Check{"verb.case", "a verb in another case is badVerb", demand("bad-verb"),
          [](Session& s) { return expect_error(s, "verb=identify", {"badVerb"}); }},
    Check{"error.format-get", "GetRecord of an unknown format is cannotDisseminateFormat",
          demand("bad-format"), unknown_format},
    Check{"error.format-identifiers",
          "ListIdentifiers of an unknown format is cannotDisseminateFormat", demand("bad-format"),
          [](Session& s) {
              return expect_error(s, "verb=ListIdentifiers&metadataPrefix=no_such_format",
                                  {"cannotDisseminateFormat"});
          }},
    Check{"error.format-records", "ListRecords of an unknown format is cannotDisseminateFormat",
          demand("bad-format"),
          [](Session& s) {
              return expect_error(s, "verb=ListRecords&metadataPrefix=no_such_format",
                                  {"cannotDisseminateFormat"});
          }},
    Check{"error.identifier-get", "GetRecord of an unknown identifier is idDoesNotExist",
          demand("bad-identifier"),
          [](Session& s) {
              return expect_error(s, get_record(s, kUnknownIdentifier), {"idDoesNotExist"});
          }},
    Check{"error.identifier-formats",
          "ListMetadataFormats of an unknown identifier is idDoesNotExist",
          demand("bad-identifier"),
          [](Session& s) {
              return expect_error(
                  s, "verb=ListMetadataFormats&identifier=" + url_encode(kUnknownIdentifier),
                  {"idDoesNotExist"});
          }},
};

}  // namespace

std::span<const Check> argument_checks() { return kArguments; }
std::span<const Check> error_checks() { return kErrors; }

}  // namespace oai::validate
