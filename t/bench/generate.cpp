// SPDX-License-Identifier: MIT
// A national web archive of N documents for model webarchiv, one table at a time as PostgreSQL COPY text on stdout:
//   generate TABLE N [SEED]      TABLE: set domain mimetype collection arc doc unpublished doc_collection set_chunk
// or the last documents as a crawler would have written them, for `oai load`:
//   generate cdxj|warc N SEED AFTER    documents AFTER + 1 to N; the WARC file is gzipped record by record
// A document is a function of its number and the seed alone, so the tables fit together though each is written by a
// run of its own. They come as the publisher leaves them after a first numbering by (datestamp, id): seq is the
// document's number, and set and set_chunk hold what oai.publish() would write. `unpublished` is doc before that:
// without seq and set_ids. t/server/plans.t compares the two ways.
//
// The skew: 90 % below one TLD; hosts, media types but text/html (60 %) and collections by Zipf's law; a million
// documents at a time (a tenth of a small N) are a batch of three quarters with one datestamp, then a trickle of ten a
// minute; the batch in the middle holds nothing of the dominant TLD; 1 % are deleted.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include <zlib.h>

namespace {

constexpr int kTlds = 12;
constexpr const char* kTldNames[kTlds] = {"cz", "com", "sk", "org", "eu", "net", "de", "info", "at", "pl", "ee", "uk"};
constexpr int kMajors = 5;
constexpr const char* kMajorNames[kMajors] = {"text", "image", "application", "audio", "video"};
constexpr int kMimetypes = 300;
// The most frequent ones; all others are made up.
constexpr const char* kCommon[] = {"text:html", "image:jpeg", "image:gif", "image:png", "text:css",
                                   "application:javascript", "application:pdf", "text:plain", "application:json",
                                   "image:svg~2Bxml", "video:mp4", "audio:mpeg"};
constexpr int kCommonTypes = static_cast<int>(std::size(kCommon));
constexpr int kGroups = 20, kPerGroup = 9, kCollections = kGroups * kPerGroup;
constexpr int kDocsPerArc = 10'000;
constexpr std::time_t kFirstBatch = 1'136'073'600;  // 2006-01-01
constexpr int kChunk = 128;                         // numbers in a row of oai.set_chunk

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
    // 0 to n - 1; k comes about 1 / (k + 1) as often as 0.
    int zipf(int n) { return std::min(n - 1, static_cast<int>(std::exp(unit() * std::log(n + 1))) - 1); }

  private:
    std::uint64_t state_;
};

struct Document {
    std::int64_t number;
    std::time_t datestamp, archived;
    int host;                    // 0 to hosts - 1
    int mimetype;
    int collections[3];          // ascending
    int collection_count;
    bool deleted;
    std::uint64_t noise;
};

