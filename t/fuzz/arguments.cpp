// SPDX-License-Identifier: MIT
// Parses a query string. The result is Arguments or errors, never both, and the Arguments are safe
// to use in XML and in the database. "@RESUME" in the input stands for a valid token of the verb
// whose number follows.
#include "protocol/arguments.h"

#include <algorithm>
#include <cstdint>

#include "base/text.h"
#include "protocol/identifier.h"
#include "require.h"

namespace {

constexpr Seconds kNow{std::chrono::seconds{1'795'000'000}};

std::string with_token(std::string query, const TokenSealer& sealer) {
    constexpr std::string_view kMark = "@RESUME";
    const std::size_t at = query.find(kMark);
    if (at == std::string::npos || at + kMark.size() == query.size()) return query;
    ResumptionToken token{};
    token.verb = static_cast<Verb>(static_cast<unsigned char>(query[at + kMark.size()]) % 6);
    token.issued = kNow;
    if (token.verb != Verb::list_sets) token.metadata_prefix = "oai_dc";
    return query.replace(at, kMark.size() + 1, sealer.seal(token));
}

void check_errors(const ParsedArguments& parsed) {
    bool may_echo = true;
    require(parsed.errors.size() <= 16);
    for (const OaiError& error : parsed.errors) {
        require(!error.message.empty() && error.message.size() < 300 &&
                text::is_xml_text(error.message));
        require(error.code == ErrorCode::bad_verb || error.code == ErrorCode::bad_argument ||
                error.code == ErrorCode::bad_resumption_token);
        require((error.code == ErrorCode::bad_verb) == !parsed.verb);
        may_echo = may_echo && error.code == ErrorCode::bad_resumption_token;
    }
    require(parsed.echo.empty() == !may_echo);
    for (const auto& [name, value] : parsed.echo)
        require(text::is_xml_text(value) && text::is_xml_text(name));
}

void check_arguments(const Arguments& a) {
    for (const auto& value : {a.identifier, a.metadata_prefix, a.set})
        require(!value || (!value->empty() && value->size() <= 4096 && text::is_xml_text(*value)));
    require(!a.set || is_set_spec(*a.set));
    require(!a.metadata_prefix || is_label(*a.metadata_prefix));
    require(!a.from || !a.until || a.from->first <= a.until->last());
    require(!a.token ||
            (a.token->verb == a.verb && !a.metadata_prefix && !a.from && !a.until && !a.set));
    const bool of_records = a.verb == Verb::list_records || a.verb == Verb::list_identifiers;
    require(!of_records || a.token || a.metadata_prefix);
    require(a.verb != Verb::get_record || (a.identifier && a.metadata_prefix));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const TokenSealer sealer(TokenKey{1});
    const std::string query =
        with_token(std::string(reinterpret_cast<const char*>(data), size), sealer);
    Request request;
    request.arguments = split_arguments(query, &request.well_encoded);
    const ParsedArguments parsed = parse_arguments(request, {&sealer, kNow, 3600});
    check_errors(parsed);
    if (parsed.errors.empty()) check_arguments(parsed.arguments);
    return 0;
}
