// SPDX-License-Identifier: MIT
#include "base/config_keys.h"

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

constexpr std::array<std::string_view, 3> kDeletedRecord{"no", "transient", "persistent"};
constexpr std::array<std::string_view, 2> kOnBadRecord{"skip", "fail"};

// Upper bounds that nobody needs to exceed, and whose products are far from overflowing an int.
constexpr int kDaySeconds = 86'400;
constexpr int kMaxRows = 1'000'000;

// Where a value lies in Config: its section and its member there.
using C = Config;
template <auto section, auto member>
auto& at(Config& c) {
    return c.*section.*member;
}
// Of an enumeration; the words are in the order of its values.
template <auto section, auto member>
ChoiceKey choice(std::span<const std::string_view> words) {
    using Value = std::remove_reference_t<decltype(std::declval<Config&>().*section.*member)>;
    return {words, [](const Config& c) { return static_cast<std::size_t>(c.*section.*member); },
            [](Config& c, std::size_t word) { c.*section.*member = static_cast<Value>(word); }};
}

const KeyRow kRows[] = {
    {"repository", "name", true, "repositoryName of Identify.",
     TextKey{at<&C::repository, &C::Repository::name>, kNotEmpty}},
    {"repository", "base_url", true,
     "baseURL of Identify, byte for byte the URL that harvesters use.",
     TextKey{at<&C::repository, &C::Repository::base_url>, kBaseUrl}},
    {"repository", "admin_email", true, "adminEmail of Identify; repeat the key for several.",
     ListKey{at<&C::repository, &C::Repository::admin_email>, kEmail}},
    {"repository", "identifier_namespace", true,
     "The namespace in oai:<namespace>:<local id>, a domain name of yours.",
     TextKey{at<&C::repository, &C::Repository::identifier_namespace>, kNamespace}},
    {"repository", "deleted_record", false,
     "deletedRecord of Identify: whether and how long deletions are kept.",
     choice<&C::repository, &C::Repository::deleted_record>(kDeletedRecord)},
    {"repository", "earliest_datestamp", false,
     "A lower bound of earliestDatestamp, which is computed if this is unset.",
     DatestampKey{at<&C::repository, &C::Repository::earliest_datestamp>}},
    {"repository", "description", false,
     "A file with one XML element for <description> of Identify; repeat for several.",
     ListKey{at<&C::repository, &C::Repository::description>, kNotEmpty}},
    {"repository", "sets", false, "Whether the repository has sets.",
     FlagKey{at<&C::repository, &C::Repository::sets>}},
    {"repository", "compression", false,
     "Whether responses are compressed by gzip for harvesters that accept it.",
     FlagKey{at<&C::repository, &C::Repository::compression>}},
    {"repository", "only", false,
     "A view, whose items alone exist in this repository; unset: all items do.",
     TextKey{at<&C::repository, &C::Repository::only>, kRuleName}},

    {"lists", "records", false, "Records in a page of ListIdentifiers and ListRecords, at most.",
     IntegerKey{at<&C::lists, &C::Lists::records>, 1, 10'000}},
    {"lists", "sets", false, "Sets in a page of ListSets, at most.",
     IntegerKey{at<&C::lists, &C::Lists::sets>, 1, 10'000}},
    {"lists", "page_bytes", false, "A page ends after the record with which it exceeds this size.",
     IntegerKey{at<&C::lists, &C::Lists::page_bytes>, 1, 1'000'000'000}},
    {"lists", "page_milliseconds", false, "A page ends when it has taken this long.",
     IntegerKey{at<&C::lists, &C::Lists::page_milliseconds>, 1, 600'000}},
    {"lists", "token_lifetime_seconds", false,
     "How long a resumptionToken is accepted, as its expirationDate says.",
     IntegerKey{at<&C::lists, &C::Lists::token_lifetime_seconds>, 1, 3650 * kDaySeconds}},
    {"lists", "cache_seconds", false,
     "How long caches may keep a page of a list whose until is in the past; 0: not at all.",
     IntegerKey{at<&C::lists, &C::Lists::cache_seconds>, 0, 365 * kDaySeconds}},
    {"lists", "count_limit", false, "completeListSize is counted only up to this number.",
     IntegerKey{at<&C::lists, &C::Lists::count_limit>, 0, 100'000'000}},
    {"lists", "on_bad_record", false,
     "Whether a record that cannot be transformed is left out or makes the request fail.",
     choice<&C::lists, &C::Lists::on_bad_record>(kOnBadRecord)},

    {"token", "key_file", true, "The file with the secret key of resumptionTokens: 64 hex digits.",
     TextKey{at<&C::token, &C::Token::key_file>, kNotEmpty}},
    {"token", "previous_key_file", false,
     "The previous key, whose tokens are still accepted while keys are rotated.",
     TextKey{at<&C::token, &C::Token::previous_key_file>, kNotEmpty}},

    {"formats", "directory", true,
     "The directory of the stylesheets, one for each metadata format.",
     TextKey{at<&C::formats, &C::Formats::directory>, kNotEmpty}},
    {"formats", "catalog", false,
     "An XML catalog of files that stand for addresses from which stylesheets import; unset: "
     "catalog.xml of the directory, if it is there.",
     TextKey{at<&C::formats, &C::Formats::catalog>, kNotEmpty}},
    {"formats", "only", false,
     "The metadataPrefixes that are offered, with commas between; oai_dc always is. Unset: all.",
     TextKey{at<&C::formats, &C::Formats::only>, kPrefixes}},
    {"formats", "compiled", false,
     "Whether simple stylesheets run compiled. no: libxslt runs all of them.",
     FlagKey{at<&C::formats, &C::Formats::compiled>}},
    {"formats", "compiled_check_every", false,
     "One record in this many is also made by libxslt and compared; 0: none.",
     IntegerKey{at<&C::formats, &C::Formats::compiled_check_every>, 0, 1'000'000'000}},

    {"browse", "directory", false,
     "The directory of the pages for people; unset: there are no pages.",
     TextKey{at<&C::browse, &C::Browse::directory>, kNotEmpty}},
    {"browse", "languages", false, "Languages of the pages; the first is the default.",
     TextKey{at<&C::browse, &C::Browse::languages>, kLanguages}},
    {"browse", "records", false, "Records in a page of a list for people, at most.",
     IntegerKey{at<&C::browse, &C::Browse::records>, 1, 1'000}},
    {"browse", "replay", false,
     "Address at which the content of a record can be viewed, with columns as {name}.",
     TextKey{at<&C::browse, &C::Browse::replay>, kReplay}},
    {"browse", "name", false, "A name that is shown instead of the repository's.",
     TextKey{at<&C::browse, &C::Browse::name>, kNotEmpty}},
    {"browse", "logo", false, "A file of SVG or PNG that is shown beside the name.",
     TextKey{at<&C::browse, &C::Browse::logo>, kLogo}},

    {"database", "connection", true, "libpq connection string of the role that only reads.",
     TextKey{at<&C::database, &C::Database::connection>, kNotEmpty}},
    {"database", "connections", false, "Connections that the server holds, at most.",
     IntegerKey{at<&C::database, &C::Database::connections>, 1, 1'000}},
    {"database", "max_wait_milliseconds", false,
     "How long a request waits for a free connection before it is answered 503.",
     IntegerKey{at<&C::database, &C::Database::max_wait_milliseconds>, 0, 600'000}},
    {"database", "max_waiters", false,
     "Requests that may wait at the same time; one more is answered 503 at once.",
     IntegerKey{at<&C::database, &C::Database::max_waiters>, 0, 1'000}},
    {"database", "statement_timeout_milliseconds", false,
     "PostgreSQL stops a statement of the server after this.",
     IntegerKey{at<&C::database, &C::Database::statement_timeout_milliseconds>, 1, 3'600'000}},
    {"database", "connection_seconds", false,
     "A connection is replaced after this time, so that a host that had failed comes back into "
     "use.",
     IntegerKey{at<&C::database, &C::Database::connection_seconds>, 1, kDaySeconds}},
    {"database", "replica_lag_seconds", false,
     "How far replicas may be behind without a harvester having to wait; responseDate is earlier "
     "by "
     "this time.",
     IntegerKey{at<&C::database, &C::Database::replica_lag_seconds>, 0, kDaySeconds}},

    {"server", "socket", false,
     "Path of the FastCGI socket; unset: the socket is passed by systemd or as descriptor 0.",
     TextKey{at<&C::server, &C::Server::socket>, kSocket}},
    {"server", "workers", false, "Worker threads, each of which answers one request at a time.",
     IntegerKey{at<&C::server, &C::Server::workers>, 5, 4'096}},
    {"server", "post_limit_bytes", false, "A longer body of a POST request is answered 413.",
     IntegerKey{at<&C::server, &C::Server::post_limit_bytes>, 1, 16'777'216}},
    {"server", "request_seconds", false, "The deadline of a request.",
     IntegerKey{at<&C::server, &C::Server::request_seconds>, 1, 3'600}},
    {"server", "idle_seconds", false,
     "A connection on which the web server neither sends nor reads for this long is closed.",
     IntegerKey{at<&C::server, &C::Server::idle_seconds>, 1, 3'600}},
    {"server", "retry_after_seconds", false, "The Retry-After header of a 503 response.",
     IntegerKey{at<&C::server, &C::Server::retry_after_seconds>, 1, kDaySeconds}},

    {"clients", "trusted_proxy", false,
     "An address or range of proxies whose X-Forwarded-For is trusted; repeat for several.",
     ListKey{at<&C::clients, &C::Clients::trusted_proxy>, kAddressRange}},
    {"clients", "requests_per_minute", false,
     "Requests for the database that one client may make in a minute, in the long run; 0: no "
     "limit.",
     IntegerKey{at<&C::clients, &C::Clients::requests_per_minute>, 0, 1'000'000}},
    {"clients", "burst", false, "Requests that a client may make at once after a pause.",
     IntegerKey{at<&C::clients, &C::Clients::burst>, 1, 1'000'000}},
    {"clients", "unlimited", false,
     "An address or range of clients that are not limited; repeat for several.",
     ListKey{at<&C::clients, &C::Clients::unlimited>, kAddressRange}},

    {"publisher", "connection", false,
     "libpq connection string of the publishing role; oai publish needs it.",
     TextKey{at<&C::publisher, &C::Publisher::connection>, kNotEmpty}},
    {"publisher", "slice_records", false, "Records published in one transaction, at most.",
     IntegerKey{at<&C::publisher, &C::Publisher::slice_records>, 1, kMaxRows}},
    {"publisher", "late_seconds", false,
     "The server is degraded if publishing is further behind the clock than this.",
     IntegerKey{at<&C::publisher, &C::Publisher::late_seconds>, 5, kDaySeconds}},
    {"publisher", "sets", false,
     "The directory of sets by a rule, one file NAME.set for each; unset: the directory sets "
     "beside oai.ini, if it is there.",
     TextKey{at<&C::publisher, &C::Publisher::sets>, kNotEmpty}},

    {"loader", "connection", false,
     "libpq connection string of the loading role; oai load needs it.",
     TextKey{at<&C::loader, &C::Loader::connection>, kNotEmpty}},
    {"loader", "slice_records", false, "Records loaded in one transaction, at most.",
     IntegerKey{at<&C::loader, &C::Loader::slice_records>, 1, kMaxRows}},

    {"harvest", "normalise", false,
     "The directory of the stylesheets that can normalise harvested oai_dc.",
     TextKey{at<&C::harvest, &C::Harvest::normalise>, kNotEmpty}},
    {"harvest", "repositories", false, "Repositories harvested at the same time, at most.",
     IntegerKey{at<&C::harvest, &C::Harvest::repositories>, 1, 64}},
    {"harvest", "contact", false,
     "A mail address or URL shown to harvested repositories; unset: the first admin_email.",
     TextKey{at<&C::harvest, &C::Harvest::contact>, kContact}},
    {"harvest", "allow_private", false,
     "Whether redirects of harvested repositories to private addresses are followed.",
     FlagKey{at<&C::harvest, &C::Harvest::allow_private>}},

    {"log", "level", false, "The lowest level that is logged.",
     choice<&C::log, &C::Log::level>(log::kLevelNames)},
};

std::string join(std::span<const std::string_view> words, std::string_view between) {
    std::string all;
    for (const std::string_view word : words) all.append(all.empty() ? "" : between).append(word);
    return all;
}

// describe_type() for each kind of key.
struct Describe {
    std::string operator()(const TextKey&) const { return "text"; }
    std::string operator()(const ListKey&) const { return "text, repeatable"; }
    std::string operator()(const IntegerKey& k) const {
        return "integer " + std::to_string(k.min) + ".." + std::to_string(k.max);
    }
    std::string operator()(const FlagKey&) const { return "yes or no"; }
    std::string operator()(const ChoiceKey& k) const { return join(k.words, " or "); }
    std::string operator()(const DatestampKey&) const { return "YYYY-MM-DDThh:mm:ssZ"; }
};

// print_value() for each kind of key. The accessors need a Config that can be written to, so it is
// a copy.
struct Print {
    Config config;
    std::string operator()(const TextKey& k) { return k.at(config); }
    std::string operator()(const ListKey& k) {
        const auto& entries = k.at(config);
        const std::vector<std::string_view> views(entries.begin(), entries.end());
        return join(views, ", ");
    }
    std::string operator()(const IntegerKey& k) { return std::to_string(k.at(config)); }
    std::string operator()(const FlagKey& k) { return k.at(config) ? "yes" : "no"; }
    std::string operator()(const ChoiceKey& k) { return std::string(k.words[k.get(config)]); }
    std::string operator()(const DatestampKey& k) {
        const auto& time = k.at(config);
        return time ? print_utc(*time) : "";
    }
};

// set_value() for each kind of key.
struct SetValue {
    std::string_view value;
    Config& config;
    using Correction = std::optional<std::string>;  // valid values, if this one is not

    Correction operator()(const TextKey& k) const {
        if (!k.check.accepts(value)) return k.check.valid;
        k.at(config) = value;
        return std::nullopt;
    }
    Correction operator()(const ListKey& k) const {
        if (!k.check.accepts(value)) return k.check.valid;
        k.at(config).emplace_back(value);
        return std::nullopt;
    }
    Correction operator()(const IntegerKey& k) const {
        const auto number = text::to_integer(value);
        if (!number || *number < k.min || *number > k.max) return Describe{}(k);
        k.at(config) = static_cast<int>(*number);
        return std::nullopt;
    }
    Correction operator()(const FlagKey& k) const {
        if (value != "yes" && value != "no") return Describe{}(k);
        k.at(config) = value == "yes";
        return std::nullopt;
    }
    Correction operator()(const ChoiceKey& k) const {
        const auto word = std::find(k.words.begin(), k.words.end(), value);
        if (word == k.words.end()) return Describe{}(k);
        k.set(config, static_cast<std::size_t>(word - k.words.begin()));
        return std::nullopt;
    }
    Correction operator()(const DatestampKey& k) const {
        const auto time = parse_utc(value);
        if (!time) return Describe{}(k);
        k.at(config) = *time;
        return std::nullopt;
    }
};

}  // namespace

const ValueCheck kNotEmpty{[](std::string_view value) { return !value.empty(); },
                           "a value (or comment the line out)"};
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

std::span<const KeyRow> key_rows() { return kRows; }

std::string describe_type(const KeyRow& row) { return std::visit(Describe{}, row.place); }

std::string print_value(const KeyRow& row, const Config& config) {
    return std::visit(Print{config}, row.place);
}

std::optional<std::string> set_value(const KeyRow& row, std::string_view value, Config& config) {
    return std::visit(SetValue{value, config}, row.place);
}

}  // namespace oai
