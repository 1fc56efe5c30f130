// SPDX-License-Identifier: MIT
// Every small list, read by every size of page, against a model: the page has the first records, no
// row is read twice or missed, and whether the list goes on is known at the end.
#include "store/fetch_plan.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

using namespace oai;

namespace {

constexpr int kBatchRows = 2;

// Which rows of the list have a record.
using Rows = std::vector<bool>;

struct Page {
    std::vector<int> taken;  // rows
    bool more = false;
    int fetches = 0;
};

class Reader {
  public:
    Reader(const Rows& rows, int records, bool by_set, int stop_after)
        : rows_(rows), records_(records), by_set_(by_set), stop_after_(stop_after) {}

    Page read() {
        begin(records_ <= kBatchRows);
        while (!progress_.more) step();
        page_.more = *progress_.more;
        return page_;
    }

  private:
    void begin(bool commit_first) {
        progress_ = {.remaining = records_,
                     .by_set = by_set_,
                     .commit_first = commit_first,
                     .batch_rows = kBatchRows};
        page_.taken.clear();
        at_ = 0;
        ahead_.reset();
    }

    // One fetch, as RecordCursor makes it: the next one is asked for before the caller says stop.
    void step() {
        const Fetch fetch = ahead_ ? *ahead_ : next_fetch(progress_);
        ahead_.reset();
        ++page_.fetches;
        if (fetch.open_rows > 0) cursor_end_ = at_ + fetch.open_rows;
        REQUIRE(fetch.rows >= 1);
        REQUIRE(at_ + fetch.rows <= cursor_end_);  // never more than the cursor's LIMIT
        const int end = std::min(static_cast<int>(rows_.size()), at_ + fetch.rows);
        std::vector<int> records;
        for (int row = at_; row < end; ++row)
            if (rows_[static_cast<std::size_t>(row)]) records.push_back(row);
        const int taken =
            note_fetched(progress_, fetch, end - at_, static_cast<int>(records.size()));
        page_.taken.insert(page_.taken.end(), records.begin(), records.begin() + taken);
        at_ = end;
        if (fetch.commit && !progress_.more) {
            REQUIRE(progress_.commit_first);  // else the snapshot would be gone too early
            REQUIRE(page_.fetches == 1);
            return begin(false);
        }
        if (can_fetch_ahead(progress_)) ahead_ = next_fetch(progress_);
        if (page_.fetches == stop_after_) progress_.remaining = 0;
    }

    const Rows& rows_;
    const int records_;
    const bool by_set_;
    const int stop_after_;  // fetches; 0: the caller does not stop
    PageProgress progress_;
    std::optional<Fetch> ahead_;
    int at_ = 0;  // rows before have been read
    int cursor_end_ = 0;
    Page page_;
};

Rows rows_of(int length, unsigned bits) {
    Rows rows;
    for (int i = 0; i < length; ++i) rows.push_back((bits >> static_cast<unsigned>(i) & 1U) != 0);
    return rows;
}

void check(const Rows& rows, int records, bool by_set, int stop_after) {
    std::vector<int> live;
    for (int i = 0; i < static_cast<int>(rows.size()); ++i)
        if (rows[static_cast<std::size_t>(i)]) live.push_back(i);
    const Page page = Reader(rows, records, by_set, stop_after).read();
    REQUIRE(page.taken.size() <= live.size());
    REQUIRE(std::equal(page.taken.begin(), page.taken.end(), live.begin()));
    REQUIRE(page.more == (live.size() > page.taken.size()));
    if (stop_after == 0)
        REQUIRE(page.taken.size() == std::min(live.size(), static_cast<std::size_t>(records)));
    else
        REQUIRE(page.taken.size() <= static_cast<std::size_t>(records));
}

}  // namespace

TEST_CASE("a page of a whole list has its first records, with as few fetches as possible") {
    for (int length = 0; length <= 9; ++length)
        for (int records = 1; records <= 10; ++records) {
            CAPTURE(length, records);
            const Rows rows(static_cast<std::size_t>(length), true);
            for (int stop_after = 0; stop_after <= 5; ++stop_after)
                check(rows, records, false, stop_after);
            // A batch each while the page lacks more than one, and one fetch for the rest.
            CHECK(Reader(rows, records, false, 0).read().fetches ==
                  1 + std::min((records - 1) / kBatchRows, length / kBatchRows));
        }
}

TEST_CASE("numbers of a set that no item has any more neither shorten a page nor end a list") {
    for (int length = 0; length <= 9; ++length)
        for (unsigned bits = 0; bits < 1U << static_cast<unsigned>(length); ++bits)
            for (int records = 1; records <= 6; ++records)
                for (int stop_after = 0; stop_after <= 4; ++stop_after) {
                    CAPTURE(length, bits, records, stop_after);
                    check(rows_of(length, bits), records, true, stop_after);
                }
}

TEST_CASE("a short page of a set without such numbers needs one fetch") {
    for (int length = 0; length <= 5; ++length)
        for (int records = 1; records <= kBatchRows; ++records)
            CHECK(Reader(Rows(static_cast<std::size_t>(length), true), records, true, 0)
                      .read()
                      .fetches == 1);
}
