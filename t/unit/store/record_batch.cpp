// SPDX-License-Identifier: MIT
#include "store/record_batch.h"

#include "protocol/error.h"
#include "store/store.h"
#include "t/unit/format/make_slice.h"
#include "t/unit/store/documents.h"

using These = Strings;

namespace {

std::vector<TestColumn> item_columns() {
    return {{"id", pg::kInt8},       {"seq", pg::kInt8},
            {"local_id", pg::kText}, {"datestamp", pg::kTimestamptz},
            {"deleted", pg::kBool},  {"set_ids", pg::kInt4Array}};
}

pg::Result result_of(const std::vector<TestColumn>& before, const std::vector<TestColumn>& model,
                     std::vector<TestColumn> item = item_columns()) {
    std::vector<TestColumn> all = before;
    all.insert(all.end(), item.begin(), item.end());
    all.insert(all.end(), model.begin(), model.end());
    return pg::Result(make_result(all, {}));
}

// A repository whose records have these columns.
class Fixture {
  public:
    explicit Fixture(const std::string& columns) {
        db_.install_schema();
        publish_all(db_, 1000);
        define(columns);
        store_.emplace(options(db_));
    }
    void define(const std::string& columns) {
        db_.run(
            "drop view oai.record cascade; create view oai.record as select id, seq, local_id, "
            "datestamp, deleted, set_ids, " +
            columns + " from oai.item; grant select on oai.record to oai_reader");
    }
    void look() { statements().set_schema(store().record_schema()); }
    Store& store() { return *store_; }
    RecordStatements& statements() { return store_->record_statements(); }
    std::string text(const ColumnNames& columns) {
        return statements().of(RecordRows::one, true, columns).text;
    }

  private:
    TestDb db_{"record_statements"};
    std::optional<Store> store_;
};

bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}
constexpr std::string_view kItem = "select id, seq, local_id, datestamp, deleted, set_ids";

}  // namespace

TEST_CASE("dictionary: has the names that were added, and no others") {
    Dictionary dictionary;
    const std::vector<int> ids = {-7, 1, 2, 9};
    CHECK(dictionary.unknown(ids) == ids);
    dictionary.learn({{2, "arc", "two"}, {-7, "arc", "minus"}, {5, "host", ""}});
    CHECK(dictionary.unknown(ids) == std::vector<int>{1, 9});
    CHECK(dictionary.unknown({}).empty());
    const Names names = dictionary.names(ids);
    REQUIRE(names.find(2) != nullptr);
    CHECK(names.find(2)->text == "two");
    CHECK(names.find(2)->kind == "arc");
    CHECK(names.find(-7)->text == "minus");
    for (const int id : {1, 9, 5, 0, -8, 100})
        CHECK(names.find(id) == nullptr);  // 5 was not asked for
    CHECK(Names().find(1) == nullptr);
}

TEST_CASE("dictionary: a name keeps its address and its text while others are added") {
    Dictionary dictionary;
    dictionary.learn({{1, "host", "first"}});
    const std::vector<int> one = {1};
    const Names names = dictionary.names(one);
    const Name* before = names.find(1);
    std::vector<Dictionary::Row> many;
    for (int i = 1; i < 5000; ++i)
        many.push_back({i, i % 2 ? "host" : "arc", "n" + std::to_string(i)});
    dictionary.learn(many);
    CHECK(dictionary.names(one).find(1) == before);
    CHECK(before->text == "first");
    CHECK(before->kind == "host");
    CHECK(dictionary.unknown(one).empty());
}

TEST_CASE("a schema knows the positions of the item's and the model's columns") {
    const RecordSchema alone(result_of({}, {}));
    CHECK(alone.item_column() == 0);
    CHECK(alone.columns().empty());
    const RecordSchema of_set(result_of({{"position", pg::kInt8}}, {{"url", pg::kText}}));
    CHECK(of_set.item_column() == 1);
    CHECK(of_set.model_column() == 7);
    CHECK(of_set.columns()[0].name == "url");
    CHECK(of_set.columns()[0].type == pg::kText);
}

