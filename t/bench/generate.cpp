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
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "t/bench/archive.h"
#include "t/bench/captures.h"
#include "t/bench/copy.h"

using namespace oai::bench;

namespace {

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
    if (table == "set")
        write_sets(archive);
    else if (table == "domain")
        write_names(archive, 1);
    else if (table == "mimetype")
        write_names(archive, 2);
    else if (table == "collection")
        write_names(archive, 3);
    else if (table == "arc")
        write_arcs(archive);
    else if (table == "doc")
        write_documents(archive, true);
    else if (table == "unpublished")
        write_documents(archive, false);
    else if (table == "doc_collection")
        write_filed(archive);
    else if (table == "set_chunk")
        write_chunks(archive);
    else if (table == "cdxj")
        write_cdxj(archive, after, upto);
    else if (table == "warc")
        write_warc(archive, after, upto);
    else
        return usage();
    return std::fflush(stdout) == 0 && std::ferror(stdout) == 0 ? 0 : 1;
}
