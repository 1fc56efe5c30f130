// SPDX-License-Identifier: MIT
#include "base/config_keys.h"

#include <fmt/format.h>
#include <re2/re2.h>
#include <sys/un.h>

#include <algorithm>
#include <array>

#include "base/address.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"

namespace oai {
namespace {

// Regular expressions of RE2, for all bytes of a value.
const std::string kLabel = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
const std::string kPort =
    "0*(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])";
// Bare host names and IPv4 addresses are allowed, since tests and intranets use them.
const std::string kAuthority = kLabel + "(?:\\." + kLabel + ")*(?::" + kPort + ")?";
// Only pchar and '/' of RFC 3986.
const std::string kPath = "/(?:[A-Za-z0-9/._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})*";
const std::string kUrl = "https?://" + kAuthority + "(?:" + kPath + ")?";
const std::string kReplayUrl = "https?://" + kAuthority + kPath + "(?:\\?[^{]*)?\\{[^}]*\\}.*";
// A dot-atom of RFC 5322, and a domain of two labels or more, the last of which begins with a
// letter. So IP addresses and bare host names are excluded.
const std::string kAtom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const std::string kMailAddress = kAtom + "(?:\\." + kAtom + ")*@(?:" + kLabel +
                                 "\\.)+[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
const std::string kDottedNames = "[A-Za-z][A-Za-z0-9-]*(?:\\.[A-Za-z][A-Za-z0-9-]*)+";
const std::string kTags = kLabel + "(?: " + kLabel + ")*";
const std::string kImageName = ".*\\.(?:svg|png)";
const std::string kFileName = "[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}";
const std::string kPrefix = "[A-Za-z0-9_.!~*'()-]+";
const std::string kPrefixList = kPrefix + "(?:, *" + kPrefix + ")*";

template <const std::string& pattern>
bool matches(std::string_view value) {
    static const re2::RE2 expression(pattern, re2::RE2::Latin1);
    return re2::RE2::FullMatch(re2::StringPiece(value.data(), value.size()), expression);
}

// Lengths: RFC 5321, 4.5.3.1.
bool is_email(std::string_view value) {
    const std::size_t at = value.find('@');
    return at <= 64 && value.size() <= at + 1 + 253 && matches<kMailAddress>(value);
}

// Which values of a key are valid.
struct ValueCheck {
    bool (*accepts)(std::string_view value);
    const char* valid;  // describes them
};
const ValueCheck kNotEmpty{[](std::string_view value) { return !value.empty(); },
                           "a value (or comment the line out)"};
// The registration validator of openarchives.org compares it byte for byte, and demands such a
// mail address.
const ValueCheck kBaseUrl{matches<kUrl>,
                          "an http:// or https:// URL without user, query and fragment"};
const ValueCheck kEmail{is_email, "local@domain.tld, without mailto:"};
const ValueCheck kContact{
    [](std::string_view value) { return is_email(value) || matches<kUrl>(value); },
    "local@domain.tld, or http:// or https:// without a query"};
const ValueCheck kNamespace{matches<kDottedNames>,
                            "a domain name with a dot, each label beginning with a letter"};
const ValueCheck kSocket{[](std::string_view value) {
                             return !value.empty() && value.size() < sizeof(sockaddr_un::sun_path);
                         },
                         "a path of 1 to 107 bytes (or comment the line out)"};
const ValueCheck kLanguages{matches<kTags>, "language tags with single blanks between"};
const ValueCheck kReplay{
    matches<kReplayUrl>,
    "an http:// or https:// URL with columns behind its host, as https://host/{url}"};
const ValueCheck kLogo{matches<kImageName>, "a file named *.svg or *.png"};
const ValueCheck kRuleName{matches<kFileName>,
                           "the name of a file NAME.set of a rule, without .set"};
const ValueCheck kPrefixes{matches<kPrefixList>, "metadataPrefixes with commas between"};
const ValueCheck kAddressRange{
    [](std::string_view value) { return AddressRange::parse(value).has_value(); },
    "an address (192.0.2.7, 2001:db8::7) or range (192.0.2.0/24, 2001:db8::/32)"};

constexpr std::array<std::string_view, 3> kDeletedRecord{"no", "transient", "persistent"};
constexpr std::array<std::string_view, 2> kOnBadRecord{"skip", "fail"};
constexpr std::array<std::string_view, 2> kNoYes{"no", "yes"};

// Upper bounds that nobody needs to exceed, and whose products are far from overflowing an int.
constexpr int kDaySeconds = 86'400;
constexpr int kMaxRows = 1'000'000;

// The types of keys. Each value lies in a section of Config, as a member there.
using C = Config;
template <auto section, auto member>
KeyType text_key(const ValueCheck& check) {
    return {"text", check.valid, [](const Config& c) { return c.*section.*member; },
            [&check](Config& c, std::string_view value) {
                const bool is_valid = check.accepts(value);
                if (is_valid) c.*section.*member = value;
                return is_valid;
            }};
}
template <auto section, auto member>
KeyType list_key(const ValueCheck& check) {
    return {"text, repeatable", check.valid,
            [](const Config& c) { return fmt::format("{}", fmt::join(c.*section.*member, ", ")); },
            [&check](Config& c, std::string_view value) {
                const bool is_valid = check.accepts(value);
                if (is_valid) (c.*section.*member).emplace_back(value);
                return is_valid;
            },
            true};
}
template <auto section, auto member>
KeyType integer_key(int min, int max) {
    const std::string form = fmt::format("integer {}..{}", min, max);
    return {form, form, [](const Config& c) { return std::to_string(c.*section.*member); },
            [min, max](Config& c, std::string_view value) {
                const auto number = text::to_integer(value);
                const bool is_valid = number && *number >= min && *number <= max;
                if (is_valid) c.*section.*member = static_cast<int>(*number);
                return is_valid;
            }};
}
// Of an enumeration or a bool; the words are in the order of its values.
template <auto section, auto member>
KeyType choice_key(std::span<const std::string_view> words, const std::string& form) {
    using Value = std::remove_reference_t<decltype(std::declval<Config&>().*section.*member)>;
    return {form, form,
            [words](const Config& c) {
                return std::string(words[static_cast<std::size_t>(c.*section.*member)]);
            },
            [words](Config& c, std::string_view value) {
                const auto word = std::find(words.begin(), words.end(), value);
                if (word == words.end()) return false;
                c.*section.*member = static_cast<Value>(word - words.begin());
                return true;
            }};
}
template <auto section, auto member>
KeyType flag_key() {
    return choice_key<section, member>(kNoYes, "yes or no");
}
template <auto section, auto member>
KeyType datestamp_key() {
    const std::string form = "YYYY-MM-DDThh:mm:ssZ";
    return {form, form,
            [](const Config& c) {
                const auto& time = c.*section.*member;
                return time ? print_utc(*time) : std::string();
            },
            [](Config& c, std::string_view value) {
                const auto time = parse_utc(value);
                if (time) c.*section.*member = *time;
                return time.has_value();
            }};
}

const KeyRow kRows[] = {
    {"repository", "name", true, "repositoryName of Identify.",
     text_key<&C::repository, &C::Repository::name>(kNotEmpty)},
    {"repository", "base_url", true,
     "baseURL of Identify, byte for byte the URL that harvesters use.",
     text_key<&C::repository, &C::Repository::base_url>(kBaseUrl)},
    {"repository", "admin_email", true, "adminEmail of Identify; repeat the key for several.",
     list_key<&C::repository, &C::Repository::admin_email>(kEmail)},
    {"repository", "identifier_namespace", true,
     "The namespace in oai:<namespace>:<local id>, a domain name of yours.",
     text_key<&C::repository, &C::Repository::identifier_namespace>(kNamespace)},
    {"repository", "deleted_record", false,
     "deletedRecord of Identify: whether and how long deletions are kept.",
     choice_key<&C::repository, &C::Repository::deleted_record>(kDeletedRecord,
                                                                "no or transient or persistent")},
    {"repository", "earliest_datestamp", false,
     "A lower bound of earliestDatestamp, which is computed if this is unset.",
     datestamp_key<&C::repository, &C::Repository::earliest_datestamp>()},
    {"repository", "description", false,
     "A file with one XML element for <description> of Identify; repeat for several.",
     list_key<&C::repository, &C::Repository::description>(kNotEmpty)},
    {"repository", "sets", false, "Whether the repository has sets.",
     flag_key<&C::repository, &C::Repository::sets>()},
    {"repository", "compression", false,
     "Whether responses are compressed by gzip for harvesters that accept it.",
     flag_key<&C::repository, &C::Repository::compression>()},
    {"repository", "only", false,
     "A view, whose items alone exist in this repository; unset: all items do.",
     text_key<&C::repository, &C::Repository::only>(kRuleName)},

    {"lists", "records", false, "Records in a page of ListIdentifiers and ListRecords, at most.",
     integer_key<&C::lists, &C::Lists::records>(1, 10'000)},
    {"lists", "sets", false, "Sets in a page of ListSets, at most.",
     integer_key<&C::lists, &C::Lists::sets>(1, 10'000)},
    {"lists", "page_bytes", false, "A page ends after the record with which it exceeds this size.",
     integer_key<&C::lists, &C::Lists::page_bytes>(1, 1'000'000'000)},
    {"lists", "page_milliseconds", false, "A page ends when it has taken this long.",
     integer_key<&C::lists, &C::Lists::page_milliseconds>(1, 600'000)},
    {"lists", "token_lifetime_seconds", false,
     "How long a resumptionToken is accepted, as its expirationDate says.",
     integer_key<&C::lists, &C::Lists::token_lifetime_seconds>(1, 3650 * kDaySeconds)},
    {"lists", "cache_seconds", false,
     "How long caches may keep a page of a list whose until is in the past; 0: not at all.",
     integer_key<&C::lists, &C::Lists::cache_seconds>(0, 365 * kDaySeconds)},
    {"lists", "count_limit", false, "completeListSize is counted only up to this number.",
     integer_key<&C::lists, &C::Lists::count_limit>(0, 100'000'000)},
    {"lists", "on_bad_record", false,
     "Whether a record that cannot be transformed is left out or makes the request fail.",
     choice_key<&C::lists, &C::Lists::on_bad_record>(kOnBadRecord, "skip or fail")},

    {"token", "key_file", true, "The file with the secret key of resumptionTokens: 64 hex digits.",
     text_key<&C::token, &C::Token::key_file>(kNotEmpty)},
    {"token", "previous_key_file", false,
     "The previous key, whose tokens are still accepted while keys are rotated.",
     text_key<&C::token, &C::Token::previous_key_file>(kNotEmpty)},

    {"formats", "directory", true,
     "The directory of the stylesheets, one for each metadata format.",
     text_key<&C::formats, &C::Formats::directory>(kNotEmpty)},
    {"formats", "catalog", false,
     "An XML catalog of files that stand for addresses from which stylesheets import; unset: "
     "catalog.xml of the directory, if it is there.",
     text_key<&C::formats, &C::Formats::catalog>(kNotEmpty)},
    {"formats", "only", false,
     "The metadataPrefixes that are offered, with commas between; oai_dc always is. Unset: all.",
     text_key<&C::formats, &C::Formats::only>(kPrefixes)},
    {"formats", "compiled", false,
     "Whether simple stylesheets run compiled. no: libxslt runs all of them.",
     flag_key<&C::formats, &C::Formats::compiled>()},
    {"formats", "compiled_check_every", false,
     "One record in this many is also made by libxslt and compared; 0: none.",
     integer_key<&C::formats, &C::Formats::compiled_check_every>(0, 1'000'000'000)},

    {"browse", "directory", false,
     "The directory of the pages for people; unset: there are no pages.",
     text_key<&C::browse, &C::Browse::directory>(kNotEmpty)},
    {"browse", "languages", false, "Languages of the pages; the first is the default.",
     text_key<&C::browse, &C::Browse::languages>(kLanguages)},
    {"browse", "records", false, "Records in a page of a list for people, at most.",
     integer_key<&C::browse, &C::Browse::records>(1, 1'000)},
    {"browse", "replay", false,
     "Address at which the content of a record can be viewed, with columns as {name}.",
     text_key<&C::browse, &C::Browse::replay>(kReplay)},
    {"browse", "name", false, "A name that is shown instead of the repository's.",
     text_key<&C::browse, &C::Browse::name>(kNotEmpty)},
    {"browse", "logo", false, "A file of SVG or PNG that is shown beside the name.",
     text_key<&C::browse, &C::Browse::logo>(kLogo)},

    {"database", "connection", true, "libpq connection string of the role that only reads.",
     text_key<&C::database, &C::Database::connection>(kNotEmpty)},
    {"database", "connections", false, "Connections that the server holds, at most.",
     integer_key<&C::database, &C::Database::connections>(1, 1'000)},
    {"database", "max_wait_milliseconds", false,
     "How long a request waits for a free connection before it is answered 503.",
     integer_key<&C::database, &C::Database::max_wait_milliseconds>(0, 600'000)},
    {"database", "max_waiters", false,
     "Requests that may wait at the same time; one more is answered 503 at once.",
     integer_key<&C::database, &C::Database::max_waiters>(0, 1'000)},
    {"database", "statement_timeout_milliseconds", false,
     "PostgreSQL stops a statement of the server after this.",
     integer_key<&C::database, &C::Database::statement_timeout_milliseconds>(1, 3'600'000)},
    {"database", "connection_seconds", false,
     "A connection is replaced after this time, so that a host that had failed comes back into "
     "use.",
     integer_key<&C::database, &C::Database::connection_seconds>(1, kDaySeconds)},
    {"database", "replica_lag_seconds", false,
     "How far replicas may be behind without a harvester having to wait; responseDate is earlier "
     "by this time.",
     integer_key<&C::database, &C::Database::replica_lag_seconds>(0, kDaySeconds)},

    {"server", "socket", false,
     "Path of the FastCGI socket; unset: the socket is passed by systemd or as descriptor 0.",
     text_key<&C::server, &C::Server::socket>(kSocket)},
    {"server", "workers", false, "Worker threads, each of which answers one request at a time.",
     integer_key<&C::server, &C::Server::workers>(5, 4'096)},
    {"server", "post_limit_bytes", false, "A longer body of a POST request is answered 413.",
     integer_key<&C::server, &C::Server::post_limit_bytes>(1, 16'777'216)},
    {"server", "request_seconds", false, "The deadline of a request.",
     integer_key<&C::server, &C::Server::request_seconds>(1, 3'600)},
    {"server", "idle_seconds", false,
     "A connection on which the web server neither sends nor reads for this long is closed.",
     integer_key<&C::server, &C::Server::idle_seconds>(1, 3'600)},
    {"server", "retry_after_seconds", false, "The Retry-After header of a 503 response.",
     integer_key<&C::server, &C::Server::retry_after_seconds>(1, kDaySeconds)},

    {"clients", "trusted_proxy", false,
     "An address or range of proxies whose X-Forwarded-For is trusted; repeat for several.",
     list_key<&C::clients, &C::Clients::trusted_proxy>(kAddressRange)},
    {"clients", "requests_per_minute", false,
     "Requests for the database that one client may make in a minute, in the long run; 0: no "
     "limit.",
     integer_key<&C::clients, &C::Clients::requests_per_minute>(0, 1'000'000)},
    {"clients", "burst", false, "Requests that a client may make at once after a pause.",
     integer_key<&C::clients, &C::Clients::burst>(1, 1'000'000)},
    {"clients", "unlimited", false,
     "An address or range of clients that are not limited; repeat for several.",
     list_key<&C::clients, &C::Clients::unlimited>(kAddressRange)},

    {"publisher", "connection", false,
     "libpq connection string of the publishing role; oai publish needs it.",
     text_key<&C::publisher, &C::Publisher::connection>(kNotEmpty)},
    {"publisher", "slice_records", false, "Records published in one transaction, at most.",
     integer_key<&C::publisher, &C::Publisher::slice_records>(1, kMaxRows)},
    {"publisher", "late_seconds", false,
     "The server is degraded if publishing is further behind the clock than this.",
     integer_key<&C::publisher, &C::Publisher::late_seconds>(5, kDaySeconds)},
    {"publisher", "sets", false,
     "The directory of sets by a rule, one file NAME.set for each; unset: the directory sets "
     "beside oai.ini, if it is there.",
     text_key<&C::publisher, &C::Publisher::sets>(kNotEmpty)},

    {"loader", "connection", false,
     "libpq connection string of the loading role; oai load needs it.",
     text_key<&C::loader, &C::Loader::connection>(kNotEmpty)},
    {"loader", "slice_records", false, "Records loaded in one transaction, at most.",
     integer_key<&C::loader, &C::Loader::slice_records>(1, kMaxRows)},

    {"harvest", "normalise", false,
     "The directory of the stylesheets that can normalise harvested oai_dc.",
     text_key<&C::harvest, &C::Harvest::normalise>(kNotEmpty)},
    {"harvest", "repositories", false, "Repositories harvested at the same time, at most.",
     integer_key<&C::harvest, &C::Harvest::repositories>(1, 64)},
    {"harvest", "contact", false,
     "A mail address or URL shown to harvested repositories; unset: the first admin_email.",
     text_key<&C::harvest, &C::Harvest::contact>(kContact)},
    {"harvest", "allow_private", false,
     "Whether redirects of harvested repositories to private addresses are followed.",
     flag_key<&C::harvest, &C::Harvest::allow_private>()},

    {"log", "level", false, "The lowest level that is logged.",
     choice_key<&C::log, &C::Log::level>(log::kLevelNames, "debug or info or warning or error")},
};

}  // namespace

std::span<const KeyRow> key_rows() { return kRows; }

}  // namespace oai
