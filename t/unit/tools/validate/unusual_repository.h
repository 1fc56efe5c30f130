// SPDX-License-Identifier: MIT
// Repositories that look wrong and are right: the protocol allows what they do, though few do it.
// The conformance test must not find fault with any of them. For each check there is at least one
// that is almost at fault by it.
#pragma once

#include "t/unit/tools/validate/mutate.h"

namespace oai::test {

struct Unusual {
    const char* what;
    Mutate mutate{};
    Provider::Kind kind{};
    // Checks, with blanks between: those that warn or note, though nothing is wrong, and those that
    // might take it for a fault and must pass (ids, or their parts before the dot).
    const char* warned = "";
    const char* almost = "";
};

inline const When kAny = [](const Question&) { return true; };
inline bool is_error(const Reply& reply) { return reply.body.find("<error ") != std::string::npos; }

// The start tag of <request> loses its attributes.
inline void bare_request(std::string& body) {
    const std::size_t begin = body.find("<request");
    if (begin != std::string::npos) body.replace(begin, body.find('>', begin) - begin, "<request");
}

}  // namespace oai::test
