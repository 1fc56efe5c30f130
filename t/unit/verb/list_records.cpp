// SPDX-License-Identifier: MIT

#include "format/trial.h"
#include "t/lib/testdb.h"
#include "t/unit/format/format_directory.h"
#include "t/unit/format/make_slice.h"
#include "verb/handler.h"
#include "verb/record_writer.h"

namespace {

constexpr int kRecords = 1030;

TestDb& filled() {
    static const auto db = [] {
        auto made = std::make_unique<TestDb>("list_records");
        made->install_schema();
        made->run(
            "insert into webarchiv.doc (url, surt, archived_time) select 'http://x/' || n, 'x)/' "
            "|| n, '2007-01-01Z' from generate_series(1, " +
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
        formats = std::make_shared<const FormatRegistry>(read_formats("xslt"));
    }
    VerbResult first_page() {
        ParsedArguments parsed;
        parsed.arguments.verb = Verb::list_records;
        parsed.arguments.metadata_prefix = "oai_dc";
        return list_records({repository, *store, formats, sealer, clock, latest}, parsed);
    }
    Repository repository;
    std::optional<Store> store;
    std::shared_ptr<const FormatRegistry> formats;
    const TokenSealer sealer{TokenKey{}};
    const SystemClock clock;
    const LatestHorizon latest;
};

bool goes_on(const VerbResult& page) {
    return page.document.find("<resumptionToken") != std::string::npos;
}

Seconds second(int n) { return Seconds{std::chrono::seconds{n}}; }

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

TEST_CASE("the `since` of a stylesheet counts once the horizon has reached it") {
    Format format = some_format();
    Horizon horizon{};
    horizon.h = second(7);
    CHECK_FALSE(since_of(format, horizon));
    format.since = second(8);
    CHECK_FALSE(since_of(format, horizon));
    format.since = second(7);
    CHECK(since_of(format, horizon) == second(7));
}

TEST_CASE("deleted records are hidden by the policy \"no\" only") {
    Repository repository;
    Header live, deleted;
    deleted.deleted = true;
    for (const DeletedRecord policy :
         {DeletedRecord::no, DeletedRecord::transient, DeletedRecord::persistent}) {
        repository.facts.deleted_record = policy;
        CHECK(is_visible(repository, live));
        CHECK(is_visible(repository, deleted) == (policy != DeletedRecord::no));
    }
}

TEST_CASE("a format has the records with a value in each required column, and all deleted ones") {
    const RecordBatch batch = make_batch({{"title", pg::kText}, {"creator", pg::kTextArray}},
                                         {{1, false, {"t", array(pg::kText, {"c"})}},
                                          {2, false, {"t", array(pg::kText, {})}},
                                          {3, false, {"t"}},
                                          {4, false, {std::nullopt, array(pg::kText, {"c"})}},
                                          {5, true, {}}});
    Format format = some_format();
    const auto has = [&] {
        std::string out;
        for (int i = 0; i < batch.size(); ++i) out += has_format(format, batch, i) ? 'y' : 'n';
        return out;
    };
    CHECK(has() == "yyyyy");
    format.requires_columns = {"creator"};
    CHECK(has() == "ynnyy");
    format.requires_columns = {"creator", "title"};
    CHECK(has() == "ynnny");
    format.requires_columns = {"nonesuch"};
    CHECK(has() == "nnnny");
}
