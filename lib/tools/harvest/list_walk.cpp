// SPDX-License-Identifier: MIT
#include "tools/harvest/list_walk.h"

#include <algorithm>

#include "tools/harvest/window.h"

namespace oai::harvest {
namespace {

bool has_error(const ParsedAnswer& answer, std::string_view code) {
    return std::any_of(
        answer.errors.begin(), answer.errors.end(),
        [&](const OaiError& e) { return e.code == code; });
}

RequestArguments arguments_of(const ListPosition& position) {
    if (!position.token.empty())
        return {{"verb", "ListRecords"}, {"resumptionToken", position.token}};
    RequestArguments arguments{{"verb", "ListRecords"}, {"metadataPrefix", position.list.prefix}};
    if (!position.list.from.empty()) arguments.emplace_back("from", position.list.from);
    if (!position.list.until.empty()) arguments.emplace_back("until", position.list.until);
    if (!position.list.set_spec.empty()) arguments.emplace_back("set", position.list.set_spec);
    return arguments;
}

// Hosts that share the work of a repository may disagree by minutes.
constexpr std::chrono::seconds kClocksDiffer{3600};

std::string name_of(const ListSelection& list) {
    return list.set_spec.empty() ? list.prefix : list.prefix + " of set " + list.set_spec;
}

}  // namespace

// The `from` of a harvest that follows one with this responseDate. A clock that has been ahead, as
// of a host that has just been set up, would hide whatever changes until that time has come.
std::string ListWalk::from_last(const std::string& last) {
    const std::string from = from_after(last, request_.overlap, has_seconds_);
    if (from.empty())
        listener_.note("the last harvest's responseDate is no date (" + last + "): harvesting all");
    if (const auto ahead = seconds_between(now_, last); ahead && *ahead > kClocksDiffer) {
        listener_.note("its clock was at " + last + " in the last harvest and is at " + now_ +
                       ": harvesting all");
        return "";
    }
    return from;
}

// Returns where the last walk stopped, if it was of the same list and period; otherwise the start
// of the list, from the last complete harvest on.
ListPosition ListWalk::start(const std::string& prefix, const std::string& set_spec) {
    ListSelection list{prefix, set_spec, from_argument(request_.from, has_seconds_),
                       until_argument(request_.until, has_seconds_)};
    const auto last = request_.full || request_.whole || !request_.from.empty()
                          ? std::nullopt
                          : sink_.last_complete(prefix, set_spec);
    if (last) list.from = from_last(*last);
    auto stopped = request_.full ? std::nullopt : sink_.unfinished(prefix, set_spec);
    if (stopped && stopped->list == list) {
        listener_.note(name_of(list) + ": going on behind " + std::to_string(stopped->records) +
                       " records");
        return *stopped;
    }
    ListPosition position;
    position.list = std::move(list);
    sink_.begin(position);
    return position;
}

HarvestResult ListWalk::list(const std::string& prefix, const std::string& set_spec) {
    result_ = HarvestResult{};
    cycle_ = CycleDetector();
    counter_ = RecordCounter();
    lost_tokens_ = restarts_ = idle_pages_ = 0;
    const std::int64_t repaired = provider_.repaired();
    ListPosition position = start(prefix, set_spec);
    try {
        while (step(position)) {
        }
    } catch (const StopRequest&) {
        result_.kind = HarvestResult::Kind::stopped;
    } catch (const NoAnswer& e) {
        result_.kind = HarvestResult::Kind::failed;
        result_.why = e.what();
        result_.unreachable = true;
        result_.refused = e.is_refusal();
    }
    result_.whole = position.list.from.empty() && position.list.until.empty();
    result_.repaired = provider_.repaired() - repaired;
    sum_up(position);
    return result_;
}

void ListWalk::sum_up(const ListPosition& position) {
    result_.all_records = position.records;
    result_.all_deleted = position.counts.deleted;
    result_.all_pages = position.pages;
    result_.outside_set = position.counts.outside_set();
    result_.outside_dates = position.counts.outside_dates;
    result_.repeated = position.counts.repeated;
}

bool ListWalk::step(ListPosition& position) {
    if (position.pages > 0 && position.token.empty())
        return close(position);  // the last run was killed after the last page
    if (request_.max_records > 0 && result_.records >= request_.max_records) {
        result_.kind = HarvestResult::Kind::stopped;
        return false;
    }
    page_damaged_ = false;
    const ParsedAnswer answer = page(position);
    if (answer.verb.empty()) return handle_errors(answer, position);
    if (answer.verb != "ListRecords")
        return give_up(position, "the answer to ListRecords is one to " + answer.verb);
    lost_tokens_ = 0;
    for (const OaiError& error : answer.errors)
        listener_.note("an error beside records: " + text_of(error));
    if (is_endless(answer, position)) return false;
    return take(answer, position);
}

ParsedAnswer ListWalk::page(const ListPosition& position) {
    try {
        return provider_.ask(arguments_of(position));
    } catch (const NoAnswer& e) {
        auto salvaged = salvage(e.bytes());
        if (!salvaged) throw;
        listener_.note(std::string(e.what()) + "; taking it record by record");
        return fetch_broken(std::move(*salvaged), position);
    }
}

// Requests the broken records by GetRecord, one by one.
ParsedAnswer ListWalk::fetch_broken(SalvagedPage salvaged, const ListPosition& position) {
    ParsedAnswer page = std::move(salvaged.answer);
    for (const std::string& identifier : salvaged.broken) {
        if (!identifier.empty() && fetch_record(identifier, position, page)) continue;
        page_damaged_ = true;
        listener_.note("left out: " + (identifier.empty()
                                           ? "a record whose identifier cannot be read"
                                           : identifier));
    }
    return page;
}

// Tries twice at most, since there may be a whole page of such records.
bool ListWalk::fetch_record(const std::string& identifier, const ListPosition& position,
                            ParsedAnswer& page) {
    try {
        ParsedAnswer alone = provider_.ask({{"verb", "GetRecord"},
                                            {"identifier", identifier},
                                            {"metadataPrefix", position.list.prefix}},
                                           2);
        for (Record& record : alone.records) page.records.push_back(std::move(record));
        return !alone.records.empty() || has_error(alone, "idDoesNotExist");
    } catch (const NoAnswer&) {
        return false;
    }
}

// Handles an answer that consists of errors alone.
bool ListWalk::handle_errors(const ParsedAnswer& answer, ListPosition& position) {
    const std::string why = text_of(answer.errors.front());
    if (position.token.empty()) {
        if (!has_error(answer, "noRecordsMatch")) return give_up(position, why);
        position.response_date = answer.response_date;
        return close(position);
    }
    const bool lost =
        has_error(answer, "badResumptionToken") || has_error(answer, "noRecordsMatch");
    if (!lost) return give_up(position, why);
    if (!has_error(answer, "badResumptionToken") && position.list_size &&
        position.records >= *position.list_size)
        return close(position);  // how some repositories say that the list has ended
    if (++lost_tokens_ > 2) return restart(position, why);
    provider_.wait(std::min(request_.retry_limits.first_wait, request_.retry_limits.longest_wait),
                   why);
    return true;
}

bool ListWalk::restart(ListPosition& position, const std::string& why) {
    if (++restarts_ > provider_.retry_limits().restarts)
        return give_up(position, why + ", after " + std::to_string(restarts_ - 1) +
                                     " beginnings from the start");
    listener_.note(why + "; " + name_of(position.list) + " begins again from its start");
    ListPosition start;
    start.list = position.list;
    position = std::move(start);
    cycle_ = CycleDetector();
    counter_ = RecordCounter();
    lost_tokens_ = idle_pages_ = 0;
    sink_.begin(position);
    return true;
}

// Detects a list that leads back to a page of its own, and gives it up.
bool ListWalk::is_endless(const ParsedAnswer& answer, const ListPosition& position) {
    return !answer.token.empty() &&
           cycle_.closes_cycle(page_hash(position.token, answer.records, answer.token)) &&
           !give_up(position, "the list leads back into itself: the same token, the same records");
}

bool ListWalk::take(const ParsedAnswer& answer, ListPosition& position) {
    if (answer.nameless > 0) {
        page_damaged_ = true;
        listener_.note("left out: " + std::to_string(answer.nameless) +
                       " records without an identifier");
    }
    if (position.pages == 0) position.response_date = answer.response_date;
    position.token = answer.token;
    position.records += static_cast<std::int64_t>(answer.records.size());
    position.pages += 1;
    position.pages_missing += page_damaged_ ? 1 : 0;
    if (answer.list_size) position.list_size = answer.list_size;
    const std::int64_t repeated = position.counts.repeated;
    for (const Record& record : answer.records)
        counter_.count(record, position.list, position.counts);
    sink_.take(answer.records, position);
    result_.records += static_cast<std::int64_t>(answer.records.size());
    result_.pages += 1;
    listener_.on_page(position);
    const bool has_new = position.counts.repeated - repeated < std::ssize(answer.records);
    return goes_on(has_new, position);
}

// Gives up a list that has nothing new on many pages, whose tokens may be new each time.
bool ListWalk::goes_on(bool has_new, const ListPosition& position) {
    idle_pages_ = has_new || position.token.empty() ? 0 : idle_pages_ + 1;
    return idle_pages_ <= provider_.retry_limits().idle_pages ||
           give_up(position,
                   std::to_string(idle_pages_) + " pages without a new record, and no end");
}

void ListWalk::note_maladies(const ListPosition& position) {
    const auto note = [&](std::int64_t records, const char* what, const std::string& example) {
        if (records > 0)
            listener_.note(name_of(position.list) + ": " + std::to_string(records) + " of " +
                           std::to_string(position.records) + " records " + what +
                           (example.empty() ? "" : ", as " + example));
    };
    const ListCounts& counts = position.counts;
    note(counts.outside_set(), "are not of the set asked for", counter_.examples().outside_set);
    note(counts.outside_dates, "are not of the dates asked for", counter_.examples().outside_dates);
    note(counts.repeated, "came before", counter_.examples().repeated);
}

bool ListWalk::close(const ListPosition& position) {
    result_.pages_missing = position.pages_missing;
    note_maladies(position);
    if (position.list_size && *position.list_size != position.records &&
        *position.list_size != position.records - position.counts.repeated) {
        ++result_.wrong_sizes;
        listener_.note(name_of(position.list) + ": completeListSize was " +
                       std::to_string(*position.list_size) + ", and " +
                       std::to_string(position.records) + " records came");
    }
    ListPosition end = position;
    end.token.clear();
    if (position.pages_missing == 0) {
        sink_.finish(end);
        return false;
    }
    result_.kind = HarvestResult::Kind::incomplete;
    result_.why = std::to_string(position.pages_missing) + " pages came with records missing";
    sink_.abandon(end);
    return false;
}

bool ListWalk::give_up(const ListPosition& position, const std::string& why) {
    result_.kind = HarvestResult::Kind::failed;
    result_.why = name_of(position.list) + ": " + why;
    note_maladies(position);
    sink_.abandon(position);
    return false;
}

}  // namespace oai::harvest
