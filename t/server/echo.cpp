// SPDX-License-Identifier: MIT
// The real FastCGI loop over a handler that does as it is told, so that the loop is tried without a
// database:
//   ?bytes=N  a body of N bytes (line after line of the same 64 bytes)   ?status=N  ?retry=SECONDS
//   ?sleep=MS   ?stuck=1  never
// Without bytes= the body says what arrived: method, raw path and every argument (long values by
// their length).
#include <unistd.h>

#include <chrono>
#include <exception>
#include <iostream>
#include <map>
#include <string>
#include <string_view>

#include "base/text.h"
#include "fcgi/serve.h"
#include "t/lib/wait.h"

namespace {

using namespace oai;

std::int64_t number(const Request& request, std::string_view name, std::int64_t otherwise) {
    for (const Argument& argument : request.arguments)
        if (argument.name == name) return text::to_integer(argument.value).value_or(otherwise);
    return otherwise;
}

std::string lines(std::size_t bytes) {
    const std::string line = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.\n";
    std::string body;
    body.reserve(bytes + line.size());
    while (body.size() < bytes) body += line;
    body.resize(bytes);
    return body;
}

std::string account(const Request& request) {
    std::string said = request.method + ' ' + request.path + '\n';
    for (const auto& [name, value] : request.arguments)
        said += name + '=' +
                (value.size() <= 200 ? value : std::to_string(value.size()) + " bytes") + '\n';
    return said;
}

Response answer(const Request& request) {
    oai::test::pace(std::chrono::milliseconds(number(request, "sleep", 0)));
    while (number(request, "stuck", 0) != 0) ::pause();
    const int status = static_cast<int>(number(request, "status", 200));
    if (status != 200)
        return plain_response(status, "As told.", static_cast<int>(number(request, "retry", 0)));
    const std::int64_t bytes = number(request, "bytes", -1);
    Response response;
    response.headers.emplace_back("Content-Type", "text/plain; charset=UTF-8");
    response.body = bytes < 0 ? account(request) : lines(static_cast<std::size_t>(bytes));
    return response;
}

}  // namespace

// --socket PATH (else file descriptor 0), --workers N, --post-limit BYTES, --request-seconds N,
// --idle-seconds N
int main(int argc, char** argv) try {
    Config::Server options;
    const std::map<std::string_view, int*> numbers{{"--workers", &options.workers},
                                                   {"--post-limit", &options.post_limit_bytes},
                                                   {"--request-seconds", &options.request_seconds},
                                                   {"--idle-seconds", &options.idle_seconds}};
    for (int i = 1; i + 1 < argc; i += 2)
        if (std::string_view(argv[i]) == "--socket")
            options.socket = argv[i + 1];
        else
            *numbers.at(argv[i]) = std::stoi(argv[i + 1]);
    fcgi::initialise();
    fcgi::Listener listener(options.socket);
    const auto refuse = [](const Refusal& refusal, RequestLog&) {
        return plain_response(refusal.status, refusal.reason);
    };
    return fcgi::serve(listener, options,
                       {[](RequestLog& log) { return answer(log.request); }, refuse,
                        [](const RequestLog&, const Response&) {}});
} catch (const std::exception& error) {
    std::cerr << "echo: " << error.what() << '\n';
    return 1;
}
