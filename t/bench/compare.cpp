// SPDX-License-Identifier: MIT
// compare URL OTHER PREFIX: reads the whole oai_dc list of two repositories served by this software
// over HTTP and compares them record by record: identifier, deletion, sets and metadata. Of the
// sets of OTHER it compares those whose setSpec begins with PREFIX, without the prefix. Elements of
// the same name must be in the same order, except dc:identifier, which model library orders itself.
// Prints name, value, unit; the rates are the reading speed of each. Exits with status 1 if they
// differ, and prints the first differences to standard error.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tools/http_client/client.h"

namespace {

constexpr int kTold = 5;

// Returns the text between `begin` and `end`, searching from `at` on, and moves `at` behind it. If
// they are not found, `at` becomes npos.
std::string_view between(std::string_view text, std::string_view begin, std::string_view end,
                         std::size_t& at) {
    const auto from = text.find(begin, at);
    const auto to = from == text.npos ? from : text.find(end, from + begin.size());
    at = to == text.npos ? to : to + end.size();
    return to == text.npos ? std::string_view{}
                           : text.substr(from + begin.size(), to - from - begin.size());
}

using Element = std::pair<std::string_view, std::string_view>;  // name; attributes, '>' and content

std::vector<Element> elements_of(std::string_view metadata) {
    std::vector<Element> elements;
    for (std::size_t at = 0; (at = metadata.find("<dc:", at)) != metadata.npos;) {
        const std::string_view name =
            metadata.substr(at + 1, metadata.find_first_of(" >", at) - at - 1);
        const std::string end = "</" + std::string(name) + ">";
        const auto to = metadata.find(end, at);
        if (to == metadata.npos)
            throw std::runtime_error("no end of " + std::string(metadata.substr(at)));
        elements.emplace_back(name,
                              metadata.substr(at + 1 + name.size(), to - at - 1 - name.size()));
        at = to + end.size();
    }
    std::stable_sort(elements.begin(), elements.end(), [](const Element& a, const Element& b) {
        return a.first != b.first ? a.first < b.first
                                  : a.first == "dc:identifier" && a.second < b.second;
    });
    return elements;
}

std::vector<std::string_view> sets_of(std::string_view header, std::string_view prefix) {
    std::vector<std::string_view> sets;
    for (std::size_t at = 0;;) {
        const std::string_view spec = between(header, "<setSpec>", "</setSpec>", at);
        if (at == header.npos) break;
        if (spec.starts_with(prefix)) sets.push_back(spec.substr(prefix.size()));
    }
    std::sort(sets.begin(), sets.end());
    return sets;
}

// Returns the compared content of a record, in a fixed order.
std::string saying(std::string_view record, std::string_view prefix) {
    std::size_t at = 0;
    const std::string_view header = between(record, "<header", "</header>", at);
    const std::string_view metadata = between(record, "<metadata>", "</metadata>", at);
    std::string out = header.starts_with(" status=\"deleted\"") ? "deleted" : "";
    for (const std::string_view set : sets_of(header, prefix)) out.append(" ").append(set);
    for (const auto& [name, text] : elements_of(metadata))
        out.append("|").append(name).append(text);
    return out;
}

// Maps each identifier to a digest of the record's compared content.
struct List {
    std::unordered_map<std::string, std::uint64_t> records;
    std::size_t twice = 0;
    double seconds = 0;
};

void take(std::string_view page, std::string_view prefix, List& list) {
    for (std::size_t at = 0;;) {
        const std::string_view record = between(page, "<record>", "</record>", at);
        if (at == page.npos) return;
        std::size_t in_it = 0;
        const std::string identifier(between(record, "<identifier>", "</identifier>", in_it));
        const auto digest = std::hash<std::string>{}(saying(record, prefix));
        if (!list.records.emplace(identifier, digest).second) ++list.twice;
    }
}

std::string page_of(oai::http::Client& client, const std::string& url) {
    oai::http::ClientRequest request;
    request.url = url;
    oai::http::ClientResponse answer = client.send(request);
    if (answer.status != 200)
        throw std::runtime_error(url + ": " + std::to_string(answer.status) + " " + answer.body);
    return std::move(answer.body);
}

List read(const std::string& url, std::string_view prefix) {
    const auto begin = std::chrono::steady_clock::now();
    oai::http::Client client({});
    List list;
    for (std::string query = "metadataPrefix=oai_dc"; !query.empty();) {
        const std::string page = page_of(client, url + "?verb=ListRecords&" + query);
        take(page, prefix, list);
        std::size_t at = page.rfind("<resumptionToken");
        if (at == page.npos) break;
        const std::string_view token = between(page, ">", "</resumptionToken>", at);
        query = token.empty() ? "" : "resumptionToken=" + std::string(token);
    }
    list.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return list;
}

// Records that only one list has, or that differ.
struct Differences {
    std::size_t missed = 0, left_over = 0, other = 0, told = 0;
    void tell(std::size_t& count, const std::string& identifier, const char* what) {
        ++count;
        if (++told <= kTold) std::fprintf(stderr, "%s: %s\n", identifier.c_str(), what);
    }
};

Differences differences(const List& one, const List& other) {
    Differences d;
    for (const auto& [identifier, digest] : one.records) {
        const auto found = other.records.find(identifier);
        if (found == other.records.end())
            d.tell(d.missed, identifier, "only in the first");
        else if (found->second != digest)
            d.tell(d.other, identifier, "differs");
    }
    for (const auto& [identifier, digest] : other.records)
        if (!one.records.contains(identifier)) d.tell(d.left_over, identifier, "only in the other");
    return d;
}

void print_rate(const char* name, const List& list) {
    std::printf("%s\t%.0f\trecords/s\n", name,
                static_cast<double>(list.records.size()) / list.seconds);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) return std::fputs("usage: compare URL OTHER PREFIX\n", stderr), 2;
    try {
        const List one = read(argv[1], ""), other = read(argv[2], argv[3]);
        const Differences d = differences(one, other);
        const std::size_t doubled = one.twice + other.twice;
        const std::size_t n = d.missed + d.left_over + d.other + doubled;
        std::printf("compared.records\t%zu\trecords\n", one.records.size());
        std::printf("list_records.records\t%zu\trecords\n", other.records.size());
        std::printf("list_records.missed\t%zu\trecords\n", d.missed);
        std::printf("list_records.left_over\t%zu\trecords\n", d.left_over);
        std::printf("list_records.doubled\t%zu\trecords\n", doubled);
        std::printf("list_records.different\t%zu\trecords\n", d.other);
        print_rate("provider.records_per_second", one);
        print_rate("aggregator.records_per_second", other);
        std::printf("differ\t%zu\trecords\n", n);
        return n == 0 && !one.records.empty() ? 0 : 1;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "compare: %s\n", e.what());
        return 2;
    }
}
