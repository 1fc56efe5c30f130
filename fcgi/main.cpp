// SPDX-License-Identifier: MIT
// oai.fcgi: the server that a web server mounts. Reads the configuration, builds the service and serves.
#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>

#include "base/clock.h"
#include "base/config.h"
#include "base/log.h"
#include "fcgi/serve.h"
#include "service.h"
#include "xml/document.h"

namespace oai {
namespace {

log::Level level_of(const std::string& name) {
    if (name == "debug") return log::Level::debug;
    if (name == "warning") return log::Level::warning;
    if (name == "error") return log::Level::error;
    return log::Level::info;
}

int run(const std::string& config_file) {
    const Config config = read_config(config_file);
    log::set_level(level_of(config.log.level));
    fcgi::initialise();
    xml::initialise();
    fcgi::Listener listener(config.server.socket);
    const SystemClock clock;
    Service service(config, clock);
    service.start_watching_horizon();
    return fcgi::serve(listener, config.server,
                       {[&](const Request& request) { return service.answer(request); },
                        [&](const Refusal& why, const Request& seen) { return service.refuse(why, seen); }});
}

}  // namespace
}  // namespace oai

int main(int argc, char** argv) {
    CLI::App app("The FastCGI server of an OAI-PMH 2.0 data provider.", "oai.fcgi");
    std::string config_file;
    app.add_option("--config", config_file, "configuration file, see oai.ini(5)")->required();
    try {
        app.parse(argc, argv);
        return oai::run(config_file);
    } catch (const CLI::ParseError& error) {  // --help is one, too
        return app.exit(error) == 0 ? 0 : 1;
    } catch (const std::exception& error) {
        std::cerr << "oai.fcgi: " << error.what() << '\n';
        return 1;
    }
}
