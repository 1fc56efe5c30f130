// SPDX-License-Identifier: MIT
// Further checks during a run of missed.cpp: GetRecord of records that lists have shown; a page
// that is held open half-read while its records change; and the negative control, a table whose
// datestamps are the beginnings of transactions (now()), which a harvester must therefore miss
// records of.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "t/fault/store_harvester.h"
#include "t/lib/wait.h"

namespace oai::harvest_model {

// I5: GetRecord returns each record that a list has shown, with the same datestamp or a later one.
inline void check_get_record(RunState& state, Servers& servers, const SeenRecords& seen_records,
                             unsigned seed) {
    RandomNumbers random(seed);
    for (; !state.stop; state.pause(random)) {
        for (int i = 0; i < 20 && !state.stop; ++i) {
            std::int64_t id = 0, datestamp = 0;
            if (!seen_records.pick(random, id, datestamp)) break;
            const auto document = get_answer(servers,
                                             "verb=GetRecord&metadataPrefix=oai_dc&identifier=" +
                                                 std::string(kIdentifierBegin) + std::to_string(id),
                                             random, state);
            if (!document) continue;
            const xmlNode* root = xmlDocGetRootElement(document.get());
            const xmlNode* record = child(child(root, "GetRecord"), "record");
            std::int64_t got = 0;
            if (!record)
                state.findings.add(StoreHarvester::kNeverAbsent,
                                   std::to_string(id) + ": " + text_of(child(root, "error")));
            else if (read_record(record, got).datestamp < datestamp || got != id)
                state.findings.add(StoreHarvester::kNeverAbsent,
                                   std::to_string(id) + " is older than lists had it");
            state.counts.add("GetRecords");
        }
    }
}

// Opens a page of 500 records and reads its first batch; changes some of its records and publishes
// them; then reads the rest of the page, and of the list.
class HeldPage {
  public:
    HeldPage(RunState& state, const std::string& reader, const std::string& writer)
        : state_(state), store_(options(reader)), writer_(writer, "held page"), random_(7) {}

    void run_until_end() {
        while (state_.seconds_left() > 0) {
            unless_locked(state_, [this] { hold_one(); });
            state_.pause(random_);
        }
    }
    static constexpr const char* kWhole =
        "a page held half-read keeps all its records, each once, and the list shows the changed "
        "ones again";

  private:
    static StoreOptions options(const std::string& reader) {
        StoreOptions options;
        options.pool.conninfo = reader;
        options.pool.application_name = "held page";
        options.statement_timeout = std::chrono::minutes{10};  // publishing may take its time
        return options;
    }
    // The ids of the records that have not moved since the page was opened. New numbers are always
    // beyond last_seq, so a record with a number up to last_seq had that number then, too.
    std::vector<std::int64_t> unmoved(std::int64_t after, std::int64_t upto) {
        static constexpr pg::Statement kUnmoved{
            "unmoved",
            "select id from oai.item where seq > $1::bigint and seq <= $2::bigint order by seq"};
        return ids(writer_.query(kUnmoved, pg::Parameters{}.add(after).add(upto)));
    }
    static std::vector<std::int64_t> ids(const pg::Result& rows) {
        std::vector<std::int64_t> out;
        for (int i = 0; i < rows.rows(); ++i) out.push_back(pg::read_integer(rows.bytes(i, 0)));
        return out;
    }
    // Changes about a tenth of the records, of the part of the page that has been read and of the
    // rest. Returns the ids of the changed ones; records that another writer has locked are
    // skipped.
    std::vector<std::int64_t> change(const std::vector<std::int64_t>& from) {
        const std::string change =
            "update " + state_.model.items + " set " + state_.model.url +
            " = 'http://www.example.cz/' || id || '/' || nextval('control.version') where id in"
            " (select id from " +
            state_.model.items +
            " where id = any ($1::bigint[]) for update skip locked) returning id";
        std::string list = "{0";
        for (std::size_t i = 0; i < std::min<std::size_t>(from.size(), 500); ++i)
            if (random_.one_in(10)) list += "," + std::to_string(from[i]);
        return ids(writer_.query({"change", change.c_str()},
                                 pg::Parameters{}.add(std::string_view(list + "}"))));
    }
    bool wait_until_published(std::int64_t after, std::int64_t upto,
                              const std::vector<std::int64_t>& changed) {
        while (state_.seconds_left() > -300) {
            test::pace(std::chrono::milliseconds{100});
            const std::vector<std::int64_t> still = unmoved(after, upto);
            const std::set<std::int64_t> unmoved_ids(still.begin(), still.end());
            if (std::none_of(changed.begin(), changed.end(),
                             [&](auto id) { return unmoved_ids.contains(id); }))
                return true;
        }
        return false;
    }
    static std::vector<std::int64_t> batch_ids(const RecordBatch& batch) {
        std::vector<std::int64_t> out;
        for (int i = 0; i < batch.size(); ++i) out.push_back(batch.header(i).id);
        return out;
    }

