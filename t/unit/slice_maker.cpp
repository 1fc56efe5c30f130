// SPDX-License-Identifier: MIT
#include "slice_maker.h"

#include <catch2/catch.hpp>

#include "error.h"
#include "t/lib/testdb.h"
#include "verb.h"
#include "xml/document.h"

using namespace oai;

namespace {

constexpr int kRecords = 1030;

test::TestDb& filled() {
    static const auto db = [] {
        auto made = std::make_unique<test::TestDb>("slice_maker");
        made->install_schema();
        made->run("insert into webarchiv.doc (url, surt, archived_time) select 'http://x/' || n, 'x)/' || n, '2007-01-01Z'"
                  " from generate_series(1, " + std::to_string(kRecords) + ") n");
        made->value("select published from oai.publish(10000, true)");
        return made;
    }();
    return *db;
}

// One page by oai_dc through libxslt, with so many cores.
struct Asked {
    explicit Asked(unsigned cores) : spare(cores) {
        repository.formats.compiled = false;
        repository.identifier_prefix = "oai:x.example.org:";
        options.pool.conninfo = filled().conninfo("oai_reader");
        options.pool.connections = 1;
        store.emplace(options);
    }
    VerbResult list(Verb verb, const std::string& prefix = "oai_dc") {
        ParsedArguments parsed;
        parsed.arguments.verb = verb;
        parsed.arguments.metadata_prefix = prefix;
        const Context context{repository, *store, formats, sealer, clock, [] { return Horizon{}; },
                              [] { return std::make_shared<const ExcludedRecords>(std::vector<Exclusion>{}); }, spare};
        const SpareThreads::Request busy(spare);
        return verb_list(context, parsed, account);
    }
    Repository repository;
    StoreOptions options;
    std::optional<Store> store;
    std::shared_ptr<const FormatRegistry> formats = std::make_shared<const FormatRegistry>(FormatRegistry::read("xslt"));
    const TokenSealer sealer{TokenKey{}};
    const SystemClock clock;
    SpareThreads spare;
    Account account;
};

// Without the token, which says when it was issued.
std::string records_of(const VerbResult& result) {
    return result.document.substr(result.document.find("<ListRecords>"),
                                  result.document.find("<resumptionToken") - result.document.find("<ListRecords>"));
}

}  // namespace

TEST_CASE("slices made by two threads are those made by one, in the list's order") {
    xml::initialise();
    // The end of the page within a slice, between two that are made together, behind them, and the list's own.
    for (const int page : {1, 150, 200, 300, 400, 1000, kRecords - 1, kRecords, 5000}) {
        CAPTURE(page);
        Asked alone(1), together(4);
        for (Asked* asked : {&alone, &together}) asked->repository.lists.records = page;
        const VerbResult expected = alone.list(Verb::list_records), result = together.list(Verb::list_records);
        CHECK(records_of(result) == records_of(expected));
        CHECK(together.account.records == std::min(page, kRecords));
        CHECK((result.document.find("<resumptionToken") != std::string::npos) == (page < kRecords));
    }
}

TEST_CASE("a page that ends by its bytes while a slice is made ahead goes on with that slice") {
    xml::initialise();
    Asked asked(4);
    asked.repository.lists.records = 5000;
    asked.repository.lists.page_bytes = 20'000;
    const VerbResult result = asked.list(Verb::list_records);
    CHECK(asked.account.records > 10);
    CHECK(asked.account.records < 100);
    CHECK(result.document.find("<resumptionToken") != std::string::npos);
}

TEST_CASE("each slice comes with what was made of it") {
    xml::initialise();
    Asked asked(4);
    Listing listing = asked.store->list({.with_records = true, .records = 1000});
    Account account;
    const Context context{asked.repository, *asked.store, asked.formats, asked.sealer, asked.clock, {},
                          [] { return std::make_shared<const ExcludedRecords>(std::vector<Exclusion>{}); }, asked.spare};
    const RecordWriter writer(context, *asked.formats->find("oai_dc"), true, account);
    SliceMaker slices(listing, writer, asked.spare, account.database);
    int records = 0;
    for (auto ready = slices.next(); ready.slice.size() > 0; ready = slices.next()) {
        REQUIRE(ready.made.metadata.pieces.size() == static_cast<std::size_t>(ready.slice.size()));
        CHECK(ready.made.metadata.of(0).find("http://x/" + std::to_string(records + 1) + "<") != std::string_view::npos);
        records += ready.slice.size();
    }
    CHECK(records == 1000);
    CHECK_FALSE(slices.has_more());
}
