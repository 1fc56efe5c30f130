// SPDX-License-Identifier: MIT
#include "tools/harvest/list_walk.h"

#include <algorithm>
#include <functional>

#include "base/text.h"
#include "protocol/record.h"
#include "tools/http_client/client.h"
#include "xml/document.h"

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

// FNV-1a. Each text is followed by a byte that occurs in no UTF-8 text, so that "ab", "c" and "a",
// "bc" differ.
std::uint64_t add_text(std::uint64_t hash, std::string_view text) {
    constexpr std::uint64_t kPrime = 1099511628211U;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
    return (hash ^ 0xFFU) * kPrime;
}

bool is_in(const std::string& spec, const std::string& set) {
    return spec.starts_with(set) && (spec.size() == set.size() || spec[set.size()] == ':');
}

// A datestamp that is none is for others to judge.
bool is_outside(const std::string& datestamp, const ListSelection& list) {
    const auto is = parse_datestamp(datestamp);
    const auto from = parse_datestamp(list.from), until = parse_datestamp(list.until);
    return is && ((from && is->last() < from->first) || (until && is->first > until->last()));
}

void keep_first(std::string& example, const Record& record) {
    if (example.empty()) example = record.identifier;
}

}  // namespace

// The result of one request.
struct Provider::Attempt {
    std::optional<ParsedAnswer> answer;
    std::string why;     // why there is no answer
    bool again = false;  // a retry may succeed
    bool busy = false;   // the repository said when to retry
    std::optional<std::chrono::seconds> retry_after;
    std::string bytes;  // a body that could not be parsed
    int status = 0;
};

void Provider::read_response(http::ClientResponse response, Attempt& attempt) const {
    attempt.again = http::is_temporary(response.status) || response.status >= 500;
    attempt.busy = response.retry_after && (response.status == 429 || response.status == 503);
    attempt.retry_after = response.retry_after;
    attempt.status = response.status;
    attempt.why = "HTTP status " + std::to_string(response.status);
    if (http::is_temporary(response.status)) return;
    try {
        ParsedAnswer read = read_answer(response.body);
        // Some repositories send OAI-PMH errors with status 400, 404 or 422.
        if (response.status < 300 || !read.errors.empty()) attempt.answer = std::move(read);
    } catch (const xml::Error& e) {
        if (response.status >= 300) return;
        attempt.why = e.what();
        attempt.again = true;
        attempt.bytes = std::move(response.body);
    }
}

void Provider::attempt(const http::ClientRequest& request, Attempt& attempt) {
    try {
        read_response(client_.send(request), attempt);
    } catch (const http::TransferError& e) {
        const std::string_view what = e.what(), url = request.url;
        attempt.why =
            what.starts_with(url) ? what.substr(std::min(what.size(), url.size() + 2)) : what;
        attempt.again = http::is_temporary(e.kind()) || e.kind() == http::FailureKind::answer;
    }
}

ParsedAnswer Provider::ask(const RequestArguments& arguments, int tries) {
    http::ClientRequest request;
    request.url = request_url(url_, arguments);
    request.headers.add("Accept", "text/xml, application/xml;q=0.9, */*;q=0.1");
    request.accept_encoding = "gzip, deflate";
    const http::RetryPolicy policy{.first_wait = retry_limits_.first_wait,
                                   .longest_wait = retry_limits_.longest_wait};
    std::string damaged;
    for (int busy = 0, tried = 0;;) {
        if (listener_.should_stop()) throw StopRequest{};
        Attempt now;
        attempt(request, now);
        if (now.answer) {
            repaired_ += now.answer->repaired;
            return std::move(*now.answer);
        }
        if (!now.bytes.empty()) damaged = std::move(now.bytes);
        const bool more = now.busy ? ++busy < retry_limits_.busy_tries
                                   : ++tried < (tries > 0 ? tries : retry_limits_.tries);
        if (!now.again || !more)
            throw NoAnswer(request.url + ": " + now.why, std::move(damaged), now.status);
        if (!now.busy) request.accept_encoding.clear();  // the compression may be what damages it
        wait(http::retry_wait(policy, std::max(tried, 1), now.retry_after), now.why);
    }
}

void Provider::wait(std::chrono::seconds time, const std::string& why) {
    listener_.wait(time, why);
    if (listener_.should_stop()) throw StopRequest{};
}

std::string request_url(const std::string& base_url, const RequestArguments& arguments) {
    std::string url = base_url;
    if (url.ends_with('?') || url.ends_with('&')) url.pop_back();
    char separator = url.find('?') == url.npos ? '?' : '&';
    for (const auto& [name, value] : arguments) {
        url.append(1, separator).append(name).append("=").append(http::escape_query_value(value));
        separator = '&';
    }
    return url;
}

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

std::uint64_t page_hash(std::string_view request_token, std::span<const Record> records,
                        std::string_view next_token) {
    constexpr std::uint64_t kOffsetBasis = 14695981039346656037U;
    std::uint64_t hash = add_text(add_text(kOffsetBasis, request_token), next_token);
    for (const Record& record : records)
        hash = add_text(add_text(hash, record.identifier), record.datestamp);
    return hash;
}

bool CycleDetector::closes_cycle(std::uint64_t hash) {
    const bool closed = pages_ > 0 && (hash == previous_ || hash == reference_);
    previous_ = hash;
    if (++pages_ == next_reference_page_) {
        reference_ = hash;
        next_reference_page_ *= 2;
    }
    return closed;
}

void RecordCounter::count(const Record& record, const ListSelection& list, ListCounts& counts) {
    if (record.deleted) ++counts.deleted;
    if (!list.set_spec.empty()) count_set(record, list.set_spec, counts);
    if (is_outside(record.datestamp, list)) {
        ++counts.outside_dates;
        keep_first(examples_.outside_dates, record);
    }
    if (is_repeated(record)) {
        ++counts.repeated;
        keep_first(examples_.repeated, record);
    }
}

void RecordCounter::count_set(const Record& record, const std::string& set, ListCounts& counts) {
    const bool is_member = std::any_of(record.set_specs.begin(), record.set_specs.end(),
                                       [&](const std::string& spec) { return is_in(spec, set); });
    if (is_member) {
        ++counts.in_set;
        return;
    }
    ++(record.set_specs.empty() ? counts.without_sets : counts.in_other_sets);
    keep_first(examples_.outside_set, record);
}

bool RecordCounter::is_repeated(const Record& record) {
    const std::size_t hash = std::hash<std::string>()(record.identifier + ' ' + record.datestamp);
    if (seen_.size() >= kMaxRemembered) return seen_.contains(hash);
    return !seen_.insert(hash).second;
}

}  // namespace oai::harvest
