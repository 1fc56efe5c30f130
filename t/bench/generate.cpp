// SPDX-License-Identifier: MIT
// Generates documents of a national web archive of N on standard output:
//   generate doc|cdxj|warc N [SEED [AFTER [UPTO]]]
// documents AFTER + 1 (1) to UPTO (N) as t/bench/fill reads them, in PostgreSQL's COPY text format
// with names in the place of their numbers; or as a crawler would have written them, for `oai
// load`: each record of the WARC file is a gzip member of its own.
// A document depends only on its number and the seed.
//
// The data is skewed like a real archive: 90 % of the documents belong to one TLD, 60 % are
// text/html, and hosts, other media types and collections follow Zipf's law. Documents come in
// cycles of a million (a tenth of N if N is small): three quarters are a batch with one datestamp,
// the rest arrive at ten a minute. The batch in the middle has no document of the dominant TLD, and
// neither has the time in which its documents were archived: the captures of a batch lie between
// those of the cycle before it and of its own. 1 % of the documents are deleted.
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iterator>
#include <string>
#include <string_view>

namespace {

constexpr int kTlds = 12;
constexpr const char* kTldNames[kTlds] = {"cz", "com",  "sk", "org", "eu", "net",
                                          "de", "info", "at", "pl",  "ee", "uk"};
constexpr int kMajors = 5;
constexpr const char* kMajorNames[kMajors] = {"text", "image", "application", "audio", "video"};
constexpr int kMimetypes = 300;
// The most frequent media types; all others are generated.
constexpr const char* kCommon[] = {"text:html",       "image:jpeg", "image:gif",
                                   "image:png",       "text:css",   "application:javascript",
                                   "application:pdf", "text:plain", "application:json",
                                   "image:svg~2Bxml", "video:mp4",  "audio:mpeg"};
constexpr int kCommonTypes = static_cast<int>(std::size(kCommon));
constexpr int kPerGroup = 9, kCollections = 20 * kPerGroup;
constexpr int kDocsPerArc = 10'000;
constexpr std::time_t kFirstBatch = 1'136'073'600;  // 2006-01-01

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

Document Archive::document(std::int64_t number) const {
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

std::string site_name(const Archive& a, int s) {
    return std::string(kTldNames[a.tld_of_site(s)]) + ":s" + std::to_string(s);
}
std::string host_name(const Archive& a, int h) {
    return site_name(a, h / 2) + (h % 2 == 0 ? ":www" : ":blog");
}

// 'cz:s1:www' -> 'www.s1.cz'
std::string title_of_host(std::string_view name) {
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

std::string type_name(int t) {
    if (t < kCommonTypes) return kCommon[t];
    return std::string(kMajorNames[t % kMajors]) + ":x-" + std::to_string(t);
}
std::string title_of_type(std::string name) {
    std::replace(name.begin(), name.end(), ':', '/');
    if (const auto at = name.find("~2B"); at != std::string::npos) name.replace(at, 3, "+");
    return name;
}
std::string collection_name(int c) {
    return "g" + std::to_string(c / kPerGroup) + ":c" + std::to_string(c);
}

// SHA-1 in base 32, as crawlers write it.
std::string digest_of(std::uint64_t noise) {
    std::string out = "sha1:";
    for (int word = 0; word < 3; ++word) {
        std::uint64_t bits = mix(noise + static_cast<std::uint64_t>(word));
        for (int i = 0; i < 12 && out.size() < 37; ++i, bits >>= 5)
            out += "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[bits & 31];
    }
    return out;
}

std::string clock_of(std::time_t t, const char* format) {
    std::tm parts{};
    gmtime_r(&t, &parts);
    char text[32];
    return {text, std::strftime(text, sizeof text, format, &parts)};
}

const char* status_of(const Document& d) { return d.noise % 20 == 0 ? "404" : "200"; }
std::uint64_t length_of(const Document& d) { return 300 + d.noise % 60'000; }

void write_row(const Document& d, const std::string& host, const std::string& url,
               const std::string& surt) {
    constexpr const char* kClock = "%Y-%m-%d %H:%M:%SZ";
    const std::int64_t at = d.number - 1;
    std::string collections;
    for (int i = 0; i < d.collection_count; ++i)
        collections += (i == 0 ? "" : ",") + collection_name(d.collections[i]);
    fmt::print("{}\t{}\t{}\t{}\t{}\tWEBARCHIV-{}-crawler01.arc.gz\t", d.number,
               clock_of(d.datestamp, kClock), clock_of(d.archived, kClock),
               at % kDocsPerArc * 20'000 + static_cast<std::int64_t>(d.noise % 10'000),
               length_of(d), 1'000'001 + at / kDocsPerArc);
    fmt::print("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{{{}}}\n", host, type_name(d.mimetype), status_of(d),
               d.deleted, url, surt, digest_of(d.noise), collections);
}

void write_cdxj(const Document& d, const std::string& url, const std::string& surt) {
    const std::int64_t at = d.number - 1;
    fmt::print(
        R"({} {} {{"url": "{}", "mime": "{}", "status": "{}", "digest": "{}", "length": "{}", )"
        R"("offset": "{}", "filename": "WEBARCHIV-{}-crawler01.warc.gz"}})"
        "\n",
        surt, clock_of(d.archived, "%Y%m%d%H%M%S"), url, title_of_type(type_name(d.mimetype)),
        status_of(d), digest_of(d.noise), length_of(d), at % kDocsPerArc * 60'300,
        2'000'000 + at / kDocsPerArc);
}

// Writes a record as one gzip member.
void write_member(z_stream& gzip, const std::string& record) {
    char out[8192];
    deflateReset(&gzip);
    gzip.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(record.data()));
    gzip.avail_in = static_cast<uInt>(record.size());
    int state = Z_OK;
    while (state == Z_OK) {
        gzip.next_out = reinterpret_cast<Bytef*>(out);
        gzip.avail_out = sizeof out;
        state = deflate(&gzip, Z_FINISH);
        std::fwrite(out, 1, sizeof out - gzip.avail_out, stdout);
    }
}

std::string warc_response(const Document& d, const std::string& url) {
    const std::string http = fmt::format("HTTP/1.1 {}\r\nContent-Type: {}\r\n\r\n{}\n",
                                         d.noise % 20 == 0 ? "404 Not Found" : "200 OK",
                                         title_of_type(type_name(d.mimetype)), url);
    return fmt::format(
        "WARC/1.0\r\nWARC-Type: response\r\n"
        "WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{:012x}>\r\nWARC-Target-URI: {}\r\n"
        "WARC-Date: {}\r\nWARC-Payload-Digest: {}\r\n"
        "Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{}\r\n\r\n",
        d.number, url, clock_of(d.archived, "%Y-%m-%dT%H:%M:%SZ"), digest_of(d.noise), http.size(),
        http);
}

// Writes documents after + 1 to upto.
void write(std::string_view form, const Archive& a, std::int64_t after, std::int64_t upto) {
    z_stream gzip{};
    if (deflateInit2(&gzip, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) std::exit(1);
    for (std::int64_t n = after + 1; n <= upto; ++n) {
        const Document d = a.document(n);
        const std::string host = host_name(a, d.host);
        std::string surt = host;
        std::replace(surt.begin(), surt.end(), ':', ',');
        const std::string path = fmt::format("/clanky/{}/strana-{}.html", d.noise % 100'000, n);
        const std::string url = "http://" + title_of_host(host) + path;
        surt += ")" + path;
        if (form == "doc") write_row(d, host, url, surt);
        if (form == "cdxj") write_cdxj(d, url, surt);
        if (form == "warc") write_member(gzip, warc_response(d, url));
    }
    deflateEnd(&gzip);
}

int usage() {
    std::fputs(
        "usage: generate doc|cdxj|warc N [SEED [AFTER [UPTO]]]\n"
        "N: 1000 to 2000000000 documents\n",
        stderr);
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3 || argc > 6) return usage();
    const std::string_view form = argv[1];
    if (form != "doc" && form != "cdxj" && form != "warc") return usage();
    char* end = nullptr;
    const std::int64_t n = std::strtoll(argv[2], &end, 10);
    if (*end != '\0' || n < 1000 || n > 2'000'000'000) return usage();
    const std::uint64_t seed = argc >= 4 ? std::strtoull(argv[3], &end, 10) : 1;
    if (*end != '\0') return usage();
    const std::int64_t after = argc >= 5 ? std::strtoll(argv[4], &end, 10) : 0;
    if (*end != '\0' || after < 0 || after >= n) return usage();
    const std::int64_t upto = argc == 6 ? std::strtoll(argv[5], &end, 10) : n;
    if (*end != '\0' || upto <= after || upto > n) return usage();
    write(form, Archive(n, seed), after, upto);
    return std::fflush(stdout) == 0 && std::ferror(stdout) == 0 ? 0 : 1;
}
