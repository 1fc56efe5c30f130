// SPDX-License-Identifier: MIT
// What one request left behind: for its log line, the metrics and the list of harvesters. Belongs to one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "arguments.h"
#include "client.h"
#include "request.h"
#include "response.h"
#include "token.h"
#include "verb.h"

namespace oai {

struct Story {
    const Request& request;
    Client client;
    std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
    ParsedArguments parsed{};
    Account account{};
    std::string errors{};               // OAI-PMH's codes, separated by commas
    std::string page{};                 // what was asked for under /-/, or "browse"; "" for OAI-PMH
    bool limited = false;               // refused for the client's rate
    std::size_t document_bytes = 0;     // of the answer before compression
    std::chrono::nanoseconds write{0};  // until the web server had taken the answer
    bool sent = true;                   // and it has taken all of it
};

// The list or record that was asked for: what a token stands for, or the arguments as they were sent, whether or not they
// were understood: a refused request must be traceable too.
struct Asked {
    std::string prefix, set, from, until;
    bool resumed;
};
Asked asked(const Story& story);

// An argument as it was sent, "" if it was not.
std::string sent(const Request& request, std::string_view name);

// One word: "ok", "not_modified", OAI-PMH's first error code, "limited", "unavailable", "broken" or "refused" (in words of
// HTTP alone). Views into the story or static.
std::string_view outcome_of(const Story& story, int status);

// The verb that was understood; "page" for what is under /-/, else "none".
std::string_view verb_of(const Story& story);

// The request's line, and one for each bad record. oai.fcgi(8) says what stands in them.
void log_story(const Story& story, const Response& response);

}  // namespace oai
