// SPDX-License-Identifier: MIT
// A deleter for handles of C libraries (the handle.h of each room).
#pragma once

namespace oai {

// Calls the function that the library has for it.
template <auto release>
struct Released {
    void operator()(auto* handle) const noexcept { release(handle); }
};

}  // namespace oai
