// SPDX-License-Identifier: MIT
#include "verb/record_writer.h"

#include <catch2/catch.hpp>

#include "t/unit/format/make_slice.h"
#include "t/unit/verb/some_format.h"

using namespace oai;
using namespace oai::test;

namespace {

Seconds second(int n) { return Seconds{std::chrono::seconds{n}}; }

}  // namespace

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
        CHECK(is_shown(repository, live));
        CHECK(is_shown(repository, deleted) == (policy != DeletedRecord::no));
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
