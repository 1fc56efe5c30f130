// SPDX-License-Identifier: MIT
#include "store/record_statements.h"

#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/queries.h"
#include "store/store.h"
#include "t/unit/store/documents.h"

using namespace oai;

namespace {

// A repository whose records have these columns.
class Fixture {
  public:
    explicit Fixture(const std::string& columns) {
        db_.install_schema();
        test::publish_all(db_, 1000);
        define(columns);
        store_.emplace(test::options(db_));
    }
    void define(const std::string& columns) {
        db_.run(
            "drop view oai.record; create view oai.record as select id, seq, local_id, "
            "datestamp, deleted, set_ids, " +
            columns + " from oai.item; grant select on oai.record to oai_reader");
    }
    void look() { statements().know(store().record_schema()); }
    Store& store() { return *store_; }
    RecordStatements& statements() { return store_->record_statements(); }
    std::string text(const ColumnNames& columns) {
        return statements().of(queries::kGetRecord, columns).text;
    }

  private:
    test::TestDb db_{"record_statements"};
    std::optional<Store> store_;
};

using These = std::vector<std::string>;

bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}
constexpr std::string_view kItem = "select id, seq, local_id, datestamp, deleted, set_ids";

}  // namespace

TEST_CASE("a statement reads the columns that its reader needs") {
    Fixture f(R"('x'::text as scalar, '{a}'::text[] as title, '{en}'::text[] as title_lang,
                 1 as "odd""name", 7 as kind_id, '{}'::text[] as identifier)");
    CHECK(f.text(These{"scalar"}) == queries::kGetRecord.text);  // not known yet
    f.look();
    CHECK(f.text(std::nullopt) == queries::kGetRecord.text);
    const auto from = [](std::string_view more) {
        return "select id, seq, local_id, datestamp, deleted, set_ids" + std::string(more) +
               " from oai.record";
    };
    CHECK(has(f.text(These{}), from("")));
    CHECK(has(f.text(These{"id", "datestamp", "scalar"}), from(R"(, "scalar")")));
    CHECK(has(f.text(These{"title", "kind"}), from(R"(, "title", "title_lang", "kind_id")")));
    CHECK(has(f.text(These{"identifier", "odd\"name"}), from(R"(, "odd""name", "identifier")")));
    // What is not there now may be by the time that it is read.
    CHECK(f.text(These{"scalar", "new"}) == queries::kGetRecord.text);
}

TEST_CASE("a column that an administrator adds is read as soon as it is known") {
    Fixture f("'x'::text as scalar");
    f.look();
    const These columns{"scalar"};
    const pg::Statement& before = f.statements().of(queries::kGetRecord, columns);
    f.look();
    CHECK(&f.statements().of(queries::kGetRecord, columns) == &before);
    f.define("1 as first, '{x}'::text[] as scalar, '{en}'::text[] as scalar_lang");
    f.look();
    CHECK(has(f.text(columns), R"("scalar", "scalar_lang" from)"));
    CHECK(f.store().get("1", true, columns).batch.size() == 0);
    f.statements().forget();
    CHECK(f.text(columns) == queries::kGetRecord.text);
}
