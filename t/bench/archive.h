// SPDX-License-Identifier: MIT
// Generates the documents of a synthetic web archive. A document depends only on its number and the
// seed.
//
// The data is skewed like a real archive: 90 % of the documents belong to one TLD, 60 % are
// text/html, and hosts, other media types and collections follow Zipf's law. Documents come in
// cycles of a million (a tenth of N if N is small): three quarters are a batch with one datestamp,
// the rest arrive at ten a minute. The batch in the middle has no document of the dominant TLD, and
// neither has the time in which its documents were archived: the captures of a batch lie between
// those of the cycle before it and of its own. 1 % of the documents are deleted.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace oai::bench {

inline constexpr int kTlds = 12;
inline constexpr const char* kTldNames[kTlds] = {"cz", "com",  "sk", "org", "eu", "net",
                                                 "de", "info", "at", "pl",  "ee", "uk"};
inline constexpr int kMajors = 5;
inline constexpr const char* kMajorNames[kMajors] = {"text", "image", "application", "audio",
                                                     "video"};
inline constexpr int kMimetypes = 300;
// The most frequent media types; all others are generated.
inline constexpr const char* kCommon[] = {"text:html",       "image:jpeg", "image:gif",
                                          "image:png",       "text:css",   "application:javascript",
                                          "application:pdf", "text:plain", "application:json",
                                          "image:svg~2Bxml", "video:mp4",  "audio:mpeg"};
inline constexpr int kCommonTypes = static_cast<int>(std::size(kCommon));
inline constexpr int kPerGroup = 9, kCollections = 20 * kPerGroup;
inline constexpr int kDocsPerArc = 10'000;
inline constexpr std::time_t kFirstBatch = 1'136'073'600;  // 2006-01-01

constexpr std::uint64_t mix(std::uint64_t x) {  // splitmix64
    x += 0x9E3779B97F4A7C15U;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
    return x ^ (x >> 31);
}

class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() { return mix(state_++); }
    double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
    // Returns 0 to n - 1; k occurs about 1 / (k + 1) times as often as 0.
    int zipf(int n) {
        return std::min(n - 1, static_cast<int>(std::exp(unit() * std::log(n + 1))) - 1);
    }

  private:
    std::uint64_t state_;
};

struct Document {
    std::int64_t number;
    std::time_t datestamp, archived;
    int host;  // 0 to hosts - 1
    int mimetype;
    int collections[3];  // ascending
    int collection_count;
    bool deleted;
    std::uint64_t noise;
};

class Archive {
  public:
    Archive(std::int64_t documents, std::uint64_t seed)
        : n_(documents),
          seed_(mix(seed)),
          hosts_(static_cast<int>(std::clamp<std::int64_t>(documents / 100, 64, 200'000))),
          cycle_(std::min<std::int64_t>(1'000'000, std::max<std::int64_t>(10, documents / 10))) {}

    std::int64_t documents() const { return n_; }
    int hosts() const { return hosts_; }
    int sites() const { return hosts_ / 2; }
    // The first 9/10 of all sites are of the dominant TLD.
    int dominant_hosts() const { return sites() * 9 / 10 * 2; }
    int tld_of_site(int s) const {
        return 2 * s < dominant_hosts() ? 0 : 1 + (s - dominant_hosts() / 2) % (kTlds - 1);
    }

    Document document(std::int64_t number) const;

  private:
    double dominant_share() const {  // outside of the batch without the dominant TLD
        const double cycles = static_cast<double>(n_) / static_cast<double>(cycle_);
        return 0.9 / (1 - 0.75 / cycles);
    }
    bool in_hole(std::int64_t number) const {
        const std::int64_t at = number - 1, hole = n_ / cycle_ / 2;
        return at / cycle_ == hole && at % cycle_ < cycle_ * 3 / 4;
    }
    std::time_t datestamp(std::int64_t number) const {
        const std::int64_t at = number - 1, place = at % cycle_, batch = cycle_ * 3 / 4;
        const std::time_t begin = kFirstBatch + at / cycle_ * 31 * 86'400;
        return place < batch ? begin : begin + 86'400 + (place - batch) / 10 * 60;
    }
    // A batch was crawled in the twelfth to second last day before it came; of the others each came
    // within an hour. The last document of a cycle arrives on its 19th day.
    std::time_t archived(std::int64_t number, std::uint64_t noise) const {
        const bool batch = (number - 1) % cycle_ < cycle_ * 3 / 4;
        return datestamp(number) - (batch ? 86'400 + static_cast<std::time_t>(noise % 950'400)
                                          : static_cast<std::time_t>(noise % 3'600));
    }
    const std::int64_t n_;
    const std::uint64_t seed_;
    const int hosts_;
    const std::int64_t cycle_;
};

inline Document Archive::document(std::int64_t number) const {
    Random random(seed_ + static_cast<std::uint64_t>(number) * 0x100);
    Document d{};
    d.number = number;
    d.datestamp = datestamp(number);
    d.archived = archived(number, random.next());
    const bool dominant = random.unit() < dominant_share() && !in_hole(number);
    d.host = dominant ? random.zipf(dominant_hosts())
                      : dominant_hosts() + random.zipf(hosts_ - dominant_hosts());
    d.mimetype = random.unit() < 0.6 ? 0 : 1 + random.zipf(kMimetypes - 1);
    const int wanted = 1 + static_cast<int>(random.next() % 3);
    for (int i = 0; i < wanted; ++i) {
        const int c = random.zipf(kCollections);
        if (std::find(d.collections, d.collections + d.collection_count, c) ==
            d.collections + d.collection_count)
            d.collections[d.collection_count++] = c;
    }
    std::sort(d.collections, d.collections + d.collection_count);
    d.deleted = random.next() % 100 == 0;
    d.noise = random.next();
    return d;
}

inline std::string site_name(const Archive& a, int s) {
    return std::string(kTldNames[a.tld_of_site(s)]) + ":s" + std::to_string(s);
}
inline std::string host_name(const Archive& a, int h) {
    return site_name(a, h / 2) + (h % 2 == 0 ? ":www" : ":blog");
}

// 'cz:s1:www' -> 'www.s1.cz'
inline std::string title_of_host(std::string_view name) {
    std::string out;
    for (std::size_t end = name.size();;) {
        const std::size_t colon = name.substr(0, end).rfind(':');
        const std::size_t begin = colon == std::string_view::npos ? 0 : colon + 1;
        out += name.substr(begin, end - begin);
        if (begin == 0) return out;
        out += '.';
        end = colon;
    }
}

inline std::string type_name(int t) {
    if (t < kCommonTypes) return kCommon[t];
    return std::string(kMajorNames[t % kMajors]) + ":x-" + std::to_string(t);
}
inline std::string title_of_type(std::string name) {
    std::replace(name.begin(), name.end(), ':', '/');
    if (const auto at = name.find("~2B"); at != std::string::npos) name.replace(at, 3, "+");
    return name;
}
inline std::string collection_name(int c) {
    return "g" + std::to_string(c / kPerGroup) + ":c" + std::to_string(c);
}

// SHA-1 in base 32, as crawlers write it.
inline std::string digest_of(std::uint64_t noise) {
    std::string out = "sha1:";
    for (int word = 0; word < 3; ++word) {
        std::uint64_t bits = mix(noise + static_cast<std::uint64_t>(word));
        for (int i = 0; i < 12 && out.size() < 37; ++i, bits >>= 5)
            out += "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[bits & 31];
    }
    return out;
}

}  // namespace oai::bench
