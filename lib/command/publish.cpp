// SPDX-License-Identifier: MIT
// oai publish: the one writer of publication numbers and datestamps, as a service or once.
#include <fmt/format.h>

#include <csignal>

#include "base/manager.h"
#include "command/command.h"
#include "publisher.h"

namespace oai::command {
namespace {

// Publisher takes them by sigwait; blocked before it starts any thread, they cannot end one in
// mid-transaction.
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
    tell_manager("READY=1");  // a database that is not there yet is waited for
    publisher.run_until_stopped();
    return kFine;
}

}  // namespace oai::command
