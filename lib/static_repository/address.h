// SPDX-License-Identifier: MIT
// Where a static repository is and where its gateway serves it (specification, 2 and 3.1). Pure.
#pragma once

#include <optional>
#include <string>

namespace oai::static_repository {

// A static repository is at http://host:port/path/file, without query and fragment; https is taken, too. Why it is not
// there; "" it is.
std::string why_no_address(const std::string& url);

// The base URL of a static repository at `url` behind a gateway: "http://gateway/oai" and "http://a.org:81/r.xml" make
// "http://gateway/oai/a.org%3A81/r.xml" (4.4.1: the colon is encoded). REQUIRES: it is an address.
std::string gateway_base_url(const std::string& gateway, const std::string& url);

// Section 2 puts the addresses together as they are, 4.4.1 encodes the port's colon: both are the same base URL.
bool same_base_url(const std::string& a, const std::string& b);

// What stands before the address of the static repository in the base URL, with the slash at its end: the gateway's URL.
// nullopt: this is no base URL of a gateway for it.
std::optional<std::string> gateway_url(const std::string& base_url, const std::string& url);

}  // namespace oai::static_repository
