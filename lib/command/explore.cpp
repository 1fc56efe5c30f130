// SPDX-License-Identifier: MIT
// oai explore URL [VERB] [ARGUMENT=VALUE...]: one request to a repository, its answer, and what is to be said of it.
#include <fmt/format.h>
#include <unistd.h>

#include <thread>

#include "base/text.h"
#include "command/command.h"
#include "command/http_asker.h"
#include "validate/report.h"
#include "xml/document.h"
#include "xml/painting.h"

namespace oai::command {
namespace {

struct Options {
    std::string url, schemas;
    std::vector<std::string> words;
    int follow = 0;
    double pause = 0.25;
    bool post = false, raw = false, quiet = false;
};

Options read_options(const Invocation& invocation) {
    Options options;
    CLI::App app{"Sends a request to a repository, and shows request, answer and whether that is as it should be."};
    app.add_option("url", options.url, "the base URL, as harvesters know it")->required()->check(why_no_base_url);
    app.add_option("request", options.words, "the verb (Identify where there is none), then arguments as NAME=VALUE");
    app.add_option("--follow", options.follow, "go on by resumptionToken for so many pages")->capture_default_str()->check(CLI::Range(0, 1'000'000));
    app.add_option("--pause", options.pause, "seconds between two requests")->capture_default_str()->check(CLI::Range(0.0, 3600.0));
    app.add_option("--schemas", options.schemas, "a folder of XML Schemas (*.xsd) that metadata must be valid by")->check(CLI::ExistingDirectory);
    app.add_flag("--post", options.post, "send the arguments as the body of a POST");
    app.add_flag("--raw", options.raw, "print the body as it came, and nothing else");
    app.add_flag("--quiet", options.quiet, "leave the body out");
    parse(app, invocation);
    return options;
}

// verb and NAME=VALUE become the query; values are given as they are meant, not escaped.
std::string query_of(const std::vector<std::string>& words) {
    std::string verb = "Identify", rest;
    for (const std::string& word : words) {
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos) verb = word;
        else if (word.starts_with("verb=")) verb = word.substr(5);
        else rest += "&" + validate::escaped(word.substr(0, equals)) + "=" + validate::escaped(word.substr(equals + 1));
    }
    return "verb=" + validate::escaped(verb) + rest;
}

void write(const std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) throw std::runtime_error("standard output cannot be written");
}

void print_body(const validate::Answer& answer, bool coloured) {
    if (!answer.well_formed()) {
        write(text::shown(answer.reply.body) + "\n");
        return;
    }
    write(xml::terminal_text(xml::parse_memory(answer.reply.body, "answer").get(), coloured) + "\n");
}

void print_head(const Options& options, const validate::Answer& answer) {
    fmt::print("{}\n", text::shown(validate::printed(options.url, answer.question)));
    if (answer.reply.status == 0) throw std::runtime_error(answer.reply.trouble);
    fmt::print("status {}, {} bytes, {} ms\n", answer.reply.status, answer.reply.body.size(), answer.reply.took.count());
    for (const auto& [name, value] : answer.reply.headers) fmt::print("{}: {}\n", text::shown(name), text::shown(value));
    fmt::print("\n");
}

// What the rules have to say; the number of those that must not be broken and are.
int print_judgement(const validate::Answer& answer, const validate::Facts& facts) {
    int failed = 0;
    for (const auto& [rule, finding] : validate::broken_rules(answer, facts)) {
        const bool fails = validate::verdict_of(rule->severity) == validate::Verdict::fail;
        failed += fails ? 1 : 0;
        fmt::print("{} {}: {} ({}): {}\n", fails ? "wrong:" : "warning:", rule->id, rule->title, rule->section, text::shown(finding.why));
    }
    if (failed == 0) fmt::print("as it should be: {}\n", answer.errors.empty() ? "valid, and nothing breaks a rule" : "an error, " + answer.error_codes());
    return failed;
}

void print_ways_on(const Options& options, const validate::Answer& answer) {
    if (answer.identification)
        for (const std::string& base_url : answer.identification->friends) fmt::print("friend: oai explore '{}'\n", text::shown(base_url));
    if (!answer.token || answer.token->value.empty()) return;
    fmt::print("next: oai explore '{}' {} 'resumptionToken={}'\n", options.url, answer.verb, text::shown(answer.token->value));
}

// Prints one answer; the number of rules that must not be broken and are.
int print_answer(const Options& options, const validate::Answer& answer) {
    if (options.raw) {
        write(answer.reply.body);
        return 0;
    }
    print_head(options, answer);
    if (!options.quiet) print_body(answer, isatty(STDOUT_FILENO) == 1);
    const int failed = print_judgement(answer, {options.url, "", "", SystemClock().now()});
    print_ways_on(options, answer);
    return failed;
}

}  // namespace

int command_explore(const Invocation& invocation) {
    const Options options = read_options(invocation);
    xml::initialise();
    HttpAsker asker(options.url);
    validate::Schemas schemas(options.schemas);
    validate::Question question{.arguments = query_of(options.words), .method = options.post ? "POST" : "GET"};
    int failed = 0;
    for (int page = 0;; ++page) {
        const validate::Answer answer = validate::read_answer(question, asker.ask(question), schemas);
        failed += print_answer(options, answer);
        if (page == options.follow || !answer.token || answer.token->value.empty()) break;
        question.arguments = "verb=" + answer.verb + "&resumptionToken=" + validate::escaped(answer.token->value);
        std::this_thread::sleep_for(std::chrono::duration<double>(options.pause));
        if (!options.raw) fmt::print("\n");
    }
    return failed > 0 ? kRefused : kFine;
}

}  // namespace oai::command
