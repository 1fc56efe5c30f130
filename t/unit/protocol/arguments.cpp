// SPDX-License-Identifier: MIT
#include "protocol/arguments.h"

#include <libxml/xmlschemas.h>

#include "base/text.h"
#include "t/lib/unit_headers.h"
#include "xml/document.h"
#include "xml/escape.h"
#include "xml/handle.h"

using std::chrono::seconds;

namespace {

constexpr int kLifetimeSeconds = 1000;
const Seconds kNow = parse_datestamp("2026-11-21T23:28:23Z")->first;

const TokenSealer& sealer() {
    static const TokenSealer instance(TokenKey{1, 2, 3});
    return instance;
}

ParsedArguments parse(std::string_view query) {
    Request request;
    request.arguments = split_arguments(query, &request.well_encoded);
    return parse_arguments(request, {&sealer(), kNow, kLifetimeSeconds});
}

// All messages, each on a line.
std::string messages(std::string_view query) {
    std::string lines;
    for (const OaiError& error : parse(query).errors) lines += error.message + "\n";
    return lines;
}

// The only error of the request.
OaiError only_error(std::string_view query) {
    const auto errors = parse(query).errors;
    CAPTURE(messages(query));
    REQUIRE(errors.size() == 1);
    return errors.front();
}

ResumptionToken token_of(Verb verb) {
    ResumptionToken token{};
    token.verb = verb;
    token.issued = kNow - seconds{10};
    if (verb != Verb::list_sets) token.metadata_prefix = "oai_dc";
    return token;
}

std::string resume_query(std::string_view verb, const ResumptionToken& token) {
    return "verb="s + std::string(verb) + "&resumptionToken=" + sealer().seal(token);
}

const std::string kList = "verb=ListRecords&metadataPrefix=oai_dc";

// Tells whether the validator of libxml2 accepts a value of type anyURI.
class Validator {
  public:
    Validator() {
        const std::string text =
            "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'><xs:element "
            "name='a'><xs:complexType><xs:attribute name='u' "
            "type='xs:anyURI'/></xs:complexType></xs:element></xs:schema>";
        const xml::SchemaParserHandle parser(
            xmlSchemaNewMemParserCtxt(text.data(), static_cast<int>(text.size())));
        schema_.reset(xmlSchemaParse(parser.get()));
    }
    bool accepts(std::string_view uri) const {
        std::string document = "<a u=\"";
        xml::append_attribute(document, uri);
        const xml::DocumentHandle tree = xml::parse_memory(document + "\"/>", "test");
        const xml::SchemaValidatorHandle validator(xmlSchemaNewValidCtxt(schema_.get()));
        return xmlSchemaValidateDoc(validator.get(), tree.get()) == 0;
    }

  private:
    xml::SchemaHandle schema_;
};

}  // namespace

TEST_CASE("arguments: verbs have their names and no others") {
    const std::pair<Verb, std::string> names[] = {
        {Verb::identify, "Identify"},        {Verb::list_metadata_formats, "ListMetadataFormats"},
        {Verb::list_sets, "ListSets"},       {Verb::get_record, "GetRecord"},
        {Verb::list_records, "ListRecords"}, {Verb::list_identifiers, "ListIdentifiers"}};
    for (const auto& [verb, name] : names) {
        CHECK(verb_name(verb) == name);
        CHECK(find_verb(name) == verb);
        CHECK_FALSE(find_verb(text::lower_ascii(name)));
        CHECK_FALSE(find_verb(name + " "));
    }
    CHECK_FALSE(find_verb(""));
}

TEST_CASE("arguments: a complete request becomes typed values") {
    const auto parsed = parse(kList + "&from=2026-01-01&until=2026-02-01&set=dom:ee");
    REQUIRE(parsed.errors.empty());
    CHECK(parsed.verb == Verb::list_records);
    CHECK(parsed.arguments.verb == Verb::list_records);
    CHECK(parsed.arguments.metadata_prefix == "oai_dc");
    CHECK(parsed.arguments.from == parse_datestamp("2026-01-01"));
    CHECK(parsed.arguments.until == parse_datestamp("2026-02-01"));
    CHECK(parsed.arguments.set == "dom:ee");
    CHECK_FALSE(parsed.arguments.identifier);
    CHECK_FALSE(parsed.arguments.token);
    CHECK(parse("verb=GetRecord&identifier=oai:x:%C3%B5%20%26&metadataPrefix=a")
              .arguments.identifier == "oai:x:\xC3\xB5 &");
}

