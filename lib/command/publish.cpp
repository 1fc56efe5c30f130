// SPDX-License-Identifier: MIT
// oai publish: the one writer of publication numbers and datestamps, as a service or once.
#include <fmt/format.h>

#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/log.h"
#include "base/sd_notify.h"
#include "command/command.h"
#include "format/requirements.h"
#include "protocol/error.h"
#include "publish/publisher.h"

namespace oai::command {
namespace {

// Publisher waits for them with sigtimedwait. They are blocked before any thread is started, so
// that they cannot end the process in the middle of a transaction.
void block_stop_signals() {
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTERM);
    sigaddset(&stop, SIGINT);
    pthread_sigmask(SIG_BLOCK, &stop, nullptr);
}

// Reads what the formats require from their directory. One that cannot be read changes nothing, for
// the publisher need not be on a machine that has it; the log says so once.
Publisher::Requirements requirements_of(const std::string& directory) {
    return [formats = std::make_shared<FormatRequirements>(directory),
            is_reported = false]() mutable -> std::optional<std::string> {
        try {
            return nlohmann::json(formats->read()).dump();
        } catch (const Fault& fault) {
            if (!std::exchange(is_reported, true))
                log::warning("formats_unknown",
                             {{"why", fault.what()},
                              {"meaning",
                               "lists in formats that few records have may be slow: publish where "
                               "the formats directory can be read"}});
            return std::nullopt;
        }
    };
}

}  // namespace

int command_publish(const Invocation& invocation) {
    bool once = false;
    parse(invocation, "Publishes what writers have changed, until SIGTERM or SIGINT.",
          {{"--once", &once, "publish what is waiting, then end"}});
    const Config config = configuration(invocation);
    Publisher publisher(config, requirements_of(config.formats.directory));
    if (once) {
        fmt::print("{} records published\n", publisher.run_until_idle());
        return kFine;
    }
    block_stop_signals();
    notify_manager("READY=1");  // at once: the publisher itself waits for the database
    publisher.run_until_stopped();
    return kFine;
}

}  // namespace oai::command
