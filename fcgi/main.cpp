// SPDX-License-Identifier: MIT
// oai.fcgi: the server that a web server mounts.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string_view>
#include <system_error>
#include <thread>

#include "base/clock.h"
#include "base/config.h"
#include "base/log.h"
#include "base/secret.h"
#include "base/version.h"
#include "fcgi/serve.h"
#include "format/trial_process.h"
#include "server/service.h"
#include "web/response.h"
#include "xml/document.h"

namespace oai {
namespace {

// Path of `oai`, which runs the trials of stylesheets: beside the server, or as installed.
std::string path_of_tool() {
    std::error_code error;
    const auto here = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    const auto beside = here / "oai";
    return ::access(beside.c_str(), X_OK) == 0 ? beside : here.parent_path() / "bin/oai";
}

void reload(Service& service, const std::string& config_file) {
    try {
        service.reload(read_config(config_file));
    } catch (const std::exception& e) {
        log::error("reload",
                   {{"state", "refused"}, {"serving", "what was read before"}, {"why", e.what()}});
    }
    service.reload_formats();
}

int run(const std::string& config_file) try {
    forbid_core_dumps();  // before the first secret is read
    const Config config = read_config(config_file);
    log::set_level(config.log.level);
    fcgi::initialise();
    xml::initialise();
    fcgi::Listener listener(config.server.socket);
    const SystemClock clock;
    Service service(config, clock,
                    {path_of_tool(), "--config", config_file, "check", "--try-format"});
    service.start_watching();
    return fcgi::serve(
        listener, config.server,
        {[&](RequestLog& log) { return service.answer(log); },
         [&](const Refusal& refusal, RequestLog& log) { return service.refuse(refusal, log); },
         [&](const RequestLog& log, const Response& response) { service.finish(log, response); },
         [&] { reload(service, config_file); }});
} catch (const TrialStopped&) {
    return 0;  // a signal arrived during the start
}

// Answers 503 for some seconds on the socket of systemd or spawn-fcgi when the server cannot start,
// so that clients need not wait for the web server's timeout; the service manager then starts the
// server again. Returns 1, at once if there is no such socket.
int refuse(const std::string& why) try {
    constexpr int kSeconds = 10;
    fcgi::initialise();
    fcgi::Listener listener("");
    log::error("cannot_start", {{"why", why}, {"answering", "503"}, {"seconds", kSeconds}});
    const auto answer = [&](RequestLog& log) {
        const bool is_operator = log.request.path.find("/-/") != std::string::npos;
        return plain_response(
            503, (is_operator ? why : "The repository cannot start at the moment.") + " [OAI-1107]",
            3 * kSeconds);
    };
    const std::jthread end([](const std::stop_token& stop) {
        for (int tenth = 0; tenth < 10 * kSeconds && !stop.stop_requested(); ++tenth)
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        ::kill(::getpid(), SIGTERM);
    });
    fcgi::serve(listener, Config::Server{},
                {answer, [&](const Refusal&, RequestLog& log) { return answer(log); },
                 [](const RequestLog&, const Response&) {}, [] {}, false});
    return 1;
} catch (const std::exception&) {
    return 1;
}

}  // namespace
}  // namespace oai

int main(int argc, char** argv) {
    const std::string_view option = argc > 1 ? argv[1] : "";
    if (option == "--version") return !(std::cout << oai::version_of("oai.fcgi") << '\n');
    if (argc != 3 || option != "--config") {
        (option == "--help" ? std::cout : std::cerr)
            << "usage: oai.fcgi --config FILE | --version    see oai.fcgi(8)\n";
        return option == "--help" ? 0 : 1;
    }
    try {
        return oai::run(argv[2]);
    } catch (const std::exception& error) {
        std::cerr << "oai.fcgi: " << error.what() << " [OAI-1107]\n";
        return oai::refuse(error.what());
    }
}
