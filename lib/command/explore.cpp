// SPDX-License-Identifier: MIT
// oai explore URL [VERB] [ARGUMENT=VALUE...]: sends one request to a repository, prints the answer
// and judges it.
#include <fmt/format.h>
#include <unistd.h>

#include <thread>

#include "base/text.h"
#include "command/command.h"
#include "command/http_transport.h"
#include "tools/validate/report.h"
#include "xml/document.h"
#include "xml/painting.h"

namespace oai::command {
namespace {

struct ExploreOptions {
    std::string url, schemas;
    std::vector<std::string> words;
    int follow = 0;
    double pause = 0.25;
    bool post = false, raw = false, quiet = false;
};

ExploreOptions read_explore_options(const Invocation& invocation) {
    ExploreOptions options;
    parse(invocation,
          "Sends a request to a repository, prints the request and the answer, and says whether "
          "the answer conforms to the protocol.",
          {{"url",
            &options.url,
            "the base URL, as harvesters know it",
            {.required = true, .check = why_no_base_url}},
           {"request", &options.words,
            "the verb (Identify where there is none), then arguments as NAME=VALUE"},
           {"--follow", &options.follow, "follow resumptionTokens for so many pages",
            in_range(0, 1'000'000)},
           {"--pause", &options.pause, "seconds between two requests", in_range(0, 3600)},
           {"--schemas", &options.schemas,
            "a folder of XML Schemas (*.xsd) against which metadata is validated", kDirectory},
           {"--post", &options.post, "send the arguments as the body of a POST"},
           {"--raw", &options.raw, "print the body as it came, and nothing else"},
           {"--quiet", &options.quiet, "do not print the body"}});
    return options;
}

// Makes the query from the verb and NAME=VALUE. Values are given unescaped.
std::string query_of(const std::vector<std::string>& words) {
    std::string verb = "Identify", rest;
    for (const std::string& word : words) {
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos)
            verb = word;
        else if (word.starts_with("verb="))
            verb = word.substr(5);
        else
            rest += "&" + validate::url_encode(word.substr(0, equals)) + "=" +
                    validate::url_encode(word.substr(equals + 1));
    }
    return "verb=" + validate::url_encode(verb) + rest;
}

void write(const std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size())
        throw std::runtime_error("standard output cannot be written");
}

void print_body(const validate::Answer& answer, bool coloured) {
    if (!answer.well_formed()) {
        write(text::to_terminal_text(answer.reply.body) + "\n");
        return;
    }
    write(xml::terminal_text(xml::parse_memory(answer.reply.body, "answer").get(), coloured) +
          "\n");
}

void print_head(const ExploreOptions& options, const validate::Answer& answer) {
    fmt::print("{}\n",
               text::to_terminal_text(validate::print_question(options.url, answer.question)));
    if (answer.reply.status == 0) throw std::runtime_error(answer.reply.error);
    fmt::print("status {}, {} bytes, {} ms\n", answer.reply.status, answer.reply.body.size(),
               answer.reply.duration.count());
    for (const auto& [name, value] : answer.reply.headers)
        fmt::print("{}: {}\n", text::to_terminal_text(name), text::to_terminal_text(value));
    fmt::print("\n");
}

// Prints which rules the answer breaks. Returns the number of those that are a must.
int print_judgement(const validate::Answer& answer, const validate::Facts& facts) {
    int failed = 0;
    for (const auto& [rule, finding] : validate::broken_rules(answer, facts)) {
        const validate::Verdict verdict = validate::verdict_of(rule->demand.severity);
        const bool fails = verdict == validate::Verdict::fail;
        failed += fails ? 1 : 0;
        fmt::print("{} {}: {} ({}): {}\n",
                   fails                                ? "wrong:"
                   : verdict == validate::Verdict::note ? "note:"
                                                        : "warning:",
                   rule->id, rule->title, validate::print_place(rule->demand),
                   text::to_terminal_text(finding.why));
    }
    if (failed == 0)
        fmt::print("as it should be: {}\n", answer.errors.empty()
                                                ? "valid, and nothing breaks a rule"
                                                : "an error, " + answer.error_codes());
    return failed;
}

void print_links(const ExploreOptions& options, const validate::Answer& answer) {
    if (answer.identification)
        for (const std::string& base_url : answer.identification->friends)
            fmt::print("friend: oai explore '{}'\n", text::to_terminal_text(base_url));
    if (!answer.token || answer.token->value.empty()) return;
    fmt::print("next: oai explore '{}' {} 'resumptionToken={}'\n", options.url, answer.verb,
               text::to_terminal_text(answer.token->value));
}

// Prints one answer. Returns the number of broken rules that are a must.
int print_answer(const ExploreOptions& options, const validate::Answer& answer) {
    if (options.raw) {
        write(answer.reply.body);
        return 0;
    }
    print_head(options, answer);
    if (!options.quiet) print_body(answer, isatty(STDOUT_FILENO) == 1);
    const int failed =
        print_judgement(answer, {options.url, "", "", SystemClock().now(),
                                 answer.identification ? answer.identification->base_url : ""});
    print_links(options, answer);
    return failed;
}

}  // namespace

int command_explore(const Invocation& invocation) {
    const ExploreOptions options = read_explore_options(invocation);
    xml::initialise();
    HttpTransport transport(options.url);
    validate::Schemas schemas(options.schemas);
    validate::Question question{.arguments = query_of(options.words),
                                .method = options.post ? "POST" : "GET"};
    int failed = 0;
    for (int page = 0;; ++page) {
        const validate::Answer answer =
            validate::read_answer(question, transport.send(question), schemas);
        failed += print_answer(options, answer);
        if (page == options.follow || !answer.token || answer.token->value.empty()) break;
        question.arguments =
            "verb=" + answer.verb + "&resumptionToken=" + validate::url_encode(answer.token->value);
        std::this_thread::sleep_for(std::chrono::duration<double>(options.pause));
        if (!options.raw) fmt::print("\n");
    }
    return failed > 0 ? kRefused : kFine;
}

}  // namespace oai::command
