// SPDX-License-Identifier: MIT
// Checks the exact errors of every verb with every combination of absent, good, bad and repeated
// arguments. The expected errors come from a table written from chapter 4 of the protocol, not from
// the code.

#include "protocol/arguments.h"
#include "t/lib/sample.h"
#include "t/lib/unit_headers.h"

namespace {

// The protocol's text, "Arguments" of each verb in chapter 4:
//   ! "a required argument"   ? "an optional argument"   * "an exclusive argument"
struct Chapter4 {
    std::string verb;
    std::string arguments;
};
const Chapter4 kChapter4[] = {
    {"GetRecord", "identifier! metadataPrefix!"},
    {"Identify", ""},
    {"ListIdentifiers", "from? until? metadataPrefix! set? resumptionToken*"},
    {"ListMetadataFormats", "identifier?"},
    {"ListRecords", "from? until? set? resumptionToken* metadataPrefix!"},
    {"ListSets", "resumptionToken*"},
};

// The role of an argument for a verb: '!', '?', '*', or ' ' if the verb does not take it.
char role(const std::string& arguments, const std::string& name) {
    const std::size_t at = (" " + arguments).find(" " + name);
    if (at == std::string::npos) return ' ';
    const char mark = arguments[at + name.size()];
    return mark == '!' || mark == '?' || mark == '*' ? mark : ' ';
}

enum State { absent, good, bad, repeated };
constexpr std::size_t kNames = 7;
const std::array<std::string, kNames> kName = {"identifier", "metadataPrefix",  "from",   "until",
                                               "set",        "resumptionToken", "unknown"};
using States = std::array<State, kNames>;
enum Index { identifier, metadata_prefix, from, until, set, resumption_token, unknown };

const std::array<std::string, kNames> kBadValue = {
    "\xFF", "a b", "2026-02-30", "2026-01-01T00:00Z", "a::b", "junk", "\xFF"};

struct ExpectedErrors {
    std::multiset<ErrorCode> codes;
    std::multiset<std::string> blamed;  // the argument that each message names first
    void add(ErrorCode code, const std::string& name) {
        codes.insert(code);
        blamed.insert(name);
    }
};

// Derives the errors from the text of the protocol alone.
ExpectedErrors expected_errors(const std::string& arguments, const States& states) {
    ExpectedErrors e;
    const auto role_of = [&](std::size_t i) { return role(arguments, kName[i]); };
    const bool resumes = states[resumption_token] != absent && role_of(resumption_token) == '*';
    bool companions = false;
    for (std::size_t i = 0; i < kNames; ++i) {
        if (states[i] == absent) {
            if (role_of(i) == '!' && !resumes) e.add(ErrorCode::bad_argument, kName[i]);
        } else if (role_of(i) == ' ') {
            e.add(ErrorCode::bad_argument, kName[i]);
        } else if (resumes && i != resumption_token) {
            companions = true;
        } else if (states[i] == repeated) {
            e.add(ErrorCode::bad_argument, kName[i]);
        } else if (states[i] == bad) {
            e.add(i == resumption_token ? ErrorCode::bad_resumption_token : ErrorCode::bad_argument,
                  kName[i]);
        }
    }
    if (companions) e.add(ErrorCode::bad_argument, kName[resumption_token]);
    return e;
}

// "from: ..." or "\"from\": ..." -> "from"
std::string blamed_by(const std::string& message) {
    std::string name = message.substr(0, message.find(':'));
    std::erase(name, '"');
    return name;
}

class Bench {
  public:
    ParsedArguments parse(const Strings& verbs, const States& states) const {
        Request request;
        for (const std::string& verb : verbs) request.arguments.push_back({"verb", verb});
        for (std::size_t i = 0; i < kNames; ++i) {
            if (states[i] == absent) continue;
            const std::string value = states[i] == bad ? kBadValue[i] : good_value(i, verbs);
            request.arguments.push_back({kName[i], value});
            if (states[i] == repeated) request.arguments.push_back({kName[i], value});
        }
        return parse_arguments(request, {&sealer_, kNow, 1000});
    }

