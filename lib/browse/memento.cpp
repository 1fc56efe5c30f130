// SPDX-License-Identifier: MIT
// TimeMaps and TimeGates (RFC 7089). A memento lies where [browse] replay says. What an index
// counts as one URL has one list: with and without "www.", by http and https.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "browse/captures.h"
#include "browse/page_address.h"
#include "browse/search_question.h"
#include "web/surt.h"

namespace oai {
namespace {

constexpr int kMementos = 5'000;  // of one part of a TimeMap
constexpr std::size_t kMaxUrlBytes = 4'000;
constexpr std::size_t kMaxHeaderBytes = 3'000;  // web servers have a buffer of 4 KB for them
constexpr std::chrono::seconds kSecond{1};
constexpr std::string_view kLinkFormat = "application/link-format";

// As RFC 7089, 2.1.1 has it; false for any other text.
bool read_http_date(const std::string& text, Seconds& time) {
    std::tm date{};
    const char* end = strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &date);
    if (end == nullptr || *end != '\0') return false;
    time = Seconds{std::chrono::seconds{timegm(&date)}};
    return http_date(time).substr(5) == text.substr(5);
}

struct Memento {
    Seconds time;
    std::string address;
};

class Archive {
  public:
    // url: as it was sent, encoded or not.
    Archive(const CapturesQuestion& question, std::string_view url) : question_(question) {
        Capture any;
        any.url = "x";
        if (capture_replay(question.replay, any).empty())
            throw Refused{"This archive does not say where captures are", 404};
        std::string plain(url);
        if (plain.find("://") == plain.npos) plain = text::percent_decode(plain).value_or(plain);
        if (plain.empty() || plain.size() > kMaxUrlBytes || !text::is_xml_text(plain))
            throw Refused{"A URL is missing, or is none"};
        original = encoded_address(with_scheme(plain));
        key_ = surt_of(original).text;
    }

    struct Part {
        std::vector<Memento> mementos{};
        std::optional<Seconds> more{};  // when the next part begins
    };
    // In the order of time, or backwards. It ends early behind many captures that are not shown.
    // Where one part begins with the second that another one ends in, it does not end there.
    Part list(const CaptureTimes& times, bool backwards, int n) {
        CaptureWalk walk(question_.search,
                         {.range = {key_, key_ + '\x01'}, .times = times, .backwards = backwards},
                         n + 1);
        Part part;
        Seconds last{};
        while (const Capture* capture = walk.next()) {
            last = capture->captured_at;
            if (!capture->shown) continue;
            if (std::ssize(part.mementos) == n) {
                part.more = last;
                break;
            }
            part.mementos.push_back(
                {last, encoded_address(capture_replay(question_.replay, *capture))});
        }
        if (walk.is_late()) throw late();
        if (walk.is_cut_short()) part.more = last;
        if (part.more && part.more == times.since) *part.more += kSecond;
        return part;
    }
    std::optional<Memento> one(const CaptureTimes& times, bool backwards) {
        auto found = list(times, backwards, 1).mementos;
        return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
    }

    std::string timegate() const { return question_.base + "/timegate/" + original; }
    std::string timemap(const std::string& form, const std::string& from = "") const {
        return fmt::format("{}/timemap/{}/{}{}{}", question_.base, form, from,
                           from.empty() ? "" : "/", original);
    }
    std::string original{};

  private:
    const CapturesQuestion& question_;
    std::string key_;
};

std::string memento_link(const Memento& memento, std::string_view relations) {
    return fmt::format("<{}>; rel=\"{}\"; datetime=\"{}\"", memento.address, relations,
                       http_date(memento.time));
}

std::string timemap_link(const std::string& address, std::string_view relation, Seconds from,
                         Seconds until) {
    return fmt::format("<{}>; rel=\"{}\"; type=\"{}\"; from=\"{}\"; until=\"{}\"", address,
                       relation, kLinkFormat, http_date(from), http_date(until));
}

struct TimeMap {
    std::string form, self;
    Archive::Part part{};
    std::optional<Memento> first{}, last{};  // of all parts, where they were found
};

std::string links_of(const Archive& archive, const TimeMap& map) {
    const auto& [mementos, more] = map.part;
    const Seconds from = mementos.empty() ? *more : mementos.front().time;
    const Seconds until = mementos.empty() ? *more : mementos.back().time;
    std::string out =
        fmt::format("<{}>; rel=\"original\",\n{},\n<{}>; rel=\"timegate\"", archive.original,
                    timemap_link(map.self, "self", from, until), archive.timegate());
    if (more)
        out += ",\n" + timemap_link(archive.timemap("link", digits_of(*more)), "timemap", *more,
                                    map.last ? map.last->time : *more);
    for (const Memento& memento : mementos) {
        std::string relations;
        if (&memento == &mementos.front() && map.first && memento.time == map.first->time)
            relations += "first ";
        if (&memento == &mementos.back() && !more) relations += "last ";
        out += ",\n" + memento_link(memento, relations + "memento");
    }
    return out + "\n";
}

// As aggregators of Memento write it.
std::string json_of(const Archive& archive, const TimeMap& map) {
    using Json = nlohmann::ordered_json;
    const auto entry = [](const Memento& memento) {
        return Json{{"datetime", print_utc(memento.time)}, {"uri", memento.address}};
    };
    Json list = Json::array();
    for (const Memento& memento : map.part.mementos) list.push_back(entry(memento));
    Json all{{"original_uri", archive.original},
             {"self", map.self},
             {"timegate_uri", archive.timegate()},
             {"timemap_uri",
              {{"link_format", archive.timemap("link")}, {"json_format", archive.timemap("json")}}},
             {"mementos", Json::object()}};
    if (map.first) all["mementos"]["first"] = entry(*map.first);
    if (map.last) all["mementos"]["last"] = entry(*map.last);
    all["mementos"]["list"] = std::move(list);
    if (map.part.more) all["next"] = archive.timemap("json", digits_of(*map.part.more));
    return all.dump(1) + "\n";
}

}  // namespace