TEST_CASE("a schema interprets the names of columns") {
    const RecordSchema schema(result_of({}, {{"mimetype_id", pg::kInt4},
                                             {"sets_id", pg::kInt4Array},
                                             {"other_id", pg::kInt8},
                                             {"_id", pg::kInt4},
                                             {"title_lang", pg::kVarcharArray},
                                             {"title", pg::kTextArray},
                                             {"n", pg::kText},
                                             {"n_lang", pg::kTextArray},
                                             {"trees", pg::kXmlArray}}));
    const auto& c = schema.columns();
    CHECK((c[0].is_named && c[0].xml_name == "mimetype" && !c[0].is_array));
    CHECK((c[1].is_named && c[1].xml_name == "sets" && c[1].is_array));
    CHECK((!c[2].is_named && c[2].xml_name == "other_id"));  // no integer
    CHECK((!c[3].is_named && c[3].xml_name == "_id"));       // would be without a name
    CHECK((c[4].is_language && c[4].language_column == -1));
    CHECK((c[5].language_column == 4 && !c[5].is_language));
    CHECK((c[6].language_column == -1 && !c[7].is_language));  // not both are arrays
    CHECK(c[8].is_array);
}

TEST_CASE("an item that breaks the contract is a fault that names the column") {
    auto item = item_columns();
    item[3].type = pg::kDate;
    CHECK_THROWS_WITH(RecordSchema(result_of({}, {}, item)),
                      Contains("datestamp timestamp with time zone as column 4, not of the type"));
    item = item_columns();
    item[2].name = "name";
    CHECK_THROWS_WITH(RecordSchema(result_of({}, {}, item)), Contains("column 3, not name"));
    item.pop_back();
    item[2].name = "local_id";
    CHECK_THROWS_WITH(RecordSchema(result_of({}, {}, item)), Contains("but there is none"));
}

TEST_CASE("one schema serves all results of the same columns, and no other") {
    RecordSchemas schemas;
    const std::vector<TestColumn> model = {{"url", pg::kText}, {"n", pg::kInt4}};
    const RecordSchema& first = schemas.of(result_of({}, model));
    CHECK(&schemas.of(result_of({}, model)) == &first);
    const RecordSchema& of_set = schemas.of(result_of({{"position", pg::kInt8}}, model));
    CHECK(&of_set != &first);
    CHECK(&schemas.of(result_of({}, {{"url", pg::kText}, {"n", pg::kInt8}})) != &first);
    CHECK(&schemas.of(result_of({}, {{"url", pg::kText}, {"m", pg::kInt4}})) != &first);
    CHECK(&schemas.of(result_of({}, {{"url", pg::kText}})) != &first);
    CHECK(&schemas.of(result_of({}, model)) == &first);
    CHECK(&schemas.of(result_of({{"position", pg::kInt8}}, model)) == &of_set);
}

TEST_CASE("a statement reads the columns that its reader needs") {
    Fixture f(R"('x'::text as scalar, '{a}'::text[] as title, '{en}'::text[] as title_lang,
                 1 as "odd""name", 7 as kind_id, '{}'::text[] as identifier)");
    CHECK(f.text(These{"scalar"}) == f.text(std::nullopt));  // not known yet
    f.look();
    CHECK(has(f.text(std::nullopt), "select * from record where id = oai.find_item"));
    const auto from = [](std::string_view more) {
        return "select id, seq, local_id, datestamp, deleted, set_ids" + std::string(more) +
               " from record";
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
    f.statements().clear_schema();
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
    CHECK(has(cursor, std::string(kItem) + " from item where seq > $1::bigint"));
    const std::string hundred = text(RecordRows::of_list, true, 101);
    CHECK_FALSE(has(hundred, kDeclare));
    CHECK(hundred.ends_with("order by seq limit 101"));
    CHECK(has(hundred, "select * from record where"));
    CHECK(text(RecordRows::of_list, true, 11).ends_with("limit 11"));
    CHECK(text(RecordRows::of_set, false, 0) ==
          std::string(kDeclare) + text(RecordRows::of_set, false, 101));
    CHECK(&statements.of(RecordRows::of_set, true, std::nullopt, 11) ==
          &statements.of(RecordRows::of_set, true, std::nullopt, 101));
    CHECK(std::string(statements.of(RecordRows::of_set, true, std::nullopt).name) == "set_records");
}