  private:
    std::string good_value(std::size_t i, const Strings& verbs) const {
        if (i != resumption_token) return kGood[i];
        ResumptionToken token{};
        token.verb =
            verbs.empty() ? Verb::list_records : find_verb(verbs[0]).value_or(Verb::list_records);
        token.issued = kNow;
        if (token.verb != Verb::list_sets) token.metadata_prefix = "oai_dc";
        return sealer_.seal(token);
    }
    static constexpr Seconds kNow{1'795'000'000s};
    const std::array<std::string, kNames> kGood = {"oai:x:1", "oai_dc", "2026-01-01", "2026-01-31",
                                                   "a:b",     "",       "x"};
    const TokenSealer sealer_{TokenKey{7}};
};

// Calls visit with all 4^7 ways to give the seven arguments, or with those of a sample.
template <typename Visit>
void for_all_states(Visit visit, const Sample& sample = Sample(1)) {
    for (unsigned n = 0; n < 1U << (2 * kNames); ++n) {
        if (!sample.has(n)) continue;
        States states;
        for (std::size_t i = 0; i < kNames; ++i) states[i] = static_cast<State>(n >> (2 * i) & 3U);
        visit(states);
    }
}

std::string describe(const std::string& verb, const States& states) {
    const char* names[] = {"-", "good", "bad", "repeated"};
    std::string text = verb;
    for (std::size_t i = 0; i < kNames; ++i) text += " " + kName[i] + "=" + names[states[i]];
    return text;
}

}  // namespace

TEST_CASE("arguments table: six verbs, and every argument absent, valid, invalid or repeated") {
    const Bench bench;
    const Sample sample(5);
    int cases = 0;
    int sound = 0;
    for (const auto& row : kChapter4) {
        const std::string& verb = row.verb;  // clang 14 captures no structured binding
        for_all_states(
            [&](const States& states) {
                const ExpectedErrors e = expected_errors(row.arguments, states);
                const ParsedArguments parsed = bench.parse({verb}, states);
                std::multiset<ErrorCode> codes;
                std::multiset<std::string> blamed;
                for (const OaiError& error : parsed.errors) {
                    codes.insert(error.code);
                    blamed.insert(blamed_by(error.message));
                }
                const bool may_echo = codes.count(ErrorCode::bad_argument) == 0;
                ++cases;
                sound += codes.empty();
                if (codes != e.codes || blamed != e.blamed || parsed.verb != find_verb(verb) ||
                    parsed.echo.empty() == may_echo)
                    FAIL(describe(verb, states));
            },
            sample);
    }
    CHECK(cases >= 6 * 16384 / (sample.is_all() ? 1 : 6));
    if (!sample.is_all()) return;
    CHECK(cases == 6 * 16384);
    // Counted by hand: GetRecord 1, Identify 1, ListMetadataFormats 2, ListSets 2, each list 8 + 1.
    CHECK(sound == 1 + 1 + 2 + 2 + 9 + 9);
}

TEST_CASE("arguments table: a request without an error has all its values") {
    const Bench bench;
    for (const auto& row : kChapter4) {
        const std::string& verb = row.verb;  // clang 14 captures no structured binding
        for_all_states([&](const States& states) {
            if (std::any_of(states.begin(), states.end(),
                            [](State s) { return s == bad || s == repeated; }))
                return;
            const ParsedArguments parsed = bench.parse({verb}, states);
            if (!parsed.errors.empty()) return;
            const Arguments& a = parsed.arguments;
            INFO(describe(verb, states));
            CHECK(a.verb == find_verb(verb));
            CHECK(a.identifier.has_value() == (states[identifier] == good));
            CHECK(a.metadata_prefix.has_value() == (states[metadata_prefix] == good));
            CHECK(a.from.has_value() == (states[from] == good));
            CHECK(a.until.has_value() == (states[until] == good));
            CHECK(a.set.has_value() == (states[set] == good));
            CHECK(a.token.has_value() == (states[resumption_token] == good));
        });
    }
}

TEST_CASE(
    "arguments table: a missing, wrong or repeated verb is one badVerb, whatever else is wrong") {
    const Bench bench;
    const Sample sample(5);
    for (const Strings& verbs :
         {Strings{}, {""}, {"nastyVerb"}, {"listrecords"}, {"Identify", "Identify"}}) {
        for_all_states(
            [&](const States& states) {
                const ParsedArguments parsed = bench.parse(verbs, states);
                if (parsed.errors.size() != 1 || parsed.errors[0].code != ErrorCode::bad_verb ||
                    parsed.verb || !parsed.echo.empty())
                    FAIL(describe(verbs.empty() ? "(no verb)" : verbs[0], states));
            },
            sample);
    }
}