TEST_CASE(
    "arguments: the request element repeats the arguments in their order, unless there is badVerb "
    "or badArgument") {
    using Echo = std::vector<Argument>;
    CHECK(parse("metadataPrefix=oai_dc&verb=ListRecords&set=a").echo ==
          Echo{{"metadataPrefix", "oai_dc"}, {"verb", "ListRecords"}, {"set", "a"}});
    CHECK(parse("verb=ListSets&resumptionToken=junk").echo ==
          Echo{{"verb", "ListSets"}, {"resumptionToken", "junk"}});
    CHECK(parse("verb=ListSets&resumptionToken=junk&x=1").echo.empty());
    CHECK(parse("verb=ListSets&x=1").echo.empty());
    CHECK(parse("verb=x").echo.empty());
    for (const char* identifier : {"%26+dir+C%3A%5C", "%252+-n", "oai%3A%5Bx"}) {
        INFO(identifier);
        CHECK(parse(std::string("verb=GetRecord&metadataPrefix=oai_dc&identifier=") + identifier)
                  .echo.size() == 2);
    }
    CHECK(parse("").echo.empty());
}

TEST_CASE("arguments: after badVerb nothing else is checked") {
    const std::pair<std::string, std::string> cases[] = {
        {"",
         "verb: missing: use one of Identify, ListMetadataFormats, ListSets, GetRecord, "
         "ListIdentifiers, ListRecords"},
        {"verb=", "verb: missing: use one of"},
        {"from=x&y=z", "verb: missing"},
        {"Verb=Identify", "verb: missing"},
        {"verb=identify&from=x", "verb: \"identify\" is not a verb: use one of"},
        {"verb=identify", "(case matters)"},
        {"verb=Identify&verb=Identify&from=x", "verb: given 2 times: give it once"},
        {"verb=Identify&verb=", "verb: given 2 times"},
        {"verb=%00", "verb: \"\xEF\xBF\xBD\" is not a verb"},
        {"verb=%zz", "verb: \"%zz\" is not a verb"}};
    for (const auto& [query, message] : cases) {
        CAPTURE(query);
        const OaiError error = only_error(query);
        CHECK(error.code == ErrorCode::bad_verb);
        CHECK_THAT(error.message, Contains(message));
        CHECK_FALSE(parse(query).verb);
    }
}

TEST_CASE("arguments: each wrong value gives one badArgument that says what is allowed") {
    const std::pair<std::string, std::string> cases[] = {
        {kList + "&from=2026-02-30",
         R"(from: "2026-02-30" is not a date: use YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ)"},
        {kList + "&until=2026-02-01T00:00:00.0Z",
         R"(until: "2026-02-01T00:00:00.0Z" is not a date)"},
        {kList + "&until=2026-02-01T00:00:00%2B01:00", R"(+01:00" is not a date)"},
        {kList + "&from=", "from: empty: give it a value or leave it out"},
        {kList + "&set=a::b", R"(set: "a::b" is not a setSpec)"},
        {kList + "&set=" + std::string(1025, 'a'), "use at most 1024 of"},
        {kList + "&set=", "set: empty"},
        {kList + "&set=%00", "set: has bytes that are not UTF-8, or characters that XML forbids"},
        {kList + "&set=%FF", "set: has bytes that are not UTF-8"},
        {kList + "&set=a%2",
         "set: has a % without two hexadecimal digits after it: write % itself as %25"},
        {kList + "&from=%zz", "from: has a % without two"},
        {kList + "&metadataPrefix=oai_dc", "metadataPrefix: given 2 times: give it once"},
        {kList + "&set=a&set=a&set=", "set: given 3 times"},
        {kList + "&x=1&x=2",
         R"("x": not an argument of ListRecords, which takes metadataPrefix, from, until, set)"},
        {kList + "&=1", R"("": not an argument of)"},
        {kList + "&%zz=1", R"("%zz": not an argument of)"},
        {kList + "&From=2026-01-01", R"("From": not an argument of)"},
        {"verb=Identify&set=a", R"("set": not an argument of Identify, which takes no argument)"},
        {"verb=ListRecords", "metadataPrefix: missing: ListRecords requires it"},
        {"verb=ListRecords&metadataPrefix=a:b", R"(metadataPrefix: "a:b" cannot be one)"},
        {"verb=ListRecords&metadataPrefix=" + std::string(256, 'a'), "use at most 255 of"},
        {"verb=ListMetadataFormats&identifier=", "identifier: empty"},
        {"verb=ListMetadataFormats&identifier=" + std::string(4097, 'a'),
         "identifier: 4097 bytes long: use at most 4096"},
        {"verb=ListSets&resumptionToken=", "resumptionToken: empty"},
        {"verb=ListSets&resumptionToken=%FF", "resumptionToken: has bytes that are not UTF-8"}};
    for (const auto& [query, message] : cases) {
        CAPTURE(query, message);
        const OaiError error = only_error(query);
        CHECK(error.code == ErrorCode::bad_argument);
        CHECK_THAT(error.message, Contains(message));
        CHECK(parse(query).verb);
    }
}

