// SPDX-License-Identifier: MIT
// Repositories that look wrong and are right: the protocol allows what they do, though few do it.
// The conformance test must not find fault with any of them.
#pragma once

#include "t/unit/tools/validate/mutate.h"

namespace oai::test {

struct Unusual {
    const char* what;
    Mutate mutate{};
    Provider::Kind kind{};
    MutateBytes mutate_bytes{};
    std::vector<std::string> warned{};  // checks that warn or note, though nothing is wrong
};

// The start tag of <request> loses its attributes.
inline void bare_request(std::string& body) {
    const std::size_t begin = body.find("<request");
    if (begin != std::string::npos) body.replace(begin, body.find('>', begin) - begin, "<request");
}

inline std::vector<Unusual> unusual_repositories() {
    return {
        {"<request> has no attributes beside any error (3.2, paragraph 2)",
         [](const Question&, Reply& reply, Provider&) {
             if (reply.body.find("<error ") != std::string::npos) bare_request(reply.body);
         }},
        {"the first page of the list has deleted records alone (2.5.1)", {}, {.deleted_first = 3}},
        {"the list has one page", {}, {.page = 100}},
        {"tokens have no attributes (3.5, paragraph 3)",
         [](const Question&, Reply& reply, Provider&) {
             const std::size_t begin = reply.body.find("<resumptionToken ");
             if (begin == std::string::npos) return;
             const std::size_t end = reply.body.find_first_of("/>", begin);
             reply.body.erase(begin + 16, end - begin - 16);
         }},
        {"tokens change at each request, and only the last is taken (3.5.1)",
         {},
         {.brief_tokens = true},
         {},
         {"token.after-others"}},
        {"HTTP refuses what no harvester sends (3.1.2.2)",
         [](const Question& q, Reply& reply, Provider&) {
             if (q.refusable) reply = {.status = q.arguments.size() > 8000 ? 414 : 400};
         }},
        {"one request is answered on a connection, which is closed then (RFC 9112, 9.3.2)",
         {},
         {},
         [](const std::vector<Question>&, validate::RawReply& raw) {
             raw.bytes = raw.bytes.substr(0, raw.bytes.find("HTTP/1.1", 1));
         }},
        {"there is another HTTP than 1.1",
         {},
         {},
         [](const std::vector<Question>&, validate::RawReply& raw) { raw = {.error = "closed"}; }},
    };
}

}  // namespace oai::test
