// SPDX-License-Identifier: MIT
#include <algorithm>
#include <catch2/catch.hpp>

#include "t/lib/testdb.h"
#include "verb/handler.h"
#include "xml/document.h"

using namespace oai;

namespace {

constexpr int kRecords = 1030;

test::TestDb& filled() {
    static const auto db = [] {
        auto made = std::make_unique<test::TestDb>("list_records");
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

// Pages by oai_dc through libxslt.
struct PageFixture {
    PageFixture() {
        repository.formats.compiled = false;
        repository.identifier_prefix = "oai:x.example.org:";
        StoreOptions options;
        options.pool.conninfo = filled().conninfo("oai_reader");
        options.pool.connections = 1;
        store.emplace(options);
        formats = std::make_shared<const FormatRegistry>(FormatRegistry::read("xslt"));
    }
    VerbResult first_page() {
        ParsedArguments parsed;
        parsed.arguments.verb = Verb::list_records;
        parsed.arguments.metadata_prefix = "oai_dc";
        return verb_list({repository, *store, formats, sealer, clock, latest, exclusions}, parsed);
    }
    Repository repository;
    std::optional<Store> store;
    std::shared_ptr<const FormatRegistry> formats;
    const TokenSealer sealer{TokenKey{}};
    const SystemClock clock;
    const LatestHorizon latest;
    ExcludedRecordsCache exclusions;
};

bool goes_on(const VerbResult& page) {
    return page.document.find("<resumptionToken") != std::string::npos;
}

}  // namespace

TEST_CASE_METHOD(PageFixture, "a page of any size has the list's first records, in its order") {
    repository.lists.records = kRecords;
    const VerbResult whole = first_page();
    const std::string_view all = whole.records_text();
    std::size_t at = 0;
    for (int n = 1; n <= kRecords; ++n) {
        const std::string url = ">http://x/" + std::to_string(n) + "<";
        at = all.find(url, at);
        REQUIRE(at != std::string_view::npos);
    }
    // The end of the page within a batch, between two of them, and the list's own.
    for (const int page : {1, 150, 200, 300, 400, 1000, kRecords - 1, kRecords, 5000}) {
        CAPTURE(page);
        repository.lists.records = page;
        const VerbResult result = first_page();
        CHECK(result.stats.records == std::min(page, kRecords));
        CHECK(goes_on(result) == (page < kRecords));
        const std::string_view text = result.records_text();
        const std::string_view records = text.substr(0, text.rfind("</record>"));
        CHECK(all.starts_with(records));
    }
}

TEST_CASE_METHOD(PageFixture, "a page that ends by its bytes is followed by another") {
    repository.lists.records = 5000;
    repository.lists.page_bytes = 20'000;
    const VerbResult result = first_page();
    CHECK(result.stats.records > 10);
    CHECK(result.stats.records < 100);
    CHECK(goes_on(result));
}
