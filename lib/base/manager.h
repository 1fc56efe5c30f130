// SPDX-License-Identifier: MIT
// What a service says to the manager that started it (systemd, Type=notify). Knows no FastCGI and no database.
#pragma once

#include <string_view>

namespace oai {

// One datagram as of sd_notify(3), "READY=1", "RELOADING=1" or "STOPPING=1", to the socket that the environment names in
// NOTIFY_SOCKET; nothing where it names none. Never waits and never throws for the manager's sake: what it cannot be
// told is logged. Thread-safe while nobody changes the environment.
void tell_manager(std::string_view state);

}  // namespace oai
