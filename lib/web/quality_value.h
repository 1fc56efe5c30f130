// SPDX-License-Identifier: MIT
// The weight of an element in an Accept-Encoding or Accept-Language header. RFC 9110, 12.4.2. Pure.
#pragma once

#include <string_view>

namespace oai {

// The parameter q, in thousandths, among these parameters ("q=0.5", "level=1; q=0.5"): 1000 if
// there is none, 0 if it is malformed, the least of several. `parameters` may begin with ';'.
int quality_value(std::string_view parameters);

}  // namespace oai
