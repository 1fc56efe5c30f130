// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>

namespace oai::xml {

// what() is the message of libxml2 or libxslt, as "file:line: message" where they know the place.
class Error : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace oai::xml