Response timemap(const CapturesQuestion& question) {
    std::string_view subject = question.subject;
    const auto slash = std::min(subject.find('/'), subject.size());
    TimeMap map;
    map.form = subject.substr(0, slash);
    if (map.form != "link" && map.form != "json")
        throw Refused{"A TimeMap is asked for as timemap/link/URL or timemap/json/URL", 404};
    subject.remove_prefix(std::min(slash + 1, subject.size()));
    CaptureTimes times;
    std::string from;
    if (const auto next = subject.find('/'); next == 14) {
        times.since = capture_time(subject.substr(0, next), false);
        if (times.since) from = subject.substr(0, next), subject.remove_prefix(next + 1);
    }
    Archive archive(question, subject);
    auto& [mementos, more] = map.part = archive.list(times, false, kMementos);
    map.first = archive.one({}, false);
    map.last = archive.one({}, true);
    if (mementos.empty() && !more) throw Refused{"This archive has no capture of that URL", 404};
    // A part ends between two seconds, so that the next one has all captures of its first second.
    if (more) std::erase_if(mementos, [&](const Memento& m) { return m.time == *map.part.more; });
    map.self = archive.timemap(map.form, from);
    return map.form == "link"
               ? text_response(std::string(kLinkFormat), links_of(archive, map), question.gzip)
               : text_response("application/json", json_of(archive, map), question.gzip);
}

Response timegate(const CapturesQuestion& question) {
    Archive archive(question, question.subject);
    const std::string& date = question.request.accept_datetime;
    const auto first = archive.one({}, false), last = archive.one({}, true);
    Seconds wanted = last ? last->time : question.now;
    if (!date.empty() && !read_http_date(date, wanted))
        throw Refused{"Accept-Datetime: a date as Thu, 31 May 2007 20:35:00 GMT, and nothing else"};
    auto chosen = archive.one({.until = wanted}, true);
    const auto later = archive.one({.since = wanted + kSecond}, false);
    if (!chosen || (later && later->time - wanted < wanted - chosen->time)) chosen = later;
    // Both ends can be there where the captures around the date are too many that are not shown.
    if (!chosen) chosen = first ? first : last;
    if (!chosen) throw Refused{"This archive has no capture of that URL", 404};
    if (archive.original.size() + archive.timegate().size() + chosen->address.size() >
        kMaxHeaderBytes - 500)
        throw Refused{"That URL is too long for the headers of an answer"};
    Response response = plain_response(302, "See the capture.");
    response.headers.emplace_back("Location", chosen->address);
    std::string links =
        fmt::format("<{}>; rel=\"original\", {}", archive.original,
                    timemap_link(archive.timemap("link"), "timemap", first.value_or(*chosen).time,
                                 last.value_or(*chosen).time));
    const std::pair<std::optional<Memento>, const char*> around[] = {
        {chosen, "memento"},
        {first, "first memento"},
        {archive.one({.until = chosen->time - kSecond}, true), "prev memento"},
        {archive.one({.since = chosen->time + kSecond}, false), "next memento"},
        {last, "last memento"}};
    for (const auto& [memento, relations] : around)
        if (memento &&
            links.size() + chosen->address.size() + memento->address.size() + 100 < kMaxHeaderBytes)
            links += ", " + memento_link(*memento, relations);
    response.headers.emplace_back("Link", std::move(links));
    return response;
}

std::string http_date(Seconds time) { return fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", time); }

std::string replay_address(std::string_view pattern, const ReplayValue& value) {
    std::string address;
    for (std::size_t end = 0; !pattern.empty(); pattern.remove_prefix(end)) {
        const std::size_t begin = pattern.find('{');
        address += pattern.substr(0, begin);
        if (begin == pattern.npos) break;
        end = std::min(pattern.find('}', begin), pattern.size() - 1) + 1;
        const std::string text = value(pattern.substr(begin + 1, end - begin - 2));
        if (text.empty()) return "";
        address += text;
    }
    return address;
}

std::string capture_replay(std::string_view pattern, const Capture& capture) {
    return replay_address(
        pattern,
        [&](std::string_view name) {
            return name == "url"             ? capture.url
                   : name == "archived_time" ? digits_of(capture.captured_at)
                                             : std::string();
        });
}

}  // namespace oai
