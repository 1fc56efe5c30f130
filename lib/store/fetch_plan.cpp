// SPDX-License-Identifier: MIT
#include "store/fetch_plan.h"

#include <algorithm>

namespace oai {

Fetch next_fetch(const PageProgress& progress) {
    const int batch = progress.batch_rows;
    const bool open = progress.cursor_rows == 0;
    const bool first_cursor = progress.cursors + (open ? 1 : 0) == 1;
    const bool last = progress.remaining <= batch;
    Fetch fetch;
    if (open)
        fetch.open_rows =
            (first_cursor ? progress.remaining : std::max(progress.remaining, batch)) + 1;
    const int available = open ? fetch.open_rows : progress.cursor_rows;
    const int wanted = !first_cursor ? batch + 1 : last ? progress.remaining + 1 : batch;
    fetch.rows = std::min(available, wanted);
    fetch.commit = last && (!progress.by_set || progress.commit_first);
    return fetch;
}

int note_fetched(PageProgress& progress, const Fetch& fetch, int rows, int records, int numbers) {
    if (fetch.open_rows > 0) {
        ++progress.cursors;
        progress.cursor_rows = progress.cursor_numbers = fetch.open_rows;
        progress.numbers = 0;
    }
    progress.cursor_rows -= rows;
    if (rows > 0)
        progress.numbers =
            progress.by_set ? numbers : progress.cursor_numbers - progress.cursor_rows;
    const bool cursor_ended = rows < fetch.rows;
    if (records > progress.remaining)
        progress.more = true;
    else if (cursor_ended && progress.numbers < progress.cursor_numbers)
        progress.more = false;
    else if (cursor_ended)
        progress.cursor_rows = 0;
    const int taken = std::min(records, progress.remaining);
    progress.remaining -= taken;
    return taken;
}

bool can_fetch_ahead(const PageProgress& progress) {
    return !progress.more && progress.remaining > 0 && progress.cursor_rows > 0;
}

}  // namespace oai
