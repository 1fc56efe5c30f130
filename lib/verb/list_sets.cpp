// SPDX-License-Identifier: MIT
// ListSets (OAI-PMH 2.0, 4.6): every set, ancestors too, paged by id.
#include <chrono>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "protocol/repository.h"
#include "verb/handler.h"
#include "verb/list_request.h"

namespace oai {

namespace {

// Returns "" if the stored description is invalid; the set is then listed without one.
std::string description_of(const Set& set, RequestStats& stats) {
    try {
        return set_description(set.description, set.spec);
    } catch (const xml::Error& e) {
        stats.bad_records.push_back({set.spec, e.what()});
        return "";
    }
}

void append_set(Envelope& out, const Set& set, RequestStats& stats) {
    out.body() += "<set>\n";
    out.element("setSpec", set.spec);
    out.element("setName", set.name);
    if (const std::string description = description_of(set, stats); !description.empty()) {
        out.body() += "<setDescription>";
        out.body() += description;
        out.body() += "</setDescription>\n";
    }
    out.body() += "</set>\n";
}

OaiError no_sets(bool first) {
    if (first) return {ErrorCode::no_set_hierarchy, "This repository has no sets."};
    return {ErrorCode::bad_resumption_token, "The sets that this token goes on with are gone."};
}

}  // namespace

VerbResult list_sets(const Context& context, const ParsedArguments& parsed) {
    const bool first = !parsed.arguments.token;
    if (!context.repository.facts.sets)
        return {.errors = {no_sets(first)}, .horizon = context.last_horizon()};
    const ListRequest request = list_request(parsed.arguments);
    const ResumptionToken& start = request.start;
    const auto page = static_cast<std::size_t>(context.repository.lists.sets);
    const auto seen =
        first ? std::nullopt : std::optional(SeenPosition{start.reach, start.horizon});
    VerbResult result;
    Store::Sets found = measure(result.stats.database, [&] {
        return context.store.sets(static_cast<int>(start.after), static_cast<int>(page) + 1, seen);
    });
    std::vector<Set>& sets = found.sets;
    result.horizon = found.horizon;
    Position position;
    position.horizon = found.horizon;
    position.lost = found.lost;
    const ReplicaPosition required = required_reach(request, context.floor);
    if (auto error = check_position(request, position, std::nullopt, required)) {
        result.errors.push_back(*std::move(error));
        return result;
    }
    const bool more = sets.size() > page;
    const ReplicaPosition reach = furthest(required, replica_position_of(found.horizon));
    if (!more) require_position(found.horizon, reach);
    if (sets.empty()) {
        result.errors.push_back(no_sets(first));
        return result;
    }
    if (more) sets.pop_back();

    const Seconds now = context.clock.now();
    const std::chrono::seconds lifetime{context.repository.lists.token_lifetime_seconds};
    result.stats.records = static_cast<int>(sets.size());
    result.stats.cursor = start.cursor;
    result.stats.more = more;
    if (more)
        result.next_token = context.sealer.seal(
            next_token(request, position, reach, sets.back().id, result.stats.records, -1, now));
    Envelope out(response_date(found.horizon), context.repository.facts.base_url, parsed.echo);
    out.open(Verb::list_sets);
    for (const Set& set : sets) append_set(out, set, result.stats);
    if (more || !first) out.resumption_token(result.next_token, now + lifetime, start.cursor, -1);
    out.close(Verb::list_sets);
    result.document = out.finish();
    return result;
}

}  // namespace oai
