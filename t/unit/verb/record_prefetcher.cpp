// SPDX-License-Identifier: MIT
#include "verb/record_prefetcher.h"

#include <catch2/catch.hpp>

#include "protocol/error.h"
#include "t/lib/testdb.h"
#include "verb/handler.h"
#include "xml/document.h"

using namespace oai;

namespace {

constexpr int kRecords = 1030;

test::TestDb& filled() {
    static const auto db = [] {
        auto made = std::make_unique<test::TestDb>("record_prefetcher");
        made->install_schema();
        made->run(
            "insert into webarchiv.doc (url, surt, archived_time) select 'http://x/' || n, 'x)/' "
            "|| n, '2007-01-01Z'"
            " from generate_series(1, " +
            std::to_string(kRecords) + ") n");
        made->value("select published from oai.publish(10000, true)");
        return made;
    }();
    return *db;
}

// One page by oai_dc through libxslt, with so many cores.
struct PageFixture {
    explicit PageFixture(unsigned cores) : helpers(cores) {
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
        const Context context{repository, *store, formats,    sealer,
                              clock,      latest, exclusions, helpers};
        const HelperPool::BusyCore busy(helpers);
        return verb_list(context, parsed);
    }
    Repository repository;
    StoreOptions options;
    std::optional<Store> store;
    std::shared_ptr<const FormatRegistry> formats =
        std::make_shared<const FormatRegistry>(FormatRegistry::read("xslt"));
    const TokenSealer sealer{TokenKey{}};
    const SystemClock clock;
    const LatestHorizon latest;
    ExcludedRecordsCache exclusions;
    HelperPool helpers;
};

// Without the token, which says when it was issued.
std::string records_of(const VerbResult& result) { return std::string(result.records_text()); }

}  // namespace

TEST_CASE("batches made by two threads are those made by one, in the list's order") {
    xml::initialise();
    // The end of the page within a batch, between two that are made together, behind them, and the
    // list's own.
    for (const int page : {1, 150, 200, 300, 400, 1000, kRecords - 1, kRecords, 5000}) {
        CAPTURE(page);
        PageFixture alone(1), together(4);
        for (PageFixture* one : {&alone, &together}) one->repository.lists.records = page;
        const VerbResult expected = alone.list(Verb::list_records),
                         result = together.list(Verb::list_records);
        CHECK(records_of(result) == records_of(expected));
        CHECK(result.stats.records == std::min(page, kRecords));
        CHECK((result.document.find("<resumptionToken") != std::string::npos) == (page < kRecords));
    }
}

TEST_CASE("a page that ends by its bytes while a batch is made ahead goes on with that batch") {
    xml::initialise();
    PageFixture page(4);
    page.repository.lists.records = 5000;
    page.repository.lists.page_bytes = 20'000;
    const VerbResult result = page.list(Verb::list_records);
    CHECK(result.stats.records > 10);
    CHECK(result.stats.records < 100);
    CHECK(result.document.find("<resumptionToken") != std::string::npos);
}

TEST_CASE("each batch comes with what was made of it") {
    xml::initialise();
    PageFixture page(4);
    std::chrono::nanoseconds database{0};
    const Context context{page.repository, *page.store, page.formats,    page.sealer,
                          page.clock,      page.latest, page.exclusions, page.helpers};
    const RecordWriter writer(context, *page.formats->find("oai_dc"), true);
    RecordCursor cursor = page.store->list({.with_records = true, .records = 1000});
    RecordPrefetcher batches(cursor, writer, page.helpers, database);
    int records = 0;
    for (auto ready = batches.next(); ready.batch.size() > 0; ready = batches.next()) {
        REQUIRE(ready.made.metadata.pieces.size() == static_cast<std::size_t>(ready.batch.size()));
        CHECK(ready.made.metadata.of(0).find("http://x/" + std::to_string(records + 1) + "<") !=
              std::string_view::npos);
        records += ready.batch.size();
    }
    CHECK(records == 1000);
    CHECK_FALSE(batches.has_more());
}
