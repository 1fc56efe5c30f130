// SPDX-License-Identifier: MIT
// oai validate URL: tests whether a repository conforms to OAI-PMH 2.0.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <thread>

#include "base/text.h"
#include "command/command.h"
#include "tools/http_client/client.h"
#include "tools/validate/report.h"
#include "xml/document.h"

namespace oai::command {
namespace {

// Returns why the text is not an http or https URL without a query, or "".
std::string why_no_base_url(const std::string& url) {
    const std::string scheme = text::lower_ascii(url.substr(0, url.find(':') + 3));
    if (scheme != "http://" && scheme != "https://")
        return url + ": a base URL begins with http:// or https://";
    if (url.find_first_of("?# ") != std::string::npos)
        return url + ": a base URL has no query, the arguments come after it";
    return "";
}

http::ClientRequest to_http(const std::string& base_url, const validate::Question& question) {
    http::ClientRequest request;
    request.method = question.method;
    request.own_connection = question.method == "HEAD";
    request.url = base_url;
    if (question.method == "POST") {
        request.body = question.arguments;
        request.post_again = true;
        request.headers.add("Content-Type", "application/x-www-form-urlencoded");
    } else if (!question.arguments.empty()) {
        request.url += "?" + question.arguments;
    }
    if (!question.accept.empty()) request.headers.add("Accept", question.accept);
    if (question.gzip) request.accept_encoding = "gzip";
    return request;
}

class HttpTransport final : public validate::Transport {
  public:
    explicit HttpTransport(std::string base_url) : base_url_(std::move(base_url)) {}

    validate::Reply send(const validate::Question& question) override {
        const auto begin = std::chrono::steady_clock::now();
        validate::Reply reply;
        try {
            http::ClientResponse answer = client_.send(to_http(base_url_, question));
            reply.status = answer.status;
            reply.headers = answer.headers.fields();
            reply.body = std::move(answer.body);
            reply.url = std::move(answer.url);
            reply.retry_after = answer.retry_after;
        } catch (const http::TransferError& e) {
            reply.error = e.what();
        }
        reply.duration = std::chrono::duration_cast<std::chrono::milliseconds>(
            std::chrono::steady_clock::now() - begin);
        return reply;
    }

  private:
    const std::string base_url_;
    http::Client client_{{.timeout = std::chrono::minutes{2}}};  // for one answer
};

struct ValidateOptions {
    std::string url, schemas;
    validate::Scope scope;
    std::vector<std::string> only;
    bool list = false, strict = false;
    int max_pages = 3, seconds = 300;
    double pause = 0.25;
};

ValidateOptions read_validate_options(const Invocation& invocation) {
    ValidateOptions options;
    parse(invocation,
          "Tests whether a repository conforms to OAI-PMH 2.0. It only reads, by about a hundred "
          "requests.",
          {{"url", &options.url, "the base URL, as harvesters know it", {.check = why_no_base_url}},
           {"--format", &options.scope.prefix, "the metadataPrefix of the records that are tested",
            kShowDefault},
           {"--set", &options.scope.set, "test only records of this set"},
           {"--only", &options.only,
            "run only these checks, given by id or by the part before its dot", kSeveral},
           {"--list", &options.list, "print the table of checks, and send no request"},
           {"--strict", &options.strict, "count warnings, but not notes, as failures"},
           {"--schemas", &options.schemas,
            "a folder of XML Schemas (*.xsd) against which metadata is validated", kDirectory},
           {"--max-pages", &options.max_pages, "pages of a list that are read", in_range(2, 1000)},
           {"--pause", &options.pause, "seconds between two requests", in_range(0, 3600)},
           {"--seconds", &options.seconds, "the time limit for all requests together",
            in_range(1, 86'400)}});
    if (options.url.empty() && !options.list) throw UsageError("validate: url is required");
    return options;
}

// Throws if an id of --only names no check.
void require_known_checks(const std::vector<std::string>& only) {
    for (const std::string& id : only) {
        bool known = false;
        for (const validate::Group& group : validate::groups())
            for (const validate::Check& check : group.checks)
                known = known || validate::is_chosen(check, {id});
        if (!known)
            throw UsageError("validate: --only: there is no check " + id + "; --list has them all");
    }
}

int print_checks(const ValidateOptions& options) {
    std::vector<const validate::Check*> checks;
    for (const validate::Group& group : validate::groups())
        for (const validate::Check& check : group.checks)
            if (validate::is_chosen(check, options.only)) checks.push_back(&check);
    std::stable_sort(checks.begin(), checks.end(), [](const auto* a, const auto* b) {
        return validate::comes_before(a->demand, b->demand);
    });
    for (const validate::Check* check : checks)
        fmt::print("{}\t{}\t{}\t{}\n", check->id, validate::severity_name(check->demand.severity),
                   validate::print_place(check->demand), check->title);
    return kFine;
}

std::vector<validate::Outcome> run(validate::Session& session, const ValidateOptions& options) {
    const bool coloured = isatty(STDOUT_FILENO) == 1;
    const validate::Group* group = nullptr;
    return validate::run_checks(session, options.only, [&](const validate::Outcome& outcome) {
        if (outcome.group != group)
            fmt::print("{}{}\n", group == nullptr ? "" : "\n", outcome.group->name);
        group = outcome.group;
        fmt::print("{}", validate::line(outcome, coloured));
        std::fflush(stdout);
    });
}

}  // namespace

int command_validate(const Invocation& invocation) {
    const ValidateOptions options = read_validate_options(invocation);
    require_known_checks(options.only);
    if (options.list) return print_checks(options);
    xml::initialise();
    HttpTransport transport(options.url);
    validate::Schemas schemas(options.schemas);
    const SystemClock clock;
    const validate::Limits limits{options.max_pages,
                                  std::chrono::milliseconds(static_cast<int>(options.pause * 1000)),
                                  std::chrono::seconds(options.seconds)};
    validate::Session session(
        transport, options.url, options.scope, limits, clock, schemas,
        [](std::chrono::milliseconds time) { std::this_thread::sleep_for(time); });
    if (const validate::Reply& reply = session.get("verb=Identify").reply; reply.status == 0)
        throw std::runtime_error(reply.error);
    const auto outcomes = run(session, options);
    const validate::Counts counts = validate::count(outcomes);
    const std::string found = validate::findings(outcomes, isatty(STDOUT_FILENO) == 1);
    fmt::print("\n{}{}{}, by {} requests\n", found, found.empty() ? "" : "\n",
               validate::summary(counts), session.answers().size());
    return counts.failed > 0 || (options.strict && counts.warned > 0) ? kRefused : kFine;
}

}  // namespace oai::command
