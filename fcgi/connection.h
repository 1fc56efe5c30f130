// SPDX-License-Identifier: MIT
// One accepted connection and the one FastCGI request on it. The calls of libfcgi are in an order
// that works under nginx and Apache. No other file uses libfcgi's request. Not thread-safe.
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

    // Reads the CGI variables. Returns false if the peer sent no whole request; the connection is
    // then closed already.
    bool receive();
    // Returns a CGI variable, "" if it is unset. If there are several of the name, the last counts,
    // as for a header that a proxy has added after the client's own. The view is valid as long as
    // this object.
    std::string_view variable(std::string_view name) const;
    // Reads up to that many bytes of the body; fewer if the web server sent no more.
    std::string read_body(std::size_t bytes);
    // Reads the rest of the body and discards it, without which Apache answers 503 now and then.
    // Returns false if the web server gave up or broke the protocol; it then expects no response.
    bool drain();
    // Returns false if the peer closed the connection or was too slow before it had taken all of
    // the response. It cannot mistake what it has for a whole response.
    bool send(std::initializer_list<std::string_view> pieces);

  private:
    FCGX_Request request_{};
};

}  // namespace oai::fcgi
