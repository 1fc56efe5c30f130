// SPDX-License-Identifier: MIT
#include "harvest/harvest.h"

#include "harvest/walk.h"

namespace oai::harvest {
namespace {

std::string words_of(const std::vector<OaiError>& errors) {
    std::string out;
    for (const OaiError& e : errors) out += (out.empty() ? "" : "; ") + e.code + (e.message.empty() ? "" : ": " + e.message);
    return out;
}

// An answer to this verb alone. Throws Unanswered, Stopped.
Answer answer_to(Provider& provider, Arguments arguments) {
    const std::string verb = arguments.front().second;
    Answer answer = provider.ask(arguments);
    if (answer.verb == verb) return answer;
    const std::string why = answer.verb.empty() ? words_of(answer.errors) : "the answer is one to " + answer.verb;
    throw Unanswered(provider.url() + ": " + verb + ": " + why, "");
}

Identity identity_of(Provider& provider) {
    Identity identity = answer_to(provider, {{"verb", "Identify"}}).identity;
    identity.address = provider.url();
    return identity;
}

// A repository without sets has none. Bounded as lists of records are.
std::vector<SetInfo> sets_of(Provider& provider) {
    std::vector<SetInfo> sets;
    Circle circle;
    int empty = 0;
    for (std::string token;;) {
        Answer answer = provider.ask(token.empty() ? Arguments{{"verb", "ListSets"}}
                                                   : Arguments{{"verb", "ListSets"}, {"resumptionToken", token}});
        if (answer.verb != "ListSets") {
            if (token.empty() && answer.verb.empty() && answer.errors.front().code == "noSetHierarchy") return {};
            throw Unanswered(provider.url() + ": ListSets: " + words_of(answer.errors), "");
        }
        std::vector<Record> marks(answer.sets.size());  // a page of sets is told from others by its specs
        for (std::size_t i = 0; i < marks.size(); ++i) marks[i].identifier = answer.sets[i].spec;
        empty = answer.sets.empty() ? empty + 1 : 0;
        if (circle.closes(page_mark(token, marks, answer.token)) || empty > provider.patience().empty_pages)
            throw Unanswered(provider.url() + ": ListSets does not end", "");
        for (SetInfo& set : answer.sets) sets.push_back(std::move(set));
        token = answer.token;
        if (token.empty()) return sets;
    }
}

std::vector<FormatInfo> formats_of(Provider& provider) {
    return answer_to(provider, {{"verb", "ListMetadataFormats"}}).formats;
}

// The worse kind holds, and the first reason for it.
void add(Outcome& sum, const Outcome& list) {
    if (list.kind > sum.kind) {
        sum.kind = list.kind;
        sum.why = list.why;
    }
    sum.records += list.records;
    sum.deleted += list.deleted;
    sum.pages += list.pages;
    sum.pages_missing += list.pages_missing;
    sum.repaired += list.repaired;
    sum.unreachable |= list.unreachable;
}

// Every list that is wished for; a repository that no longer answers is not asked for the next.
Outcome walk_all(Provider& provider, const Wish& wish, const Identity& identity, Sink& sink, Listener& listener) {
    Outcome sum;
    Walk walk(provider, wish, identity.seconds(), sink, listener);
    const std::vector<std::string> all{""}, dc{"oai_dc"};
    for (const std::string& prefix : wish.prefixes.empty() ? dc : wish.prefixes)
        for (const std::string& set : wish.set_specs.empty() ? all : wish.set_specs) {
            if (listener.stop() || sum.unreachable) return sum;
            add(sum, walk.list(prefix, set));
        }
    return sum;
}

// What is odd, but no reason to stay away.
void judge(const Identity& identity, Listener& listener) {
    if (identity.protocol_version != "2.0")
        listener.note("it says that it speaks OAI-PMH " + identity.protocol_version + ", not 2.0");
    if (identity.base_url != identity.address) listener.note("its base URL, it says, is " + identity.base_url);
}

template <class Ask>
auto asked(http::Client& client, const std::string& url, const Patience& patience, Listener& listener, const Ask& ask) {
    Provider provider(client, url, patience, listener);
    try {
        return ask(provider);
    } catch (const Stopped&) {
        throw std::runtime_error(url + ": stopped");
    }
}

}  // namespace

const char* word_of(Outcome::Kind kind) {
    using Kind = Outcome::Kind;
    return kind == Kind::complete ? "complete" : kind == Kind::incomplete ? "incomplete" : kind == Kind::stopped ? "stopped" : "failed";
}

Outcome harvest(http::Client& client, const Wish& wish, Sink& sink, Listener& listener) {
    Provider provider(client, wish.url, wish.patience, listener);
    Outcome outcome;
    try {
        const Identity identity = identity_of(provider);
        judge(identity, listener);
        sink.identity(identity);
        if (wish.sets_too) sink.sets(sets_of(provider));
        return walk_all(provider, wish, identity, sink, listener);
    } catch (const Stopped&) {
        outcome.kind = Outcome::Kind::stopped;
    } catch (const Unanswered& e) {
        outcome.kind = Outcome::Kind::failed;
        outcome.why = e.what();
        outcome.unreachable = true;
    }
    return outcome;
}

Identity identify(http::Client& client, const std::string& url, const Patience& patience, Listener& listener) {
    return asked(client, url, patience, listener, identity_of);
}

std::vector<FormatInfo> list_formats(http::Client& client, const std::string& url, const Patience& patience,
                                     Listener& listener) {
    return asked(client, url, patience, listener, formats_of);
}

std::vector<SetInfo> list_sets(http::Client& client, const std::string& url, const Patience& patience,
                               Listener& listener) {
    return asked(client, url, patience, listener, sets_of);
}

}  // namespace oai::harvest
