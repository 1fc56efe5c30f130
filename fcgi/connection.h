// SPDX-License-Identifier: MIT
// One whole request and the connection that its response goes to. Libfcgi reads the request from
// memory (request_reader.h), so that it never waits for a peer. No other file uses libfcgi's
// request. Not thread-safe.
#pragma once

#include <fcgiapp.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "fcgi/request_reader.h"
#include "web/request.h"

namespace oai::fcgi {

class Connection {
  public:
    // Throws std::system_error if there is no descriptor or memory left.
    explicit Connection(ReceivedRequest received);
    ~Connection();  // closes
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    // Reads the CGI variables. Returns false if libfcgi does not take the records for a request.
    bool receive();
    // Returns a CGI variable, "" if it is unset. If there are several of the name, the last counts,
    // as for a header that a proxy has added after the client's own. The view is valid as long as
    // this object.
    std::string_view variable(std::string_view name) const;
    // Reads up to that many bytes of the body; fewer if the web server sent no more.
    std::string read_body(std::size_t bytes);
    // Returns false if the peer closed the connection or was too slow before it had taken all of
    // the response. It cannot mistake what it has for a whole response.
    bool send(std::initializer_list<std::string_view> pieces);

  private:
    Fd connection_;
    std::uint16_t id_;
    FCGX_Request request_{};
};

}  // namespace oai::fcgi
