// SPDX-License-Identifier: MIT
// Notifies the service manager (systemd, Type=notify) about the state of this process.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/fd.h"
#include "base/log.h"

namespace oai {

// Sends a datagram, without blocking. Returns 0 or an errno.
inline int send_to_manager(std::string_view path, std::string_view state) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const bool abstract = path.front() == '@';
    if ((!abstract && path.front() != '/') || path.size() >= sizeof address.sun_path) return EINVAL;
    path.copy(address.sun_path, path.size());
    if (abstract) address.sun_path[0] = '\0';
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());

    const Fd fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (!fd) return errno;
    const auto* generic = static_cast<const sockaddr*>(static_cast<const void*>(&address));
    const auto sent = ::sendto(fd.get(), state.data(), state.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
                               generic, length);
    return sent < 0 ? errno : 0;
}

// Sends a state as sd_notify(3) has it, such as "READY=1" or "STOPPING=1", to the socket that the
// environment variable NOTIFY_SOCKET names, if it is set. A failure is logged and not thrown.
inline void notify_manager(std::string_view state) {
    const char* path = std::getenv("NOTIFY_SOCKET");
    if (path == nullptr || *path == '\0') return;
    if (const int reason = send_to_manager(path, state); reason != 0)
        log::warning("manager_not_told",
                     {{"state", state}, {"socket", path}, {"reason", std::strerror(reason)}});
}

}  // namespace oai