TEST_CASE("arguments: values at their limits are accepted") {
    CHECK(messages("verb=ListMetadataFormats&identifier=" + std::string(4096, 'a')).empty());
    CHECK(messages(kList + "&set=" + std::string(1024, 'a')).empty());
    CHECK(messages("verb=ListRecords&metadataPrefix=" + std::string(255, 'a')).empty());
    CHECK(messages("verb=ListMetadataFormats&identifier=%25zz").empty());
    CHECK(messages("verb=ListMetadataFormats&identifier=not%20a%20URI%3C%22").empty());
}

TEST_CASE("arguments: a malformed %HH is reported for the argument that has it") {
    CHECK(messages("verb=ListMetadataFormats&identifier=%25x&y=%zz") ==
          "\"y\": not an argument of ListMetadataFormats, which takes identifier\n"
          "identifier: has a % without two hexadecimal digits after it: write % itself as %25\n");
    CHECK_THAT(messages(kList + "&set=a&from=%z"), !Contains("set:"));
}

TEST_CASE("arguments: from and until must agree with each other") {
    const auto range = [](const std::string& from, const std::string& until) {
        return messages(kList + "&from=" + from + "&until=" + until);
    };
    CHECK(range("2026-01-01", "2026-01-01").empty());
    CHECK(range("2026-01-01", "2026-01-02").empty());
    CHECK(range("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z").empty());
    CHECK(range("9999-12-31", "9999-12-31").empty());  // dates in the future are valid
    CHECK(range("2026-01-02", "2026-01-01") ==
          "from: 2026-01-02T00:00:00Z is later than until, which is 2026-01-01T23:59:59Z: it must "
          "not be\n");
    CHECK_THAT(range("2026-01-01T00:00:01Z", "2026-01-01T00:00:00Z"), Contains("is later than"));
    const std::string mixed = "from: not of the same granularity as until: write both as";
    CHECK(range("2026-01-01", "2026-01-01T00:00:00Z").starts_with(mixed));
    CHECK(range("2026-01-01T00:00:00Z", "2026-01-01").starts_with(mixed));
    CHECK(parse(kList + "&from=2027-01-01T00:00:00Z&until=2026-01-01").errors.size() ==
          1);  // only the mixed granularity
}

TEST_CASE("arguments: all errors are reported at once") {
    CHECK(messages("verb=ListRecords&from=x&until=y&set=:&z=1&metadataPrefix=a&metadataPrefix=b&"
                   "identifier=q") ==
          "\"z\": not an argument of ListRecords, which takes metadataPrefix, from, until, set, "
          "resumptionToken\n"
          "\"identifier\": not an argument of ListRecords, which takes metadataPrefix, from, "
          "until, set, resumptionToken\n"
          "metadataPrefix: given 2 times: give it once\n"
          "from: \"x\" is not a date: use YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ\n"
          "until: \"y\" is not a date: use YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ\n"
          "set: \":\" is not a setSpec: use at most 1024 of A-Z a-z 0-9 -_.!~*'() in parts joined "
          "by ':', as ListSets gives them\n");
    CHECK(messages("verb=GetRecord") ==
          "identifier: missing: GetRecord requires it\n"
          "metadataPrefix: missing: GetRecord requires it\n");
}

