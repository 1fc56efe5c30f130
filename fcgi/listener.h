// SPDX-License-Identifier: MIT
// The listening socket, created here or inherited. Knows nothing of FastCGI.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/fd.h"

namespace oai::fcgi {

class Listener {
  public:
    // Creates a Unix socket at `path` with mode 0660, in place of one that nobody listens on any
    // more. If `path` is empty, takes the socket that systemd passes (LISTEN_FDS), else file
    // descriptor 0, as from spawn-fcgi and mod_fcgid. Either is set to O_NONBLOCK, so that workers
    // that lose the race for a connection do not block in accept. Throws std::runtime_error with a
    // message for the administrator. Sets the umask for a moment: call before threads start.
    explicit Listener(const std::string& path);
    ~Listener() { withdraw(); }
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    int fd() const { return fd_.get(); }
    // False if the socket is inherited: another process holds it too and will accept what is left
    // in its queue.
    bool owned() const { return !path_.empty(); }
    // Removes an owned socket's name, so that no new connection reaches it; those in its queue can
    // still be accepted. Does nothing if another server has put its own socket there.
    void withdraw() noexcept;

  private:
    void bind_to_path();

    std::string path_;
    Fd fd_;
    dev_t device_ = 0;
    ino_t inode_ = 0;
};

}  // namespace oai::fcgi
