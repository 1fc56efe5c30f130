// SPDX-License-Identifier: MIT
// Documents of the generated archive as a crawler would have written them: CDXJ lines, or a WARC
// file.
#pragma once

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "t/bench/archive.h"

namespace oai::bench {

// Calls use(document, url, surt) for documents after + 1 to upto.
template <class Use>
inline void each_capture(const Archive& a, std::int64_t after, std::int64_t upto, Use use) {
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

inline std::string clock_of(std::time_t t, const char* format) {
    std::tm parts{};
    gmtime_r(&t, &parts);
    char text[32];
    return {text, std::strftime(text, sizeof text, format, &parts)};
}

inline void write_cdxj(const Archive& a, std::int64_t after, std::int64_t upto) {
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
inline void write_member(z_stream& gzip, const std::string& record) {
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

inline std::string warc_response(const Document& d, const std::string& url) {
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

inline void write_warc(const Archive& a, std::int64_t after, std::int64_t upto) {
    z_stream gzip{};
    if (deflateInit2(&gzip, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) std::exit(1);
    each_capture(a, after, upto,
                 [&](const Document& d, const std::string& url, const std::string&) {
                     write_member(gzip, warc_response(d, url));
                 });
    deflateEnd(&gzip);
}

}  // namespace oai::bench
