// SPDX-License-Identifier: MIT
// Where a document goes in a tree of files that can be browsed. Pure.
#pragma once

#include <string>
#include <string_view>

namespace oai::recover {

// A path of "/"-joined names below the tree: host, the directories of the URL's path, a name with an ending that tells its media
// type; "" for a URL without a host, or of another scheme than http, https and ftp. Never leaves the tree, nor means another file on
// another system: no name is empty, begins or ends with a dot, holds a byte but A-Za-z0-9 and -._~!$'()+,;=@% , is a device of
// Windows (con, nul.txt) or much longer than 200 bytes, and no path is longer than some 1,600. No path is a directory of another:
// names of documents hold a dot, those of directories end in "~" where they do. Few different URLs share a path, as http://a/ and
// http://a/index.html do; or paths that differ in upper and lower case alone.
std::string place_of(std::string_view url, std::string_view media_type);

// It may be one of place_of(): two names or more, of those bytes, none of which begins with a dot.
bool is_place(std::string_view path);

// The URL without scheme, user and fragment, its host in lower case: what tells documents of a tree apart; ""
// as above.
std::string tree_key(std::string_view url);

// Its host alone, without a port: "a.org", "[2001:db8::1]"; "" if it has none.
std::string host_of(std::string_view url);

// From one place to another, as a reference in a document: "../b/c.html". '%' becomes "%25".
std::string relative_reference(std::string_view from, std::string_view to);

}  // namespace oai::recover
