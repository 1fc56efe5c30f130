// SPDX-License-Identifier: MIT
// Generates documents of a national web archive of N (archive.h), on standard output:
//   generate doc|cdxj|warc N [SEED [AFTER [UPTO]]]
// documents AFTER + 1 (1) to UPTO (N) as t/bench/fill reads them, in PostgreSQL's COPY text format
// with names in the place of their numbers; or as a crawler would have written them, for `oai
// load`: each record of the WARC file is a gzip member of its own.
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>

#include "t/bench/archive.h"

using namespace oai::bench;

namespace {

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
