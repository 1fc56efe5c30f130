// SPDX-License-Identifier: MIT
// ListSets (OAI-PMH 2.0, 4.6): every set, ancestors too, paged by id.
#include <chrono>

#include "base/timing.h"
#include "description.h"
#include "verb.h"

namespace oai {

namespace {

// What the database holds need not be an element. A set without its description is better than no sets.
std::string description_of(const Set& set, Account& account) {
    try {
        return set_description(set.description, set.spec);
    } catch (const xml::Error& e) {
        account.bad_records.push_back({set.spec, e.what()});
        return "";
    }
}

void append_set(Envelope& out, const Set& set, Account& account) {
    out.body() += "<set>\n";
    out.element("setSpec", set.spec);
    out.element("setName", set.name);
    if (const std::string description = description_of(set, account); !description.empty()) {
        out.body() += "<setDescription>";
        out.body() += description;
        out.body() += "</setDescription>\n";
    }
    out.body() += "</set>\n";
}

Token token_after(const Token& start, const Reach& reach, const Set& last, std::int64_t count, Seconds now) {
    Token next = start;
    next.epoch = reach.epoch;
    next.reach = reach.seq;
    next.horizon = reach.h;
    next.after = last.id;
    next.cursor = start.cursor + count;
    next.issued = now;
    return next;
}

}  // namespace

VerbResult verb_sets(const Context& context, const ParsedArguments& parsed, Account& account) {
    const auto refuse = [](const Horizon& horizon, ErrorCode code, const char* why) {
        return VerbResult{.errors = {{code, why}}, .horizon = horizon};
    };
    const bool first = !parsed.arguments.token;
    if (!context.repository.facts.sets) {
        return refuse(context.last_horizon(), first ? ErrorCode::no_set_hierarchy : ErrorCode::bad_resumption_token,
                      "This repository has no sets.");
    }
    Token start{};
    start.verb = Verb::list_sets;
    if (!first) start = *parsed.arguments.token;
    const auto page = static_cast<std::size_t>(context.repository.lists.sets);
    const auto seen = first ? std::nullopt : std::optional(Seen{start.reach, start.horizon});
    auto [horizon, lost, sets] = timed(account.database, [&] {
        return context.store.sets(static_cast<int>(start.after), static_cast<int>(page) + 1, seen);
    });
    if (!first && start.epoch != horizon.epoch) {
        return refuse(horizon, ErrorCode::bad_resumption_token,
                      "The repository has been rebuilt since this token was issued.");
    }
    if (lost) {
        return refuse(horizon, ErrorCode::bad_resumption_token,
                      "The repository has lost what this list has shown; begin it again.");
    }
    const bool more = sets.size() > page;
    const Reach reach = farther({start.epoch, start.reach, start.horizon}, farther(context.floor, reach_of(horizon)));
    if (!more) require_reach(horizon, reach);
    if (sets.empty()) {
        return first ? refuse(horizon, ErrorCode::no_set_hierarchy, "This repository has no sets.")
                     : refuse(horizon, ErrorCode::bad_resumption_token,
                              "The sets that this token goes on with are gone.");
    }
    if (more) sets.pop_back();

    Envelope out(response_date(horizon), context.repository.facts.base_url, parsed.echo);
    out.open(Verb::list_sets);
    for (const Set& set : sets) append_set(out, set, account);
    const auto count = static_cast<std::int64_t>(sets.size());
    const Seconds now = context.clock.now();
    const Seconds expires = now + std::chrono::seconds{context.repository.lists.token_lifetime_seconds};
    const std::string token =
        more ? context.sealer.seal(token_after(start, reach, sets.back(), count, now)) : "";
    if (more || !first) out.resumption_token(token, expires, start.cursor, -1);
    out.close(Verb::list_sets);
    account.records = static_cast<int>(count);
    account.cursor = start.cursor;
    account.more = more;
    return {.errors = {}, .horizon = horizon, .document = out.finish()};
}

}  // namespace oai
