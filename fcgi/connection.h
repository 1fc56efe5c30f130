// SPDX-License-Identifier: MIT
// A complete request and the connection for its response. Libfcgi parses the request from memory
// (request_reader.h), so it never waits for a peer. No other file uses FCGX_Request. Not
// thread-safe.
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
    ~Connection();  // closes the connection
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    // Parses the CGI variables. Returns false if libfcgi rejects the records.
    bool receive();
    // Returns a CGI variable, or "" if it is unset. The last of several with the same name counts,
    // as for a header that a proxy has added after the client's own. The view is valid for the
    // lifetime of this object.
    std::string_view variable(std::string_view name) const;
    // Reads up to that many bytes of the body; fewer if the web server sent no more.
    std::string read_body(std::size_t bytes);
    // Returns false if the peer disconnected or timed out before it had received the whole
    // response. It cannot mistake the part that it received for a whole response.
    bool send(std::initializer_list<std::string_view> pieces);

  private:
    Fd connection_;
    std::uint16_t id_;
    FCGX_Request request_{};
};

}  // namespace oai::fcgi
