// SPDX-License-Identifier: MIT
#include "store/record_batch.h"

#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
        return statements().of(RecordRows::one, true, columns).text;
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
    CHECK(f.text(These{"scalar"}) == f.text(std::nullopt));  // not known yet
    f.look();
    CHECK(has(f.text(std::nullopt), "select * from oai.record where id = oai.find_item"));
    const auto from = [](std::string_view more) {
        return "select id, seq, local_id, datestamp, deleted, set_ids" + std::string(more) +
               " from oai.record";
    };
    CHECK(has(f.text(These{}), from("")));
    CHECK(has(f.text(These{"id", "datestamp", "scalar"}), from(R"(, "scalar")")));
    CHECK(has(f.text(These{"title", "kind"}), from(R"(, "title", "title_lang", "kind_id")")));
    CHECK(has(f.text(These{"identifier", "odd\"name"}), from(R"(, "odd""name", "identifier")")));
    // What is not there now may be by the time that it is read.
    CHECK(f.text(These{"scalar", "new"}) == f.text(std::nullopt));
}

TEST_CASE("a column that an administrator adds is read as soon as it is known") {
    Fixture f("'x'::text as scalar");
    f.look();
    const These columns{"scalar"};
    const pg::Statement& before = f.statements().of(RecordRows::one, true, columns);
    f.look();
    CHECK(&f.statements().of(RecordRows::one, true, columns) == &before);
    f.define("1 as first, '{x}'::text[] as scalar, '{en}'::text[] as scalar_lang");
    f.look();
    CHECK(has(f.text(columns), R"("scalar", "scalar_lang" from)"));
    CHECK(f.store().get("1", true, columns).batch.size() == 0);
    f.statements().forget();
    CHECK(f.text(columns) == f.text(std::nullopt));
}

TEST_CASE("the rows of a list come by a cursor, or all at once by a statement of so many rows") {
    RecordStatements statements;
    const auto text = [&](RecordRows rows, bool with_records, int at_once) {
        return std::string(statements.of(rows, with_records, std::nullopt, at_once).text);
    };
    constexpr std::string_view kDeclare = "declare page no scroll cursor for";
    const std::string cursor = text(RecordRows::of_list, false, 0);
    CHECK(cursor.starts_with(kDeclare));
    CHECK(cursor.ends_with("order by seq limit $3::int"));
    CHECK(has(cursor, std::string(kItem) + " from oai.item where seq > $1::bigint"));
    const std::string hundred = text(RecordRows::of_list, true, 101);
    CHECK_FALSE(has(hundred, kDeclare));
    CHECK(hundred.ends_with("order by seq limit 101"));
    CHECK(has(hundred, "select * from oai.record where"));
    CHECK(text(RecordRows::of_list, true, 11).ends_with("limit 11"));
    CHECK(text(RecordRows::of_set, false, 0) ==
          std::string(kDeclare) + text(RecordRows::of_set, false, 101));
    CHECK(&statements.of(RecordRows::of_set, true, std::nullopt, 11) ==
          &statements.of(RecordRows::of_set, true, std::nullopt, 101));
    CHECK(std::string(statements.of(RecordRows::of_set, true, std::nullopt).name) == "set_records");
}
