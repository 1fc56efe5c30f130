// SPDX-License-Identifier: MIT
#include "base/sd_notify.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "base/fd.h"
#include "base/log.h"

namespace oai {
namespace {

// Returns 0 or an errno.
int send_to(std::string_view path, std::string_view state) {
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

}  // namespace

void notify_manager(std::string_view state) {
    const char* path = std::getenv("NOTIFY_SOCKET");
    if (path == nullptr || *path == '\0') return;
    if (const int reason = send_to(path, state); reason != 0)
        log::warning("manager_not_told",
                     {{"state", state}, {"socket", path}, {"reason", std::strerror(reason)}});
}

}  // namespace oai