// Numbers of sets: the three roots (made by the schema), then TLDs, second-level domains, hosts, majors, types, groups
// and collections, each below one made before it.
class Archive {
  public:
    Archive(std::int64_t documents, std::uint64_t seed)
        : n_(documents), seed_(mix(seed)),
          hosts_(static_cast<int>(std::clamp<std::int64_t>(documents / 100, 64, 200'000))),
          cycle_(std::min<std::int64_t>(1'000'000, std::max<std::int64_t>(10, documents / 10))) {}

    std::int64_t documents() const { return n_; }
    int hosts() const { return hosts_; }
    int sites() const { return hosts_ / 2; }
    int arcs() const { return static_cast<int>((n_ + kDocsPerArc - 1) / kDocsPerArc); }

    int tld_set(int t) const { return 4 + t; }
    int site_set(int s) const { return tld_set(kTlds) + s; }
    int host_set(int h) const { return site_set(sites()) + h; }
    int major_set(int m) const { return host_set(hosts_) + m; }
    int type_set(int t) const { return major_set(kMajors) + t; }
    int group_set(int g) const { return type_set(kMimetypes) + g; }
    int collection_set(int c) const { return group_set(kGroups) + c; }
    int sets() const { return collection_set(kCollections); }  // one beyond the last

    // The first 9/10 of all sites are of the dominant TLD.
    int dominant_hosts() const { return sites() * 9 / 10 * 2; }
    int tld_of_site(int s) const {
        return 2 * s < dominant_hosts() ? 0 : 1 + (s - dominant_hosts() / 2) % (kTlds - 1);
    }

    Document document(std::int64_t number) const;

  private:
    double dominant_share() const {  // outside of the batch that has none
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
    d.archived = d.datestamp - 86'400 - static_cast<std::time_t>(random.next() % 2'000'000);
    const bool dominant = random.unit() < dominant_share() && !in_hole(number);
    d.host = dominant ? random.zipf(dominant_hosts())
                      : dominant_hosts() + random.zipf(hosts_ - dominant_hosts());
    d.mimetype = random.unit() < 0.6 ? 0 : 1 + random.zipf(kMimetypes - 1);
    const int wanted = 1 + static_cast<int>(random.next() % 3);
    for (int i = 0; i < wanted; ++i) {
        const int c = random.zipf(kCollections);
        if (std::find(d.collections, d.collections + d.collection_count, c) == d.collections + d.collection_count)
            d.collections[d.collection_count++] = c;
    }
    std::sort(d.collections, d.collections + d.collection_count);
    d.deleted = random.next() % 100 == 0;
    d.noise = random.next();
    return d;
}

// Lines of tab-separated columns.
class Copy {
  public:
    Copy() { out_.reserve(kFlush + 4096); }
    ~Copy() { flush(); }
    Copy(const Copy&) = delete;
    Copy& operator=(const Copy&) = delete;
    Copy& text(std::string_view s) { tab(); out_ += s; return *this; }
    Copy& number(std::int64_t v) { tab(); plain(v); return *this; }
    template <class T>
    Copy& array(const std::vector<T>& values) {
        tab();
        out_ += '{';
        for (const T v : values) { plain(v); out_ += ','; }
        if (values.empty()) out_ += '}'; else out_.back() = '}';
        return *this;
    }
    Copy& time(std::time_t t);
    void end() {
        out_ += '\n';
        first_ = true;
        if (out_.size() >= kFlush) flush();
    }

  private:
    static constexpr std::size_t kFlush = std::size_t{256} << 10;
    void tab() { if (!first_) out_ += '\t'; first_ = false; }
    void plain(std::int64_t v) {
        char digits[24];
        char* at = digits + sizeof digits;
        std::uint64_t u = static_cast<std::uint64_t>(v < 0 ? -v : v);
        do { *--at = static_cast<char>('0' + u % 10); } while ((u /= 10) != 0);
        if (v < 0) *--at = '-';
        out_.append(at, static_cast<std::size_t>(digits + sizeof digits - at));
    }
    void flush() {
        if (std::fwrite(out_.data(), 1, out_.size(), stdout) != out_.size()) {
            std::perror("generate");
            std::exit(1);
        }
        out_.clear();
    }
    std::string out_;
    bool first_ = true;
    std::time_t day_ = -1;
    char date_[16] = "";
};

Copy& Copy::time(std::time_t t) {
    if (t / 86'400 != day_) {
        day_ = t / 86'400;
        std::tm parts{};
        gmtime_r(&t, &parts);
        std::strftime(date_, sizeof date_, "%Y-%m-%d ", &parts);
    }
    const auto second = static_cast<int>(t % 86'400);
    char clock[16];
    std::snprintf(clock, sizeof clock, "%02d:%02d:%02dZ", second / 3600, second / 60 % 60, second % 60);
    return text(std::string(date_) + clock);
}

std::string site_name(const Archive& a, int s) {
    return std::string(kTldNames[a.tld_of_site(s)]) + ":s" + std::to_string(s);
}
std::string host_name(const Archive& a, int h) { return site_name(a, h / 2) + (h % 2 == 0 ? ":www" : ":blog"); }

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
int major_of(int t) {
    const std::string name = type_name(t);
    return static_cast<int>(std::find_if(kMajorNames, kMajorNames + kMajors, [&](std::string_view major) {
                                return name.substr(0, name.find(':')) == major;
                            }) - kMajorNames);
}
std::string title_of_type(std::string name) {
    std::replace(name.begin(), name.end(), ':', '/');
    if (const auto at = name.find("~2B"); at != std::string::npos) name.replace(at, 3, "+");
    return name;
}
std::string group_name(int g) { return "g" + std::to_string(g); }
std::string collection_name(int c) { return group_name(c / kPerGroup) + ":c" + std::to_string(c); }

// Every set but the roots: use(id, parent (0: a root), the root's id, name, title)
template <class Use>
void each_set(const Archive& a, Use use) {
    for (int t = 0; t < kTlds; ++t) use(a.tld_set(t), 0, 1, std::string(kTldNames[t]), std::string(kTldNames[t]));
    for (int s = 0; s < a.sites(); ++s)
        use(a.site_set(s), a.tld_set(a.tld_of_site(s)), 1, site_name(a, s), title_of_host(site_name(a, s)));
    for (int h = 0; h < a.hosts(); ++h)
        use(a.host_set(h), a.site_set(h / 2), 1, host_name(a, h), title_of_host(host_name(a, h)));
    for (int m = 0; m < kMajors; ++m) use(a.major_set(m), 0, 2, std::string(kMajorNames[m]), std::string(kMajorNames[m]));
    for (int t = 0; t < kMimetypes; ++t)
        use(a.type_set(t), a.major_set(major_of(t)), 2, type_name(t), title_of_type(type_name(t)));
    for (int g = 0; g < kGroups; ++g) use(a.group_set(g), 0, 3, group_name(g), "Group " + std::to_string(g));
    for (int c = 0; c < kCollections; ++c)
        use(a.collection_set(c), a.group_set(c / kPerGroup), 3, collection_name(c), "Collection " + std::to_string(c));
}

// All sets of a document, ancestors and roots too, without repetition.
class Memberships {
  public:
    explicit Memberships(const Archive& a) : a_(a) {
        for (int t = 0; t < kMimetypes; ++t) majors_.push_back(a.major_set(major_of(t)));
    }
    const std::vector<int>& all(const Document& d) {
        const int site = d.host / 2;
        out_ = {1, a_.tld_set(a_.tld_of_site(site)), a_.site_set(site), a_.host_set(d.host),
                2, majors_[static_cast<std::size_t>(d.mimetype)], a_.type_set(d.mimetype), 3};
        for (int i = 0; i < d.collection_count; ++i) {
            const int group = d.collections[i] / kPerGroup;  // ascending, so equal ones are neighbours
            if (i == 0 || d.collections[i - 1] / kPerGroup != group) out_.push_back(a_.group_set(group));
            out_.push_back(a_.collection_set(d.collections[i]));
        }
        return out_;
    }

  private:
    const Archive& a_;
    std::vector<int> majors_, out_;
};

void write_sets(const Archive& a) {
    std::vector<std::int64_t> count(static_cast<std::size_t>(a.sets()));
    Memberships memberships(a);
    for (std::int64_t n = 1; n <= a.documents(); ++n)
        for (const int set : memberships.all(a.document(n))) ++count[static_cast<std::size_t>(set)];
    Copy out;
    constexpr const char* kRoots[] = {"", "dom", "mim", "col"};
    constexpr const char* kRootNames[] = {"", "Domains", "Media types", "Collections"};
    const auto write = [&](int id, int parent, const std::string& spec, const std::string& name, std::vector<int> path) {
        out.number(id);
        if (parent == 0) out.text("\\N"); else out.number(parent);
        out.text(spec).text(name).number(count[static_cast<std::size_t>(id)]).array(path).end();
    };
    for (int root = 1; root <= 3; ++root) write(root, 0, kRoots[root], kRootNames[root], {root});
    std::vector<std::vector<int>> paths(static_cast<std::size_t>(a.sets()));
    each_set(a, [&](int id, int parent, int root, const std::string& name, const std::string& title) {
        std::vector<int>& path = paths[static_cast<std::size_t>(id)];
        path = parent == 0 ? std::vector<int>{root} : paths[static_cast<std::size_t>(parent)];
        path.push_back(id);
        write(id, parent == 0 ? root : parent, std::string(kRoots[root]) + ":" + name, title, path);
    });
}

void write_names(const Archive& a, int wanted_root) {
    Copy out;
    each_set(a, [&](int id, int parent, int root, const std::string& name, const std::string& title) {
        if (root != wanted_root) return;
        out.number(id);
        if (parent == 0) out.text("\\N"); else out.number(parent);
        out.text(name).text(title).end();
    });
}

void write_arcs(const Archive& a) {
    Copy out;
    for (int i = 1; i <= a.arcs(); ++i)
        out.number(i).text("WEBARCHIV-" + std::to_string(1'000'000 + i) + "-crawler01.arc.gz").end();
}

// SHA-1 in base 32, as crawlers write it.
std::string digest_of(std::uint64_t noise) {
    std::string out = "sha1:";
    for (int word = 0; word < 3; ++word) {
        std::uint64_t bits = mix(noise + static_cast<std::uint64_t>(word));
        for (int i = 0; i < 12 && out.size() < 37; ++i, bits >>= 5) out += "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[bits & 31];
    }
    return out;
}

void write_documents(const Archive& a, bool published) {
    std::vector<std::string> titles, surts;
    for (int h = 0; h < a.hosts(); ++h) {
        std::string surt = host_name(a, h);
        titles.push_back(title_of_host(surt));
        std::replace(surt.begin(), surt.end(), ':', ',');
        surts.push_back(surt + ")");
    }
    Copy out;
    std::vector<int> sets;
    for (std::int64_t n = 1; n <= a.documents(); ++n) {
        const Document d = a.document(n);
        const auto h = static_cast<std::size_t>(d.host);
        const std::string path = "/clanky/" + std::to_string(d.noise % 100'000) + "/strana-" + std::to_string(n) + ".html";
        sets.clear();
        if (published) {
            sets = {a.host_set(d.host), a.type_set(d.mimetype)};
            for (int i = 0; i < d.collection_count; ++i) sets.push_back(a.collection_set(d.collections[i]));
        }
        out.number(n);
        if (published) out.number(n); else out.text("\\N");
        out.time(d.datestamp).time(d.archived);
        out.number((n - 1) % kDocsPerArc * 20'000 + static_cast<std::int64_t>(d.noise % 10'000));
        out.number(300 + static_cast<std::int64_t>(d.noise % 60'000)).number((n - 1) / kDocsPerArc + 1);
        out.number(a.host_set(d.host)).number(a.type_set(d.mimetype)).text(d.noise % 20 == 0 ? "404" : "200");
        out.text(d.deleted ? "t" : "f").text("0000").text("http://" + titles[h] + path).text(surts[h] + path);
        out.text(digest_of(d.noise)).array(sets).end();
    }
}

void write_filed(const Archive& a) {
    Copy out;
    for (std::int64_t n = 1; n <= a.documents(); ++n) {
        const Document d = a.document(n);
        for (int i = 0; i < d.collection_count; ++i) out.number(n).number(a.collection_set(d.collections[i])).end();
    }
}

void write_chunks(const Archive& a) {
    Copy out;
    std::vector<std::vector<std::int32_t>> open(static_cast<std::size_t>(a.sets()));
    const auto write = [&](std::size_t set) {
        out.number(static_cast<std::int64_t>(set)).number(open[set].front()).array(open[set]).end();
        open[set].clear();
    };
    Memberships memberships(a);
    for (std::int64_t n = 1; n <= a.documents(); ++n)
        for (const int id : memberships.all(a.document(n))) {
            const auto set = static_cast<std::size_t>(id);
            open[set].push_back(static_cast<std::int32_t>(n));
            if (open[set].size() == kChunk) write(set);
        }
    for (std::size_t set = 0; set < open.size(); ++set)
        if (!open[set].empty()) write(set);
}

// Calls use(document, url, surt) for documents after + 1 to N.
template <class Use>
void each_capture(const Archive& a, std::int64_t after, Use use) {
    for (std::int64_t n = after + 1; n <= a.documents(); ++n) {
        const Document d = a.document(n);
        const std::string host = host_name(a, d.host);
        std::string surt = host;
        std::replace(surt.begin(), surt.end(), ':', ',');
        const std::string path = "/clanky/" + std::to_string(d.noise % 100'000) + "/strana-" + std::to_string(n) + ".html";
        use(d, "http://" + title_of_host(host) + path, surt + ")" + path);
    }
}

std::string clock_of(std::time_t t, const char* format) {
    std::tm parts{};
    gmtime_r(&t, &parts);
    char text[32];
    return {text, std::strftime(text, sizeof text, format, &parts)};
}

void write_cdxj(const Archive& a, std::int64_t after) {
    each_capture(a, after, [](const Document& d, const std::string& url, const std::string& surt) {
        const std::int64_t at = d.number - 1;
        std::printf("%s %s {\"url\": \"%s\", \"mime\": \"%s\", \"status\": \"%s\", \"digest\": \"%s\", \"length\": \"%d\", "
                    "\"offset\": \"%lld\", \"filename\": \"WEBARCHIV-%lld-crawler01.warc.gz\"}\n",
                    surt.c_str(), clock_of(d.archived, "%Y%m%d%H%M%S").c_str(), url.c_str(),
                    title_of_type(type_name(d.mimetype)).c_str(), d.noise % 20 == 0 ? "404" : "200",
                    digest_of(d.noise).c_str(), static_cast<int>(300 + d.noise % 60'000),
                    static_cast<long long>(at % kDocsPerArc * 60'300), static_cast<long long>(2'000'000 + at / kDocsPerArc));
    });
}

// One gzip member.
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
    const std::string http = "HTTP/1.1 " + std::string(d.noise % 20 == 0 ? "404 Not Found" : "200 OK") +
                             "\r\nContent-Type: " + title_of_type(type_name(d.mimetype)) + "\r\n\r\n" + url + "\n";
    char id[64];
    std::snprintf(id, sizeof id, "<urn:uuid:00000000-0000-4000-8000-%012llx>", static_cast<unsigned long long>(d.number));
    return "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: " + std::string(id) + "\r\nWARC-Target-URI: " + url +
           "\r\nWARC-Date: " + clock_of(d.archived, "%Y-%m-%dT%H:%M:%SZ") + "\r\nWARC-Payload-Digest: " +
           digest_of(d.noise) + "\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: " +
           std::to_string(http.size()) + "\r\n\r\n" + http + "\r\n\r\n";
}

void write_warc(const Archive& a, std::int64_t after) {
    z_stream gzip{};
    if (deflateInit2(&gzip, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) std::exit(1);
    each_capture(a, after, [&](const Document& d, const std::string& url, const std::string&) {
        write_member(gzip, warc_response(d, url));
    });
    deflateEnd(&gzip);
}

int usage() {
    std::fputs("usage: generate set|domain|mimetype|collection|arc|doc|unpublished|doc_collection|set_chunk N [SEED]\n"
               "       generate cdxj|warc N SEED AFTER\n"
               "N: 1000 to 150000000 documents\n", stderr);
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3 || argc > 5) return usage();
    const std::string_view table = argv[1];
    char* end = nullptr;
    const std::int64_t n = std::strtoll(argv[2], &end, 10);
    if (*end != '\0' || n < 1000 || n > 150'000'000) return usage();
    const std::uint64_t seed = argc >= 4 ? std::strtoull(argv[3], &end, 10) : 1;
    if (*end != '\0') return usage();
    const std::int64_t after = argc == 5 ? std::strtoll(argv[4], &end, 10) : 0;
    if (*end != '\0' || after < 0 || after >= n) return usage();
    const Archive archive(n, seed);
    if (table == "set") write_sets(archive);
    else if (table == "domain") write_names(archive, 1);
    else if (table == "mimetype") write_names(archive, 2);
    else if (table == "collection") write_names(archive, 3);
    else if (table == "arc") write_arcs(archive);
    else if (table == "doc") write_documents(archive, true);
    else if (table == "unpublished") write_documents(archive, false);
    else if (table == "doc_collection") write_filed(archive);
    else if (table == "set_chunk") write_chunks(archive);
    else if (table == "cdxj") write_cdxj(archive, after);
    else if (table == "warc") write_warc(archive, after);
    else return usage();
    return std::fflush(stdout) == 0 && std::ferror(stdout) == 0 ? 0 : 1;
}
