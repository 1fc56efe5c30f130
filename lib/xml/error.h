// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>

namespace oai::xml {

// "file:line: message" of libxml2 or libxslt where they know it.
class Error : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace oai::xml
