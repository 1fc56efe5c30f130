// SPDX-License-Identifier: MIT
// Which rows to fetch next for a page of a list, decided from what has come so far. Pure: knows no
// database; t/unit/store/fetch_plan.cpp tries all small cases against a model.
//
// The rows of a whole list are its records. A cursor over a set reads a number for each record that
// the page still lacks, but some of them may have no item any more: then it gives fewer rows than
// numbers, or rows without a record, may end before the page is full, and another has to be opened.
#pragma once

#include <optional>

namespace oai {

// How far the page has come.
struct PageProgress {
    int remaining = 0;    // records that the page may still take
    bool by_set = false;  // rows may be without a record
    // For a page of a set that is read by one fetch: COMMIT goes with that fetch, and if the page
    // is not settled by then, it has to be read anew, with this being false.
    bool commit_first = false;
    int batch_rows = 100;        // that one fetch reads as a rule
    int cursors = 0;             // opened so far
    int cursor_rows = 0;         // that the last one may still give
    int cursor_numbers = 0;      // that the last one may read in all
    int numbers = 0;             // that it has read
    std::optional<bool> more{};  // whether the list has a record beyond the page; not yet known
};

struct Fetch {
    int open_rows = 0;    // open a cursor of so many numbers first; 0: go on with the one there is
    int rows = 0;         // to fetch, at least 1
    bool commit = false;  // nothing will be fetched after this, as far as can be known
};

// What to fetch until progress.more is known. The last fetch of a page asks for one record beyond
// the page. REQUIRES: it is not known yet.
Fetch next_fetch(const PageProgress& progress);

// Notes what the fetch gave: `rows`, in these so many `records`, and `numbers` that the cursor had
// read with the last of them, 0 if there was none (a list that is not by set: a row, a number).
// Returns how many of the records belong to the page: the first ones.
int note_fetched(PageProgress& progress, const Fetch& fetch, int rows, int records, int numbers);

// Whether to fetch the next rows while the caller works on those that have come: the page needs
// them, and the cursor that is open has them.
bool can_fetch_ahead(const PageProgress& progress);

}  // namespace oai