    void hold_one() {
        ListQuery query;
        query.records = 500;
        const auto last_seq = store_.horizon().last_seq;
        query.after = random_.between(0, std::max<std::int64_t>(0, last_seq - 2000));
        RecordCursor cursor = store_.list(query);
        const auto upto = cursor.position().horizon.last_seq;
        std::vector<std::int64_t> page = batch_ids(cursor.next());
        if (page.size() < 100) return;
        const std::vector<std::int64_t> in_list = unmoved(*query.after, upto);
        const std::vector<std::int64_t> changed = change(in_list);
        if (changed.empty() || !wait_until_published(*query.after, upto, changed)) return;
        std::int64_t last = *query.after;
        for (RecordBatch batch = cursor.next(); batch.size() > 0; batch = cursor.next()) {
            last = batch.header(batch.size() - 1).seq;
            const auto more = batch_ids(batch);
            page.insert(page.end(), more.begin(), more.end());
        }
        check(page, in_list, changed,
              cursor.more() ? rest_of_list(last) : std::set<std::int64_t>());
    }
    std::set<std::int64_t> rest_of_list(std::int64_t after) {
        std::set<std::int64_t> out;
        ListQuery query;
        query.after = after;
        for (bool more = true; more;) {
            query.records = static_cast<int>(random_.between(50, 1000));
            RecordCursor cursor = store_.list(query);
            for (RecordBatch batch = cursor.next(); batch.size() > 0; batch = cursor.next()) {
                query.after = batch.header(batch.size() - 1).seq;
                for (const auto id : batch_ids(batch)) out.insert(id);
            }
            more = cursor.more();
        }
        return out;
    }
    void check(const std::vector<std::int64_t>& page, const std::vector<std::int64_t>& in_list,
               const std::vector<std::int64_t>& changed, const std::set<std::int64_t>& rest) {
        const std::set<std::int64_t> in_page(page.begin(), page.end());
        if (in_page.size() != page.size())
            state_.findings.add(kWhole, "a record twice in one page");
        for (std::size_t i = 0; i < in_list.size(); ++i)
            if (!in_page.contains(in_list[i]) && !rest.contains(in_list[i]))
                state_.findings.add(kWhole, std::to_string(in_list[i]) + " is lost");
        // The page must hold an unbroken run from the start of the list as it was when the page was
        // opened, even though some of these records have moved meanwhile.
        const auto end_of_page = std::find_if(in_list.rbegin(), in_list.rend(),
                                              [&](auto id) { return in_page.contains(id); });
        for (auto it = end_of_page; it != in_list.rend(); ++it)
            if (!in_page.contains(*it))
                state_.findings.add(kWhole,
                                    std::to_string(*it) + " left the page that is being read");
        for (const auto id : changed)
            if (!rest.contains(id))
                state_.findings.add(kWhole, std::to_string(id) + " changed, and is not met again");
        state_.counts.add("held pages");
    }

    RunState& state_;
    Store store_;
    pg::Connection writer_;
    RandomNumbers random_;
};

// The negative control: a harvester that polls records whose datestamps are those of now(), from
// the time of its last answer on. It must miss some, else the run was too short to prove anything.
class NegativeControl {
  public:
    explicit NegativeControl(const std::string& conninfo)
        : connection_(conninfo, "negative control") {}
    void run_until_stop(const RunState& state) {
        RandomNumbers random(11);
        for (; !state.stop; state.pause(random)) harvest();
    }
    void harvest() {
        static constexpr pg::Statement kNow{
            "now", "select floor(extract(epoch from clock_timestamp()))::bigint"};
        static constexpr pg::Statement kList{
            "list", "select id from control.record where stamp >= to_timestamp($1::bigint)"};
        const auto response_date = pg::read_integer(connection_.query(kNow).bytes(0, 0));
        const pg::Result rows = connection_.query(kList, pg::Parameters{}.add(from_));
        for (int i = 0; i < rows.rows(); ++i) held_.insert(pg::read_integer(rows.bytes(i, 0)));
        from_ = response_date;
    }
    void check(RunState& state) {
        static constexpr pg::Statement kAll{"all", "select id from control.record"};
        const pg::Result rows = connection_.query(kAll);
        long missed = 0;
        for (int i = 0; i < rows.rows(); ++i)
            missed += !held_.contains(pg::read_integer(rows.bytes(i, 0)));
        Findings::note("stamped by now(): " + std::to_string(missed) + " of " +
                       std::to_string(rows.rows()) + " missed");
        state.findings.require(missed > 0,
                               "the negative control, stamped by now(), is caught missing records",
                               "it missed none: the run was too short to prove anything");
    }

  private:
    pg::Connection connection_;
    std::int64_t from_ = 0;
    std::set<std::int64_t> held_;
};

}  // namespace oai::harvest_model
