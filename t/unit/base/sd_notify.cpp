// SPDX-License-Identifier: MIT
#include "base/sd_notify.h"

#include <sys/un.h>

#include <cstddef>

#include "t/lib/unit_headers.h"

namespace {

// The service manager's end: a datagram socket of that name (an abstract one if it begins with NUL)
// and the messages that arrived.
class Manager {
  public:
    explicit Manager(const std::string& name)
        : fd_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        name.copy(address.sun_path, name.size());
        const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
        REQUIRE(::bind(fd_, static_cast<const sockaddr*>(static_cast<const void*>(&address)),
                       length) == 0);
    }
    ~Manager() { ::close(fd_); }
    Manager(const Manager&) = delete;
    Manager& operator=(const Manager&) = delete;

    std::string heard() const {
        std::array<char, 200> text;
        const auto n = ::recv(fd_, text.data(), text.size(), MSG_DONTWAIT);
        return n < 0 ? "(nothing)" : std::string(text.data(), static_cast<std::size_t>(n));
    }

  private:
    int fd_;
};

std::string unique(const std::string& what) { return what + std::to_string(::getpid()); }

// Restores the environment at the end of the test.
struct Named {
    explicit Named(const std::string& name) { ::setenv("NOTIFY_SOCKET", name.c_str(), 1); }
    ~Named() { ::unsetenv("NOTIFY_SOCKET"); }
};

}  // namespace

TEST_CASE("sd_notify: the manager is notified at the socket that the environment names") {
    const std::string path = unique((fs::temp_directory_path() / "oai-manager-").string());
    const Manager manager(path);
    const Named environment(path);
    notify_manager("READY=1");
    notify_manager("STOPPING=1");
    CHECK(manager.heard() == "READY=1");
    CHECK(manager.heard() == "STOPPING=1");
    CHECK(manager.heard() == "(nothing)");
    fs::remove(path);
}

TEST_CASE("sd_notify: a name that begins with @ is an abstract socket") {
    const std::string name = unique("oai-manager-");
    const Manager manager('\0' + name);
    const Named environment('@' + name);
    notify_manager("READY=1");
    CHECK(manager.heard() == "READY=1");
}

TEST_CASE("sd_notify: without a manager, or if it is gone, nothing happens") {
    ::unsetenv("NOTIFY_SOCKET");
    notify_manager("READY=1");
    for (const std::string& name : {std::string(), std::string("no/path"),
                                    '/' + std::string(200, 'x'), unique("/nowhere/")}) {
        const Named environment(name);
        CHECK_NOTHROW(notify_manager("READY=1"));
    }
}
