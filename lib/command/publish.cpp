// SPDX-License-Identifier: MIT
// oai publish: the one writer of publication numbers and datestamps, as a service or once.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>

#include "base/sd_notify.h"
#include "command/command.h"
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

}  // namespace

int command_publish(const Invocation& invocation) {
    bool once = false;
    CLI::App app{"Publishes what writers have changed, until SIGTERM or SIGINT."};
    app.add_flag("--once", once, "publish what is waiting, then end");
    parse(app, invocation);

    const Config config = configuration(invocation);
    Publisher publisher(config);
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
