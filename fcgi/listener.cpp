// SPDX-License-Identifier: MIT
#include "fcgi/listener.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "base/text.h"

namespace oai::fcgi {
namespace {

// A web server that restarts its workers may bring a burst; with 8, nginx answered 502.
constexpr int kBacklog = 511;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
    throw std::runtime_error("[server] socket " + path + ": " + why);
}

sockaddr_un address_of(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path)
        refuse(path, "longer than the " + std::to_string(sizeof address.sun_path - 1) +
                         " bytes a socket may have");
    path.copy(address.sun_path, path.size());
    return address;
}

const sockaddr* generic(const sockaddr_un& address) {
    return static_cast<const sockaddr*>(static_cast<const void*>(&address));
}

Fd unix_socket() {
    Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!fd) throw std::runtime_error(std::string("socket: ") + std::strerror(errno));
    return fd;
}

// A socket outlives a process that was killed. One that accepts connections belongs to a running
// server, which nobody could reach any more without its name.
void remove_stale(const std::string& path, const sockaddr_un& address) {
    struct stat found {};
    if (::lstat(path.c_str(), &found) != 0) {
        if (errno == ENOENT) return;
        refuse(path, std::strerror(errno));
    }
    if (!S_ISSOCK(found.st_mode))
        refuse(path, "exists and is no socket; remove it or choose another name");
    const Fd probe = unix_socket();
    if (::connect(probe.get(), generic(address), sizeof address) == 0 || errno == EAGAIN)
        refuse(path, "another server is listening on it");
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) refuse(path, std::strerror(errno));
}

// systemd's protocol, sd_listen_fds(3): descriptors from 3 on, if what the environment says is
// meant for this process; and that of FastCGI, spawn-fcgi and mod_fcgid: descriptor 0.
Fd inherited_socket() {
    constexpr int kFirstOfSystemd = 3;
    const auto number = [](const char* name) {
        const char* value = std::getenv(name);
        return text::to_integer(value == nullptr ? "" : value);
    };
    const bool by_systemd = number("LISTEN_PID") == ::getpid();
    if (by_systemd && number("LISTEN_FDS") != 1)
        throw std::runtime_error("systemd: the server listens on one socket, not on several");
    Fd fd(by_systemd ? kFirstOfSystemd : STDIN_FILENO);
    const std::string name = "file descriptor " + std::to_string(fd.get());
    int listening = 0;
    socklen_t size = sizeof listening;
    if (::getsockopt(fd.get(), SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) != 0 || listening == 0)
        throw std::runtime_error(
            "[server] socket is empty, but " + name +
            " is no listening socket: name a socket, or start by systemd or spawn-fcgi");
    const int flags = ::fcntl(fd.get(), F_GETFL);
    if (flags < 0 || ::fcntl(fd.get(), F_SETFL, flags | O_NONBLOCK) != 0 ||
        ::fcntl(fd.get(), F_SETFD, FD_CLOEXEC) != 0)
        throw std::runtime_error(name + ": " + std::strerror(errno));
    return fd;
}

}  // namespace

Listener::Listener(const std::string& path) : path_(path) {
    if (owned())
        bind_to_path();
    else
        fd_ = inherited_socket();
}

void Listener::bind_to_path() {
    const sockaddr_un address = address_of(path_);
    remove_stale(path_, address);
    fd_ = unix_socket();
    const mode_t before =
        ::umask(0117);  // 0660 from its first moment: only the web server may connect
    const int bound = ::bind(fd_.get(), generic(address), sizeof address);
    const int reason = errno;
    ::umask(before);
    if (bound != 0) refuse(path_, std::strerror(reason));
    struct stat created {};
    if (::listen(fd_.get(), kBacklog) != 0 || ::stat(path_.c_str(), &created) != 0)
        refuse(path_, std::strerror(errno));
    device_ = created.st_dev;
    inode_ = created.st_ino;
}

void Listener::withdraw() noexcept {
    struct stat found {};
    if (inode_ != 0 && ::lstat(path_.c_str(), &found) == 0 && found.st_ino == inode_ &&
        found.st_dev == device_)
        ::unlink(path_.c_str());
    inode_ = 0;
}

}  // namespace oai::fcgi
