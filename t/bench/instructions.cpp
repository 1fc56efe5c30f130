// SPDX-License-Identifier: MIT
// instructions CONNINFO FORMATS WAY RECORDS: reads RECORDS records (or headers) and writes them as
// pages of one slice each, twice: the second time in measured_page(), where callgrind counts. WAY
// is `headers`, the prefix of a format, used as shipped, or `libxslt:PREFIX`; `libxslt` is
// oai_dc's. Prints the number of records. The count covers everything between the rows of the
// database and the text of the answer.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "format/trial.h"
#include "verb/record_writer.h"
#include "xml/document.h"

using namespace oai;

namespace {

std::vector<RecordBatch> read_slices(Store& store, bool with_records, int records) {
    std::vector<RecordBatch> batches;
    RecordCursor cursor = store.list({.with_records = with_records, .records = records});
    for (RecordBatch batch = cursor.next(); batch.size() > 0; batch = cursor.next())
        batches.push_back(std::move(batch));
    return batches;
}

struct Pages {
    const Context& context;
    const Format& format;
    const std::vector<RecordBatch>& batches;
    bool with_metadata;

    // Pages of one slice each, as lists.records has it.
    int write() const {
        RequestStats stats;
        for (const RecordBatch& batch : batches) {
            Envelope out(Seconds{}, "http://archive.example.org/oai", {});
            RecordWriter writer(context, format, with_metadata);
            writer.begin(batch, std::nullopt);
            for (int i = 0; i < batch.size(); ++i) writer.write(out, i);
            stats.add(writer.stats());
        }
        if (!stats.bad_records.empty()) throw std::runtime_error(stats.bad_records[0].why);
        return stats.records;
    }
};

}  // namespace

extern "C" [[gnu::noinline]] int measured_page(const Pages& pages) { return pages.write(); }

int main(int argc, char** argv) {
    if (argc != 5) return 2;
    const std::string way = argv[3];
    try {
        xml::initialise();
        StoreOptions options;
        options.pool.conninfo = argv[1];
        options.pool.application_name = "bench-instructions";
        options.pool.connections = 1;
        Store store(options);
        const auto formats = std::make_shared<const FormatRegistry>(read_formats(argv[2]));
        const bool as_shipped = way != "headers" && !way.starts_with("libxslt");
        const std::string prefix =
            as_shipped || way == "headers" ? way : way.substr(way.find(':') + 1);
        const Format* const found =
            formats->find(prefix == "headers" || prefix == "libxslt" ? "oai_dc" : prefix);
        if (found == nullptr) throw std::runtime_error("there is no format " + way);
        const Format& format = *found;
        std::fprintf(stderr, "%s: %s\n", way.c_str(), execution_of(format, as_shipped).c_str());
        Repository repository;
        repository.formats.compiled = as_shipped;
        repository.identifier_prefix = "oai:archive.example.org:";
        const SystemClock clock;
        const TokenSealer sealer{TokenKey{}};
        const LatestHorizon latest;
        const Context context{repository, store, formats, sealer, clock, latest};
        const bool with_metadata = way != "headers";
        const std::vector<RecordBatch> batches =
            read_slices(store, with_metadata, std::atoi(argv[4]));
        const Pages pages{context, format, batches, with_metadata};
        pages.write();
        std::printf("%d\n", measured_page(pages));
    } catch (const std::exception& e) {
        std::fprintf(stderr, "instructions: %s\n", e.what());
        return 1;
    }
    return 0;
}
