// SPDX-License-Identifier: MIT
// Ways to change the answers of a repository: which questions, and what becomes of their answers.
#pragma once

#include "t/lib/unit_headers.h"
#include "t/unit/tools/validate/provider.h"

namespace oai::test {

using When = std::function<bool(const Question&)>;

inline When is(std::string arguments) {
    return [arguments](const Question& q) { return q.arguments == arguments; };
}
inline When has(std::string part) {
    return [part](const Question& q) { return q.arguments.find(part) != std::string::npos; };
}
inline When ends(std::string part) {
    return [part](const Question& q) { return q.arguments.ends_with(part); };
}
inline When by_post(When when) {
    return [when](const Question& q) { return q.method == "POST" && when(q); };
}

// Only the n-th question of that kind.
inline When nth(int n, When when) {
    return [n, when, count = std::make_shared<int>(0)](const Question& q) {
        return when(q) && ++*count == n;
    };
}

inline void replace(std::string& text, const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos;
         at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

// Replaces texts in the body.
inline Mutate swap(When when, std::vector<std::pair<std::string, std::string>> texts) {
    return [when, texts](const Question& q, Reply& reply, Provider&) {
        if (!when(q)) return;
        for (const auto& [from, to] : texts) replace(reply.body, from, to);
    };
}

// Answers by an error instead.
inline Mutate refuse(When when, std::string code) {
    return [when, code](const Question& q, Reply& reply, Provider&) {
        if (!when(q)) return;
        const std::size_t begin = reply.body.find("</request>") + 10;
        reply.body.replace(begin, reply.body.rfind("</OAI-PMH>") - begin,
                           "<error code=\"" + code + "\">x</error>");
        if (!code.starts_with("badA") && !code.starts_with("badV")) return;
        const std::size_t request = reply.body.find("<request");
        reply.body.replace(request, reply.body.find('>', request) - request, "<request");
    };
}

// Answers another question instead.
inline Mutate take_for(When when, std::string other) {
    return [when, other](const Question& q, Reply& reply, Provider& provider) {
        if (when(q) && q.method != "HEAD") reply.body = provider.send({.arguments = other}).body;
    };
}

inline Mutate reply_as(When when, std::function<void(Reply&)> change) {
    return [when, change](const Question& q, Reply& reply, Provider&) {
        if (when(q)) change(reply);
    };
}

inline void set_header(Reply& reply, const std::string& name, const std::string& value) {
    std::erase_if(reply.headers, [&](const auto& h) { return h.first == name; });
    if (!value.empty()) reply.headers.emplace_back(name, value);
}

}  // namespace oai::test
