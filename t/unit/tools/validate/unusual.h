// SPDX-License-Identifier: MIT
// Repositories that look wrong and are right: the protocol allows what they do, though few do it.
// The conformance test must not find fault with any of them.
#pragma once

#include "t/unit/tools/validate/mutations.h"

namespace oai::test {

struct Unusual {
    const char* what;
    Mutate mutate = [](const Question&, Reply&, Provider&) {};
    Provider::Kind kind{};
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
        {"the first page of the list has deleted records alone (2.5.1)",
         [](const Question&, Reply&, Provider&) {},
         {.deleted_first = 3}},
    };
}

}  // namespace oai::test
