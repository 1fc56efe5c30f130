// SPDX-License-Identifier: MIT
#include "tools/harvest/list_walk.h"

#include <algorithm>

#include "protocol/record.h"

namespace oai::harvest {
namespace {

RequestArguments arguments_of(const ListPosition& position, const std::string& verb) {
    if (!position.token.empty()) return {{"verb", verb}, {"resumptionToken", position.token}};
    RequestArguments arguments{{"verb", verb}, {"metadataPrefix", position.list.prefix}};
    if (!position.list.from.empty()) arguments.emplace_back("from", position.list.from);
    if (!position.list.until.empty()) arguments.emplace_back("until", position.list.until);
    if (!position.list.set_spec.empty()) arguments.emplace_back("set", position.list.set_spec);
    return arguments;
}

// The clocks of hosts behind one repository may differ by minutes.
constexpr std::chrono::seconds kClocksDiffer{3600};

// The maximum of GetRecord requests for doubtful records of one list, and of successive ones
// without a response.
constexpr std::size_t kMostAsked = 1000;
constexpr int kMostUnanswered = 5;
// Prefix of the name of a record without an identifier, followed by its datestamp.
const std::string kNoIdentifier = "(no identifier) ";

std::string name_of(const ListSelection& list) {
    return list.set_spec.empty() ? list.prefix : list.prefix + " of set " + list.set_spec;
}

}  // namespace

// The `from` of a harvest that follows one with this responseDate. Not later than now: a repository
// whose clock was ahead would otherwise hide all changes until that time.
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

// Returns the position of an interrupted walk of the same list and period; otherwise the start of
// the list, from the last complete harvest on.
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
        resumed_ = stopped->pages > 0;
        return *stopped;
    }
    ListPosition position;
    position.list = std::move(list);
    sink_.begin(position);
    return position;
}

