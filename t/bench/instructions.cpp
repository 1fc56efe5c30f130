// SPDX-License-Identifier: MIT
// instructions CONNINFO FORMATS WAY RECORDS: reads as many records (or headers) and writes them to pages of a slice each, twice: the
// second time in measured_page(), for callgrind to count. WAY is `headers`, `libxslt` (oai_dc by
// it), or the prefix of a format, which is made as shipped. Prints how
// many records there were. What is counted is all between the rows of the database and the text of the answer.
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "record_writer.h"
#include "xml/document.h"

using namespace oai;

namespace {

std::vector<Slice> read_slices(Store& store, bool with_records, int records) {
    std::vector<Slice> slices;
    Listing listing = store.list({.with_records = with_records, .records = records});
    for (Slice slice = listing.next(); slice.size() > 0; slice = listing.next()) slices.push_back(std::move(slice));
    return slices;
}

struct Pages {
    const Context& context;
    const Format& format;
    const std::vector<Slice>& slices;
    bool with_metadata;

    // Pages of one slice each, as lists.records has it.
    int write() const {
        Account account;
        for (const Slice& slice : slices) {
            Envelope out(Seconds{}, "http://archive.example.org/oai", {});
            RecordWriter writer(context, format, with_metadata, account);
            writer.begin(slice, std::nullopt, writer.make(slice));
            for (int i = 0; i < slice.size(); ++i) writer.write(out, i);
        }
        if (!account.bad_records.empty()) throw std::runtime_error(account.bad_records[0].why);
        return account.records;
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
        const auto formats = std::make_shared<const FormatRegistry>(FormatRegistry::read(argv[2]));
        const bool as_shipped = way != "headers" && way != "libxslt";
        const Format* const found = formats->find(as_shipped ? way : "oai_dc");
        if (found == nullptr) throw std::runtime_error("there is no format " + way);
        const Format& format = *found;
        std::fprintf(stderr, "%s: %s\n", way.c_str(), way_of(format, as_shipped).c_str());
        Repository repository;
        repository.formats.compiled = as_shipped;
        repository.identifier_prefix = "oai:archive.example.org:";
        const SystemClock clock;
        SpareThreads none(1);
        const TokenSealer sealer{TokenKey{}};
        const Context context{repository, store, formats, sealer, clock, {},
                              [] { return std::make_shared<const ExcludedRecords>(std::vector<Exclusion>{}); }, none};
        const bool with_metadata = way != "headers";
        const std::vector<Slice> slices = read_slices(store, with_metadata, std::atoi(argv[4]));
        const Pages pages{context, format, slices, with_metadata};
        pages.write();
        std::printf("%d\n", measured_page(pages));
    } catch (const std::exception& e) {
        std::fprintf(stderr, "instructions: %s\n", e.what());
        return 1;
    }
    return 0;
}
