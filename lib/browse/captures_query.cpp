// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <set>

#include "base/clock.h"
#include "base/text.h"
#include "browse/captures.h"
#include "browse/search_question.h"

namespace oai {
namespace {

constexpr std::size_t kMaxUrlBytes = 16'000;
constexpr std::size_t kMaxKeyBytes = 3'000;  // more than place_text() gives
constexpr std::size_t kMaxExpressionBytes = 500, kMaxFilters = 10;
constexpr std::int64_t kExpressionMemory = 1 << 20;

// The place of the value among the names, of which it has to be one.
int choose(const Argument& argument, std::initializer_list<std::string_view> names) {
    std::string known;
    for (const std::string_view& name : names) {
        if (name == argument.value) return static_cast<int>(&name - names.begin());
        known.append(known.empty() ? "" : ", ").append(name);
    }
    throw Refused{argument.name + ": one of " + known};
}

bool is_on(const Argument& argument) { return choose(argument, {"true", "1", "false", "0"}) < 2; }

const CaptureField& field_named(const Argument& argument, std::string_view name) {
    if (const CaptureField* field = find_capture_field(name)) return *field;
    throw Refused{argument.name + ": there is no field '" + text::to_xml_text(name.substr(0, 50)) +
                  "'"};
}

Filter read_filter(const Argument& argument) {
    std::string_view rest = argument.value;
    const auto take = [&](char sign) {
        const bool there = rest.starts_with(sign);
        if (there) rest.remove_prefix(1);
        return there;
    };
    Filter filter;
    if (rest.size() > kMaxExpressionBytes) throw Refused{"filter: of 500 bytes at most"};
    filter.inverted = take('!');
    filter.equal = take('=');
    filter.at_start = !filter.equal && take('~');
    if (!filter.inverted) filter.inverted = take('!');  // OutbackCDX: ~!
    if (const auto colon = rest.find(':'); colon != rest.npos) {
        filter.field = &field_named(argument, rest.substr(0, colon));
        rest.remove_prefix(colon + 1);
    }
    filter.text = rest;
    if (filter.equal) return filter;
    RE2::Options options(RE2::Quiet);
    options.set_max_mem(kExpressionMemory);
    auto expression = std::make_shared<const RE2>(filter.text, options);
    if (expression->ok())
        filter.expression = std::move(expression);
    else if (filter.at_start)
        throw Refused{"filter: no regular expression of RE2: " + expression->error()};
    return filter;
}

Collapse read_collapse(const Argument& argument) {
    const std::string_view value = argument.value;
    const auto colon = std::min(value.find(':'), value.size());
    const auto n = colon == value.size() ? 10'000 : text::to_integer(value.substr(colon + 1));
    if (!n || *n < 1) throw Refused{argument.name + ": FIELD or FIELD:NUMBER"};
    return {&field_named(argument, value.substr(0, colon)), static_cast<std::size_t>(*n)};
}

// As many digits as there are, of the first 14; the others are those of the first or last second.
Seconds read_time(const Argument& argument, bool last) {
    const std::string digits = argument.value.substr(0, 14);
    if (const auto time = capture_time(digits, last)) return *time;
    // No month begins with 5: the time is behind all that there are of that year.
    if (digits.size() % 2 != 0 && text::to_integer(digits))
        if (const auto end = capture_time(digits.substr(0, digits.size() - 1), true))
            return *end + std::chrono::seconds{last ? 0 : 1};
    throw Refused{argument.name + ": a time of 1 to 14 digits, as 2010, 201003 or 20100305"};
}

std::int64_t read_number(const Argument& argument, std::int64_t least, std::int64_t most) {
    const auto number = text::to_integer(argument.value);
    if (number && *number >= least && *number <= most) return *number;
    throw Refused{fmt::format("{}: a number from {} to {}", argument.name, least, most)};
}

void read_url(CdxQuery& query, const Argument& argument) {
    if (argument.value.empty() || argument.value.size() > kMaxUrlBytes ||
        !text::is_xml_text(argument.value))
        throw Refused{argument.name + ": a URL, in UTF-8 and of 16,000 bytes at most"};
    query.url = argument.value;
}

void read_limit(CdxQuery& query, const Argument& argument) {
    const auto limit = text::to_integer(argument.value);
    if (!limit || *limit == 0) throw Refused{"limit: a number from 1 on; -1: the last one"};
    if (*limit < 0) query.sort = Sort::reverse;
    query.limit = std::clamp(*limit, -kMaxLimit, kMaxLimit);
}

void read_columns(CdxQuery& query, const Argument& argument) {
    for (const std::string_view name : text::split(argument.value, ',')) {
        if (query.columns.size() == 20) throw Refused{argument.name + ": 20 fields at most"};
        query.columns.push_back({&field_named(argument, name), std::string(name)});
    }
}

// Known from other servers. They may be switched off.
constexpr std::string_view kRefused =
    " resolveRevisits omitSelfRedirects showDupeCount showSkipCount lastSkipTimestamp "
    "showPagedIndex accesspoint ";

struct Parameter {
    std::string_view name;
    void (*read)(CdxQuery&, const Argument&);
    bool repeats = false;
};
using Q = CdxQuery;
using A = Argument;
constexpr Parameter kParameters[] = {
    {"url", read_url},
    {"urlkey", [](Q& q, const A& a) { read_url(q, a), q.key = a.value; }},
    {"method", [](Q& q, const A& a) { q.method = a.value; }},
    {"requestBody", [](Q& q, const A& a) { q.body = a.value; }},
    {"matchType",
     [](Q& q, const A& a) {
         if (a.value != "default")
             q.match =
                 static_cast<MatchType>(choose(a, {"exact", "prefix", "host", "domain", "range"}));
     }},
    {"limit", read_limit},
    {"offset", [](Q& q, const A& a) { q.offset = read_number(a, 0, kMaxLimit); }},
    {"fastLatest", [](Q&, const A& a) { is_on(a); }},  // it is fast in any case
    {"from", [](Q& q, const A& a) { q.times.since = read_time(a, false); }},
    {"to", [](Q& q, const A& a) { q.times.until = read_time(a, true); }},
    {"closest",
     [](Q& q, const A& a) {  // "": pywb asks so where it wants all
         if (!a.value.empty()) q.closest = a.value == "now" ? q.now : read_time(a, false);
     }},
    {"sort",
     [](Q& q, const A& a) {
         q.sort = static_cast<Sort>(choose(a, {"default", "closest", "reverse"}));
     }},
    {"reverse",
     [](Q& q, const A& a) {
         if (is_on(a)) q.sort = Sort::reverse;
     }},
    {"output",
     [](Q& q, const A& a) {  // cdx is text
         const int output = choose(a, {"text", "cdx", "cdxj", "json", "ndjson"});
         q.output = static_cast<CaptureOutput>(std::max(output - 1, 0));
     }},
    {"fl", read_columns},
    {"fields", read_columns},
    {"filter",
     [](Q& q, const A& a) {
         if (q.filters.size() == kMaxFilters) throw Refused{"filter: ten at most"};
         q.filters.push_back(read_filter(a));
     },
     true},
    {"collapse",
     [](Q& q, const A& a) {
         if (q.collapse.size() == kMaxFilters) throw Refused{"collapse: ten at most"};
         q.collapse.push_back(read_collapse(a));
     },
     true},
    {"collapseToFirst", [](Q& q, const A& a) { q.collapse = {read_collapse(a)}; }},
    {"collapseToLast",
     [](Q& q, const A& a) { q.collapse = {read_collapse(a)}, q.last_of_equal = true; }},
    {"collapseTime",
     [](Q& q, const A& a) {
         q.collapse = {
             {find_capture_field("timestamp"), static_cast<std::size_t>(read_number(a, 1, 14))},
             {find_capture_field("statuscode"), 3}};
     }},
    {"resumeKey",
     [](Q& q, const A& a) {
         if (!(q.after = read_place(a.value, &q.collapsed)))
             throw Refused{"resumeKey: not one that this server has given"};
     }},
    {"showResumeKey", [](Q& q, const A& a) { q.shows_key = is_on(a); }},
    {"page", [](Q& q, const A& a) { q.page = read_number(a, 0, kMostPaged); }},
    {"pageSize", [](Q& q, const A& a) { q.blocks = read_number(a, 1, kMostBlocks); }},
    {"showNumPages", [](Q& q, const A& a) { q.counts_pages = is_on(a); }},
    {"gzip", [](Q& q, const A& a) { q.gzip = is_on(a); }},
    {"q", [](Q& q, const A& a) { q.q = a.value; }},
    {"count", [](Q& q, const A& a) { q.limit = read_number(a, 1, kMaxLimit); }},
    {"start_page", [](Q& q, const A& a) { q.start_page = read_number(a, 1, kMaxLimit); }},
};

// rawurl=URL takes the rest of the query as it stands, but for what pywb appends, since pywb does
// not encode the address of a request other than GET when it asks another server for it.
std::vector<Argument> arguments_of(const Request& request, bool& well_encoded) {
    constexpr std::string_view kRaw = "rawurl=";
    const std::string& all = request.query;
    const auto at = all.starts_with(kRaw) ? 0 : all.find("&rawurl=");
    well_encoded = request.well_encoded;
    if (at == all.npos) return request.arguments;
    std::string_view rest = std::string_view(all).substr(all.find('=', at) + 1);
    std::string others = all.substr(0, at);
    for (const std::string_view name : {"&matchType=", "&limit="})
        if (const auto last = rest.rfind(name);
            last != rest.npos && rest.find('&', last + 1) == rest.npos) {
            others += rest.substr(last);
            rest = rest.substr(0, last);
        }
    well_encoded = true;
    std::vector<Argument> arguments = split_arguments(others, &well_encoded);
    if (rest.empty()) return arguments;
    std::erase_if(arguments, [](const Argument& a) { return a.name == "url"; });
    arguments.push_back({"url", std::string(rest)});
    return arguments;
}

// OpenWayback's q: "type:urlquery url:ENCODED date:2010". Words of it that say nothing about which
// captures are wanted are passed over, since it sends what its own pages need, too.
void read_q(CdxQuery& query) {
    query.type = "urlquery";
    for (const std::string_view word : text::split(query.q, ' ')) {
        const auto colon = word.find(':');
        if (colon == word.npos) continue;
        const std::string name(word.substr(0, colon));
        const Argument argument{name, text::percent_decode(word.substr(colon + 1))
                                          .value_or(std::string(word.substr(colon + 1)))};
        if (name == "type") query.type = text::lower_ascii(argument.value);
        if (name == "url") read_url(query, argument);
        if (name == "date") query.date = read_time(argument, false);
        if (name == "startdate") query.times.since = read_time(argument, false);
        if (name == "enddate") query.times.until = read_time(argument, true);
        if (name == "limit") query.limit = read_number(argument, 1, kMaxLimit);
        if (name == "offset") query.offset = read_number(argument, 0, kMaxLimit);
    }
    const bool urls = query.type.starts_with("prefixquery");
    if (!urls && !query.type.starts_with("urlquery"))
        throw Refused{"q: type: urlquery or prefixquery"};
    if (query.start_page) query.offset = query.limit * (*query.start_page - 1);
    query.output = CaptureOutput::xml;
    query.match = urls ? MatchType::prefix : MatchType::exact;
    query.first = query.offset;
    query.requested = query.limit;
    if (urls) query.offset = 0, query.limit = kMaxLimit;  // of URLs, not of captures
}

}  // namespace

CdxQuery read_query(const CapturesQuestion& question) {
    const Request& request = question.request;
    bool well_encoded = true;
    const std::vector<Argument> arguments = arguments_of(request, well_encoded);
    if (!well_encoded) throw Refused{"a % is not followed by two hexadecimal digits"};
    CdxQuery query{.now = question.now};
    if (request.path.ends_with("/browse/captures")) query.output = CaptureOutput::json;
    std::set<std::string_view> seen;
    for (const Argument& argument : arguments) {
        const auto& [name, value] = argument;
        const auto known = std::ranges::find(kParameters, name, &Parameter::name);
        if (known != std::end(kParameters)) {
            if (!seen.insert(known->name).second && !known->repeats)
                throw Refused{name + ": given twice"};
            known->read(query, argument);
        } else if (kRefused.find(" " + name + " ") == kRefused.npos) {
            std::string names;
            for (const Parameter& p : kParameters)
                names.append(names.empty() ? "" : ", ").append(p.name);
            throw Refused{"the parameters are " + names};
        } else if (value != "false" && value != "0" && !value.empty()) {
            throw Refused{name + ": this index does not serve that"};
        }
    }
    if (!query.q.empty()) read_q(query);
    if (query.url.empty()) throw Refused{"url: missing"};
    if (query.sort == Sort::closest && !query.closest) query.sort = Sort::ascending;
    if (query.closest) query.sort = Sort::closest;
    if (query.sort == Sort::closest && (query.page || query.limit < 0))
        throw Refused{"closest: not with page, nor with a limit below zero"};
    return query;
}

std::string place_text(const CapturePlace& place, const std::string& collapsed) {
    return text::base64url_encode(fmt::format("{} {} {}{}{}", place.moment, place.id, place.key,
                                              collapsed.empty() ? "" : " ", collapsed));
}

std::optional<CapturePlace> read_place(std::string_view text, std::string* collapsed) {
    const auto decoded = text.size() <= kMaxKeyBytes ? text::base64url_decode(text) : std::nullopt;
    if (!decoded || !text::is_xml_text(*decoded)) return std::nullopt;
    const auto parts = text::split(*decoded, ' ');
    if (parts.size() < 3 || parts.size() > 4) return std::nullopt;
    const auto moment = text::to_integer(parts[0]), id = text::to_integer(parts[1]);
    if (!moment || !id || !is_moment(*moment)) return std::nullopt;
    if (collapsed != nullptr && parts.size() == 4) *collapsed = parts[3];
    return CapturePlace{std::string(parts[2]), *moment, *id};
}

}  // namespace oai
