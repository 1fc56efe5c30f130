// SPDX-License-Identifier: MIT
// The listening socket, made here or held from outside. Knows nothing of FastCGI.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/fd.h"

namespace oai::fcgi {

class Listener {
  public:
    // `path`: a Unix socket of that name is made, mode 0660, in place of one that nobody listens on
    // any more. Empty: the one that systemd hands over (LISTEN_FDS), else file descriptor 0, as
    // from spawn-fcgi and mod_fcgid. Either is set to O_NONBLOCK, as workers that lose the race for
    // a connection must not block in accept. Throws std::runtime_error with words for the admin.
    // Sets the umask for a moment: call before threads start.
    explicit Listener(const std::string& path);
    ~Listener() { withdraw(); }
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    int fd() const { return fd_.get(); }
    // False: somebody else holds the socket too, and serves whoever is still waiting in its queue.
    bool owned() const { return !path_.empty(); }
    // No new connection reaches an owned socket from now on; those in its queue can still be
    // accepted. The name is left alone if a successor has put its own socket there.
    void withdraw() noexcept;

  private:
    void bind_to_path();

    std::string path_;
    Fd fd_;
    dev_t device_ = 0;
    ino_t inode_ = 0;
};

}  // namespace oai::fcgi