HarvestResult ListWalk::list(const std::string& prefix, const std::string& set_spec,
                             const std::string& verb) {
    result_ = HarvestResult{};
    verb_ = verb;
    first_date_ = witness_ = "";
    before_.reset();
    resumed_ = false;
    tokens_.clear();
    counter_ = RecordCounter();
    lost_tokens_ = restarts_ = idle_pages_ = 0, left_out_ = 0;
    const std::int64_t repaired = provider_.repaired();
    ListPosition position = start(prefix, set_spec);
    try {
        if (position.pages == 0 && verb_ == "ListRecords") retry_refused(position);
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
    if (answer.verb != verb_)
        return give_up(position, "the answer to " + verb_ + " is one to " + answer.verb);
    lost_tokens_ = 0;
    for (const OaiError& error : answer.errors)
        listener_.note("an error beside records: " + text_of(error));
    return take(answer, position);
}

ParsedAnswer ListWalk::page(const ListPosition& position) {
    try {
        return provider_.ask(arguments_of(position, verb_));
    } catch (NoAnswer& e) {
        auto salvaged = verb_ == "ListRecords" ? salvage(e.take_bytes()) : std::nullopt;
        if (!salvaged) throw;
        listener_.note(std::string(e.what()) + "; taking it record by record");
        return fetch_broken(std::move(*salvaged), position);
    }
}

// Requests the unreadable records by GetRecord, one by one.
ParsedAnswer ListWalk::fetch_broken(SalvagedPage salvaged, const ListPosition& position) {
    ParsedAnswer page = std::move(salvaged.answer);
    for (const std::string& identifier : salvaged.broken)
        if (request_record(identifier, position, page.records) == Found::unknown)
            refuse(position, identifier, "cannot be read");
    return page;
}

// Tries twice at most, since a whole page may consist of such records.
ListWalk::Found ListWalk::request_record(const std::string& identifier,
                                         const ListPosition& position, std::vector<Record>& found) {
    try {
        ++result_.asked;
        ParsedAnswer alone = provider_.ask({{"verb", "GetRecord"},
                                            {"identifier", identifier},
                                            {"metadataPrefix", position.list.prefix}},
                                           2);
        for (Record& record : alone.records) {
            if (record.identifier != identifier) continue;
            found.push_back(std::move(record));
            return Found::there;
        }
        return alone.has_error("idDoesNotExist") || alone.has_error("cannotDisseminateFormat")
                   ? Found::gone
                   : Found::unknown;
    } catch (const NoAnswer&) {
        return Found::unknown;
    }
}

// If the sink remembers the record as refused, the page counts as complete without it.
void ListWalk::refuse(const ListPosition& position, const std::string& identifier,
                      const std::string& why) {
    ++left_out_;
    listener_.note("left out: " + identifier + ": " + why);
    if (!sink_.refuse(position.list.prefix, identifier, why)) page_damaged_ = true;
}

// Requests records that were refused in earlier harvests, one by one.
void ListWalk::retry_refused(const ListPosition& position) {
    std::vector<Record> found;
    int unanswered = 0;
    for (const std::string& identifier : sink_.refused(position.list.prefix)) {
        const Found is = identifier.starts_with(kNoIdentifier)
                             ? request_nameless(identifier, position, found)
                             : request_record(identifier, position, found);
        if (is == Found::gone) sink_.forget(position.list.prefix, identifier);
        if (is == Found::unknown) sink_.refuse(position.list.prefix, identifier, "");
        unanswered = is == Found::unknown ? unanswered + 1 : 0;
        if (unanswered > kMostUnanswered) break;
    }
    if (!found.empty()) sink_.take(found, position);
}

// Requests all records with its datestamp. It is found once all of them have identifiers.
ListWalk::Found ListWalk::request_nameless(const std::string& name, const ListPosition& position,
                                           std::vector<Record>& found) {
    const std::string datestamp = date_text(name.substr(
        kNoIdentifier.size(), name.find(' ', kNoIdentifier.size()) - kNoIdentifier.size()));
    if (datestamp.empty()) return Found::unknown;
    ListPosition one;
    one.list = {position.list.prefix, position.list.set_spec,
                from_argument(datestamp, has_seconds_), until_argument(datestamp, has_seconds_)};
    try {
        ++result_.asked;
        ParsedAnswer answer = provider_.ask(arguments_of(one, verb_), 2);
        const bool is_all = answer.nameless.empty() && answer.token.empty();
        for (Record& record : answer.records) found.push_back(std::move(record));
        return is_all ? Found::gone : Found::unknown;
    } catch (const NoAnswer&) {
        return Found::unknown;
    }
}

// Requests live records that the list did not contain, unless GetRecord fails even for a record
// that it did. If there are very many, a sample decides for all.
void ListWalk::request_unmet(ListPosition& position) {
    std::vector<std::string> unmet = sink_.unmet(position, kMostAsked + 1);
    if (unmet.empty()) return;
    std::vector<Record> found;
    if (!witness_.empty() && request_record(witness_, position, found) != Found::there)
        return listener_.note(name_of(position.list) + ": " + std::to_string(unmet.size()) +
                              " records are not in the list, and its GetRecord knows nothing");
    found.clear();
    const bool more = unmet.size() > kMostAsked;
    if (more) unmet.pop_back();
    std::vector<Record> gone;
    int unknown = 0, unanswered = 0;
    for (const std::string& identifier : unmet) {
        const Found is = unanswered > kMostUnanswered ? Found::unknown
                                                      : request_record(identifier, position, found);
        unanswered = is == Found::unknown ? unanswered + 1 : 0;
        if (is == Found::unknown) sink_.spare(identifier), ++unknown;
        if (is == Found::gone)
            gone.push_back({.identifier = identifier,
                            .datestamp = position.response_date,
                            .deleted = true,
                            .set_specs = {},
                            .metadata = "",
                            .abouts = {}});
    }
    if (!found.empty() || unknown > 0)
        listener_.note(name_of(position.list) + ": of " + std::to_string(unmet.size()) +
                       (more ? " and more" : "") + " records that are not in the list " +
                       std::to_string(found.size()) + " are there nevertheless, " +
                       std::to_string(unknown) + " got no answer");
    if (more &&
        (!found.empty() || unknown > 0)) {  // the others stay until they have been requested, too
        position.counts.moved = 1;
        found.insert(found.end(), gone.begin(), gone.end());
    }
    if (!found.empty()) sink_.take(found, position);
}

// Handles a response that consists of errors alone.
bool ListWalk::handle_errors(const ParsedAnswer& answer, ListPosition& position) {
    const std::string why = text_of(answer.errors.front());
    if (position.token.empty()) {
        if (!answer.has_error("noRecordsMatch")) return give_up(position, why);
        position.response_date = answer.response_date;
        return close(position);
    }
    const bool lost = answer.has_error("badResumptionToken") || answer.has_error("noRecordsMatch");
    if (!lost) return give_up(position, why);
    if (!answer.has_error("badResumptionToken") && position.list_size &&
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
    before_.reset();
    begin_anew(position);
    return true;
}

void ListWalk::begin_anew(ListPosition& position) {
    ListPosition start;
    start.list = position.list;
    start.counts.again = position.counts.again;
    if (before_) start.response_date = first_date_.empty() ? position.response_date : first_date_;
    position = std::move(start);
    tokens_.clear();
    counter_ = RecordCounter();
    first_date_.clear();
    resumed_ = false;
    lost_tokens_ = idle_pages_ = 0, left_out_ = 0;
    sink_.begin(position);
}

// Tokens of many repositories are offsets. If a record that was already read moves or disappears,
// all later ones move up, and one is missed, perhaps without any sign. A walk that finds all
// records of the previous one proves that nothing disappeared meanwhile. A single page is always
// consistent. Between two runs, changes on the day of the first leave no sign.
bool ListWalk::is_moved(const ListPosition& position) const {
    if (position.pages < 2) return false;
    if (resumed_ && !has_seconds_) return true;
    return before_ ? !before_->empty() : position.counts.moved > 0;
}

// Keeps the responseDate of the previous walk, which this one is to confirm.
bool ListWalk::walk_again(ListPosition& position) {
    if (position.counts.again >= provider_.retry_limits().walks_again ||
        position.records > kMostWalkedAgain)
        return false;
    listener_.note(name_of(position.list) + ": it changed while it was walked; walking it again");
    before_.reset();
    if (!resumed_) before_ = counter_.seen();  // else the records of the walk are not all known
    ++position.counts.again;
    begin_anew(position);
    return true;
}

bool ListWalk::take(const ParsedAnswer& answer, ListPosition& position) {
    for (const auto& [datestamp, before] : answer.nameless)
        refuse(position, kNoIdentifier + datestamp + (before.empty() ? "" : " behind " + before),
               "has no identifier that can be read");
    if (position.pages == 0) {
        first_date_ = answer.response_date;
        if (position.response_date.empty()) position.response_date = first_date_;
    }
    if (answer.list_size && position.list_size && *answer.list_size != *position.list_size)
        ++position.counts.moved;
    position.token = answer.token;
    position.records += static_cast<std::int64_t>(answer.records.size());
    position.pages += 1;
    position.pages_missing += page_damaged_ ? 1 : 0;
    if (answer.list_size) position.list_size = answer.list_size;
    const std::int64_t repeated = position.counts.repeated;
    for (const Record& record : answer.records) {
        counter_.count(record, position.list,
                       first_date_.empty() ? position.response_date : first_date_, position.counts);
        if (before_) before_->erase(RecordCounter::hash_of(record));
        if (!record.deleted) witness_ = record.identifier;
    }
    sink_.take(answer.records, position);
    result_.records += static_cast<std::int64_t>(answer.records.size());
    result_.pages += 1;
    listener_.on_page(position);
    const bool has_new = position.counts.repeated - repeated < std::ssize(answer.records);
    return goes_on(answer, has_new, position);
}

// Returns false for an endless list: one that returns to an earlier token without new records, or
// has none on many pages.
bool ListWalk::goes_on(const ParsedAnswer& answer, bool has_new, const ListPosition& position) {
    if (!answer.token.empty() && !tokens_.insert(answer.token).second && !has_new &&
        !answer.records.empty())
        return give_up(position,
                       "the list leads back into itself: the same token, the same records");
    idle_pages_ = has_new || position.token.empty() ? 0 : idle_pages_ + 1;
    return idle_pages_ <= provider_.retry_limits().idle_pages ||
           give_up(position,
                   std::to_string(idle_pages_) + " pages without a new record, and no end");
}

void ListWalk::report_mismatches(const ListPosition& position) {
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

bool ListWalk::close(ListPosition& position) {
    position.counts.moved = is_moved(position) ? 1 : 0;
    if (position.counts.moved > 0 && position.pages_missing == 0 && walk_again(position))
        return true;
    if (position.pages_missing == 0) request_unmet(position);
    result_.pages_missing = position.pages_missing;
    report_mismatches(position);
    if (position.list_size && *position.list_size != position.records + left_out_ &&
        *position.list_size != position.records + left_out_ - position.counts.repeated) {
        ++result_.wrong_sizes;
        listener_.note(name_of(position.list) + ": completeListSize was " +
                       std::to_string(*position.list_size) + ", and " +
                       std::to_string(position.records) + " records came");
    }
    ListPosition end = position;
    end.token.clear();
    if (position.pages_missing == 0) {
        result_.moved = end.counts.moved;
        if (result_.moved > 0)
            result_.why = name_of(position.list) +
                          ": the list changed each time that it was walked, so some of it may be "
                          "missing; the next harvest asks for the same again";
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
    report_mismatches(position);
    sink_.abandon(position);
    return false;
}

}  // namespace oai::harvest
