// SPDX-License-Identifier: MIT
// Where a document goes in a tree of files that can be browsed. Pure.
#pragma once

#include <string>
#include <string_view>

namespace oai::recover {

// A path of "/"-joined names below the tree: host, the directories of the URL's path, a name with an ending
// that tells its media type; "" for a URL without a host, or of another scheme than http, https and ftp.
// Never leaves the tree: no name is empty, "." or "..", holds a byte but A-Za-z0-9 and -._~!$'()+,;=@% ,
// begins with a dot or is much longer than 200 bytes, and no path is longer than some 1,600. No path is a directory of another: names of documents
// hold a dot, those of directories end in "~" where they do. Few different URLs share a path, as http://a/
// and http://a/index.html do.
std::string place_of(std::string_view url, std::string_view media_type);

// The URL without scheme, user and fragment, its host in lower case: what tells documents of a tree apart; ""
// as above.
std::string tree_key(std::string_view url);

// Its host alone, without a port: "a.org", "[2001:db8::1]"; "" if it has none.
std::string host_of(std::string_view url);

// From one place to another, as a reference in a document: "../b/c.html". '%' becomes "%25".
std::string relative_reference(std::string_view from, std::string_view to);

}  // namespace oai::recover
