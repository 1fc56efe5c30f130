// SPDX-License-Identifier: MIT
#include "harvest/walk.h"

#include <algorithm>

#include "harvest/window.h"

namespace oai::harvest {
namespace {

std::string words_of(const OaiError& error) { return error.message.empty() ? error.code : error.code + ": " + error.message; }

bool says(const Answer& answer, std::string_view code) {
    return std::any_of(answer.errors.begin(), answer.errors.end(), [&](const OaiError& e) { return e.code == code; });
}

Arguments arguments_of(const Position& position) {
    if (!position.token.empty()) return {{"verb", "ListRecords"}, {"resumptionToken", position.token}};
    Arguments arguments{{"verb", "ListRecords"}, {"metadataPrefix", position.list.prefix}};
    if (!position.list.from.empty()) arguments.emplace_back("from", position.list.from);
    if (!position.list.until.empty()) arguments.emplace_back("until", position.list.until);
    if (!position.list.set_spec.empty()) arguments.emplace_back("set", position.list.set_spec);
    return arguments;
}

std::string name_of(const List& list) {
    return list.set_spec.empty() ? list.prefix : list.prefix + " of set " + list.set_spec;
}

}  // namespace

// Where the last walk stopped, if it walked the same list; else the start, from the last complete harvest on.
Position Walk::start(const std::string& prefix, const std::string& set_spec) {
    List list{prefix, set_spec, from_argument(wish_.from, seconds_), until_argument(wish_.until, seconds_)};
    const auto last = wish_.full || !wish_.from.empty() ? std::nullopt : sink_.last_complete(prefix, set_spec);
    if (last) {
        list.from = from_after(*last, wish_.overlap, seconds_);
        if (list.from.empty()) listener_.note("the last harvest's responseDate is no date (" + *last + "): harvesting all");
    }
    auto stopped = wish_.full ? std::nullopt : sink_.unfinished(prefix, set_spec);
    if (stopped && stopped->list == list) {
        listener_.note(name_of(list) + ": going on behind " + std::to_string(stopped->records) + " records");
        return *stopped;
    }
    Position position;
    position.list = std::move(list);
    sink_.begin(position);
    return position;
}

Outcome Walk::list(const std::string& prefix, const std::string& set_spec) {
    outcome_ = Outcome{};
    circle_ = Circle();
    lost_tokens_ = restarts_ = empty_pages_ = 0;
    const std::int64_t repaired = provider_.repaired();
    Position position = start(prefix, set_spec);
    try {
        while (step(position)) {
        }
    } catch (const Stopped&) {
        outcome_.kind = Outcome::Kind::stopped;
    } catch (const Unanswered& e) {
        outcome_.kind = Outcome::Kind::failed;
        outcome_.why = e.what();
        outcome_.unreachable = true;
    }
    outcome_.repaired = provider_.repaired() - repaired;
    return outcome_;
}

// False: there is nothing more to do.
bool Walk::step(Position& position) {
    if (position.pages > 0 && position.token.empty()) return close(position);  // so it may have stood when it was killed
    if (wish_.most_records > 0 && outcome_.records >= wish_.most_records) {
        outcome_.kind = Outcome::Kind::stopped;
        return false;
    }
    damaged_ = false;
    const Answer answer = page(position);
    if (answer.verb.empty()) return refused(answer, position);
    if (answer.verb != "ListRecords") return give_up(position, "the answer to ListRecords is one to " + answer.verb);
    lost_tokens_ = 0;
    for (const OaiError& error : answer.errors) listener_.note("an error beside records: " + words_of(error));
    if (is_endless(answer, position)) return false;
    return take(answer, position);
}

Answer Walk::page(const Position& position) {
    try {
        return provider_.ask(arguments_of(position));
    } catch (const Unanswered& e) {
        auto remains = salvage(e.bytes());
        if (!remains) throw;
        listener_.note(std::string(e.what()) + "; taking it record by record");
        return mended(std::move(*remains), position);
    }
}

// The broken records by GetRecord, one by one.
Answer Walk::mended(Remains remains, const Position& position) {
    Answer page = std::move(remains.answer);
    for (const std::string& identifier : remains.broken) {
        if (!identifier.empty() && fetch_alone(identifier, position, page)) continue;
        damaged_ = true;
        listener_.note("left out: " + (identifier.empty() ? "a record whose identifier cannot be read" : identifier));
    }
    return page;
}

// Asked for twice at most, since there may be a page of them.
bool Walk::fetch_alone(const std::string& identifier, const Position& position, Answer& page) {
    try {
        Answer alone = provider_.ask(
            {{"verb", "GetRecord"}, {"identifier", identifier}, {"metadataPrefix", position.list.prefix}}, 2);
        for (Record& record : alone.records) page.records.push_back(std::move(record));
        return !alone.records.empty() || says(alone, "idDoesNotExist");
    } catch (const Unanswered&) {
        return false;
    }
}

// An answer of errors alone.
bool Walk::refused(const Answer& answer, Position& position) {
    const std::string why = words_of(answer.errors.front());
    if (position.token.empty()) {
        if (!says(answer, "noRecordsMatch")) return give_up(position, why);
        position.response_date = answer.response_date;
        return close(position);
    }
    const bool lost = says(answer, "badResumptionToken") || says(answer, "noRecordsMatch");
    if (!lost) return give_up(position, why);
    if (!says(answer, "badResumptionToken") && position.list_size && position.records >= *position.list_size)
        return close(position);  // its way to say that the list has ended
    if (++lost_tokens_ > 2) return restart(position, why);
    provider_.wait(std::min(wish_.patience.first_wait, wish_.patience.longest_wait), why);
    return true;
}

bool Walk::restart(Position& position, const std::string& why) {
    if (++restarts_ > provider_.patience().restarts)
        return give_up(position, why + ", after " + std::to_string(restarts_ - 1) + " beginnings from the start");
    listener_.note(why + "; " + name_of(position.list) + " begins again from its start");
    Position start;
    start.list = position.list;
    position = std::move(start);
    circle_ = Circle();
    lost_tokens_ = empty_pages_ = 0;
    sink_.begin(position);
    return true;
}

// A list that does not get on.
bool Walk::is_endless(const Answer& answer, const Position& position) {
    if (answer.token.empty()) return false;
    if (circle_.closes(page_mark(position.token, answer.records, answer.token)))
        return !give_up(position, "the list leads back into itself: the same token, the same records");
    empty_pages_ = answer.records.empty() ? empty_pages_ + 1 : 0;
    if (empty_pages_ <= provider_.patience().empty_pages) return false;
    return !give_up(position, std::to_string(empty_pages_) + " pages without a record, and no end");
}

bool Walk::take(const Answer& answer, Position& position) {
    if (answer.nameless > 0) {
        damaged_ = true;
        listener_.note("left out: " + std::to_string(answer.nameless) + " records without an identifier");
    }
    if (position.pages == 0) position.response_date = answer.response_date;
    position.token = answer.token;
    position.records += static_cast<std::int64_t>(answer.records.size());
    position.pages += 1;
    position.pages_missing += damaged_ ? 1 : 0;
    if (answer.list_size) position.list_size = answer.list_size;
    sink_.take(answer.records, position);
    outcome_.records += static_cast<std::int64_t>(answer.records.size());
    outcome_.deleted += std::count_if(answer.records.begin(), answer.records.end(), [](const Record& r) { return r.deleted; });
    outcome_.pages += 1;
    listener_.at(position);
    return true;
}

// The end of the list. False, as there is nothing more to do.
bool Walk::close(const Position& position) {
    outcome_.pages_missing = position.pages_missing;
    if (position.list_size && *position.list_size != position.records)
        listener_.note(name_of(position.list) + ": completeListSize was " + std::to_string(*position.list_size) + ", and " +
                       std::to_string(position.records) + " records came");
    Position end = position;
    end.token.clear();
    if (position.pages_missing == 0) {
        sink_.finish(end);
        return false;
    }
    outcome_.kind = Outcome::Kind::incomplete;
    outcome_.why = std::to_string(position.pages_missing) + " pages came with records missing";
    sink_.abandon(end);
    return false;
}

bool Walk::give_up(const Position& position, const std::string& why) {
    outcome_.kind = Outcome::Kind::failed;
    outcome_.why = name_of(position.list) + ": " + why;
    sink_.abandon(position);
    return false;
}

}  // namespace oai::harvest
