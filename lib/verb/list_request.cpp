// SPDX-License-Identifier: MIT
#include "verb/list_request.h"

#include <algorithm>

#include "verb/record_writer.h"

namespace oai {
namespace {

constexpr int kMaxStride = 10'000;  // rows of one query; PageBudget limits the page

}  // namespace

ListRequest list_request(const Arguments& arguments) {
    ListRequest request{.first = !arguments.token,
                        .start = {},
                        .with_metadata = arguments.verb == Verb::list_records};
    if (arguments.token) {
        request.start = *arguments.token;
        return request;
    }
    ResumptionToken& start = request.start;
    start.verb = arguments.verb;
    start.metadata_prefix = arguments.metadata_prefix.value_or("");
    start.set = arguments.set.value_or("");
    if (arguments.from) start.from = arguments.from->first;
    if (arguments.until) start.until = arguments.until->last();
    return request;
}

PageBudget page_budget(const Config::Lists& lists, const Format& format) {
    return {.records = format.records > 0 ? format.records : lists.records,
            .bytes = static_cast<std::size_t>(lists.page_bytes),
            .time = std::chrono::milliseconds{lists.page_milliseconds}};
}

OaiErrors check_request(const ListRequest& request, const Format* format, bool has_sets) {
    const bool set_without_sets = !request.start.set.empty() && !has_sets;
    OaiErrors errors;
    if (!request.first) {
        if (format == nullptr || set_without_sets)
            errors.push_back(
                {ErrorCode::bad_resumption_token, "The format or set of this list is gone."});
        return errors;
    }
    if (format == nullptr) errors.push_back(unknown_format(request.start.metadata_prefix));
    if (set_without_sets)
        errors.push_back({ErrorCode::no_set_hierarchy, "This repository has no sets."});
    return errors;
}

ListQuery first_query(const ListRequest& request, const Format& format,
                      std::optional<Seconds> since, int records, int count_limit) {
    const ResumptionToken& start = request.start;
    ListQuery query;
    query.with_records = request.with_metadata || !format.requires_columns.empty();
    // In this format no record has a datestamp before `since`, so a `from` up to there excludes
    // nothing, and an `until` before it excludes everything, which check_position() checks.
    if (start.from && !(since && *start.from <= *since)) query.from = start.from;
    query.until = start.until;
    if (!start.set.empty()) query.set = start.set;
    query.records = records;
    if (!request.first) {
        query.after = start.after;
        query.upto = start.upto;
        query.seen = SeenPosition{start.reach, start.horizon};
    }
    query.required = format.requires_columns;
    query.want_size = request.first;
    query.count_limit = count_limit;
    return query;
}

ListQuery further_query(const ListQuery& query, std::int64_t after) {
    ListQuery further = query;
    further.after = after;
    further.want_size = false;
    further.records = std::min(2 * query.records, kMaxStride);
    return further;
}

ReplicaPosition required_reach(const ListRequest& request, const ReplicaPosition& floor) {
    const ResumptionToken& start = request.start;
    if (request.first) return floor;
    return furthest({start.epoch, start.reach, start.horizon}, floor);
}

std::optional<OaiError> check_position(const ListRequest& request, const Position& position,
                                       std::optional<Seconds> since, const ReplicaPosition& reach) {
    const ResumptionToken& start = request.start;
    if (!request.first && start.epoch != position.horizon.epoch)
        return OaiError{
            ErrorCode::bad_resumption_token,
            "The repository has been rebuilt since this token was issued; begin the list again.",
            "rebuilt"};
    if (position.lost)
        return OaiError{ErrorCode::bad_resumption_token,
                        "The repository has lost what this list has shown; begin it again."};
    if (!position.set_exists) {
        require_position(position.horizon, reach);  // the replica may lack a new set
        if (request.first)
            return OaiError{ErrorCode::no_records_match,
                            "There is no such set; ListSets lists them.", "set"};
        return OaiError{ErrorCode::bad_resumption_token, "The set of this list is gone."};
    }
    // Only for a first page: a list that has begun is continued under the rules that it began with.
    if (request.first && start.until && since && *start.until < *since) return no_records(request);
    return std::nullopt;
}

OaiError no_records(const ListRequest& request) {
    return {ErrorCode::no_records_match,
            request.first ? "No record matches." : "No record is left in this list."};
}

std::int64_t corrected_size(std::int64_t size, bool left_out, int undelivered) {
    return left_out || size < 0 ? -1 : std::max<std::int64_t>(size - undelivered, 0);
}

ResumptionToken next_token(const ListRequest& request, const Position& position,
                           const ReplicaPosition& reach, std::int64_t last_seq, int records,
                           std::int64_t size, Seconds now) {
    ResumptionToken next = request.start;
    next.epoch = position.horizon.epoch;
    next.reach = reach.seq;
    next.horizon = reach.h;
    next.after = last_seq;
    if (next.upto == 0 && position.upto_fixed) next.upto = position.upto;
    next.cursor = request.start.cursor + records;
    next.size = size;
    next.issued = now;
    return next;
}

}  // namespace oai