TEST_CASE("arguments: a resumptionToken continues its list") {
    for (const Verb verb : {Verb::list_sets, Verb::list_identifiers, Verb::list_records}) {
        const auto parsed = parse(resume_query(verb_name(verb), token_of(verb)));
        CHECK(parsed.errors.empty());
        CHECK(parsed.arguments.token == token_of(verb));
        CHECK(parsed.echo.size() == 2);
    }
}

TEST_CASE(
    "arguments: a resumptionToken of another verb, key or format, or an expired one, is bad") {
    const auto refusal = [](const ResumptionToken& token) {
        const OaiError error = only_error(resume_query("ListRecords", token));
        CHECK(error.code == ErrorCode::bad_resumption_token);
        CHECK_THAT(error.message, Contains("begin the list anew without it"));
        return error.message;
    };
    const auto aged = [](int age_seconds) {
        ResumptionToken token = token_of(Verb::list_records);
        token.issued = kNow - seconds{age_seconds};
        return token;
    };
    CHECK_THAT(refusal(token_of(Verb::list_identifiers)),
               Contains("issued for ListIdentifiers, not for ListRecords"));
    CHECK_THAT(refusal(token_of(Verb::list_sets)), Contains("issued for ListSets"));
    CHECK_THAT(refusal(aged(kLifetimeSeconds)),
               Contains("issued at 2026-11-21T23:11:43Z, expired after 1000 seconds"));
    CHECK(messages(resume_query("ListRecords", aged(kLifetimeSeconds - 1))).empty());
    CHECK(messages(resume_query("ListRecords", aged(-200'000)))
              .empty());  // issued by a host whose clock is ahead
    refusal(aged(2'000'000'000));
    ResumptionToken extreme = token_of(Verb::list_records);
    extreme.issued = Seconds::min();
    refusal(extreme);
    extreme.issued = Seconds::max();
    CHECK(messages(resume_query("ListRecords", extreme)).empty());
    const TokenSealer other(TokenKey{9});
    CHECK_THAT(
        only_error("verb=ListRecords&resumptionToken=" + other.seal(token_of(Verb::list_records)))
            .message,
        Contains("not issued by this"));
}

TEST_CASE("arguments: the values in an authentic token are checked, too") {
    const auto refused = [](auto change) {
        ResumptionToken token = token_of(Verb::list_records);
        change(token);
        return only_error(resume_query("ListRecords", token)).code ==
               ErrorCode::bad_resumption_token;
    };
    CHECK(refused([](ResumptionToken& t) { t.metadata_prefix = ""; }));
    CHECK(refused([](ResumptionToken& t) { t.metadata_prefix = "a:b"; }));
    CHECK(refused([](ResumptionToken& t) { t.set = "a::b"; }));
    CHECK(refused([](ResumptionToken& t) { t.after = -1; }));
    CHECK(refused([](ResumptionToken& t) { t.upto = -1; }));
    CHECK(refused([](ResumptionToken& t) { t.reach = -1; }));
    CHECK(refused([](ResumptionToken& t) { t.cursor = -1; }));
    CHECK(refused([](ResumptionToken& t) { t.size = -2; }));
    ResumptionToken sets = token_of(Verb::list_sets);
    sets.set = "a";
    CHECK(only_error(resume_query("ListSets", sets)).code == ErrorCode::bad_resumption_token);
}

TEST_CASE("arguments: a resumptionToken allows no other argument than the verb") {
    const std::string query = resume_query("ListRecords", token_of(Verb::list_records));
    CHECK(messages(query + "&metadataPrefix=oai_dc&from=rubbish") ==
          "resumptionToken: excludes every other argument but verb: leave out metadataPrefix, "
          "from\n");
    CHECK(messages(query + "&x=1").starts_with("\"x\": not an argument"));
    const auto both = parse("verb=ListRecords&resumptionToken=junk&set=a").errors;
    REQUIRE(both.size() == 2);
    CHECK(both[0].code == ErrorCode::bad_resumption_token);
    CHECK(both[1].code == ErrorCode::bad_argument);
    CHECK(messages(query + "&resumptionToken=again") ==
          "resumptionToken: given 2 times: give it once\n");
}

TEST_CASE("arguments: error messages quote little of the request, and are XML text") {
    std::string all_bytes;
    for (int byte = 0; byte < 256; ++byte) {
        const char* hex = "0123456789ABCDEF";
        all_bytes += {'%', hex[byte / 16], hex[byte % 16]};
    }
    const std::string marks[] = {std::string(3000, 'Z'),
                                 all_bytes,
                                 "%F0%9F%98%80%F0%9F%98%80" + std::string(100, 'Z'),
                                 std::string(58, 'Z') + "%C3%A9%C3%A9",
                                 std::string(59, 'Z') + "%C3%A9",
                                 "a%0Ab%0D%09c"};
    for (const std::string& value : marks) {
        for (const std::string& before :
             {"verb="s, kList + "&from=", kList + "&until=", kList + "&set=:", kList + "&",
              "verb=ListRecords&metadataPrefix=:"s, "verb=ListSets&resumptionToken="s}) {
            const auto parsed = parse(before + value);
            REQUIRE_FALSE(parsed.errors.empty());
            for (const OaiError& error : parsed.errors) {
                CAPTURE(error.message);
                CHECK(text::is_xml_text(error.message));
                CHECK(error.message.find_first_of("\n\r\t") == std::string::npos);
                CHECK(std::count(error.message.begin(), error.message.end(), 'Z') <=
                      60 + 2);  // and the 2 quotes
                CHECK(error.message.size() < 260);
            }
        }
    }
    CHECK_THAT(only_error(kList + "&from=" + std::string(60, 'q')).message,
               Contains(std::string(60, 'q') + "\" is"));
    CHECK_THAT(only_error(kList + "&from=" + std::string(61, 'q')).message,
               Contains(std::string(60, 'q') + "\"... is"));
}

TEST_CASE("arguments: thousands of unknown arguments give few errors") {
    std::string query = "verb=Identify";
    for (int i = 0; i < 20'000; ++i) query += "&n" + std::to_string(i);
    const auto errors = parse(query + "&n3=again").errors;
    REQUIRE(errors.size() == 9);
    CHECK(errors[7].message == "\"n7\": not an argument of Identify, which takes no argument");
    CHECK(errors[8].message == "19992 more arguments that Identify does not take");
    CHECK_THAT(messages("verb=Identify&a&b&c&d&e&f&g&h"), !Contains("more arguments"));
}

TEST_CASE("anyURI: accepts identifiers and rejects what is no URI") {
    for (const char* good : {"oai:example.org:1", "http://a/b?c=d&e#f", "urn:isbn:1", "x", "",
                             "oai:x:\xC5\xBE", "oai:x:{1}", "a%20b"})
        CHECK(xml::is_any_uri(good));
    for (const char* bad : {"& dir C:\\", "%2 -n", "oai:[x", "a b", "%zz", "http://[::1", "a\tb"})
        CHECK_FALSE(xml::is_any_uri(bad));
}

TEST_CASE("anyURI: whatever it accepts, libxml2's validator accepts") {
    const Validator validator;
    constexpr std::string_view kBytes = "a:/?#[]@!$&'()*+,;=%2 {}|\\^`\"<>~-._\xC5\xBE";
    int accepted = 0;
    for (const char a : kBytes) {
        for (const char b : kBytes) {
            for (const char c : std::string_view("a:/[%2\\ ")) {
                const std::string uri = {'o', a, b, c};
                if ((a == '\xC5') != (b == '\xBE')) continue;  // skips incomplete UTF-8 sequences
                if (a == '\xBE' || b == '\xC5' || !xml::is_any_uri(uri)) continue;
                ++accepted;
                INFO(uri);
                CHECK(validator.accepts(uri));
            }
        }
    }
    CHECK(accepted > 1000);
}
