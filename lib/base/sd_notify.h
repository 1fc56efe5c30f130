// SPDX-License-Identifier: MIT
// Notifies the service manager (systemd, Type=notify) about the state of this process.
#pragma once

#include <string_view>

namespace oai {

// Sends one datagram as described in sd_notify(3), such as "READY=1", "RELOADING=1" or
// "STOPPING=1", to the socket that the environment variable NOTIFY_SOCKET names. Does nothing if it
// is not set. Does not block; a failure is logged and not thrown. Thread-safe while the environment
// does not change.
void notify_manager(std::string_view state);

}  // namespace oai
