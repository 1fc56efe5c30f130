// SPDX-License-Identifier: MIT
// The host of an address as people write it: "xn--hky-ela4t.cz" is shown with the letters that
// it stands for (IDNA 2008, by libidn2). A name may be made of letters that look like others, so
// whoever shows it shows the A-labels beside it, and links by these alone. Pure; thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace oai {

// An address that begins with http:// or https://, or a host with or without a path behind it, in
// which each A-label stands as its U-label. "" if there is none, if a label is no right A-label, or
// if the address has a user's name, which may look like a host.
std::string readable_host(std::string_view address);

}  // namespace oai
