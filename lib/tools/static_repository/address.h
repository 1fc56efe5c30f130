// SPDX-License-Identifier: MIT
// Addresses of static repositories, and the base URLs at which gateways serve them (specification,
// 2 and 3.1). Pure.
#pragma once

#include <optional>
#include <string>

namespace oai::static_repository {

// A static repository is at http://host:port/path/file, without query and fragment; https is
// accepted, too. Returns why the URL is no such address, or "".
std::string address_fault(const std::string& url);

// The base URL of a static repository at `url` behind a gateway: "http://gateway/oai" and
// "http://a.org:81/r.xml" make "http://gateway/oai/a.org%3A81/r.xml" (4.4.1: the colon is encoded).
// REQUIRES: it is an address.
std::string gateway_base_url(const std::string& gateway, const std::string& url);

// Section 2 joins the addresses as they are, and 4.4.1 encodes the port's colon: both forms are the
// same base URL.
bool same_base_url(const std::string& a, const std::string& b);

// The gateway's URL: what stands before the address of the static repository in the base URL, with
// the slash at its end. nullopt if this is no base URL of a gateway for it.
std::optional<std::string> gateway_url(const std::string& base_url, const std::string& url);

}  // namespace oai::static_repository
