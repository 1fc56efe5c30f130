// SPDX-License-Identifier: MIT
// Generates a national web archive of N documents (archive.h) for model webarchiv. Writes one table
// at a time as PostgreSQL COPY text to standard output:
//   generate TABLE N [SEED]          TABLE: set domain mimetype collection arc doc unpublished
//                                    doc_collection set_chunk
// or the last documents as a crawler would have written them, for `oai load`:
//   generate cdxj|warc N SEED AFTER [UPTO]
//                                    documents AFTER + 1 to UPTO (N) of N; each record of the WARC
//                                    file is a gzip member of its own
// A document depends only on its number and the seed, so the tables are consistent even though each
// is written by a separate run. They are in the state in which the publisher leaves them after
// first numbering all documents by (datestamp, id): seq is the document's number, and set and
// set_chunk hold what oai.publish() would write. `unpublished` is table doc before that, without
// seq and set_ids. t/server/plans.t checks that publishing it gives the same result.
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "t/bench/archive.h"

using namespace oai::bench;

namespace {

// Writes PostgreSQL's COPY text format to standard output.
// Lines of tab-separated columns.
class Copy {
  public:
    Copy() { out_.reserve(kFlush + 4096); }
    ~Copy() { flush(); }
    Copy(const Copy&) = delete;
    Copy& operator=(const Copy&) = delete;
    Copy& text(std::string_view s) {
        tab();
        out_ += s;
        return *this;
    }
    Copy& number(std::int64_t v) {
        tab();
        plain(v);
        return *this;
    }
    template <class T>
    Copy& array(const std::vector<T>& values) {
        tab();
        out_ += '{';
        for (const T v : values) {
            plain(v);
            out_ += ',';
        }
        if (values.empty())
            out_ += '}';
        else
            out_.back() = '}';
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
    void tab() {
        if (!first_) out_ += '\t';
        first_ = false;
    }
    void plain(std::int64_t v) {
        char digits[24];
        char* at = digits + sizeof digits;
        std::uint64_t u = static_cast<std::uint64_t>(v < 0 ? -v : v);
        do {
            *--at = static_cast<char>('0' + u % 10);
        } while ((u /= 10) != 0);
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
    std::snprintf(clock, sizeof clock, "%02d:%02d:%02dZ", second / 3600, second / 60 % 60,
                  second % 60);
    return text(std::string(date_) + clock);
}

constexpr int kChunk = 128;  // numbers in a row of oai.set_chunk

void write_sets(const Archive& a) {
    std::vector<std::int64_t> count(static_cast<std::size_t>(a.sets()));
    Memberships memberships(a);
    for (std::int64_t n = 1; n <= a.documents(); ++n)
        for (const int set : memberships.all(a.document(n))) ++count[static_cast<std::size_t>(set)];
    Copy out;
    constexpr const char* kRoots[] = {"", "dom", "mim", "col"};
    constexpr const char* kRootNames[] = {"", "Domains", "Media types", "Collections"};
    const auto write = [&](int id, int parent, const std::string& spec, const std::string& name,
                           std::vector<int> path) {
        out.number(id);
        if (parent == 0)
            out.text("\\N");
        else
            out.number(parent);
        out.text(spec).text(name).number(count[static_cast<std::size_t>(id)]).array(path).end();
    };
    for (int root = 1; root <= 3; ++root) write(root, 0, kRoots[root], kRootNames[root], {root});
    std::vector<std::vector<int>> paths(static_cast<std::size_t>(a.sets()));
    each_set(a, [&](int id, int parent, int root, const std::string& name,
                    const std::string& title) {
        std::vector<int>& path = paths[static_cast<std::size_t>(id)];
        path = parent == 0 ? std::vector<int>{root} : paths[static_cast<std::size_t>(parent)];
        path.push_back(id);
        write(id, parent == 0 ? root : parent, std::string(kRoots[root]) + ":" + name, title, path);
    });
}

void write_names(const Archive& a, int wanted_root) {
    Copy out;
    each_set(a,
             [&](int id, int parent, int root, const std::string& name, const std::string& title) {
                 if (root != wanted_root) return;
                 out.number(id);
                 if (parent == 0)
                     out.text("\\N");
                 else
                     out.number(parent);
                 out.text(name).text(title).end();
             });
}

void write_arcs(const Archive& a) {
    Copy out;
    for (int i = 1; i <= a.arcs(); ++i)
        out.number(i)
            .text("WEBARCHIV-" + std::to_string(1'000'000 + i) + "-crawler01.arc.gz")
            .end();
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
        const std::string path = "/clanky/" + std::to_string(d.noise % 100'000) + "/strana-" +
                                 std::to_string(n) + ".html";
        sets.clear();
        if (published) {
            sets = {a.host_set(d.host), a.type_set(d.mimetype)};
            for (int i = 0; i < d.collection_count; ++i)
                sets.push_back(a.collection_set(d.collections[i]));
        }
        out.number(n);
        if (published)
            out.number(n);
        else
            out.text("\\N");
        out.time(d.datestamp).time(d.archived);
        out.number((n - 1) % kDocsPerArc * 20'000 + static_cast<std::int64_t>(d.noise % 10'000));
        out.number(300 + static_cast<std::int64_t>(d.noise % 60'000))
            .number((n - 1) / kDocsPerArc + 1);
        out.number(a.host_set(d.host))
            .number(a.type_set(d.mimetype))
            .text(d.noise % 20 == 0 ? "404" : "200");
        out.text(d.deleted ? "t" : "f")
            .text("0000")
            .text("http://" + titles[h] + path)
            .text(surts[h] + path);
        out.text(digest_of(d.noise)).array(sets).end();
    }
}

void write_filed(const Archive& a) {
    Copy out;
    for (std::int64_t n = 1; n <= a.documents(); ++n) {
        const Document d = a.document(n);
        for (int i = 0; i < d.collection_count; ++i)
            out.number(n).number(a.collection_set(d.collections[i])).end();
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

// --- Documents as a crawler would have written them.

// Calls use(document, url, surt) for documents after + 1 to upto.
template <class Use>
void each_capture(const Archive& a, std::int64_t after, std::int64_t upto, Use use) {
    for (std::int64_t n = after + 1; n <= upto; ++n) {
        const Document d = a.document(n);
        const std::string host = host_name(a, d.host);
        std::string surt = host;
        std::replace(surt.begin(), surt.end(), ':', ',');
        const std::string path = "/clanky/" + std::to_string(d.noise % 100'000) + "/strana-" +
                                 std::to_string(n) + ".html";
        use(d, "http://" + title_of_host(host) + path, surt + ")" + path);
    }
}

std::string clock_of(std::time_t t, const char* format) {
    std::tm parts{};
    gmtime_r(&t, &parts);
    char text[32];
    return {text, std::strftime(text, sizeof text, format, &parts)};
}

void write_cdxj(const Archive& a, std::int64_t after, std::int64_t upto) {
    each_capture(
        a, after, upto,
        [](const Document& d, const std::string& url, const std::string& surt) {
            const std::int64_t at = d.number - 1;
            std::printf(
                "%s %s {\"url\": \"%s\", \"mime\": \"%s\", \"status\": \"%s\", \"digest\": \"%s\", "
                "\"length\": \"%d\", "
                "\"offset\": \"%lld\", \"filename\": \"WEBARCHIV-%lld-crawler01.warc.gz\"}\n",
                surt.c_str(), clock_of(d.archived, "%Y%m%d%H%M%S").c_str(), url.c_str(),
                title_of_type(type_name(d.mimetype)).c_str(), d.noise % 20 == 0 ? "404" : "200",
                digest_of(d.noise).c_str(), static_cast<int>(300 + d.noise % 60'000),
                static_cast<long long>(at % kDocsPerArc * 60'300),
                static_cast<long long>(2'000'000 + at / kDocsPerArc));
        });
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
    const std::string http =
        "HTTP/1.1 " + std::string(d.noise % 20 == 0 ? "404 Not Found" : "200 OK") +
        "\r\nContent-Type: " + title_of_type(type_name(d.mimetype)) + "\r\n\r\n" + url + "\n";
    char id[64];
    std::snprintf(id, sizeof id, "<urn:uuid:00000000-0000-4000-8000-%012llx>",
                  static_cast<unsigned long long>(d.number));
    return "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: " + std::string(id) +
           "\r\nWARC-Target-URI: " + url +
           "\r\nWARC-Date: " + clock_of(d.archived, "%Y-%m-%dT%H:%M:%SZ") +
           "\r\nWARC-Payload-Digest: " + digest_of(d.noise) +
           "\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: " +
           std::to_string(http.size()) + "\r\n\r\n" + http + "\r\n\r\n";
}

void write_warc(const Archive& a, std::int64_t after, std::int64_t upto) {
    z_stream gzip{};
    if (deflateInit2(&gzip, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) std::exit(1);
    each_capture(a, after, upto,
                 [&](const Document& d, const std::string& url, const std::string&) {
                     write_member(gzip, warc_response(d, url));
                 });
    deflateEnd(&gzip);
}

int usage() {
    std::fputs(
        "usage: generate "
        "set|domain|mimetype|collection|arc|doc|unpublished|doc_collection|set_chunk N [SEED]\n"
        "       generate cdxj|warc N SEED AFTER [UPTO]\n"
        "N: 1000 to 2000000000 documents\n",
        stderr);
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3 || argc > 6) return usage();
    const std::string_view table = argv[1];
    char* end = nullptr;
    const std::int64_t n = std::strtoll(argv[2], &end, 10);
    if (*end != '\0' || n < 1000 || n > 2'000'000'000) return usage();
    const std::uint64_t seed = argc >= 4 ? std::strtoull(argv[3], &end, 10) : 1;
    if (*end != '\0') return usage();
    const std::int64_t after = argc >= 5 ? std::strtoll(argv[4], &end, 10) : 0;
    if (*end != '\0' || after < 0 || after >= n) return usage();
    const std::int64_t upto = argc == 6 ? std::strtoll(argv[5], &end, 10) : n;
    if (*end != '\0' || upto <= after || upto > n) return usage();
    const Archive archive(n, seed);
    const std::map<std::string_view, std::function<void()>> writers{
        {"set", [&] { write_sets(archive); }},
        {"domain", [&] { write_names(archive, 1); }},
        {"mimetype", [&] { write_names(archive, 2); }},
        {"collection", [&] { write_names(archive, 3); }},
        {"arc", [&] { write_arcs(archive); }},
        {"doc", [&] { write_documents(archive, true); }},
        {"unpublished", [&] { write_documents(archive, false); }},
        {"doc_collection", [&] { write_filed(archive); }},
        {"set_chunk", [&] { write_chunks(archive); }},
        {"cdxj", [&] { write_cdxj(archive, after, upto); }},
        {"warc", [&] { write_warc(archive, after, upto); }}};
    const auto writer = writers.find(table);
    if (writer == writers.end()) return usage();
    writer->second();
    return std::fflush(stdout) == 0 && std::ferror(stdout) == 0 ? 0 : 1;
}
