// SPDX-License-Identifier: MIT
// One accepted connection and the one FastCGI request on it, in the order that libfcgi wants and
// that was tried under nginx and Apache. The only file that touches libfcgi's request. Knows
// nothing of threads.
#pragma once

#include <fcgiapp.h>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "web/request.h"

namespace oai::fcgi {

class Connection {
  public:
    explicit Connection(Fd fd);
    ~Connection();  // ends the request and closes
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    // Reads the CGI variables. False: the peer sent no whole request; the connection is closed
    // already.
    bool receive();
    // A CGI variable, "" if unset; the last of several, as of a header that a proxy has added
    // behind the client's own. The view lives as long as this.
    std::string_view variable(std::string_view name) const;
    // Up to that many bytes of the body; fewer mean that the web server sent no more.
    std::string read_body(std::size_t bytes);
    // Reads what is left of the body and throws it away: Apache answers 503 now and then if nobody
    // does. False: the web server gave up or did not keep the protocol, and waits for no answer.
    bool drain();
    // False: the peer went away, or was too slow, before it had taken all; it cannot take the
    // answer for whole.
    bool send(std::initializer_list<std::string_view> pieces);

  private:
    FCGX_Request request_{};
};

}  // namespace oai::fcgi
