// SPDX-License-Identifier: MIT
// Every small list, read by every size of page, against a model: the page has the first records, no
// row is read twice or missed, and whether the list goes on is known at the end.
#include <deque>

#include "store/record_cursor.h"
#include "t/lib/unit_headers.h"

namespace {

constexpr int kBatchRows = 2;

// A number of the list: whether it has a record, and whether it follows the number before without a
// gap. Numbers of a set are read by runs.
struct Number {
    bool has_record = true, follows = false;
};
using Numbers = std::vector<Number>;

struct Page {
    std::vector<int> taken;  // numbers
    bool more = false;
    int fetches = 0;
};

class Reader {
  public:
    Reader(const Numbers& list, int records, bool by_set, int stop_after)
        : list_(list), records_(records), by_set_(by_set), stop_after_(stop_after) {}

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
        cursor_.clear();
        ahead_.reset();
    }

    // What a cursor gives: the rows of oai.set_runs() and its items. A run without any gives one
    // row, with no record (-1).
    struct Row {
        int record = -1;
        int position = 0;  // the list's numbers up to here are read
        int numbers = 0;
    };
    void open(int numbers) {
        cursor_.clear();
        const int begin = at_, end = std::min(static_cast<int>(list_.size()), at_ + numbers);
        for (int first = begin, last = begin; first < end; first = last) {
            ++last;
            while (by_set_ && last < end && list_[static_cast<std::size_t>(last)].follows) ++last;
            const std::size_t rows = cursor_.size();
            for (int i = first; i < last; ++i)
                if (list_[static_cast<std::size_t>(i)].has_record)
                    cursor_.push_back({i, i + 1, last - begin});
            if (cursor_.size() == rows) cursor_.push_back({-1, last, last - begin});
        }
    }

    // One fetch, as RecordCursor makes it: the next one is asked for before the caller says stop.
    void step() {
        const Fetch fetch = ahead_ ? *ahead_ : next_fetch(progress_);
        ahead_.reset();
        ++page_.fetches;
        REQUIRE(fetch.rows >= 1);
        if (fetch.open_rows > 0) {
            REQUIRE(fetch.rows <= fetch.open_rows);
            open(fetch.open_rows);
        }
        std::vector<int> records;
        int rows = 0, numbers = 0;
        for (; rows < fetch.rows && !cursor_.empty(); ++rows, cursor_.pop_front()) {
            if (cursor_.front().record >= 0) records.push_back(cursor_.front().record);
            at_ = cursor_.front().position;
            numbers = cursor_.front().numbers;
        }
        const int taken =
            update_progress(progress_, fetch, rows, static_cast<int>(records.size()), numbers);
        page_.taken.insert(page_.taken.end(), records.begin(), records.begin() + taken);
        if (fetch.commit && !progress_.more) {
            REQUIRE(progress_.commit_first);  // else the snapshot would be gone too early
            REQUIRE(page_.fetches == 1);
            return begin(false);
        }
        if (can_fetch_ahead(progress_)) ahead_ = next_fetch(progress_);
        if (page_.fetches == stop_after_) progress_.remaining = 0;
    }

    const Numbers& list_;
    const int records_;
    const bool by_set_;
    const int stop_after_;  // fetches; 0: the caller does not stop
    PageProgress progress_;
    std::optional<Fetch> ahead_;
    int at_ = 0;  // numbers before have been read
    std::deque<Row> cursor_;
    Page page_;
};

Numbers numbers_of(int length, unsigned records, unsigned follow) {
    const auto bit = [](unsigned bits, int i) {
        return (bits >> static_cast<unsigned>(i) & 1U) != 0;
    };
    Numbers list;
    for (int i = 0; i < length; ++i) list.push_back({bit(records, i), i > 0 && bit(follow, i - 1)});
    return list;
}

void check(const Numbers& list, int records, bool by_set, int stop_after) {
    std::vector<int> live;
    for (int i = 0; i < static_cast<int>(list.size()); ++i)
        if (list[static_cast<std::size_t>(i)].has_record) live.push_back(i);
    const Page page = Reader(list, records, by_set, stop_after).read();
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
            const Numbers list(static_cast<std::size_t>(length));
            for (int stop_after = 0; stop_after <= 5; ++stop_after)
                check(list, records, false, stop_after);
            // A batch each while the page lacks more than one, and one fetch for the rest.
            CHECK(Reader(list, records, false, 0).read().fetches ==
                  1 + std::min((records - 1) / kBatchRows, length / kBatchRows));
        }
}

TEST_CASE("numbers of a set that no item has any more neither shorten a page nor end a list") {
    for (int length = 0; length <= 5; ++length)
        for (unsigned bits = 0; bits < 1U << static_cast<unsigned>(length); ++bits)
            for (unsigned follow = 0; follow < 1U << static_cast<unsigned>(std::max(0, length - 1));
                 ++follow)
                for (int records = 1; records <= 5; ++records)
                    for (int stop_after = 0; stop_after <= 3; ++stop_after) {
                        CAPTURE(length, bits, follow, records, stop_after);
                        check(numbers_of(length, bits, follow), records, true, stop_after);
                    }
}

TEST_CASE("a short page of a set without such numbers needs one fetch") {
    for (int length = 0; length <= 5; ++length)
        for (int records = 1; records <= kBatchRows; ++records)
            CHECK(Reader(Numbers(static_cast<std::size_t>(length)), records, true, 0)
                      .read()
                      .fetches == 1);
}

TEST_CASE("known lists: remembers the sets of a list, and always knows the whole list") {
    KnownLists known;
    CHECK(known.find({}) == ListSource{});
    ListQuery of_set, of_format, of_both;
    of_set.set = of_both.set = "a:b";
    of_format.required = of_both.required = {"marc"};
    CHECK_FALSE(known.find(of_set));
    known.remember(of_set, {.set_id = 7, .required_id = {}});
    known.remember(of_format, {.set_id = {}, .required_id = 8});
    known.remember(of_both, {.set_id = 7, .required_id = 8});
    CHECK(known.find(of_set) == ListSource{.set_id = 7, .required_id = {}});
    CHECK(known.find(of_format) == ListSource{.set_id = {}, .required_id = 8});
    CHECK(known.find(of_both) == ListSource{.set_id = 7, .required_id = 8});
    for (int i = 0; i < 2000; ++i) {
        ListQuery other;
        other.set = "s" + std::to_string(i);
        known.remember(other, {.set_id = i, .required_id = {}});
    }
    CHECK_FALSE(known.find(of_set));
}
